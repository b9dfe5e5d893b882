// This file defines how values are rendered outside of a run.

package eval

import (
	"context"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// renderFactor is how much memory rendering may take for each byte of the result
// that is allowed: a growing buffer holds its old and its new block.
const renderFactor = 4

// Render writes a realised value as text, see Outside.
func Render(l limits.Limits, write func(t *value.Task) string) (text string, err *diag.Error) {
	err = Outside(context.Background(), l, func(t *value.Task) { text = write(t) })
	return text, err
}

// Outside makes something of a realised value for the host, under a memory account
// that follows from the result limit. There is no program any more that could
// compute what is missing.
func Outside(ctx context.Context, l limits.Limits, fn func(t *value.Task)) (err *diag.Error) {
	m := &Machine{frames: make([]frame, 1)}
	m.Host, m.Owner, m.opts.Limits = m, renderOwner, l
	m.Inert = true
	m.Task.Start(ctx, int64(l.ResultBytes)*renderFactor+limits.MinMemory, l.Steps, l.Timeout)
	defer func() {
		if r := recover(); r != nil {
			err = m.importFailure(r)
		}
	}()
	fn(&m.Task)
	return nil
}

// renderOwner tags the strings that rendering makes.
const renderOwner = 3
