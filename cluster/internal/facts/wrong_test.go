package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// TestFetchRefuses has a region ask for keys of the engine that are no facts.
func TestFetchRefuses(t *testing.T) {
	s := open(t, Options{})
	secret := json.RawMessage(`{"v": "secret", "t": {"w": 1, "n": "x"}}`)
	_, err := s.o.Engine.Apply(t.Context(), nil, engine.Put("runs/r1", secret), engine.Put("plain", secret))
	require.NoError(t, err)
	put(t, s, "h", "f", "1")
	got, err := s.fetch(t.Context(), []string{"runs/r1", "plain", "facts", "facts/h", factKey("h", "f")})
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, "h", got[0].Host)
}

// TestCompareRefused compares with a region that refuses more facts than a comparison has, because a clock was wrong
// when they were written. The comparison ends, and exchanges the others.
func TestCompareRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(t, 1, "a", "b")
		r.isolate("a")
		ahead := Fact{Value: json.RawMessage("1"), Region: "a", Stamp: Stamp{time.Now().Add(2 * maxAhead).UnixMilli(), 0, "a1"}}
		var ops []engine.Op
		for i := range maxStamps + maxBatch {
			key := factKey(fmt.Sprint("h", i), "f")
			value, err := r.stores["a"][0].encode(key, ahead)
			require.NoError(t, err)
			if ops = append(ops, engine.Put(key, value)); len(ops) == maxBatch {
				_, err := r.stores["a"][0].o.Engine.Apply(t.Context(), nil, ops...)
				require.NoError(t, err)
				ops = nil
			}
		}
		for i := range 300 {
			put(t, r.stores["b"][0], fmt.Sprint("b", i), "f", "1")
		}
		r.net.HealAll()
		r.net.Delay(time.Millisecond, time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, r.stores["b"][0].Compare(ctx, "a"))
		require.Equal(t, maxStamps+maxBatch+300, len(state(t, r.stores["a"][0])))
	})
}

// TestDamagedFact has a region with a fact that can't be read. The others are exchanged in both directions, by deltas
// and by the comparison of everything, and it is reported once.
func TestDamagedFact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(t, 1, "a", "b")
		a, b := r.stores["a"][0], r.stores["b"][0]
		var reported []error
		a.o.Damaged = func(err error) { reported = append(reported, err) }
		put(t, a, "h", "bad", "1")
		time.Sleep(time.Minute)
		_, err := a.o.Engine.Apply(t.Context(), nil, engine.Put(factKey("h", "bad"), []byte("{")))
		require.NoError(t, err)
		put(t, a, "h", "good", "2")
		put(t, b, "h", "bad", "3") // newer than the earlier fact, but not than the current one
		put(t, b, "h", "other", "4")
		time.Sleep(3 * DefaultEntropy)
		for region, s := range map[string]*Store{"a": a, "b": b} {
			for name, value := range map[string]string{"good": "2", "other": "4"} {
				e, ok, err := s.o.Engine.Get(t.Context(), factKey("h", name))
				require.NoError(t, err)
				require.True(t, ok, "%s has %s", region, name)
				f, err := s.decode(e)
				require.NoError(t, err)
				require.JSONEq(t, value, string(f.Value))
			}
		}
		require.NoError(t, b.Compare(t.Context(), "a"))
		require.Len(t, reported, 1)
		require.Equal(t, 1, a.Damaged())
		require.Zero(t, b.Damaged())
	})
}

// TestClockAhead writes with a clock that is years ahead. When it is right again, and the node has been started again,
// the region exchanges facts as before.
func TestClockAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(t, 1, "a", "b")
		time.Sleep(3 * time.Second)
		wrong := open(t, Options{Engine: r.engines["a"].Member("a2"), Node: "a2", Region: "a",
			Now: func() time.Time { return time.Now().AddDate(5, 0, 0) }})
		put(t, wrong, "h", "f", "1")
		time.Sleep(3 * time.Second)
		require.Empty(t, get(t, r.stores["b"][0], "h", Strong))
		require.Equal(t, "1", get(t, r.stores["a"][0], "h", Strong)["f"])
		put(t, r.stores["a"][0], "h", "g", "2")
		put(t, r.stores["a"][1], "h", "f", "3")
		time.Sleep(3 * time.Second)
		want := map[string]string{"f": "3", "g": "2"}
		require.Equal(t, want, get(t, r.stores["b"][0], "h", Strong))
		put(t, r.stores["b"][0], "h", "f", "4")
		time.Sleep(3 * time.Second)
		require.Equal(t, "4", get(t, r.stores["a"][1], "h", Strong)["f"])
		r.same(t)
	})
}

// TestManyFacts merges more facts of a host than a region may add. All are read.
func TestManyFacts(t *testing.T) {
	s := open(t, Options{})
	var list []shipped
	for i := range MaxFacts + 500 {
		list = append(list, shipped{"h", fmt.Sprint("f", i), Fact{Value: json.RawMessage("1"), Stamp: Stamp{Wall: 1, Node: "n"}}})
	}
	_, err := s.merge(t.Context(), list)
	require.NoError(t, err)
	for _, level := range []Level{Strong, Eventual} {
		require.Equal(t, MaxFacts+500, len(get(t, s, "h", level)), level)
	}
}

// TestDirtyAgain fails to send facts while others are written: the number of remembered facts stays bounded.
func TestDirtyAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegions(t, 1, "a", "b")
		s := r.stores["a"][0]
		time.Sleep(2500 * time.Millisecond) // the next delta is far
		r.isolate("a")
		r.net.Delay(100*time.Millisecond, 100*time.Millisecond)
		put(t, s, "h", "f", "1")
		synctest.Wait()
		for i := range maxDirty - 1 {
			s.mark(fmt.Sprint("facts/h/a", i))
		}
		failed := make(chan error)
		go func() { failed <- s.exchange(t.Context(), "b") }()
		time.Sleep(time.Millisecond) // it waits for the network
		for i := range maxDirty {
			s.mark(fmt.Sprint("facts/h/b", i))
		}
		require.Error(t, <-failed)
		s.mu.Lock()
		n, full := len(s.dirty["b"]), s.full["b"]
		s.mu.Unlock()
		require.LessOrEqual(t, n, maxDirty)
		require.True(t, full)
	})
}
