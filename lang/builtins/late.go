// This file defines the late table: entries that few programs use, which are loaded with the first look-up of a name
// that the table does not have.

package builtins

import (
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// late has the classes of Java with objects of their own, and namespaces of Clojure that few programs require.
var late = sync.OnceValue(func() *table {
	all := slices.Concat(java.Entries(), preludeEntries("late"))
	for i, area := range all {
		all[i] = slices.DeleteFunc(area, func(e entry.Entry) bool { return loaded.Load().row(e.NS, e.Name) != nil })
	}
	return newTable(all)
})

// isLate reports whether the late table may have names of a namespace: methods, constructors, classes and namespaces
// of Clojure, but not clojure.core. A program's own namespaces do not load it.
func isLate(ns string) bool {
	return ns == "." || ns == "new" || ns != "" && ns[0] >= 'A' && ns[0] <= 'Z' ||
		strings.HasPrefix(ns, "clojure.") && ns != entry.CoreNS
}
