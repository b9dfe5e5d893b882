package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	cluster "github.com/ptc-lang/ptc/cluster/internal/store"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/storetest"
)

// silent is an engine that answers no commit while meanwhile is set: it makes the next one, or does not, and calls
// meanwhile once.
type silent struct {
	engine.Engine
	makes     bool
	meanwhile func()
}

func (s *silent) Apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (engine.Result, error) {
	f := s.meanwhile
	if f == nil {
		return s.Engine.Apply(ctx, conditions, ops...)
	}
	s.meanwhile = nil
	if s.makes {
		if _, err := s.Engine.Apply(ctx, conditions, ops...); err != nil {
			return engine.Result{}, err
		}
	}
	f()
	return engine.Result{}, fmt.Errorf("%w: the answer was lost", engine.ErrUnavailable)
}

// TestLostAnswers: a node whose commit was not answered knows whether it has made it, although another node has deleted
// the run in the meantime.
func TestLostAnswers(t *testing.T) {
	members := memory.New(memory.Options{}, "node1", "node2")
	e := &silent{Engine: members.Member("node1")}
	b := newBoxes()
	node1 := open(t, e, b, cluster.Options{})
	node2 := open(t, members.Member("node2"), b, cluster.Options{Node: "node2"})
	expire := func() (int, error) {
		return node1.Expire(t.Context(), store.Retention{Age: 1}, time.Now().Add(time.Hour))
	}

	storetest.Become(t, node1, storetest.Create(t, node1, storetest.Submitted()).ID, store.Failed)
	e.makes, e.meanwhile = true, func() {}
	n, err := expire()
	require.NoError(t, err)
	require.Equal(t, 1, n, "deleted by the commit that was not answered")

	id := storetest.Create(t, node1, storetest.Submitted()).ID
	storetest.Become(t, node1, id, store.Failed)
	e.makes, e.meanwhile = false, func() { require.NoError(t, node2.Delete(t.Context(), id)) }
	n, err = expire()
	require.NoError(t, err)
	require.Zero(t, n, "the other node has deleted it")

	for _, makes := range []bool{true, false} {
		id := storetest.Create(t, node1, storetest.Submitted()).ID
		storetest.Become(t, node1, id, store.Running)
		e.makes, e.meanwhile = makes, func() {
			if !makes {
				storetest.Become(t, node2, id, store.Cancelled)
			}
			require.NoError(t, node2.Delete(t.Context(), id))
		}
		run, err := node1.Update(t.Context(), id, func(r *store.Run) error { r.State = store.Failed; return nil })
		if !makes {
			require.ErrorIs(t, err, store.ErrNotFound)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, store.Failed, run.State)
	}
}
