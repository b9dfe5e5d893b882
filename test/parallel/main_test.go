// Package parallel proves that a parallel operation means the same as its sequential form, for any
// number of workers, any timing and any nesting, and that the bounds of a run hold in its workers.
package parallel

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
