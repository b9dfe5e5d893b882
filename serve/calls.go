// This file defines how the engine handles the calls of a live run.

package serve

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/wire"
)

// around publishes the calls of a run, and holds back calls that would begin while the engine ends.
func (l *live) around(e *Engine, inner effect.Around) effect.Around {
	return func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
		if l.ending(e) {
			<-ctx.Done()
			return effect.Outcome{Failure: &effect.Failure{Kind: diag.Cancelled, Code: effect.CodeCancelled,
				Message: "the run ends on this node"}}
		}
		if c.Tool.Class() == effect.Write {
			l.writes.expect(c.ID)
			defer l.writes.leave(c.ID)
		}
		began := time.Now()
		l.waits.call(&c)
		defer l.waits.end(c.ID)
		l.tell(wire.CallBegun{Call: c.ID, Tool: c.Tool.Name(), Class: c.Tool.Class(), Worker: c.Worker})
		var o effect.Outcome
		if inner != nil {
			o = inner(ctx, c, next)
		} else {
			o = next(ctx)
		}
		ended := wire.CallEnded{Call: c.ID, Tool: c.Tool.Name(), Duration: time.Since(began)}
		if o.Failure != nil {
			ended.Code, ended.Kind = o.Failure.Code, o.Failure.Kind
		}
		l.tell(ended)
		e.acquit(l.ticket)
		return o
	}
}

// ready is called after the waits of a call, before it is made. A write that began while the engine ends could be cut
// off, and would be in doubt. It is counted before the engine looks, see Drain.
func (l *live) ready(e *Engine) func(context.Context, string) {
	return func(ctx context.Context, id string) {
		if l.writes.enter(id) && l.ending(e) {
			l.writes.leave(id)
			<-ctx.Done()
		}
	}
}

// ending reports whether calls of a run must not begin any more.
func (l *live) ending(e *Engine) bool {
	select {
	case <-l.quiet:
		return true
	default:
		return e.ending()
	}
}

// ending reports whether calls must not begin any more.
func (e *Engine) ending() bool {
	select {
	case <-e.quiet:
		return true
	default:
		return false
	}
}
