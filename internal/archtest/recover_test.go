// This file holds the places that may call recover as data. Do not change it to fix a build.

package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recovering lists the functions that call recover, by package. A panic ends at a run, at the worker of an element, at
// the call of a tool or at the one entry of the compiler. The others turn their own failures into errors.
var recovering = map[string][]string{
	".":            {"byHost", "ofHost"}, // a print to the host's Output, or a text to its writer; a method of its data
	"lang/jsonio":  {"document"},         // of JSON
	"lang/compile": {"attempt"},          // a form, so that one compilation reports the mistakes of several
	"lang/eval": {
		"Compiling", // the entry of the compiler
		"Do",        // the rendering of a result
		"Run",       // a worker
	},
	"lang/eval/internal/machine": {
		"Expand",    // macroexpand in a run
		"Kept",      // the size of a result
		"caught",    // a run
		"tryHandle", // a run that hits a bound while it handles an error
		"tryImport", // the data of a run
	},
	"cluster/internal/engine/etcd": {"startEtcd"}, // etcd panics when its files are damaged
	"lang/parser":                  {"First"},     // a form that is typed
	"runtime/sched":                {"leave"},     // a worker
	"runtime/secret":               {"Handle"},    // a record that the host logs
	"runtime/tool":                 {"byHost", "call", "invoke"},
	"tools/internal/detach":        {"Do"},
	"tools/kv":                     {"intact"},
	"tools/sql":                    {"orFull"},
}

func TestRecover(t *testing.T) {
	root := filepath.Join("..", "..")
	found := make(map[string][]string)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "bench" || strings.HasPrefix(d.Name(), ".") && name != root):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		pkg = filepath.ToSlash(pkg)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && recovers(f) {
				found[pkg] = append(found[pkg], f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, functions := range found {
		slices.Sort(functions)
		if !slices.Equal(functions, recovering[pkg]) {
			t.Errorf("package %s: %q call recover, the table has %q", pkg, functions, recovering[pkg])
		}
	}
	for pkg := range recovering {
		if found[pkg] == nil {
			t.Errorf("package %s: nothing calls recover: remove it from the table", pkg)
		}
	}
}

// recovers reports whether a function, or a function in it, calls recover.
func recovers(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			id, ok := call.Fun.(*ast.Ident)
			found = found || ok && id.Name == "recover"
		}
		return true
	})
	return found
}
