// This file defines how a node follows the queue.

package place

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// followRetry is the time between attempts to read the queue.
const followRetry = 200 * time.Millisecond

// follow keeps the units up to date until the queue is closed.
func (q *Queue) follow() {
	for q.ctx.Err() == nil {
		err := q.read(q.ctx)
		if q.ctx.Err() != nil {
			return
		}
		q.log.Warn("the queue can't be followed; trying again", "node", q.self, "error", err)
		q.pause(followRetry)
	}
}

func (q *Queue) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-q.ctx.Done():
	}
}

// read reads the queue, and then each change.
func (q *Queue) read(ctx context.Context) error {
	page, err := q.engine.List(ctx, engine.Query{Prefix: prefix, Stale: true})
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(page.Entries))
	q.mu.Lock()
	for _, e := range page.Entries {
		there[e.Key] = true
		q.take(engine.Change{Entry: e})
	}
	for run := range q.units {
		if !there[keyUnit+run] {
			q.take(engine.Change{Entry: engine.Entry{Key: keyUnit + run, Modified: page.Revision}, Deleted: true})
		}
	}
	q.reached(page.Revision)
	select {
	case <-q.ready:
	default:
		close(q.ready)
	}
	q.mu.Unlock()
	q.Kick()
	return q.engine.Watch(ctx, prefix, page.Revision, func(commit engine.Commit) error {
		q.mu.Lock()
		for _, change := range commit.Changes {
			q.take(change)
		}
		q.reached(commit.Revision)
		q.mu.Unlock()
		q.Kick()
		return nil
	})
}

// reached notes that the units have reached a revision; the caller holds the lock.
func (q *Queue) reached(r engine.Revision) {
	q.revision = max(q.revision, r)
	for run, at := range q.ahead {
		if at <= q.revision {
			delete(q.ahead, run)
		}
	}
	for run, u := range q.coming {
		if u.modified <= q.revision {
			q.use(u, -1)
			delete(q.coming, run)
		}
	}
}

// take takes a changed key over; the caller holds the lock.
func (q *Queue) take(change engine.Change) {
	if change.Key == keyClock {
		if ms, err := strconv.ParseInt(string(change.Value), 10, 64); err == nil {
			q.clock = max(q.clock, time.Duration(ms)*time.Millisecond)
		}
		return
	}
	if tenant, ok := strings.CutPrefix(change.Key, keyTenant); ok {
		q.tenants[tenant] = max(q.tenants[tenant], change.Modified)
		return
	}
	run, ok := strings.CutPrefix(change.Key, keyUnit)
	if !ok {
		return
	}
	old := q.units[run]
	if old != nil {
		q.count(old, -1)
		delete(q.units, run)
	}
	if change.Deleted {
		q.deposed(run, change.Modified, nil)
		if len(q.units) == 0 {
			q.served = 0
		}
		return
	}
	u := &unit{created: change.Created, modified: change.Modified, seen: time.Now()}
	if err := json.Unmarshal(change.Value, &u.Unit); err != nil {
		q.log.Error("the queue has a run that can't be read", "key", change.Key, "error", err)
		return
	}
	u.Run = run
	if old != nil && old.Prefer == u.Prefer && old.Within == u.Within && old.Leader == u.Leader {
		u.seen = old.seen
	}
	q.units[run] = u
	q.count(u, 1)
	if u.Leader != "" {
		q.served = max(q.served, u.Turn)
	}
	q.deposed(run, change.Modified, u)
	q.adopt(u)
}

// count counts a unit for its node; the caller holds the lock.
func (q *Queue) count(u *unit, n int) {
	of, name := q.waits, u.Prefer
	if u.Leader != "" {
		of, name = q.led, u.Leader
	}
	if of[name] += n; of[name] == 0 {
		delete(of, name)
	}
	q.use(u, n)
}

// deposed ends the lead of this node of a run that was changed by another one, at a revision. The caller holds the
// lock.
func (q *Queue) deposed(run string, at engine.Revision, u *unit) {
	l := q.leads[run]
	if l != nil && !l.closing && at > l.Fence && (u == nil || u.Leader != q.self || u.Incarnation != l.Incarnation) {
		l.over(at, ErrLost)
	}
}

// adopt starts a run that this node leads without knowing it: the answer to its commit was lost. The caller holds the
// lock.
func (q *Queue) adopt(u *unit) {
	s := q.members.Now()
	if s == nil || u.Leader != q.self || u.Incarnation != s.Incarnation || q.leads[u.Run] != nil || q.taking[u.Run] ||
		q.ahead[u.Run] >= u.modified {
		return
	}
	l := q.lead(u.Unit, s, u.modified)
	q.wg.Go(func() { q.opts.Worker.Start(l) })
}
