// This file defines the errors of an engine.

package serve

import (
	"github.com/ptc-lang/ptc/store"
)

// The errors of an engine, beside those of its store and a *ptc.Error of a program that does not compile. errors.Is
// finds them by their codes.
var (
	ErrFull     = &store.Error{Code: "full", Message: "the service is full; try again later"}
	ErrDraining = &store.Error{Code: "draining", Message: "the service is ending, and takes no runs"}
	ErrInvalid  = store.ErrInvalid
	// ErrUnavailable is the error of a request that another node of a cluster must answer, which can't be reached.
	ErrUnavailable = &store.Error{Code: "unavailable", Message: "another node must answer this, and can't now; try again"}
	// ErrOwnApproval is the error of an approval by the submitter of the run, see Options.FourEyes.
	ErrOwnApproval = &store.Error{Code: "own-approval",
		Message: "a call of your own run must be approved by somebody else of its tenant, or by an operator"}
	// ErrGone is the error of a session that has ended.
	ErrGone = &store.Error{Code: "session-gone", Message: "there is no such session any more: it was deleted, was idle " +
		"for too long, or the service was started again, which ends all sessions; its definitions are lost, so begin " +
		"another one and evaluate them again"}
	// ErrNotPending is the error of a settlement of an effect that is already settled, is not needed any more,
	// or never was pending.
	ErrNotPending = &store.Error{Code: "not-pending", Message: "this is not pending"}
)
