// Package hostile proves that every program ends within its bounds, with a value or with a proper error,
// however hostile the program is and however narrow or wide its bounds are.
package hostile

import (
	"testing"

	"github.com/ptc-lang/ptc/internal/ptctest"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { ptctest.Main(m) }
