// This file tests ledgers, with clocks that the tests set.

package queue

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// memory is a ledger of a test, with the clocks of its machine.
type memory struct {
	mu            sync.Mutex
	records       map[string][]byte
	writes        int
	fails         error
	wall, elapsed time.Duration
}

type scratch map[string][]byte

func (s scratch) Get(name string) []byte         { return s[name] }
func (s scratch) Put(name string, record []byte) { s[name] = record }

func newMemory() *memory {
	return &memory{records: map[string][]byte{}, wall: 1_700_000_000 * time.Second}
}

func (m *memory) Update(_ context.Context, change func(Records) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	next := scratch(maps.Clone(m.records))
	if err := change(next); err != nil {
		return err
	}
	m.records = next
	m.writes++
	return nil
}

func (m *memory) pass(d time.Duration) {
	m.wall += d
	m.elapsed += d
}

// process returns the enforcer of a process on the machine.
func (m *memory) process(t *testing.T, p Policies) *Enforcer {
	e, err := NewEnforcer(p, nil)
	require.NoError(t, err)
	e.keeper.Store(&keeper{ledger: m, clocks: func() (wall, elapsed time.Duration) { return m.wall, m.elapsed }})
	return e
}

func admits(e *Enforcer, action string) bool {
	return e.Action(action).Admit(context.Background()) == nil
}

func hourly(calls int) Policies {
	return Policies{Actions: map[string]Policy{"a": {Quota: Quota{Calls: calls, Window: time.Hour}}}}
}

// TestQuotaOutlivesProcess: each process makes one call and ends, as from cron.
func TestQuotaOutlivesProcess(t *testing.T) {
	m := newMemory()
	for i := range 30 {
		e := m.process(t, hourly(20))
		require.Equal(t, i < 20, admits(e, "a"), "call %d", i)
		require.NoError(t, e.Settle(t.Context()))
		m.pass(time.Second)
	}
	m.pass(time.Hour - 30*time.Second)
	e := m.process(t, hourly(20))
	require.False(t, admits(e, "a"), "a call counts a little longer than the window")
	m.pass(time.Minute)
	require.True(t, admits(e, "a"))
	require.True(t, admits(m.process(t, hourly(40)), "a"), "a wider quota has the calls so far")
	left := 0
	for e := m.process(t, hourly(40)); admits(e, "a"); left++ {
	}
	require.Equal(t, 40-2, left, "the first 20 are an hour ago")
}

// TestRateOutlivesProcess: the bucket of a rate continues filling between processes, and never has more than
// its burst.
func TestRateOutlivesProcess(t *testing.T) {
	p := Policies{Global: Policy{Rate: Rate{Calls: 1, Per: time.Minute, Burst: 5}}}
	m := newMemory()
	burst := func() (n int) {
		e := m.process(t, p)
		for ; admits(e, "a"); n++ {
		}
		require.NoError(t, e.Settle(t.Context()))
		return n
	}
	require.Equal(t, 5, burst())
	require.Zero(t, burst())
	m.pass(2*time.Minute + time.Second)
	require.Equal(t, 2, burst())
	m.pass(1000 * time.Hour)
	require.Equal(t, 5, burst())
	var v *Violation
	require.ErrorAs(t, m.process(t, p).Action("a").Admit(t.Context()), &v)
	require.Equal(t, "a", v.Action)
	m.pass(v.RetryAfter - 1)
	require.Zero(t, burst())
	m.pass(1)
	require.Equal(t, 1, burst())
}

// TestKilled: the reservation of a killed process is lost, at most a sixteenth; including it, there are
// never more calls than the quota.
func TestKilled(t *testing.T) {
	m := newMemory()
	e, calls := m.process(t, hourly(1600)), 0
	for range 500 {
		require.True(t, admits(e, "a"))
		calls++
	}
	writes := m.writes
	require.Less(t, writes, 20, "calls are reserved in blocks")
	for e = m.process(t, hourly(1600)); admits(e, "a"); calls++ {
	}
	require.LessOrEqual(t, calls, 1600)
	require.GreaterOrEqual(t, calls, 1600-1600/blocks)
}

// history is the times of the calls that were admitted.
type history []time.Duration

// keeps checks that the calls keep to a rate and a quota.
func (h history) keeps(t *testing.T, p Policy, seed uint64) {
	if p.Rate.Burst == 0 {
		p.Rate.Burst = p.Rate.Calls
	}
	for i := range h {
		if q := p.Quota; q.Calls > 0 && i >= q.Calls {
			require.GreaterOrEqual(t, h[i]-h[i-q.Calls], q.Window, "seed %d: %d calls in the window", seed, q.Calls+1)
		}
		for j := range i {
			r := p.Rate
			if r.Calls == 0 {
				break
			}
			if most := r.Burst + int((h[i]-h[j])*time.Duration(r.Calls)/r.Per); i-j+1 > most {
				t.Fatalf("seed %d: calls %d to %d in %s, want at most %d", seed, j, i, h[i]-h[j], most)
			}
		}
	}
}

// TestNeverMore begins, ends and kills concurrent processes at random, and sets the clock while one runs:
// there are never more calls than the policies allow, and not much fewer.
func TestNeverMore(t *testing.T) {
	seeds := 60
	if testlevel.Small() {
		seeds = 10
	}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 11))
		own := Policy{Quota: Quota{Calls: 1 + r.IntN(60), Window: time.Duration(1+r.IntN(100)) * time.Second}}
		per := time.Duration(1+r.IntN(20)) * time.Second
		shared := Policy{Rate: Rate{Calls: 1 + r.IntN(80), Per: per, Burst: 1 + r.IntN(50)}}
		if r.IntN(3) == 0 {
			own.Rate = Rate{Calls: 5, Per: time.Second, Burst: 40}
		}
		p := Policies{Actions: map[string]Policy{"a": own}, Global: shared}
		m := newMemory()
		processes := []*Enforcer{m.process(t, p)}
		var ofA, all history
		for range 600 {
			i := r.IntN(len(processes))
			switch r.IntN(14) {
			case 0:
				require.NoError(t, processes[i].Settle(t.Context()))
				processes[i] = m.process(t, p)
			case 1:
				processes[i] = m.process(t, p) // killed
			case 2:
				if len(processes) < 4 {
					processes = append(processes, m.process(t, p))
				}
			case 3:
				m.pass(time.Duration(r.IntN(40_000)) * time.Millisecond)
			case 4:
				if r.IntN(4) > 0 {
					continue
				}
				m.wall += time.Duration(1-2*r.IntN(2)) * time.Duration(600+r.IntN(3600)) * time.Second
				for _, e := range processes { // running ones notice it
					_ = e.Action("b").Admit(t.Context())
					_ = e.Settle(t.Context())
				}
				m.pass(time.Hour) // calls of b are not in the history
			default:
				action := []string{"a", "a", "b"}[r.IntN(3)]
				for range r.IntN(8) {
					if admits(processes[i], action) {
						all = append(all, m.elapsed)
						if action == "a" {
							ofA = append(ofA, m.elapsed)
						}
					}
				}
				m.pass(time.Duration(r.IntN(300)) * time.Millisecond)
			}
		}
		ofA.keeps(t, own, seed)
		all.keeps(t, shared, seed)
	}
}

// TestNotMuchFewer: a process that is not killed gets the allowance of the policies, less the documented loss.
func TestNotMuchFewer(t *testing.T) {
	p := Policies{Actions: map[string]Policy{"a": {Quota: Quota{Calls: 100, Window: time.Minute}}},
		Global: Policy{Rate: Rate{Calls: 50, Per: time.Second, Burst: 50}}}
	m := newMemory()
	e, a, b := m.process(t, p), 0, 0
	for m.elapsed < 3*time.Minute {
		if admits(e, "a") {
			a++
		}
		if admits(e, "b") {
			b++
		}
		m.pass(5 * time.Millisecond)
	}
	require.GreaterOrEqual(t, a, 295)
	require.GreaterOrEqual(t, a+b, 50*180*99/100)
	require.LessOrEqual(t, a, 300)
	require.LessOrEqual(t, a+b, 50*180+50)
}

// TestClockSet: setting the clock of the machine neither returns calls nor takes any.
func TestClockSet(t *testing.T) {
	for name, jump := range map[string]time.Duration{"back": -9000 * time.Hour, "ahead": 9000 * time.Hour, "a little": 3 * time.Second} {
		m := newMemory()
		e, other := m.process(t, hourly(10)), m.process(t, hourly(10))
		for i := range 6 {
			require.True(t, admits([]*Enforcer{e, other}[i%2], "a"))
		}
		m.wall += jump
		for i := range 4 {
			require.True(t, admits([]*Enforcer{e, other}[i%2], "a"), name)
		}
		require.False(t, admits(e, "a"), name)
		require.False(t, admits(other, "a"), name)
		require.False(t, admits(m.process(t, hourly(10)), "a"), name)
		m.pass(time.Hour + time.Minute)
		require.True(t, admits(e, "a"), name)
	}
	m := newMemory()
	require.True(t, admits(m.process(t, hourly(1)), "a"))
	m.wall -= 9000 * time.Hour // while no process runs
	e := m.process(t, hourly(1))
	require.False(t, admits(e, "a"))
	m.pass(59 * time.Minute)
	require.False(t, admits(e, "a"))
	m.pass(2 * time.Minute)
	require.True(t, admits(e, "a"))
}

// TestLedgerFails: a call that can't be counted is not made, and is retryable.
func TestLedgerFails(t *testing.T) {
	m := newMemory()
	e := m.process(t, hourly(2))
	m.fails = errors.New("the disk is full")
	err := e.Action("a").Admit(t.Context())
	var uncounted *Uncounted
	require.ErrorAs(t, err, &uncounted)
	require.ErrorIs(t, err, m.fails)
	f := effect.FailureOf(err)
	require.True(t, f.Retryable)
	require.Equal(t, "the call can't be counted for the policies: the disk is full", f.Message)
	m.fails = nil
	require.True(t, admits(e, "a"))
	require.NoError(t, e.Action("b").Admit(t.Context()), "an action without policies needs no ledger")

	for name, record := range map[string]string{"action a": "[", "clock": "7"} {
		m := newMemory()
		m.records[name] = []byte(record)
		require.ErrorContains(t, m.process(t, hourly(2)).Action("a").Admit(t.Context()), "is damaged")
	}
	for _, hostile := range []string{
		`{"rate":{"tokens":-1}}`, `{"rate":{"at":9000000000000000000}}`, `{"calls":[{"at":-9000000000000000000,"n":1}]}`,
		`{"rate":{"held":[{"at":9000000000000000000,"n":1}]}}`, `{"calls":[{"at":1,"n":0}]}`, `{"calls":[{"at":1,"n":9000000000}]}`,
		`{"calls":[{"at":2,"n":1},{"at":1,"n":1}]}`,
	} {
		m := newMemory()
		m.records["action a"] = []byte(hostile)
		require.ErrorContains(t, m.process(t, hourly(2)).Action("a").Admit(t.Context()), "numbers or times that no process", hostile)
	}
	m.records["action a"] = []byte(`{"rate":{"calls":9,"per":7,"tokens":99999,"parts":18446744073709551615,"at":1}}`)
	e, n := m.process(t, Policies{Actions: map[string]Policy{"a": {Rate: Rate{Calls: 1, Per: time.Second, Burst: 3}}}}), 0
	for ; admits(e, "a"); n++ {
	}
	require.Equal(t, 3, n, "no bucket holds more than its burst")
}

// TestReplaceWithLedger: the reservations of the old policies are returned, and the new ones continue counting.
func TestReplaceWithLedger(t *testing.T) {
	m := newMemory()
	e := m.process(t, hourly(320))
	for range 100 {
		require.True(t, admits(e, "a"))
	}
	require.NoError(t, e.Replace(hourly(110)))
	n := 0
	for ; admits(e, "a"); n++ {
	}
	require.Equal(t, 10, n)
	require.Equal(t, hourly(110).Actions, e.Policies().Actions)
}

// TestLedgerAtOnce: goroutines of several processes share a quota exactly.
func TestLedgerAtOnce(t *testing.T) {
	m := newMemory()
	var wg sync.WaitGroup
	var mu sync.Mutex
	calls := 0
	var processes []*Enforcer
	for range 3 {
		e := m.process(t, hourly(3_000))
		processes = append(processes, e)
		for range 4 {
			wg.Go(func() {
				for range 1_000 {
					if admits(e, "a") {
						mu.Lock()
						calls++
						mu.Unlock()
					}
				}
			})
		}
	}
	wg.Wait()
	for e := range slices.Values(processes) {
		require.NoError(t, e.Settle(t.Context()))
	}
	for e := m.process(t, hourly(3_000)); admits(e, "a"); calls++ {
	}
	require.Equal(t, 3_000, calls)
}
