// Package capture keeps the beginning of the output of commands, in bounded memory.
package capture

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Buffer takes the first bytes that are written to it and counts the rest. A writer never
// waits for it and never gets an error: a command whose output is cut still runs to its
// end. It is safe for concurrent use, as a command that was left may still write while
// its output is read.
type Buffer struct {
	mu      sync.Mutex
	kept    []byte
	max     int
	dropped int64
}

// New makes a buffer that keeps max bytes.
func New(max int) *Buffer { return &Buffer{max: max} }

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(p), b.max-len(b.kept))
	b.kept = append(b.kept, p[:n]...)
	b.dropped += int64(len(p) - n)
	return len(p), nil
}

// Text returns the kept output, as text that JSON can hold, and the number of bytes that are missing after it.
// A rune that the end cuts is dropped; bytes that are no UTF-8 become U+FFFD.
func (b *Buffer) Text() (text string, dropped int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.kept
	if b.dropped > 0 {
		kept = wholeRunes(kept)
	}
	return strings.ToValidUTF8(string(kept), "\uFFFD"), b.dropped + int64(len(b.kept)-len(kept))
}

// wholeRunes drops an incomplete rune at the end.
func wholeRunes(p []byte) []byte {
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return p[:i]
			}
			break
		}
	}
	return p
}

// escaped is how many bytes of JSON a byte of text may take on average before a result
// is refused for its size: a newline takes two, most others one.
const escaped = 2

// Share returns how many bytes each of n streams may keep: max, or less if the result of
// the call has room for less. Room 0 is that of a call outside a run: any.
func Share(max int, room int64, n int) int {
	if room <= 0 {
		return max
	}
	return int(min(int64(max), room/int64(n*escaped)))
}
