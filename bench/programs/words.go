// This file defines the 20 most frequent words of a text.

package programs

import (
	"regexp"
	"sort"
	"strings"
)

// Words is the workload words. Words of equal frequency are in alphabetical
// order.
func Words(data map[string]any) any {
	text := strings.ToLower(data["text"].(string))
	counts := map[string]int{}
	for _, word := range regexp.MustCompile("[^a-z]+").Split(text, -1) {
		if word != "" {
			counts[word]++
		}
	}
	words := make([]string, 0, len(counts))
	for word := range counts {
		words = append(words, word)
	}
	sort.Slice(words, func(i, j int) bool {
		a, b := words[i], words[j]
		if counts[a] != counts[b] {
			return counts[a] > counts[b]
		}
		return a < b
	})
	top := make([]any, 20)
	for i, word := range words[:20] {
		top[i] = []any{word, counts[word]}
	}
	return top
}
