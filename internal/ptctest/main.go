package ptctest

import (
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package and fails if they leave a goroutine running. The tests of programs
// allocate much and keep little, so the collector waits until the heap is five times the live memory: with
// GOGC=100 it takes a fifth of their processor time. GOGC in the environment has precedence.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	goleak.VerifyTestMain(m)
}
