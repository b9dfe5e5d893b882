package tool

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFits compares the predicted size of a text as JSON with the actual one.
func TestFits(t *testing.T) {
	all := make([]rune, 0, 0x10000)
	for c := rune(0); c < 0x10000; c++ {
		all = append(all, c)
	}
	for _, text := range []string{"", "plain", "\x00\x01\x1f\x7f", "\"\\/\b\f\n\r\t<>&", "é\u2028\u2029\ufffd🔑", "\xff\xfea\xc3", string(all)} {
		quoted, err := encoded(text)
		require.NoError(t, err)
		assert.Equal(t, int64(len(quoted)), encodedSize(text))
		within := func(room int) context.Context {
			return context.WithValue(t.Context(), callKey{}, callInfo{room: int64(room), key: "key"})
		}
		assert.NoError(t, Fits(within(len(quoted)), text))
		assert.Error(t, Fits(within(len(quoted)-1), text))
		assert.NoError(t, Fits(t.Context(), text))
	}
}
