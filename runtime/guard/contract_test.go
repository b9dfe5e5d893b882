// This file runs the tests of all implementations of guards.

package guard_test

import (
	"testing"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/guard/guardtest"
)

func TestContract(t *testing.T) {
	guardtest.Run(t, func(*testing.T) []effect.Guards { return []effect.Guards{guard.NewSet(guard.Options{})} })
}
