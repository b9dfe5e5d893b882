// This file defines questions.

package pending

import (
	"context"
	"errors"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// questionName is the name of questions in a journal.
const questionName = "ask"

// Ask asks a question, whose arguments are those of c, and returns the answer. It has no outcome if the evaluation
// has ended in the meantime. An error comes from the journal, and must end the run.
func (s *Set) Ask(ctx context.Context, c effect.Call) (effect.Outcome, error) {
	e := effect.Effect{ID: c.ID, Kind: effect.KindQuestion, Name: questionName, Class: effect.ReadOnly, Args: c.Args,
		Worker: c.Worker}
	for {
		recorded, done, err := s.recall(ctx, e)
		if done || err != nil {
			return recorded.Outcome(), err
		}
		o, err := s.ask(ctx, c, e)
		if !errors.Is(err, effect.ErrSettled) { // or it is recalled now
			return o, err
		}
	}
}

func (s *Set) recall(ctx context.Context, e effect.Effect) (effect.Record, bool, error) {
	if s.journal == nil {
		return effect.Record{}, false, nil
	}
	return s.journal.Recall(ctx, e)
}

func (s *Set) ask(ctx context.Context, c effect.Call, e effect.Effect) (o effect.Outcome, err error) {
	place, left := "", false
	var by effect.Rester
	if c.Caller != nil {
		place, by = c.Caller.Place(), c.Caller
	}
	if s.journal != nil {
		if left, err = s.journal.Announce(ctx, e, effect.PendingQuestion, place, by); err != nil {
			return o, err
		}
	}
	shown := e
	shown.Args = s.host.Hide(e.Args)
	p := effect.PendingOf(shown, effect.PendingQuestion, time.Now())
	p.Place = place
	_, o, err = s.Wait(ctx, p, left, by)
	if ctx.Err() == nil || err == nil || errors.Is(err, effect.ErrSettled) || errors.Is(err, effect.ErrRunOver) {
		return o, err
	}
	f, over := c.Ended(ctx, &effect.Failure{Kind: diag.Cancelled, Code: effect.CodeCancelled, Message: err.Error()})
	o = effect.Outcome{Failure: f}
	if over || s.journal == nil {
		return o, nil
	}
	return o, s.journal.Settle(e.ID, effect.Done, o.Record())
}
