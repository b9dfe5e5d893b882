package journal

import (
	"errors"
	"strconv"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// ApplyGiven records the settlements that a journal was resumed with, as a run does.
func ApplyGiven(j *Journal, err error) (*Journal, error) {
	if err != nil {
		return j, err
	}
	for _, s := range j.Given() {
		o, err := s.Outcome()
		if err = errors.Join(err, j.Settle(s.ID, s.As, o.Record())); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// settlementOf settles an effect in doubt: it has happened, or is tried again.
func settlementOf(e effect.Effect, happened bool) effect.Settlement {
	if !happened {
		return effect.Settlement{ID: e.ID, As: effect.Retry}
	}
	return effect.Settlement{ID: e.ID, As: effect.Done, Result: strconv.AppendInt(nil, int64(result(e)), 10)}
}
