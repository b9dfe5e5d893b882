// This file defines default-data-readers, the functions of the tags #inst and #uuid.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// defaultReaders returns the entry of the map. Reading itself does not use it.
func defaultReaders() entry.Entry {
	return entry.Entry{NS: "clojure.core", Name: "default-data-readers", Cost: entry.Constant, Var: true,
		Doc:      "The functions of the tags inst and uuid, which read-string has without them.",
		Examples: []string{`((get default-data-readers 'inst) "2024") => #inst "2024-01-01T00:00:00.000-00:00"`},
		Root: value.ConstMap(
			value.ConstSymbol("", "uuid"), tagReader("uuid", (*value.Task).UUIDFrom),
			value.ConstSymbol("", "inst"), tagReader("inst", (*value.Task).InstFrom))}
}

// tagReader returns the function of a tag, which parses a string.
func tagReader(tag string, parse func(*value.Task, string) (value.Value, error)) value.Value {
	return value.ConstNative(value.Native{Name: "#" + tag, Min: 1, Max: 1,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			if !a[0].IsString() {
				t.Fail(diag.IllegalArgument, "#%s takes a string, got %s", tag, value.Describe(t, a[0]))
			}
			v, err := parse(t, a[0].AsString().S)
			if err != nil {
				t.Fail(diag.IllegalArgument, "#%s: %v", tag, err)
			}
			return v
		}})
}
