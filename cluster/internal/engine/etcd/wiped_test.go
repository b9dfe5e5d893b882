package etcd

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWiped empties the directory of a member. It is refused, however it is started.
func TestWiped(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 3, func(o *Options) {})
	put(t, c.engine(0), "k", "v")
	o := c.options[1]
	c.Stop(1)
	require.NoError(t, os.RemoveAll(dataDir(o.Dir)))
	for _, start := range []Start{Restart, New, Join} {
		o.Start = start
		_, err := Open(t.Context(), o)
		require.ErrorIs(t, err, ErrWiped)
		require.ErrorContains(t, err, "the member has run since")
		require.ErrorContains(t, err, "replace this one")
	}
	require.NoError(t, os.RemoveAll(o.Dir)) // the file that marks it too
	for start, want := range map[Start]string{Restart: "is empty", New: "the other members know", Join: "the other members know"} {
		o.Start = start
		_, err := Open(t.Context(), o)
		require.ErrorIs(t, err, ErrWiped)
		require.ErrorContains(t, err, want)
	}
	// Two members go on, and the directory is empty still.
	put(t, c.engine(2), "k", "v2")
	left, err := os.ReadDir(dataDir(o.Dir))
	require.True(t, os.IsNotExist(err) || len(left) == 0, "%v", left)
}

// TestWipedBesideSlow empties the directory of a member while the others take longer to answer than it waits at first:
// it is refused all the same. One that had started without their answer ended with a panic of etcd.
func TestWipedBesideSlow(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 3, func(o *Options) {})
	put(t, c.engine(0), "k", "v")
	o := c.options[1]
	c.Stop(1)
	require.NoError(t, os.RemoveAll(o.Dir))
	c.Slow(0, probe)
	c.Slow(2, probe)
	_, err := Open(t.Context(), o)
	c.Heal()
	require.ErrorIs(t, err, ErrWiped)
	require.ErrorContains(t, err, "the other members know")
	c.Stop(0)
	c.Stop(2)
}
