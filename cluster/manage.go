// This file implements serve.Cluster, through which people see and change the cluster.

package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/etcd"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// The duties that are not those of package member.
const (
	dutyEngine = "engine" // to lead the engine
	dutyGuards = "guards" // to decide about guards and queues
)

// duties are the tasks that one node does for all, in the order of their display.
var duties = []wire.ClusterDuty{
	{Duty: dutyEngine, Does: "orders the writes of the engine"},
	{Duty: dutyGuards, Does: "decides about guards, queues and policies"},
	{Duty: place.DutyCoordinator, Does: "moves queued runs, and ends those whose deadline has passed"},
	{Duty: DutyStorage, Does: "has the engine forget old revisions, and finishes what nodes have left in the store"},
	{Duty: DutySchedules, Does: "runs the schedules"},
	{Duty: DutyMembers, Does: "adds members to the engine, and removes them"},
	{Duty: DutyRegions, Does: "sends facts to the other regions"},
	{Duty: place.DutyActive, Does: "takes the runs, in the topology active-passive"},
}

// manager is the cluster for people.
type manager struct{ *Node }

// Cluster returns the management interface of the cluster.
func (n *Node) Cluster() serve.Cluster { return manager{n} }

// joined returns the membership, or an error while the node is starting.
func (m manager) joined() (*member.Cluster, error) {
	if c := m.members.Load(); c != nil {
		return c, nil
	}
	return nil, serve.ErrUnavailable.With("%s is starting; try again", m.opts.Config.Node)
}

// known returns a node of the list, or an error.
func (m manager) known(node string) error {
	if _, ok := m.roster.Node(node); ok {
		return nil
	}
	var names []string
	for _, k := range m.roster.Nodes() {
		names = append(names, k.Name)
	}
	return store.ErrNotFound.With("there is no node %.100q, want one of %s", node, strings.Join(names, ", "))
}

// The lifetimes of tokens.
const (
	joinLifetime    = time.Hour
	maxJoinLifetime = 7 * 24 * time.Hour
)

// NewJoin implements serve.Cluster.
func (m manager) NewJoin(ctx context.Context, j wire.NewJoin) (out wire.Join, err error) {
	j.Role = cmp.Or(j.Role, config.Worker)
	life := joinLifetime
	if j.Lifetime != "" {
		if life, err = time.ParseDuration(j.Lifetime); err != nil || life <= 0 || life > maxJoinLifetime {
			return out, store.ErrInvalid.With("lifetime is %.100q, want a time such as 2h, up to %s", j.Lifetime,
				maxJoinLifetime)
		}
	}
	_, there := m.roster.Node(j.Node)
	switch {
	case there && !j.Replaces:
		return out, store.ErrTransition.With("there is a node %s already: replace it, or choose another name", j.Node)
	case !there && j.Replaces:
		return out, m.known(j.Node)
	case j.Role != config.Voter && j.Role != config.Witness && j.Role != config.Worker:
		return out, store.ErrInvalid.With("role is %.100q, want voter, witness or worker", j.Role)
	}
	members, err := m.joined()
	if err != nil {
		return out, err
	}
	out = wire.Join{Node: j.Node, Role: j.Role}
	for _, k := range members.Nodes() {
		if listed, ok := m.roster.Node(k.Name); ok && k.Admits && (k.State == member.Alive || k.State == member.Suspect) {
			out.At = append(out.At, listed.Address)
		}
	}
	if len(out.At) == 0 {
		return out, store.ErrTransition.With("no node that runs has the key of the authority, so none admits nodes: " +
			"copy ca-key.pem to one, set security.mtls.ca_key there, and restart it")
	}
	pin, err := pki.PinOf(m.opts.Config.MTLS.CACert)
	if err != nil {
		return out, err
	}
	if len(j.Hosts) == 0 {
		j.Hosts = []string{"127.0.0.1", "localhost"}
	}
	token, grant, err := pki.NewToken(pin, j.Node, j.Hosts, life)
	if err != nil {
		return out, store.ErrInvalid.With("%w", err)
	}
	grant.Role, grant.Replaces = j.Role, j.Replaces
	out.Token, out.Ends = token.String(), grant.Ends
	return out, m.tokens.Load().Put(ctx, grant)
}

// Drain implements serve.Cluster.
func (m manager) Drain(ctx context.Context, node string, on bool) error {
	members, err := m.joined()
	if err != nil {
		return err
	}
	if err := m.known(node); err != nil {
		return err
	}
	if on && !slices.ContainsFunc(members.Nodes(), func(k member.Node) bool { return k.Name != node && k.Usable() }) {
		return store.ErrTransition.With("%s is the last node that takes runs: start another one, or end the drain of one",
			node)
	}
	if err := members.Drain(ctx, node, on); errors.Is(err, member.ErrUnknown) {
		return store.ErrTransition.With("%s has not been started yet", node)
	} else if err != nil {
		return err
	}
	return nil
}

// removeTime bounds the removal of a node.
const removeTime = 20 * time.Second

// Remove implements serve.Cluster.
func (m manager) Remove(ctx context.Context, node string) error {
	members, err := m.joined()
	if err != nil {
		return err
	}
	if err := m.known(node); err != nil {
		return err
	}
	k, _ := m.roster.Node(node)
	if now, ok := members.Node(node); ok && (now.State == member.Alive || now.State == member.Suspect) {
		return store.ErrTransition.With("%s is alive: drain it, stop its process, and remove it then", node)
	}
	if k.Role != config.Worker {
		if m.voters(node) == 0 {
			return store.ErrTransition.With("%s is the last node that votes", node)
		}
		if err := m.admin().Check(ctx, k.EngineAddress); errors.Is(err, etcd.ErrRisky) {
			return store.ErrTransition.With("%w", err)
		} else if err != nil {
			return err
		}
	}
	if err := m.roster.Removing(ctx, node); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, removeTime)
	defer cancel()
	for {
		err := m.reconcile(ctx)
		if _, ok := m.roster.Node(node); !ok {
			return nil
		}
		if perr := m.pause(ctx, 50*time.Millisecond); perr != nil {
			return serve.ErrUnavailable.With("%s is not removed yet, and the cluster keeps trying: %w", node,
				errors.Join(perr, err))
		}
	}
}

// voters returns how many other nodes of the list vote.
func (m manager) voters(but string) (n int) {
	for _, k := range m.roster.Nodes() {
		if k.Role != config.Worker && k.Name != but && !k.Removing {
			n++
		}
	}
	return n
}

// methodStepDown makes a node return a duty that is not one of package member.
const methodStepDown = "cluster/step-down"

// StepDown implements serve.Cluster.
func (m manager) StepDown(ctx context.Context, duty string) error {
	members, err := m.joined()
	if err != nil {
		return err
	}
	var names []string
	for _, d := range duties {
		names = append(names, d.Duty)
	}
	if !slices.Contains(names, duty) {
		return store.ErrNotFound.With("there is no duty %.100q, want one of %s", duty, strings.Join(names, ", "))
	}
	holder, err := m.holder(ctx, members, duty)
	switch {
	case err != nil:
		return err
	case holder == "":
		return store.ErrTransition.With("no node has the duty %s now", duty)
	case duty != dutyEngine && duty != dutyGuards:
		return members.StepDown(ctx, duty)
	}
	text, err := json.Marshal(duty)
	if err != nil {
		return err
	}
	_, term := m.coord.Coordinator()
	if _, err = m.network.Call(ctx, holder, methodStepDown, text); err == nil {
		m.returned(ctx, members, duty, holder, term)
		return nil
	}
	if refused := new(peer.Error); errors.As(err, &refused) {
		return store.ErrTransition.With("%s has not returned the duty %s: %s", holder, duty, refused.Message)
	}
	return serve.ErrUnavailable.With("%s has the duty %s, and can't be reached: %w", holder, duty, err)
}

// returnedTime bounds the wait for the next holder of a duty.
const returnedTime = 5 * time.Second

// returned waits until this node knows the next holder of a duty, because people look at its state next.
// term is the previous term of the coordinator: the same node may become the coordinator again.
func (m manager) returned(ctx context.Context, members *member.Cluster, duty, before string, term uint64) {
	ctx, cancel := context.WithTimeout(ctx, returnedTime)
	defer cancel()
	for {
		_, now := m.coord.Coordinator()
		again := duty == dutyGuards && now != term
		if holder, err := m.holder(ctx, members, duty); err == nil && holder != "" && (holder != before || again) {
			return
		}
		if m.pause(ctx, 20*time.Millisecond) != nil {
			return
		}
	}
}

// stepDown answers another node.
func (n *Node) stepDown(ctx context.Context, _ string, text []byte) ([]byte, error) {
	var duty string
	if err := json.Unmarshal(text, &duty); err != nil {
		return nil, &peer.Error{Code: "invalid", Message: "the request can't be read: " + err.Error()}
	}
	if duty == dutyGuards {
		n.coord.StepDown()
		return nil, nil
	}
	if err := n.engine.Admin().StepDown(ctx); err != nil {
		return nil, &peer.Error{Code: "failed", Message: err.Error()}
	}
	return nil, nil
}

// holder returns the node that has a duty; "" if none has it.
func (m manager) holder(ctx context.Context, members *member.Cluster, duty string) (string, error) {
	switch duty {
	case dutyEngine:
		status, err := m.engine.Status(ctx)
		return status.Leader, err
	case dutyGuards:
		node, _ := m.coord.Coordinator()
		return node, nil
	}
	h, _ := members.Holder(duty)
	return h.Node, nil
}

// Rebalance implements serve.Cluster.
func (m manager) Rebalance(ctx context.Context) (int, error) {
	q := m.queue.Load()
	if q == nil {
		return 0, serve.ErrUnavailable.With("%s is starting; try again", m.opts.Config.Node)
	}
	n, err := q.Rebalance(ctx)
	if errors.Is(err, member.ErrLost) {
		err = serve.ErrUnavailable.With("%s reaches no majority now; try again", m.opts.Config.Node)
	}
	return n, err
}

// draining makes this node hand over its work while it drains: its runs, its part in guards and queues, and
// the lead of the engine. The duties of package member end on their own.
func (n *Node) draining(m *member.Cluster) (end func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		for n.life.Err() == nil {
			changed := m.Changed()
			self, _ := m.Node(n.opts.Config.Node)
			if e := n.worker.Runs(); self.Draining && e != nil {
				n.drain(m, e)
				continue
			}
			select {
			case <-changed:
			case <-time.After(reconcileEvery): // the engine of the runs is there later
			case <-n.life.Done():
			}
		}
	}()
	return func() { <-over }
}

// drain hands everything over until the node does not drain any more.
func (n *Node) drain(m *member.Cluster, e *serve.Engine) {
	n.log.Info("the node drains: it takes no runs, and hands over those that it leads", "node", n.opts.Config.Node)
	ctx, cancel := context.WithCancel(n.life)
	defer cancel()
	n.coord.Aside(true)
	defer n.coord.Aside(false)
	if err := n.engine.Admin().StepDown(ctx); err != nil {
		n.log.Warn("no other node could be made the leader of the engine", "error", err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		e.Away(ctx)
	}()
	for {
		changed := m.Changed()
		if self, ok := m.Node(n.opts.Config.Node); ok && !self.Draining {
			break
		}
		select {
		case <-changed:
			continue
		case <-n.life.Done():
		}
		break
	}
	cancel()
	<-over
	n.log.Info("the node does not drain any more", "node", n.opts.Config.Node)
}

// repairOf returns the next step for an alarm of the engine.
func repairOf(alarm, cluster string, damaged []string) string {
	if strings.HasPrefix(alarm, engine.AlarmFull) {
		return "No further writes are made. Delete old runs, or raise storage.database_mb on all nodes and restart them " +
			"one after the other."
	}
	which := "the node that the log of the engine names"
	if len(damaged) > 0 {
		which = strings.Join(damaged, ", ")
	}
	return fmt.Sprintf("No further writes are made: the data of %s differs from that of the others. See that all other "+
		"nodes run, and never start a damaged node while another one is down. Stop %[1]s, run ptc remote cluster token "+
		"NODE --replace, and let it join %s with an empty directory.", which, cluster)
}
