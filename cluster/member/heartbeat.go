// This file defines the heartbeats between nodes.

package member

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/peer"
)

// methodHeartbeat is the request of a heartbeat. Request and answer are a heartbeat each.
const methodHeartbeat = "member/heartbeat"

// heartbeat is what a node says of itself to another one.
type heartbeat struct {
	Incarnation engine.Revision `json:"incarnation"`
	Load        load.Load       `json:"load"`
}

func (c *Cluster) heartbeat() heartbeat {
	h := heartbeat{Load: c.opts.Load()} // without the lock: it may need those of others
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		h.Incarnation = c.session.Incarnation
	}
	if k := c.known[c.opts.Self.Name]; k != nil {
		k.load = h.Load
	}
	return h
}

// beat sends heartbeats to all other members until the Cluster ends.
func (c *Cluster) beat() {
	tick := time.NewTicker(c.opts.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-tick.C:
		}
		text := encode(c.heartbeat())
		var wg sync.WaitGroup
		for _, name := range c.others() {
			wg.Go(func() { c.send(name, text) })
		}
		wg.Wait()
	}
}

// others returns the other members that count for a majority.
func (c *Cluster) others() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for name, k := range c.known {
		if name != c.opts.Self.Name && !k.left && (k.registered || k.incarnation != 0) {
			names = append(names, name)
		}
	}
	return names
}

// send sends a heartbeat, and notes the answer or that there is none.
func (c *Cluster) send(name string, text []byte) {
	ctx, cancel := context.WithTimeout(c.ctx, c.opts.Heartbeat)
	defer cancel()
	var h heartbeat
	answer, err := c.opts.Network.Call(ctx, name, methodHeartbeat, text)
	if err == nil {
		err = json.Unmarshal(answer, &h)
	}
	if c.ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k, before := c.known[name], c.reach()
	if k == nil {
		return
	}
	was := k.missed >= c.opts.Threshold
	if err != nil {
		k.missed++
	} else {
		k.missed, k.load = 0, h.Load
	}
	if is := k.missed >= c.opts.Threshold; is != was {
		c.log.Info("the heartbeats of a node have changed", "node", name, "suspect", is, "error", err)
		c.change()
	}
	if now := c.reach(); now != before {
		c.log.Warn("this node reaches another part of the cluster", "node", c.opts.Self.Name, "reach", now)
	}
}

// answer answers the heartbeat of another node.
func (c *Cluster) answer(_ context.Context, from string, request []byte) ([]byte, error) {
	var h heartbeat
	if err := json.Unmarshal(request, &h); err != nil {
		return nil, &peer.Error{Code: "invalid", Message: "a heartbeat that is no JSON: " + err.Error()}
	}
	c.mu.Lock()
	if k := c.known[from]; k != nil {
		k.load = h.Load
	}
	c.mu.Unlock()
	return encode(c.heartbeat()), nil
}
