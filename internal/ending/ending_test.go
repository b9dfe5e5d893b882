package ending_test

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ending"
)

// TestDo has steps that end immediately, late and never.
func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := ending.New(slog.New(slog.NewTextHandler(&out, nil)))
		failed := errors.New("failed")
		require.ErrorIs(t, s.Do("the store", time.Minute, func() error { return failed }), failed)
		require.Empty(t, out.String())

		require.NoError(t, s.Do("the queue", time.Minute, func() error {
			require.Equal(t, []string{"the queue"}, s.Now())
			time.Sleep(59 * time.Second)
			return nil
		}))
		require.Contains(t, out.String(), `for="the queue" after=59s`)
		require.Empty(t, s.Now())

		hold := make(chan struct{})
		err := s.Do("the engine", time.Minute, func() error { <-hold; return nil })
		require.ErrorIs(t, err, ending.ErrLate)
		require.ErrorContains(t, err, "the engine")
		require.Contains(t, out.String(), `for="the engine" after=1m0s`)
		close(hold)
	})
}
