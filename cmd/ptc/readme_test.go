package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readme gives the text of the README and its fenced blocks, in their order.
func readme(t *testing.T) (text string, blocks []string) {
	t.Helper()
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b), fenced(string(b))
}

// fenced gives the fenced blocks of a text.
func fenced(text string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?ms)^```\\w*\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// block gives the only block that holds part.
func block(t *testing.T, blocks []string, part string) string {
	t.Helper()
	var found []string
	for _, b := range blocks {
		if strings.Contains(b, part) {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d blocks of the README hold %q", len(found), part)
	}
	return found[0]
}

func TestReadmeProgram(t *testing.T) {
	_, blocks := readme(t)
	source := block(t, blocks, "(defn total")
	program, data := write(t, "orders.ptc", source), write(t, "orders.json", block(t, blocks, `"orders":`))
	want := outcome{0, block(t, blocks, "{:orders 3"), ""}
	if got := ptcWith("", "run", program, "--data", data); got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	want = outcome{0, "", ""}
	if got := ptcWith("", "fmt", "--check", program); got != want {
		t.Errorf("the program is not formatted: %+v", got)
	}
	want = outcome{3, "", block(t, blocks, "error[unknown-name]")}
	if got := ptcWith("", "run", "-e", "(grop-by even? [1 2 3])"); got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// TestReadmeEmbedding runs the Go program of the README.
func TestReadmeEmbedding(t *testing.T) {
	text, blocks := readme(t)
	cmd := exec.Command("go", "run", write(t, "main.go", block(t, blocks, "package main")))
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "It prints `" + strings.TrimSpace(string(out)) + "`"; !strings.Contains(text, want) {
		t.Errorf("the README does not say %q", want)
	}
}

// TestLinks wants the files to which the documents of the repository link.
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
