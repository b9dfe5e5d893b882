// Package spec holds the description of the language; this file defines the test
// that runs every example and fact in it.
package spec

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

func TestMain(m *testing.M) { ptctest.Main(m) }

// TestDocuments runs the fenced Clojure blocks of the documents, each separately.
func TestDocuments(t *testing.T) {
	for _, name := range []string{"language.md", "parallel.md", "tools.md", "coordination.md", "pending.md", "divergences.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		blocks := filetest.Blocks("spec/"+name, string(text), "clojure")
		if len(blocks) == 0 {
			t.Errorf("%s has no examples", name)
		}
		for _, block := range blocks {
			block.Run(t)
		}
	}
}

// TestFacts runs the files of facts.
func TestFacts(t *testing.T) {
	files := 0
	err := filepath.WalkDir("tests", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".ptc" {
			return err
		}
		files++
		t.Run(strings.TrimSuffix(strings.TrimPrefix(path, "tests/"), ".ptc"), func(t *testing.T) {
			t.Parallel()
			if path == filepath.Join("tests", "limits", "blocks.ptc") {
				testlevel.System(t) // it takes as long as all others together
			}
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			filetest.Text{Name: "spec/" + path, Line: 1, Source: string(source)}.Run(t)
		})
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files of facts: %v", files, err)
	}
}
