// Package replicas proves that a run on several nodes, which die at any moment, ends as on one node, and
// that no write happens twice.
package replicas

import (
	"flag"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/internal/ptctest"
)

var (
	thorough = flag.Bool("thorough", false, "run the long proofs in full, not a sample of them")
	seeds    = flag.Int("seeds", 0, "the number of seeds of the chaos tests; 0 is the default")
	stuck    = flag.Duration("stuck", 2*time.Minute, "the time after which a run counts as one that does not go on")
	firstOne = flag.Int("from", 0, "the first of them")
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { ptctest.Main(m) }
