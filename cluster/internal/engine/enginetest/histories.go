// This file tests recorded histories: the results of calls, with the times of their beginning and end, must be
// explained by one order of all commits.

package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

var histories = map[string]test{
	"a register is linearizable":              {members: 3, run: func(w *world) { history(w, false) }},
	"a register is linearizable under faults": {members: 3, run: func(w *world) { history(w, true) }},
	"appends under faults":                    {members: 3, run: appends},
}

// call is a call of a history. Times are those of a counter, which orders the begins and ends of all calls.
type call struct {
	begin, end int64
	write      bool
	known      bool // it has returned without an error
	value      string
	revision   engine.Revision // of the write, or of the write that was read; 0 for none
}

// recorder records a history.
type recorder struct {
	clock atomic.Int64
	mu    sync.Mutex
	calls []call
}

func (h *recorder) record(c call) {
	c.end = h.clock.Add(1)
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
}

// disturb cuts and stops members, one at a time, until the function that it returns is called.
func disturb(w *world, r *rand.Rand) (end func()) {
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			w.Cut(r.IntN(3))
			time.Sleep(time.Duration(100+r.IntN(700)) * time.Millisecond)
			w.Heal()
			select {
			case <-done:
				return
			case <-time.After(time.Duration(100+r.IntN(700)) * time.Millisecond):
			}
		}
	}()
	return func() {
		close(done)
		<-stopped
	}
}

// history has clients of all members write to and read from one key concurrently.
func history(w *world, faults bool) {
	const key, each = "register", 40
	var h recorder
	end := func() {}
	if faults {
		end = disturb(w, rand.New(rand.NewPCG(1, 1)))
	}
	var calls []func()
	for i := range 6 {
		e, r := w.Member(i%3), rand.New(rand.NewPCG(uint64(i), 2))
		calls = append(calls, func() {
			for n := range each {
				c := call{begin: h.clock.Add(1), write: r.IntN(2) == 0}
				if c.write {
					c.value = fmt.Sprintf("%d.%d", i, n)
					result, err := e.Apply(w.ctx, nil, engine.Put(key, []byte(c.value)))
					c.known, c.revision = err == nil, result.Revision
				} else {
					entry, _, err := e.Get(w.ctx, key)
					c.known, c.value, c.revision = err == nil, string(entry.Value), entry.Modified
				}
				if c.write || c.known {
					h.record(c)
				}
				time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			}
		})
	}
	together(calls...)
	end()
	w.working(w.Member(0))
	last := w.put(w.Member(0), key, "end")
	var order []engine.Change
	err := w.Member(0).Watch(w.ctx, key, 0, func(c engine.Commit) error {
		order = append(order, c.Changes...)
		if c.Revision == last {
			return errStop
		}
		return nil
	})
	require.ErrorIs(w, err, errStop)
	order = slices.DeleteFunc(order, func(c engine.Change) bool { // an attempt of put that was not answered
		return string(c.Value) == "end" && c.Modified != last
	})
	require.NoError(w, linearizable(h.calls, order))
}

// linearizable returns an error unless a history of a register is explained by the order of its writes: each call takes
// effect at one moment between its start and its end, or later if it has failed. The revisions are the witness. A call
// that ended before another began has a smaller revision, or the same if the other is a read.
func linearizable(calls []call, order []engine.Change) error {
	revisions, values := map[string]engine.Revision{}, map[engine.Revision]string{0: ""}
	for _, c := range order {
		if _, twice := revisions[string(c.Value)]; twice {
			return fmt.Errorf("the write of %q was made twice", c.Value)
		}
		revisions[string(c.Value)], values[c.Modified] = c.Modified, string(c.Value)
	}
	for i := range calls {
		c := &calls[i]
		made := revisions[c.value]
		switch {
		case !c.write && values[c.revision] != c.value:
			return fmt.Errorf("a read has returned %q of revision %d, which wrote %q", c.value, c.revision, values[c.revision])
		case c.write && c.known && made != c.revision:
			return fmt.Errorf("the write of %q has returned revision %d, and has %d", c.value, c.revision, made)
		case c.write:
			c.revision = made // 0 if a failed one was not made
		}
	}
	calls = slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return c.write && c.revision == 0 })
	for _, a := range calls {
		for _, b := range calls {
			if !a.known || a.end > b.begin {
				continue
			}
			if b.revision < a.revision || b.write && b.revision == a.revision {
				return fmt.Errorf("%+v ended before %+v began", a, b)
			}
		}
		if !a.write {
			for _, b := range calls {
				if b.write && b.revision == a.revision && b.begin > a.end {
					return fmt.Errorf("%+v has read what %+v wrote later", a, b)
				}
			}
		}
	}
	return nil
}

// appends has clients append to one log, each record once however often it is tried, while members are cut off: all
// members see the same log, which has each acknowledged record at its position and each client's records in order.
func appends(w *world) {
	const each = 40
	end := disturb(w, rand.New(rand.NewPCG(3, 3)))
	var mu sync.Mutex
	acknowledged := map[string]engine.Revision{}
	var calls []func()
	for i := range 6 {
		e := w.Member(i % 3)
		calls = append(calls, func() {
			for n := range each {
				id := fmt.Sprintf("log/%d/%04d", i, n)
				for done := false; !done; {
					r, err := e.Apply(w.ctx, []engine.Condition{engine.Absent(id)}, engine.Put(id, []byte(id)))
					if done = err == nil; !done && !errors.Is(err, engine.ErrUnavailable) {
						w.Error(err)
						return
					}
					if done && !r.Done {
						r.Revision = r.Found[0].Created
					}
					if done {
						mu.Lock()
						acknowledged[id] = r.Revision
						mu.Unlock()
					}
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	together(calls...)
	end()
	require.Len(w, acknowledged, 6*each)
	var logs [3][]engine.Commit
	for i := range 3 {
		logs[i] = w.watched(w.Member(i), "log/", 0, 6*each)
		require.Equal(w, logs[0], logs[i])
	}
	next := map[string]int{}
	for _, c := range logs[0] {
		require.Len(w, c.Changes, 1)
		key := c.Changes[0].Key
		require.Equal(w, acknowledged[key], c.Revision, key)
		client := key[:len("log/0")]
		require.Equal(w, fmt.Sprintf("%s/%04d", client, next[client]), key)
		next[client]++
	}
	for i := range 3 {
		require.Len(w, w.list(w.Member(i), engine.Query{Prefix: "log/"}).Entries, 6*each)
	}
}
