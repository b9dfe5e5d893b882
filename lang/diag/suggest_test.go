package diag

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	names := strings.Fields("map mapv mapcat filter filterv reduce reduce-kv first rest next inc dec + - * " +
		"get get-in assoc assoc-in update update-in str println print-str defn def let letfn fn loop recur keyword ->> -> http/get http/post")
	for _, c := range []struct{ name, want string }{
		{"maap", "map"},
		{"mpa", "map"}, // a swap is one edit
		{"fliter", "filter"},
		{"reducekv", "reduce-kv"},
		{"reducee", "reduce"},
		{"frist", "first"},
		{"printn", "println"},
		{"prinltn", "println"},
		{"asoc-in", "assoc-in"},
		{"DEFN", "defn"},
		{"Map", "map"},
		{"http/pst", "http/post"},
		{"ht/get", "http/get"},
		{"kwyword", "keyword"},
		{"q", ""},
		{"a", ""},
		{"", ""},
		{"xyz", ""},
		{"something-else", ""},
		{strings.Repeat("x", 1000), ""},
	} {
		got, ok := Suggest(c.name, slices.Values(names))
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Suggest(%q) = %q, %v, want %q", c.name, got, ok, c.want)
		}
		slices.Reverse(names)
		if again, _ := Suggest(c.name, slices.Values(names)); again != got {
			t.Errorf("Suggest(%q) depends on the order: %q and %q", c.name, got, again)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abcd", "badc", 2},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"日本", "本日", 1},
	} {
		if got := editDistance([]rune(c.a), []rune(c.b), 100); got != c.want {
			t.Errorf("distance of %q and %q is %d, want %d", c.a, c.b, got, c.want)
		}
		if got := editDistance([]rune(c.b), []rune(c.a), 100); got != c.want {
			t.Errorf("distance of %q and %q is %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestEditDistanceCutOff(t *testing.T) {
	a, b := []rune(strings.Repeat("a", maxSuggest)), []rune(strings.Repeat("b", maxSuggest+3))
	if got := editDistance(a, b, 3); got <= 3 {
		t.Errorf("got %d, want more than 3", got)
	}
}

func BenchmarkSuggest(b *testing.B) {
	var names []string
	for i := range 700 {
		names = append(names, fmt.Sprintf("name-%d-of-it", i*7919))
	}
	for b.Loop() {
		Suggest("nmae-77-of-it", slices.Values(names))
	}
}
