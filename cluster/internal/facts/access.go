// This file defines how facts are read and written.

package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Get returns the facts of a host by their names, at a level; "" is the default level. The caller does not change them.
// at is a revision whose changes they include, for Watch. The error is that of the engine; a read at the level Eventual
// has none if the node knows the host.
func (s *Store) Get(ctx context.Context, host string, level Level) (facts map[string]Fact, at engine.Revision,
	err error) {
	if level == "" {
		level = s.o.Level
	}
	if err := checkNames(host, "-"); err != nil {
		return nil, 0, err
	}
	switch level {
	case Eventual:
		if facts, at, ok := s.knows(host, 0); ok {
			return facts, at, nil
		}
		return s.list(ctx, host, engine.Query{Stale: true})
	case Session:
		if facts, at, ok := s.knows(host, s.o.Fresh); ok {
			return facts, at, nil
		}
		return s.list(ctx, host, engine.Query{})
	case Strong:
		return s.list(ctx, host, engine.Query{})
	case Quorum:
		r, err := s.o.Engine.Apply(ctx, nil, engine.Put(fence+s.o.Node, []byte{}))
		if err != nil {
			return nil, 0, err
		}
		return s.list(ctx, host, engine.Query{Revision: r.Revision})
	}
	return nil, 0, fmt.Errorf("facts: level %q, want eventual, session, strong or quorum", level)
}

// knows returns the facts of a host, if it was read within a time; 0 is any time.
func (s *Store) knows(host string, within time.Duration) (map[string]Fact, engine.Revision, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.hosts[host]
	if k == nil || k.listed == 0 || within > 0 && (!k.read.After(s.stale) || time.Since(k.read) >= within) {
		return nil, 0, false
	}
	return k.facts, k.listed, true
}

// Conflict is the error of a write whose version is not the current one.
type Conflict struct {
	Host, Name   string
	Version, Was engine.Revision // the required version and the actual one; 0 for no fact
}

// Error implements error.
func (c *Conflict) Error() string {
	return fmt.Sprintf("fact %q of host %q has version %d, want %d: read it again, and decide again", c.Name, c.Host,
		c.Was, c.Version)
}

// Put sets a fact, a JSON value, and returns its version. If version is not nil, the fact must have that version; 0 is
// that of a fact that does not exist. Then the error may be a *Conflict. After engine.ErrUnavailable the fact may have
// been set.
func (s *Store) Put(ctx context.Context, host, name string, value json.RawMessage, version *engine.Revision) (
	engine.Revision, error) {
	if err := checkNames(host, name); err != nil {
		return 0, err
	}
	if len(value) > MaxValue {
		return 0, fmt.Errorf("%w: the value has %d bytes as JSON, want at most %d", ErrBound, len(value), MaxValue)
	}
	if !json.Valid(value) {
		return 0, errors.New("facts: the value is not JSON")
	}
	key := factKey(host, name)
	entry, _, err := s.o.Engine.Get(ctx, key)
	for err == nil {
		if version != nil && entry.Modified != *version {
			return 0, &Conflict{host, name, *version, entry.Modified}
		}
		var r engine.Result
		var f Fact
		if f, r, err = s.replace(ctx, host, entry, key, value); err != nil {
			break
		}
		if r.Done {
			f.Version = r.Revision
			s.note(host, name, f, true)
			return r.Revision, nil
		}
		entry = r.Found[0]
	}
	return 0, err
}

// replace sets a fact whose entry is known.
func (s *Store) replace(ctx context.Context, host string, was engine.Entry, key string, value json.RawMessage) (
	f Fact, r engine.Result, err error) {
	if was.Created == 0 {
		err = s.hasRoom(ctx, host)
	} else {
		var old Fact
		if old, err = s.decode(was); err == nil {
			s.clock.Observe(old.Stamp)
		}
	}
	if err != nil {
		return f, r, err
	}
	f = Fact{Value: value, Stamp: s.clock.Next(), Region: s.o.Region}
	b, err := s.encode(key, f)
	if err != nil {
		return f, r, err
	}
	r, err = s.o.Engine.Apply(ctx, []engine.Condition{engine.At(key, was.Modified)}, engine.Put(key, b))
	return f, r, err
}

// hasRoom returns an error if a host has as many facts as it may have.
func (s *Store) hasRoom(ctx context.Context, host string) error {
	page, err := s.o.Engine.List(ctx, engine.Query{Prefix: hostKey(host), Limit: MaxFacts, Keys: true})
	if err == nil && len(page.Entries) >= MaxFacts {
		err = fmt.Errorf("%w: host %q has %d facts, want at most %d: replace one, or put several values into one fact",
			ErrBound, host, len(page.Entries), MaxFacts)
	}
	return err
}

// Hosts returns up to limit names of hosts with facts that begin with a prefix, after a host. more reports whether
// there are others. They are sorted by their form in a URL.
func (s *Store) Hosts(ctx context.Context, begin, after string, limit int) (hosts []string, more bool, err error) {
	q := engine.Query{Prefix: prefix, Keys: true, Limit: MaxFacts}
	if after != "" {
		q.After = afterHost(after)
	}
	for {
		page, err := s.o.Engine.List(ctx, q)
		if err != nil {
			return nil, false, err
		}
		for _, e := range page.Entries {
			host, _, ok := splitKey(e.Key)
			if !ok || len(host) < len(begin) || host[:len(begin)] != begin ||
				len(hosts) > 0 && host == hosts[len(hosts)-1] {
				continue
			}
			if len(hosts) == limit {
				return hosts, true, nil
			}
			hosts = append(hosts, host)
		}
		if !page.More || len(page.Entries) == 0 {
			return hosts, false, nil
		}
		q.After = page.Entries[len(page.Entries)-1].Key
	}
}

// afterHost returns a key after all keys of a host, and before those of any other.
func afterHost(host string) string {
	k := hostKey(host)
	return k[:len(k)-1] + "0" // the byte after "/"
}

// Watch waits until facts of a host change after a version, and returns the changed ones and the version that they
// lead to. It returns engine.ErrCompacted if changes after the version are not kept any more.
func (s *Store) Watch(ctx context.Context, host string, after engine.Revision) (
	changed map[string]Fact, version engine.Revision, err error) {
	if err := checkNames(host, "-"); err != nil {
		return nil, 0, err
	}
	stop := errors.New("changed")
	err = s.o.Engine.Watch(ctx, hostKey(host), after, func(c engine.Commit) error {
		changed, version = make(map[string]Fact), c.Revision
		for _, change := range c.Changes {
			_, name, ok := splitKey(change.Key)
			if !ok || change.Deleted {
				continue
			}
			f, err := s.decode(change.Entry)
			if err != nil {
				return err
			}
			changed[name] = f
			s.note(host, name, f, false)
		}
		return stop
	})
	if errors.Is(err, stop) {
		err = nil
	}
	return changed, version, err
}
