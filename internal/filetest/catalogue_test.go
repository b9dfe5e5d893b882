package filetest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
)

// TestCatalogue runs the example of every error code.
func TestCatalogue(t *testing.T) {
	for _, e := range diag.Catalogue {
		t.Run(string(e.Code), func(t *testing.T) {
			if e.About == "" || e.Do == "" || (e.Example == "") == (e.NoExample == "") {
				t.Fatalf("want a description, what to do, and either an example or the reason why there is none: %+v", e)
			}
			if e.Example == "" {
				return
			}
			code, err := Text{Source: e.Example}.Fails(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if code != e.Code {
				t.Errorf("%s\ngave %q", e.Example, code)
			}
		})
	}
}

// TestCatalogueComplete compares the catalogue with the constants.
func TestCatalogueComplete(t *testing.T) {
	constants := codeConstants(t, "../../lang/diag/codes.go")
	for _, e := range diag.Catalogue {
		i := slices.Index(constants, string(e.Code))
		if i < 0 {
			t.Errorf("%s is listed twice, or no constant", e.Code)
			continue
		}
		constants = slices.Delete(constants, i, i+1)
	}
	if len(constants) > 0 {
		t.Errorf("not in the catalogue: %q", constants)
	}
}

// codeConstants returns the values of the constants of type Code in a file.
func codeConstants(t *testing.T, name string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Code" {
			return true
		}
		for _, v := range spec.Values {
			lit := v.(*ast.BasicLit)
			all = append(all, lit.Value[1:len(lit.Value)-1])
		}
		return true
	})
	return all
}
