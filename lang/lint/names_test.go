package lint

import (
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/builtins"
)

// TestNames wants every name in the lists to be one of a builtin.
func TestNames(t *testing.T) {
	known := make(map[string]bool)
	for e := range builtins.All() {
		known[e.Name] = true
	}
	for _, list := range []string{handing, binders, composers, predicates, fillers, finders, bodies} {
		for _, name := range strings.Fields(list) {
			if !known[name] {
				t.Errorf("there is no builtin %s", name)
			}
		}
	}
}
