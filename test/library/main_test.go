// Package library proves facts about the library as a whole: builtins have the purity that they
// declare, a sequence that is walked once is not held, and a sort is stable and survives a lack of
// memory.
package library

import (
	"testing"

	"github.com/ptc-lang/ptc/internal/ptctest"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { ptctest.Main(m) }
