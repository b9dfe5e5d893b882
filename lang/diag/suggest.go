// This file defines Suggest, which finds the name that a user probably meant.

package diag

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// maxSuggest is the longest name, in code points, that Suggest examines: its work is quadratic in
// the length.
const maxSuggest = 40

// Suggest returns the candidate closest to name by Damerau–Levenshtein distance (inserted, missing,
// replaced or swapped neighbouring characters), for "did you mean". A name of up to 2 characters
// has no close candidates. A name of up to 5 characters may differ in one place, a name of up to 8
// in two, and a longer name in three. A difference in case alone always counts as close. Among
// equally close candidates, one with the same first character wins, then the alphabetically first,
// so the order of the candidates does not matter.
func Suggest(name string, candidates iter.Seq[string]) (string, bool) {
	n := utf8.RuneCountInString(name)
	if n == 0 || n > maxSuggest || candidates == nil {
		return "", false
	}
	runes := []rune(name)
	allowed := allowedEdits(n)
	best, bestCost := "", costOf(allowed, false)+1
	for c := range candidates {
		if c == name || c == "" {
			continue
		}
		cost := bestCost + 1
		if strings.EqualFold(c, name) {
			cost = 0
		} else if m := utf8.RuneCountInString(c); m <= n+allowed && m >= n-allowed {
			if d := editDistance(runes, []rune(c), allowed); d <= allowed && d < max(n, m) {
				cost = costOf(d, firstRune(c) == runes[0])
			}
		}
		if cost < bestCost || cost == bestCost && best != "" && c < best {
			best, bestCost = c, cost
		}
	}
	return best, best != ""
}

func allowedEdits(n int) int {
	switch {
	case n <= 2:
		return 0
	case n <= 5:
		return 1
	case n <= 8:
		return 2
	}
	return 3
}

// costOf returns the rank of a candidate: by distance, then by whether the first characters are the
// same.
func costOf(distance int, sameFirst bool) int {
	if sameFirst {
		return 2 * distance
	}
	return 2*distance + 1
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// editDistance returns the optimal string alignment distance of a and b. It stops early and returns
// more than most if the distance exceeds most.
func editDistance(a, b []rune, most int) int {
	var rows [3][maxSuggest + 4]int // the last three rows of the matrix
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, up, upUp := &rows[i%3], &rows[(i-1)%3], &rows[(i+1)%3]
		row[0] = i
		low := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(up[j]+1, row[j-1]+1, up[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, upUp[j-2]+1)
			}
			row[j] = d
			low = min(low, d)
		}
		if low > most+1 { // a swap may refer to the row two above
			return low
		}
	}
	return rows[len(a)%3][len(b)]
}
