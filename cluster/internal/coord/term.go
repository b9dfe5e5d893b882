// This file defines the coordinator: the node that was elected, for one term.

package coord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// The keys in the engine. Nodes watch the keys that begin with watchedKeys.
const (
	watchedKeys = "coord/now/"
	leaderKey   = watchedKeys + "leader"   // the coordinator, bound to its lease
	policiesKey = watchedKeys + "policies" // the policies of the cluster
	termKey     = "coord/term"             // the number of the last term
	sessionKeys = "coord/session/"         // the sessions that may hold something, by nodes
	countKeys   = "coord/count/"           // the records of rates and quotas
)

// termBits is the number of bits of a fence below those of the term. So fences stay below 1<<53, the
// largest exact integer of many systems, for two million terms.
const termBits = 32

// maxGrants is the number of requests that a term grants. Each takes at most two guards, and so two numbers.
const maxGrants = 1<<(termBits-1) - 1<<24

// leader is the record of the coordinator.
type leader struct {
	Node string `json:"node"`
	Term uint64 `json:"term"`
}

// term is the time for which a node is the coordinator.
type term struct {
	node    *Node
	number  uint64
	created engine.Revision // of its record
	lease   engine.Lease
	elected time.Time
	guards  *guard.Set
	queues  *queue.Enforcer
	counts  *counts
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup

	mu         sync.Mutex // not held while a guard or a queue is used
	sessions   map[string]*session
	expected   map[string]string // of earlier terms that may hold something: nodes by names
	owners     *owners
	recovering bool // guards of the last term are asserted; requests wait
	closing    bool // that time is over, and the requests begin one by one
	parked     []parked
	arrivals   uint64
	grants     uint64
	names      map[place]bool // of the executions in the queues
	base       time.Duration  // the time of the cluster when the term began; 0 if it is not known
	ended      bool
	verified   time.Time // when the record of the coordinator was last seen
}

// elect makes this node the coordinator if there is none. It returns nil if there is one.
func (n *Node) elect(ctx context.Context) (*term, error) {
	last, _, err := n.engine.Get(ctx, termKey)
	if err != nil {
		return nil, err
	}
	var number uint64
	if last.Created > 0 {
		if err := json.Unmarshal(last.Value, &number); err != nil {
			return nil, fmt.Errorf("the record %s is damaged: %w", termKey, err)
		}
	}
	number++
	lease, err := n.engine.Grant(ctx, n.election)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	record, err := json.Marshal(leader{n.name, number})
	if err != nil {
		return nil, err
	}
	result, err := n.engine.Apply(ctx, []engine.Condition{engine.Absent(leaderKey), engine.At(termKey, last.Modified)},
		engine.Op{Key: leaderKey, Value: record, Lease: lease.ID()},
		engine.Put(termKey, fmt.Append(nil, number)))
	if err != nil || !result.Done {
		return nil, errors.Join(err, n.resign(ctx, lease))
	}
	t, err := n.begin(ctx, number, result.Revision, lease, began)
	if err != nil {
		return nil, errors.Join(err, n.resign(ctx, lease))
	}
	return t, nil
}

// resign ends a lease.
func (n *Node) resign(ctx context.Context, lease engine.Lease) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.election)
	defer cancel()
	return lease.Close(ctx)
}

// begin returns the term of this node, which was elected.
func (n *Node) begin(ctx context.Context, number uint64, created engine.Revision, lease engine.Lease,
	began time.Time) (*term, error) {
	page, err := n.engine.List(ctx, engine.Query{Prefix: sessionKeys, Keys: true})
	if err != nil {
		return nil, err
	}
	t := &term{node: n, number: number, created: created, lease: lease, elected: time.Now(), verified: began,
		sessions: make(map[string]*session), expected: make(map[string]string),
		names: make(map[place]bool), recovering: true}
	for _, e := range page.Entries {
		i := strings.LastIndexByte(e.Key, '/')
		t.expected[e.Key[i+1:]] = strings.TrimSuffix(strings.TrimPrefix(e.Key[:i+1], sessionKeys), "/")
	}
	options := guard.Options{Logger: n.guardLog}
	if number > 1 {
		options.Emptied = t.elected
	}
	t.guards = guard.NewSet(options)
	t.owners = newOwners(t.guards)
	if t.queues, err = queue.NewEnforcer(queue.Policies{}, queue.New(n.options.Queue)); err != nil {
		return nil, err
	}
	t.counts = &counts{engine: n.engine, leads: engine.CreatedAt(leaderKey, created)}
	t.queues.KeepBy(t.counts, func() (wall, elapsed time.Duration) { return t.clock(), time.Since(t.elected) })
	t.base = n.client.clockNow()
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return t, nil
}

// serve is the coordinator until its lease ends, or ctx does.
func (t *term) serve(ctx context.Context) {
	n := t.node
	n.log.Info("this node is the coordinator", "node", n.name, "term", t.number, "asserting", len(t.expected))
	n.term.Store(t)
	if !n.may() { // since it was elected
		t.cancel()
	}
	timer := time.AfterFunc(n.lease, t.recovered)
	t.recovered()
	t.spawn(t.verify)
	select {
	case <-t.lease.Lost():
		n.log.Warn("this node is no longer the coordinator", "node", n.name, "term", t.number,
			"reason", "its lease has ended: no majority was reached in time")
	case <-t.ctx.Done():
	case <-ctx.Done():
	}
	n.term.Store(nil)
	timer.Stop()
	t.cancel()
	t.mu.Lock()
	t.ended = true
	for _, s := range t.sessions {
		s.over = true
		s.timer.Stop()
	}
	t.mu.Unlock()
	t.work.Wait()
	if err := n.resign(ctx, t.lease); err != nil {
		n.log.Debug("the lease of the coordinator was not ended", "error", err)
	}
}

// spawn calls f in a goroutine of the term. It returns false if the term has ended.
func (t *term) spawn(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.work.Go(f)
	}
	return !t.ended
}

// verify looks from time to time whether the record of the coordinator still exists: a process that was stopped for
// a while answers no request before.
func (t *term) verify() {
	pause := t.node.election / 8
	for {
		select {
		case <-time.After(pause):
		case <-t.ctx.Done():
			return
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.ctx, t.node.election)
		e, ok, err := t.node.engine.Get(ctx, leaderKey)
		cancel()
		switch {
		case err != nil:
		case !ok || e.Created != t.created:
			t.cancel()
			return
		default:
			t.mu.Lock()
			t.verified = began
			full := t.grants > maxGrants
			t.mu.Unlock()
			if full {
				t.cancel() // the next term has numbers for more
			}
		}
	}
}

// leads reports whether the node is the coordinator. The caller holds mu.
func (t *term) leads() bool {
	select {
	case <-t.lease.Lost():
		return false
	case <-t.ctx.Done():
		return false
	default:
		return time.Since(t.verified) < min(t.node.election/2, t.node.lease/8)
	}
}

// clock returns the time of the cluster, which is never ahead of the time that has passed since it began.
func (t *term) clock() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.clockLocked()
}

func (t *term) clockLocked() time.Duration {
	if t.base == 0 {
		return 0
	}
	return t.base + time.Since(t.elected)
}

// hello begins a session.
func (t *term) hello(ctx context.Context, from string, h hello) (welcome, error) {
	if h.Session == "" || h.Incarnation == "" || strings.ContainsRune(h.Session, '/') {
		return welcome{}, errors.New("got a hello without the name of a session or an incarnation, want both")
	}
	var replaced []*session
	t.mu.Lock()
	for _, s := range t.sessions { // the node has given them up
		if s.node == from && s.incarnation == h.Incarnation && s.name != h.Session {
			replaced = append(replaced, s)
		}
	}
	if h.Clock > 0 && h.Clock > t.clockLocked() {
		t.base = h.Clock - time.Since(t.elected)
	}
	_, known := t.expected[h.Session]
	s := t.sessions[h.Session]
	t.mu.Unlock()
	for _, s := range replaced {
		t.end(s)
	}
	if s == nil && !known {
		result, err := t.node.engine.Apply(ctx, []engine.Condition{engine.CreatedAt(leaderKey, t.created)},
			engine.Put(sessionKeys+from+"/"+h.Session, nil))
		if err != nil || !result.Done {
			return welcome{}, &peer.Error{Code: codeNotCoordinator, Message: fmt.Sprintf(
				"the coordinator %s can't keep the session of %s: %v", t.node.name, from, err)}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.leads() {
		return welcome{}, t.node.notCoordinator()
	}
	s = t.sessions[h.Session]
	if s == nil {
		s = &session{of: t, node: from, name: h.Session, incarnation: h.Incarnation, items: make(map[uint64]*item),
			first: 1, news: make(chan struct{}, 1), began: time.Now()}
		t.sessions[h.Session] = s
	}
	t.extend(s)
	return welcome{Lease: t.node.lease, Clock: t.clockLocked(), Over: !t.recovering || t.closing}, nil
}

// ops handles a batch of operations.
func (t *term) ops(from string, b batch) (events, error) {
	s, err := t.renew(from, b.Session)
	if err != nil {
		return events{}, err
	}
	s.batches.Lock()
	defer s.batches.Unlock()
	switch b.Number {
	case s.done: // it was handled, and the answer was lost
	case s.done + 1:
		if err := t.handle(s, b.Ops); err != nil {
			return events{}, &peer.Error{Code: codeBadRequest, Message: err.Error()}
		}
		s.done++
	default:
		return events{}, &peer.Error{Code: codeBadRequest,
			Message: fmt.Sprintf("session %s: got the batch %d, want %d", b.Session, b.Number, s.done+1)}
	}
	answer, _ := s.unseen(b.Ack, false)
	answer.Clock = t.clock()
	return answer, nil
}

// poll waits for events.
func (t *term) poll(ctx context.Context, from string, b batch) (events, error) {
	s, err := t.renew(from, b.Session)
	if err != nil {
		return events{}, err
	}
	answer := s.await(ctx, b.Ack, t.node.lease/6)
	answer.Clock = t.clock()
	return answer, nil
}

// forget removes the record of a session that holds nothing.
func (t *term) forget(node, name string) {
	ctx, cancel := context.WithTimeout(t.ctx, t.node.lease)
	defer cancel()
	_, err := t.node.engine.Apply(ctx, []engine.Condition{engine.CreatedAt(leaderKey, t.created)},
		engine.Delete(sessionKeys+node+"/"+name))
	if err != nil && t.ctx.Err() == nil {
		t.node.log.Debug("the record of a session was not removed", "node", node, "error", err)
	}
}

// applyPolicies has the queues apply the newest policies of the cluster, once guards are asserted.
func (t *term) applyPolicies() {
	t.mu.Lock()
	may := !t.recovering || t.closing
	t.mu.Unlock()
	if !may {
		return
	}
	if err := t.queues.Replace(t.node.policies.current()); err != nil {
		t.node.log.Error("policies can't be applied", "error", err)
	}
}
