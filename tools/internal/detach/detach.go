// Package detach lets the call of a tool end with its context, even if the cleanup takes longer: a process that
// is killed, a server that gets a request to cancel.
//
// Otherwise the run would abandon the call and count it, like one of a tool that ignores its context.
package detach

import (
	"context"
	"sync"
)

// Group waits for the work that calls have detached. Its zero value is ready.
type Group struct{ wg sync.WaitGroup }

// Wait waits for all of it.
func (g *Group) Wait() { g.wg.Wait() }

// Do returns the results of work, or the error of ctx as soon as ctx is done. work must end soon after ctx, on
// its own. Its late results then go to late, if late is not nil, so that nothing that they hold is lost. A
// panic of work is raised in the caller while the caller waits.
func Do[T any](ctx context.Context, g *Group, work func(context.Context) (T, error), late func(T, error)) (T, error) {
	type outcome struct {
		value    T
		err      error
		panicked any
	}
	ended := make(chan outcome)
	left := make(chan struct{})
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		var out outcome
		defer func() {
			out.panicked = recover()
			select {
			case ended <- out:
			case <-left:
				if late != nil && out.panicked == nil {
					late(out.value, out.err)
				}
			}
		}()
		out.value, out.err = work(ctx)
	}()
	select {
	case out := <-ended:
		if out.panicked != nil {
			panic(out.panicked)
		}
		return out.value, out.err
	case <-ctx.Done():
		close(left)
		var none T
		return none, ctx.Err()
	}
}
