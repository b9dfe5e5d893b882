// This file explains bindings and parameters that are no vector of names and values, and finds the part of the form
// that is wrong.

package compile

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
)

// binder reports whether calls of a form have a vector of bindings, as its first parameter says, and whether these go
// over collections.
func binder(name string) (binds, over bool) {
	e := builtins.Core(name)
	return e != nil && parameter(e, 0) == "bindings", e != nil && e.Loop != entry.LoopUnknown
}

// takesSigs reports whether a form defines a function: parameters and a body, or several of them.
func takesSigs(name string) bool {
	e := builtins.Core(name)
	return e != nil && (parameter(e, 0) == "sigs" || parameter(e, 1) == "sigs")
}

// parameter returns the name of a parameter in the first signature of a form, "" if there is none.
func parameter(e *entry.Entry, i int) string {
	words := strings.Fields(strings.ReplaceAll(e.Args, "&", ""))
	if i >= len(words) {
		return ""
	}
	return words[i]
}

// bracketed explains the form of an error by its parts in the text.
func bracketed(e *diag.Error) {
	f := e.Span.File
	parts, _, ok := diag.Written(f, e.Span.Start)
	if !ok || len(parts) < 2 {
		return
	}
	w := shaped{e, f, parts}
	name := w.text(0)
	binds, over := binder(name)
	switch {
	case !strings.HasPrefix(e.Message, name+": ") && !strings.HasPrefix(e.Message, strings.TrimSuffix(name, "-")+": "):
	case takesSigs(name):
		w.parameters(name)
	case binds:
		w.bindings(name, over)
	}
}

// shaped is the form of an error, with the places of its parts.
type shaped struct {
	*diag.Error
	file  *token.File
	parts []token.Span
}

func (w *shaped) text(i int) string { return w.file.Source[w.parts[i].Start:w.parts[i].End] }

// inside returns the texts of the parts of a part in brackets, and their places.
func (w *shaped) inside(i int) (texts []string, at []token.Span) {
	at, _, ok := diag.Written(w.file, w.parts[i].Start)
	if !ok {
		return nil, nil
	}
	for _, s := range at {
		texts = append(texts, w.file.Source[s.Start:s.End])
	}
	return texts, at
}

// instead sets the place of the error and its replacement. An empty text means no replacement.
func (w *shaped) instead(from, to token.Span, text, hint string) {
	w.Span = token.Span{File: w.file, Start: from.Start, End: to.End}
	w.Replacement, w.Hint = text, hint
}

var plainSymbol = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_*][\w*+!?<>=.-]*$`) })

// parameters explains a function without a vector of parameters.
func (w *shaped) parameters(name string) {
	if len(w.parts) < 2 || !strings.Contains(w.Message, "want a vector of parameters") {
		if len(w.parts) > 1 && strings.HasSuffix(w.Message, "want a name first") {
			w.instead(w.parts[1], w.parts[1], "", "write ("+name+" NAME "+diag.Clipped(w.text(1))+" …), or (fn "+
				diag.Clipped(w.text(1))+" …) for a function without a name")
		}
		return
	}
	i := 1
	for i+1 < len(w.parts) && (plainSymbol().MatchString(w.text(i)) && i == 1 || strings.HasPrefix(w.text(i), `"`)) {
		i++
	}
	if name == "fn" && i == 2 && i+1 == len(w.parts) { // (fn x (inc x))
		i = 1
	}
	at := w.parts[i]
	switch text := w.text(i); {
	case plainSymbol().MatchString(text):
		w.instead(at, at, "["+text+"]", "parameters stand in a vector: ["+text+"]")
	case strings.HasPrefix(text, "("):
		names, _ := w.inside(i)
		plain := len(names) > 0
		for _, n := range names {
			plain = plain && (plainSymbol().MatchString(n) || n == "&")
		}
		if plain && i+1 < len(w.parts) {
			vector := "[" + strings.Join(names, " ") + "]"
			w.instead(at, at, vector, "parameters stand in a vector: "+diag.Clipped(vector))
		} else {
			w.instead(at, at, "[] "+text, "a function without parameters has an empty vector: [] "+diag.Clipped(text))
		}
	}
}

// bindings explains bindings. over says that they go over collections.
func (w *shaped) bindings(name string, over bool) {
	first := w.text(1)
	switch {
	case strings.HasPrefix(first, "("):
		names, _ := w.inside(1)
		if flat := flattened(names, "("); flat != nil {
			names = flat
		}
		w.vector(w.parts[1], w.parts[1], names, over)
	case plainSymbol().MatchString(first) && len(w.parts) > 3 && !isBinder(first):
		to, names := 2, []string{first, w.text(2)}
		if w.text(2) == "in" {
			to, names[1] = 3, w.text(3)
		}
		w.vector(w.parts[1], w.parts[to], names, over)
	case strings.HasPrefix(first, "["):
		w.pairs(name, over)
	}
}

func isBinder(name string) bool {
	binds, _ := binder(name)
	return binds
}

// vector explains bindings that are no vector.
func (w *shaped) vector(from, to token.Span, names []string, over bool) {
	what := "a name and its value"
	if over {
		what = "a name and a collection"
	}
	text := "[" + strings.Join(names, " ") + "]"
	if len(names)%2 != 0 {
		w.instead(from, to, "", "bindings stand in a vector of pairs, each "+what)
		return
	}
	w.instead(from, to, text, "bindings stand in a vector: "+diag.Clipped(text))
}

// flattened returns the parts of pairs in brackets of one kind, nil if some text is no pair of a name and a value.
func flattened(pairs []string, bracket string) (flat []string) {
	for _, pair := range pairs {
		if !strings.HasPrefix(pair, bracket) {
			return nil
		}
		parts, _, ok := diag.Written(token.NewFile("", pair), 0)
		if !ok || len(parts) != 2 || !plainSymbol().MatchString(pair[parts[0].Start:parts[0].End]) {
			return nil
		}
		flat = append(flat, pair[parts[0].Start:parts[0].End], pair[parts[1].Start:parts[1].End])
	}
	return flat
}

// pairs explains a vector of bindings with a part that has no partner.
func (w *shaped) pairs(name string, over bool) {
	texts, at := w.inside(1)
	if flat := flattened(texts, "["); flat != nil && !strings.Contains(w.Message, "requires exactly") {
		w.vector(w.parts[1], w.parts[1], flat, over)
		return
	}
	if strings.HasSuffix(w.Message, "want exactly 2") && len(texts) > 2 {
		w.instead(w.parts[1], w.parts[1], "", name+" binds one name; put another "+name+" inside of it")
		return
	}
	odd := len(texts)%2 != 0 // one part is missing
	for i := 0; i < len(texts); i += 2 {
		text := texts[i]
		var value string
		if i+1 < len(texts) {
			value = texts[i+1]
		}
		switch {
		case !over && value == "=" && i+2 < len(texts):
			w.instead(at[i+1], at[i+2], texts[i+2], "no sign stands between a name and its value: ["+text+" "+
				diag.Clipped(texts[i+2])+"]")
		case over && value == "in" && i+2 < len(texts):
			w.instead(at[i+1], at[i+2], texts[i+2], "no word stands between the name and the collection: ["+text+" "+
				diag.Clipped(texts[i+2])+"]")
		case over && (text == "if" || text == "when" || text == ":if" || text == "where" || text == ":where") && value != "":
			w.instead(at[i], at[i], ":when", "write :when "+diag.Clipped(value))
		case over && text == ":let" && !strings.HasPrefix(value, "[") && i+2 < len(texts):
			pair := "[" + value + " " + texts[i+2] + "]"
			w.instead(at[i+1], at[i+2], pair, "write :let "+diag.Clipped(pair))
		case strings.HasPrefix(text, "(") && over && i > 0 && odd && tests(text):
			w.instead(at[i], at[i], ":when "+text, "write :when "+diag.Clipped(text))
		case strings.HasPrefix(text, "(") && over && i > 0 && odd:
			w.instead(at[i], at[i], "", "write :when before a test, :let [NAME VALUE] for a value, "+
				"or put the call into the body")
		case strings.HasPrefix(text, "(") && !over && odd:
			w.instead(at[i], at[i], "_ "+text, "a call whose value has no name is written _ "+diag.Clipped(text)+
				", or stands in the body")
		case i+1 == len(texts):
			w.instead(at[i], at[i], "", "write a value after "+diag.Clipped(text)+", or put it into the body")
		default:
			continue
		}
		return
	}
}

var testHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\((?:\S+\?|=|not=|==|<|>|<=|>=|and|or|not|some|seq)[\s)]`)
})

// tests reports whether a call is a test by its name.
func tests(call string) bool { return testHead().MatchString(call) }
