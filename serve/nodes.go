// This file defines the requests of an engine of a cluster to the engines of the other nodes.

package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Nodes are the nodes of a cluster, for the engine of one of them.
type Nodes interface {
	// Self returns the name of the engine's own node. It begins the ids of sessions.
	Self() string
	// Others returns the states that the engines of the other nodes have in memory; a node that can't be reached is left
	// out.
	Others(ctx context.Context) []Here
	// Reach returns the tools that a program can reach, by a node that grants tools which this one does not; false if it
	// compiles on none of them.
	Reach(ctx context.Context, p Reachable) (Reached, bool)
	// Waits returns the waits of the effects of a run on the other nodes; unreachable nodes are left out.
	Waits(ctx context.Context, run string) []Wait
	// Changed waits until the store has a run with a revision above after, whichever node has changed it, or until that
	// can't be followed, or ctx ends.
	Changed(ctx context.Context, run string, after uint64)
	// Used returns the usage so far of a run that a node leads, as the JSON of a ptc.Usage; nil if that is not known.
	Used(ctx context.Context, node, run string, who access.Who) json.RawMessage
	// Settle has a node settle effects of a run that it leads, and Cancel has it cancel the run. The errors are those
	// of the engine there, or ErrUnavailable.
	Settle(ctx context.Context, node, run string, all []effect.Settlement, who access.Who) (store.Run, error)
	Cancel(ctx context.Context, node, run string, who access.Who) (store.Run, error)
}

// Here is the state that an engine has in memory, and not in the store.
type Here struct {
	Sessions []wire.Session
	// Pending has the pending effects of runs that continue with something else, by the ids of the runs.
	Pending map[string][]effect.Pending
}

// Here returns the state that this engine has in memory.
func (e *Engine) Here() Here {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := Here{Pending: make(map[string][]effect.Pending)}
	for _, s := range e.sessions {
		h.Sessions = append(h.Sessions, s.shown())
	}
	for id, l := range e.live {
		if all := l.pending(); len(all) > 0 {
			h.Pending[id] = all
		}
	}
	return h
}

// others returns the states of the engines of the other nodes.
func (e *Engine) others(ctx context.Context) []Here {
	if e.opts.Nodes == nil {
		return nil
	}
	return e.opts.Nodes.Others(ctx)
}

// elsewhere returns the node that has a run which this engine has not; "" if there is none.
func (e *Engine) elsewhere(id string) string {
	if e.opts.Nodes == nil || e.opts.Placement == nil {
		return ""
	}
	if node := e.opts.Placement.Leader(id); node != e.opts.Nodes.Self() {
		return node
	}
	return ""
}

// Used returns the usage so far of a run on any node, as the JSON of a ptc.Usage; nil if that is not known.
func (e *Engine) Used(ctx context.Context, id string, who access.Who) json.RawMessage {
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l != nil {
		return l.usage()
	}
	if node := e.elsewhere(id); node != "" {
		return e.opts.Nodes.Used(ctx, node, id, who)
	}
	return nil
}

// Asking returns a function that adds to runs the pending effects that they have while they continue with
// something else, on whatever node. It is for pages of many runs: each node is asked once.
func (e *Engine) Asking(ctx context.Context) func(*store.Run) {
	others := e.others(ctx)
	return func(run *store.Run) {
		if run.State != store.Running || len(run.Pending) > 0 {
			return
		}
		for _, o := range others {
			if all := o.Pending[run.ID]; all != nil {
				run.Pending = all
			}
		}
	}
}

// SessionsOf returns the sessions that an identity may see, the oldest first: its own, and an operator those of all.
func (e *Engine) SessionsOf(ctx context.Context, who access.Who) []wire.Session {
	all := []wire.Session{}
	for _, h := range append(e.others(ctx), e.Here()) {
		for _, s := range h.Sessions {
			if sees(&s, who) {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b wire.Session) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// SessionNode returns the name of the node that has, or had, a session; "" for an id that no node of a cluster has
// made.
func SessionNode(id string) string {
	i := strings.LastIndexByte(id, '.')
	if i < 0 || !store.ValidID(id[i+1:]) {
		return ""
	}
	return id[:i]
}
