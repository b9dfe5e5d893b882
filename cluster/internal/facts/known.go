// This file defines the facts in the memory of a node, and how they follow the engine.

package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Fact is a value about a host under a name. It is never changed.
type Fact struct {
	Value  json.RawMessage `json:"v"`
	Stamp  Stamp           `json:"t"`
	Region string          `json:"r,omitempty"` // where it was written
	// Version is the revision of the engine that wrote it in this region. Other regions have other versions.
	Version engine.Revision `json:"-"`
}

// known is the set of facts of a host in the memory of this node. Store.mu guards it.
type known struct {
	facts map[string]Fact
	// listed is the revision of the engine at which all facts were read, and read is the time at which that
	// read began. Before the first read listed is 0, and facts has only the writes of this node.
	listed engine.Revision
	read   time.Time
}

// maxKnown is the number of hosts that a node remembers. Beyond it the node forgets any of them.
const maxKnown = 20_000

// encode returns a fact as the engine keeps it under a key.
func (s *Store) encode(key string, f Fact) ([]byte, error) {
	b, err := json.Marshal(f)
	if host, name, ok := splitKey(key); err == nil && ok && s.o.Sealer != nil {
		b, err = s.o.Sealer.Seal(host, name, b)
	}
	return b, err
}

// decode returns the fact of an entry.
func (s *Store) decode(e engine.Entry) (f Fact, err error) {
	b := e.Value
	if host, name, ok := splitKey(e.Key); ok && s.o.Sealer != nil {
		if b, err = s.o.Sealer.Open(host, name, b); err != nil {
			return Fact{}, fmt.Errorf("facts: %s: %w", e.Key, err)
		}
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return Fact{}, fmt.Errorf("facts: %s: the entry is not a fact: %w", e.Key, err)
	}
	f.Version = e.Modified
	return f, nil
}

// list reads all facts of a host, and the revision that they are of.
func (s *Store) list(ctx context.Context, host string, q engine.Query) (map[string]Fact, engine.Revision, error) {
	began := time.Now()
	s.mu.Lock()
	epoch := s.epoch
	s.mu.Unlock()
	q.Prefix = hostKey(host) // more than MaxFacts if several regions have added some
	page, err := s.o.Engine.List(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	facts := make(map[string]Fact, len(page.Entries))
	for _, e := range page.Entries {
		_, name, ok := splitKey(e.Key)
		if !ok {
			continue
		}
		f, err := s.decode(e)
		if err != nil {
			return nil, 0, err
		}
		facts[name] = f
		s.clock.Observe(f.Stamp)
	}
	if q.Stale {
		began = time.Time{}
	}
	s.learn(host, facts, page.Revision, began, epoch)
	return facts, page.Revision, nil
}

// learn remembers all facts of a host as of a revision. A later state of a fact, known from the watch or
// from a write of this node, is kept. A read that the watch does not continue is not remembered: a read of
// another epoch, or a stale read of a revision before the watch.
func (s *Store) learn(host string, facts map[string]Fact, at engine.Revision, read time.Time, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch != s.epoch || at < s.from {
		return
	}
	k := s.host(host)
	if at < k.listed {
		return
	}
	merged := maps.Clone(facts)
	for name, f := range k.facts {
		if f.Version > at {
			merged[name] = f
		}
	}
	k.facts, k.listed = merged, at
	if read.After(k.read) {
		k.read = read
	}
}

// host returns the known facts of a host. It makes room for a new one. Store.mu is held.
func (s *Store) host(name string) *known {
	k := s.hosts[name]
	if k == nil {
		for other := range s.hosts {
			if len(s.hosts) < maxKnown {
				break
			}
			delete(s.hosts, other)
		}
		k = &known{}
		s.hosts[name] = k
	}
	return k
}

// note remembers one fact. A fact of an unknown host is ignored, unless this node wrote it: a read of the host
// may be under way that does not include the write.
func (s *Store) note(host, name string, f Fact, own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.hosts[host]
	if k == nil {
		if !own {
			return
		}
		k = s.host(host)
	}
	if f.Version <= k.listed || f.Version <= k.facts[name].Version {
		return
	}
	changed := make(map[string]Fact, len(k.facts)+1) // readers have the old map
	maps.Copy(changed, k.facts)
	changed[name] = f
	k.facts = changed
}

// Expire makes the next session read of each host ask the engine. A node calls it when it takes over a run, and where
// a run continues after work of other nodes, so that the run sees what it wrote there.
func (s *Store) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = time.Now()
}

// review reads the facts of each known host again from time to time, until the context ends. So this node
// eventually agrees with the others, even if it does not follow them, or has missed a change.
func (s *Store) review(ctx context.Context) {
	for {
		pause(ctx, s.o.Entropy)
		if ctx.Err() != nil {
			return
		}
		began := time.Now()
		if err := s.reviewAll(ctx); err == nil {
			s.o.Synced(time.Since(began))
		} else if ctx.Err() == nil {
			s.o.Report(fmt.Errorf("facts: compare the known facts of hosts: %w", err))
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// reviewAll reads the facts of each host again.
func (s *Store) reviewAll(ctx context.Context) error {
	s.mu.Lock()
	hosts := slices.Collect(maps.Keys(s.hosts))
	s.mu.Unlock()
	for _, host := range hosts {
		if _, _, err := s.list(ctx, host, engine.Query{}); err != nil {
			return err
		}
	}
	return nil
}

// retry is the time between two attempts to follow the engine.
const retry = 200 * time.Millisecond

// follow applies the changes of all facts to the known ones, until the context ends.
func (s *Store) follow(ctx context.Context) {
	after := engine.Revision(-1)
	for ctx.Err() == nil {
		err := s.followFrom(ctx, &after)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, engine.ErrCompacted) {
			after = -1
		} else if errors.Is(err, engine.ErrClosed) {
			return
		}
		s.o.Report(fmt.Errorf("facts: follow the engine: %w", err))
		pause(ctx, retry)
	}
}

// followFrom follows the changes after a revision. If the revision is -1, it follows the changes from now
// on, forgets all known facts, and makes the regions compare everything.
func (s *Store) followFrom(ctx context.Context, after *engine.Revision) error {
	if *after < 0 {
		page, err := s.o.Engine.List(ctx, engine.Query{Prefix: prefix, Limit: 1, Keys: true})
		if err != nil {
			return err
		}
		*after = page.Revision
		s.mu.Lock()
		clear(s.hosts)
		s.epoch, s.from = s.epoch+1, page.Revision
		s.mu.Unlock()
		s.compareAll()
	}
	return s.o.Engine.Watch(ctx, prefix, *after, func(c engine.Commit) error {
		for _, change := range c.Changes {
			s.changed(change, c.Revision)
		}
		*after = c.Revision
		return nil
	})
}

// changed applies a change.
func (s *Store) changed(c engine.Change, at engine.Revision) {
	host, name, ok := splitKey(c.Key)
	if !ok {
		return
	}
	if c.Deleted { // by an operator: the facts of the host are read again
		s.mu.Lock()
		if k := s.hosts[host]; k != nil && k.listed < at {
			delete(s.hosts, host)
		}
		s.mu.Unlock()
		return
	}
	f, err := s.decode(c.Entry)
	if err != nil {
		s.o.Report(err)
		return
	}
	s.clock.Observe(f.Stamp)
	s.note(host, name, f, false)
	if f.Region == s.o.Region {
		s.mark(c.Key)
	}
}

// pause waits for a time or the end of the context.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
