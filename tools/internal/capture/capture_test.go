package capture_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptc-lang/ptc/tools/internal/capture"
)

func TestBuffer(t *testing.T) {
	for _, test := range []struct {
		name    string
		max     int
		writes  []string
		text    string
		dropped int64
	}{
		{"all", 10, []string{"hello"}, "hello", 0},
		{"just full", 5, []string{"hel", "lo"}, "hello", 0},
		{"one too many", 5, []string{"hel", "lo!"}, "hello", 1},
		{"a rune is cut", 5, []string{"abc→", "d"}, "abc", 4},
		{"bytes that are no text", 10, []string{"a\xffb"}, "a\uFFFDb", 0},
		{"a last byte that begins a rune", 10, []string{"a\xe2"}, "a\uFFFD", 0},
		{"nothing kept", 0, []string{strings.Repeat("x", 1000)}, "", 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := capture.New(test.max)
			for _, w := range test.writes {
				n, err := b.Write([]byte(w))
				assert.NoError(t, err)
				assert.Equal(t, len(w), n)
			}
			text, dropped := b.Text()
			assert.Equal(t, test.text, text)
			assert.Equal(t, test.dropped, dropped)
		})
	}
}

func TestShare(t *testing.T) {
	assert.Equal(t, 1000, capture.Share(1000, 0, 2))
	assert.Equal(t, 1000, capture.Share(1000, 1<<20, 2))
	assert.Equal(t, 100, capture.Share(1000, 400, 2))
}
