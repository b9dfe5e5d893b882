// Package parallel proves that a parallel operation means the same as its sequential form, for any
// number of workers, any timing and any nesting, and that the bounds of a run hold in its workers.
package parallel

import (
	"flag"
	"testing"

	"github.com/ptc-lang/ptc/internal/ptctest"
)

var thorough = flag.Bool("thorough", false, "run the long proofs in full, not a sample of them")

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { ptctest.Main(m) }
