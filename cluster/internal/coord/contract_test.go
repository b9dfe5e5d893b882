// This file runs the tests of all implementations of guards through three nodes.

package coord_test

import (
	"testing"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard/guardtest"
)

func TestGuardContract(t *testing.T) {
	guardtest.Run(t, func(t *testing.T) []effect.Guards {
		c := start(t, 3, 1)
		c.ready()
		var all []effect.Guards
		for _, name := range c.names {
			all = append(all, c.nodes[name].Guards())
		}
		return all
	})
}
