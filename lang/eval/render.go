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

// Render writes a realised value as text, under a memory account that follows
// from the result limit.
func Render(l limits.Limits, write func(t *value.Task) string) (text string, err *diag.Error) {
	m := &Machine{}
	m.opts.Limits = l
	t := &value.Task{Owner: renderOwner}
	t.Start(context.Background(), int64(l.ResultBytes)*renderFactor+limits.MinMemory, l.Steps, l.Timeout)
	m.frames = make([]frame, 1)
	defer func() {
		if r := recover(); r != nil {
			text, err = "", m.importFailure(r)
		}
	}()
	return write(t), nil
}

// renderOwner tags the strings that rendering makes.
const renderOwner = 3
