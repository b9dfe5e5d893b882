// This file defines the parts of the documents that are written from tables of the
// code: functions.md, and the error codes and the limits in language.md. go generate
// writes them; a test compares.

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
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
)

//go:generate go test -run TestGenerated -update

var update = flag.Bool("update", false, "write what the documents take from the code")

func TestGenerated(t *testing.T) {
	compare(t, "functions.md", functions())
	text, err := os.ReadFile("language.md")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "language.md", fill(t, fill(t, string(text), "codes", codes()), "limits", bounds()))
}

// compare holds a document to what it should be, or writes it.
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

// fill replaces the text between "<!-- name -->" and "<!-- end -->".
func fill(t *testing.T, text, name, part string) string {
	t.Helper()
	before, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !ok || !ended {
		t.Fatalf("language.md has no place for the %s", name)
	}
	return before + "<!-- " + name + " -->\n" + part + "<!-- end -->" + after
}

// codes lists the error codes.
func codes() string {
	var b strings.Builder
	b.WriteString("| code | when | example |\n|---|---|---|\n")
	for _, e := range diag.Catalogue {
		example := e.NoExample
		if example == "" {
			lines := strings.Split(strings.ReplaceAll(e.Example, "|", "\\|"), "\n")
			example = "`" + strings.Join(lines, "` `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Code, e.About, example)
	}
	return b.String()
}

// bounds lists the limits that a program can hit.
func bounds() string {
	d := limits.Default()
	var b strings.Builder
	b.WriteString("| bound | default | flag of `ptc run` | beyond it |\n|---|---|---|---|\n")
	row := func(name, value, flag, beyond string) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, value, flag, beyond)
	}
	row("bytes of the program", megabytes(int64(d.SourceBytes)), "", "`source-too-large`")
	row("depth of nested forms", fmt.Sprint(d.Nesting), "", "`nesting-too-deep`")
	row("time", d.Timeout.String(), "`--timeout`", "`timeout`")
	row("steps", fmt.Sprint(d.Steps), "`--steps`", "`steps-exceeded`")
	row("memory", megabytes(d.Memory), "`--memory`", "`memory-exceeded`")
	row("nested calls", fmt.Sprint(d.Depth), "`--depth`", "`depth-exceeded`")
	row("printed bytes", megabytes(int64(d.OutputBytes)), "", "dropped, with a notice")
	row("bytes of the result as text", megabytes(int64(d.ResultBytes)), "`--output-limit`", "`result-too-large`")
	return b.String()
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// intro heads functions.md.
const intro = `# Functions

Every name of the library, written from its table by ` + "`go generate ./spec`" + `; every
example is run by a test. An example gives the value behind ` + "`=>`" + `, or the code of
its error behind ` + "`!`" + `. In a call, ` + "`& more`" + ` stands for any number of arguments; behind
a colon stands the kind that a parameter takes: ` + "`num`" + ` any number, ` + "`int`" + ` an integer of
64 bits, ` + "`integer`" + ` any integer, ` + "`seqable`" + ` what ` + "`seq`" + ` takes, ` + "`coll`" + ` a collection;
with ` + "`?`" + ` also nil. A parameter without kind takes any value.

`

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
	b.WriteString(intro)
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
