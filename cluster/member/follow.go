// This file defines how a node follows the members in the engine.

package member

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// followRetry is the time between attempts to read the members.
const followRetry = 200 * time.Millisecond

// follow keeps the members up to date until the Cluster ends. Its reads may be old: a node without a
// majority shows the last state that it knew.
func (c *Cluster) follow() {
	for c.ctx.Err() == nil {
		err := c.read(c.ctx)
		if c.ctx.Err() != nil {
			return
		}
		c.log.Warn("the members can't be followed; trying again", "node", c.opts.Self.Name, "error", err)
		c.pause(followRetry)
	}
}

// read reads all members, and then each change.
func (c *Cluster) read(ctx context.Context) error {
	page, err := c.opts.Engine.List(ctx, engine.Query{Prefix: prefix, Stale: true})
	if err != nil {
		return err
	}
	c.mu.Lock()
	for _, k := range c.known { // the heartbeats are kept
		k.registered, k.left, k.draining, k.incarnation = false, false, false, 0
	}
	clear(c.duties)
	clear(c.resign)
	for _, e := range page.Entries {
		c.take(engine.Change{Entry: e})
	}
	c.revision = max(c.revision, page.Revision)
	c.change()
	c.mu.Unlock()
	return c.opts.Engine.Watch(ctx, prefix, page.Revision, func(commit engine.Commit) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, change := range commit.Changes {
			c.take(change)
		}
		c.revision = commit.Revision
		c.change()
		return nil
	})
}

// seenTime bounds the wait until this node sees a change that was made. It is longer than the time until a
// returned duty has its next holder.
const seenTime = 5 * time.Second

// seen waits until this node knows of a change that was made, because people look at its state next. holds is called
// with the lock.
func (c *Cluster) seen(ctx context.Context, holds func() bool) {
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	for {
		c.mu.Lock()
		known, changed := holds(), c.changed
		c.mu.Unlock()
		if known {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-c.ctx.Done():
			return
		}
	}
}

// take takes a changed key over; the caller holds the lock.
func (c *Cluster) take(change engine.Change) {
	if duty, ok := strings.CutPrefix(change.Key, keyDuty); ok {
		c.takeDuty(duty, change)
		return
	}
	if duty, ok := strings.CutPrefix(change.Key, keyResign); ok {
		c.takeResign(duty, change)
		return
	}
	kind, name, _ := strings.Cut(strings.TrimPrefix(change.Key, prefix), "/")
	k := c.known[name]
	if k == nil {
		k = &known{Info: Info{Name: name}}
		c.known[name] = k
	}
	switch prefix + kind + "/" {
	case keyInfo:
		k.registered, k.left = !change.Deleted, false
		var r record
		if c.decode(change, &r) {
			k.Info, k.left = r.Info, r.Left
			k.Name = name
		}
	case keyAlive:
		k.incarnation = 0
		if !change.Deleted {
			k.incarnation, k.missed = change.Created, 0 // until its heartbeats fail
			var info Info
			if c.decode(change, &info) {
				k.Info = info
				k.Name = name
			}
		} else {
			c.log.Info("the session of a node has ended", "node", name)
		}
	case keyDrain:
		k.draining = !change.Deleted
	}
}

// decode reads the value of a key, and reports whether it has one.
func (c *Cluster) decode(change engine.Change, v any) bool {
	if change.Deleted {
		return false
	}
	if err := json.Unmarshal(change.Value, v); err != nil {
		c.log.Error("the engine has a value that can't be read", "key", change.Key, "error", err)
		return false
	}
	return true
}
