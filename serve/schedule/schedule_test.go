package schedule_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	operator = access.Who{Name: "olga", Tenant: "default", Role: access.Operator}
	bob      = access.Who{Name: "bob", Tenant: "acme", Role: access.Submitter}
	viewer   = access.Who{Name: "vera", Tenant: "acme", Role: access.Viewer}
	other    = access.Who{Name: "oscar", Tenant: "other", Role: access.Submitter}
)

// in runs a test in a bubble in which time passes instantly. It begins at midnight of a day in 2000, in UTC.
func in(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, newWorld(t)) })
}

func TestTimes(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		p := w.start(nil)
		defer p.Close()
		kept := p.put("quarter", wire.ScheduleSetting{Cron: "*/15 * * * *"})
		assert.Equal(t, 1, kept.Version)
		assert.Equal(t, "ann", kept.Owner)
		assert.Equal(t, "UTC", kept.Zone)
		assert.Len(t, kept.Next, schedule.DefaultTimes)
		time.Sleep(time.Hour + time.Second)
		assert.Equal(t, "00:15 00:30 00:45 01:00", w.clocks("quarter"))
		got := p.get("quarter")
		require.Len(t, got.Last, 4)
		assert.Equal(t, "run4", got.Last[0].Run)
		assert.Equal(t, "01:15", got.Next[0].Format("15:04"))
		w.mu.Lock()
		run := w.runs[0].Run
		w.mu.Unlock()
		assert.Equal(t, map[string]string{"schedule": "quarter"}, run.Labels)
		assert.Equal(t, "ann", run.By)
		assert.WithinDuration(t, got.Last[3].Time, run.Created, 0)

		set := got.ScheduleSetting
		set.Paused = true
		assert.Empty(t, p.put("quarter", set).Next)
		time.Sleep(time.Hour)
		set.Paused = false
		assert.Equal(t, 3, p.put("quarter", set).Version)
		time.Sleep(15 * time.Minute)
		assert.Equal(t, "00:15 00:30 00:45 01:00 02:15", w.clocks("quarter")) // nothing was missed
		require.NoError(t, p.Delete(t.Context(), wire.ScheduleRef{Name: "quarter"}, ann))
		time.Sleep(time.Hour)
		assert.Len(t, w.times("quarter"), 5)
		_, err := p.Scheduler.Get(wire.ScheduleRef{Name: "quarter"}, 0, ann)
		assert.ErrorIs(t, err, store.ErrNotFound)
	})
}

// TestMissed has the policies for times at which no process ran.
func TestMissed(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		p := w.start(nil)
		p.put("skip", wire.ScheduleSetting{Cron: "0 * * * *", Overlap: wire.AllowOverlap})
		p.put("once", wire.ScheduleSetting{Cron: "0 * * * *", Overlap: wire.AllowOverlap, Missed: wire.RunOnce})
		p.put("all", wire.ScheduleSetting{Cron: "0 * * * *", Overlap: wire.AllowOverlap, Missed: wire.RunAll, MissedMost: 3})
		p.put("on-time", wire.ScheduleSetting{Cron: "0,30 * * * *", Overlap: wire.AllowOverlap, Missed: wire.RunOnce})
		p.crash()
		time.Sleep(5*time.Hour + 30*time.Minute + 30*time.Second)
		p = w.start(nil)
		defer p.Close()
		time.Sleep(time.Second)
		assert.Equal(t, "", w.clocks("skip"))
		assert.Equal(t, []string{"05:00 it and 4 times before were missed: the service did not run"}, p.reasons("skip"))
		assert.Equal(t, "05:00", w.clocks("once"))
		assert.Equal(t, "03:00 04:00 05:00", w.clocks("all"))
		assert.Equal(t, "05:30", w.clocks("on-time")) // it makes up for those before
		p.crash()
		time.Sleep(30 * time.Minute) // 06:00:31, which is no miss
		p = w.start(nil)
		defer p.Close()
		time.Sleep(time.Second)
		assert.Equal(t, "06:00", w.clocks("skip"))
	})
}

// TestOverlap has the policies for times at which a run has not ended.
func TestOverlap(t *testing.T) {
	for policy, want := range map[wire.Overlap]string{
		wire.SkipOverlap: "00:10 00:40 01:10", wire.QueueOverlap: "00:10 00:20 00:30",
		wire.AllowOverlap: "00:10 00:20 00:30 00:40 00:50 01:00 01:10", wire.CancelOverlap: "00:10 00:20 00:30 00:40 00:50 01:00 01:10",
	} {
		in(t, func(t *testing.T, w *world) {
			w.lasts = func() time.Duration { return 25 * time.Minute }
			p := w.start(nil)
			p.put("slow", wire.ScheduleSetting{Cron: "*/10 * * * *", Overlap: policy})
			time.Sleep(45*time.Minute + time.Second)
			p.crash() // waiting times are kept
			p = w.start(nil)
			time.Sleep(26 * time.Minute)
			assert.Equal(t, want, w.clocks("slow"), policy)
			switch policy {
			case wire.SkipOverlap:
				assert.Equal(t, "01:00 run run2 had not ended", p.reasons("slow")[0])
			case wire.QueueOverlap:
				assert.Len(t, p.get("slow").Waiting, 4)
			}
			p.Close()
		})
	}
}

// TestFull requires times that the engine refuses to be tried again, and to be missed when they are late.
func TestFull(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		full := true
		p := w.start(func() fault {
			if full {
				return refused
			}
			return noFault
		})
		defer p.Close()
		full = false
		p.put("skip", wire.ScheduleSetting{Cron: "0 * * * *"})
		p.put("once", wire.ScheduleSetting{Cron: "0 * * * *", Missed: wire.RunOnce})
		w.mu.Lock()
		full = true
		w.mu.Unlock()
		time.Sleep(time.Hour + 30*time.Second)
		assert.Contains(t, p.get("skip").Problem, "full")
		time.Sleep(time.Minute)
		w.mu.Lock()
		full = false
		w.mu.Unlock()
		time.Sleep(time.Minute)
		assert.Empty(t, w.times("skip"))
		assert.Contains(t, p.reasons("skip")[0], "it was missed: the service is full")
		assert.Equal(t, "01:00", w.clocks("once"))
		assert.Empty(t, p.get("skip").Problem)
	})
}

// TestSetBack requires a schedule to continue that a process with a wrong clock has decided for years, and put.
func TestSetBack(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		p := w.start(nil)
		p.put("a", wire.ScheduleSetting{Cron: "0 * * * *"})
		time.Sleep(time.Hour + time.Second)
		p.crash()
		w.mu.Lock()
		for _, versions := range w.docs {
			last := &versions[len(versions)-1]
			last.Body = []byte(strings.ReplaceAll(string(last.Body), `"2000-`, `"2010-`))
		}
		w.mu.Unlock()
		p = w.start(nil)
		defer p.Close()
		time.Sleep(2 * time.Hour)
		assert.Equal(t, "01:00 02:00 03:00", w.clocks("a"))
	})
}

// TestTenantBytes checks the bound of the memory that the schedules of a tenant take.
func TestTenantBytes(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		p := w.start(nil)
		const most = 9 // of 7 MB
		source := strings.Repeat(" ", schedule.MaxTenantBytes/most-1000)
		set := wire.ScheduleSetting{Cron: "@daily", Run: store.Submission{Source: source}}
		for i := range most {
			p.put(fmt.Sprint("a", i), set)
		}
		p.put("a0", set)
		p.Close()
		p = w.start(nil)
		defer p.Close()
		_, err := p.Scheduler.Put(t.Context(), wire.ScheduleRef{Name: "c"}, set, 0, ann)
		assert.ErrorIs(t, err, serve.ErrFull)
		p.put("a0", wire.ScheduleSetting{Cron: "@daily"})
		p.put("c", set)
	})
}

// TestGone requires the schedules of an identity that is removed to stop, with a reason, until they are put again.
func TestGone(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		p := w.start(nil)
		defer p.Close()
		set := p.put("a", wire.ScheduleSetting{Cron: "0 * * * *"}).ScheduleSetting
		w.mu.Lock()
		delete(w.people, "ann")
		w.mu.Unlock()
		time.Sleep(90 * time.Minute)
		got := p.get("a")
		assert.Equal(t, "the identity ann, under which it runs, was removed or has expired", got.Stopped)
		assert.Empty(t, got.Next)
		_, err := p.RunNow(t.Context(), wire.ScheduleRef{Tenant: "acme", Name: "a"}, "", operator)
		assert.ErrorIs(t, err, store.ErrTransition)
		w.mu.Lock()
		w.people["ann"] = ann
		w.people["olga"] = operator
		w.mu.Unlock()
		time.Sleep(time.Hour)
		assert.NotEmpty(t, p.get("a").Stopped) // another ann may be another person
		p.put("a", set)
		time.Sleep(time.Hour)
		assert.Equal(t, "03:00", w.clocks("a"))

		w.mu.Lock()
		w.people["ann"] = access.Who{Name: "ann", Tenant: "acme", Role: access.Viewer}
		w.mu.Unlock()
		time.Sleep(time.Hour)
		assert.Contains(t, p.get("a").Stopped, "may not submit runs of the tenant acme any more")
		taken, err := p.Scheduler.Put(t.Context(), wire.ScheduleRef{Tenant: "acme", Name: "a"}, set, 0, operator)
		require.NoError(t, err)
		assert.Equal(t, "olga", taken.Owner)
		time.Sleep(time.Hour)
		assert.Equal(t, "03:00 05:00", w.clocks("a"))
		w.mu.Lock()
		defer w.mu.Unlock()
		last := w.runs[len(w.runs)-1]
		assert.Equal(t, "olga acme", last.By+" "+last.Tenant)
	})
}

// TestMay has who sees and changes schedules.
func TestMay(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		p := w.start(nil)
		defer p.Close()
		set := p.put("a", wire.ScheduleSetting{Cron: "@daily"}).ScheduleSetting
		ref := wire.ScheduleRef{Tenant: "acme", Name: "a"}
		for _, who := range []access.Who{bob, viewer, other, {}} {
			_, err := p.Scheduler.Put(t.Context(), ref, set, 0, who)
			assert.ErrorIs(t, err, schedule.ErrForbidden, who.Name)
			sees := who.Tenant == "acme"
			_, err = p.Scheduler.Get(ref, 0, who)
			assert.Equal(t, sees, err == nil, who.Name)
			assert.Len(t, p.Scheduler.List("acme", wire.ScheduleRef{}, 10, who), map[bool]int{true: 1}[sees])
			_, err = p.RunNow(t.Context(), ref, "", who)
			assert.Equal(t, sees, errors.Is(err, schedule.ErrForbidden), who.Name)
			assert.Error(t, p.Delete(t.Context(), ref, who), who.Name)
		}
		p.people["oscar"] = other
		_, err := p.Scheduler.Put(t.Context(), wire.ScheduleRef{Name: "a"}, set, 0, other) // of the tenant other
		require.NoError(t, err)
		assert.Len(t, p.Scheduler.List("", wire.ScheduleRef{}, 10, operator), 2)
		assert.Len(t, p.Scheduler.List("", wire.ScheduleRef{Tenant: "acme", Name: "a"}, 10, operator), 1)
		kept, err := p.Scheduler.Put(t.Context(), ref, set, 2, operator)
		require.NoError(t, err)
		assert.Equal(t, "ann olga", kept.Owner+" "+kept.By)
		_, err = p.Scheduler.Put(t.Context(), ref, set, 2, operator)
		assert.ErrorIs(t, err, store.ErrConflict)
	})
}

func TestRunNow(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		w.lasts = func() time.Duration { return time.Minute }
		p := w.start(nil)
		p.put("a", wire.ScheduleSetting{Cron: "@daily", Paused: true})
		ref := wire.ScheduleRef{Name: "a"}
		run, err := p.RunNow(t.Context(), ref, "k", ann)
		require.NoError(t, err)
		again, err := p.RunNow(t.Context(), ref, "k", ann)
		require.NoError(t, err)
		assert.Equal(t, run.ID, again.ID)
		_, err = p.RunNow(t.Context(), ref, "", ann)
		assert.ErrorIs(t, err, store.ErrTransition)
		time.Sleep(2 * time.Minute)
		again, err = p.RunNow(t.Context(), ref, "k", ann)
		require.NoError(t, err)
		assert.Equal(t, run.ID, again.ID)
		p.fault = func() fault { return diesNow } // the submission was made, but the process dies before it learns that
		_, err = p.RunNow(t.Context(), ref, "l", ann)
		assert.ErrorIs(t, err, errDisk)
		p.crash()
		p = w.start(nil)
		defer p.Close()
		_, err = p.RunNow(t.Context(), ref, "m", ann)
		assert.ErrorIs(t, err, store.ErrTransition, "the run is known")
		last := p.get("a").Last
		require.Len(t, last, 2)
		assert.True(t, last[0].Manual)
		time.Sleep(2 * time.Minute)
		_, err = p.RunNow(t.Context(), ref, "m", ann)
		assert.NoError(t, err)
	})
}

// TestUnseen requires a run to be known that was submitted when the process ended: its time was not missed, and another
// run waits for its end.
func TestUnseen(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		w.lasts = func() time.Duration { return time.Hour }
		p := w.start(nil)
		p.put("a", wire.ScheduleSetting{Cron: "*/10 * * * *"})
		w.mu.Lock()
		p.fault = func() fault { return diesNow }
		w.mu.Unlock()
		time.Sleep(11 * time.Minute)
		p.crash()
		time.Sleep(5 * time.Minute)
		p = w.start(nil)
		defer p.Close()
		time.Sleep(5 * time.Minute)
		assert.Equal(t, "00:10", w.clocks("a"))
		assert.Equal(t, []string{"00:20 run run1 had not ended"}, p.reasons("a"))
	})
}

// TestMistakes checks that all mistakes of a setting are reported together, each with its field.
func TestMistakes(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		p := w.start(nil)
		defer p.Close()
		put := func(name string, set wire.ScheduleSetting) error {
			_, err := p.Scheduler.Put(t.Context(), wire.ScheduleRef{Name: name}, set, 0, ann)
			return err
		}
		err := put("a", wire.ScheduleSetting{Cron: "61 * * * *", Zone: "Nowhere", Missed: "never", MissedMost: 3, Overlap: "maybe",
			Run: store.Submission{Source: "1", Key: "k", Labels: map[string]string{"schedule": "b"}}})
		require.ErrorIs(t, err, store.ErrInvalid)
		var fields []string
		for _, m := range err.(schedule.Mistakes) {
			fields = append(fields, m.Field)
			assert.Contains(t, m.Message, "got")
		}
		assert.Equal(t, []string{"zone", "cron", "missed", "missedMost", "overlap", "run.key", "run.labels"}, fields)
		for _, name := range []string{"", "a/b", "-a", "a@1", "a b", string(make([]byte, 61))} {
			assert.ErrorIs(t, put(name, wire.ScheduleSetting{Cron: "@daily"}), store.ErrInvalid, name)
		}
		err = put("a", wire.ScheduleSetting{Cron: "@daily", Run: store.Submission{Program: "missing"}})
		assert.Equal(t, schedule.Mistakes{{Field: "run.program", Message: "there is no program missing"}}, err)
		assert.Empty(t, p.Scheduler.List("", wire.ScheduleRef{}, 10, operator))
		p.put("bad", wire.ScheduleSetting{Cron: "0 * * * *", Run: store.Submission{Source: "(wrong"}})
		time.Sleep(time.Hour + time.Second)
		assert.Equal(t, []string{"01:00 the source is wrong"}, p.reasons("bad"))
	})
}

// TestTogether puts, runs and deletes one schedule from several goroutines: the shown state is the one that
// a new process reads.
func TestTogether(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		p := w.start(nil)
		ref := wire.ScheduleRef{Tenant: "acme", Name: "a"}
		set := wire.ScheduleSetting{Cron: "* * * * *", Overlap: wire.AllowOverlap, Run: store.Submission{Source: "1"}}
		bad := set
		bad.Run = store.Submission{Program: "missing"}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := range 20 {
					switch (i + n) % 4 {
					case 0:
						if err := p.Delete(t.Context(), ref, ann); err != nil {
							assert.ErrorIs(t, err, store.ErrNotFound)
						}
					case 1:
						_, err := p.Scheduler.Put(t.Context(), ref, bad, 0, ann)
						assert.ErrorIs(t, err, store.ErrInvalid)
					case 2:
						p.RunNow(t.Context(), ref, "", ann) // if it is there
					default:
						_, err := p.Scheduler.Put(t.Context(), ref, set, 0, ann)
						assert.NoError(t, err)
					}
					time.Sleep(time.Duration(i+n) * time.Second)
				}
			})
		}
		wg.Wait()
		before := p.Scheduler.List("", wire.ScheduleRef{}, 10, operator)
		p.Close()
		q := w.start(nil)
		defer q.Close()
		after := q.Scheduler.List("", wire.ScheduleRef{}, 10, operator)
		require.Len(t, after, len(before))
		for i := range after {
			assert.Equal(t, before[i].Version, after[i].Version)
		}
	})
}
