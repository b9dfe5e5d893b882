// This file defines ptc doc.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
)

const docAbout = `usage: ptc doc NAME…

Shows the parameters, the description and the examples of names. A name without
a namespace is looked up in all of them.

examples:
  ptc doc reduce
  ptc doc str/join clojure.set/union
`

func docCommand(_ context.Context, args []string, s streams) int {
	fs := newFlags("doc", docAbout, s)
	names, code, ok := parse(fs, args)
	if !ok {
		return code
	}
	if len(names) == 0 {
		return failUsage(s, "doc takes names; see ptc help doc")
	}
	for _, name := range names {
		found := findEntries(name)
		if len(found) == 0 {
			return unknownName(name, s)
		}
		for _, e := range found {
			writeDoc(s.out, e)
		}
	}
	return exitOK
}

// findEntries gives the entries that a name may mean.
func findEntries(name string) []*builtins.Entry {
	ns, local, qualified := strings.Cut(name, "/")
	if name == "/" || !qualified || local == "" {
		ns, local = "", name
	}
	if full, ok := builtins.PreludeAliases[ns]; ok {
		ns = full
	}
	var found []*builtins.Entry
	for e := range builtins.Entries() {
		if e.Name == local && (ns == "" || e.NS == ns) {
			found = append(found, e)
		}
	}
	return found
}

func unknownName(name string, s streams) int {
	var names []string
	for e := range builtins.Entries() {
		names = append(names, e.Name, e.Qualified())
	}
	fmt.Fprintf(s.err, "ptc: there is nothing named %s\n", name)
	if best, ok := diag.Suggest(name, slices.Values(names)); ok {
		fmt.Fprintf(s.err, "did you mean %s?\n", best)
	}
	return exitFailed
}

func writeDoc(w io.Writer, e *builtins.Entry) {
	fmt.Fprintln(w, e.Qualified())
	for _, sig := range e.Signatures() {
		names := slices.Clone(sig.Names)
		if sig.Rest {
			names[len(names)-1] = "& " + names[len(names)-1]
		}
		fmt.Fprintf(w, "  (%s)\n", strings.Join(append([]string{e.Name}, names...), " "))
	}
	fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(e.Doc, "\n", "\n  "))
	for _, ex := range e.Examples {
		fmt.Fprintf(w, "    %s\n", ex)
	}
}
