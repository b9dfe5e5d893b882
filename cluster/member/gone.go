// This file defines how nodes notice that the process of another node has ended, before its lease ends.

package member

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/peer"
)

// The requests of this file.
const (
	methodLife    = "member/life"    // a stream that ends with the process
	methodRefused = "member/refused" // asks whether connections to a node, whose name it has, are refused
)

// endTime bounds the end of the lease of a node whose process has ended. An election of the engine may come first.
const endTime = 10 * time.Second

// lives watches the processes of the other members until the Cluster ends.
func (c *Cluster) lives() {
	watched := make(map[string]bool)
	for c.ctx.Err() == nil {
		changed := c.Changed()
		for _, name := range c.others() {
			if !watched[name] {
				watched[name] = true
				c.wg.Go(func() { c.watchLife(name) })
			}
		}
		select {
		case <-changed:
		case <-c.ctx.Done():
		}
	}
}

// watchLife watches the process of another member. The stream that shows its life is cut immediately when it is killed.
func (c *Cluster) watchLife(name string) {
	for c.ctx.Err() == nil {
		if c.incarnation(name) != 0 {
			if in, err := c.opts.Network.Open(c.ctx, name, methodLife, nil); err == nil {
				_, _ = io.Copy(io.Discard, in)
				in.Close()
			}
			if incarnation := c.incarnation(name); incarnation != 0 && c.refuses(c.ctx, name) {
				c.gone(name, incarnation)
			}
		}
		c.pause(c.opts.Heartbeat)
	}
}

// life answers a request for the stream of the life of this node.
func (c *Cluster) life(ctx context.Context, _ string, _ []byte, _ io.Writer) error {
	select {
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
	return nil
}

// incarnation returns the incarnation of a member, 0 if it is dead.
func (c *Cluster) incarnation(name string) engine.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.known[name]; k != nil {
		return k.incarnation
	}
	return 0
}

// refuses reports whether connections to a node are refused: no process listens at its address.
func (c *Cluster) refuses(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Heartbeat)
	defer cancel()
	_, err := c.opts.Network.Call(ctx, name, methodHeartbeat, encode(c.heartbeat()))
	return errors.Is(err, peer.ErrRefused)
}

// answerRefused answers whether connections from this node to another one are refused.
func (c *Cluster) answerRefused(ctx context.Context, _ string, request []byte) ([]byte, error) {
	var name string
	if err := json.Unmarshal(request, &name); err != nil {
		return nil, &peer.Error{Code: "invalid", Message: "a name that is no JSON: " + err.Error()}
	}
	return encode(name != c.opts.Self.Name && c.refuses(ctx, name)), nil
}

// gone ends the session of a node whose process has ended, if a majority of the members is refused by it. A
// firewall may refuse connections to a live node; that node then reaches no majority, and can't commit
// anything either.
func (c *Cluster) gone(name string, incarnation engine.Revision) {
	ctx, cancel := context.WithTimeout(c.ctx, endTime)
	defer cancel()
	others := c.others()
	if agree := 1 + c.refused(ctx, name, others); 2*agree <= len(others)+1 {
		return
	}
	e, ok, err := c.opts.Engine.Get(ctx, keyAlive+name)
	if err == nil && ok && e.Created == incarnation && e.Lease != 0 {
		err = c.opts.Engine.Revoke(ctx, e.Lease)
	}
	if err != nil {
		c.log.Debug("the lease of a node can't be ended; it expires", "node", name, "error", err)
		return
	}
	c.log.Info("the process of a node has ended: connections to it are refused", "node", name)
}

// refused returns how many of other nodes are refused by a node too.
func (c *Cluster) refused(ctx context.Context, name string, others []string) (agree int) {
	ctx, cancel := context.WithTimeout(ctx, 2*c.opts.Heartbeat)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, other := range others {
		if other == name {
			continue
		}
		wg.Go(func() {
			var yes bool
			answer, err := c.opts.Network.Call(ctx, other, methodRefused, encode(name))
			if err != nil || json.Unmarshal(answer, &yes) != nil || !yes {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			agree++
		})
	}
	wg.Wait()
	return agree
}
