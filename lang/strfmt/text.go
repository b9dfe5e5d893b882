package strfmt

// This file defines what is done to long texts: piece by piece, so that the caller can
// account for the work, and stop it.

import (
	"strings"
	"unicode/utf8"
)

// textBlock is about how many bytes are counted, changed or copied at once.
const textBlock = 64 << 10

// firstBlock gives the length of the first block of s, which ends before a character.
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
	b.Grow(len(s) + len(s)/2) // by more, no upper case is longer
	for s != "" {
		k := firstBlock(s)
		work(int64(k) / 16)
		b.WriteString(strings.ToUpper(s[:k]))
		s = s[k:]
	}
	return b.String()
}

func appendText(dst []byte, text string, look func()) []byte {
	const block = 1 << 20 // which takes a millisecond where the memory is new
	for len(text) > block {
		dst = append(dst, text[:block]...)
		text = text[block:]
		look()
	}
	return append(dst, text...)
}
