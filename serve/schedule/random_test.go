package schedule_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
)

var worlds = flag.Int("worlds", 20, "number of random histories")

// span is a time in which a process lived.
type span struct{ from, to time.Time }

// TestRandom makes random schedules and has processes live and die beside them, at any operation, with disks that fail
// and engines that are full. Afterwards each time of each schedule must have been run as its policies say, and no time
// twice.
func TestRandom(t *testing.T) {
	n := uint64(*worlds)
	if testlevel.Small() {
		n /= 4
	}
	for seed := range n {
		synctest.Test(t, func(t *testing.T) { history(t, rand.New(rand.NewPCG(seed, 7)), seed) })
		if t.Failed() {
			return
		}
	}
}

func history(t *testing.T, r *rand.Rand, seed uint64) {
	w := newWorld(t)
	// Some histories begin shortly before the clock of Berlin is set forward, others before it is set back.
	begin := []time.Time{time.Now(), time.Date(2000, 3, 25, 20, 0, 0, 0, time.UTC),
		time.Date(2000, 10, 28, 20, 0, 0, 0, time.UTC)}
	time.Sleep(time.Until(begin[r.IntN(len(begin))].Add(time.Duration(r.IntN(3600)) * time.Second)))
	most := []time.Duration{time.Second, 10 * time.Minute, 3 * time.Hour}[r.IntN(3)]
	chances := rand.New(rand.NewPCG(seed, 8)) // of the world, which has a lock
	w.lasts = func() time.Duration { return time.Duration(chances.Int64N(int64(most))) }
	faulty := r.IntN(2) == 0
	chance := r.IntN(50) + 10
	fault := func() fault {
		if !faulty || chances.IntN(chance) > 0 {
			return noFault
		}
		return fault(1 + chances.IntN(5))
	}
	p := w.start(nil)
	settings := make(map[string]wire.ScheduleSetting)
	for _, name := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
		set := wire.ScheduleSetting{Cron: pick(r, "* * * * *", "*/20 * * * *", "30 2 * * *", "0 */2 * * *", "15,45 1-3 * * *"),
			Zone:    pick(r, "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"),
			Missed:  wire.MissedPolicies()[r.IntN(3)],
			Overlap: wire.OverlapPolicies()[r.IntN(4)]}
		settings[name] = p.put(name, set).ScheduleSetting
	}
	since := time.Now()
	w.mu.Lock()
	p.fault = fault
	w.mu.Unlock()
	lives := []span{{from: since}}
	for range 3 + r.IntN(10) {
		time.Sleep(time.Second) // for the times that are due at the start
		for range r.IntN(40) {
			time.Sleep(time.Duration(r.IntN(600)) * time.Second)
			w.mu.Lock()
			dead := p.dead
			w.mu.Unlock()
			if dead {
				break
			}
		}
		p.crash()
		lives[len(lives)-1].to = time.Now()
		if r.IntN(3) > 0 {
			time.Sleep(time.Duration(r.IntN(90)) * time.Second)
		} else {
			time.Sleep(time.Duration(r.Int64N(int64(20 * time.Hour))))
		}
		lives = append(lives, span{from: time.Now()})
		p = w.start(fault)
	}
	w.mu.Lock()
	p.fault = nil
	died := p.dead
	w.mu.Unlock()
	if died {
		p.crash()
		p = w.start(nil)
	}
	time.Sleep(2 * time.Minute) // nothing is tried again by then
	until := time.Now()
	p.Close()
	lives[len(lives)-1].to = until
	for name, set := range settings {
		checkHistory(t, w, name, set, lives, since, until, faulty, seed)
	}
}

// checkHistory compares the runs of a schedule with its policies.
func checkHistory(t *testing.T, w *world, name string, set wire.ScheduleSetting, lives []span, since, until time.Time,
	faulty bool, seed uint64) {
	t.Helper()
	times, err := schedule.ParseTimes(set.Cron, set.Zone)
	require.NoError(t, err)
	var all []time.Time
	for at := times.Next(since); !at.After(until); at = times.Next(at) {
		all = append(all, at)
	}
	got := w.times(name)
	says := []any{"history %d, schedule %s, %+v", seed, name, set}
	assert.True(t, slices.IsSortedFunc(got, time.Time.Compare), says...)
	for i, at := range got {
		assert.True(t, slices.ContainsFunc(all, at.Equal), says...)
		assert.True(t, i == 0 || at.After(got[i-1]), says...) // none twice
	}
	if set.Overlap != wire.AllowOverlap {
		var last time.Time // the end of the run before
		for _, run := range w.runs {
			if run.Labels[wire.ScheduleLabel] == name {
				assert.False(t, run.Created.Before(last), says...)
				last = run.ends
			}
		}
		return
	}
	if faulty { // and which time was late is not known
		return
	}
	assert.Equal(t, wanted(all, lives, set), got, says...)
}

// wanted returns the times that a schedule without an overlap policy runs, if nothing fails.
func wanted(all []time.Time, lives []span, set wire.ScheduleSetting) []time.Time {
	want, decided := []time.Time{}, 0
	for _, life := range lives {
		var missed, onTime []time.Time
		for decided < len(all) && !all[decided].After(life.to) {
			at := all[decided]
			decided++
			if life.from.Sub(at) > schedule.Late {
				missed = append(missed, at)
			} else {
				onTime = append(onTime, at)
			}
		}
		most := map[wire.Missed]int{wire.RunAll: set.MissedMost}[set.Missed]
		atStart := slices.ContainsFunc(onTime, func(at time.Time) bool { return !at.After(life.from) })
		if set.Missed == wire.RunOnce && !atStart {
			most = 1
		}
		want = append(want, missed[max(0, len(missed)-most):]...)
		want = append(want, onTime...)
	}
	return want
}
