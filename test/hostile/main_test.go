// Package hostile proves that every program ends within its bounds, with a value or with an error of its own, however
// hostile the program is and however narrow or wide its bounds are.
package hostile

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
