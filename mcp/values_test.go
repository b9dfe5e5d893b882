package mcp

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The value of a run of a service is kept again each time a request follows the run.
func TestValueKeptAgain(t *testing.T) {
	v := newValues(time.Hour)
	text := strings.Repeat("x", maxKept/8)
	for range 20 {
		require.True(t, v.keep("run", "ann", text))
	}
	require.Equal(t, len(text), v.size)
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		require.True(t, v.keep(id, "ann", text))
	}
	require.Equal(t, maxKept, v.size)
	_, ok := v.get("run", "ann")
	require.False(t, ok, "it was not used for the longest time")
}

// Each page but the last has at least one character, so that a client gets to the end with any limit.
func TestSmallPages(t *testing.T) {
	const text = "aé€😀z"
	for size := 1; size <= len(text); size++ {
		var whole strings.Builder
		for from := 0; from < len(text); {
			page, next := pageOf(text, from, size)
			require.NotEmpty(t, page, "%d bytes from %d", size, from)
			require.Equal(t, from+len(page), next)
			whole.WriteString(page)
			from = next
		}
		require.Equal(t, text, whole.String())
	}
	u, err := url.Parse("ptc://run/x/value?limit=0")
	require.NoError(t, err)
	_, err = within(u, "limit", 1, 10, 10)
	require.ErrorContains(t, err, `limit: got "0", want a whole number from 1 to 10`)
}
