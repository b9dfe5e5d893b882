// This file fuses a search in the sequence of iterate.

package compile

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// fuseFirst makes a loop of (first (drop-while pred (iterate f x))), and of filter and remove in place of
// drop-while. iterate has no chunks, so the loop calls the functions in the order of Clojure, whatever
// their purity.
func fuseFirst(f *fn, args []value.Value) (value.Value, bool) {
	if len(args) != 1 {
		return value.Nil, false
	}
	_, search, of := f.coreCall(args[0])
	if search == nil || len(of) != 2 {
		return value.Nil, false
	}
	stops := search.Fusion == entry.StageFilter
	if !stops && search.Fusion != entry.StageRemove && search.Name != "drop-while" {
		return value.Nil, false
	}
	_, e, seed := f.coreCall(of[1])
	if e == nil || e.Name != "iterate" || len(seed) != 2 {
		return value.Nil, false
	}
	p := &pipeline{f: f}
	pred := p.called(of[0], 1)
	step := p.called(seed[0], 1)
	x := f.sym("x")
	found, next := x, f.formAt("", "recur", p.call(step, x))
	if !stops {
		found, next = next, found
	}
	turn := f.formAt("", "if", p.call(pred, x), found, next)
	return p.within(f.formAt("", "loop*", f.c.t.Vector(x, seed[1]), turn)), true
}
