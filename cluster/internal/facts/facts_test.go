package facts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

var thorough = flag.Bool("thorough", false, "more random histories")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Node == "" {
		o.Node = "node1"
	}
	if o.Engine == nil {
		o.Engine = memory.New(memory.Options{}, o.Node).Member(o.Node)
	}
	s, err := Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func put(t *testing.T, s *Store, host, name, value string) engine.Revision {
	t.Helper()
	v, err := s.Put(t.Context(), host, name, json.RawMessage(value), nil)
	require.NoError(t, err)
	return v
}

// get returns the facts of a host as text.
func get(t *testing.T, s *Store, host string, level Level) map[string]string {
	t.Helper()
	facts, _, err := s.Get(t.Context(), host, level)
	require.NoError(t, err)
	text := make(map[string]string)
	for name, f := range facts {
		text[name] = string(f.Value)
	}
	return text
}

func TestPut(t *testing.T) {
	s := open(t, Options{})
	none, wrong := engine.Revision(0), engine.Revision(99)
	v, err := s.Put(t.Context(), "web/1", "os name", json.RawMessage(`"debian"`), &none)
	require.NoError(t, err)
	require.Positive(t, v)
	_, err = s.Put(t.Context(), "web/1", "os name", json.RawMessage(`1`), &none)
	var conflict *Conflict
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, v, conflict.Was)
	_, err = s.Put(t.Context(), "web/1", "os name", json.RawMessage(`1`), &wrong)
	require.ErrorAs(t, err, &conflict)
	w, err := s.Put(t.Context(), "web/1", "os name", json.RawMessage(`{"n":12345678901234567890}`), &v)
	require.NoError(t, err)
	require.Greater(t, w, v)
	for _, level := range []Level{Eventual, Session, Strong, Quorum, ""} {
		require.Equal(t, map[string]string{"os name": `{"n":12345678901234567890}`}, get(t, s, "web/1", level), level)
	}
	require.Empty(t, get(t, s, "web", Strong), "the host is a prefix of another one")
}

func TestBounds(t *testing.T) {
	s := open(t, Options{})
	long := strings.Repeat("x", MaxName+1)
	for _, c := range []struct{ host, name, value string }{
		{"", "a", "1"}, {"h", "", "1"}, {long, "a", "1"}, {"h", long, "1"}, {"h", "a", `"` + strings.Repeat("x", MaxValue) + `"`},
	} {
		_, err := s.Put(t.Context(), c.host, c.name, json.RawMessage(c.value), nil)
		require.ErrorIs(t, err, ErrBound)
	}
	_, err := s.Put(t.Context(), "h", "a", json.RawMessage(`{`), nil)
	require.ErrorContains(t, err, "not JSON")
	for i := range MaxFacts {
		put(t, s, "h", fmt.Sprint("fact ", i), "1")
	}
	_, err = s.Put(t.Context(), "h", "another", json.RawMessage("1"), nil)
	require.ErrorIs(t, err, ErrBound)
	put(t, s, "h", "fact 3", "2") // one that exists
	require.Len(t, get(t, s, "h", Strong), MaxFacts)
	_, _, err = s.Get(t.Context(), "h", "newest")
	require.ErrorContains(t, err, `level "newest"`)
}

// TestMinority reads on a node that can't reach a majority.
func TestMinority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := memory.New(memory.Options{}, "node1", "node2", "node3")
		s := open(t, Options{Engine: cluster.Member("node1"), Node: "node1"})
		other := open(t, Options{Engine: cluster.Member("node2"), Node: "node2"})
		put(t, other, "h", "a", "1")
		synctest.Wait() // for the watch, whose begin forgets what was known
		require.Equal(t, "1", get(t, s, "h", Session)["a"])
		cluster.Split([]string{"node1"}, []string{"node2", "node3"})
		put(t, other, "h", "a", "2")
		require.Equal(t, "1", get(t, s, "h", Session)["a"], "within 5 s")
		time.Sleep(DefaultFresh)
		for _, level := range []Level{Session, Strong, Quorum} {
			_, _, err := s.Get(t.Context(), "h", level)
			require.ErrorIs(t, err, engine.ErrUnavailable, level)
		}
		require.Equal(t, "1", get(t, s, "h", Eventual)["a"])
		_, err := s.Put(t.Context(), "h", "a", json.RawMessage("3"), nil)
		require.ErrorIs(t, err, engine.ErrUnavailable)
		cluster.Heal()
		time.Sleep(time.Minute)
		require.Equal(t, "2", get(t, s, "h", Eventual)["a"], "the watch has gone on")
	})
}

// TestExpire requires a session read after Expire to include the writes of another node.
func TestExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := memory.New(memory.Options{}, "node1", "node2")
		a := open(t, Options{Engine: cluster.Member("node1"), Node: "node1"})
		b := open(t, Options{Engine: cluster.Member("node2"), Node: "node2"})
		put(t, a, "h", "a", "1")
		synctest.Wait() // for the watch, whose begin forgets what was known
		require.Equal(t, "1", get(t, b, "h", Session)["a"])
		b.cancel() // the watch is as late as can be
		b.done.Wait()
		put(t, a, "h", "a", "2")
		require.Equal(t, "1", get(t, b, "h", Session)["a"])
		b.Expire()
		require.Equal(t, "2", get(t, b, "h", Session)["a"])
	})
}

// TestStrong makes 10,000 reads on three nodes while others write. A strong or quorum read includes every
// write that ended before it began, and a session read every write of its own node.
func TestStrong(t *testing.T) {
	cluster := memory.New(memory.Options{}, "node1", "node2", "node3")
	var nodes []*Store
	for _, name := range []string{"node1", "node2", "node3"} {
		nodes = append(nodes, open(t, Options{Engine: cluster.Member(name), Node: name}))
	}
	const hosts = 5
	reads := int64(10_000)
	if testlevel.Small() {
		reads = 1000
	}
	var last [hosts][3]atomic.Int64 // by host and writer
	var stop atomic.Bool
	var writers, readers sync.WaitGroup
	for w := range nodes {
		writers.Go(func() {
			for n := int64(1); !stop.Load(); n++ {
				host := int(n) % hosts
				_, err := nodes[w].Put(t.Context(), fmt.Sprint("host", host), fmt.Sprint("fact", w),
					fmt.Appendf(nil, "%d", n), nil)
				if err != nil {
					t.Error(err)
					return
				}
				last[host][w].Store(n)
			}
		})
	}
	stale, done := atomic.Int64{}, atomic.Int64{}
	for r := range 4 {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(r), 1))
			for done.Add(1) <= reads {
				node, host := random.IntN(3), random.IntN(hosts)
				level := []Level{Strong, Strong, Quorum, Session}[random.IntN(4)]
				var want [3]int64
				for w := range want {
					if level != Session || w == node {
						want[w] = last[host][w].Load()
					}
				}
				facts, _, err := nodes[node].Get(t.Context(), fmt.Sprint("host", host), level)
				if err != nil {
					t.Error(err)
					return
				}
				for w, n := range want {
					var got int64
					if n > 0 {
						if err := json.Unmarshal(facts[fmt.Sprint("fact", w)].Value, &got); err != nil {
							t.Error(level, err)
						}
					}
					if got < n {
						stale.Add(1)
					}
				}
			}
		})
	}
	readers.Wait()
	stop.Store(true)
	writers.Wait()
	require.Zero(t, stale.Load(), "stale reads of %d", reads)
}

// TestWatchBegins checks that reads which the watch does not continue are forgotten: reads that began
// before the watch began again, and stale reads of an earlier revision.
func TestWatchBegins(t *testing.T) {
	s := &Store{hosts: make(map[string]*known), epoch: 2, from: 10}
	now := time.Now()
	s.learn("h", map[string]Fact{}, 12, now, 1)
	s.learn("h", map[string]Fact{}, 9, now, 2)
	_, _, ok := s.knows("h", 0)
	require.False(t, ok)
	s.learn("h", map[string]Fact{}, 10, now, 2)
	_, _, ok = s.knows("h", 0)
	require.True(t, ok)
}

func TestHosts(t *testing.T) {
	s := open(t, Options{})
	for i := range 25 {
		for n := range 3 {
			put(t, s, fmt.Sprintf("web-%02d", i), fmt.Sprint(n), "1")
		}
	}
	for _, h := range []string{"web", "web0", "web/x", "db"} {
		put(t, s, h, "a", "1")
	}
	var all []string
	for after := ""; ; {
		hosts, more, err := s.Hosts(t.Context(), "web", after, 7)
		require.NoError(t, err)
		all = append(all, hosts...)
		if !more {
			break
		}
		after = hosts[len(hosts)-1]
	}
	require.Len(t, all, 28)
	seen := make(map[string]bool)
	for _, h := range all {
		require.False(t, seen[h], h)
		seen[h] = true
	}
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Options{})
		put(t, s, "h", "a", "1")
		_, at, err := s.Get(t.Context(), "h", Strong)
		require.NoError(t, err)
		go func() {
			time.Sleep(time.Second)
			for _, host := range []string{"other", "h"} {
				if _, err := s.Put(t.Context(), host, "b", json.RawMessage("2"), nil); err != nil {
					t.Error(err)
				}
			}
		}()
		changed, version, err := s.Watch(t.Context(), "h", at)
		require.NoError(t, err)
		require.Equal(t, json.RawMessage("2"), changed["b"].Value)
		require.Len(t, changed, 1)
		require.Equal(t, version, changed["b"].Version)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err = s.Watch(ctx, "h", version)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// rot is a Sealer that adds the host and the name.
type rot struct{}

func (rot) Seal(host, name string, plain []byte) ([]byte, error) {
	return append([]byte(host+":"+name+":"), plain...), nil
}

func (rot) Open(host, name string, sealed []byte) ([]byte, error) {
	plain, ok := bytes.CutPrefix(sealed, []byte(host+":"+name+":"))
	if !ok {
		return nil, errors.New("not sealed for this host")
	}
	return plain, nil
}

// TestSealer requires facts to be sealed for their host on the engine.
func TestSealer(t *testing.T) {
	e := memory.New(memory.Options{}, "node1").Member("node1")
	s := open(t, Options{Engine: e, Sealer: rot{}})
	put(t, s, "h", "a", "1")
	entry, ok, err := e.Get(t.Context(), factKey("h", "a"))
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, bytes.HasPrefix(entry.Value, []byte("h:a:")))
	require.Equal(t, "1", get(t, s, "h", Strong)["a"])
	_, err = e.Apply(t.Context(), nil, engine.Put(factKey("g", "a"), entry.Value))
	require.NoError(t, err)
	_, _, err = s.Get(t.Context(), "g", Strong)
	require.ErrorContains(t, err, "not sealed for this host")
}
