// This file defines the macros on arrays.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var arrayMacros = []entry.Entry{
	{NS: "clojure.core", Name: "amap", Args: "a idx ret expr", Cost: entry.Syntax, Loop: entry.LoopElements,
		Macro:    expandAmap,
		Doc:      "Returns a copy of array a, named ret, with each element at idx set to the value of expr.",
		Examples: []string{"(vec (amap (int-array [1 2 3]) i ret (* 2 (aget ret i)))) => [2 4 6]"}},
	{NS: "clojure.core", Name: "areduce", Args: "a idx ret init expr", Cost: entry.Syntax, Loop: entry.LoopElements,
		Macro:    expandAreduce,
		Doc:      "Reduces array a: ret is init at first, then the value of expr for each index idx. Returns the last value.",
		Examples: []string{"(let [a (int-array [1 2 3])] (areduce a i sum 0 (+ sum (aget a i)))) => 6"}},
}

// arrayLoop makes a loop over the indices of array a below its length; turn returns its body for
// the test that the index is in range.
func arrayLoop(x *expand.Expansion, form, a, idx value.Value, bindings, vars []value.Value,
	turn func(inside value.Value) value.Value) value.Value {
	arr, n := x.Gensym("a"), x.Gensym("n")
	head := append([]value.Value{arr, a, n, x.List(form, expand.CoreSym("alength"), arr)}, bindings...)
	for i, b := range head {
		if expand.IsNamed(b, "%array") {
			head[i] = x.List(form, expand.CoreSym("aclone"), arr)
		}
	}
	loop := x.List(form, symLoop, x.Vec(append([]value.Value{idx, value.Int(0)}, vars...)...),
		turn(x.List(form, fnLess, idx, n)))
	return x.Let(form, head, []value.Value{loop})
}

func expandAmap(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 4, 4, "(amap array idx ret expr)")
	idx, ret := args[1], args[2]
	return arrayLoop(x, form, args[0], idx, []value.Value{ret, x.T.Symbol("", "%array")}, nil,
		func(inside value.Value) value.Value {
			set := x.List(form, expand.CoreSym("aset"), ret, idx, args[3])
			return x.List(form, symIf, inside, x.List(form, expand.SymDo, set, x.List(form, symRecur, x.List(form, fnInc, idx))),
				ret)
		})
}

func expandAreduce(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 5, 5, "(areduce array idx ret init expr)")
	idx, ret := args[1], args[2]
	return arrayLoop(x, form, args[0], idx, nil, []value.Value{ret, args[3]}, func(inside value.Value) value.Value {
		return x.List(form, symIf, inside, x.List(form, symRecur, x.List(form, fnInc, idx), args[4]), ret)
	})
}
