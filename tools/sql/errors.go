// This file defines the codes of failures.

package sql

import (
	"github.com/ptc-lang/ptc/runtime/effect"
)

// The codes of failures.
const (
	CodeNotGranted   = "not-granted"   // a database or a statement that the grant does not cover
	CodeBadParams    = "bad-params"    // parameters that do not fit the statement
	CodeBadStatement = "bad-statement" // the database does not understand it
	CodeConstraint   = "constraint"    // the database refuses the data
	CodeBusy         = "busy"          // others hold the locks it needs; may be retried
	CodeUnavailable  = "unavailable"   // the database is not reached
	CodeTooMany      = "too-many-rows" // more rows than a result may have
	// a result of more bytes than it may have, or a value of more than the database can hold
	CodeTooLarge = "too-large"
	CodeFailed   = effect.CodeFailed // anything else that the database says
)
