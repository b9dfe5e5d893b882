package room_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/engine/room"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
)

// names are those of the members of the tests.
var names = []string{"node1", "node2", "node3"}

// processes keeps room in an engine with a process after the other, each on the next member. None lives as long as
// life, and each is killed.
func processes(ctx context.Context, c *memory.Cluster, o room.Options, life time.Duration) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 0; ctx.Err() == nil; i++ {
		name := names[i%len(names)]
		o.Engine = c.Member(name)
		process, end := context.WithTimeout(ctx, time.Duration(rng.Int64N(int64(life))))
		room.New(o).Compact(process)
		end()
		c.Crash(name)
		c.Start(name)
	}
}

// write changes one key again and again, until ctx ends, and returns how often and the first error.
func write(ctx context.Context, e func() engine.Engine, every time.Duration) (n int, err error) {
	value := make([]byte, 1000)
	for ctx.Err() == nil {
		_, err := e().Apply(ctx, nil, engine.Put("k", value))
		if errors.Is(err, engine.ErrFull) {
			return n, err
		}
		n++
		time.Sleep(every)
	}
	return n, nil
}

// TestShortLives has no process live as long as the time between two compactions. The history is bounded all the same:
// the quota is that of four times, and the writes would fill it 24 times.
func TestShortLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every, perSecond = 5 * time.Minute, 1
		quota := int64(4 * every / time.Second * perSecond * 1001)
		c := memory.New(memory.Options{Quota: quota}, names...)
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Hour)
		defer cancel()
		go processes(ctx, c, room.Options{Every: every}, every-time.Second)
		n, err := write(ctx, func() engine.Engine { return anyLiving(c) }, time.Second/perSecond)
		require.NoError(t, err, "after %d writes", n)
		require.Greater(t, int64(n)*1001, 20*quota)
	})
}

// anyLiving returns a member that runs.
func anyLiving(c *memory.Cluster) engine.Engine {
	for _, name := range names {
		if s, err := c.Member(name).Status(context.Background()); err == nil && s.Leader != "" {
			return c.Member(name)
		}
	}
	return c.Member(names[0])
}

// TestHistory requires revisions to be kept for Every, and for not much more than twice that, also if the clock of the
// node that has put the mark was wrong.
func TestHistory(t *testing.T) {
	for name, mark := range map[string]string{"without a mark": "", "ahead": `{"at":"2030-01-01T00:00:00Z"}`,
		"behind": `{"at":"1990-01-01T00:00:00Z"}`, "no mark": "?"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const every, step = 5 * time.Minute, 20 * time.Second
				c := memory.New(memory.Options{}, names...)
				e := c.Member("node1")
				if mark != "" {
					_, err := e.Apply(t.Context(), nil, engine.Put(room.Key, []byte(mark)))
					require.NoError(t, err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
				defer cancel()
				swept := 0
				sweep := func(context.Context) error { swept++; return errors.New("a run is damaged") }
				go room.New(room.Options{Engine: e, Every: every, Sweep: sweep}).Compact(ctx)
				var times []time.Time // of the revisions
				var revisions []engine.Revision
				for ctx.Err() == nil {
					r, err := e.Apply(t.Context(), nil, engine.Put("k", nil))
					require.NoError(t, err)
					times, revisions = append(times, time.Now()), append(revisions, r.Revision)
					read := func(back time.Duration) error {
						i := len(times) - 1 - int(back/step)
						if i < 0 {
							return engine.ErrCompacted
						}
						_, err := e.List(t.Context(), engine.Query{Revision: revisions[i]})
						return err
					}
					if len(times) > int(every/step) {
						require.NoError(t, read(every-step), "after %v", time.Since(times[0]))
					}
					require.ErrorIs(t, read(3*every), engine.ErrCompacted, "after %v", time.Since(times[0]))
					time.Sleep(step)
				}
				synctest.Wait()
				require.Greater(t, swept, 15, "an error of it stops nothing")
			})
		})
	}
}

// files is a database that keeps its size until it is rewritten, as a file does.
type files struct {
	*memory.Member
	c         *memory.Cluster
	size      int64
	rewritten int
	disarmed  int
}

func (f *files) Status(ctx context.Context) (engine.Status, error) {
	s, err := f.Member.Status(ctx)
	f.size = max(f.size, s.Bytes)
	s.Bytes = f.size
	return s, err
}

func (f *files) Defragment(context.Context) error { f.size = 0; f.rewritten++; return nil }

func (f *files) Disarm(context.Context) error { f.disarmed++; return nil }

// TestPressure writes so fast that the quota is reached before the next compaction is due. Then it comes earlier, and
// the file, which is mostly free afterwards, is rewritten.
func TestPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := memory.New(memory.Options{Quota: 1 << 20}, names...)
		f := &files{Member: c.Member("node1"), c: c}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		k := room.New(room.Options{Engine: f, Files: f, Every: 5 * time.Minute})
		go k.Compact(ctx)
		n, err := write(ctx, func() engine.Engine { return f.Member }, time.Second/25)
		require.NoError(t, err, "after %d writes", n)
		synctest.Wait()
		require.Zero(t, f.rewritten, "the file is not near the quota, %d bytes", f.size)

		require.NoError(t, f.Compact(t.Context(), c.Revision()))
		f.size = 900 << 10
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		k.Tend(ctx)
		require.Equal(t, 1, f.rewritten)
	})
}

// full is a database at its quota that counts pages as free only after a write, as etcd does. It has an alarm until
// Disarm.
type full struct {
	*files
	revision engine.Revision // at which the pages were counted
	used     int64
}

func (f *full) Status(ctx context.Context) (engine.Status, error) {
	s, err := f.files.Status(ctx)
	if s.Revision != f.revision || s.Bytes == s.Used { // a file that was just rewritten has no free page
		f.revision, f.used = s.Revision, s.Used
	}
	s.Used, s.Quota = f.used, 1<<20
	if f.disarmed == 0 {
		s.Alarms = []string{engine.AlarmFull + " on node1"}
	}
	return s, err
}

// TestFull has a full database, whose free pages are not counted, get room all the same. It is rewritten once.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := memory.New(memory.Options{}, names...)
		f := &full{files: &files{Member: c.Member("node1"), c: c}}
		for range 100 {
			_, err := f.Apply(t.Context(), nil, engine.Put("k", make([]byte, 10<<10)))
			require.NoError(t, err)
		}
		s, err := f.Status(t.Context())
		require.NoError(t, err)
		require.Greater(t, s.Used, s.Quota/10*9)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		room.New(room.Options{Engine: f, Files: f, Every: 5 * time.Minute}).Compact(ctx)
		require.Equal(t, 1, f.rewritten)
		require.Equal(t, 1, f.disarmed)
	})
}

// TestReaders has readers of a constantly written and compacted log fall behind the kept revisions: each
// reader sees each record once, in order.
func TestReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every, records = 2 * time.Second, 1200
		c := memory.New(memory.Options{}, names...)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go room.New(room.Options{Engine: c.Member("node1"), Every: every}).Compact(ctx)
		behind := &counting{Member: c.Member("node3")}
		l, err := runlog.New(runlog.Options{Engine: behind, Run: "run"})
		require.NoError(t, err)
		defer l.Close()
		seen := make(map[string]int)
		last := ""
		followed := make(chan error, 1)
		go func() {
			followed <- l.Follow(ctx, 0, func(_ runlog.Position, data []byte) error {
				seen[string(data)]++
				last = string(data)
				if len(seen)%200 == 0 {
					time.Sleep(10 * every) // slower than the compaction
				}
				return nil
			})
		}()
		w, err := runlog.New(runlog.Options{Engine: c.Member("node1"), Run: "run", Writer: "w"})
		require.NoError(t, err)
		defer w.Close()
		for i := range records {
			data := fmt.Sprint(i)
			_, err := w.Append(ctx, []runlog.Item{{ID: data, Data: []byte(data)}})
			require.NoError(t, err)
			switch i % 400 {
			case 120:
				c.Cut("node3")
			case 280:
				c.Heal()
			}
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		require.Len(t, seen, records)
		for data, n := range seen {
			assert.Equal(t, 1, n, data)
		}
		require.Equal(t, fmt.Sprint(records-1), last)
		require.Positive(t, behind.compacted, "the reader never fell behind what is kept")
		cancel()
		require.ErrorIs(t, <-followed, context.Canceled)
	})
}

// counting counts how often a watch fell behind the kept revisions.
type counting struct {
	*memory.Member
	compacted int
}

func (c *counting) Watch(ctx context.Context, prefix string, after engine.Revision, f func(engine.Commit) error) error {
	err := c.Member.Watch(ctx, prefix, after, f)
	if errors.Is(err, engine.ErrCompacted) {
		c.compacted++
	}
	return err
}
