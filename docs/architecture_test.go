//go:build unix

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
)

func TestArchitecture(t *testing.T) {
	t.Parallel()
	filetest.Document{Path: "architecture.md", Clone: "..", Bin: install(t)}.Follow(t)
}

var spans = regexp.MustCompile("`([^`\n]+)`")

// TestArchitectureNames checks every name in backticks of architecture.md. It must be a path of the
// repository, a Go declaration in a file that the same section names, a name of the language, an error
// code, a command of go test for folders that exist, or a part of a fenced block.
func TestArchitectureNames(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples strings.Builder
	for _, b := range filetest.Fenced(string(text)) {
		examples.WriteString(b.Text)
	}
	n := 0
	for _, section := range strings.Split(withoutFences(string(text)), "\n## ") {
		title, _, _ := strings.Cut(section, "\n")
		names := spans.FindAllStringSubmatch(section, -1)
		declared := map[string]bool{}
		for _, m := range names {
			if filepath.Ext(m[1]) == ".go" {
				declarations(t, filepath.Join("..", m[1]), declared)
			}
		}
		for _, m := range names {
			n++
			if !named(m[1], declared, examples.String()) {
				t.Errorf("architecture.md, %q: %q does not exist", title, m[1])
			}
		}
	}
	if n < 100 {
		t.Errorf("found %d names, want at least 100", n)
	}
}

// named reports whether a name of the document exists.
func named(name string, declared map[string]bool, examples string) bool {
	if packages, ok := strings.CutPrefix(name, "go test "); ok {
		for p := range strings.FieldsSeq(packages) {
			if !exists(strings.TrimSuffix(p, "/...")) {
				return false
			}
		}
		return true
	}
	return declared[name] || exists(name) || strings.Contains(examples, name) ||
		builtins.Lookup("clojure.core", name) != nil ||
		slices.ContainsFunc(diag.Catalogue, func(e diag.Entry) bool { return string(e.Code) == name })
}

func exists(path string) bool {
	_, err := os.Stat(filepath.Join("..", path))
	return err == nil
}

// withoutFences removes the fenced blocks of a document.
func withoutFences(text string) string {
	var out strings.Builder
	fence := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fence = !fence
		} else if !fence {
			out.WriteString(line)
		}
	}
	return out.String()
}

// declarations adds the names that a Go file declares at the top level: methods as Type.Method.
func declarations(t *testing.T, path string, names map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Error(err)
		return
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[receiver(d)+d.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					names[s.Name.Name] = true
				}
			}
		}
	}
}

// receiver returns the name of a method's type and a dot, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return "?."
}
