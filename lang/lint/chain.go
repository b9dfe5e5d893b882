// This file defines the warnings about tests that occur twice in a chain of conditions.

package lint

import (
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// duplicates warns of a test that has failed before in the same chain of if, or of the
// clauses of cond.
func (l *linter) duplicates(n *compile.Node) {
	if p := n.Parent; p != nil && p.Special == entry.SpecialIf && len(p.Subs) == 3 && p.Subs[2] == n {
		return // told of from the beginning of the chain
	}
	seen := l.Task.SetOf()
	for n != nil && n.Special == entry.SpecialIf && len(n.Subs) > 1 {
		test := n.Subs[0]
		at, _ := l.idle(test, true)
		if at == nil { // it may change what the tests before it have read
			seen = l.Task.SetOf()
		} else if truthOf(test) == either {
			_, twice := l.Task.SetGet(seen, test.Form)
			if at, ok := l.placeOf(test); ok && twice {
				l.warn(DuplicateTest, at, Diagnostic{Message: "the same test has failed before, so this clause is never reached"})
			}
			seen = l.Task.SetConj(seen, test.Form)
		}
		if len(n.Subs) < 3 {
			return
		}
		n = n.Subs[2]
	}
}
