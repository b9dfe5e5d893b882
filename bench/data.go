// This file defines the host's data, which is the same in every process.

package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// number returns the data of a workload that takes one number.
func number(name string, n int) func() map[string]any {
	return func() map[string]any { return map[string]any{name: n} }
}

// noData is the data of a workload without input.
func noData() map[string]any { return map[string]any{} }

// recordData returns 100,000 employees in 20 departments.
func recordData() map[string]any {
	r := random()
	records := make([]any, 100_000)
	for i := range records {
		records[i] = map[string]any{
			"id":     i,
			"dept":   fmt.Sprintf("dept-%02d", r.IntN(20)),
			"salary": 30_000 + r.IntN(90_000),
			"age":    20 + r.IntN(45),
		}
	}
	return map[string]any{"records": records}
}

// textBytes is the least size of the text.
const textBytes = 1 << 20

// textData returns 1 MB of sentences of 2,000 words. Their frequencies fall as in a natural language.
func textData() map[string]any {
	r := random()
	vocabulary := make([]string, 2000)
	for i := range vocabulary {
		word := make([]byte, 2+r.IntN(9))
		for j := range word {
			word[j] = byte('a' + r.IntN(26))
		}
		vocabulary[i] = string(word)
	}
	zipf := rand.NewZipf(r, 1.1, 2, uint64(len(vocabulary)-1))
	var b strings.Builder
	for b.Len() < textBytes {
		for i, last := 0, 4+r.IntN(12); i <= last; i++ {
			word := vocabulary[zipf.Uint64()]
			if i == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			b.WriteString(word)
			switch {
			case i == last:
				b.WriteString(".\n")
			case r.IntN(8) == 0:
				b.WriteString(", ")
			default:
				b.WriteByte(' ')
			}
		}
	}
	return map[string]any{"text": b.String()}
}
