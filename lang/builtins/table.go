// Package builtins defines the names a program can use: one Entry each, in the
// file of its area. An entry is a function written in Go (Fn), a macro written in
// Go (Macro), a special form of the compiler (Special), or a function written in
// the language itself (Source, from the prelude). Documentation, examples, arity
// and type checks, completion, the function reference and the model's card all
// come from the entries, and so do the facts that the compiler, the linter and the
// formatter go by: see facts.go.
//
// The first word of a file's name is its area: macros_ for the macros written in Go, interop_ for the methods,
// static methods and classes of Java, strs_, colls_, seqs_, numbers_, json_, signature_. The macros and the table
// depend on each other, so that the areas are files, not packages.
//
// A function in Go never calls a function of the program. Whatever takes a
// function is in the prelude.
package builtins

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ptc-lang/ptc/lang/value"
)

// Cost tells how the work and the memory of a builtin grow, so that a test can
// hold it to that. The zero Cost is refused.
type Cost uint8

// The costs.
const (
	Constant   Cost = iota + 1 // independent of the arguments
	PerArg                     // grows with the number of arguments
	PerElement                 // grows with the elements of an argument
	PerByte                    // grows with the length of a string
	Walks                      // grows with the whole size of nested data
	Sorts                      // n log n comparisons
	Runs                       // runs code of the program
	Syntax                     // a macro or special form: costs what it expands to
)

// Purity is the class of a call by its effects, beside returning a value. It decides which calls may be
// moved, repeated or omitted: the compiler when it fuses pipelines, and the linter when it warns of values
// that are not used.
//
// The program's own code is not counted: the rest of a lazy sequence that a builtin
// realises, a method of an object, and a function that it is given, for which see Calls.
type Purity uint8

const (
	// Impure calls may do anything. A call that is not known to be better is one.
	Impure Purity = iota
	// Changes: the call changes the atom, ref or volatile that is its first argument.
	Changes
	// Realises: as Reads, and the call realises the lazy sequences that it is given.
	Realises
	// Reads: the call changes nothing, and its value depends on its arguments and on what
	// those, and dynamic vars, hold at that time: an array, a transient, an atom. It may
	// fail. It realises nothing but what it needs as a key or as a text.
	Reads
	// Pure: as Reads, and the value depends on the arguments alone, not on what those hold
	// that can change.
	Pure
	// Total: the call is pure and never fails. The time and the number of such calls are unobservable.
	Total
)

var purityWords = []string{Changes: "changes", Realises: "realises", Reads: "reads", Pure: "pure", Total: "total"}

// Entry is one name of the language, with all that is known of it: no other package has a
// list of names.
type Entry struct {
	NS   string // "clojure.core", "clojure.string", …
	Name string
	// Args lists the parameters, one arity after the other, separated by "|":
	// "coll:seqable n:int | coll:seqable n:int not-found". A name alone takes any
	// value; after a colon stand the kinds it takes, see kindNames. "& xs:num"
	// takes any number of further arguments.
	Args string
	Doc  string
	// Examples are "expression => value" or "expression !code" for a failure.
	Examples []string

	Fn value.NativeFunc
	// Many is for a call by apply with more arguments than one block holds; without it
	// that fails.
	Many   ManyFunc
	Macro  MacroFunc
	Source string // a prelude form; see prelude.go
	// AsFn names the private function, of the same namespace, that stands for a macro where it is used as a
	// value; "" if none does.
	AsFn string
	// Unchecked names the functions that calls with one argument and with two are compiled to while
	// *unchecked-math* is true: "of-one|of-two". "" if there are none.
	Unchecked string
	Root      value.Value // if Var is set

	Facts   Facts
	Cost    Cost
	Purity  Purity // of a special form: it does nothing but to evaluate its parts
	Calls   Calls  // its When counts if Purity is not Impure
	Makes   Makes
	Special Special
	// Bare says that a special form is one of Clojure: special-symbol? holds for it, and syntax-quote
	// leaves it without a namespace.
	Bare      bool
	Intrinsic Intrinsic
	Fusion    Fusion
	Doubles   Doubles
	Setting   Setting
	Loop      Loop
	Endless   Endless
	Indent    Indent
	// Clock says that the builtin, called without arguments, reads the time of day, which
	// needs the grant of ClockTool.
	Clock   bool
	Private bool // for the prelude and expansions only
	// Var makes the entry a dynamic var of the library: a constant, Root, outside
	// of binding.
	Var bool
	// Settable says that set! changes such a var outside of binding too, as in a script of Clojure.
	Settable bool

	// The fields below are computed by prepare.
	native value.Value
	sigs   []Signature
	exact  [4]value.NativeFunc // by number of arguments; nil: not taken
}

// MacroFunc expands a macro call; form is the whole call.
type MacroFunc func(x *Expansion, form value.Value) value.Value

// Expansion is what a macro sees of the compilation.
type Expansion struct {
	T  *value.Task
	NS string // the current namespace
	// Gensym makes a symbol that no program can write.
	Gensym func(prefix string) value.Value
	// Fail reports a malformed form at a place and unwinds.
	Fail func(at value.Value, format string, args ...any)
	// IsLocal reports whether a symbol names a local binding at the macro's place.
	IsLocal func(sym value.Value) bool
	// Resolve returns the namespace-qualified symbol that sym means here.
	Resolve func(sym value.Value) value.Value
	// IsMacro reports whether a symbol that is no local names a macro or special form.
	IsMacro func(sym value.Value) bool
	// NoAssert says that assertions are omitted.
	NoAssert bool
	// Place returns where a form stands: "file:line".
	Place func(at value.Value) string
}

// Signature is one arity of an entry.
type Signature struct {
	Names []string // of the parameters; the last is the rest parameter if Rest
	Kinds []value.KindSet
	Rest  bool
}

// Native returns the builtin as a value; only for entries with Fn.
func (e *Entry) Native() value.Value { return e.native }

// Signatures returns the arities.
func (e *Entry) Signatures() []Signature { return e.sigs }

// Arity returns the least and the most arguments, -1 for no upper bound.
func (e *Entry) Arity() (least, most int) {
	least = 1 << 30
	for _, s := range e.sigs {
		n := len(s.Names)
		if s.Rest {
			n--
			most = -1
		} else if most >= 0 {
			most = max(most, n)
		}
		least = min(least, n)
	}
	return least, most
}

// Takes reports whether the entry can be called with n arguments.
func (e *Entry) Takes(n int) bool {
	for _, s := range e.sigs {
		if n == len(s.Names) || s.Rest && n >= len(s.Names)-1 {
			return true
		}
	}
	return false
}

// Qualified returns "ns/name".
func (e *Entry) Qualified() string { return e.NS + "/" + e.Name }

// areas returns the entries of every area, in the order of the files.
func areas() [][]Entry {
	return slices.Concat(
		[][]Entry{specials, syntaxForms()},
		macros(),
		numbers(),
		preds(),
		colls(),
		strs(),
		[][]Entry{cells, refs},
		output(),
		[][]Entry{exceptions},
		interop(),
		[][]Entry{jsonFunctions},
		docs(),
		[][]Entry{nameEntries},
		[][]Entry{waiting, parallel, tools, guards},
		[][]Entry{internals},
		typeNatives(),
	)
}

// table holds all entries. A program uses few of them, so an entry is prepared
// when it is first asked for.
type table struct {
	core   map[string]*row // of clojure.core: most look-ups are of these
	others map[tableName]*row
	order  []row
}

type tableName struct{ ns, name string }

type row struct {
	entry *Entry
	once  sync.Once
}

func (r *row) prepared() *Entry {
	r.once.Do(r.entry.prepare)
	return r.entry
}

// loaded is the table for the builtins that print from it, which load itself
// refers to.
var loaded atomic.Pointer[table]

var load = sync.OnceValue(func() *table {
	all := slices.Concat(areas(), preludeEntries())
	n, core := 0, 0
	for _, area := range all {
		n += len(area)
		for i := range area {
			if area[i].NS == coreNS {
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
	loaded.Store(t)
	return t
})

func (t *table) add(r *row, e *Entry) {
	r.entry = e
	if e.NS == coreNS {
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
func (t *table) lookup(ns, name string) *Entry {
	if r := t.row(ns, name); r != nil {
		return r.prepared()
	}
	return nil
}

func (t *table) row(ns, name string) *row {
	if ns == coreNS {
		return t.core[name]
	}
	return t.others[tableName{ns, name}]
}

// all returns all entries.
func (t *table) all() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := range t.order {
			if !yield(t.order[i].prepared()) {
				return
			}
		}
	}
}

// Lookup returns the entry of a name, nil if there is none.
func Lookup(ns, name string) *Entry { return load().lookup(ns, name) }

// All returns all entries, those for the library itself included.
func All() iter.Seq[*Entry] { return load().all() }

// Entries returns all entries that programs may use.
func Entries() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for e := range load().all() {
			if !e.Private && !yield(e) {
				return
			}
		}
	}
}
