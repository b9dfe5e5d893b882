// This file defines the proof by crashes: a run that is killed at any moment, and
// resumed, ends as if it had not been killed, and no write-effect happens twice.

package journal

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// undisturbed returns the value, the write-effects and the number of events of a run
// that nothing happens to.
func undisturbed(t *testing.T, seed uint64) (string, map[string]int, int) {
	m := newMachine(seed, 0, false)
	p, err := m.begin(seed)
	require.NoError(t, err)
	value, err := p.run()
	require.NoError(t, err)
	return value, m.done, m.event
}

var thorough = flag.Bool("thorough", false, "crash at 10,000 seeds")

// seeds returns how many programs are tried.
func seeds() uint64 {
	switch {
	case testlevel.Small():
		return 100
	case *thorough:
		return 10_000
	}
	return 300
}

func TestCrashes(t *testing.T) {
	var seen tally
	for seed := range seeds() {
		value, writes, events := undisturbed(t, seed)
		at := 1 + rand.New(rand.NewPCG(seed, 4)).IntN(events)
		c := &crashes{t: t, seed: seed, m: newMachine(seed, at, false), seen: &seen}
		require.Equal(t, value, c.untilEnd(), "seed %d", seed)
		require.Equal(t, writes, c.m.done, "seed %d", seed)
	}
	t.Logf("%+v", seen)
	require.Greater(t, uint64(seen.Crashes), seeds())
	require.Greater(t, uint64(seen.Doubted), seeds()/10)
	require.Greater(t, uint64(seen.Happened), seeds()/10)
	require.Greater(t, uint64(seen.Torn), seeds()/10)
	require.Greater(t, seen.Lost, 1_000)
	require.Positive(t, seen.Empty)
}

// TestCrashesInAChangingWorld: repeated reads return different values. The effects that depended on a lost
// read are lost too, so no effect is made twice, or repeated with different arguments.
func TestCrashesInAChangingWorld(t *testing.T) {
	var seen tally
	for seed := range seeds() {
		_, _, events := undisturbed(t, seed)
		c := &crashes{t: t, seed: seed, m: newMachine(seed, 1+rand.New(rand.NewPCG(seed, 5)).IntN(events), true), seen: &seen}
		c.untilEnd()
	}
	require.Greater(t, uint64(seen.Crashes), seeds())
}

// crashes is a run that is killed up to four times.
type crashes struct {
	t    *testing.T
	seed uint64
	m    *machine
	seen *tally
}

// tally counts the situations that the seeds have met, so that the test knows what it covers.
type tally struct {
	Crashes  int
	Doubted  int // write-effects
	Happened int // of those
	Lost     int // bytes that were not synced
	Torn     int // last lines
	Empty    int // crashes before the header was there
	Finished int // crashes after the last line was there
}

// untilEnd runs, crashes and resumes, and returns the value.
func (c *crashes) untilEnd() string {
	p, err := c.m.begin(c.seed)
	for crash := 1; ; crash++ {
		var value string
		if err == nil {
			value, err = p.run()
		}
		if err == nil {
			c.requireReplay(value)
			return value
		}
		require.True(c.t, c.m.dead, "seed %d: %v", c.seed, err)
		dieAt := 0
		if crash < 4 {
			dieAt = 1 + c.m.rand.IntN(200)
		}
		if p, err = c.restart(dieAt); errors.Is(err, ErrFinished) {
			c.seen.Finished++
			final := c.recording().Final.Value
			c.requireReplay(final)
			return final
		}
	}
}

// restart acts as the operator after a crash.
func (c *crashes) restart(dieAt int) (*program, error) {
	t, m := c.t, c.m
	c.seen.Crashes++
	c.seen.Lost += len(m.file) - m.synced
	m.survive(dieAt)
	rec, err := c.read()
	if damage := (*Damage)(nil); errors.As(err, &damage) {
		require.Equal(t, 1, damage.Line, "seed %d: %v", c.seed, err)
		require.Empty(t, m.args, "seed %d: effects without a header", c.seed)
		c.seen.Empty++
		m.file, m.synced = nil, 0
		return m.begin(c.seed)
	}
	require.NoError(t, err, "seed %d", c.seed)
	c.requireRecorded(rec)
	if rec.Final != nil {
		return nil, ErrFinished
	}
	settle := c.ask(rec)
	return m.again(c.seed, rec, settle)
}

// read reads the rest of the file, and cuts off a torn line.
func (c *crashes) read() (*Recording, error) {
	rec, err := Read(bytes.NewReader(c.m.file))
	if err == nil {
		if rec.Torn > 0 {
			c.seen.Torn++
		}
		c.m.file = c.m.file[:rec.size]
		c.m.synced = len(c.m.file)
	}
	return rec, err
}

func (c *crashes) recording() *Recording {
	rec, err := Read(bytes.NewReader(c.m.file))
	require.NoError(c.t, err, "seed %d", c.seed)
	return rec
}

// requireRecorded: each write-effect that happened is in the file, done or in doubt,
// and each that is done there happened once.
func (c *crashes) requireRecorded(rec *Recording) {
	require.Empty(c.t, c.m.misdeeds, "seed %d", c.seed)
	for id, n := range c.m.done {
		e, ok := rec.Entry(id)
		require.True(c.t, ok, "seed %d: %s happened, and is not in the file", c.seed, id)
		require.True(c.t, e.Done || rec.inDoubt(&e) || e.Withdrawn && n == 0, "seed %d: %s", c.seed, id)
		require.Equal(c.t, 1, n, "seed %d: %s happened more than once", c.seed, id)
	}
	for _, e := range rec.Entries {
		if e.Class == effect.Write && e.Done {
			require.Equal(c.t, 1, c.m.done[e.ID], "seed %d: %s is in the file, and did not happen", c.seed, e.ID)
		}
	}
}

// ask resumes in a copy of the world without settling anything: the effects that are
// in doubt, and no others, say so. Then it looks into the world, which the operator
// does in their place.
func (c *crashes) ask(rec *Recording) []effect.Settlement {
	var want []string
	var settle []effect.Settlement
	for _, e := range rec.InDoubt() {
		want = append(want, e.ID)
		settle = append(settle, settlementOf(e.Effect, c.m.done[e.ID] > 0))
		if c.m.done[e.ID] > 0 {
			c.seen.Happened++
		}
	}
	c.seen.Doubted += len(want)
	copied := c.recording()
	scratch := newMachine(c.seed, 0, c.m.volatile > 0)
	p, err := scratch.again(c.seed, copied, nil)
	require.NoError(c.t, err)
	_, err = p.run()
	slices.SortFunc(p.doubted, effect.CompareIDs)
	require.Equal(c.t, want, p.doubted, "seed %d: %v", c.seed, err)
	require.Equal(c.t, len(want) == 0, err == nil, "seed %d: %v", c.seed, err)
	return settle
}

// requireReplay: the finished file replays to the same value, and is not resumed.
func (c *crashes) requireReplay(value string) {
	rec := c.recording()
	require.Equal(c.t, &Final{Value: value}, rec.Final)
	require.Empty(c.t, rec.InDoubt())
	c.requireRecorded(rec)
	p := &program{seed: c.seed, j: Replay(rec)}
	again, err := p.run()
	require.NoError(c.t, err, "seed %d", c.seed)
	require.Equal(c.t, value, again, "seed %d", c.seed)
}
