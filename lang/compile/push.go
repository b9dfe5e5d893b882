// This file defines push-thread-bindings with pop-thread-bindings.

package compile

import "github.com/ptc-lang/ptc/lang/value"

// pushedBindings rewrites the forms (push-thread-bindings m) (try body… (finally (pop-thread-bindings))) to
// (with-bindings* m (fn [] (try body…))), so that the bindings end with the try. Nothing else can push bindings.
func (f *fn) pushedBindings(forms []value.Value) []value.Value {
	for i := 0; i+1 < len(forms); i++ {
		pushed, ok := f.callOf(forms[i], "push-thread-bindings", 1)
		if !ok {
			continue
		}
		head, clauses, ok := call(forms[i+1])
		if !ok || len(clauses) == 0 || !head.IsSymbol() || head.AsSymbol().Name != "try" {
			continue
		}
		last := len(clauses) - 1
		final, popped, ok := call(clauses[last])
		if !ok || len(popped) != 1 || !final.IsSymbol() || final.AsSymbol().Name != "finally" {
			continue
		}
		if _, ok := f.callOf(popped[0], "pop-thread-bindings", 0); !ok {
			continue
		}
		c := f.c
		try := c.t.List(append([]value.Value{head}, clauses[:last]...)...)
		c.inherit(forms[i+1], try)
		body := c.thunk(forms[i+1], []value.Value{try})
		with := c.callForm(forms[i], CoreNS, "with-bindings*", []value.Value{pushed[0], body})
		out := append(append([]value.Value(nil), forms[:i]...), with)
		return f.pushedBindings(append(out, forms[i+2:]...))
	}
	return forms
}

// callOf returns the arguments of a call of a name of clojure.core that PTC does not have otherwise.
func (f *fn) callOf(form value.Value, name string, n int) (args []value.Value, ok bool) {
	head, args, ok := call(form)
	if !ok || len(args) != n || !head.IsSymbol() || f.isLocal(head) {
		return nil, false
	}
	s := head.AsSymbol()
	return args, s.Name == name && (s.NS == "" || s.NS == CoreNS) && f.c.lookup(s).kind == refNone
}
