// This file defines the offers of leaders, and how a node takes part in a run.

package share

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/store"
)

// offer is a run in which other nodes can take part.
type offer struct {
	place.Job
	Node     string          `json:"node"` // that leads it
	Versions member.Versions `json:"versions"`
	Nodes    int             `json:"nodes,omitempty"` // the most, with the leader; 0 for all
	Trace    string          `json:"trace,omitempty"` // see serve.Evaluation
	// Reaches are the digests of the leader for the tools of the run, see member.Info.
	Reaches map[string]string `json:"reaches,omitempty"`
}

// The keys of a Share. Both are bound to the lease of a session.
const (
	prefix   = "share/"
	keyOffer = prefix + "offer/" // RUN: an offer
	keyPlace = prefix + "place/" // RUN/N: the name of the node that has the place
)

// offer offers the run, and reports whether it did. The caller holds busy.
func (p *part) offer(ctx context.Context) bool {
	s := p.share
	j, ok := s.opts.Queue.Job(p.e.Run)
	session := s.opts.Members.Now()
	if !ok || session == nil {
		return false
	}
	self := s.opts.Members.Self()
	o := offer{Job: j, Node: s.self, Versions: self.Versions, Nodes: p.e.Nodes, Trace: p.e.Trace,
		Reaches: make(map[string]string)}
	for _, name := range j.Tools {
		o.Reaches[name] = self.Reaches[name]
	}
	text, err := json.Marshal(o)
	if err == nil {
		p.offered = true
		_, err = s.opts.Engine.Apply(ctx, []engine.Condition{session.Holds()},
			engine.Op{Key: keyOffer + p.e.Run, Value: text, Lease: session.Lease})
	}
	if err != nil {
		s.log.Debug("a run can't be offered; trying again", "run", p.e.Run, "error", err)
	}
	return err == nil
}

// withdraw ends the offer. The caller holds busy.
func (p *part) withdraw() {
	if p.offering = false; !p.offered {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	if _, err := p.share.opts.Engine.Apply(ctx, nil, engine.Delete(keyOffer+p.e.Run)); err == nil {
		p.offered = false
	}
}

// followRetry is the time between attempts to read the offers.
const followRetry = 200 * time.Millisecond

// follow keeps the offers and places up to date until the Share is closed.
func (s *Share) follow() {
	for s.ctx.Err() == nil {
		err := s.read(s.ctx)
		if s.ctx.Err() != nil {
			return
		}
		s.log.Warn("the offers of runs can't be followed; trying again", "node", s.self, "error", err)
		select {
		case <-time.After(followRetry):
		case <-s.ctx.Done():
		}
	}
}

// read reads all offers and places, and then each change.
func (s *Share) read(ctx context.Context) error {
	page, err := s.opts.Engine.List(ctx, engine.Query{Prefix: prefix, Stale: true})
	if err != nil {
		return err
	}
	s.mu.Lock()
	clear(s.offers)
	clear(s.places)
	for _, e := range page.Entries {
		s.take(engine.Change{Entry: e})
	}
	s.mu.Unlock()
	s.wake()
	return s.opts.Engine.Watch(ctx, prefix, page.Revision, func(c engine.Commit) error {
		s.mu.Lock()
		for _, change := range c.Changes {
			s.take(change)
		}
		s.mu.Unlock()
		s.wake()
		return nil
	})
}

// take takes a changed key over. The caller holds mu.
func (s *Share) take(c engine.Change) {
	if run, ok := strings.CutPrefix(c.Key, keyOffer); ok {
		var o offer
		if c.Deleted || json.Unmarshal(c.Value, &o) != nil {
			delete(s.offers, run)
			return
		}
		o.Run = run
		s.offers[run] = offered{o, c.Modified}
		return
	}
	run, _, _ := strings.Cut(strings.TrimPrefix(c.Key, keyPlace), "/")
	if c.Deleted {
		delete(s.places[run], c.Key)
		if len(s.places[run]) == 0 {
			delete(s.places, run)
		}
		return
	}
	if s.places[run] == nil {
		s.places[run] = make(map[string]string)
	}
	s.places[run][c.Key] = string(c.Value)
}

// wake makes the node look for runs to take part in.
func (s *Share) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// pullEvery is the time after which a node looks again for runs to take part in, at the latest.
const pullEvery = 250 * time.Millisecond

// pull takes part in runs until the Share is closed.
func (s *Share) pull() {
	tick := time.NewTicker(pullEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.kick:
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
		s.tidy()
		for _, o := range s.open() {
			s.join(o)
		}
	}
}

// open returns the offers that this node could take, and forgets expired ones.
func (s *Share) open() (all []offered) {
	if s.opts.Members.Reach() != member.Majority || s.opts.Queue.Leaving() {
		return nil
	}
	self, ok := s.opts.Members.Node(s.self)
	if !ok || !self.Usable() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for run, until := range s.later {
		if now.After(until) {
			delete(s.later, run)
		}
	}
	for run, o := range s.offers {
		if o.Node == s.self || s.parts[run] != nil || s.has[run] != "" || !s.later[run].IsZero() ||
			o.Versions.Differs(self.Versions) != "" || s.opts.Queue.Unfit(o.Job, &self) != "" ||
			len(self.Differing(o.Tools, o.Reaches)) > 0 {
			continue
		}
		all = append(all, o)
	}
	return all
}

// join takes a place in a run, if this node has room for it and there is a place.
func (s *Share) join(o offered) {
	room := s.opts.Host.Room()
	if room.Runs <= 0 || room.Memory < o.Memory {
		return
	}
	if ofTenant, own := s.opts.Queue.Used(o.Tenant, o.By); room.May != nil && !room.May(o.Job, ofTenant, own) {
		return
	}
	if runs, _ := s.opts.Queue.Wants(); runs > 0 { // which come first
		return
	}
	key, session := s.vacant(o), s.opts.Members.Now()
	if key == "" || session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, commitTime)
	defer cancel()
	res, err := s.opts.Engine.Apply(ctx, []engine.Condition{session.Holds(), engine.Absent(key),
		engine.At(keyOffer+o.Run, o.modified)}, engine.Op{Key: key, Value: []byte(s.self), Lease: session.Lease})
	if err != nil || !res.Done {
		if err != nil { // perhaps it was made, see tidy
			s.left(o.Run)
		}
		return
	}
	s.mu.Lock()
	s.has[o.Run] = key
	s.mu.Unlock()
	if !s.opts.Host.Follow(o.Job, o.Trace, func() { s.left(o.Run) }) {
		s.left(o.Run)
		return
	}
	s.log.Debug("this node takes part in a run", "run", o.Run, "leader", o.Node)
}

// vacant returns the key of a place that is free; "" if there is none. The leader has none, and counts.
func (s *Share) vacant(o offered) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	places := o.Nodes - 1
	if o.Nodes == 0 {
		places = store.MaxNodes
	}
	taken := s.places[o.Run]
	for _, node := range taken {
		if node == o.Node { // a leader that has followed keeps its place
			places++
			break
		}
	}
	for i := range places {
		if key := fmt.Sprintf("%s%s/%d", keyPlace, o.Run, i); taken[key] == "" {
			return key
		}
	}
	return ""
}

// left ends the part of this node in a run, which it leaves to others for a time: it has found nothing to do there, or
// could not continue. tidy returns its place.
func (s *Share) left(run string) {
	s.mu.Lock()
	delete(s.has, run)
	s.later[run] = time.Now().Add(rejoin + rand.N(rejoin))
	s.mu.Unlock()
	s.wake()
}

// rejoin is the least time before a node takes part again in a run that it has left.
const rejoin = time.Second

// tidy removes the places that this node does not need any more, and the offers that could not be
// withdrawn. It retries failed removals, because a place keeps other nodes from the run even when its
// leader has died. At the latest the places end with the session.
func (s *Share) tidy() {
	var places []string
	var conditions []engine.Condition
	s.mu.Lock()
	for run, taken := range s.places {
		for key, node := range taken {
			if node == s.self && s.has[run] != key {
				places = append(places, key)
			}
		}
	}
	for run, o := range s.offers {
		if o.Node == s.self && s.parts[run] == nil {
			conditions = append(conditions, engine.At(keyOffer+run, o.modified))
		}
	}
	s.mu.Unlock()
	for _, key := range places {
		s.leave(key)
	}
	for _, c := range conditions {
		ctx, cancel := context.WithTimeout(s.ctx, commitTime)
		if _, err := s.opts.Engine.Apply(ctx, []engine.Condition{c}, engine.Delete(c.Key)); err != nil {
			s.log.Debug("the offer of a run can't be withdrawn; trying again", "key", c.Key, "error", err)
		}
		cancel()
	}
}

// leave returns a place of this node.
func (s *Share) leave(key string) {
	ctx, cancel := context.WithTimeout(s.ctx, commitTime)
	defer cancel()
	e, ok, err := s.opts.Engine.Get(ctx, key)
	if err == nil && ok && string(e.Value) == s.self {
		_, err = s.opts.Engine.Apply(ctx, []engine.Condition{engine.At(key, e.Modified)}, engine.Delete(key))
	}
	if err != nil {
		s.log.Debug("a place in a run can't be given back", "key", key, "error", err)
	}
}
