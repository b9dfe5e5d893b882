// This file defines the calls of a member.

package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// call makes a request, and makes it again while etcd has refused it for a reason that passes, such as an election. It
// does not repeat a request that may have had an effect.
func (e *Engine) call(ctx context.Context, request func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.calls.RLock()
	defer e.calls.RUnlock()
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	bounded, cancel := context.WithTimeout(ctx, e.options.Timeout)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := request(bounded)
		switch {
		case err == nil:
			return nil
		case e.ctx.Err() != nil:
			return context.Cause(e.ctx)
		case ctx.Err() != nil:
			return ctx.Err()
		case bounded.Err() != nil:
			return fmt.Errorf("%w: member %s has tried for %v", engine.ErrUnavailable, e.options.Name, e.options.Timeout)
		case !passes(err):
			return e.translated(err)
		}
		select {
		case <-bounded.Done():
		case <-time.After(wait):
		}
	}
}

// passes reports whether a request that has failed had no effect, and may succeed later.
func passes(err error) bool {
	return errors.Is(err, rpctypes.ErrTooManyRequests) || errors.Is(err, rpctypes.ErrNoLeader) ||
		errors.Is(err, rpctypes.ErrLeaderChanged) || errors.Is(err, rpctypes.ErrNotLeader) ||
		strings.Contains(err.Error(), "raft proposal dropped")
}

// translated returns the error of the interface for one of etcd.
func (e *Engine) translated(err error) error {
	for from, to := range map[error]error{
		rpctypes.ErrCompacted: engine.ErrCompacted, rpctypes.ErrFutureRev: engine.ErrInvalid,
		rpctypes.ErrNoSpace: engine.ErrFull, rpctypes.ErrCorrupt: engine.ErrCorrupt,
		rpctypes.ErrRequestTooLarge: engine.ErrTooLarge, rpctypes.ErrTooManyOps: engine.ErrTooLarge,
		rpctypes.ErrLeaseNotFound: engine.ErrNoLease, rpctypes.ErrStopped: engine.ErrClosed,
		rpctypes.ErrTimeout: engine.ErrUnavailable, rpctypes.ErrTimeoutDueToLeaderFail: engine.ErrUnavailable,
		rpctypes.ErrTimeoutDueToConnectionLost: engine.ErrUnavailable,
		rpctypes.ErrTimeoutWaitAppliedIndex:    engine.ErrUnavailable, rpctypes.ErrUnhealthy: engine.ErrUnavailable,
	} {
		if errors.Is(err, from) {
			return fmt.Errorf("%w (member %s: %w)", to, e.options.Name, err)
		}
	}
	return fmt.Errorf("engine of %s: %w", e.options.Name, err)
}

// entry returns an entry of etcd as one of the interface.
func entry(kv *mvccpb.KeyValue) engine.Entry {
	return engine.Entry{Key: string(kv.Key), Value: kv.Value, Created: engine.Revision(kv.CreateRevision),
		Modified: engine.Revision(kv.ModRevision), Lease: engine.LeaseID(kv.Lease)}
}

// Get implements engine.Engine.
func (e *Engine) Get(ctx context.Context, key string) (found engine.Entry, ok bool, err error) {
	if key == "" {
		return found, false, ctx.Err()
	}
	err = e.call(ctx, func(ctx context.Context) error {
		r, err := e.client.Get(ctx, key)
		if err == nil && len(r.Kvs) > 0 {
			found, ok = entry(r.Kvs[0]), true
		}
		return err
	})
	return found, ok, err
}

// List implements engine.Engine.
func (e *Engine) List(ctx context.Context, q engine.Query) (engine.Page, error) {
	if q.Revision < 0 {
		return engine.Page{}, fmt.Errorf("%w: a List at revision %d", engine.ErrInvalid, q.Revision)
	}
	from, end := q.Prefix, clientv3.GetPrefixRangeEnd(q.Prefix)
	if from == "" {
		from, end = "\x00", "\x00"
	}
	if q.After >= q.Prefix {
		from = q.After + "\x00"
	}
	if end != "\x00" && from >= end {
		from = end // etcd refuses ranges that end before they begin
	}
	options := []clientv3.OpOption{clientv3.WithRange(end), clientv3.WithRev(int64(q.Revision)),
		clientv3.WithLimit(int64(q.Limit))}
	if q.Since > 0 {
		options = append(options, clientv3.WithMinCreateRev(int64(q.Since)+1))
	}
	if q.Keys {
		options = append(options, clientv3.WithKeysOnly())
	}
	if q.Stale {
		options = append(options, clientv3.WithSerializable())
	}
	var page engine.Page
	err := e.call(ctx, func(ctx context.Context) error {
		r, err := e.client.Get(ctx, from, options...)
		if err != nil {
			return err
		}
		page = engine.Page{Revision: engine.Revision(r.Header.Revision), More: r.More}
		if q.Revision != 0 {
			page.Revision = q.Revision
		}
		for _, kv := range r.Kvs {
			page.Entries = append(page.Entries, entry(kv))
		}
		return nil
	})
	return page, err
}

// Apply implements engine.Engine.
func (e *Engine) Apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (engine.Result, error) {
	if err := engine.Check(conditions, ops); err != nil {
		return engine.Result{}, err
	}
	compares, changes, reads := transaction(conditions, ops)
	var result engine.Result
	err := e.call(ctx, func(ctx context.Context) error {
		r, err := e.client.Txn(ctx).If(compares...).Then(changes...).Else(reads...).Commit()
		if err != nil {
			return err
		}
		result = engine.Result{Done: r.Succeeded, Revision: engine.Revision(r.Header.Revision)}
		if r.Succeeded {
			return nil
		}
		for i, c := range conditions {
			found := engine.Entry{Key: c.Key}
			if kvs := r.Responses[i].GetResponseRange().Kvs; len(kvs) > 0 {
				found = entry(kvs[0])
			}
			result.Found = append(result.Found, found)
		}
		return nil
	})
	return result, err
}

// transaction returns a commit as etcd has it.
func transaction(conditions []engine.Condition, ops []engine.Op) (
	compares []clientv3.Cmp, changes, reads []clientv3.Op,
) {
	for _, c := range conditions {
		revision := clientv3.ModRevision(c.Key)
		if c.Created {
			revision = clientv3.CreateRevision(c.Key)
		}
		compares = append(compares, clientv3.Compare(revision, "=", int64(c.Is)))
		reads = append(reads, clientv3.OpGet(c.Key))
	}
	for _, op := range ops {
		switch {
		case op.Prefix:
			changes = append(changes, clientv3.OpDelete(op.Key, clientv3.WithPrefix()))
		case op.Delete:
			changes = append(changes, clientv3.OpDelete(op.Key))
		default:
			lease := clientv3.WithLease(clientv3.LeaseID(op.Lease))
			changes = append(changes, clientv3.OpPut(op.Key, string(op.Value), lease))
		}
	}
	return compares, changes, reads
}

// Watch implements engine.Engine. Commits that f has not taken yet are kept in memory.
func (e *Engine) Watch(ctx context.Context, prefix string, after engine.Revision, f func(engine.Commit) error) error {
	if after < 0 {
		return fmt.Errorf("%w: a Watch after revision %d", engine.ErrInvalid, after)
	}
	for {
		err := e.watch(ctx, prefix, &after, f)
		switch {
		case e.ctx.Err() != nil:
			return context.Cause(e.ctx)
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		select { // etcd has ended the watch
		case <-ctx.Done():
		case <-e.ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// watch follows the commits after a revision, which it counts up, until etcd ends the watch or an error ends it.
func (e *Engine) watch(ctx context.Context, prefix string, after *engine.Revision, f func(engine.Commit) error) error {
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	for r := range e.client.Watch(watching, prefix, clientv3.WithPrefix(), clientv3.WithRev(int64(*after)+1)) {
		if r.CompactRevision != 0 {
			return fmt.Errorf("%w: a Watch after revision %d, want at least %d",
				engine.ErrCompacted, *after, r.CompactRevision-1)
		}
		if r.Err() != nil {
			return nil
		}
		for events := r.Events; len(events) > 0; {
			commit, n := first(events)
			events = events[n:]
			if watching.Err() != nil {
				return nil
			}
			if err := f(commit); err != nil {
				return err
			}
			*after = commit.Revision
		}
	}
	return nil
}

// first returns the first commit of events, and the number of its events.
func first(events []*clientv3.Event) (engine.Commit, int) {
	commit := engine.Commit{Revision: engine.Revision(events[0].Kv.ModRevision)}
	for i, event := range events {
		if engine.Revision(event.Kv.ModRevision) != commit.Revision {
			return commit, i
		}
		deleted := event.Type == clientv3.EventTypeDelete
		commit.Changes = append(commit.Changes, engine.Change{Entry: entry(event.Kv), Deleted: deleted})
	}
	return commit, len(events)
}

// Compact implements engine.Engine.
func (e *Engine) Compact(ctx context.Context, before engine.Revision) error {
	if before < 0 {
		return fmt.Errorf("%w: a Compact before revision %d", engine.ErrInvalid, before)
	}
	if before == 0 {
		return ctx.Err()
	}
	return e.call(ctx, func(ctx context.Context) error {
		_, err := e.client.Compact(ctx, int64(before), clientv3.WithCompactPhysical())
		if errors.Is(err, rpctypes.ErrCompacted) {
			return nil
		}
		return err
	})
}
