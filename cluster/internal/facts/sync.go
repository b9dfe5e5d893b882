// This file defines how regions exchange their facts: deltas of writes, and comparisons of everything.

package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/peer"
)

// The methods between nodes.
const (
	methodMerge  = "facts/merge"  // takes facts
	methodDigest = "facts/digest" // compares digests, and returns the stamps of the buckets that differ
	methodFetch  = "facts/fetch"  // returns facts by their keys
)

// Bounds of one message.
const (
	maxBatch      = 100       // facts; a commit has as many conditions and operations
	maxBatchBytes = 512 << 10 // of their values
	// maxDirty is the number of changed facts that are remembered for a region that can't be reached. Beyond it,
	// everything is compared.
	maxDirty = 50_000
)

// shipped is a fact in a message.
type shipped struct {
	Host string `json:"h"`
	Name string `json:"n"`
	Fact
}

// answer makes this node answer the nodes of other regions.
func (s *Store) answer() {
	s.o.Network.Handle(methodMerge, handler(func(ctx context.Context, facts []shipped) (int, error) {
		return s.merge(ctx, facts)
	}))
	s.o.Network.Handle(methodDigest, handler(s.differing))
	s.o.Network.Handle(methodFetch, handler(s.fetch))
}

// handler makes a handler of a function from JSON to JSON.
func handler[In, Out any](f func(context.Context, In) (Out, error)) peer.Handler {
	return func(ctx context.Context, _ string, request []byte) ([]byte, error) {
		var in In
		if err := json.Unmarshal(request, &in); err != nil {
			return nil, &peer.Error{Code: "bad-request", Message: "facts: " + err.Error()}
		}
		out, err := f(ctx, in)
		if err != nil {
			return nil, &peer.Error{Code: "failed", Message: err.Error()}
		}
		return json.Marshal(out)
	}
}

// ask calls a method of the first node of a region that answers.
func ask[Out any](ctx context.Context, s *Store, region, method string, in any) (out Out, err error) {
	request, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	err = peer.ErrUnreachable
	for _, node := range s.o.Regions()[region] {
		var answer []byte
		if answer, err = s.o.Network.Call(ctx, node, method, request); err == nil {
			return out, json.Unmarshal(answer, &out)
		}
	}
	return out, fmt.Errorf("facts: region %s: %w", region, err)
}

// mark notes that a fact was written in this region.
func (s *Store) mark(key string) {
	if s.o.Network == nil || s.o.Regions == nil {
		return
	}
	regions := s.o.Regions()
	s.mu.Lock()
	defer s.mu.Unlock()
	for region := range regions {
		s.markFor(region, key)
	}
}

// markFor notes that a region is to get a fact. Store.mu is held.
func (s *Store) markFor(region, key string) {
	keys := s.dirty[region]
	if keys == nil {
		keys = make(map[string]bool)
		s.dirty[region] = keys
	}
	if len(keys) < maxDirty {
		keys[key] = true
	} else {
		s.full[region] = true
	}
}

// compareAll makes the next round compare everything with every region.
func (s *Store) compareAll() {
	if s.o.Network == nil || s.o.Regions == nil {
		return
	}
	regions := s.o.Regions()
	s.mu.Lock()
	defer s.mu.Unlock()
	for region := range regions {
		s.full[region] = true
	}
}

// sync sends deltas and compares, until the context ends.
func (s *Store) sync(ctx context.Context) {
	compared, sending := time.Now(), false
	for {
		pause(ctx, s.o.Delta)
		if ctx.Err() != nil {
			return
		}
		before := sending
		if sending = s.o.Sends == nil || s.o.Sends(); !sending {
			s.mu.Lock()
			clear(s.dirty) // whichever node begins to send compares everything first
			s.mu.Unlock()
			continue
		}
		if !before || time.Since(compared) >= s.o.Entropy {
			s.compareAll()
			compared = time.Now()
		}
		for region := range s.o.Regions() {
			began := time.Now()
			if err := s.exchange(ctx, region); err == nil {
				s.o.Synced(time.Since(began))
			} else if ctx.Err() == nil {
				s.o.Report(err)
			}
		}
	}
}

// exchange sends changed facts to a region, and compares all facts with it if that is necessary.
func (s *Store) exchange(ctx context.Context, region string) error {
	s.mu.Lock()
	keys, full := s.dirty[region], s.full[region]
	delete(s.dirty, region)
	s.full[region] = false
	s.mu.Unlock()
	err := s.push(ctx, region, keys)
	if err == nil && full {
		if err = s.Compare(ctx, region); err == nil {
			return nil
		}
	}
	if err != nil { // again in the next round
		s.mu.Lock()
		defer s.mu.Unlock()
		s.full[region] = s.full[region] || full
		for key := range keys {
			s.markFor(region, key)
		}
	}
	return err
}

// push sends facts to a region.
func (s *Store) push(ctx context.Context, region string, keys map[string]bool) error {
	sorted := make([]string, 0, len(keys))
	for key := range keys {
		sorted = append(sorted, key)
	}
	slices.Sort(sorted)
	for len(sorted) > 0 {
		batch, rest, err := s.batch(ctx, sorted)
		if err != nil {
			return err
		}
		if len(batch) > 0 {
			if _, err := ask[int](ctx, s, region, methodMerge, batch); err != nil {
				return err
			}
		}
		sorted = rest
	}
	return nil
}

// batch reads the first facts of a list, as many as a message may have, and returns the other keys.
func (s *Store) batch(ctx context.Context, keys []string) (facts []shipped, rest []string, err error) {
	size := 0
	for i, key := range keys {
		host, name, ok := splitKey(key)
		if !ok {
			continue
		}
		e, ok, err := s.o.Engine.Get(ctx, key)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		f, ok := s.readable(e)
		if !ok {
			continue
		}
		if size += len(f.Value); len(facts) > 0 && (len(facts) == maxBatch || size > maxBatchBytes) {
			return facts, keys[i:], nil
		}
		facts = append(facts, shipped{host, name, f})
	}
	return facts, nil, nil
}

// fetch returns the first facts of a list of keys.
func (s *Store) fetch(ctx context.Context, keys []string) ([]shipped, error) {
	facts, _, err := s.batch(ctx, keys)
	return facts, err
}

// merge takes the facts of another region that are newer than those here, and returns their number.
func (s *Store) merge(ctx context.Context, facts []shipped) (taken int, err error) {
	for len(facts) > 0 {
		n := min(len(facts), maxBatch)
		m, err := s.mergeBatch(ctx, facts[:n])
		if err != nil {
			return taken, err
		}
		taken, facts = taken+m, facts[n:]
	}
	return taken, nil
}

// mergeBatch makes one commit of facts, and again if other writes came first.
func (s *Store) mergeBatch(ctx context.Context, facts []shipped) (int, error) {
	entries := make(map[string]engine.Entry) // as they were last seen; none at first
	for {
		conditions, ops, err := s.newer(facts, entries)
		if err != nil || len(ops) == 0 {
			return 0, err
		}
		r, err := s.o.Engine.Apply(ctx, conditions, ops...)
		if err != nil {
			return 0, err
		}
		if r.Done {
			return len(ops), nil
		}
		for i, e := range r.Found {
			entries[conditions[i].Key] = e
		}
	}
}

// newer returns the commit of the facts that are newer than the entries.
func (s *Store) newer(facts []shipped, entries map[string]engine.Entry) (
	conditions []engine.Condition, ops []engine.Op, err error) {
	best := make(map[string]shipped) // a commit has each key once
	for _, f := range facts {
		if err := s.acceptable(f); err != nil {
			s.o.Report(err)
			continue
		}
		key := factKey(f.Host, f.Name)
		if b, ok := best[key]; !ok || Newer(f.Fact, b.Fact) {
			best[key] = f
		}
	}
	for key, f := range best {
		e := entries[key]
		if e.Created != 0 {
			old, ok := s.readable(e)
			if !ok || !Newer(f.Fact, old) { // one that can't be read may be newer
				continue
			}
		}
		s.clock.Observe(f.Stamp)
		b, err := s.encode(key, f.Fact)
		if err != nil {
			return nil, nil, err
		}
		conditions = append(conditions, engine.At(key, e.Modified))
		ops = append(ops, engine.Put(key, b))
	}
	return conditions, ops, nil
}

// acceptable returns an error for a fact that no node of this version writes, or with a stamp far in the future.
func (s *Store) acceptable(f shipped) error {
	if err := checkNames(f.Host, f.Name); err != nil {
		return err
	}
	switch {
	case len(f.Value) == 0 || len(f.Value) > MaxValue || f.Stamp.Node == "":
		return fmt.Errorf("%w: fact %q of host %q from region %s", ErrBound, f.Name, f.Host, f.Region)
	case !s.clock.plausible(f.Stamp):
		return fmt.Errorf("facts: fact %q of host %q, written by %s, is dated %s, more than %v ahead of the clock here: "+
			"it is refused; set the clocks right", f.Name, f.Host, f.Stamp.Node,
			time.UnixMilli(f.Stamp.Wall).UTC().Format(time.RFC3339), maxAhead)
	}
	return nil
}
