// This file defines ptc doc.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/repl"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

const docAbout = `Shows the parameters, the description and the examples of names. A name without
a namespace is looked up in all of them. With grants, such as --mcp, the name of a tool
shows the tool, and that of a server, or of a kind of tools, lists them.`

// docCommand declares ptc doc.
func docCommand() command {
	return command{
		name:    "doc",
		summary: "show the documentation of a name",
		usage:   []string{"NAME… [flags]"},
		about:   docAbout,
		examples: []string{"ptc doc reduce", "ptc doc str/join clojure.set/union", "ptc doc fs --allow-fs data",
			"ptc doc files.read_file --mcp files='npx -y @modelcontextprotocol/server-filesystem data'"},
		declare:   func(v *settings) []flags.Spec { return flags.Grants(&v.grants) },
		arguments: nameArguments,
		run:       showDocs,
	}
}

func showDocs(ctx context.Context, in *invocation, s streams) (code int) {
	if len(in.rest) == 0 {
		return failUsage(s, "doc takes names; see ptc help doc")
	}
	tools, opened, err := grantedTools(ctx, "-", &in.grants, true, s)
	if err != nil {
		return failInput(s, err)
	}
	defer opened.Close()
	for i, name := range in.rest {
		found := findEntries(name)
		if text := docOfTools(ctx, tools, strings.TrimPrefix(name, "tool/")); text != "" {
			if i > 0 {
				fmt.Fprintln(s.out)
			}
			fmt.Fprint(s.out, text)
			continue
		}
		if len(found) == 0 {
			code = unknownName(tools, name, s)
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

// maxToolDoc is the most characters of the description of a tool in a list.
const maxToolDoc = 160

// docOfTools returns the documentation of a granted tool, as a program sees it, or the tools of a server or kind; "" if
// there are none.
func docOfTools(ctx context.Context, tools *tool.Registry, name string) string {
	if tools.Lookup(name) != nil {
		res, err := ptc.Run(ctx, "(doc tool/"+name+")", ptc.Options{Tools: tools})
		if err == nil {
			return res.Prints
		}
	}
	var b strings.Builder
	for _, t := range tools.All() {
		if strings.HasPrefix(t.Name(), name+".") {
			doc := []rune(t.Doc())
			if len(doc) > maxToolDoc {
				doc = append(doc[:maxToolDoc:maxToolDoc], '…')
			}
			fmt.Fprintf(&b, "(tool/%s\n%s\n", t.Signature(), repl.Folded(string(doc)))
		}
	}
	return b.String()
}

func unknownName(tools *tool.Registry, name string, s streams) int {
	if how, ok := tools.Withheld()[strings.TrimPrefix(name, "tool/")]; ok {
		fmt.Fprintf(s.err, "ptc: %s is a tool: %s, and ptc doc with that flag shows its documentation\n",
			strings.TrimPrefix(name, "tool/"), how)
		return exitFailed
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
