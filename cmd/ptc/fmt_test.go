package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	messy = "(defn f [x]\n(inc   x))"
	neat  = "(defn f [x]\n  (inc x))\n"
)

func TestFmt(t *testing.T) {
	messyFile, neatFile := write(t, "messy.ptc", messy), write(t, "neat.ptc", neat)
	wants{1, messyFile + "\n", ""}.check(t, ptcWith("", "fmt", "--check", messyFile, neatFile))
	if text, _ := os.ReadFile(messyFile); string(text) != messy {
		t.Fatalf("--check wrote the file: %s", text)
	}
	wants{0, "", ""}.check(t, ptcWith("", "fmt", messyFile, neatFile))
	for _, name := range []string{messyFile, neatFile} {
		if text, _ := os.ReadFile(name); string(text) != neat {
			t.Errorf("%s: got %s", name, text)
		}
	}
	wants{0, "", ""}.check(t, ptcWith("", "fmt", "--check", messyFile, neatFile))
}

func TestFmtStream(t *testing.T) {
	wants{0, neat, ""}.check(t, ptcWith(messy, "fmt", "-"))
	wants{1, "-\n", ""}.check(t, ptcWith(messy, "fmt", "--check", "-"))
	wants{0, "", ""}.check(t, ptcWith(neat, "fmt", "-", "--check"))
	wants{3, "", "error[syntax-error]"}.check(t, ptcWith("(", "fmt", "-"))
}

// TestFmtRefuses checks that a file with a syntax error stays unchanged, and that the others are formatted.
func TestFmtRefuses(t *testing.T) {
	const text = "(defn f [x]\n(inc   x)"
	bad, messyFile := write(t, "bad.ptc", text), write(t, "messy.ptc", messy)
	wants{3, "", bad + ":1:1"}.check(t, ptcWith("", "fmt", bad, messyFile))
	if got, _ := os.ReadFile(bad); string(got) != text {
		t.Errorf("the file became %s", got)
	}
	if got, _ := os.ReadFile(messyFile); string(got) != neat {
		t.Errorf("the other file became %s", got)
	}
	wants{2, "", "is a directory"}.check(t, ptcWith("", "fmt", t.TempDir()))
}

// TestFmtKeepsFile keeps the permissions of a file, and a link to it.
func TestFmtKeepsFile(t *testing.T) {
	file := write(t, "messy.ptc", messy)
	if err := os.Chmod(file, 0o750); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.ptc")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	wants{0, "", ""}.check(t, ptcWith("", "fmt", link))
	text, _ := os.ReadFile(file)
	info, err := os.Stat(file)
	if err != nil || string(text) != neat || info.Mode().Perm() != 0o750 {
		t.Errorf("%v, %v: %s", err, info.Mode(), text)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if files, _ := os.ReadDir(filepath.Dir(file)); len(files) != 1 {
		t.Errorf("files are left: %v", files)
	}
}

// TestExamplesAreFormatted holds the examples to the layout of ptc fmt.
func TestExamplesAreFormatted(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*.ptc")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples")
	}
	if got := ptcWith("", append([]string{"fmt", "--check"}, files...)...); got.code != 0 {
		t.Errorf("run ptc fmt on\n%s%s", strings.ReplaceAll(got.out, "../../", ""), got.err)
	}
}
