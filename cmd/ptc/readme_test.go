package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/filetest"
)

// readme returns the text of the README and its fenced blocks, in their order. docs has
// the test that follows it.
func readme(t *testing.T) (text string, blocks []filetest.Block) {
	t.Helper()
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b), filetest.Fenced(string(b))
}

// block returns the only block that holds part.
func block(t *testing.T, blocks []filetest.Block, part string) string {
	t.Helper()
	var found []string
	for _, b := range blocks {
		if strings.Contains(b.Text, part) {
			found = append(found, b.Text)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d blocks hold %q", len(found), part)
	}
	return found[0]
}

// TestReadmeCommands requires the commands for a clone as .ci/run runs them: the main job,
// and the tests.
func TestReadmeCommands(t *testing.T) {
	_, blocks := readme(t)
	const want = "go run ./cmd/ptc run examples/sales/report.ptc --data examples/data/sales.json\ngo test ./...\n"
	if got := block(t, blocks, "go run ./cmd/ptc"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadmeProgram(t *testing.T) {
	_, blocks := readme(t)
	program := write(t, "orders.ptc", block(t, blocks, "(defn total"))
	if got, want := ptcWith("", "fmt", "--check", program), (outcome{0, "", ""}); got != want {
		t.Errorf("the program is not formatted: %+v", got)
	}
}

// TestReadmeEmbedding runs the Go program of the README. For the go command it is a file of this module, whose path is
// always the same, so it is linked when the program or package ptc has changed.
func TestReadmeEmbedding(t *testing.T) {
	t.Parallel() // it mostly waits
	text, blocks := readme(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(root, "readme", "main.go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		at: write(t, "main.go", block(t, blocks, "package main"))}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-overlay", write(t, "overlay.json", string(overlay)), at)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "It prints `" + strings.TrimSpace(string(out)) + "`"; !strings.Contains(text, want) {
		t.Errorf("the README does not say %q", want)
	}
}

// TestLinks requires the files to which the documents of the repository link.
func TestLinks(t *testing.T) {
	files, err := filepath.Glob("../../*.md")
	if err != nil || len(files) < 5 {
		t.Fatalf("got %v, %v, want the documents of the repository", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
				t.Errorf("%s links to %s: %v", filepath.Base(file), m[1], err)
			}
		}
	}
}
