// This file defines the warnings about lazy sequences whose elements have effects and that nothing reads.

package lint

import (
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// unread warns of definitions and locals that are lazy sequences with tool calls and that nothing uses, and of lazy
// sequences in the middle of the program.
func (l *linter) unread() {
	l.unreadIn(l.Tree.Subs, true)
	for _, b := range l.uses.bound {
		if b.Pos != 0 && b.Init != nil && !l.uses.local[b.Pos] && !l.uses.mentioned[b.Name] {
			if i := l.src.index(b.Pos); i >= 0 && l.src.word(i) == b.Name {
				l.neverCalled(b.Init, b.Name, l.src.place(i))
			}
		}
	}
}

// unreadIn looks at forms at the top of the program, also those in a do. used reports that the value of the last one is
// used.
func (l *linter) unreadIn(nodes []*compile.Node, used bool) {
	for i, n := range nodes {
		last := i == len(nodes)-1 && used
		if n.Kind == compile.NodeSpecial && n.Special == entry.SpecialDo && n.Parent.Kind == compile.NodeRoot {
			l.unreadIn(n.Subs, last)
			continue
		}
		if !last {
			l.unusedLazy(n)
		}
		l.unreadDefinition(n)
	}
}

// unreadDefinition warns of a definition that nothing uses.
func (l *linter) unreadDefinition(n *compile.Node) {
	if n = unwrap(n); n.Special != entry.SpecialDef || n.Global < 0 || len(n.Subs) == 0 || l.uses.global[n.Global] ||
		l.uses.looksUp || l.Partial || l.uses.mentioned[l.Env.Globals[n.Global].Name] {
		return
	}
	items, _ := value.RealisedItems(n.Form)
	if len(items) < 3 {
		return
	}
	if at, ok := l.src.symbol(items[1]); ok {
		l.neverCalled(n.Subs[len(n.Subs)-1], l.Env.Globals[n.Global].Name, at)
	}
}

// neverCalled warns of a name for a lazy sequence with tool calls.
func (l *linter) neverCalled(init *compile.Node, name string, at place) {
	if !isLazy(init) {
		return
	}
	if t := l.toolIn(init, make(map[*compile.Node]bool)); t != nil {
		l.warn(UnreadEffects, at, Diagnostic{Message: "tool/" + t.Name() + " is never called: " + name +
			" is a lazy sequence, and nothing reads it",
			Hint: "(pmap f coll) makes the calls at once, in parallel; doseq or run! for each in turn; doall reads a sequence"})
	}
}

// unusedLazy warns of a lazy sequence in the middle of the program, or of a body, whose function is never called.
func (l *linter) unusedLazy(n *compile.Node) {
	if !isLazy(n) {
		return
	}
	if made := inThreads(n); made.Kind == compile.NodeCall { // its arguments may have effects
		if _, lazy := l.idle(made, false); !lazy {
			return
		}
	}
	if at, ok := l.placeOf(n); ok {
		l.warn(UnusedValue, at, Diagnostic{
			Message: "the value is not used, so the function is never called: the sequence is lazy",
			Hint:    "use run! or doseq for effects"})
	}
}

// isLazy reports whether an expression returns a lazy sequence, none of whose elements has been computed, from code
// that the program has there: (map f coll), or (for …).
func isLazy(n *compile.Node) bool {
	switch n = inThreads(n); n.Kind {
	case compile.NodeMacro:
		return n.Entry != nil && n.Entry.Loop == entry.LoopLazy
	case compile.NodeCall:
		return n.Entry != nil && n.Entry.Calls.When == entry.CallsLater && len(n.Subs) > 1 &&
			!n.Entry.MakesTransducer(len(n.Subs))
	}
	return false
}

// inThreads goes from a call of a threading macro to the call that it stands for.
func inThreads(n *compile.Node) *compile.Node {
	for (n.Kind == compile.NodeMacro && n.Entry.Is(entry.Threads) || n.Special == entry.SpecialDo) && len(n.Subs) == 1 {
		n = n.Subs[0]
	}
	return n
}

// toolIn returns a tool that an expression may call, nil if it calls none.
func (l *linter) toolIn(n *compile.Node, seen map[*compile.Node]bool) effect.Tool {
	if l.Task.Work(1); seen[n] {
		return nil
	}
	seen[n] = true
	if n.Kind == compile.NodeTool {
		return n.Tool
	}
	if n.Global >= 0 && n.Special == entry.NotSpecial {
		for _, fn := range l.functions(n.Global) {
			if t := l.toolIn(fn, seen); t != nil {
				return t
			}
		}
	}
	for _, sub := range n.Subs {
		if t := l.toolIn(sub, seen); t != nil {
			return t
		}
	}
	return nil
}
