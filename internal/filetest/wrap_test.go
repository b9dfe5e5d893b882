package filetest

import (
	"strings"
	"testing"
)

func TestWrapped(t *testing.T) {
	a, b := strings.Repeat("a", 100), strings.Repeat("b", 39)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"short\n\n  lines\n", "short\n\n  lines\n"},
		{a + " " + b, a + " " + b},
		{a + " " + b + "é\n", a + "\n" + b + "é\n"},
		{a + " " + b + " c\n", a + " " + b + "\nc\n"},
		{a + " " + b + " - c\n", a + "\n" + b + " - c\n"},
		{a + a, a + a},
	} {
		if got := Wrapped(c.text); got != c.want {
			t.Errorf("Wrapped(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
