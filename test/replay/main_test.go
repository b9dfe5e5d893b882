// Package replay proves that a run that was recorded can be replayed without its tools, and resumed
// at any point without a second write, and that a journal holds no secret in plain text.
package replay

import (
	"flag"
	"testing"

	"github.com/ptc-lang/ptc/internal/ptctest"
)

var thorough = flag.Bool("thorough", false, "run the long proofs in full, not a sample of them")

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { ptctest.Main(m) }
