//go:build unix

// This file defines how the Go blocks of a document, such as embedding.md, are held to its test,
// such as embedding_test.go, where they are compiled and run.

package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/filetest"
)

func TestEmbedding(t *testing.T) {
	code, err := os.ReadFile("embedding_test.go")
	if err != nil {
		t.Fatal(err)
	}
	e := &embedded{document: "embedding.md", lines: strings.Split(string(code), "\n")}
	filetest.Document{Path: "embedding.md", Other: e.check}.Follow(t)
	if e.blocks < 10 {
		t.Errorf("%d blocks found: the test shows nothing", e.blocks)
	}
}

// embedded is the code of the examples.
type embedded struct {
	document string
	lines    []string
	last     int // the line behind the last block of the document
	blocks   int
}

// check checks that a go block is in the code, apart from its indentation, and that an output block is the
// output of its example.
func (e *embedded) check(t *testing.T, b filetest.Block) {
	switch b.Info {
	case "go":
		e.blocks++
		block := strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n")
		for i := range e.lines {
			if e.holds(i, block) {
				e.last = i + len(block)
				return
			}
		}
		t.Errorf("%s:%d: its test does not have this block\n%s", e.document, b.Line, b.Text)
	case "output":
		if got := e.output(); got != b.Text {
			t.Errorf("%s:%d: got\n%s\nwant, by its test,\n%s", e.document, b.Line, b.Text, got)
		}
	default:
		t.Errorf("%s:%d: nothing checks a block of the kind %q", e.document, b.Line, b.Info)
	}
}

// holds reports whether a block begins at a line: as it stands, or one tab further in.
func (e *embedded) holds(at int, block []string) bool {
	if at+len(block) > len(e.lines) {
		return false
	}
	indent := ""
	if e.lines[at] == "\t"+block[0] {
		indent = "\t"
	}
	for i, line := range block {
		if line != "" {
			line = indent + line
		}
		if e.lines[at+i] != line {
			return false
		}
	}
	return true
}

// output returns the text after "// Output:" below the last block.
func (e *embedded) output() string {
	var out strings.Builder
	inside := false
	for _, line := range e.lines[e.last:] {
		text, comment := strings.CutPrefix(strings.TrimSpace(line), "//")
		switch rest, begins := strings.CutPrefix(text, " Output:"); {
		case begins:
			inside = true
			if rest = strings.TrimSpace(rest); rest != "" {
				out.WriteString(rest + "\n")
			}
		case inside && !comment:
			return out.String()
		case inside:
			out.WriteString(strings.TrimPrefix(text, " ") + "\n")
		}
	}
	return out.String()
}
