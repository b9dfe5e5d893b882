package facts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

func TestClock(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	c := NewClock("a", func() time.Time { return now })
	last := c.Next()
	random := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		switch random.IntN(4) {
		case 0:
			now = now.Add(time.Duration(random.IntN(20)-10) * time.Minute)
		case 1:
			seen := Stamp{Wall: now.UnixMilli() + int64(random.IntN(100_000)), Logical: uint32(random.IntN(5)), Node: "b"}
			if c.Observe(seen); c.Next().Compare(seen) <= 0 {
				t.Fatalf("a stamp is not later than %v, which was observed", seen)
			}
		}
		next := c.Next()
		if next.Compare(last) <= 0 {
			t.Fatalf("%v after %v", next, last)
		}
		last = next
	}
	full := NewClock("a", func() time.Time { return time.UnixMilli(1) })
	full.Observe(Stamp{Wall: 5, Logical: 1<<32 - 1})
	require.Equal(t, Stamp{Wall: 6, Node: "a"}, full.Next())
}

// randomFacts returns facts of few names, with stamps that are often close or equal.
func randomFacts(random *rand.Rand, n int) []shipped {
	var list []shipped
	for range n {
		value := fmt.Appendf(nil, "%d", random.IntN(4))
		list = append(list, shipped{fmt.Sprint("h", random.IntN(2)), fmt.Sprint("f", random.IntN(3)), Fact{Value: value,
			Stamp: Stamp{Wall: int64(random.IntN(4)), Logical: uint32(random.IntN(2)), Node: fmt.Sprint("n", random.IntN(3))}}})
	}
	return list
}

// state returns all facts with their stamps as text.
func state(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := make(map[string]string)
	require.NoError(t, s.each(t.Context(), func(key string, f Fact) {
		all[key] = fmt.Sprint(string(f.Value), f.Stamp, f.Region)
	}))
	return all
}

// TestMerge merges the same facts in different orders, in different parts, and twice: the result is the same.
func TestMerge(t *testing.T) {
	seeds := uint64(200)
	if testlevel.Small() {
		seeds = 30
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 1))
		list := randomFacts(random, 1+random.IntN(40))
		var want map[string]string
		for range 4 {
			s := open(t, Options{})
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for rest := list; len(rest) > 0; {
				n := 1 + random.IntN(len(rest))
				for range 1 + random.IntN(2) {
					_, err := s.merge(t.Context(), rest[:n])
					require.NoError(t, err)
				}
				rest = rest[n:]
			}
			taken, err := s.merge(t.Context(), list)
			require.NoError(t, err)
			require.Zero(t, taken, "all are there")
			if got := state(t, s); want == nil {
				want = got
			} else {
				require.Equal(t, want, got, "seed %d", seed)
			}
		}
	}
}

// TestMergeRefuses merges facts that no node writes.
func TestMergeRefuses(t *testing.T) {
	var reported []error
	s := open(t, Options{Report: func(err error) { reported = append(reported, err) }})
	good := Fact{Value: json.RawMessage("1"), Stamp: Stamp{Wall: 1, Node: "n"}}
	ahead := good
	ahead.Stamp.Wall = time.Now().Add(maxAhead + time.Hour).UnixMilli()
	large := good
	large.Value = make([]byte, MaxValue+1)
	n, err := s.merge(t.Context(), []shipped{{"h", "a", ahead}, {"h", "b", large}, {"", "c", good}, {"h", "d", good},
		{"h", "e", Fact{Value: good.Value}}})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Len(t, reported, 4)
	require.Less(t, s.clock.Next().Wall, ahead.Stamp.Wall)
}

// regions is a cluster of regions with two nodes each.
type regions struct {
	net     *peer.Memory
	engines map[string]*memory.Cluster
	stores  map[string][]*Store
	offset  map[string]time.Duration // of the clocks of a region
	mu      sync.Mutex
}

func (r *regions) nodes(region string) []string { return []string{region + "1", region + "2"} }

func newRegions(t *testing.T, seed uint64, names ...string) *regions {
	r := &regions{net: peer.NewMemory(seed), engines: make(map[string]*memory.Cluster), stores: make(map[string][]*Store),
		offset: make(map[string]time.Duration)}
	for _, region := range names {
		r.engines[region] = memory.New(memory.Options{}, r.nodes(region)...)
		others := make(map[string][]string)
		for _, other := range names {
			if other != region {
				others[other] = r.nodes(other)
			}
		}
		for i, node := range r.nodes(region) {
			s := open(t, Options{Engine: r.engines[region].Member(node), Node: node, Region: region, Network: r.net.Join(node),
				Regions: func() map[string][]string { return others }, Sends: func() bool { return i == 0 },
				Now: func() time.Time {
					r.mu.Lock()
					defer r.mu.Unlock()
					return time.Now().Add(r.offset[region])
				}})
			r.stores[region] = append(r.stores[region], s)
		}
	}
	return r
}

// isolate cuts a region off from the others.
func (r *regions) isolate(region string) {
	var others []string
	for other := range r.engines {
		if other != region {
			others = append(others, r.nodes(other)...)
		}
	}
	r.net.Partition(r.nodes(region), others)
}

func (r *regions) step(region string, by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offset[region] += by
}

// same wants all regions to have the same facts.
func (r *regions) same(t *testing.T) map[string]string {
	t.Helper()
	var want map[string]string
	for region, stores := range r.stores {
		for _, s := range stores {
			if got := state(t, s); want == nil {
				want = got
			} else {
				require.Equal(t, want, got, region)
			}
		}
	}
	return want
}

// TestDelta requires a write to reach the other regions in about a second, and a later write to win.
func TestDelta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(t, 1, "a", "b", "c")
		time.Sleep(3 * time.Second)
		put(t, r.stores["a"][1], "h", "f", "1")
		time.Sleep(1500 * time.Millisecond)
		for _, region := range []string{"b", "c"} {
			require.Equal(t, "1", get(t, r.stores[region][0], "h", Strong)["f"], region)
		}
		put(t, r.stores["b"][1], "h", "f", "2")
		put(t, r.stores["b"][1], "h", "g", "3")
		time.Sleep(1500 * time.Millisecond)
		require.Len(t, r.same(t), 2)
		require.Equal(t, map[string]string{"f": "2", "g": "3"}, get(t, r.stores["a"][1], "h", Session))
	})
}

// TestClockSteps sets clocks minutes forward and back between writes that see each other: each later one wins.
func TestClockSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(t, 1, "a", "b", "c")
		time.Sleep(3 * time.Second)
		random := rand.New(rand.NewPCG(3, 1))
		names := []string{"a", "b", "c"}
		for i := range 60 {
			region := names[random.IntN(3)]
			r.step(names[random.IntN(3)], time.Duration(random.IntN(1200)-600)*time.Second)
			put(t, r.stores[region][random.IntN(2)], "h", "f", fmt.Sprint(i))
			time.Sleep(2500 * time.Millisecond)
			for _, other := range names {
				require.Equal(t, fmt.Sprint(i), get(t, r.stores[other][0], "h", Strong)["f"], "%d, written in %s", i, region)
			}
		}
		r.same(t)
	})
}

// TestConverge writes in three regions while messages are lost, come twice or do not come for minutes, clocks step and
// the node that sends changes. Afterwards all regions have the same facts, and no fact is missing.
func TestConverge(t *testing.T) {
	seeds := uint64(3)
	if testlevel.Small() {
		seeds = 1
	}
	if *thorough {
		seeds = 300
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			r := newRegions(t, seed, "a", "b", "c")
			random := rand.New(rand.NewPCG(seed, 7))
			names := []string{"a", "b", "c"}
			written := make(map[string]bool)
			r.net.Delay(time.Millisecond, 80*time.Millisecond)
			r.net.Fail(peer.Faults{Before: 0.2, After: 0.2, Twice: 0.2})
			for range 300 {
				switch random.IntN(12) {
				case 0:
					r.isolate(names[random.IntN(3)])
				case 1:
					r.net.HealAll()
				case 2:
					r.step(names[random.IntN(3)], time.Duration(random.IntN(600)-300)*time.Second)
				case 3: // deltas are lost without anybody noticing
					s := r.stores[names[random.IntN(3)]][0]
					s.mu.Lock()
					clear(s.dirty)
					s.mu.Unlock()
				}
				host, name := fmt.Sprint("h", random.IntN(10)), fmt.Sprint("f", random.IntN(4))
				put(t, r.stores[names[random.IntN(3)]][random.IntN(2)], host, name, fmt.Sprint(random.IntN(1000)))
				written[factKey(host, name)] = true
				time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
			}
			r.net.HealAll()
			r.net.Fail(peer.Faults{})
			time.Sleep(DefaultEntropy + time.Minute)
			require.Len(t, r.same(t), len(written), "seed %d", seed)
		})
	}
}

// TestCompareMany compares regions that differ in more facts than a message may have.
func TestCompareMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(t, 1, "a", "b")
		r.isolate("a")
		for i := range 450 {
			put(t, r.stores["a"][0], fmt.Sprint("h", i%40), fmt.Sprint("a", i), `"`+fmt.Sprintf("%02000d", i)+`"`)
			put(t, r.stores["b"][1], fmt.Sprint("h", i%40), fmt.Sprint("b", i), "1")
		}
		for _, region := range []string{"a", "b"} {
			for _, s := range r.stores[region] {
				s.mu.Lock()
				clear(s.dirty)
				clear(s.full)
				s.mu.Unlock()
			}
		}
		r.net.HealAll()
		require.NoError(t, r.stores["a"][0].Compare(t.Context(), "b"))
		require.Len(t, r.same(t), 900)
	})
}

// TestDirtyBound requires a region that can't be reached to cost a bounded memory.
func TestDirtyBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(t, 1, "a", "b")
		s := r.stores["a"][0]
		for i := range maxDirty + 10 {
			s.mark(fmt.Sprint("facts/h/", i))
		}
		s.mu.Lock()
		n, full := len(s.dirty["b"]), s.full["b"]
		s.mu.Unlock()
		require.Equal(t, maxDirty, n)
		require.True(t, full)
	})
}

// TestDelete requires hosts that an operator deletes to be forgotten.
func TestDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Options{})
		put(t, s, "h", "a", "1")
		require.Len(t, get(t, s, "h", Session), 1)
		_, err := s.o.Engine.Apply(t.Context(), nil, engine.Op{Key: hostKey("h"), Delete: true, Prefix: true})
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.Empty(t, get(t, s, "h", Session))
		require.Empty(t, get(t, s, "h", Eventual))
	})
}
