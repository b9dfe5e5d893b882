// This file defines the functions that print the documentation of names from the
// table of builtins.

package builtins

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/internal/rank"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

// docs are the functions of clojure.repl, which are known in clojure.core too.
func docs() [][]entry.Entry {
	return [][]entry.Entry{docFunctions("clojure.core"), docFunctions("clojure.repl"), []entry.Entry{
		{NS: "clojure.core", Name: "%doc", Args: "name:symbol", Cost: entry.Constant, Private: true, Fn: printDoc,
			Doc: "Prints the documentation of a name."},
		{NS: "clojure.core", Name: "%source", Args: "name:symbol", Cost: entry.Constant, Private: true, Fn: printSource,
			Doc: "Prints the source of a name."},
		{NS: "clojure.core", Name: "%source-text", Args: "name:symbol", Cost: entry.PerByte, Private: true, Fn: sourceText,
			Doc: "Returns the source of a name, nil if there is none."},
		{NS: "clojure.core", Name: "%dir", Args: "ns:symbol", Cost: entry.Constant, Private: true, Fn: printDir,
			Doc: "Prints the names of a namespace."},
	}}
}

func docFunctions(ns string) []entry.Entry {
	call := "("
	if ns != "clojure.core" {
		call = "(" + ns + "/"
	}
	return []entry.Entry{
		{NS: ns, Name: "doc", Args: "name", Cost: entry.Syntax, Macro: quoting("%doc", true),
			Doc: "Prints the documentation of a name.", Examples: []string{call + "doc map) => nil"}},
		{NS: ns, Name: "source", Args: "name", Cost: entry.Syntax, Macro: quoting("%source", true),
			Doc:      "Prints the source of a function that is written in the language.",
			Examples: []string{call + "source map) => nil"}},
		{NS: ns, Name: "dir", Args: "ns", Cost: entry.Syntax, Macro: quoting("%dir", false),
			Doc: "Prints the names of a namespace.", Examples: []string{call + "dir clojure.string) => nil"}},
		{NS: ns, Name: "find-doc", Args: "pattern", Cost: entry.PerByte, Fn: findDoc,
			Doc: "Prints the documentation of all names that match a pattern or string, in the name or its documentation. The " +
				"host's tools come first, ranked by the words of a string.",
			Examples: []string{call + `find-doc "no such text") => nil`}},
		{NS: ns, Name: "apropos", Args: "pattern", Cost: entry.PerByte, Fn: apropos,
			Doc:      "Returns the names that contain a match of a pattern or string.",
			Examples: []string{call + `apropos "upper-c") => (clojure.string/upper-case)`}},
	}
}

// quoting makes a macro that calls a function with its quoted argument.
func quoting(name string, resolve bool) entry.MacroFunc {
	return func(x *expand.Expansion, form value.Value) value.Value {
		items, _ := value.FormItems(form)
		if len(items) != 2 {
			x.Fail(form, "%s: want one name", items[0].AsSymbol().Name)
		}
		arg := items[1]
		if head, ok := value.FormItems(arg); ok && len(head) == 2 && head[0].IsSymbol() &&
			head[0].AsSymbol().Name == "quote" {
			arg = head[1]
		}
		if !arg.IsSymbol() {
			x.Fail(form, "%s: want a symbol", items[0].AsSymbol().Name)
		}
		if resolve {
			arg = x.Resolve(arg)
		}
		return x.T.List(expand.CoreSym(name), x.T.List(expand.SymQuote, arg))
	}
}

// lookupSymbol returns the entry that a symbol names, nil if there is none.
func lookupSymbol(v value.Value) *entry.Entry {
	s := v.AsSymbol()
	ns := s.NS
	if ns == "" {
		ns = "clojure.core"
	}
	return loaded.Load().lookup(Canonical(ns), s.Name)
}

func printDoc(t *value.Task, a []value.Value) value.Value {
	if s := a[0].AsSymbol(); s.NS == ToolNS {
		if tool := lookupTool(t, s.Name); tool != nil {
			t.Host.Print(toolText(t, tool))
		}
	} else if e := lookupSymbol(a[0]); e != nil {
		t.Host.Print(docText(e))
	}
	return value.Nil
}

// docText returns the documentation of an entry as Clojure's doc prints it.
func docText(e *entry.Entry) string {
	var b strings.Builder
	b.WriteString("-------------------------\n" + e.Qualified() + "\n")
	if !e.Var {
		var arities []string
		for _, arity := range strings.Split(e.Args, "|") {
			arities = append(arities, "["+strings.Join(strings.Fields(arity), " ")+"]")
		}
		b.WriteString("(" + strings.Join(arities, " ") + ")\n")
	}
	switch {
	case e.IsForm():
		b.WriteString("Special Form\n")
	case e.Macro != nil:
		b.WriteString("Macro\n")
	}
	b.WriteString("  " + e.Doc + "\n")
	for _, example := range e.Examples {
		b.WriteString("  " + example + "\n")
	}
	return b.String()
}

func printSource(t *value.Task, a []value.Value) value.Value {
	if e := lookupSymbol(a[0]); e != nil && e.Source != "" {
		t.Host.Print(e.Source)
	} else {
		t.Host.Print("Source not found\n")
	}
	return value.Nil
}

// sourceText returns the source of an entry that is written in the language, nil for other names.
func sourceText(t *value.Task, a []value.Value) value.Value {
	if e := lookupSymbol(a[0]); e != nil && e.Source != "" {
		return t.CopyString(e.Source)
	}
	return value.Nil
}

func printDir(t *value.Task, a []value.Value) value.Value {
	ns := Canonical(a[0].AsSymbol().Name)
	var names []string
	for e := range loaded.Load().all() {
		if e.NS == ns && !e.Private {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	if len(names) > 0 {
		t.Host.Print(strings.Join(names, "\n") + "\n")
	}
	return value.Nil
}

// finder returns the test for a pattern or a string.
func finder(t *value.Task, v value.Value) func(s string) bool {
	if v.Kind() == value.KindRegex {
		re := v.AsRegex().RE
		return func(s string) bool {
			t.Charge(re.MatchBytes())
			loc, err := re.Find(nil, s, 0, strs.Poll(t))
			return err == nil && loc != nil
		}
	}
	part := entry.WantText(t, v, "pattern")
	return func(s string) bool { return strings.Contains(s, part) }
}

func findDoc(t *value.Task, a []value.Value) value.Value {
	found := finder(t, a[0])
	tools := toolsMatching(t, found)
	if a[0].Kind() != value.KindRegex {
		tools = rank.Search(t.Host.Tools(), entry.WantText(t, a[0], "pattern"))
	}
	var b strings.Builder
	for i, tool := range tools {
		if i == shownTools {
			b.WriteString("-------------------------\n… and more tools: search for something narrower\n")
			break
		}
		b.WriteString(toolText(t, tool))
	}
	for e := range loaded.Load().all() {
		if !e.Private && (found(e.Name) || found(e.Doc)) {
			b.WriteString(docText(e))
		}
	}
	t.Host.Print(b.String())
	return value.Nil
}

// shownTools is the maximum number of tools that find-doc prints.
const shownTools = 20

func apropos(t *value.Task, a []value.Value) value.Value {
	found := finder(t, a[0])
	var names []*entry.Entry
	for e := range loaded.Load().all() {
		if !e.Private && found(e.Name) {
			names = append(names, e)
		}
	}
	slices.SortFunc(names, func(a, b *entry.Entry) int { return strings.Compare(a.Qualified(), b.Qualified()) })
	vals := t.ValBuf()
	for _, tool := range t.Host.Tools() {
		if found(tool.Name()) {
			vals.Add(t.Symbol(ToolNS, tool.Name()))
		}
	}
	for _, e := range names {
		vals.Add(t.Symbol(e.NS, e.Name))
	}
	row := vals.Vals()
	return row.Onto(t, value.Nil)
}
