package dist

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var thorough = flag.Bool("thorough", false, "run the long proofs in full, not a sample of them")

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
