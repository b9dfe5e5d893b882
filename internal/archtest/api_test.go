// This file has the extent of the API as data, and compares the exported names of the packages with its listing.

package archtest

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

var update = flag.Bool("update", false, "write api/v0.1.txt anew")

// listing has a line for each exported declaration of the API.
const listing = "../../api/v0.1.txt"

// api lists the packages whose exported names are kept: the packages that embedding.md promises to keep.
// All others may change at any time.
var api = []string{".", "client", "lang/diag", "lang/token", "mcp", "policy", "prompt", "runtime/effect", "runtime/guard", "runtime/journal",
	"runtime/journal/trace", "runtime/queue", "runtime/secret", "runtime/tool", "serve/wire", "store", "telemetry", "telemetry/otlp", "telemetry/spans", "tools/csv", "tools/env", "tools/exec", "tools/facts", "tools/fs",
	"tools/grant", "tools/http", "tools/kv", "tools/mcp", "tools/sql", "tools/ssh", "tools/time"}

func TestAPI(t *testing.T) {
	var lines []string
	for _, path := range api {
		lines = append(lines, parsed(t, path).lines(t)...)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(listing, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(listing)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range want {
		if !slices.Contains(lines, line) {
			t.Errorf("gone: %s", line)
		}
	}
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("new: %s", line)
		}
	}
	if t.Failed() {
		t.Log("if that is meant, run go test ./internal/archtest -update, and say so in CHANGELOG.md")
	}
}

// TestAPITable requires the table of the document to have the packages of the API.
func TestAPITable(t *testing.T) {
	text, err := os.ReadFile("../../docs/embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n| package | ")
	if !found {
		t.Fatal("embedding.md has no table of packages")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for _, row := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for name := range strings.SplitSeq(cell, ", ") {
			listed = append(listed, strings.Trim(name, "`"))
		}
	}
	slices.Sort(listed)
	want := slices.Sorted(slices.Values(api))
	want[0] = "ptc" // which is "."
	slices.Sort(want)
	if !slices.Equal(listed, want) {
		t.Errorf("embedding.md lists %q\nwant %q", listed, want)
	}
}

// TestDocOfAliases requires the documentation of an alias to list the fields, as go doc does not show those.
func TestDocOfAliases(t *testing.T) {
	aliases := map[string]reflect.Type{"Limits": reflect.TypeFor[ptc.Limits](), "Diagnostic": reflect.TypeFor[ptc.Diagnostic](),
		"Effects": reflect.TypeFor[ptc.Effects](), "ToolUse": reflect.TypeFor[ptc.ToolUse]()}
	for _, typ := range parsed(t, ".").doc.Types {
		of := aliases[typ.Name]
		if of == nil {
			continue
		}
		delete(aliases, typ.Name)
		text := strings.Join(strings.Fields(typ.Doc), " ")
		for field := range of.Fields() {
			words := field.Name + " " + strings.ReplaceAll(field.Type.String(), "lint.", "")
			if field.IsExported() && !strings.Contains(text, words) {
				t.Errorf("the documentation of %s lacks %s", typ.Name, words)
			}
		}
	}
	if len(aliases) > 0 {
		t.Errorf("there are no types %v", slices.Collect(maps.Keys(aliases)))
	}
}

// source is a package that was parsed.
type source struct {
	path    string // in the module; "." for the root
	files   *token.FileSet
	doc     *doc.Package
	imports map[string]string // the path of each name
}

// parsed parses the files of a package that are built for linux/amd64.
func parsed(t *testing.T, path string) *source {
	t.Helper()
	dir := filepath.Join("../..", path)
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled, ctx.BuildTags = "linux", "amd64", false, nil
	found, err := ctx.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &source{path: path, files: token.NewFileSet(), imports: make(map[string]string)}
	var files []*ast.File
	for _, name := range found.GoFiles {
		f, err := parser.ParseFile(p.files, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			full, _ := strconv.Unquote(imp.Path.Value)
			name := full[strings.LastIndexByte(full, '/')+1:]
			if imp.Name != nil {
				name = imp.Name.Name
			}
			p.imports[name] = full
		}
		files = append(files, f)
	}
	if p.doc, err = doc.NewFromFiles(p.files, files, module+"/"+path); err != nil {
		t.Fatal(err)
	}
	return p
}

// lines returns the exported declarations, one a line.
func (p *source) lines(t *testing.T) []string {
	l := &lister{t: t, source: p, prefix: p.doc.Name + ": "}
	if p.path != "." {
		l.prefix = p.path + ": "
	}
	l.values(p.doc.Consts, p.doc.Vars)
	l.funcs(p.doc.Funcs)
	for _, typ := range p.doc.Types {
		l.typ(typ)
	}
	return l.out
}

type lister struct {
	t *testing.T
	*source
	prefix string
	out    []string
}

func (l *lister) add(format string, args ...any) {
	l.out = append(l.out, l.prefix+strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

func (l *lister) values(groups ...[]*doc.Value) {
	for _, v := range slices.Concat(groups...) {
		for _, spec := range v.Decl.Specs {
			s := spec.(*ast.ValueSpec)
			for _, name := range s.Names {
				if !name.IsExported() {
					continue
				}
				typ := ""
				if s.Type != nil {
					typ = l.text(s.Type)
				}
				l.add("%s %s %s", v.Decl.Tok, name.Name, typ)
			}
		}
	}
}

func (l *lister) funcs(all []*doc.Func) {
	for _, f := range all {
		decl := *f.Decl
		decl.Doc, decl.Body = nil, nil
		l.add("%s", l.text(&decl))
	}
}

// typ lists a type with its fields and methods. Of an alias of a type of this module those are the ones of that type.
func (l *lister) typ(d *doc.Type) {
	l.values(d.Consts, d.Vars)
	l.funcs(d.Funcs)
	l.funcs(d.Methods)
	spec := d.Decl.Specs[0].(*ast.TypeSpec)
	if sel, ok := spec.Type.(*ast.SelectorExpr); ok && spec.Assign.IsValid() {
		l.add("type %s = %s.%s", d.Name, sel.X, sel.Sel.Name)
		l.alias(d.Name, sel)
		return
	}
	params := ""
	if spec.TypeParams != nil {
		params = l.text(spec.TypeParams)
	}
	l.shape(d.Name+params, spec.Type)
}

// alias lists what an alias brings in from a package that is no part of the API.
func (l *lister) alias(name string, sel *ast.SelectorExpr) {
	path := local(l.imports[sel.X.(*ast.Ident).Name])
	if slices.Contains(api, path) {
		return
	}
	other := parsed(l.t, path)
	for _, d := range other.doc.Types {
		if d.Name == sel.Sel.Name {
			in := &lister{t: l.t, source: other, prefix: l.prefix + "by alias: "}
			in.funcs(d.Methods)
			in.shape(name, d.Decl.Specs[0].(*ast.TypeSpec).Type)
			l.out = append(l.out, in.out...)
		}
	}
}

// shape lists the fields of a struct and the methods of an interface, one a line, or another type as it is.
func (l *lister) shape(name string, typ ast.Expr) {
	var members *ast.FieldList
	kind := ""
	switch typ := typ.(type) {
	case *ast.StructType:
		members, kind = typ.Fields, "struct"
	case *ast.InterfaceType:
		members, kind = typ.Methods, "interface"
	default:
		l.add("type %s %s", name, l.text(typ))
		return
	}
	l.add("type %s %s", name, kind)
	for _, m := range members.List {
		tag := ""
		if m.Tag != nil {
			tag = m.Tag.Value
		}
		if len(m.Names) == 0 {
			l.add("type %s %s: %s %s", name, kind, l.text(m.Type), tag)
		}
		for _, n := range m.Names {
			l.add("type %s %s: %s %s %s", name, kind, n.Name, l.text(m.Type), tag)
		}
	}
}

// text returns a declaration as Go writes it, and wants what it names to be reachable.
func (l *lister) text(node any) string {
	if n, ok := node.(ast.Node); ok {
		ast.Inspect(n, l.reachable)
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, l.files, node); err != nil {
		l.t.Fatal(err)
	}
	return b.String()
}

// reachable wants a declaration to name no type of a package that is no part of the API.
func (l *lister) reachable(n ast.Node) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return true
	}
	full, known := l.imports[x.Name]
	if !known || full != module && !strings.HasPrefix(full, module+"/") || slices.Contains(api, local(full)) ||
		local(full)+"."+sel.Sel.Name == "runtime/limits.Limits" { // ptc.Limits is its alias
		return true
	}
	l.t.Errorf("%s%s.%s is not reachable: its package is no part of the API", l.prefix, x.Name, sel.Sel.Name)
	return true
}
