// This file defines the late table: entries that few programs use, which are loaded with the first look-up of a name
// that the table does not have.

package builtins

import (
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/builtins/internal/macros"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// late has the classes of Java with objects of their own, and namespaces of Clojure that few programs require.
var late = sync.OnceValue(func() *table {
	writers := append(writerMethods(), valueMethods()...)
	all := slices.Concat(java.Entries(), preludeEntries("late"))
	for i, area := range all {
		all[i] = slices.DeleteFunc(area, func(e entry.Entry) bool {
			return loaded.Load().row(e.NS, e.Name) != nil || e.NS == "." && slices.ContainsFunc(writers,
				func(w entry.Entry) bool {
					return w.Name == e.Name
				})
		})
	}
	return newTable(append(all, writers, valueStatics(), macros.SpecEntries(), specNatives,
		macros.PprintEntries(), macros.TapEntries(), dispatchNatives()))
})

// writerMethods are the methods of writers that programs seldom use.
func writerMethods() []entry.Entry {
	write := func(t *value.Task, w value.Value, parts ...value.Value) {
		writeText(t, w, strs.Str(t, parts))
	}
	shown := func(t *value.Task, a []value.Value) value.Value {
		switch {
		case len(a) == 1:
			return strs.EmptyString
		case a[1].IsNil():
			return strs.NullString
		case a[1].Kind() == value.KindArray:
			return strs.NewString(t, a[1])
		}
		return t.Str(a[1])
	}
	return []entry.Entry{
		entry.Method("print", "x", onWriter, entry.Walks, "Writes a value to a writer, as str does.",
			`(with-out-str (.print *out* 1)) => "1"`, func(t *value.Task, a []value.Value) value.Value {
				write(t, a[0], shown(t, a))
				return value.Nil
			}),
		entry.Method("println", "| x", onWriter, entry.Walks, "Writes a value to a writer, as str does, and a newline.",
			`(with-out-str (.println *out* 1)) => "1\n"`, func(t *value.Task, a []value.Value) value.Value {
				write(t, a[0], shown(t, a), newline)
				return value.Nil
			}),
		entry.Method("newLine", "", onWriter, entry.Constant, "Writes a newline.", `(with-out-str (.newLine *out*)) => "\n"`,
			func(t *value.Task, a []value.Value) value.Value {
				writeText(t, a[0], newline)
				return value.Nil
			}),
	}
}

// isLate reports whether the late table may have names of a namespace: methods, constructors, classes and namespaces
// of Clojure, but not clojure.core. A program's own namespaces do not load it.
func isLate(ns string) bool {
	return ns == "." || ns == "new" || ns != "" && ns[0] >= 'A' && ns[0] <= 'Z' ||
		strings.HasPrefix(ns, "clojure.") && ns != entry.CoreNS
}
