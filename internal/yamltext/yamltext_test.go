package yamltext_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/yamltext"
)

// TestDeep holds texts for which the parser takes seconds and gigabytes.
func TestDeep(t *testing.T) {
	for text, column := range map[string]int{
		"[": 51, "{": 51, "- ": 101, "{a: ": 201, "- [": 76, "[- ": 76, "- !!a ": 251, "!!a - ": 254,
	} {
		_, deep := yamltext.Tokenize(strings.Repeat(text, 10_000))
		require.NotNil(t, deep, text)
		assert.Equal(t, column, deep.Position.Column, text)
	}
}

// TestNotDeep holds brackets and dashes that open nothing, and many that are closed.
func TestNotDeep(t *testing.T) {
	for _, text := range []string{
		"a: 1 # [\n", "\"a[\": {\n}\n", "- a # - [{\n", "'[': a\n", "- [a, {b: c}]\n", "a: b - - [\n",
	} {
		_, deep := yamltext.Tokenize(strings.Repeat(text, 1000))
		assert.Nil(t, deep, text)
	}
}
