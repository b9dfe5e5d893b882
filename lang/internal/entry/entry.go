// Package entry defines Entry, the one declaration of a name of the language: its function, macro, special form or
// source, its parameters, documentation and examples, and all facts that the compiler, the linter, the formatter and
// the session go by. Package builtins has the table of all entries.
//
// The package also has the common parts of the functions of entries: checks of arguments, makers of methods
// of Java's objects, and calls with more arguments than one block holds.
package entry

import (
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

// Cost describes how the work and the memory of a builtin grow, and a test checks it. The zero Cost
// is refused.
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
	Syntax                     // a macro or special form: costs as much as its expansion
)

// Purity is the class of a call by its effects, beside returning a value. It decides which calls may be
// moved, repeated or omitted: the compiler when it fuses pipelines, and the linter when it warns of values
// that are not used.
//
// It does not count the program's own code: the rest of a lazy sequence that a builtin realises, a
// method of an object, and a function argument, for which see Calls.
type Purity uint8

const (
	// Impure calls may do anything. A call of unknown purity is impure.
	Impure Purity = iota
	// Changes: the call changes the atom, ref or volatile that is its first argument.
	Changes
	// Realises: as Reads, and the call realises its arguments that are lazy sequences.
	Realises
	// Reads: the call changes nothing, and its value depends on its arguments, on the current contents of
	// mutable arguments (an array, a transient, an atom), and on dynamic vars. It may fail. It realises only
	// arguments that it needs as a key or as a string.
	Reads
	// Pure: as Reads, and the value depends on the arguments alone, not on mutable contents.
	Pure
	// Total: the call is pure and never fails. The time and the number of such calls are unobservable.
	Total
)

var purityWords = []string{Changes: "changes", Realises: "realises", Reads: "reads", Pure: "pure", Total: "total"}

// Entry is one name of the language with all facts about it. No other package has a list of names.
type Entry struct {
	NS   string // "clojure.core", "clojure.string", …
	Name string
	// Args lists the parameters, one arity after the other, separated by "|": "coll:seqable n:int |
	// coll:seqable n:int not-found". A name alone takes any value. The kinds that it takes follow a
	// colon, see kindNames. "& xs:num" takes any number of further arguments.
	Args string
	Doc  string
	// Examples are "expression => value" or "expression !code" for a failure.
	Examples []string

	Fn value.NativeFunc
	// Many is for a call by apply with more arguments than one block holds, which fails without it.
	Many   ManyFunc
	Macro  MacroFunc
	Source string // a prelude form; see prelude.go
	// AsFn is the name of the private function, in the same namespace, that is the value of a
	// macro; "" if there is none.
	AsFn string
	// BindsAs is the name of the private dynamic var, in the same namespace, that binding binds in
	// the place of a function; "" if there is none.
	BindsAs string
	// Unchecked has the names of the functions to which calls with one and with two arguments
	// compile while *unchecked-math* is true: "of-one|of-two". "" if there are none.
	Unchecked string
	Root      value.Value // if Var is set

	Facts   Facts
	Cost    Cost
	Purity  Purity // of a special form: it only evaluates its parts
	Calls   Calls  // its When counts if Purity is not Impure
	Makes   Makes
	Special Special
	// Bare marks a special form of Clojure: special-symbol? holds for it, and syntax-quote adds no
	// namespace.
	Bare      bool
	Intrinsic Intrinsic
	Fusion    Fusion
	Doubles   Doubles
	Setting   Setting
	Loop      Loop
	Endless   Endless
	Indent    Indent
	// Clock means that the builtin, called without arguments, reads the time of day, which needs
	// the grant of ClockTool.
	Clock bool
	// ReadsInput means that the builtin reads the standard input of the run, or is it.
	ReadsInput bool
	// Tool is the tool that a call may call, if it is granted; "" if there is none.
	Tool  string
	Asks  bool // the builtin asks a person: a call is an effect of the run
	Waits bool // a call may wait for something outside of the program: a guard, or a time
	// Method means that a record or object, as the first argument, may define a method of this name, which is called
	// instead with the same arguments.
	Method  bool
	Interns bool // a call makes a name of the program
	Private bool // for the prelude and expansions only
	// Var makes the entry a dynamic var of the library. Without a binding its value is the constant
	// Root.
	Var bool
	// Settable means that set! changes such a var without a binding too, as in a script of Clojure.
	Settable bool

	// The fields below are computed by prepare.
	native value.Value
	sigs   []Signature
	exact  [4]value.NativeFunc // by number of arguments; nil: not taken
}

// MacroFunc expands a macro call; form is the whole call.
type MacroFunc func(x *expand.Expansion, form value.Value) value.Value

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

// Arity returns the least and the greatest number of arguments, -1 for no upper bound.
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
