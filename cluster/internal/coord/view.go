// This file defines how people see and change the queues of all nodes.

package coord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// An execution that a policy binds is in two queues: in that of its node, for the bound of its tool, and then in that
// of the coordinator. It counts where it waits, and if it is under way only at the coordinator. One that no policy
// binds is in the queue of its node alone.

// of answers a listing about the queues of a set.
func (l *listing) of(set *queue.Set) (answer listed, err error) {
	switch {
	case l.Clear:
		answer.Cancelled = set.Clear(l.Action)
	case l.Cancel != "":
		if set.Cancel(l.Action, l.Cancel) {
			answer.Cancelled = 1
		}
	case l.Action != "":
		page, err := set.Executions(l.Action, l.After, l.Most)
		if err != nil {
			return listed{}, err
		}
		answer.Page = &page
	default:
		answer.Queues, answer.Waiters = set.All(), set.Waiters(l.Most)
	}
	return answer, nil
}

// answer answers a listing of another node about the queues of this one.
func (q *Queues) answer(_ context.Context, _ string, request []byte) ([]byte, error) {
	var l listing
	if err := json.Unmarshal(request, &l); err != nil {
		return nil, &peer.Error{Code: codeBadRequest, Message: err.Error()}
	}
	answer, err := l.of(q.local.Queues())
	if err != nil {
		return nil, &peer.Error{Code: codeBadRequest, Message: err.Error()}
	}
	return json.Marshal(answer)
}

// each asks some nodes about their queues, and returns the answers in their order. The answer of an
// unreachable node is empty: its runs are about to continue elsewhere.
func (q *Queues) each(ctx context.Context, nodes []NodeState, l listing) []listed {
	all := make([]listed, len(nodes))
	var asking sync.WaitGroup
	for i, n := range nodes {
		asking.Go(func() {
			if err := q.client.call(ctx, n.Node, methodLocal, l, &all[i], q.client.node.lease); err != nil {
				q.client.node.log.Debug("a node can't be asked about its queues", "node", n.Node, "error", err)
				all[i] = listed{}
			}
		})
	}
	asking.Wait()
	return all
}

// All returns the stats of the actions that were called, in alphabetical order, over all nodes. The totals of an action
// that policies bind are those since the coordinator was elected. The error is ErrNoCoordinator.
func (q *Queues) All(ctx context.Context) ([]queue.Stats, error) {
	l, err := q.client.list(ctx, listing{})
	if err != nil {
		return nil, err
	}
	sum := make(map[string]queue.Stats)
	for _, s := range l.Queues {
		sum[s.Action] = s
	}
	for _, local := range q.each(ctx, l.Nodes, listing{}) {
		for _, s := range local.Queues {
			was, known := sum[s.Action]
			bound := q.bound(s.Action)
			if bound && !known {
				was = new(queue.Set).Stats(s.Action)
			}
			sum[s.Action] = added(was, s, bound)
		}
	}
	all := make([]queue.Stats, 0, len(sum))
	for _, s := range sum {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b queue.Stats) int { return cmp.Compare(a.Action, b.Action) })
	return all, nil
}

// bound reports whether a policy bounds how many executions of an action are under way.
func (q *Queues) bound(action string) bool { return q.Action(action).(*Action).now().concurrency }

// added returns stats with the stats of a node added. If policies bind the action, the node has only some
// of the waiting executions.
func added(to, of queue.Stats, bound bool) queue.Stats {
	to.Action = of.Action
	to.Waiting += of.Waiting
	to.Oldest = max(to.Oldest, of.Oldest)
	if !bound {
		to.Active += of.Active
		to.Limit += of.Limit
		to.Enqueued += of.Enqueued
		to.Completed += of.Completed
		to.Failed += of.Failed
	}
	to.Cancelled += of.Cancelled
	to.TimedOut += of.TimedOut
	to.Refused += of.Refused
	to.Waited += of.Waited
	to.Longest = max(to.Longest, of.Longest)
	for i, s := range of.Lanes {
		t := &to.Lanes[i]
		t.Priority = s.Priority
		t.Waiting += s.Waiting
		t.Oldest = max(t.Oldest, s.Oldest)
		if !bound {
			t.Enqueued += s.Enqueued
		}
		t.Cancelled += s.Cancelled
		t.TimedOut += s.TimedOut
		t.Refused += s.Refused
		t.Waited += s.Waited
		t.Longest = max(t.Longest, s.Longest)
	}
	return to
}

// Executions returns a page of the executions of an action in the whole cluster, as queue.Set.Executions:
// first the executions of the coordinator, then those of each node, by its name. The error is
// ErrNoCoordinator, or reports an invalid after.
func (q *Queues) Executions(ctx context.Context, action, after string, n int) (queue.Page, error) {
	n = min(max(n, 1), queue.MaxPage)
	from, cursor, ok := strings.Cut(after, "/") // NODE/CURSOR; the node of the coordinator's queue is ""
	_, err := new(queue.Set).Executions(action, cursor, n)
	if err != nil || after != "" && !ok {
		return queue.Page{}, fmt.Errorf("got the page %.50q, want the next of a page", after)
	}
	ask := listing{Action: action, Most: n}
	if from == "" {
		ask.After = cursor
	}
	l, err := q.client.list(ctx, ask)
	if err != nil {
		return queue.Page{}, err
	}
	page, bound := queue.Page{Executions: []queue.Listed{}}, q.bound(action)
	if from == "" {
		page.Executions = l.Page.Executions
		if l.Page.Next != "" {
			page.Next = "/" + l.Page.Next
		}
	}
	nodes := slices.DeleteFunc(l.Nodes, func(s NodeState) bool { return s.Node < from })
	for i := 0; i < len(nodes) && page.Next == ""; i++ {
		name := nodes[i].Node
		if name != from {
			cursor = ""
		}
		if err := q.pageOf(ctx, &page, nodes[i], listing{Action: action, After: cursor}, n, bound); err != nil {
			return queue.Page{}, err
		}
	}
	all, err := q.All(ctx)
	if i, ok := slices.BinarySearchFunc(all, action, func(s queue.Stats, name string) int {
		return cmp.Compare(s.Action, name)
	}); ok {
		page.Stats = all[i]
	} else {
		page.Stats = new(queue.Set).Stats(action)
	}
	return page, err
}

// pageOf appends the executions that a node has for itself, until there are n.
func (q *Queues) pageOf(ctx context.Context, page *queue.Page, node NodeState, l listing, n int, bound bool) error {
	for {
		if l.Most = n - len(page.Executions); l.Most == 0 {
			page.Next = node.Node + "/" + l.After
			return nil
		}
		got := q.each(ctx, []NodeState{node}, l)[0].Page
		if got == nil {
			return nil
		}
		for _, e := range got.Executions {
			if !bound || e.State == queue.Waiting {
				page.Executions = append(page.Executions, e)
			}
		}
		if l.After = got.Next; l.After == "" {
			return nil
		}
	}
}

// Cancel removes a waiting execution from its queue, on whatever node it is, and reports whether there was one. The
// error is ErrNoCoordinator.
func (q *Queues) Cancel(ctx context.Context, action, execution string) (bool, error) {
	n, err := q.remove(ctx, listing{Action: action, Cancel: execution})
	return n > 0, err
}

// Clear removes all waiting executions of an action from its queue, on all nodes, and returns their number. The error
// is ErrNoCoordinator.
func (q *Queues) Clear(ctx context.Context, action string) (int, error) {
	return q.remove(ctx, listing{Action: action, Clear: true})
}

// remove removes waiting executions from the queue of the coordinator, and from those of the nodes.
func (q *Queues) remove(ctx context.Context, l listing) (n int, err error) {
	at, err := q.client.list(ctx, l)
	if n = at.Cancelled; err != nil || n > 0 && !l.Clear {
		return n, err
	}
	for _, node := range q.each(ctx, at.Nodes, l) {
		n += node.Cancelled
	}
	return n, nil
}
