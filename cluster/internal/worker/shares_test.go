package worker_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// TestShares checks that the share of a tenant bounds its active and its waiting runs on all nodes together.
func TestShares(t *testing.T) {
	run(t, 3, func(w *world) {
		for _, name := range w.names {
			w.stop(name)
		}
		shares, err := access.NewShares(map[string]access.Share{"small": {Running: 2, Queued: 4}}, access.Share{}, nil)
		require.NoError(t, err)
		w.shares = shares
		for _, name := range w.names {
			w.start(name)
		}
		time.Sleep(2 * time.Second)
		bob := access.Who{Name: "bob", Tenant: "small", Role: access.Submitter}
		submit := func(i int, who access.Who) error {
			_, _, err := w.nodes[w.names[i%3]].engine.Submit(context.Background(),
				store.Submission{Source: `(tool/do.slow {:name "` + who.Name + strconv.Itoa(i) + `"})`}, who)
			return err
		}
		var refused *access.Refusal
		for i := range 6 { // two run, four wait
			require.NoError(t, submit(i, bob), i)
			time.Sleep(time.Second)
		}
		for i := range 3 {
			require.ErrorAs(t, submit(i, bob), &refused)
			require.Equal(t, "queued", refused.Bound)
		}
		require.Len(t, w.called(), 2)
		require.NoError(t, submit(0, ann), "another tenant has its own share")
		time.Sleep(2 * time.Second)
		require.Len(t, w.called(), 3)
		time.Sleep(20 * time.Second) // two have ended, and two others began
		require.Len(t, w.called(), 5)
		require.NoError(t, submit(1, bob))
		time.Sleep(80 * time.Second)

		// Many submissions at once to one node: no more are accepted than there is room for.
		var mu sync.Mutex
		var taken, left int
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				err := submit(3*i, bob)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					taken++
				case errors.As(err, &refused):
					left++
				default:
					require.NoError(t, err)
				}
			})
		}
		all.Wait()
		require.Equal(t, 20, taken+left)
		require.GreaterOrEqual(t, taken, 4)
		require.LessOrEqual(t, taken, 8, "four that wait, and those that have begun meanwhile")
		time.Sleep(80 * time.Second)
	})
}
