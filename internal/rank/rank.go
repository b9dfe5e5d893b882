// Package rank orders named things by how well they match a query of words.
package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Thing is something that is searched for.
type Thing interface {
	Name() string
	Signature() string
	Doc() string
}

// The weights of a word by where it stands, and by how it matches.
const (
	inName      = 4
	inSignature = 2
	inDoc       = 1
	partly      = 0.6 // the word of the query is the beginning of the other, or the other way round
	whole       = 20  // the whole query is a part of the name
)

// minPart is the number of letters from which on the beginning of a word matches.
const minPart = 4

// Search returns the things that match a word of the query, the best first. A word counts the more, the fewer things
// have it: its weight is multiplied by its inverse document frequency (Sparck Jones, "A statistical interpretation of
// term specificity and its application in retrieval", 1972). Equally good things keep their order.
func Search[T Thing](all []T, query string) []T {
	words := split(query)
	matches := make([][]float64, len(all)) // by thing and word
	having := make([]int, len(words))
	for i, t := range all {
		name, signature, doc := split(t.Name()), split(t.Signature()), split(t.Doc())
		matches[i] = make([]float64, len(words))
		for k, word := range words {
			m := max(inName*match(name, word), inSignature*match(signature, word), inDoc*match(doc, word))
			if matches[i][k] = m; m > 0 {
				having[k]++
			}
		}
	}
	type scored struct {
		thing T
		score float64
	}
	var found []scored
	needle := strings.ToLower(strings.TrimSpace(query))
	for i, t := range all {
		score := 0.0
		for k := range words {
			score += matches[i][k] * math.Log1p(float64(len(all))/float64(max(having[k], 1)))
		}
		if needle != "" && strings.Contains(strings.ToLower(t.Name()), needle) {
			score += whole
		}
		if score > 0 {
			found = append(found, scored{t, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	things := make([]T, len(found))
	for i, f := range found {
		things[i] = f.thing
	}
	return things
}

// match returns how well the best of some words matches another: from 0 to 1.
func match(words []string, want string) (best float64) {
	for _, w := range words {
		switch {
		case w == want:
			return 1
		case min(len(w), len(want)) >= minPart && (strings.HasPrefix(w, want) || strings.HasPrefix(want, w)):
			best = partly
		}
	}
	return best
}

// split returns the words of a text in lower case: runs of letters and digits, and the parts of camelCase.
func split(text string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	lower := false
	for _, c := range text {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
			lower = false
			continue
		case unicode.IsUpper(c) && lower:
			end()
		}
		lower = unicode.IsLower(c)
		word = append(word, c)
	}
	end()
	return words
}
