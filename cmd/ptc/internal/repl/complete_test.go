package repl

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	inDir(t, "a.ptc", "ab.ptc", ".hidden")
	if err := os.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("sub/x.ptc", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSetup(t, "(defn mapper [x] {:seen x})", "(ns other) (def thing 1)", "(ns user)", "(keyword \"made\")")
	s.run(t)
	for _, c := range []struct{ before, word, want string }{
		{"(ma", "ma", "map map-indexed mapper mapv"},
		{"(map", "map", "map-indexed mapper mapv"},
		{"(mapper", "mapper", ""},
		{"(x (str/j", "str/j", "str/join"},
		{"'ma", "ma", "map map-indexed mapper mapv"},
		{"(f @re", "re", "reduce"},
		{"(f tool/", "tool/", "tool/double"},
		{"data/", "data/", "data/n data/orders"},
		{"oth", "oth", "other/thing"},
		{"*", "*", "*1 *2 *3 *e"},
		{"(:se", ":se", ":seen"},
		{"(:ma", ":ma", ":made"},
		{"[:i", ":i", ":id"},
		{"(f :n", ":n", ":net"},
		{":he", ":he", ":help"},
		{"  :s", ":s", ":save :seen :source"},
		{"(f :s", ":s", ":seen"},
		{":doc ma", "ma", "map map-indexed mapper mapv"},
		{":load a", "a", "a.ptc ab.ptc"},
		{`:load "a`, "a", "a.ptc ab.ptc"},
		{":save sub" + string(os.PathSeparator), "sub" + string(os.PathSeparator), "sub" + string(os.PathSeparator) + "x.ptc"},
		{":load s", "s", "sub" + string(os.PathSeparator)},
		{":load .", ".", ".hidden"},
		{":load ", "", "a.ptc ab.ptc sub" + string(os.PathSeparator)},
		{":load nope/", "nope/", ""},
		{"(f ", "", ""},
		{"zzz", "zzz", ""},
	} {
		word, got := s.script.complete(c.before)
		if word != c.word || strings.Join(got, " ") != c.want {
			t.Errorf("%q: got %q, %q, want %q, %q", c.before, word, got, c.word, c.want)
		}
	}
	if _, all := s.script.complete(""); len(all) < 10 {
		t.Errorf("at the beginning there are %q", all)
	}
}

func TestSeenIsBounded(t *testing.T) {
	var s seen
	for i := range maxSeen + 10 {
		s.source(":k" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/182))
	}
	if len(s.keywords) > maxSeen {
		t.Errorf("%d keywords", len(s.keywords))
	}
	s = seen{}
	s.source(strings.Repeat(" ", maxScanned) + " :late")
	if len(s.keywords) > 0 {
		t.Errorf("seen %v", s.keywords)
	}
}

// TestCandidates checks the candidates for the line editor: none is wider than the terminal, there are no
// more than it can list, and all of them have the common prefix.
func TestCandidates(t *testing.T) {
	many := []string{"c0"}
	for i := range 200 {
		many = append(many, "ch"+strings.Repeat("x", i%3)+string(rune(0x100+i)))
	}
	many = append(many, "cz")
	for _, c := range []struct {
		name, line string
		candidates []string
		want       string
		length     int
	}{
		{"one", "(ma", []string{"map"}, "p", 2},
		{"a common part", "(re", []string{"reduce", "reduced"}, "duce", 2},
		{"several", "(reduce", []string{"reduced", "reduced?"}, "d", 6},
		{"nothing in common", "(m", []string{"map", "mod"}, "ap od", 1},
		{"not ASCII", "(ä", []string{"äa", "äb"}, "a b", 1},
		{"a part of a character in common", "x", []string{"xä", "xö"}, "ä ö", 1},
		{"too wide", "m", []string{"ma", "mb" + strings.Repeat("x", 200), "mc"}, "a c … 1 more", 1},
		{"one that is too wide", "m", []string{"m" + strings.Repeat("x", 200)}, strings.Repeat("x", 200), 1},
		{"none", "x", nil, "", 0},
	} {
		tty := &Terminal{complete: func(before string) (string, []string) {
			return before[1+strings.LastIndex(before, "("):], c.candidates
		}}
		rest, length := tty.Do([]rune(c.line), len([]rune(c.line)))
		var got []string
		for _, r := range rest {
			got = append(got, string(r))
		}
		if strings.Join(got, " ") != c.want || length != c.length {
			t.Errorf("%s: got %q, %d, want %q, %d", c.name, got, length, c.want, c.length)
		}
	}
	tty := &Terminal{complete: func(string) (string, []string) { return "c", many }}
	rest, _ := tty.Do([]rune("c"), 1)
	last := fmt.Sprintf("… %d more", len(many)-maxCandidates) // the screen of a test has 24 lines of 80
	if n := len(rest); n != maxCandidates+1 || string(rest[0]) != "0" || string(rest[n-1]) != last {
		t.Errorf("of many, %d are given, the last is %s", n, string(rest[n-1]))
	}
	if got, pos, ok := tty.change([]rune("(c"+last+"x 1)"), len([]rune("(c"+last+"x")), 'x'); string(got) != "(cx 1)" || pos != 3 || !ok {
		t.Errorf("what is no candidate becomes a part of the line: %q, %d, %t", string(got), pos, ok)
	}
}

func TestListed(t *testing.T) {
	names := []string{"a", "bcdefghi", "日本"}
	for _, c := range []struct{ width, height, want int }{
		{80, 24, maxCandidates}, {80, 10, 39}, {80, 3, 7}, {80, 1, 1}, {24, 24, 23}, {24, 2, 1}, {5, 24, 11},
	} {
		if got := listed(names, c.width, c.height); got != c.want {
			t.Errorf("%d x %d: got %d, want %d", c.width, c.height, got, c.want)
		}
	}
}
