// This file defines the connections.

package ssh

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	xssh "golang.org/x/crypto/ssh"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// pool keeps connections. Each takes several concurrent sessions; when all connections of a host are full,
// calls wait in the order of their arrival.
type pool struct {
	grant Grant
	id    *identity
	ctx   context.Context // of making connections
	stop  context.CancelFunc
	wg    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	hosts   map[target]*hostPool // with connections, or with calls that wait
	open    int                  // connections, those being made included
	uses    int64                // counts how often a connection became idle
	starved []*hostPool          // whose calls wait for others to close connections
}

type hostPool struct {
	target  target
	conns   []*conn
	dialing int
	waiting []chan acquired // each takes one
}

// acquired is a place on a connection, or why there is none.
type acquired struct {
	conn *conn
	err  error
}

type conn struct {
	client   *xssh.Client
	host     *hostPool
	sessions int
	idle     *time.Timer // closes it; nil while it has sessions
	used     int64       // pool.uses when it became idle
}

func newPool(g Grant, id *identity) *pool {
	p := &pool{grant: g, id: id, hosts: make(map[target]*hostPool)}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// acquire returns a connection to a host, with a place for a session.
func (p *pool) acquire(ctx context.Context, t target) (*conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed()
	}
	h := p.hosts[t]
	if h == nil {
		h = &hostPool{target: t}
		p.hosts[t] = h
	}
	mine := make(chan acquired, 1)
	h.waiting = append(h.waiting, mine)
	p.serve(h)
	p.mu.Unlock()
	select {
	case got := <-mine:
		return got.conn, got.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	if i := slices.Index(h.waiting, mine); i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
		p.forget(h)
		p.mu.Unlock()
		return nil, ctx.Err()
	}
	p.mu.Unlock()
	if got := <-mine; got.conn != nil {
		p.release(got.conn)
	}
	return nil, ctx.Err()
}

func errClosed() error {
	return &tool.Error{Code: CodeClosed, Message: "the host has closed its connections"}
}

// serve returns places to calls that wait, and makes connections if there are too few. The
// caller holds the lock, as for all that follow.
func (p *pool) serve(h *hostPool) {
	for len(h.waiting) > 0 {
		i := slices.IndexFunc(h.conns, func(c *conn) bool { return c.sessions < p.grant.Sessions })
		if i < 0 {
			break
		}
		c := h.conns[i]
		c.sessions++
		if c.idle != nil {
			c.idle.Stop()
			c.idle = nil
		}
		h.waiting[0] <- acquired{conn: c}
		h.waiting = h.waiting[1:]
	}
	for len(h.waiting) > h.dialing*p.grant.Sessions && h.dialing+len(h.conns) < p.grant.ConnectionsPerHost {
		if p.open >= p.grant.Connections && !p.evict() {
			if !slices.Contains(p.starved, h) {
				p.starved = append(p.starved, h)
			}
			return
		}
		p.open++
		h.dialing++
		p.wg.Go(func() { p.dial(h) })
	}
}

// evict closes the connection that nobody has used for longest, if there is one without sessions.
func (p *pool) evict() bool {
	var oldest *conn
	for _, h := range p.hosts {
		for _, c := range h.conns {
			if c.idle != nil && (oldest == nil || c.used < oldest.used) {
				oldest = c
			}
		}
	}
	return oldest != nil && p.remove(oldest)
}

// remove takes a connection out and closes it; false if it is out already.
func (p *pool) remove(c *conn) bool {
	i := slices.Index(c.host.conns, c)
	if i < 0 {
		return false
	}
	c.host.conns = slices.Delete(c.host.conns, i, i+1)
	if c.idle != nil {
		c.idle.Stop()
		c.idle = nil
	}
	p.open--
	p.wg.Go(func() { c.client.Close() }) // which may wait for a network that takes nothing
	p.forget(c.host)
	return true
}

// forget drops a host for which nothing is kept.
func (p *pool) forget(h *hostPool) {
	if len(h.conns) == 0 && h.dialing == 0 && len(h.waiting) == 0 {
		delete(p.hosts, h.target)
	}
}

// feed lets hosts whose calls wait for a connection make one.
func (p *pool) feed() {
	for len(p.starved) > 0 && p.open < p.grant.Connections {
		h := p.starved[0]
		p.starved = p.starved[1:]
		p.serve(h)
	}
}

// dial makes a connection for a host. Its time is its own, not that of a call: others may
// want the connection when that call has ended.
func (p *pool) dial(h *hostPool) {
	ctx, cancel := context.WithTimeout(p.ctx, p.grant.ConnectTimeout)
	defer cancel()
	client, err := p.connect(ctx, h.target)
	p.mu.Lock()
	defer p.mu.Unlock()
	h.dialing--
	if err == nil && p.closed {
		err = errClosed()
		client.Close()
	}
	if err != nil {
		p.open--
		if len(h.conns) == 0 && h.dialing == 0 {
			for _, w := range h.waiting {
				w <- acquired{err: err}
			}
			h.waiting = nil
		}
		p.forget(h)
		p.feed()
		return
	}
	c := &conn{client: client, host: h}
	h.conns = append(h.conns, c)
	p.wg.Go(func() { p.watch(c) })
	p.serve(h)
	p.rest(c)
}

// The pauses before a host is tried again.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 2 * time.Second
)

// connect makes a connection to a host, and tries again one that is not reached: nothing has been run there yet.
func (p *pool) connect(ctx context.Context, t target) (*xssh.Client, error) {
	pause := firstPause
	for attempt := 0; ; attempt++ {
		client, err := p.id.connect(ctx, t, p.grant.Dial)
		var failed *tool.Error
		if err == nil || attempt >= p.grant.ConnectRetries || !errors.As(err, &failed) || !failed.Retryable {
			return client, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
		pause = min(2*pause, maxPause)
	}
}

// rest begins the idle time of a connection without sessions.
func (p *pool) rest(c *conn) {
	if c.sessions > 0 || c.idle != nil || !slices.Contains(c.host.conns, c) {
		return
	}
	p.uses++
	c.used = p.uses
	c.idle = time.AfterFunc(p.grant.IdleTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if c.idle != nil {
			p.remove(c)
			p.feed()
		}
	})
	if len(p.starved) > 0 {
		p.remove(c)
		p.feed()
	}
}

// release returns back the place of a session.
func (p *pool) release(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.sessions--
	p.serve(c.host)
	p.rest(c)
}

// drop returns up a connection that is of no use.
func (p *pool) drop(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.remove(c) {
		return
	}
	p.serve(c.host)
	p.feed()
}

// watch checks from time to time whether a host is reachable, until the connection ends.
func (p *pool) watch(c *conn) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.client.Wait() // it ends with the connection
	}()
	tick := time.NewTicker(p.grant.KeepAlive)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			p.drop(c)
			return
		case <-tick.C:
			late := time.AfterFunc(p.grant.KeepAlive, func() { c.client.Close() })
			_, _, _ = c.client.SendRequest("keepalive@openssh.com", true, nil) // any answer is one
			late.Stop()
		}
	}
}

// close ends all connections, and fails the calls that wait for one.
func (p *pool) close() {
	p.stop()
	p.mu.Lock()
	p.closed = true
	p.starved = nil
	for _, h := range p.hosts {
		for _, w := range h.waiting {
			w <- acquired{err: errClosed()}
		}
		h.waiting = nil
		for _, c := range slices.Clone(h.conns) {
			p.remove(c)
		}
	}
	p.mu.Unlock()
	p.wg.Wait()
}
