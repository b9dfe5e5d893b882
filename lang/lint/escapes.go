// This file collects the arguments of the functions of a program, and finds the values that its text does not
// determine: functions with unknown callers, vars that may get other values, and values whose type the program itself
// tests.

package lint

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// changedVars notes the vars of a program that are used as vars: they may get other values.
func (l *linter) changedVars(n *compile.Node) {
	l.Task.Work(1)
	if (n.Special == entry.SpecialVar || n.Special == entry.SpecialSet) && n.Global >= 0 && !ofMetadata(n) {
		l.varied[n.Global] = true
	}
	for _, sub := range n.Subs {
		l.changedVars(sub)
	}
}

// varies reports whether a global may have another value than that of its definition.
func (l *linter) varies(global int) bool {
	return l.varied[global] || l.Env.Globals[global].Dynamic
}

// escapes notes the functions that an expression uses as values, other than by calls that are known.
func (s *shapes) escapes(n *compile.Node) {
	for i, sub := range n.Subs {
		if !s.known(n, i) {
			for _, fn := range s.targets(sub) {
				s.escaped[fn] = true
			}
		}
	}
	if n.Special == entry.SpecialVar && n.Global >= 0 && !ofMetadata(n) {
		for _, fn := range s.functions(n.Global) {
			s.escaped[fn] = true
		}
	}
	if n.Kind == compile.NodeCall && n.Entry.Is(entry.TestsType) {
		for _, sub := range n.Subs {
			switch sub = unwrap(sub); {
			case sub.Kind == compile.NodeLocal && sub.Local != nil:
				s.tested[sub.Local] = true
			case sub.Kind == compile.NodeGlobal:
				s.testedGlobals[sub.Global] = true
			}
		}
	}
}

// known reports whether a part of a node, if it is a function, is called only as collect notes.
func (s *shapes) known(n *compile.Node, part int) bool {
	sub := n.Subs[part]
	switch {
	case n.Kind == compile.NodeMacro || n.Special == entry.SpecialFn || n.Special == entry.SpecialDo:
		return len(n.Subs) == 1
	case n.Kind == compile.NodeFn || n.Kind == compile.NodeRoot:
		return true
	case n.Special == entry.SpecialDef:
		return true
	case n.Special == entry.SpecialLet || n.Special == entry.SpecialLetfn:
		for _, b := range n.Binds {
			if b.Init == sub {
				return true
			}
		}
	case n.Kind == compile.NodeCall && n.Entry == nil && n.Global < 0:
		return part == 0
	case n.Kind == compile.NodeCall && n.Entry != nil:
		return overElements(n) && part == int(n.Entry.Calls.First)
	}
	return false
}

// overElements reports whether a builtin calls its function for the elements of a collection.
func overElements(n *compile.Node) bool {
	c := n.Entry.Calls
	return c.Times == entry.TimesElements && len(n.Subs) >= int(c.Least) && int(c.First) < len(n.Subs)-1
}

// callback notes the elements that a builtin passes to a function.
func (s *shapes) callback(n *compile.Node) {
	c := n.Entry.Calls
	if !overElements(n) {
		return
	}
	of := passed{n.Subs[len(n.Subs)-1], true}
	for _, fn := range s.targets(n.Subs[c.First]) {
		for _, arity := range fn.Subs {
			if arity.Kind != compile.NodeArity {
				continue
			}
			element := -1
			switch rest := hasRest(arity); {
			case rest:
			case n.Entry.Fusion == entry.ConsumerReduce && len(arity.Binds) == 2:
				element = 1
			case n.Entry.Fusion != entry.ConsumerReduce && len(arity.Binds) == 1 && len(n.Subs) == int(c.First)+2:
				element = 0
			}
			for i, b := range arity.Binds {
				if i == element {
					s.passed[b] = append(s.passed[b], of)
				} else {
					s.passed[b] = append(s.passed[b], passed{})
				}
			}
		}
	}
}

// targets returns the functions that an expression may return, if they are known.
func (s *shapes) targets(n *compile.Node) []*compile.Node {
	t, ok := targetOf(n)
	switch {
	case !ok || t.tool != nil:
		return nil
	case t.fn != nil:
		return []*compile.Node{t.fn}
	}
	return s.functions(t.global)
}

// pass notes the arguments of a call of functions of the program.
func (s *shapes) pass(fns []*compile.Node, args []*compile.Node) {
	for _, fn := range fns {
		for _, arity := range fn.Subs {
			if arity.Kind == compile.NodeArity {
				s.passTo(arity, args)
			}
		}
	}
}

// repeat notes the arguments with which a function calls itself by recur.
func (s *shapes) repeat(n *compile.Node) {
	for p := n.Parent; p != nil && p.Special != entry.SpecialLoop; p = p.Parent {
		if p.Kind == compile.NodeArity {
			s.passTo(p, n.Subs)
			return
		}
	}
}

// passTo notes the arguments of a call of an arity.
func (s *shapes) passTo(arity *compile.Node, args []*compile.Node) {
	if len(arity.Binds) != len(args) {
		return
	}
	for i, b := range arity.Binds {
		if i == len(arity.Binds)-1 && hasRest(arity) {
			s.passed[b] = append(s.passed[b], passed{})
			continue
		}
		s.passed[b] = append(s.passed[b], passed{node: args[i]})
	}
}

// hasRest reports whether the last parameter of an arity gets all arguments that are left.
func hasRest(arity *compile.Node) bool {
	items, _ := value.RealisedItems(arity.Form)
	if len(items) == 0 || !items[0].Is(value.Vectors) {
		return true
	}
	params := value.Items(items[0])
	k := len(params)
	return k >= 2 && params[k-2].IsSymbol() && params[k-2].AsSymbol().Name == "&"
}

// wrapsBody reports whether a step of ->> is a function without a body, which gets the value as its body:
// (->> x (fn [])).
func (s *source) wrapsBody(part int) bool {
	parts := s.parts(part)
	return len(parts) == 2 && builtins.Core(s.word(parts[0])) == builtins.Core("fn") ||
		len(parts) == 3 && builtins.Core(s.word(parts[0])) == builtins.Core("fn") && s.word(parts[1]) != "["
}
