// This file defines how the journals of runs are read for people.

package serve

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
)

// MaxDrawn is the most bytes of a journal that Draw reads. To draw a journal takes one and a half times its size.
const MaxDrawn = 64 << 20

// drawing is the number of journals that are read concurrently; others wait.
const drawing = 2

// The errors of Draw.
var (
	ErrNoJournal = &store.Error{Code: "no-journal", Message: "the run has not begun, so it has no journal"}
	ErrLarge     = &store.Error{Code: "journal-too-large", Message: "the journal is too large to be drawn here: " +
		"download it, and draw it with ptc trace"}
)

// Draw calls a function with the present contents of the journal of a run. The function must not wait for a
// client: few journals are in memory together, because one may take as much as a run. The error is
// ErrNoJournal, ErrLarge, a *journal.Damage, or the error of the function.
func (e *Engine) Draw(ctx context.Context, id string, draw func(*journal.Recording) error) error {
	place, err := e.opts.Store.Journal(ctx, id)
	if err != nil {
		return err
	}
	select {
	case e.drawn <- struct{}{}:
		defer func() { <-e.drawn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r, err := place.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoJournal
	}
	if err != nil {
		return err
	}
	defer r.Close()
	rec, err := journal.Read(&drawable{r, MaxDrawn}, e.opts.Key)
	if err != nil {
		return err
	}
	return draw(rec)
}

// drawable is a reader that returns ErrLarge after so many bytes.
type drawable struct {
	io.Reader
	left int
}

func (d *drawable) Read(p []byte) (n int, err error) {
	n, err = d.Reader.Read(p)
	if d.left -= n; d.left < 0 {
		return 0, ErrLarge
	}
	return n, err
}
