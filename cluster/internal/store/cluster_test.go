package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	cluster "github.com/ptc-lang/ptc/cluster/internal/store"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/storetest"
)

// crashing is an engine of a node that ends at a commit: before it, or before its answer.
type crashing struct {
	engine.Engine
	left atomic.Int64 // commits until the end
	made bool         // the last commit is made
}

var errCrashed = fmt.Errorf("%w: the node has ended", engine.ErrClosed)

func (c *crashing) Apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (engine.Result, error) {
	switch left := c.left.Add(-1); {
	case left < 0, left == 0 && !c.made:
		return engine.Result{}, errCrashed
	case left == 0:
		_, err := c.Engine.Apply(ctx, conditions, ops...)
		return engine.Result{}, errors.Join(err, errCrashed)
	}
	return c.Engine.Apply(ctx, conditions, ops...)
}

// story does everything that changes a store, until the node ends. It returns the runs that were acknowledged, with the
// last state of each.
func story(t *testing.T, s *cluster.Store) (acknowledged map[string]store.Run, deleted []string) {
	acknowledged = map[string]store.Run{}
	ctx := t.Context()
	for i := range 3 {
		run := storetest.Submitted()
		run.Key = fmt.Sprint("key", i)
		if i == 1 {
			run.Source = strings.Repeat("; long\n", 20_000)
		}
		kept, _, err := s.Create(ctx, run)
		if err != nil {
			return acknowledged, deleted
		}
		acknowledged[kept.ID] = kept
		p, err := s.Journal(ctx, kept.ID)
		require.NoError(t, err)
		if j, err := p.Create(ctx, journal.Header{Source: "(f)"}, journal.Options{}); err == nil {
			_, _, err := j.Begin(ctx, effect.Effect{ID: "0#1", Kind: effect.KindCall, Name: "f", Class: effect.Write})
			if err = errors.Join(err, j.Close()); err != nil {
				return acknowledged, deleted
			}
		}
		for _, state := range []store.State{store.Running, store.Succeeded} {
			kept, err := s.Update(ctx, kept.ID, func(r *store.Run) error {
				r.State, r.Prints = state, strings.Repeat("p", i*100_000)
				return nil
			})
			if err != nil {
				return acknowledged, deleted
			}
			acknowledged[kept.ID] = kept
		}
		_, err = s.Put(ctx, store.Document{Kind: store.Programs, Name: "p", Body: json.RawMessage(fmt.Sprint(i))})
		if err != nil {
			return acknowledged, deleted
		}
		if i == 2 {
			if s.Delete(ctx, kept.ID) == nil {
				delete(acknowledged, kept.ID)
				deleted = append(deleted, kept.ID)
			}
			_ = s.Remove(ctx, store.Programs, "p")
		}
	}
	return acknowledged, deleted
}

// TestCrashes ends a node before and after each of its commits. Acknowledged changes are kept, no change is
// made in part, and a sweep removes all leftovers.
func TestCrashes(t *testing.T) {
	step := int64(1)
	if testlevel.Small() {
		step = 4
	}
	for _, made := range []bool{false, true} {
		for n := int64(1); ; n += step {
			e, b := member(), newBoxes()
			ending := &crashing{Engine: e, made: made}
			ending.left.Store(n)
			first := open(t, ending, b, cluster.Options{})
			acknowledged, deleted := story(t, first)
			whole := ending.left.Load() > 0
			require.NoError(t, first.Close())

			s := open(t, e, b, cluster.Options{})
			require.NoError(t, s.Sweep(t.Context()))
			c := storetest.Read(t, s)
			require.Empty(t, c.Damaged)
			for id, run := range acknowledged {
				got, ok := c.Runs[id]
				if !ok && run.State == store.Succeeded && len(acknowledged) == 3 {
					continue // the node has ended while it deleted it
				}
				require.True(t, ok, "commit %d", n)
				require.GreaterOrEqual(t, got.Revision, run.Revision)
				if got.Revision == run.Revision {
					require.Equal(t, run, got)
				}
			}
			for _, id := range deleted {
				require.NotContains(t, c.Runs, id)
			}
			for id, run := range c.Runs {
				if !run.State.Final() {
					storetest.Become(t, s, id, store.Cancelled)
				}
				require.NoError(t, s.Delete(t.Context(), id))
			}
			require.NoError(t, s.Sweep(t.Context()))
			leftOver(t, e, b)
			require.NoError(t, s.Close())
			if whole {
				require.Greater(t, n, int64(20))
				break
			}
		}
	}
}

// leftOver wants nothing of runs in an engine but their results.
func leftOver(t *testing.T, e engine.Engine, b *boxes) {
	t.Helper()
	page, err := e.List(t.Context(), engine.Query{Keys: true})
	require.NoError(t, err)
	for _, entry := range page.Entries {
		known := false
		for _, prefix := range []string{"run/head", "gone/node1", "result/", "head/", "doc/"} {
			known = known || strings.HasPrefix(entry.Key, prefix)
		}
		require.True(t, known, "%q", entry.Key)
	}
	require.NoError(t, b.Owned(t.Context(), func(owner, _ string) error {
		at, err := store.IDTime(strings.TrimPrefix(owner, "run/"))
		require.NoError(t, err, "%q", owner)
		require.Less(t, time.Since(at), time.Hour, "of a run that may be on its way")
		return nil
	}))
}

// lead takes a run for a node, as package place does, and returns the condition that it leads.
func lead(t *testing.T, e engine.Engine, run string) (engine.Lease, engine.Condition) {
	t.Helper()
	l, err := e.Grant(t.Context(), 2*time.Second)
	require.NoError(t, err)
	key := "lead/" + run
	res, err := e.Apply(t.Context(), []engine.Condition{engine.Absent(key)}, engine.Op{Key: key, Lease: l.ID()})
	require.NoError(t, err)
	require.True(t, res.Done)
	return l, engine.CreatedAt(key, res.Revision)
}

// TestFence requires the changes and the records of a node to fail when it does not lead the run any more.
func TestFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		members, b := memory.New(memory.Options{}, "node1", "node2", "node3"), newBoxes()
		one := open(t, members.Member("node1"), b, cluster.Options{Node: "node1"})
		two := open(t, members.Member("node2"), b, cluster.Options{Node: "node2"})
		run := storetest.Create(t, one, storetest.Submitted())
		first, holds := lead(t, members.Member("node1"), run.ID)
		released := one.Fence(run.ID, holds)
		storetest.Become(t, one, run.ID, store.Running)
		p, err := one.Journal(t.Context(), run.ID)
		require.NoError(t, err)
		j, err := p.Create(t.Context(), journal.Header{Source: "(f)"}, journal.Options{})
		require.NoError(t, err)

		members.Pause("node1") // as SIGSTOP: it does not notice
		time.Sleep(5 * time.Second)
		next, holds := lead(t, members.Member("node2"), run.ID)
		defer two.Fence(run.ID, holds)()
		members.Resume("node1")
		_, err = one.Update(t.Context(), run.ID, func(r *store.Run) error { r.State = store.Failed; return nil })
		require.ErrorIs(t, err, cluster.ErrDeposed)
		_, _, err = j.Begin(t.Context(), effect.Effect{ID: "0#1", Kind: effect.KindCall, Name: "f", Class: effect.Write})
		require.ErrorIs(t, err, runlog.ErrDeposed)
		require.Error(t, j.Close())
		<-first.Lost()
		released()
		_, err = one.Update(t.Context(), run.ID, func(r *store.Run) error { r.Reason = "by an operator"; return nil })
		require.NoError(t, err, "its engine has stopped the run")

		p, err = two.Journal(t.Context(), run.ID)
		require.NoError(t, err)
		j, rec, err := p.Resume(t.Context(), nil, journal.Options{})
		require.NoError(t, err)
		require.Empty(t, rec.Entries)
		require.NoError(t, j.Finish(journal.Final{Value: "1"}))
		require.NoError(t, j.Close())
		storetest.Become(t, two, run.ID, store.Succeeded)
		require.NoError(t, next.Close(t.Context()))
		require.NoError(t, first.Close(t.Context()))
		require.NoError(t, one.Close())
		require.NoError(t, two.Close())
	})
}

// before calls a function before the entries of each log are listed, of a member.
type before struct {
	engine.Engine
	list func()
}

func (b *before) List(ctx context.Context, q engine.Query) (engine.Page, error) {
	if strings.HasPrefix(q.Prefix, "log/") && !q.Keys {
		b.list()
	}
	return b.Engine.List(ctx, q)
}

// TestOpenWhileItEnds opens the journal of a run that ends meanwhile, whose log is in a blob then.
func TestOpenWhileItEnds(t *testing.T) {
	members, b := memory.New(memory.Options{}, "node1", "node2"), newBoxes()
	one := open(t, members.Member("node1"), b, cluster.Options{Node: "node1"})
	run := storetest.Create(t, one, storetest.Submitted())
	p, err := one.Journal(t.Context(), run.ID)
	require.NoError(t, err)
	j, err := p.Create(t.Context(), journal.Header{Source: "(f)"}, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
	require.NoError(t, j.Close())

	ended := sync.OnceFunc(func() { storetest.Become(t, one, run.ID, store.Succeeded) })
	two := open(t, &before{members.Member("node2"), ended}, b, cluster.Options{Node: "node2"})
	p, err = two.Journal(t.Context(), run.ID)
	require.NoError(t, err)
	r, err := p.Open(t.Context())
	require.NoError(t, err)
	defer r.Close()
	rec, err := journal.Read(r, storetest.Key())
	require.NoError(t, err)
	require.NotNil(t, rec.Final)
}

// TestFullDisk requires that the end of a run is kept, and its journal stays in the log, while no blob can be written.
func TestFullDisk(t *testing.T) {
	e, b := member(), newBoxes()
	s := open(t, e, b, cluster.Options{Seal: sealer{}})
	run := storetest.Create(t, s, storetest.Submitted())
	p, err := s.Journal(t.Context(), run.ID)
	require.NoError(t, err)
	source := strings.Repeat("(secret)", 10_000)
	j, err := p.Create(t.Context(), journal.Header{Source: source[:50_000]}, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
	require.NoError(t, j.Close())
	size := func() int {
		r, err := p.Open(t.Context())
		require.NoError(t, err)
		rec, err := journal.Read(r)
		require.NoError(t, err)
		require.Equal(t, "1", rec.Final.Value)
		require.NoError(t, r.Close())
		page, err := e.List(t.Context(), engine.Query{Prefix: "log/"})
		require.NoError(t, err)
		return len(page.Entries)
	}
	b.full = true
	storetest.Become(t, s, run.ID, store.Succeeded)
	require.Positive(t, size())
	require.ErrorIs(t, s.Sweep(t.Context()), errFull)
	require.Positive(t, size())
	b.full = false
	require.NoError(t, s.Sweep(t.Context()))
	require.Zero(t, size())
	require.NoError(t, s.Sweep(t.Context()))
	for _, data := range b.all {
		require.NotContains(t, string(data), "secret")
	}
	_, _, err = p.Resume(t.Context(), nil, journal.Options{})
	require.ErrorIs(t, err, journal.ErrFinished)
	_, err = p.Create(t.Context(), journal.Header{}, journal.Options{})
	require.ErrorIs(t, err, fs.ErrExist)
}

// TestFollow requires the changes of a run to be seen on another node.
func TestFollow(t *testing.T) {
	members, b := memory.New(memory.Options{}, "node1", "node2", "node3"), newBoxes()
	one := open(t, members.Member("node1"), b, cluster.Options{})
	two := open(t, members.Member("node2"), b, cluster.Options{})
	run := storetest.Create(t, one, storetest.Submitted())
	seen := make(chan store.Run, 10)
	done := make(chan error)
	go func() {
		done <- two.Follow(t.Context(), run.ID, func(r store.Run) error { seen <- r; return nil })
	}()
	require.Equal(t, run, <-seen)
	for _, state := range []store.State{store.Running, store.Parked, store.Running, store.Succeeded} {
		changed := storetest.Become(t, one, run.ID, state)
		require.Equal(t, changed, <-seen)
	}
	require.NoError(t, one.Delete(t.Context(), run.ID))
	require.ErrorIs(t, <-done, store.ErrNotFound)
	run = storetest.Create(t, one, storetest.Submitted())
	go func() {
		done <- two.Follow(t.Context(), run.ID, func(r store.Run) error { seen <- r; return nil })
	}()
	<-seen
	require.NoError(t, two.Close())
	require.ErrorIs(t, <-done, store.ErrClosed)
}

// TestMinority checks that a node without a majority can make stale reads, and changes nothing.
func TestMinority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		members, b := memory.New(memory.Options{}, "node1", "node2", "node3"), newBoxes()
		one := open(t, members.Member("node1"), b, cluster.Options{})
		two := open(t, members.Member("node2"), b, cluster.Options{})
		run := storetest.Create(t, one, storetest.Submitted())
		require.Len(t, storetest.All(t, two, store.Query{}), 1)
		members.Cut("node2")
		changed := storetest.Become(t, one, run.ID, store.Running)
		_, err := two.Get(t.Context(), run.ID)
		require.ErrorIs(t, err, engine.ErrUnavailable)
		_, err = two.List(t.Context(), store.Query{})
		require.ErrorIs(t, err, engine.ErrUnavailable)
		_, err = two.Update(t.Context(), run.ID, func(r *store.Run) error { r.State = store.Cancelled; return nil })
		require.ErrorIs(t, err, engine.ErrUnavailable)
		stale := cluster.Stale(t.Context())
		got, err := two.Get(stale, run.ID)
		require.NoError(t, err)
		require.True(t, got.Stale)
		got.Stale = false
		require.Equal(t, run, got)
		page, err := two.List(stale, store.Query{})
		require.NoError(t, err)
		require.Equal(t, store.Queued, page.Runs[0].State)
		require.True(t, page.Runs[0].Stale)
		n, err := two.Count(stale, "")
		require.NoError(t, err)
		require.Equal(t, map[store.State]int{store.Queued: 1}, n)
		members.Heal()
		require.Equal(t, []store.Run{changed.Brief()}, storetest.All(t, two, store.Query{}))
		require.NoError(t, errors.Join(one.Close(), two.Close()))
	})
}

// TestDamaged requires a run that can't be read, and one that was set aside, to be among the damaged, and nowhere else.
func TestDamaged(t *testing.T) {
	e := member()
	s := open(t, e, newBoxes(), cluster.Options{})
	var ids []string
	for i := range 3 {
		run := storetest.Submitted()
		run.Key = fmt.Sprint("k", i)
		ids = append(ids, storetest.Create(t, s, run).ID)
	}
	entry, _, err := e.Get(t.Context(), "run/"+ids[0])
	require.NoError(t, err)
	value := []byte(strings.Replace(string(entry.Value), "north", "nortH", 1))
	_, err = e.Apply(t.Context(), nil, engine.Put("run/"+ids[0], value), engine.Put("run/head", nil))
	require.NoError(t, err)
	require.NoError(t, s.SetAside(t.Context(), ids[1], "a record was lost"))
	damaged, err := s.Damaged(t.Context())
	require.NoError(t, err)
	require.Len(t, damaged, 2)
	require.Equal(t, ids[:2], []string{damaged[0].ID, damaged[1].ID})
	require.Contains(t, damaged[0].Reason, "its checksum is wrong")
	require.Contains(t, damaged[1].Reason, "a record was lost")
	require.Len(t, storetest.All(t, s, store.Query{}), 1)
	n, err := s.Count(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, map[store.State]int{store.Queued: 1}, n)
	for i, id := range ids[:2] {
		_, err = s.Get(t.Context(), id)
		require.ErrorIs(t, err, store.ErrDamaged)
		_, err = s.Update(t.Context(), id, func(*store.Run) error { return nil })
		require.ErrorIs(t, err, store.ErrDamaged)
		again := storetest.Submitted()
		again.Key = fmt.Sprint("k", i)
		_, _, err = s.Create(t.Context(), again)
		require.ErrorIs(t, err, store.ErrDamaged, "a submission that is repeated must not run again")
		require.NoError(t, s.Delete(t.Context(), id))
		_, first, err := s.Create(t.Context(), again)
		require.NoError(t, err)
		require.True(t, first)
	}
	damaged, err = s.Damaged(t.Context())
	require.NoError(t, err)
	require.Empty(t, damaged)
}

// TestResults requires the ends of runs to be kept in order, also of runs that were deleted, until they expire.
func TestResults(t *testing.T) {
	s := open(t, member(), newBoxes(), cluster.Options{Node: "node7"})
	var want []string
	var last store.Run
	for i, state := range []store.State{store.Succeeded, store.Failed, store.Cancelled, store.Poisoned} {
		last = storetest.Become(t, s, storetest.Create(t, s, storetest.Submitted()).ID, state)
		want = append(want, last.ID)
		if i%2 == 0 {
			require.NoError(t, s.Delete(t.Context(), last.ID))
		}
	}
	var got []string
	for after := ""; ; {
		page, err := s.Results(t.Context(), after, 1)
		require.NoError(t, err)
		if len(page) == 0 {
			break
		}
		got, after = append(got, page[0].ID), page[0].Next
		require.Equal(t, "node7", page[0].Node)
		require.Len(t, page[0].Sum, 64)
	}
	require.Equal(t, want, got)
	n, err := s.ExpireResults(t.Context(), last.Ended)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	all, err := s.Results(t.Context(), "", 0)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, last.Ended, all[0].Ended)
	require.Equal(t, store.Poisoned, all[0].State)
}

// TestSealed requires nothing of a run or a document to be readable in the engine or in blobs, but the keys.
func TestSealed(t *testing.T) {
	e, b := member(), newBoxes()
	s := open(t, e, b, cluster.Options{Seal: sealer{}})
	run := storetest.Submitted()
	run.Source = strings.Repeat("(secret)", 20_000)
	kept := storetest.Create(t, s, run)
	storetest.Become(t, s, kept.ID, store.Running)
	_, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
		r.State, r.Prints = store.Succeeded, run.Source
		return nil
	})
	require.NoError(t, err)
	for _, body := range []string{`"secret"`, `"` + run.Source + `"`} {
		_, err = s.Put(t.Context(), store.Document{Kind: store.Policies, Name: "p", Body: json.RawMessage(body)})
		require.NoError(t, err)
	}
	page, err := e.List(t.Context(), engine.Query{})
	require.NoError(t, err)
	for _, entry := range page.Entries {
		require.NotContains(t, string(entry.Value), "secret", entry.Key)
		require.NotContains(t, string(entry.Value), "deploy", entry.Key)
	}
	require.Len(t, b.all, 3)
	for _, data := range b.all {
		require.NotContains(t, string(data), "secret")
	}
	none := open(t, e, b, cluster.Options{})
	_, err = none.Get(t.Context(), kept.ID)
	require.ErrorContains(t, err, "this node has no key")
	planted := storetest.Create(t, none, storetest.Submitted())
	_, err = s.Get(t.Context(), planted.ID)
	require.ErrorIs(t, err, store.ErrDamaged, "a run that was written without the key")
	require.ErrorContains(t, err, "it is not encrypted")
}

// BenchmarkList lists runs of a store of 10,000.
func BenchmarkList(b *testing.B) {
	s := open(b, member(), newBoxes(), cluster.Options{})
	for i := range 10_000 {
		run := storetest.Submitted()
		run.Labels["n"] = fmt.Sprint(i % 100)
		kept := storetest.Create(b, s, run)
		if i%100 != 0 {
			_, err := s.Update(b.Context(), kept.ID, func(r *store.Run) error { r.State = store.Cancelled; return nil })
			require.NoError(b, err)
		}
	}
	for name, q := range map[string]store.Query{
		"newest": {}, "queued": {States: []store.State{store.Queued}}, "label": {Labels: map[string]string{"n": "77"}},
		"nothing": {Tenant: "nobody"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := s.List(b.Context(), q)
				require.NoError(b, err)
			}
		})
	}
}
