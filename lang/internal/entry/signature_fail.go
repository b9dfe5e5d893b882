// This file defines the errors of calls that do not match the parameters of an entry.

package entry

import (
	"fmt"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

func (e *Entry) failArity(t *value.Task, n int) {
	t.FailHint(diag.BadArity, e.ArityHint(), "Wrong number of args (%d) passed to: %s/%s", n, e.NS, e.Name)
}

// shownCalls is the maximum number of call forms that a hint shows.
const shownCalls = 4

// ArityHint returns the hint with the arguments that the entry takes.
func (e *Entry) ArityHint() string {
	hint := e.Name + " takes " + e.Arities()
	for i := range e.sigs {
		sep := ", "
		switch i {
		case 0:
			sep = ": "
		case shownCalls:
			return hint + " …"
		}
		hint += sep + e.sigs[i].call(e.Name)
	}
	return hint
}

// call writes a call with the parameters of an arity.
func (s *Signature) call(name string) string {
	words := append([]string{"(" + name}, s.Names...)
	if s.Rest {
		words = append(words[:len(words)-1], "&", words[len(words)-1])
	}
	return strings.Join(words, " ") + ")"
}

// Arities describes the numbers of arguments that the entry takes.
func (e *Entry) Arities() string {
	var exact []int
	rest := -1
	for _, s := range e.sigs {
		if s.Rest {
			rest = len(s.Names) - 1
		} else {
			exact = append(exact, len(s.Names))
		}
	}
	return Arities(exact, rest)
}

// Arities describes numbers of arguments: those in ascending order, and rest or more unless rest is
// negative.
func Arities(exact []int, rest int) string {
	for len(exact) > 0 && rest >= 0 && exact[len(exact)-1] >= rest-1 {
		rest = min(rest, exact[len(exact)-1])
		exact = exact[:len(exact)-1]
	}
	var parts []string
	for _, n := range exact {
		parts = append(parts, fmt.Sprint(n))
	}
	if rest >= 0 {
		parts = append(parts, fmt.Sprintf("%d or more", rest))
	}
	if len(parts) == 0 {
		return "0"
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " or " + parts[last]
}

// failKind fails for an argument of the wrong kind, with the code of the class that Clojure throws:
// illegal-argument for a sequence function, nil-value for arithmetic on nil, and wrong-type for
// most others.
func (e *Entry) failKind(t *value.Task, s *Signature, i int, got value.Value) {
	i = min(i, len(s.Kinds)-1)
	want := s.Kinds[i]
	code, hint := diag.WrongType, ""
	switch {
	case want == value.Seqables:
		t.FailSeq(got)
	case got.IsNil():
		code = diag.NilValue
	}
	switch {
	case want == value.Numbers:
		hint = value.NumberHint(got)
	case want == value.Kinds(value.KindRegex) && got.IsString():
		hint = "a regex is written with # before the string: #\"…\""
	case want.Has(value.KindString) && got.Is(value.Numbers|value.Kinds(value.KindChar, value.KindKeyword,
		value.KindSymbol)):
		hint = "(str x) gives the text of any value"
	}
	t.FailHint(code, hint, "%s: got %s for %s, want %s", e.Name, value.Describe(t, got), s.Names[i], wantName(want))
}

// wantName returns the words for a set of kinds that parameters name.
func wantName(k value.KindSet) string {
	orNil := ""
	if name, ok := kindName(k); ok {
		if strings.HasSuffix(name, "?") {
			name, orNil = strings.TrimSuffix(name, "?"), " or nil"
		}
		return kindWords(name) + orNil
	}
	return "another kind"
}

// kindName returns the first name by which parameters name a set of kinds.
func kindName(k value.KindSet) (best string, ok bool) {
	for name, set := range kindNames() {
		if set == k && (!ok || name < best) {
			best, ok = name, true
		}
	}
	return best, ok
}

func kindWords(name string) string {
	switch name {
	case "num":
		return "a number"
	case "chars":
		return "a string"
	case "int", "integer":
		return "an integer"
	case "char":
		return "a character"
	case "coll", "seqable":
		return "a collection"
	case "cell":
		return "an atom, a ref or a var"
	case "atom", "exception":
		return "an " + name
	case "transient":
		return "a transient collection"
	case "named":
		return "a string, keyword or symbol"
	case "bool":
		return "a boolean"
	case "maplike", "setlike":
		return "a " + strings.TrimSuffix(name, "like")
	}
	return "a " + name
}
