// This file defines ptc doc.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cmd/ptc/internal/repl"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/tools/grant"
)

const docAbout = `Shows the parameters, the description and the examples of names. A name without
a namespace is looked up in all of them.`

// docCommand declares ptc doc.
func docCommand() command {
	return command{
		name:      "doc",
		summary:   "show the documentation of a name",
		usage:     []string{"NAME…"},
		about:     docAbout,
		examples:  []string{"ptc doc reduce", "ptc doc str/join clojure.set/union"},
		arguments: nameArguments,
		run:       showDocs,
	}
}

func showDocs(ctx context.Context, in *invocation, s streams) (code int) {
	if len(in.rest) == 0 {
		return failUsage(s, "doc takes names; see ptc help doc")
	}
	for i, name := range in.rest {
		found := findEntries(name)
		if len(found) == 0 {
			code = unknownName(ctx, name, s)
		}
		for j, e := range found {
			if i+j > 0 {
				fmt.Fprintln(s.out)
			}
			writeDoc(s.out, e)
		}
	}
	return code
}

// findEntries returns the entries that a name may mean.
func findEntries(name string) []*builtins.Entry {
	ns, local, qualified := strings.Cut(name, "/")
	switch {
	case qualified && local != "":
	case len(name) > 1 && name[0] == '.': // a method
		ns, local = ".", name[1:]
	default:
		ns, local = "", name
	}
	if full, ok := builtins.PreludeAliases[ns]; ok {
		ns = full
	}
	ns = builtins.Canonical(ns)
	var found []*builtins.Entry
	for e := range builtins.Entries() {
		if e.Name == local && (ns == "" || e.NS == ns) {
			found = append(found, e)
		}
	}
	return found
}

// written returns a name as a program writes it.
func written(e *builtins.Entry) string {
	switch e.NS {
	case "clojure.core":
		return e.Name
	case ".":
		return "." + e.Name
	}
	return e.Qualified()
}

func unknownName(ctx context.Context, name string, s streams) int {
	if tools, err := new(grant.Set).Registry(ctx); err == nil {
		if how, ok := tools.Withheld()[strings.TrimPrefix(name, "tool/")]; ok {
			fmt.Fprintf(s.err, "ptc: %s is a tool: %s, and (doc tool/%[1]s) in a program shows its documentation\n",
				strings.TrimPrefix(name, "tool/"), how)
			return exitFailed
		}
	}
	var names []string
	for e := range builtins.Entries() {
		names = append(names, e.Name, written(e))
	}
	fmt.Fprintf(s.err, "ptc: unknown name %s\n", name)
	if best, ok := diag.Suggest(name, slices.Values(names)); ok {
		fmt.Fprintf(s.err, "did you mean %s?\n", best)
	}
	return exitFailed
}

func writeDoc(w io.Writer, e *builtins.Entry) {
	name := e.Qualified()
	if e.NS == "." { // a method
		name = written(e)
	}
	fmt.Fprintln(w, name)
	sigs := e.Signatures()
	if e.Var {
		sigs = nil
	}
	for _, sig := range sigs {
		names := slices.Clone(sig.Names)
		if sig.Rest {
			names[len(names)-1] = "& " + names[len(names)-1]
		}
		fmt.Fprintf(w, "  (%s)\n", strings.Join(append([]string{written(e)}, names...), " "))
	}
	for paragraph := range strings.Lines(e.Doc) {
		fmt.Fprintln(w, repl.Folded(paragraph))
	}
	for _, ex := range e.Examples {
		fmt.Fprintf(w, "    %s\n", ex)
	}
}
