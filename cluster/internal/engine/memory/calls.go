// This file defines the calls of a member.

package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

var _ engine.Engine = (*Member)(nil)

// majority calls f, which is the effect of a call, when the member is connected, and waits for its delay. f runs with
// the mutex of the cluster held.
func (m *Member) majority(ctx context.Context, f func() error) error {
	c := m.cluster
	c.mu.Lock()
	half := m.delay / 2
	c.mu.Unlock()
	if err := m.sleep(ctx, half); err != nil {
		return err
	}
	bound := time.NewTimer(c.options.Timeout)
	defer bound.Stop()
	err := m.wait(ctx, bound.C, func() (bool, error) {
		if !c.connected(m) {
			return false, nil
		}
		return true, f()
	})
	if err != nil {
		return err
	}
	return m.sleep(ctx, half)
}

// wait calls try, with the mutex of the cluster held, after each change until it is done or has failed. A paused
// member waits for its end.
func (m *Member) wait(ctx context.Context, bound <-chan time.Time, try func() (bool, error)) error {
	c := m.cluster
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.mu.Lock()
		if m.ended {
			c.mu.Unlock()
			return engine.ErrClosed
		}
		paused := m.paused
		if !paused {
			done, err := try()
			if done || err != nil {
				c.mu.Unlock()
				return err
			}
		}
		changed, late := c.changed, bound
		c.mu.Unlock()
		if paused {
			late = nil
		}
		select {
		case <-changed:
		case <-m.done:
		case <-ctx.Done():
		case <-late:
			return fmt.Errorf("%w (member %s)", engine.ErrUnavailable, m.name)
		}
	}
}

func (m *Member) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-m.done:
		return engine.ErrClosed
	}
}

// Get implements engine.Engine.
func (m *Member) Get(ctx context.Context, key string) (e engine.Entry, ok bool, err error) {
	err = m.majority(ctx, func() error {
		e, ok = m.cluster.data.at(key, m.cluster.data.head)
		return nil
	})
	return e, ok, err
}

// List implements engine.Engine.
func (m *Member) List(ctx context.Context, q engine.Query) (engine.Page, error) {
	var page engine.Page
	read := func() (err error) {
		page, err = m.cluster.data.list(q, m.seen)
		return err
	}
	if !q.Stale {
		err := m.majority(ctx, read)
		return page, err
	}
	err := m.wait(ctx, nil, func() (bool, error) { return true, read() })
	return page, err
}

func (d *data) list(q engine.Query, seen engine.Revision) (engine.Page, error) {
	revision := seen
	if q.Revision != 0 {
		revision = q.Revision
	}
	switch {
	case revision > seen || q.Revision < 0:
		return engine.Page{}, fmt.Errorf("%w: a List at revision %d, the latest is %d", engine.ErrInvalid, q.Revision, seen)
	case q.Revision != 0 && revision < d.compacted:
		return engine.Page{}, fmt.Errorf("%w: a List at revision %d, want at least %d",
			engine.ErrCompacted, revision, d.compacted)
	case revision < d.compacted: // a member that has not seen the compacted changes
		revision = d.compacted
	}
	page := engine.Page{Revision: revision}
	for _, key := range d.with(q.Prefix, q.After) {
		e, ok := d.at(key, revision)
		if !ok || e.Created <= q.Since {
			continue
		}
		if q.Limit > 0 && len(page.Entries) == q.Limit {
			page.More = true
			break
		}
		if q.Keys {
			e.Value = nil
		}
		page.Entries = append(page.Entries, e)
	}
	return page, nil
}

// Apply implements engine.Engine.
func (m *Member) Apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (engine.Result, error) {
	if err := engine.Check(conditions, ops); err != nil {
		return engine.Result{}, err
	}
	var result engine.Result
	dropped := false
	err := m.majority(ctx, func() (err error) {
		if result, err = m.cluster.apply(conditions, ops); err == nil && m.drop > 0 {
			m.drop--
			dropped = true
		}
		return err
	})
	if err == nil && dropped {
		err = fmt.Errorf("%w (member %s): the answer was lost", engine.ErrUnavailable, m.name)
	}
	if err != nil {
		return engine.Result{}, err
	}
	return result, nil
}

// apply compares the conditions and makes the operations, with the mutex held.
func (c *Cluster) apply(conditions []engine.Condition, ops []engine.Op) (engine.Result, error) {
	result := engine.Result{Done: true}
	for _, cond := range conditions {
		e, _ := c.data.at(cond.Key, c.data.head)
		is := e.Modified
		if cond.Created {
			is = e.Created
		}
		if e.Created == 0 { // it was deleted
			is = 0
		}
		result.Done = result.Done && is == cond.Is
	}
	if !result.Done {
		for _, cond := range conditions {
			e, ok := c.data.at(cond.Key, c.data.head)
			if !ok {
				e = engine.Entry{Key: cond.Key}
			}
			result.Found = append(result.Found, e)
		}
		result.Revision = c.data.head
		return result, nil
	}
	if err := c.admit(ops); err != nil {
		return engine.Result{}, err
	}
	c.commit(ops)
	result.Revision = c.data.head
	return result, nil
}

// admit returns an error if a lease of operations has ended, or if they would grow the data beyond the quota.
func (c *Cluster) admit(ops []engine.Op) error {
	grows := false
	for _, op := range ops {
		grows = grows || !op.Delete
		if l := c.leases[op.Lease]; op.Lease != 0 && l == nil {
			return fmt.Errorf("%w: it was to hold the key %q", engine.ErrNoLease, op.Key)
		}
	}
	c.full = c.options.Quota > 0 && c.data.bytes >= c.options.Quota
	if grows && c.full {
		return fmt.Errorf("%w: %d bytes of %d; delete and compact", engine.ErrFull, c.data.bytes, c.options.Quota)
	}
	return nil
}

// commit makes operations, binds their entries to leases, and wakes those who wait.
func (c *Cluster) commit(ops []engine.Op) {
	for _, change := range c.data.commit(ops) {
		for _, l := range c.leases {
			delete(l.keys, change.Key)
		}
		if change.Lease != 0 {
			c.leases[change.Lease].keys[change.Key] = true
		}
	}
	c.update()
}

// Watch implements engine.Engine.
func (m *Member) Watch(ctx context.Context, prefix string, after engine.Revision, f func(engine.Commit) error) error {
	if after < 0 {
		return fmt.Errorf("%w: a Watch after revision %d", engine.ErrInvalid, after)
	}
	d := &m.cluster.data
	for {
		var commits []engine.Commit
		err := m.wait(ctx, nil, func() (bool, error) {
			if m.seen <= after {
				return false, nil
			}
			if after+1 < d.compacted {
				return true, fmt.Errorf("%w: a Watch after revision %d, want at least %d",
					engine.ErrCompacted, after, d.compacted-1)
			}
			history := d.history[d.after(after):d.after(m.seen)]
			commits, after = matching(history, prefix), m.seen
			return len(commits) > 0, nil
		})
		if err != nil {
			return err
		}
		for _, commit := range commits {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(commit); err != nil {
				return err
			}
		}
	}
}

// matching returns the commits with their changes to keys with a prefix.
func matching(history []engine.Commit, prefix string) []engine.Commit {
	var commits []engine.Commit
	for _, commit := range history {
		var changes []engine.Change
		for _, change := range commit.Changes {
			if strings.HasPrefix(change.Key, prefix) {
				changes = append(changes, change)
			}
		}
		if len(changes) > 0 {
			commits = append(commits, engine.Commit{Revision: commit.Revision, Changes: changes})
		}
	}
	return commits
}

// Compact implements engine.Engine.
func (m *Member) Compact(ctx context.Context, before engine.Revision) error {
	return m.majority(ctx, func() error {
		if before < 0 || before > m.cluster.data.head {
			return fmt.Errorf("%w: a Compact before revision %d, the latest is %d",
				engine.ErrInvalid, before, m.cluster.data.head)
		}
		m.cluster.data.compact(before)
		return nil
	})
}

// Status implements engine.Engine. Peer of a member is its name.
func (m *Member) Status(ctx context.Context) (engine.Status, error) {
	var status engine.Status
	c := m.cluster
	err := m.wait(ctx, nil, func() (bool, error) {
		status = engine.Status{Member: m.name, Term: c.term, Revision: m.seen, Compacted: c.data.compacted,
			Bytes: c.data.bytes, Used: c.data.bytes, Quota: c.options.Quota}
		if c.connected(m) {
			status.Leader = c.leader
		}
		if c.full {
			status.Alarms = []string{engine.AlarmFull}
		}
		for _, name := range slices.Sorted(slices.Values(c.names)) {
			o := c.members[name]
			healthy := !o.ended && !o.paused && o.group == m.group
			status.Members = append(status.Members, engine.Member{Name: name, Peer: name, Healthy: healthy})
		}
		return true, nil
	})
	return status, err
}

// Close implements engine.Engine.
func (m *Member) Close() error {
	m.cluster.mu.Lock()
	defer m.cluster.mu.Unlock()
	m.cluster.end(m)
	return nil
}
