package ahocorasick_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/runtime/secret/internal/ahocorasick"
)

// TestModel compares the automaton with a search for each text at each place, for texts of
// few different bytes, so that one is often in another, and overlaps it.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(most, alphabet int) string {
		b := make([]byte, r.IntN(most+1))
		for i := range b {
			b[i] = byte(255 - r.IntN(alphabet)) // the last byte too
		}
		return string(b)
	}
	for range 3000 {
		alphabet := 1 + r.IntN(4)
		texts := make([]string, r.IntN(12))
		for i := range texts {
			texts[i] = word(8, alphabet)
		}
		compare(t, texts, word(60, alphabet+1))
	}
}

// compare compares the state of the automaton after each byte of a text with a search.
func compare(t *testing.T, texts []string, in string) {
	t.Helper()
	a := ahocorasick.New(texts)
	var at ahocorasick.State
	for done, n := 0, 0; done < len(in); {
		at, n = ahocorasick.Next(a, at, in[done:])
		for end := done + 1; end <= done+n; end++ {
			found, begun := naive(texts, in[:end])
			if end < done+n && found > 0 {
				t.Fatalf("%q in %q: nothing is found at %d, want %d bytes", texts, in, end, found)
			}
			if end == done+n && (a.Found(at) != found || a.Begun(at) != begun) {
				t.Fatalf("%q in %q: at %d %d bytes are found and %d begun, want %d and %d", texts, in, end, a.Found(at), a.Begun(at), found, begun)
			}
		}
		if done += n; done < len(in) && a.Found(at) == 0 {
			t.Fatalf("%q in %q: it ends at %d, where nothing is found", texts, in, done)
		}
		if again, m := ahocorasick.Next(a, at, []byte(in[done:])); len(in) == done && (again != at || m != 0) {
			t.Fatalf("%q in %q: no bytes lead from %d to %d", texts, in, at, again)
		}
	}
}

// naive returns the length of the longest text, and of the longest beginning of one, by
// which another ends.
func naive(texts []string, in string) (found, begun int) {
	for _, text := range texts {
		for n := 1; n <= len(text); n++ {
			if strings.HasSuffix(in, text[:n]) {
				begun = max(begun, n)
				if n == len(text) {
					found = max(found, n)
				}
			}
		}
	}
	return found, begun
}

// FuzzModel is TestModel for any bytes: the texts are separated by zero bytes.
func FuzzModel(f *testing.F) {
	f.Add("he\x00she\x00his\x00hers", "ushers")
	f.Add("aa\x00aaaa\x00ab", "aaabaaaab")
	f.Add("", "a")
	f.Fuzz(func(t *testing.T, texts, in string) {
		if len(texts) > 200 || len(in) > 200 {
			return
		}
		compare(t, strings.Split(texts, "\x00"), in)
	})
}
