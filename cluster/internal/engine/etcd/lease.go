// This file defines leases.

package etcd

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// lease is a lease that a goroutine renews.
//
// The leader ends it one lifetime after the last renewal that reached it. The holder counts from the moment
// before it sent the last answered renewal, and ends its claim a quarter of a lifetime earlier. So the
// speeds of the clocks may differ by a quarter.
type lease struct {
	e        *Engine
	id       clientv3.LeaseID
	lifetime time.Duration
	lost     chan struct{}
	stop     context.CancelFunc
	once     sync.Once
}

// Grant implements engine.Engine.
func (e *Engine) Grant(ctx context.Context, lifetime time.Duration) (engine.Lease, error) {
	lifetime, err := engine.CheckLifetime(lifetime)
	if err != nil {
		return nil, err
	}
	l := &lease{e: e, lifetime: lifetime, lost: make(chan struct{})}
	var sent time.Time
	err = e.call(ctx, func(ctx context.Context) error {
		sent = time.Now()
		r, err := e.client.Grant(ctx, int64(lifetime/time.Second))
		if err == nil {
			l.id = r.ID
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	renewing, stop := context.WithCancel(e.ctx)
	l.stop = stop
	e.work.Go(func() { l.renew(renewing, sent) })
	return l, nil
}

// renew renews the lease until it is lost.
func (l *lease) renew(ctx context.Context, sent time.Time) {
	defer l.lose()
	end := time.NewTimer(time.Until(sent.Add(l.lifetime * 3 / 4)))
	defer end.Stop()
	every := l.lifetime / 5
	for wait := every; ; {
		select {
		case <-ctx.Done():
			return
		case <-end.C:
			return
		case <-time.After(wait):
		}
		now := time.Now()
		ok, gone := l.renewed(ctx, every)
		if gone {
			return
		}
		if wait = every / 5; ok {
			wait = every
			end.Reset(time.Until(now.Add(l.lifetime * 3 / 4)))
		}
	}
}

// renewed renews the lease once, and reports whether that was answered, and whether the lease has ended.
func (l *lease) renewed(ctx context.Context, timeout time.Duration) (ok, gone bool) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := l.e.client.KeepAliveOnce(ctx, l.id)
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return false, true
	}
	return err == nil && r.TTL > 0, err == nil && r.TTL <= 0
}

func (l *lease) lose() { l.once.Do(func() { close(l.lost) }) }

// ID implements engine.Lease.
func (l *lease) ID() engine.LeaseID { return engine.LeaseID(l.id) }

// Lost implements engine.Lease.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Close implements engine.Lease.
func (l *lease) Close(ctx context.Context) error {
	l.stop()
	l.lose()
	return l.e.Revoke(ctx, engine.LeaseID(l.id))
}

// Revoke implements engine.Engine.
func (e *Engine) Revoke(ctx context.Context, id engine.LeaseID) error {
	return e.call(ctx, func(ctx context.Context) error {
		_, err := e.client.Revoke(ctx, clientv3.LeaseID(id))
		if errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return nil
		}
		return err
	})
}
