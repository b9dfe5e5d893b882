// This file defines how arguments in the wrong order are put right: one of them is moved, so that the builtin refuses
// none of those whose kinds the text tells.

package lint

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// maxReordered bounds the arguments of a call that is put right.
const maxReordered = 5

// reordered returns the order of the arguments of a call that its builtin may take, nil if there is none, or several
// that are equally close. It moves one argument, as little as possible.
func reordered(n *compile.Node) []int {
	args := n.Subs
	if len(args) < 2 || len(args) > maxReordered {
		return nil
	}
	kinds := make([]value.KindSet, len(args))
	for i, sub := range args {
		kinds[i], _ = kindOf(sub)
	}
	names := n.Entry.ParameterNames(len(args))
	if len(names) < len(args) {
		return nil
	}
	called := value.Kinds(value.KindFn, value.KindKeyword) | value.Maps | value.Sets
	calls := n.Entry.Calls
	fits := func(order []int) bool {
		for i, from := range order {
			function := calls.Times != entry.TimesUnknown && i >= int(calls.First) && i <= int(calls.Last)
			if function && from != i && (kinds[from]&called == 0 || args[from].Form.IsKeyword() && n.Entry.Is(entry.Copies)) {
				return false
			}
			noMap := names[i] == "m" && kinds[from]&value.Maps == 0
			if kinds[from] != 0 && (noMap || n.Entry.Refuses(len(args), i, kinds[from]) != "") {
				return false
			}
		}
		return true
	}
	for distance := 1; distance < len(args); distance++ {
		var found [][]int
		for from := range args {
			for _, to := range []int{from - distance, from + distance} {
				if to < 0 || to >= len(args) {
					continue
				}
				order := moved(len(args), from, to)
				same := func(o []int) bool { return slices.Equal(o, order) }
				if fits(order) && !slices.ContainsFunc(found, same) {
					found = append(found, order)
				}
			}
		}
		if len(found) == 1 {
			return found[0]
		}
		if len(found) > 1 {
			return nil
		}
	}
	return nil
}

// moved returns the numbers below n in order, with one of them moved.
func moved(n, from, to int) []int {
	order := make([]int, 0, n)
	for i := range n {
		if i != from {
			order = append(order, i)
		}
	}
	return slices.Insert(order, to, from)
}

// inOrder returns the call with its arguments in the right order, and the edits that make it; "" if it does not know
// them. parts are those of the call in the text: the head and all arguments.
func (l *linter) inOrder(n *compile.Node, parts []int) (form string, fix []Edit) {
	order := reordered(n)
	if order == nil {
		return "", nil
	}
	words := []string{l.src.text(l.src.whole(parts[0]))}
	for i, from := range order {
		text := l.src.text(l.src.whole(parts[from+1]))
		words = append(words, text)
		if i != from {
			fix = append(fix, l.edit(l.src.whole(parts[i+1]), text)...)
		}
	}
	return "(" + strings.Join(words, " ") + ")", fix
}

// otherEnd returns the step of a threading macro that takes the value at its other end, if the builtin takes it there,
// and the edit that puts it in the place of the step.
func (l *linter) otherEnd(n *compile.Node, open int) (form string, fix []Edit) {
	order := reordered(n)
	last := len(n.Subs) - 1
	step := l.src.text(l.src.whole(open))
	back := slices.Equal(order, moved(last+1, last, 0))
	switch threads := threadsOf(n); {
	case order == nil || threads == nil:
		return "", nil
	case threads.Entry == builtins.Core("->") && slices.Equal(order, moved(last+1, 0, last)):
		form = "(->> " + step + ")"
	case threads.Entry == builtins.Core("->>") && back && !strings.Contains(step, "#("):
		head := l.src.whole(l.src.parts(open)[0])
		rest := l.File.Source[head.end:l.src.whole(open).end]
		form = "(#(" + l.src.text(head) + " %" + rest + ")"
	default:
		return "", nil
	}
	return form, l.edit(l.src.whole(open), form)
}

// threadsOf returns the threading macro that a call is a step of, nil if it is none.
func threadsOf(n *compile.Node) *compile.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Kind == compile.NodeMacro && (p.Entry == builtins.Core("->") || p.Entry == builtins.Core("->>")) {
			return p
		}
	}
	return nil
}
