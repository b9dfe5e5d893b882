// This file defines reaches: whether a function may have effects.

package eval

import (
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/value"
)

// maxReach is the most values that reaches looks at, which takes about a millisecond, and maxDepth that of those around
// one of them.
const maxReach, maxDepth = 100_000, 100

// reaches reports whether a call of one of the functions in vals may have an effect, or wait: because of its callees,
// its captured values, or the present values of the globals that it reads. It is true if that is unknown, as for a
// function in an atom. For equal values it returns the same on all machines.
func (m *Evaluation) reaches(vals ...value.Value) bool {
	r := reach{m: m, left: maxReach, seen: make(map[*compile.Fn]bool)}
	for _, v := range vals {
		if r.value(v) {
			return true
		}
	}
	return false
}

// reach is a search for effects.
type reach struct {
	m           *Evaluation
	left, depth int // values to look at, and those around
	seen        map[*compile.Fn]bool
}

// value examines a value and its contents.
func (r *reach) value(v value.Value) bool {
	if r.left--; r.left < 0 || r.depth == maxDepth {
		return true
	}
	r.depth++
	defer func() { r.depth-- }()
	switch v.Kind() {
	case value.KindNil, value.KindBool, value.KindInt, value.KindFloat, value.KindChar, value.KindBigInt, value.KindRatio,
		value.KindDecimal, value.KindString, value.KindKeyword, value.KindSymbol, value.KindRange, value.KindStrSeq,
		value.KindRegex, value.KindUUID, value.KindInst, value.KindType, value.KindNamespace,
		value.KindChunk: // a constant has the keywords of a map there
		return false
	case value.KindNode:
		return !value.Identical(v, value.Unbound)
	case value.KindFn:
		f := v.AsFn()
		return r.values(f.Up) || r.code(compile.FnOf(f))
	case value.KindNative:
		return compile.Reaches(v.AsNative())
	case value.KindArrayMap, value.KindHashMap, value.KindHashSet:
		for it := value.NewMapIter(v); it.Next(); {
			if r.value(it.Key) || r.value(it.Val) {
				return true
			}
		}
		return false
	case value.KindVector:
		for i := range value.VecCount(v) {
			if r.value(value.VecNth(v.AsVector(), i)) {
				return true
			}
		}
		return false
	case value.KindMapEntry:
		e := v.AsEntry()
		return r.value(e.Key) || r.value(e.Val)
	case value.KindList, value.KindCons, value.KindChunkedCons:
		return r.sequence(v)
	}
	return true
}

// sequence looks at a sequence that is realised; any other one is unknown.
func (r *reach) sequence(v value.Value) bool {
	for {
		switch v.Kind() {
		case value.KindNil:
			return false
		case value.KindList, value.KindCons:
			c := v.AsCons()
			if v.Kind() == value.KindList && c.Count == 0 {
				return false
			}
			if r.value(c.First) {
				return true
			}
			v = value.Of(c.Rest)
		case value.KindChunkedCons:
			c := v.AsChunkedCons()
			if r.values(c.Chunk.Vals[c.Off:c.End]) {
				return true
			}
			v = value.Of(c.Rest)
		default:
			return true
		}
	}
}

func (r *reach) values(all []value.Value) bool {
	for _, v := range all {
		if r.value(v) {
			return true
		}
	}
	return false
}

// code examines the code of a function. The functions that it makes capture its own values.
func (r *reach) code(f *compile.Fn) bool {
	if r.seen[f] {
		return false
	}
	r.seen[f] = true
	for _, p := range append(f.ByArity[:len(f.ByArity):len(f.ByArity)], f.Variadic) {
		if p != nil && r.proto(p) {
			return true
		}
	}
	return false
}

func (r *reach) proto(p *compile.Proto) bool {
	if p.Reaches || r.values(p.Consts) {
		return true
	}
	for _, f := range p.Fns {
		if r.code(f) {
			return true
		}
	}
	return p.Reads(func(global int) bool { return r.value(r.m.Global(global)) })
}
