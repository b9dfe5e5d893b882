// Package check proves the diagnostics of programs: the warnings, fixes and effects that Check and
// Fix report, the errors of typical mistakes, and the place and the calls that an error shows.
package check

import (
	"testing"

	"github.com/ptc-lang/ptc/internal/ptctest"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { ptctest.Main(m) }
