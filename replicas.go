// This file connects a run with the same run on other nodes.

package ptc

import (
	"encoding/json"
	"errors"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// replicas returns the other nodes of a run whose journal is shared; nil if it is not.
func (e *effects) replicas() effect.Replicas {
	j, ok := e.journal.(*journal.Journal)
	if !ok || j == nil {
		return nil
	}
	return j.Replicas()
}

// halt records that a bound has ended the run, for all of its nodes, before the caller hears of it. An end on a node
// that does not decide for the run, or of the node alone, is not recorded.
func (r *runner) halt(replicas effect.Replicas, err *diag.Error) *diag.Error {
	if err.Code == diag.Cancelled || err.Code == diag.JournalFailed {
		return err
	}
	text, jerr := json.Marshal(err)
	if jerr == nil {
		jerr = replicas.Halt(text)
	}
	if jerr != nil {
		return effect.RunError(errors.Join(jerr, err))
	}
	return err
}
