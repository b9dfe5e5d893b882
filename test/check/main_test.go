// Package check proves the diagnostics of programs: the warnings, fixes and effects that Check and
// Fix report, the errors of typical mistakes, and the place and the calls that an error shows.
package check

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
