package journal_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/journal"
)

// TestEnded checks the count of ended effects, without effects that began again, and without a line that was cut off.
func TestEnded(t *testing.T) {
	long := strings.Repeat(`{"t":"end"`, 20_000)
	for text, want := range map[string]int{
		"": 0, `{"t":"run"}` + "\n": 0, `{"t":"run"}` + "\n" + `{"t":"begin","id":"0#1"}` + "\n" + `{"t":"end","id":"0#1"}` + "\n": 1,
		`{"t":"resume"}` + "\n" + `{"t":"begin"}` + "\n" + `{"t":"resume"}` + "\n" + `{"t":"begin"}` + "\n":                 0,
		`{"t":"settle"}` + "\n" + `{"t":"withdraw"}` + "\n" + `{"t":"end","torn`:                                            2,
		`{"t":"begin","args":"` + long + `"}` + "\n" + `{"t":"end","result":"` + long + `"}` + "\n" + `{"t":"skip"}` + "\n": 2,
	} {
		n, err := journal.Ended(strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, want, n, "%.200s", text)
	}
	n, err := journal.Ended(io.MultiReader(strings.NewReader(`{"t":"end"}`+"\n"), iotest.ErrReader(io.ErrClosedPipe)))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.Equal(t, 1, n)
}
