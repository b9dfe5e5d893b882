// Package builtins has the table of the names that a program can use: one Entry each. An entry is a function written
// in Go (Fn), a macro written in Go (Macro), a special form of the compiler (Special), or a function written in the
// language itself (Source, from the prelude). Documentation, examples, checks of arity and types, completion, the
// function reference and the model's card all come from the entries, and so do the facts that the compiler, the linter
// and the formatter go by. Package lang/internal/entry defines Entry and the facts.
//
// The packages below internal have the entries of one subject each, with the methods and static methods that Java's
// classes have for it: macros, strs, numbers and colls. The other entries are in this package, one file for each area.
// The methods of all objects and the constructors of Java are among them, because they need functions of most subjects.
//
// A function in Go never calls a function of the program. Functions that take a function are in the
// prelude.
package builtins

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ptc-lang/ptc/lang/builtins/internal/colls"
	"github.com/ptc-lang/ptc/lang/builtins/internal/macros"
	"github.com/ptc-lang/ptc/lang/builtins/internal/numbers"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// Entry is one name of the language, with all that is known of it.
type Entry = entry.Entry

// areas returns the entries of every area, in the order of the files.
func areas() [][]entry.Entry {
	return slices.Concat(
		[][]entry.Entry{specials, syntaxForms()},
		macros.Entries(),
		numbers.Entries(),
		preds(),
		colls.Entries(),
		strs.Entries(),
		[][]entry.Entry{cells, refs},
		output(),
		[][]entry.Entry{exceptions},
		javaEntries(),
		[][]entry.Entry{jsonFunctions},
		docs(),
		[][]entry.Entry{nameEntries},
		[][]entry.Entry{waiting, parallel, futures, agents, threads(), tools, questions, guards},
		[][]entry.Entry{internals, beans()},
		typeNatives(),
	)
}

// table holds all entries. A program uses few of them, so an entry is prepared on its first
// look-up.
type table struct {
	core   map[string]*row // of clojure.core: most look-ups are of these
	others map[tableName]*row
	order  []row
}

type tableName struct{ ns, name string }

type row struct {
	entry *entry.Entry
	once  sync.Once
}

func (r *row) prepared() *entry.Entry {
	r.once.Do(r.entry.Prepare)
	return r.entry
}

// loaded is the table for the builtins that print from it, which load itself
// refers to.
var loaded atomic.Pointer[table]

var load = sync.OnceValue(func() *table {
	t := newTable(slices.Concat(areas(), preludeEntries("prelude")))
	loaded.Store(t)
	return t
})

// newTable returns the table of some entries.
func newTable(all [][]entry.Entry) *table {
	n, core := 0, 0
	for _, area := range all {
		n += len(area)
		for i := range area {
			if area[i].NS == entry.CoreNS {
				core++
			}
		}
	}
	t := &table{core: make(map[string]*row, core), others: make(map[tableName]*row, n-core), order: make([]row, n)}
	n = 0
	for _, area := range all {
		for i := range area {
			t.add(&t.order[n], &area[i])
			n++
		}
	}
	if len(t.core)+len(t.others) < n {
		t.failTwice()
	}
	return t
}

func (t *table) add(r *row, e *entry.Entry) {
	r.entry = e
	if e.NS == entry.CoreNS {
		t.core[e.Name] = r
	} else {
		t.others[tableName{e.NS, e.Name}] = r
	}
}

// failTwice names the first entry that another one has replaced.
func (t *table) failTwice() {
	for i := range t.order {
		if e := t.order[i].entry; t.row(e.NS, e.Name) != &t.order[i] {
			panic("builtins: two entries for " + e.Qualified())
		}
	}
}

// lookup returns the entry of a name, nil if there is none.
func (t *table) lookup(ns, name string) *entry.Entry {
	if r := t.row(ns, name); r != nil {
		return r.prepared()
	}
	if isLate(ns) {
		if r := late().row(ns, name); r != nil {
			return r.prepared()
		}
	}
	return nil
}

func (t *table) row(ns, name string) *row {
	if ns == entry.CoreNS {
		return t.core[name]
	}
	return t.others[tableName{ns, name}]
}

// all returns all entries, with those of the late table.
func (t *table) all() iter.Seq[*entry.Entry] {
	return func(yield func(*entry.Entry) bool) {
		for _, part := range []*table{t, late()} {
			for i := range part.order {
				if !yield(part.order[i].prepared()) {
					return
				}
			}
		}
	}
}

// Lookup returns the entry of a name, nil if there is none.
func Lookup(ns, name string) *entry.Entry { return load().lookup(ns, name) }

// All returns all entries, including those for the library itself.
func All() iter.Seq[*entry.Entry] { return load().all() }

// Entries returns all entries that programs may use.
func Entries() iter.Seq[*entry.Entry] {
	return func(yield func(*entry.Entry) bool) {
		for e := range load().all() {
			if !e.Private && !yield(e) {
				return
			}
		}
	}
}

// Core returns the entry of a name of clojure.core, nil if there is none.
func Core(name string) *entry.Entry { return Lookup(entry.CoreNS, name) }

// Named returns the entry of a name whose namespace is not known: the one in clojure.core, or else the one
// in clojure.test; nil if there is none. These namespaces have all macros that are used without a prefix or
// have a special layout.
func Named(name string) *entry.Entry {
	if e := Core(name); e != nil {
		return e
	}
	return Lookup("clojure.test", name)
}
