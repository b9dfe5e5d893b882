// This file defines how a cluster changes its master key while it runs.

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/internal/users"
	"github.com/ptc-lang/ptc/cluster/member"
)

// keyMasters is the key of the engine that lists the master keys that the data needs.
const keyMasters = "cluster/masters"

// masters is the known state of the master keys of the data.
type masters struct {
	Current string         `json:"current"`        // the name of the key of new data when all was looked at
	Left    map[string]int `json:"left,omitempty"` // how much needs an older key, by its name
}

// The times between two looks at the members, and at data that needs an old key. Each node uses a new key within
// mastersEvery of the last node that got it, so a look resealAfter that has seen all of the old data.
const (
	mastersEvery = 2 * time.Second
	resealAfter  = 10 * time.Second
	resealEvery  = time.Minute
)

// masters returns the known state of the master keys of the data.
func (n *Node) masters(ctx context.Context) (m masters, e engine.Entry, err error) {
	e, ok, err := n.engine.Get(ctx, keyMasters)
	if err != nil || !ok {
		return m, e, err
	}
	if err := json.Unmarshal(e.Value, &m); err != nil {
		return m, e, fmt.Errorf("%s can't be read: %w", keyMasters, err)
	}
	return m, e, nil
}

// beginMasters uses the master key that the other nodes use now, and returns an error if one is missing that the data
// needs.
func (n *Node) beginMasters(ctx context.Context) error {
	s, ok := n.seal.(sealed)
	if !ok {
		return nil
	}
	e, there, err := n.engine.Get(ctx, keyOfJournals)
	if err == nil && there {
		s.Use(s.Of(e.Value)) // without it, the key of the journals can't be read, and the error says so
	}
	if err != nil {
		return err
	}
	m, _, err := n.masters(ctx)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(m.Left)) {
		if !slices.Contains(s.IDs(), id) {
			return fmt.Errorf("%d records of the cluster need the master key %s, and this node has %s: add its file to "+
				"security.encryption.old_master_keys", m.Left[id], id, s.IDs())
		}
	}
	return nil
}

// masterIDs returns the names of the master keys of this node.
func (n *Node) masterIDs() []string {
	if s, ok := n.seal.(sealed); ok {
		return s.IDs()
	}
	return nil
}

// followMasters has new data encrypted with the first master key of this node as soon as all nodes have it. While this
// node is the coordinator, it encrypts older data again.
func (n *Node) followMasters(m *member.Cluster) {
	s, ok := n.seal.(sealed)
	if !ok || len(s.IDs()) < 2 {
		return
	}
	var next time.Time
	used := time.Now() // since when the first key is used
	for n.life.Err() == nil {
		changed := m.Changed()
		first := s.IDs()[0]
		if s.Current() != first && n.haveKey(m, first) {
			s.Use(first)
			n.log.Info("new data is encrypted with the new master key, which all nodes have", "key", first)
			next, used = time.Time{}, time.Now()
		}
		if h, ok := m.Holder(place.DutyCoordinator); ok && h.Node == n.opts.Config.Node && s.Current() == first &&
			time.Now().After(next) {
			all := time.Since(used) >= resealAfter
			if err := n.reseal(n.life, s, all); err != nil {
				n.log.Warn("old data could not be encrypted with the new master key; trying again", "error", err)
				all = false
			}
			if next = time.Now().Add(resealAfter); all {
				next = time.Now().Add(resealEvery)
			}
		}
		select {
		case <-changed:
		case <-time.After(mastersEvery):
		case <-n.life.Done():
		}
	}
}

// haveKey reports whether all nodes of the list have a master key that are not dead. One that this node does not know
// yet may live, and have none.
func (n *Node) haveKey(m *member.Cluster, key string) bool {
	for _, listed := range n.roster.Nodes() {
		k, ok := m.Node(listed.Name)
		if !ok || (k.State == member.Alive || k.State == member.Suspect) && !slices.Contains(k.Keys, key) {
			return false
		}
	}
	return true
}

// reseal encrypts all data that was encrypted with another master key again. If all is set, it sees all
// data, and records how much still needs old keys. It does nothing if no such data was left before.
func (n *Node) reseal(ctx context.Context, s sealed, all bool) error {
	before, e, err := n.masters(ctx)
	if err != nil || before.Current == s.Current() && len(before.Left) == 0 {
		return err
	}
	// Until the end, nodes must have all keys.
	now := masters{Current: s.Current(), Left: map[string]int{}}
	for _, id := range s.IDs()[1:] {
		now.Left[id] = max(before.Left[id], 1)
	}
	if before.Current != now.Current {
		if e, err = n.keepMasters(ctx, now, e); err != nil {
			return err
		}
	}
	old := func(data []byte) bool { return s.Of(data) != s.Current() }
	damaged := func(err error) { n.log.Warn("a fact is damaged, and is not encrypted again", "error", err) }
	if err := errors.Join(n.resealKeys(ctx, s, old), n.facts.Reseal(ctx, old, damaged)); err != nil {
		return err
	}
	left, err := n.store.Reseal(ctx, s)
	if err != nil || !all {
		return err
	}
	now.Left = left
	_, err = n.keepMasters(ctx, now, e)
	n.log.Info("old data was encrypted with the new master key", "key", now.Current, "left", now.Left)
	return err
}

// keepMasters stores the state, if nobody has changed it.
func (n *Node) keepMasters(ctx context.Context, m masters, was engine.Entry) (engine.Entry, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return was, err
	}
	r, err := n.engine.Apply(ctx, []engine.Condition{engine.At(keyMasters, was.Modified)}, engine.Put(keyMasters, text))
	if err == nil && !r.Done {
		err = errors.New("another node has done the same")
	}
	return engine.Entry{Key: keyMasters, Modified: r.Revision}, err
}

// resealKeys encrypts the key of the journals and the tokens of nodes and users again.
func (n *Node) resealKeys(ctx context.Context, s sealed, old func([]byte) bool) error {
	e, _, err := n.engine.Get(ctx, keyOfJournals)
	if err != nil {
		return err
	}
	all := []engine.Entry{e}
	for _, prefix := range []string{n.tokens.Load().Prefix(), users.Prefix} {
		page, err := n.engine.List(ctx, engine.Query{Prefix: prefix})
		if err != nil {
			return err
		}
		all = append(all, page.Entries...)
	}
	for _, e := range all {
		if !old(e.Value) {
			continue
		}
		value, err := s.Rewrap(at(e.Key), e.Value)
		if err != nil {
			return err
		}
		unchanged := []engine.Condition{engine.At(e.Key, e.Modified)}
		if _, err := n.engine.Apply(ctx, unchanged, engine.Put(e.Key, value)); err != nil {
			return err
		}
	}
	return nil
}

// mastersWarning returns the next step of the operator for the master keys; "" for none.
func (n *Node) mastersWarning(ctx context.Context) string {
	s, ok := n.seal.(sealed)
	if !ok {
		return ""
	}
	m, _, err := n.masters(ctx)
	ids := s.IDs()
	switch {
	case err != nil || len(ids) < 2 && len(m.Left) == 0:
		return ""
	case s.Current() != ids[0]:
		return fmt.Sprintf("The master key %s is not used yet: some nodes do not have it.", ids[0])
	case m.Current != ids[0]:
		return fmt.Sprintf("The data is about to be encrypted with the master key %s.", ids[0])
	case len(m.Left) > 0:
		var all []string
		for _, id := range slices.Sorted(maps.Keys(m.Left)) {
			all = append(all, fmt.Sprintf("%d need %s", m.Left[id], id))
		}
		return fmt.Sprintf("Records of runs that have not ended need an old master key: %s. Keep it in old_master_keys.", all)
	}
	return fmt.Sprintf("Nothing needs the master keys %s any more: remove them from old_master_keys.", ids[1:])
}
