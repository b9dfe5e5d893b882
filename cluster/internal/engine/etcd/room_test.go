// This file defines the tests of package room on files.

package etcd

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/room"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// TestRoom fills the databases of three members with the history of a few keys until no writes are made any more. From
// then on room is kept: writes continue by themselves, and the history of several times the quota is written without
// the alarm.
func TestRoom(t *testing.T) {
	testlevel.System(t)
	t.Parallel()
	const quota = 8 << 20
	c := openInProcess(t, 3, func(o *Options) { o.Quota = quota })
	value := make([]byte, 128<<10)
	write := func(i int) error {
		_, err := engine.Repeat(t.Context(), c.engine(i%3), time.Minute, nil, engine.Put("k"+strconv.Itoa(i%5), value))
		return err
	}
	var err error
	written := 0
	for ; err == nil; written++ {
		err = write(written)
	}
	require.ErrorIs(t, err, engine.ErrFull)

	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for i := range 3 {
		k := room.New(room.Options{Engine: c.engine(i), Files: c.engine(i).Admin(), Every: time.Second / 2})
		work.Go(func() { k.Tend(ctx) })
		if i == 1 {
			work.Go(func() { k.Compact(ctx) })
		}
	}
	defer func() { cancel(); work.Wait() }()
	begin := time.Now()
	require.Eventually(t, func() bool { return write(0) == nil }, time.Minute, 50*time.Millisecond)
	t.Logf("%d values of 128 KB filled the quota; there was room again after %v", written, time.Since(begin))

	most := int64(0)
	for i := range 3 * quota / len(value) {
		err := write(i)
		if i > quota/len(value) { // before, a member that had no room yet could raise the alarm again
			require.NotErrorIs(t, err, engine.ErrFull)
		}
		require.Eventually(t, func() bool { // room is made as fast as on a machine with time for it
			s, err := c.engine(i % 3).Status(t.Context())
			require.NoError(t, err)
			most = max(most, s.Bytes)
			return s.Used < quota/2
		}, time.Minute, 50*time.Millisecond)
	}
	t.Logf("the largest file had %d KB", most>>10)
	require.Less(t, most, int64(quota)+1<<20)
}
