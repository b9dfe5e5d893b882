package runlog_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func member() engine.Engine { return memory.New(memory.Options{}, "node1").Member("node1") }

func open(t *testing.T, o runlog.Options) *runlog.Log {
	t.Helper()
	if o.Run == "" {
		o.Run = "run1"
	}
	l, err := runlog.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func items(ids ...string) (batch []runlog.Item) {
	for _, id := range ids {
		batch = append(batch, runlog.Item{ID: id, Data: []byte("data of " + id)})
	}
	return batch
}

// contents returns the records of a log with their positions.
func contents(t *testing.T, l *runlog.Log) (data []string, at []runlog.Position) {
	t.Helper()
	require.NoError(t, l.Read(t.Context(), func(p runlog.Position, d []byte) error {
		data, at = append(data, string(d)), append(at, p)
		return nil
	}))
	require.True(t, slices.IsSorted(at))
	return data, at
}

// TestAppend checks that items are added once, in their order, even if several writers append them again.
func TestAppend(t *testing.T) {
	e := member()
	a, b := open(t, runlog.Options{Engine: e, Writer: "a"}), open(t, runlog.Options{Engine: e, Writer: "b"})
	first, err := a.Append(t.Context(), items("z", "y", "x/../ä\x00"))
	require.NoError(t, err)
	require.True(t, slices.IsSorted(first))
	again, err := a.Append(t.Context(), items("z", "y", "x/../ä\x00"))
	require.NoError(t, err)
	require.Equal(t, first, again)
	mixed, err := b.Append(t.Context(), items("new", "y", "newer"))
	require.NoError(t, err)
	require.Equal(t, first[1], mixed[1])
	require.Less(t, first[2], mixed[0])
	require.Less(t, mixed[0], mixed[2])
	last, err := a.Append(t.Context(), items("last"))
	require.NoError(t, err)
	require.Less(t, mixed[2], last[0])
	none, err := a.Append(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
	data, at := contents(t, b)
	require.Equal(t, []string{"data of z", "data of y", "data of x/../ä\x00", "data of new", "data of newer", "data of last"}, data)
	require.Equal(t, append(slices.Clone(first), mixed[0], mixed[2], last[0]), at)
	other, _ := contents(t, open(t, runlog.Options{Engine: e, Run: "run"}))
	require.Empty(t, other, "a run whose id begins the other one's")
}

func TestInvalid(t *testing.T) {
	e := member()
	l := open(t, runlog.Options{Engine: e, Writer: "a"})
	for _, batch := range [][]runlog.Item{items(""), items("a", "a"), items(strings.Repeat("x", 5000)),
		make([]runlog.Item, runlog.MaxBatch+1), {{ID: "a", Data: make([]byte, engine.MaxBytes)}}} {
		_, err := l.Append(t.Context(), batch)
		require.ErrorIs(t, err, runlog.ErrInvalid)
	}
	_, err := open(t, runlog.Options{Engine: e}).Append(t.Context(), items("a"))
	require.ErrorIs(t, err, runlog.ErrInvalid, "a reader")
	for _, o := range []runlog.Options{{Run: "a"}, {Engine: e}, {Engine: e, Run: "a/b"}} {
		_, err := runlog.New(o)
		require.ErrorIs(t, err, runlog.ErrInvalid)
	}
	var full []runlog.Item
	for i := range runlog.MaxBatch {
		full = append(full, items(fmt.Sprint(i))...)
	}
	_, err = l.Append(t.Context(), full[:1])
	require.NoError(t, err)
	_, err = l.Append(t.Context(), full)
	require.NoError(t, err)
	data, _ := contents(t, l)
	require.Len(t, data, runlog.MaxBatch)
	require.NoError(t, l.Close())
	_, err = l.Append(t.Context(), items("b"))
	require.ErrorIs(t, err, runlog.ErrClosed)
}

// faulty is an engine whose commits fail before or after they are made.
type faulty struct {
	engine.Engine
	mu    sync.Mutex
	rng   *rand.Rand
	every int // one of so many calls fails; 0 for none
	lost  int // commits that were made and not acknowledged
}

var errLost = errors.New("the connection was lost")

func (f *faulty) Apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (engine.Result, error) {
	f.mu.Lock()
	fails, after := f.every > 0 && f.rng.IntN(f.every) == 0, f.rng.IntN(2) == 0
	f.mu.Unlock()
	if fails && !after {
		return engine.Result{}, errLost
	}
	r, err := f.Engine.Apply(ctx, conditions, ops...)
	if fails && err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.lost++
		return engine.Result{}, engine.ErrUnavailable
	}
	return r, err
}

// TestLostAcknowledgements checks that several writers with shared ids append each record once, at the
// position that its append has returned, although commits and their acknowledgements are lost.
func TestLostAcknowledgements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faulty{Engine: member(), rng: rand.New(rand.NewPCG(1, 2)), every: 3}
		var mu sync.Mutex
		got := map[string]runlog.Position{}
		var wg sync.WaitGroup
		var logs []*runlog.Log
		for w := range 3 {
			l, err := runlog.New(runlog.Options{Engine: f, Run: "r", Writer: fmt.Sprint("w", w)})
			require.NoError(t, err)
			logs = append(logs, l)
			for g := range 4 {
				wg.Go(func() {
					for i := range 25 {
						own, shared := fmt.Sprint(w, "-", g, "-", i), fmt.Sprint("shared", i)
						at, err := l.Append(t.Context(), items(own, shared))
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						if p, ok := got[shared]; ok && p != at[1] {
							t.Errorf("%s is at %d and at %d", shared, p, at[1])
						}
						got[own], got[shared] = at[0], at[1]
						mu.Unlock()
					}
				})
			}
		}
		wg.Wait()
		data, at := contents(t, logs[0])
		require.Len(t, data, 3*4*25+25)
		for i, d := range data {
			require.Equal(t, got[strings.TrimPrefix(d, "data of ")], at[i], d)
		}
		require.Positive(t, f.lost)
		for _, l := range logs {
			require.NoError(t, l.Close())
		}
	})
}

// TestFollow requires a follower to see each record once, in order, across compactions and lost connections.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := memory.New(memory.Options{}, "node1", "node2", "node3")
		w := open(t, runlog.Options{Engine: cluster.Member("node1"), Writer: "w"})
		r := open(t, runlog.Options{Engine: cluster.Member("node2")})
		var seen []string
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- r.Follow(ctx, 0, func(_ runlog.Position, d []byte) error {
				seen = append(seen, string(d))
				return nil
			})
		}()
		var want []string
		var middle runlog.Position
		for i := range 30 {
			id := fmt.Sprint(i)
			at, err := w.Append(t.Context(), items(id))
			require.NoError(t, err)
			want = append(want, "data of "+id)
			switch i {
			case 10:
				cluster.Cut("node2")
			case 15:
				middle = at[0]
			case 20:
				require.NoError(t, cluster.Member("node1").Compact(t.Context(), cluster.Revision()))
				cluster.Heal()
			}
		}
		synctest.Wait()
		require.Equal(t, want, seen)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		seen = nil
		mine := errors.New("mine")
		err := r.Follow(t.Context(), middle, func(_ runlog.Position, d []byte) error {
			if seen = append(seen, string(d)); len(seen) == 14 {
				return mine
			}
			return nil
		})
		require.ErrorIs(t, err, mine)
		require.Equal(t, want[16:], seen)
	})
}

// TestDeposed requires no record of a writer whose fence is gone, and the right error.
func TestDeposed(t *testing.T) {
	e := member()
	r, err := e.Apply(t.Context(), nil, engine.Put("lead/run1", nil))
	require.NoError(t, err)
	l := open(t, runlog.Options{Engine: e, Writer: "a", Fence: engine.CreatedAt("lead/run1", r.Revision)})
	_, err = l.Append(t.Context(), items("a"))
	require.NoError(t, err)
	_, err = e.Apply(t.Context(), nil, engine.Put("lead/run1", []byte("renewed")))
	require.NoError(t, err)
	_, err = l.Append(t.Context(), items("b"))
	require.NoError(t, err, "the fence is the creation")
	_, err = e.Apply(t.Context(), nil, engine.Delete("lead/run1"))
	require.NoError(t, err)
	for range 2 {
		_, err = l.Append(t.Context(), items("c"))
		require.ErrorIs(t, err, runlog.ErrDeposed)
		_, err = e.Apply(t.Context(), nil, engine.Put("lead/run1", nil))
		require.NoError(t, err, "another leader")
	}
	data, _ := contents(t, l)
	require.Equal(t, []string{"data of a", "data of b"}, data)
}

// TestDamaged requires each loss, change and doubling of a record to be noticed by readers, and a loss of
// the last record by its writer.
func TestDamaged(t *testing.T) {
	value := func(e engine.Engine, id string) []byte {
		entry, ok, err := e.Get(t.Context(), "log/run1/"+id)
		require.NoError(t, err)
		require.True(t, ok)
		return slices.Clone(entry.Value)
	}
	for name, c := range map[string]struct {
		spoil func(engine.Engine) []engine.Op
		want  string
	}{
		"lost":       {func(engine.Engine) []engine.Op { return []engine.Op{engine.Delete("log/run1/b")} }, "1 records are missing"},
		"first lost": {func(engine.Engine) []engine.Op { return []engine.Op{engine.Delete("log/run1/a")} }, "it has number 2, want 1"},
		"changed": {func(e engine.Engine) []engine.Op {
			return []engine.Op{engine.Put("log/run1/b", append(value(e, "b"), 'x'))}
		}, "has changed it"},
		"doubled": {func(e engine.Engine) []engine.Op {
			return []engine.Op{engine.Put("log/run1/d", value(e, "b"))}
		}, "a record came twice"},
		"moved": {func(e engine.Engine) []engine.Op {
			v := value(e, "c")
			return []engine.Op{engine.Delete("log/run1/c"), engine.Put("log/run1/e", v)}
		}, "it has number 3"},
		"rubbish": {func(engine.Engine) []engine.Op {
			return []engine.Op{engine.Put("log/run1/e", []byte("x"))}
		}, "its format is not version 1"},
		"cut": {func(e engine.Engine) []engine.Op {
			return []engine.Op{engine.Put("log/run1/e", value(e, "a")[:12])}
		}, "its head is cut"},
	} {
		t.Run(name, func(t *testing.T) {
			e := member()
			l := open(t, runlog.Options{Engine: e, Writer: "w"})
			for _, id := range []string{"a", "b", "c"} {
				_, err := l.Append(t.Context(), items(id))
				require.NoError(t, err)
			}
			if name == "moved" {
				_, err := l.Append(t.Context(), items("d"))
				require.NoError(t, err)
			}
			_, err := e.Apply(t.Context(), nil, c.spoil(e)...)
			require.NoError(t, err)
			err = l.Read(t.Context(), func(runlog.Position, []byte) error { return nil })
			var damaged *runlog.Damaged
			require.ErrorAs(t, err, &damaged)
			if name != "moved" {
				require.Contains(t, damaged.Reason, c.want)
			}
			require.Contains(t, damaged.Error(), "run1")
		})
	}
	e := member()
	l := open(t, runlog.Options{Engine: e, Writer: "w"})
	_, err := l.Append(t.Context(), items("a", "b"))
	require.NoError(t, err)
	_, err = e.Apply(t.Context(), nil, engine.Delete("log/run1/b"))
	require.NoError(t, err)
	for range 2 {
		_, err = l.Append(t.Context(), items("c"))
		var damaged *runlog.Damaged
		require.ErrorAs(t, err, &damaged)
		require.Contains(t, damaged.Reason, "record 2 was acknowledged")
	}
}

// TestFlippedBits requires a reader to notice each flipped bit of a record that is not the last of its writer.
func TestFlippedBits(t *testing.T) {
	e := member()
	l := open(t, runlog.Options{Engine: e, Writer: "w"})
	_, err := l.Append(t.Context(), items("a"))
	require.NoError(t, err)
	_, err = l.Append(t.Context(), items("b"))
	require.NoError(t, err)
	entries, err := e.List(t.Context(), engine.Query{Prefix: "log/run1/"})
	require.NoError(t, err)
	for bit := range 8 * len(entries.Entries[0].Value) {
		other := member()
		for i, entry := range entries.Entries {
			v := slices.Clone(entry.Value)
			if i == 0 {
				v[bit/8] ^= 1 << (bit % 8)
			}
			_, err = other.Apply(t.Context(), nil, engine.Put(entry.Key, v))
			require.NoError(t, err)
		}
		err = open(t, runlog.Options{Engine: other}).Read(t.Context(), func(runlog.Position, []byte) error { return nil })
		require.Error(t, err, "bit %d", bit)
	}
}

// TestDeleted requires followers and writers to learn that the run has ended.
func TestDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := member()
		l, err := runlog.New(runlog.Options{Engine: e, Run: "r", Writer: "w"})
		require.NoError(t, err)
		_, err = l.Append(t.Context(), items("a", "b"))
		require.NoError(t, err)
		done := make(chan error)
		go func() { done <- l.Follow(t.Context(), 0, func(runlog.Position, []byte) error { return nil }) }()
		synctest.Wait()
		require.NoError(t, runlog.Delete(t.Context(), e, "r"))
		require.ErrorIs(t, <-done, runlog.ErrDeleted)
		_, err = l.Append(t.Context(), items("c"))
		require.ErrorIs(t, err, runlog.ErrDeleted)
		require.ErrorIs(t, err, runlog.ErrDeposed)
		require.NoError(t, l.Close())
	})
}

// boxes keeps blobs in memory.
type boxes struct {
	mu  sync.Mutex
	all map[string][]byte
}

func (b *boxes) Put(_ context.Context, owner string, data []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ref := fmt.Sprint(owner, len(b.all))
	b.all[ref] = slices.Clone(data)
	return ref, nil
}

func (b *boxes) Get(_ context.Context, ref string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all[ref], nil
}

// sealer is not encryption, but shows where it is used.
type sealer struct{}

func (sealer) Seal(place string, data []byte) ([]byte, error) {
	out := []byte(place + ":")
	for _, c := range data {
		out = append(out, c^0x55)
	}
	return out, nil
}

func (sealer) Open(place string, data []byte) ([]byte, error) {
	rest, ok := strings.CutPrefix(string(data), place+":")
	if !ok {
		return nil, errors.New("it is of another place")
	}
	out := []byte(rest)
	for i := range out {
		out[i] ^= 0x55
	}
	return out, nil
}

// TestLargeAndSealed requires large records in blobs, everything encrypted, and a record that was moved to be refused.
func TestLargeAndSealed(t *testing.T) {
	e, b := member(), &boxes{all: map[string][]byte{}}
	o := runlog.Options{Engine: e, Writer: "w", Seal: sealer{}, Blobs: b}
	l := open(t, o)
	large := strings.Repeat("secret", 1<<20)
	_, err := l.Append(t.Context(), []runlog.Item{{ID: "large", Data: []byte(large)}, {ID: "small", Data: []byte("secret")}})
	require.NoError(t, err)
	data, _ := contents(t, open(t, runlog.Options{Engine: e, Seal: sealer{}, Blobs: b}))
	require.Equal(t, []string{large, "secret"}, data)
	require.Len(t, b.all, 1)
	page, err := e.List(t.Context(), engine.Query{Prefix: ""})
	require.NoError(t, err)
	for _, entry := range page.Entries {
		require.NotContains(t, string(entry.Value), "secret")
		require.Less(t, len(entry.Value), 1000)
	}
	nothing := func(runlog.Position, []byte) error { return nil }
	require.ErrorContains(t, open(t, runlog.Options{Engine: e, Blobs: b}).Read(t.Context(), nothing), "Options.Seal is nil")
	require.ErrorContains(t, open(t, runlog.Options{Engine: e, Seal: sealer{}}).Read(t.Context(), nothing), "Options.Blobs is nil")

	planted := open(t, runlog.Options{Engine: e, Writer: "planted"})
	_, err = planted.Append(t.Context(), []runlog.Item{{ID: "plain", Data: []byte("data")}})
	require.NoError(t, err)
	require.ErrorContains(t, open(t, runlog.Options{Engine: e, Seal: sealer{}, Blobs: b}).Read(t.Context(), nothing),
		"is not encrypted")
}

// TestUnavailable requires an append to wait for a majority, and its caller to be able to leave.
func TestUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := memory.New(memory.Options{}, "node1", "node2", "node3")
		l, err := runlog.New(runlog.Options{Engine: cluster.Member("node1"), Run: "r", Writer: "w"})
		require.NoError(t, err)
		cluster.Cut("node1")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = l.Append(ctx, items("a"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		cluster.Heal()
		first, err := l.Append(t.Context(), items("a"))
		require.NoError(t, err)
		data, at := contents(t, l)
		require.Equal(t, []string{"data of a"}, data)
		require.Equal(t, first, at)
		cluster.Cut("node1")
		done := make(chan error)
		go func() { _, err := l.Append(t.Context(), items("b")); done <- err }()
		synctest.Wait()
		require.NoError(t, l.Close())
		require.ErrorIs(t, <-done, runlog.ErrClosed)
	})
}
