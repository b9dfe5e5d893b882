package schedule_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// TestElected: each minute is submitted once, while the duty moves between nodes, some of which die in the middle of a
// decision. A node without the duty has no scheduler.
func TestElected(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		var first schedule.Elected
		_, err := first.Scheduler()
		require.ErrorIs(t, err, serve.ErrUnavailable)
		begin := time.Now()
		for i := range 20 {
			var node schedule.Elected
			p := &process{world: w}
			n := 0
			p.fault = func() fault {
				if n++; n == 1+i%4 && i%2 == 1 {
					return []fault{diesThen, diesNow}[i/2%2]
				}
				return noFault
			}
			tries := 0
			ctx, end := context.WithCancel(t.Context())
			var done sync.WaitGroup
			done.Go(func() {
				node.Run(ctx, func(ctx context.Context) (*schedule.Scheduler, error) {
					if tries++; tries < 3 {
						return nil, errDisk
					}
					return schedule.New(ctx, p, schedule.Options{Store: p, Identity: w.identity})
				}, slog.New(slog.DiscardHandler))
			})
			time.Sleep(11 * time.Second)
			s, err := node.Scheduler()
			require.NoError(t, err)
			if i == 0 {
				_, err := s.Put(t.Context(), wire.ScheduleRef{Name: "s"}, wire.ScheduleSetting{Cron: "* * * * *",
					Missed: wire.RunAll, MissedMost: 20, Overlap: wire.AllowOverlap, Run: store.Submission{Source: "1"}}, 0, ann)
				require.NoError(t, err)
			}
			time.Sleep(4*time.Minute + 30*time.Second)
			end()
			done.Wait()
			_, err = node.Scheduler()
			require.ErrorIs(t, err, serve.ErrUnavailable)
		}
		last := w.start(nil) // decides the times that the others have left
		time.Sleep(time.Minute)
		last.Close()
		times := w.times("s")
		require.GreaterOrEqual(t, len(times), int(time.Since(begin)/time.Minute)-2)
		for i := 1; i < len(times); i++ {
			require.Equal(t, time.Minute, times[i].Sub(times[i-1]), "each minute once, in order")
		}
	})
}
