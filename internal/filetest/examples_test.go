package filetest

import (
	"testing"

	"github.com/ptc-lang/ptc/lang/builtins"
)

// TestExamples runs the examples of every builtin, and refuses entries without
// documentation, example or cost.
func TestExamples(t *testing.T) {
	for e := range builtins.Entries() {
		t.Run(e.Qualified(), func(t *testing.T) {
			if e.Doc == "" || e.Cost == 0 || len(e.Examples) == 0 {
				t.Errorf("incomplete entry: doc %q, cost %d, %d examples", e.Doc, e.Cost, len(e.Examples))
			}
			for _, ex := range e.Examples {
				if problem := Example(ex); problem != "" {
					t.Errorf("%s\n%s", ex, problem)
				}
			}
		})
	}
}
