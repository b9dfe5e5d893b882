// Package documents makes texts of common and rare words for the similarity example and its test.
//
// The texts are a pure function of their number and a seed: PCG returns the same numbers everywhere.
package documents

import (
	"math/rand/v2"
	"strings"
)

const (
	vocabulary = 3000
	wordsEach  = 60
	// one document in so many is another one with some words changed
	copied  = 20
	changed = 10
)

// Input returns the input of the example: n documents, and the similarity above which a pair is named.
func Input(n int, seed uint64) map[string]any {
	return map[string]any{"documents": Generate(n, seed), "threshold": 0.9}
}

// Generate returns n texts. How often a word stands in them falls with its number, as in real texts (Zipf's law).
func Generate(n int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	zipf := rand.NewZipf(r, 1.1, 4, vocabulary-1)
	texts := make([]string, max(n, 0))
	for i := range texts {
		var words []string
		if i > 0 && r.IntN(copied) == 0 {
			words = strings.Fields(texts[r.IntN(i)])
			for range changed {
				words[r.IntN(len(words))] = word(zipf.Uint64())
			}
		} else {
			for range wordsEach {
				words = append(words, word(zipf.Uint64()))
			}
		}
		texts[i] = strings.Join(words, " ")
	}
	return texts
}

// word spells the n-th word.
func word(n uint64) string {
	syllables := []string{"ba", "ke", "li", "mo", "nu", "pra", "sto", "tir", "ven", "zul"}
	var b strings.Builder
	for n += 10; n > 0; n /= 10 {
		b.WriteString(syllables[n%10])
	}
	return b.String()
}
