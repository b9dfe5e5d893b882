// Package concurrent proves that concurrent runs of one program, and concurrent sessions, share nothing that a program
// can change, and that a process does not grow with the number of programs it has run.
package concurrent

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
