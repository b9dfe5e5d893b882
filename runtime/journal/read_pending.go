// This file reads the lines of pending effects.

package journal

import "github.com/ptc-lang/ptc/runtime/effect"

// announce takes the line of an effect that is pending and has not begun, or has to begin again.
func (r *reader) announce(w *wire) error {
	w.Attempt = 0
	e, err := r.effect(w)
	if err != nil {
		return err
	}
	if e.Pends, e.Place = effect.PendingApproval, w.Place; e.Kind == effect.KindQuestion {
		e.Pends = effect.PendingQuestion
	}
	e.announce(e.Start, e.Session)
	i, again := r.rec.byID[w.ID]
	if !again {
		return r.enter(e)
	}
	last := &r.rec.Entries[i]
	if last.Done || last.Session == e.Session || r.rec.pends(last) || !sameAgain(&last.Effect, &e.Effect) {
		return r.damage("effect %s is announced a second time", w.ID)
	}
	last.Pends, last.Place = e.Pends, e.Place
	last.announce(e.Start, e.Session)
	return nil
}

func (r *reader) suspend(w *wire) error {
	e, err := r.openOrSettled(w.ID)
	switch {
	case err != nil:
		return err
	case e.Session != len(r.rec.Resumed) || e.Attempt == 0 || e.Pends != "":
		return r.damage("effect %s is suspended and not under way", w.ID)
	}
	e.suspend(w.Token, w.Place)
	return nil
}

func (r *reader) settle(w *wire) error {
	e, err := r.open(w.ID)
	if err != nil {
		return err
	}
	if !r.rec.pends(e) || e.Pends == "" && e.Session == len(r.rec.Resumed) {
		return r.damage("effect %s is settled and was neither pending nor in doubt", w.ID)
	}
	as, fits := effect.Verdict(w.As), effect.Settlement{ID: w.ID, As: effect.Verdict(w.As)}
	p := e.pending()
	p.Options = nil // the answer was checked
	if p.Fit(fits, nil, 0) != nil {
		return r.damage("effect %s (%s) is settled as %q", w.ID, p.Kind, cut(w.As, 0))
	}
	var o effect.Record
	if as != effect.Approve && as != effect.Retry {
		if o, err = r.outcome(w); err == nil && as == effect.Refuse && !o.Failed() {
			err = r.damage("effect %s is refused with a result", w.ID)
		}
	}
	if err != nil {
		return err
	}
	doubted := e.Pends == ""
	if e.settle(as, o, len(r.rec.Resumed)); e.Done && !doubted {
		e.Duration = max(r.time(w.At).Sub(e.Start), 0)
	}
	return nil
}
