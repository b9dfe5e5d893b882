package strfmt

// This file defines operations on long strings. They work block by block, so that the caller can
// account for the work and stop it.

import (
	"strings"
	"unicode/utf8"
)

// textBlock is the approximate number of bytes that are counted, converted or copied at a time.
const textBlock = 64 << 10

// firstBlock returns the length of the first block of s, which ends at a character boundary.
func firstBlock(s string) int {
	n := min(len(s), textBlock)
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return n
}

// runeCount is utf8.RuneCountInString.
func runeCount(s string, work func(n int64)) int {
	n := 0
	for len(s) > textBlock {
		k := firstBlock(s)
		n += utf8.RuneCountInString(s[:k])
		s = s[k:]
		work(textBlock / 64)
	}
	return n + utf8.RuneCountInString(s)
}

// upper is strings.ToUpper.
func upper(s string, work func(n int64)) string {
	if len(s) <= textBlock {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/2) // upper case adds no more than half
	for s != "" {
		k := firstBlock(s)
		work(int64(k) / 16)
		b.WriteString(strings.ToUpper(s[:k]))
		s = s[k:]
	}
	return b.String()
}

func appendText(dst []byte, text string, look func()) []byte {
	const block = 1 << 20 // takes a millisecond if the memory is new
	for len(text) > block {
		dst = append(dst, text[:block]...)
		text = text[block:]
		look()
	}
	return append(dst, text...)
}
