// This file defines how functions.md is written from the table of builtins. go generate
// writes it; a test compares.

package spec

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/lang/builtins"
)

//go:generate go test -run TestGenerated -update

var update = flag.Bool("update", false, "write functions.md")

func TestGenerated(t *testing.T) {
	compare(t, "functions.md", functions())
}

// compare checks that a document has the wanted text, or writes it.
func compare(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the tables say: run go generate ./spec", name)
	}
}

// intro heads functions.md, with ' for a backquote.
const intro = "# Functions\n\n" +
	"This page lists every name of the library. 'go generate ./spec' writes it from the table of builtins, and a test " +
	"runs every example. An example shows its value after '=>', or the code of its error after '!'.\n\n" +
	"In a call, '& more' stands for any number of arguments. The kind of a parameter follows a colon: 'num' is any " +
	"number, 'int' an integer of 64 bits, 'integer' any integer, 'seqable' an argument of 'seq', 'coll' a collection; " +
	"'?' allows nil too. A parameter without a kind takes any value.\n\n"

// functions writes functions.md.
func functions() string {
	spaces := make(map[string][]*builtins.Entry)
	for e := range builtins.Entries() {
		spaces[e.NS] = append(spaces[e.NS], e)
	}
	names := make([]string, 0, len(spaces))
	for ns := range spaces {
		names = append(names, ns)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(order(a), order(b)) })
	var b strings.Builder
	b.WriteString(filetest.Wrapped(strings.ReplaceAll(intro, "'", "`")))
	links := make([]string, len(names))
	for i, ns := range names {
		links[i] = fmt.Sprintf("[%s](#%s)", title(ns), anchor(title(ns)))
	}
	fmt.Fprintf(&b, "%s\n", filetest.Wrapped(strings.Join(links, " · ")))
	for _, ns := range names {
		fmt.Fprintf(&b, "\n## %s\n", title(ns))
		slices.SortFunc(spaces[ns], func(a, b *builtins.Entry) int { return strings.Compare(a.Name, b.Name) })
		for _, e := range spaces[ns] {
			describe(&b, e)
		}
	}
	return b.String()
}

// order sorts the namespaces: clojure.core first, then the others, then Java.
func order(ns string) string {
	switch {
	case ns == "clojure.core":
		return "0"
	case strings.HasPrefix(ns, "clojure."):
		return "1" + ns
	case strings.ToLower(ns[:1]) == ns[:1] && ns != "." && ns != "new":
		return "2" + ns
	}
	return "3" + ns
}

func title(ns string) string {
	switch ns {
	case ".":
		return "Methods"
	case "new":
		return "Constructors"
	}
	return ns
}

// anchor returns the anchor that GitHub makes of a heading.
func anchor(title string) string {
	return strings.ToLower(strings.ReplaceAll(title, ".", ""))
}

func describe(b *strings.Builder, e *builtins.Entry) {
	fmt.Fprintf(b, "\n#### `%s`\n\n%s\n", spoken(e), filetest.Wrapped(strings.Join(usage(e), " ")))
	fmt.Fprintf(b, "\n%s\n", filetest.Wrapped(e.Doc))
	if len(e.Examples) > 0 {
		fmt.Fprintf(b, "\n```\n%s\n```\n", strings.Join(e.Examples, "\n"))
	}
}

// usage returns the calls of an entry, and what it is if not a function.
func usage(e *builtins.Entry) []string {
	if e.Var {
		return []string{"dynamic var"}
	}
	var calls []string
	for _, arity := range strings.Split(e.Args, "|") {
		calls = append(calls, "`("+strings.Join(append([]string{spoken(e)}, strings.Fields(arity)...), " ")+")`")
	}
	switch {
	case e.IsForm():
		calls = append(calls, "special form")
	case e.Macro != nil:
		calls = append(calls, "macro")
	}
	return calls
}

// spoken returns the name as a program writes it.
func spoken(e *builtins.Entry) string {
	switch e.NS {
	case ".":
		return "." + e.Name
	case "new":
		return e.Name + "."
	case "clojure.core":
		return e.Name
	}
	return e.Qualified()
}
