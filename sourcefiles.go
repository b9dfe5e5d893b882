// This file defines programs of several files: their source is one text, in which a line names each file.

package ptc

import (
	"context"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// SourceFile is a file of a program of several files.
type SourceFile struct {
	Name, Text string
}

// fileMark begins the line that names a file in the source of a program of several files, after which may be any number
// of #, and then a space. A source has several files if it begins with such a line; each line that begins as the first
// one names another.
const fileMark = ";#file"

// JoinFiles returns the source of a program of several files, which are compiled in their order. Each begins in the
// namespace user. Errors name the file and the line in it. A text that is itself a source of several files
// is replaced by those files. The source is ordinary text: it can be journalled, stored and submitted. In
// such a source, a call with a wrong number of arguments throws when it is evaluated, as in Clojure.
func JoinFiles(files ...SourceFile) string {
	var all []SourceFile
	for _, f := range files {
		all = append(all, splitFiles(f.Name, f.Text)...)
	}
	mark := fileMark + " "
	for slices.ContainsFunc(all, func(f SourceFile) bool { return strings.Contains("\n"+f.Text, "\n"+mark) }) {
		mark = strings.TrimSuffix(mark, " ") + "# "
	}
	var b strings.Builder
	for _, f := range all {
		b.WriteString(mark + strings.ReplaceAll(f.Name, "\n", " ") + "\n" + f.Text)
		if !strings.HasSuffix(f.Text, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// splitFiles returns the files of a source.
func splitFiles(name, source string) []SourceFile {
	hashes, marked := strings.CutPrefix(source, fileMark)
	n := len(hashes) - len(strings.TrimLeft(hashes, "#"))
	if !marked || !strings.HasPrefix(hashes[n:], " ") {
		return []SourceFile{{name, source}}
	}
	mark := source[:len(fileMark)+n+1]
	var files []SourceFile
	for _, part := range strings.Split("\n"+source, "\n"+mark)[1:] {
		name, text, _ := strings.Cut(part, "\n")
		files = append(files, SourceFile{name, text})
	}
	return files
}

// addFiles adds the files of a source to a set.
func addFiles(set *token.FileSet, name, source string) []*token.File {
	var files []*token.File
	for _, f := range splitFiles(name, source) {
		files = append(files, set.Add(f.Name, f.Text))
	}
	return files
}

// fits refuses a source of several files that exceeds the bound of one.
func (c *compilation) fits(files []*token.File) *diag.Error {
	n, most := 0, c.limits.SourceBytes
	for _, f := range files {
		n += len(f.Source)
	}
	if len(files) < 2 || n <= most {
		return nil
	}
	return diag.New(diag.SourceTooLarge, token.Span{}, "the files of the program have %d bytes, the limit is %d", n, most).
		WithHint("split the program, or raise Limits.SourceBytes")
}

// Namespaces returns the namespace of a source, user if it has none, and the namespaces that it requires at the top,
// except those of Clojure itself. It stops reading where the source is malformed.
func Namespaces(source string) (own string, required []string) {
	n := nsReader{own: "user", aliases: make(map[string]string)}
	t := &value.Task{}
	l := Limits{}.OrDefault()
	t.Start(context.Background(), max(l.Memory, compileMemory), max(l.Steps, compileSteps), l.Timeout)
	eval.Compiling(t, func() { // a bound that is hit ends it; the compiler reports that
		file := token.NewFile("", source)
		for off, eof := 0, false; !eof; {
			var form value.Value
			var err *diag.Error
			form, off, eof, err = parser.ParseOne(t, file, off, parser.Options{NS: n.own, Aliases: n.aliases, Tags: anyTag,
				Code: true})
			if err != nil {
				break
			}
			n.read(form)
		}
	})
	return n.own, n.required
}

// anyTag reads a tagged literal as its form: its function is not known yet.
func anyTag(_ *value.Task, _, form value.Value) (value.Value, bool) { return form, true }

// nsReader collects the namespaces that forms require.
type nsReader struct {
	own      string
	named    bool
	required []string
	aliases  map[string]string
}

// read reads a form at the top.
func (n *nsReader) read(form value.Value) {
	items, ok := value.FormItems(form)
	if !ok || form.Is(value.Vectors) || len(items) < 2 || !items[0].IsSymbol() {
		return
	}
	switch items[0].AsSymbol().Name {
	case "ns":
		if !items[1].IsSymbol() {
			return
		}
		if !n.named {
			n.own, n.named = items[1].AsSymbol().Name, true
		}
		for _, clause := range items[2:] {
			parts, ok := value.FormItems(clause)
			if ok && len(parts) > 0 && parts[0].IsKeyword() &&
				slices.Contains([]string{"require", "use"}, parts[0].AsKeyword().Name) {
				n.specs(parts[1:])
			}
		}
	case "require", "use":
		n.specs(items[1:])
	}
}

// specs reads the arguments of require.
func (n *nsReader) specs(specs []value.Value) {
	for _, spec := range specs {
		parts, ok := value.FormItems(spec)
		if ok && !spec.Is(value.Vectors) && len(parts) == 2 && parts[0].IsSymbol() && parts[0].AsSymbol().Name == "quote" {
			spec = parts[1]
			parts, ok = value.FormItems(spec)
		}
		switch {
		case spec.IsSymbol():
			n.require(spec.AsSymbol().Name, nil)
		case !ok || len(parts) == 0 || !parts[0].IsSymbol():
		case len(parts) > 1 && !parts[1].IsKeyword():
			n.prefixed(parts[0].AsSymbol().Name, parts[1:])
		default:
			n.require(parts[0].AsSymbol().Name, parts[1:])
		}
	}
}

// prefixed reads a prefix list.
func (n *nsReader) prefixed(prefix string, specs []value.Value) {
	for _, spec := range specs {
		parts, ok := value.FormItems(spec)
		switch {
		case spec.IsSymbol():
			n.require(prefix+"."+spec.AsSymbol().Name, nil)
		case ok && len(parts) > 0 && parts[0].IsSymbol():
			n.require(prefix+"."+parts[0].AsSymbol().Name, parts[1:])
		}
	}
}

// require notes a namespace with its options.
func (n *nsReader) require(ns string, opts []value.Value) {
	for i := 0; i+1 < len(opts); i += 2 {
		if !opts[i].IsKeyword() || !opts[i+1].IsSymbol() {
			continue
		}
		switch opts[i].AsKeyword().Name {
		case "as-alias":
			n.aliases[opts[i+1].AsSymbol().Name] = ns
			return
		case "as":
			n.aliases[opts[i+1].AsSymbol().Name] = ns
		}
	}
	if ns != n.own && (!builtins.HasNamespace(ns) || builtins.Replaceable(ns)) && !slices.Contains(n.required, ns) {
		n.required = append(n.required, ns)
	}
}
