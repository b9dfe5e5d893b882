// This file defines leases.

package memory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// lease is a lease from its grant to its end. A timer looks at it several times in its lifetime: it renews the lease
// while the holder is connected, lets the holder lose it after three quarters of the lifetime, and ends it after all
// of it.
type lease struct {
	id       engine.LeaseID
	lifetime time.Duration
	holder   *Member
	lost     chan struct{}

	// The fields below are guarded by the mutex of the cluster.
	renewed time.Time
	keys    map[string]bool
	closed  bool // the holder does not renew it any more
	timer   *time.Timer
	losing  sync.Once
}

// Grant implements engine.Engine.
func (m *Member) Grant(ctx context.Context, lifetime time.Duration) (engine.Lease, error) {
	lifetime, err := engine.CheckLifetime(lifetime)
	if err != nil {
		return nil, err
	}
	var l *lease
	err = m.majority(ctx, func() error {
		c := m.cluster
		c.lastID++
		l = &lease{id: c.lastID, lifetime: lifetime, holder: m, lost: make(chan struct{}), renewed: time.Now(),
			keys: map[string]bool{}}
		c.leases[l.id] = l
		l.timer = time.AfterFunc(lifetime/8, l.look)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (l *lease) look() {
	c := l.holder.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leases[l.id] != l {
		return
	}
	now := time.Now()
	if !l.closed && !l.isLost() && c.connected(l.holder) {
		l.renewed = now
	}
	age := now.Sub(l.renewed)
	if age >= l.lifetime*3/4 && !l.holder.paused {
		l.lose()
	}
	switch {
	case age >= l.lifetime && c.leader != "":
		c.expire(l)
	case c.running():
		l.timer.Reset(l.lifetime / 8)
	default: // Start goes on
	}
}

// lose tells the holder that the lease may have ended. It is not renewed any more.
func (l *lease) lose() { l.losing.Do(func() { close(l.lost) }) }

func (l *lease) isLost() bool {
	select {
	case <-l.lost:
		return true
	default:
		return false
	}
}

// expire ends a lease: its keys are deleted in one commit.
func (c *Cluster) expire(l *lease) {
	l.timer.Stop()
	delete(c.leases, l.id)
	var ops []engine.Op
	for _, key := range slices.Sorted(maps.Keys(l.keys)) {
		ops = append(ops, engine.Delete(key))
	}
	if l.holder.paused {
		l.holder.late = append(l.holder.late, l)
	} else {
		l.lose()
	}
	c.commit(ops)
}

// ID implements engine.Lease.
func (l *lease) ID() engine.LeaseID { return l.id }

// Lost implements engine.Lease.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Close implements engine.Lease.
func (l *lease) Close(ctx context.Context) error {
	c := l.holder.cluster
	c.mu.Lock()
	l.closed = true
	l.lose()
	c.mu.Unlock()
	return l.holder.Revoke(ctx, l.id)
}

// Revoke implements engine.Engine.
func (m *Member) Revoke(ctx context.Context, id engine.LeaseID) error {
	return m.majority(ctx, func() error {
		if l := m.cluster.leases[id]; l != nil {
			m.cluster.expire(l)
		}
		return nil
	})
}
