// This file defines the natives of bean, which the prelude defines.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// beans returns the entries. They are made with the table, and not before every program.
func beans() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "%getters", Args: "x", Private: true, Cost: entry.Constant, Fn: getters,
			Doc: "Returns a map of the properties of a value to the names of their methods."},
		{NS: "clojure.core", Name: "%property", Args: "x method:string", Private: true, Cost: entry.Walks, Fn: readProperty,
			Doc: "Returns the result of a method of x that gets a property."},
	}
}

func getters(t *value.Task, a []value.Value) value.Value {
	if a[0].IsNil() {
		t.Fail(diag.NilValue, "bean: got nil, want an object")
	}
	m := value.EmptyMap
	list := propertiesOf(value.ClassName(a[0]))
	if a[0].Kind() == value.KindRecord {
		list = propertiesOf("java.util.Map")
	}
	for _, p := range list {
		m = t.MapAssoc(m, t.Keyword("", p.Name), t.CopyString(p.Method))
	}
	return m
}

func readProperty(t *value.Task, a []value.Value) value.Value {
	name := a[1].AsString().S
	method := loaded.Load().lookup(".", name)
	if method == nil {
		entry.NoMethod(t, name, a[0], 0)
	}
	return method.Fn(t, a[:1])
}
