// Package zero proves that no exported function or method of the API panics, or reports a bug of PTC, whatever
// the host passes: nil, zero values, ended contexts, numbers and strings out of range.
package zero

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
