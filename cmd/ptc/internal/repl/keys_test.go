package repl

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestKeys reads keys in one piece, and byte by byte.
func TestKeys(t *testing.T) {
	for in, want := range map[string]string{
		"(+ 1 2)\r":              "(+ 1 2)\r",
		"a\x1b[3~b":              "a\ufdd2b",
		"\x1b[200~x\ty\x1b[201~": "\ufdd0x y\ufdd1",
		"\x1b[1~\x1b[4~":         "\x01\x05",
		"\x1b[1;5C\x1b[1;5D":     "\x1bf\x1bb",
		"\x1b[A\x1b[D":           "\x1b[A\x1b[D",
		"\x1b":                   "\x1b",
		"\x1b\x1b[3~":            "\x1b\ufdd2",
		"\x1b[20":                "\x1b[20",
		"\t\x03\x1b[200~a\tb\r\n\x03c\x04\x00\x1b[Dä\x7f\x1b[1;5Cd\x1b\x1b[201~\t\x03": "\t\x03\ufdd0a b\r\nc[Dä[1;5Cd\ufdd1\t\x03",
		"\x1b[2~ä日":               "\x1b[2~ä日",
		"\x1bf\x1b[1;2C\x1b[1;5C": "\x1bf\x1b[1;2C\x1bf",
	} {
		for name, in := range map[string]io.Reader{"at once": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
			"with the end": iotest.DataErrReader(strings.NewReader(in))} {
			got, err := io.ReadAll(&keys{in: in})
			if err != nil || string(got) != want {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
			}
		}
	}
}

// TestFilter checks the treatment of keys that the editor does not know.
func TestFilter(t *testing.T) {
	tty := &Terminal{}
	typed := func(c rune) rune {
		got, ok := tty.filter(c)
		if !ok {
			t.Errorf("%q is held back", c)
		}
		return got
	}
	if typed('\t') != '\t' || typed('a') != 'a' || typed(3) != 3 {
		t.Error("keys that are typed are changed")
	}
	if typed(pasteBegins) != nothing || !tty.pasting.Load() || typed(pasteEnds) != nothing || tty.pasting.Load() {
		t.Error("a paste does not begin or end")
	}
	for _, c := range []struct {
		line string
		pos  int
		want string
	}{{"abc", 1, "ac"}, {"abc", 3, "abc"}, {"", 0, ""}} {
		typed(deleteKey)
		got, pos, ok := tty.change([]rune(c.line), c.pos, nothing)
		if string(got) != c.want || pos != c.pos || !ok {
			t.Errorf("delete at %d of %q: got %q, %d, %t", c.pos, c.line, string(got), pos, ok)
		}
	}
	if _, _, ok := tty.change([]rune("x"), 0, 'x'); ok {
		t.Error("the line changes without cause")
	}
}

func TestPainter(t *testing.T) {
	for _, c := range []struct {
		line string
		pos  int
		want string
	}{{"abc", 0, "abc"}, {"日本", 0, "日本\b\b"}, {"日本", 1, "日本\b"}, {"日本", 2, "日本"}, {"日", 9, "日"}} {
		if got := string(painter{}.Paint([]rune(c.line), c.pos)); got != c.want {
			t.Errorf("%q at %d: got %q, want %q", c.line, c.pos, got, c.want)
		}
	}
}
