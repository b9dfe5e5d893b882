// This file defines the journal of a run for package ptc.

package journal

import (
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// Run is the journal of a run as package ptc uses it. *Journal implements it.
type Run interface {
	effect.Journal
	// Header returns the header; nil if there is none.
	Header() *Header
	// Secrets returns the secrets that the run has met, or an earlier one had.
	Secrets() *secret.Set
	// Elapsed returns the time since the run began, in an earlier process if it is resumed.
	Elapsed() time.Duration
	// Given returns the settlements for effects of an earlier run, each of one effect. LeftPending returns the effects
	// that the earlier run has left pending or in doubt.
	Given() []effect.Settlement
	LeftPending() []effect.Pending
	// Calls returns the entries that are calls of tools.
	Calls() []Entry
	// Finish records the outcome of the run.
	Finish(Final) error
	// Stop records how a bound has stopped the run.
	Stop(how []byte) error
}

var _ Run = (*Journal)(nil)
