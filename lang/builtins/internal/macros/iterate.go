// This file defines the macros that repeat: for, doseq, dotimes, while.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var iterationMacros = []entry.Entry{
	{NS: "clojure.core", Name: "for", Args: "bindings body", Cost: entry.Syntax, Loop: entry.LoopLazy,
		Indent: entry.IndentBlock1, Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandFor,
		Doc: "Returns a lazy sequence of the values of body for each combination of elements. The last binding varies " +
			"fastest. " +
			"A binding may be followed by :let [bindings], :when test and :while test.",
		Examples: []string{"(for [x [1 2 3] :when (odd? x)] (* x x)) => (1 9)",
			"(for [x [1 2] y [:a :b]] [x y]) => ([1 :a] [1 :b] [2 :a] [2 :b])",
			"(for [x (range) :while (< x 3) :let [y (* 2 x)]] y) => (0 2 4)", "(for [x] x) !bad-form"}},
	{NS: "clojure.core", Name: "doseq", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandDoseq,
		Doc: "Evaluates body for each combination of elements, as for does, for its side effects. Returns nil and " +
			"retains no element.",
		Examples: []string{"(let [a (atom [])] (doseq [x [1 2] y [:a :b]] (swap! a conj [x y])) @a) => [[1 :a] [1 :b] [2 " +
			":a] [2 :b]]"}},
	{NS: "clojure.core", Name: "dotimes", Args: "bindings & body", Cost: entry.Syntax, Loop: entry.LoopCount,
		Indent: entry.IndentBlock1, Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandDotimes,
		Doc:      "Evaluates body with a name bound to the integers from 0 to n-1, for its side effects. Returns nil.",
		Examples: []string{"(let [a (atom 0)] (dotimes [i 5] (swap! a + i)) @a) => 10"}},
	{NS: "clojure.core", Name: "while", Args: "test & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandWhile,
		Doc:      "Evaluates body for its side effects while test is truthy. Returns nil.",
		Examples: []string{"(let [a (atom 3)] (while (pos? @a) (swap! a dec)) @a) => 0"}},
}

// level is one binding of for or doseq with the modifiers after it.
type level struct {
	pattern, coll value.Value
	mods          []modifier
}

type modifier struct {
	key       string // "let", "when" or "while"
	arg, form value.Value
}

// modifierOf reads the keyword of a modifier.
func modifierOf(x *expand.Expansion, macro string, form, key, arg value.Value) modifier {
	switch k := key.AsKeyword(); k.Name {
	case "let", "when", "while":
		return modifier{k.Name, arg, form}
	}
	x.Fail(form, "%s: Invalid '%s' keyword :%s; there are :let, :when and :while", macro, macro, key.AsKeyword().Name)
	return modifier{}
}

// has reports whether one of the modifiers has a name.
func (l *level) has(key string) bool {
	for _, m := range l.mods {
		if m.key == key {
			return true
		}
	}
	return false
}

// wrap puts modifiers around a body. skip returns the form for an element that :when refuses, and
// end the form for an end by :while.
func wrap(x *expand.Expansion, macro string, mods []modifier, body, skip, end value.Value) value.Value {
	for i := len(mods) - 1; i >= 0; i-- {
		switch m := mods[i]; m.key {
		case "let":
			body = letPatterns(x, macro, m.form, m.arg, []value.Value{body})
		case "when":
			body = x.List(m.form, symIf, m.arg, body, skip)
		case "while":
			body = x.List(m.form, symIf, m.arg, body, end)
		}
	}
	return body
}

func expandFor(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, 2, "(for [name coll …] body)")
	pairs := x.Pairs("for", form, args[0])
	var levels []level
	for i := 0; i < len(pairs); i += 2 {
		switch {
		case !pairs[i].IsKeyword():
			levels = append(levels, level{pattern: pairs[i], coll: pairs[i+1]})
		case len(levels) == 0:
			x.Fail(form, "for: got :%s, want a name and a collection first", pairs[i].AsKeyword().Name)
		default:
			last := &levels[len(levels)-1]
			last.mods = append(last.mods, modifierOf(x, "for", form, pairs[i], pairs[i+1]))
		}
	}
	if len(levels) == 0 {
		x.Fail(form, "for: got no bindings, want [name coll …]")
	}
	f := forMaker{x, form}
	inner := f.innermost(&levels[len(levels)-1], args[1], len(levels) == 1)
	for i := len(levels) - 2; i >= 0; i-- {
		inner = f.outer(&levels[i], inner, levels[i+1].coll, i == 0)
	}
	return x.List(form, inner, levels[0].coll)
}

// forMaker makes the functions of a for. The outermost level is a function of a sequence that returns a lazy sequence.
// The other levels have two more parameters: the sequence that follows their elements, and the same
// sequence again, or nil for a function that must return nil if it has no element. So their sequences need
// not be joined by concat.
type forMaker struct {
	x    *expand.Expansion
	form value.Value
}

// levelNames are the names in the function of a level: its own name and its parameters. The outermost level
// has one parameter, and its end is nil.
type levelNames struct{ name, s, after, end value.Value }

func (f forMaker) list(items ...value.Value) value.Value { return f.x.List(f.form, items...) }

func (f forMaker) names(outermost bool) levelNames {
	n := levelNames{name: f.x.Gensym("iter"), s: f.x.Gensym("s")}
	if !outermost {
		n.after, n.end = f.x.Gensym("after"), f.x.Gensym("end")
	}
	return n
}

// rest returns the form for the elements of a level from the sequence s on, and the sequence that follows them.
func (f forMaker) rest(n levelNames, s value.Value) value.Value {
	if n.end.IsNil() {
		return f.list(n.name, s)
	}
	return f.list(n.name, s, n.after, n.after)
}

// iterator makes the function of a level. It evaluates step with s bound to the sequence from the
// current element on. loops means that step may continue by recur.
func (f forMaker) iterator(n levelNames, step value.Value, loops bool) value.Value {
	x := f.x
	body := f.list(expand.SymLet, x.Vec(n.s, f.list(fnSeq, n.s)), f.list(symIf, n.s, step, n.end))
	if loops {
		body = f.list(symLoop, x.Vec(n.s, n.s), body)
	}
	params := x.Vec(n.s)
	if !n.end.IsNil() {
		params = x.Vec(n.s, n.after, n.end)
	}
	return f.list(expand.SymFn, n.name, params, f.list(symLazy, body))
}

// outer makes a level that joins the sequences of the next level for all elements.
func (f forMaker) outer(l *level, next, nextColl value.Value, outermost bool) value.Value {
	x := f.x
	n, inner := f.names(outermost), x.Gensym("inner")
	skip := f.list(symRecur, f.list(fnRest, n.s))
	first := f.list(fnSeq, f.list(next, nextColl, f.rest(n, f.list(fnRest, n.s)), value.Nil))
	step := f.list(expand.SymLet, x.Vec(inner, first), f.list(symIf, inner, inner, skip))
	step = wrap(x, "for", l.mods, step, skip, n.end)
	element := x.Vec(l.pattern, f.list(fnFirst, n.s))
	return f.iterator(n, letPatterns(x, "for", f.form, element, []value.Value{step}), true)
}

// chunkSize is the maximum number of elements of a chunk.
const chunkSize = 32

// innermost makes the last level. It computes the body for one chunk of the sequence at a time, or
// for one element of a sequence without chunks, so the body runs no further ahead than in Clojure. A
// box collects the values of a chunk. The fold returns true if :while ended it. For a single element
// it returns the resulting sequence, nil if :while ended it, and false if :when refused the element.
func (f forMaker) innermost(l *level, body value.Value, outermost bool) value.Value {
	x := f.x
	n, chunked := f.names(outermost), x.Gensym("chunked")
	box, ended, rest := x.Gensym("box"), x.Gensym("ended"), x.Gensym("rest")
	choose := func(many, one value.Value) value.Value { return f.list(symIf, chunked, many, one) }
	next := f.list(fnRest, n.s)
	bindings := x.Vec(
		chunked, f.list(fnChunked, n.s),
		box, choose(f.list(fnBox, value.Int(chunkSize)), value.Nil),
		ended, f.fold(l, choose(f.list(fnChunk, n.s), f.list(fnCell, n.s)), body, func(v value.Value) value.Value {
			return choose(f.list(expand.SymDo, f.list(fnPush, box, v), value.Nil),
				f.list(symEnd, f.list(fnCons, v, f.rest(n, next))))
		}, choose))
	none := f.list(fnEqual, f.list(fnBoxLen, box), value.Int(0))
	one, many := ended, f.list(fnChunkCons, box, f.rest(n, rest))
	if l.has("while") {
		one = f.list(symIf, ended, ended, n.end)
	}
	if l.has("when") {
		many = f.list(symIf, none, f.list(symRecur, rest), many)
		one = f.list(symIf, ended, ended, f.list(symIf, f.list(fnNil, ended), n.end, f.list(symRecur, next)))
	}
	many = f.list(expand.SymLet, x.Vec(rest, f.list(fnChunkRest, n.s)), many)
	if l.has("while") {
		last := f.list(symIf, none, n.end, f.list(fnChunkCons, box, n.after))
		many = f.list(symIf, ended, last, many)
	}
	return f.iterator(n, f.list(expand.SymLet, bindings, choose(many, one)), l.has("when"))
}

// fold evaluates the body for each element of coll that the modifiers let pass. last returns the form
// for the value of the body, choose one for a chunk and for a single element.
func (f forMaker) fold(l *level, coll, body value.Value, last func(v value.Value) value.Value,
	choose func(many, one value.Value) value.Value) value.Value {
	x := f.x
	elem, v := l.pattern, x.Gensym("v")
	body = f.list(expand.SymLet, x.Vec(v, body), last(v))
	skip := choose(value.Nil, f.list(symEnd, value.False))
	body = wrap(x, "for", l.mods, body, skip, f.list(symEnd, choose(value.True, value.Nil)))
	if isPattern(elem) {
		elem = x.Gensym("x")
		body = bindOne(x, "for", f.form, l.pattern, elem, []value.Value{body})
	}
	return f.list(symFold, x.Vec(elem, coll, x.Gensym("acc"), value.Nil), body)
}

func expandDoseq(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(doseq [name coll …] body…)")
	pairs := x.Pairs("doseq", form, args[0])
	levels := []level{{}} // modifiers before the first binding
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].IsKeyword() {
			last := &levels[len(levels)-1]
			last.mods = append(last.mods, modifierOf(x, "doseq", form, pairs[i], pairs[i+1]))
			continue
		}
		levels = append(levels, level{pattern: pairs[i], coll: pairs[i+1]})
	}
	if len(levels) == 1 {
		return wrap(x, "doseq", levels[0].mods, x.Do(form, args[1:]), value.Nil, value.Nil)
	}
	out := x.Call(form, append(args[1:len(args):len(args)], value.Nil), expand.SymDo)
	for i := len(levels) - 1; i > 0; i-- {
		l := &levels[i]
		out = wrap(x, "doseq", l.mods, out, value.Nil, x.List(form, fnReduced, value.Nil))
		elem := l.pattern
		if isPattern(elem) {
			elem = x.Gensym("x")
			out = bindOne(x, "doseq", form, l.pattern, elem, []value.Value{out})
		}
		out = x.List(form, symFold, x.Vec(elem, l.coll, x.Gensym("acc"), value.Nil), out)
	}
	return wrap(x, "doseq", levels[0].mods, out, value.Nil, value.Nil)
}

func expandDotimes(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(dotimes [name n] body…)")
	i, n := onePair(x, "dotimes", form, args[0])
	x.PlainName("dotimes", form, i)
	limit := n
	var bindings []value.Value
	if !n.IsInt() {
		limit = x.Gensym("n")
		bindings = []value.Value{limit, x.List(form, fnLong, n)}
	}
	again := x.List(form, symRecur, x.List(form, fnInc, i))
	turn := x.Call(form, append(args[1:len(args):len(args)], again), expand.SymDo)
	body := x.List(form, symIf, x.List(form, fnLess, i, limit), turn, value.Nil)
	return x.Let(form, bindings, []value.Value{x.List(form, symLoop, x.Vec(i, value.Int(0)), body)})
}

func expandWhile(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(while test body…)")
	turn := x.Call(form, append(args[1:len(args):len(args)], x.List(form, symRecur)), expand.SymDo)
	return x.List(form, symLoop, x.Vec(), x.List(form, symIf, args[0], turn, value.Nil))
}
