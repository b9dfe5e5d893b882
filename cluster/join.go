// This file defines how nodes join and leave a cluster that runs: the list of the nodes is changed, and one node has
// the members of the engine follow it.

package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/etcd"
	"github.com/ptc-lang/ptc/cluster/internal/roster"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/pki"
)

// DutyMembers is the duty of the node that has the members of the engine follow the list of the nodes.
const DutyMembers = "members"

// admitter returns the pki.Admitter that lets nodes join through this node; nil without the key of the authority.
func (n *Node) admitter() (*pki.Admitter, error) {
	m := n.opts.Config.MTLS
	if m.CAKey == "" {
		return nil, nil
	}
	authority, err := pki.LoadAuthority(m.CACert, m.CAKey)
	if err != nil {
		return nil, err
	}
	return &pki.Admitter{Cluster: n.opts.Config.ClusterID, Authority: authority, Grants: grants{n}, Admit: n.admit,
		Lifetime: time.Duration(m.Days) * 24 * time.Hour, Log: n.log}, nil
}

// grants are the tokens of the cluster, once this node has opened its store.
type grants struct{ *Node }

// Find implements pki.Grants.
func (g grants) Find(ctx context.Context, id string) (pki.Grant, bool, error) {
	if t := g.tokens.Load(); t != nil {
		return t.Find(ctx, id)
	}
	return pki.Grant{}, false, pki.Refuse("the node is starting: try again")
}

// Take implements pki.Grants.
func (g grants) Take(ctx context.Context, id string) (bool, error) {
	return g.tokens.Load().Take(ctx, id)
}

// Put implements pki.Grants.
func (g grants) Put(ctx context.Context, grant pki.Grant) error {
	return g.tokens.Load().Put(ctx, grant)
}

// admit adds a node that has a token. about is its controller, with its addresses; the answer is a config.Welcome.
func (n *Node) admit(ctx context.Context, g pki.Grant, about []byte) ([]byte, error) {
	var c config.Controller
	if err := json.Unmarshal(about, &c); err != nil {
		return nil, pki.Refuse("the description of the node can't be read: %v", err)
	}
	c.Name, c.Role = g.Node, cmp.Or(g.Role, config.Worker)
	for _, at := range []string{c.Address, c.EngineAddress} {
		if _, port, err := net.SplitHostPort(at); err != nil || port == "" {
			return nil, pki.Refuse("%s has the address %.100q, want HOST:PORT", g.Node, at)
		}
	}
	members := n.members.Load()
	if members == nil {
		return nil, pki.Refuse("the node is starting: try again")
	}
	old, there := n.roster.Node(g.Node)
	switch known, _ := members.Node(g.Node); {
	case there && !g.Replaces:
		return nil, pki.Refuse("there is a node %s already: make a token with --replace to replace it", g.Node)
	case !there && g.Replaces:
		return nil, pki.Refuse("there is no node %s that could be replaced", g.Node)
	case there && (known.State == member.Alive || known.State == member.Suspect):
		return nil, pki.Refuse("%s is alive: stop it before you replace it", g.Node)
	}
	if err := n.enter(ctx, roster.Node{Controller: c, Since: g.From}, old); err != nil {
		return nil, err
	}
	var all []config.Controller
	for _, k := range n.roster.Nodes() {
		if k.Name != c.Name && !k.Removing {
			all = append(all, k.Controller)
		}
	}
	return json.Marshal(config.Welcome{Controllers: append(all, c)})
}

// enter adds a node to the list, and waits until the engine has a member for it. old is the node that it replaces.
func (n *Node) enter(ctx context.Context, c, old roster.Node) error {
	for _, k := range n.roster.Nodes() {
		if k.Name != c.Name && (k.EngineAddress == c.EngineAddress || k.Address == c.Address) {
			return pki.Refuse("%s has the address %s or %s already", k.Name, c.Address, c.EngineAddress)
		}
	}
	if c.Role != config.Worker || old.Role != "" && old.Role != config.Worker {
		if err := n.admin().Check(ctx, old.EngineAddress); err != nil {
			return pki.Refuse("%v", err)
		}
	}
	err := n.supersede(ctx, c, old)
	for err == nil && !n.entered(c) { // this node follows the list
		err = n.pause(ctx, 20*time.Millisecond)
	}
	if err == nil {
		err = n.reconcile(ctx)
	}
	if err == nil {
		err = n.hasMember(ctx, c.EngineAddress)
	}
	if err == nil {
		n.unseen(ctx, old)
		return nil
	}
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if old.Name != "" {
		err = errors.Join(err, n.roster.Set(back, old))
	} else {
		err = errors.Join(err, n.roster.Removing(back, c.Name))
	}
	return pki.Refuse("%s could not be added: %v", c.Name, err)
}

// unseen removes the members' state of a node that was replaced. They would show the new one as dead, and advise to
// start or replace it, until it is a member: before that it copies the data and opens its store.
func (n *Node) unseen(ctx context.Context, old roster.Node) {
	m := n.members.Load()
	if old.Name == "" || m == nil {
		return
	}
	if err := m.Remove(ctx, old.Name); err != nil && !errors.Is(err, member.ErrUnknown) {
		n.log.Warn("until it starts, the node is shown as the one that it has replaced", "node", old.Name, "error", err)
	}
}

// supersede enters a node into the list. The member of the node that it replaces is removed from the engine: a voter
// that another one follows in the same breath.
func (n *Node) supersede(ctx context.Context, c, old roster.Node) error {
	voters := old.Role != config.Worker && c.Role != config.Worker
	if old.Name != "" && !voters {
		if err := n.admin().Remove(ctx, old.EngineAddress); err != nil && !errors.Is(err, etcd.ErrNoMember) {
			return err
		}
	}
	if err := n.roster.Set(ctx, c); err != nil || old.Name == "" || !voters {
		return err
	}
	_, err := n.admin().Replace(ctx, old.EngineAddress, c.EngineAddress)
	return err
}

func (n *Node) entered(c roster.Node) bool {
	k, ok := n.roster.Node(c.Name)
	return ok && k.EngineAddress == c.EngineAddress && k.Role == c.Role
}

// pause waits, and returns an error if ctx or the node ends.
func (n *Node) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-n.life.Done():
		return engine.ErrClosed
	}
}

// hasMember returns an error unless the engine has a member at an address.
func (n *Node) hasMember(ctx context.Context, address string) error {
	status, err := n.engine.Status(ctx)
	if err == nil && memberAt(status, address) == nil {
		err = fmt.Errorf("the engine has no member at %s yet; the log of the node says why", address)
	}
	return err
}

func memberAt(s engine.Status, address string) *engine.Member {
	for i := range s.Members {
		if s.Members[i].Peer == address {
			return &s.Members[i]
		}
	}
	return nil
}

// admin returns the administration of the engine, which knows the workers.
func (n *Node) admin() etcd.Admin {
	var copies []string
	for _, k := range n.roster.Nodes() {
		if k.Role == config.Worker {
			copies = append(copies, k.EngineAddress)
		}
	}
	return n.engine.Admin(copies...)
}

// followRoster has the engine's members be the nodes of the list, while this node has the duty.
func (n *Node) followRoster(ctx context.Context) {
	for ctx.Err() == nil {
		changed := n.roster.Changed()
		if err := n.reconcile(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("the members of the engine are not those of the list of the nodes; trying again",
				"error", err)
		}
		select {
		case <-changed:
		case <-time.After(reconcileEvery):
		case <-ctx.Done():
		}
	}
}

// The times of a reconciliation: how often the members are looked at, and how long one change may take.
const (
	reconcileEvery = time.Second
	changeTime     = 10 * time.Second
)

// reconcile makes the members of the engine agree with the list: it removes members that are not in the
// list or are marked for removal, adds missing ones, and promotes voters that have the data. It does all it
// can, and returns the first error.
func (n *Node) reconcile(ctx context.Context) (first error) {
	n.changing.Lock()
	defer n.changing.Unlock()
	status, err := n.engine.Status(ctx)
	if err != nil {
		return err
	}
	try := func(doing, node string, do func(context.Context) error) {
		bounded, cancel := context.WithTimeout(ctx, changeTime)
		defer cancel()
		if err := do(bounded); err != nil {
			if first == nil {
				first = fmt.Errorf("%s %s: %w", doing, node, err)
			}
			return
		}
		n.log.Info("the members of the engine have changed", "node", node, "change", doing)
	}
	// A node is in the list before it is a member. So the list is read after the members, and from the engine.
	nodes, err := n.roster.Latest(ctx)
	if err != nil {
		return err
	}
	at := make(map[string]roster.Node)
	for _, k := range nodes {
		at[k.EngineAddress] = k
	}
	for _, m := range status.Members {
		if k, ok := at[m.Peer]; !ok || k.Removing {
			try("removing the member of", cmp.Or(m.Name, m.Peer), func(ctx context.Context) error {
				if err := n.admin().Remove(ctx, m.Peer); !errors.Is(err, etcd.ErrNoMember) {
					return err
				}
				return nil // another node has removed it, and this one has not learned so yet
			})
		}
	}
	if status, err = n.engine.Status(ctx); err != nil {
		return cmp.Or(first, err)
	}
	for _, k := range nodes {
		m := memberAt(status, k.EngineAddress)
		switch {
		case k.Removing && m == nil:
			try("removing", k.Name, func(ctx context.Context) error { return n.forget(ctx, k.Name) })
		case k.Removing:
		case m == nil && k.Role == config.Worker:
			try("adding a copy for", k.Name, func(ctx context.Context) error {
				return n.admin().AddCopy(ctx, k.Name, k.EngineAddress)
			})
		case m == nil:
			try("adding a voter for", k.Name, func(ctx context.Context) error {
				_, err := n.admin().AddLearner(ctx, k.Name, k.EngineAddress)
				return err
			})
		case m.Learner && m.Healthy && k.Role != config.Worker:
			try("giving a vote to", k.Name, func(ctx context.Context) error { return n.admin().Promote(ctx, m.Name) })
		}
	}
	return first
}

// forget removes a node, whose member of the engine is gone, from the lists.
func (n *Node) forget(ctx context.Context, name string) error {
	if m := n.members.Load(); m != nil {
		if err := m.Remove(ctx, name); err != nil && !errors.Is(err, member.ErrUnknown) {
			return err
		}
	}
	return n.roster.Remove(ctx, name)
}
