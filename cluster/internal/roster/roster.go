// Package roster is the list of the nodes of a cluster, which its engine keeps. It begins with the controllers in the
// files of the first nodes, and changes while the cluster runs: a node joins with a token, and a node is removed.
//
//   - Roster: the list, as a node follows it. Open makes one.
//   - Node: a node in the list.
//   - Tokens: the tokens with which nodes may join, for package pki.
package roster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// The keys of the list.
const (
	prefix   = "roster/"
	keyBegun = prefix + "begun"  // the list was begun with the controllers of a file
	keyNode  = prefix + "node/"  // NAME: a Node
	keyToken = prefix + "token/" // ID: an encrypted pki.Grant
)

// Node is a node in the list.
type Node struct {
	config.Controller
	// Removing is set when the removal of the node begins: first its member of the engine is removed, and then the node.
	Removing bool `json:"removing,omitempty"`
	// Since is set for a node that has joined: its certificates that are valid from an earlier time are those of a node
	// that it has replaced, and not accepted any more.
	Since time.Time `json:"since,omitzero"`
}

// The errors of a change.
var (
	// ErrExists is the error of a node that is in the list already.
	ErrExists = errors.New("roster: there is such a node already")
	// ErrUnknown is the error of a node that is not in the list.
	ErrUnknown = errors.New("roster: there is no such node")
)

// Roster is the list of the nodes, as a node follows it. It is safe for concurrent use.
type Roster struct {
	engine engine.Engine
	log    *slog.Logger
	end    context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	nodes   map[string]Node
	changed chan struct{} // closed at the next change
}

// followRetry is the time between attempts to read the list.
const followRetry = 200 * time.Millisecond

// Open reads the list, and follows it until Close. If there is none, it begins with the controllers of a
// file. self is the calling node as its file describes it: changes in the file, such as a new address, are
// entered in the list.
func Open(ctx context.Context, e engine.Engine, self string, controllers []config.Controller,
	log *slog.Logger) (*Roster, error) {
	r := &Roster{engine: e, log: log, nodes: make(map[string]Node), changed: make(chan struct{})}
	if err := r.begin(ctx, controllers); err != nil {
		return nil, err
	}
	for _, c := range controllers {
		if c.Name != self {
			continue
		}
		if err := r.refresh(ctx, c); err != nil {
			return nil, err
		}
	}
	after, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	r.end = end
	r.work.Go(func() { r.follow(life, after) })
	return r, nil
}

// Close stops the goroutines that Open has started.
func (r *Roster) Close() {
	r.end()
	r.work.Wait()
}

// begin writes the controllers of a file, unless there is a list.
func (r *Roster) begin(ctx context.Context, controllers []config.Controller) error {
	ops := []engine.Op{engine.Put(keyBegun, []byte("{}"))}
	for _, c := range controllers {
		ops = append(ops, put(Node{Controller: c}))
	}
	_, err := r.engine.Apply(ctx, []engine.Condition{engine.Absent(keyBegun)}, ops...)
	return err
}

// refresh enters the settings of the file of a node. Its role stays: votes are changed by removing and adding nodes.
func (r *Roster) refresh(ctx context.Context, c config.Controller) error {
	return r.update(ctx, c.Name, func(n *Node) error {
		if c.Role != n.Role || c.EngineAddress != n.EngineAddress {
			r.log.Warn("the file of this node has another role or address of the engine than the cluster: the ones of the "+
				"cluster hold; remove the node and let it join again to change them", "node", c.Name, "role", n.Role,
				"engine_address", n.EngineAddress)
		}
		c.Role, c.EngineAddress = n.Role, n.EngineAddress
		n.Controller = c
		return nil
	})
}

// update changes a node in the list; one that is not there stays away.
func (r *Roster) update(ctx context.Context, name string, change func(*Node) error) error {
	for {
		e, ok, err := r.engine.Get(ctx, keyNode+name)
		if err != nil || !ok {
			return errors.Join(err, missing(name, ok))
		}
		var n Node
		if err := json.Unmarshal(e.Value, &n); err != nil {
			return fmt.Errorf("roster: the node %s can't be read: %w", name, err)
		}
		if err := change(&n); err != nil {
			return err
		}
		op := put(n)
		if string(op.Value) == string(e.Value) {
			return nil
		}
		res, err := r.engine.Apply(ctx, []engine.Condition{engine.At(e.Key, e.Modified)}, op)
		if err != nil || res.Done {
			return err
		}
	}
}

func missing(name string, ok bool) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%w: %.100q", ErrUnknown, name)
}

// put returns the operation that enters a node.
func put(n Node) engine.Op {
	text, err := json.Marshal(n)
	if err != nil { // it has JSON
		panic(err)
	}
	return engine.Put(keyNode+n.Name, text)
}

// Add adds a node. The error is ErrExists if there is one of its name.
func (r *Roster) Add(ctx context.Context, n Node) error {
	res, err := r.engine.Apply(ctx, []engine.Condition{engine.Absent(keyNode + n.Name)}, put(n))
	if err == nil && !res.Done {
		err = fmt.Errorf("%w: %s", ErrExists, n.Name)
	}
	return err
}

// Set replaces a node, or adds it.
func (r *Roster) Set(ctx context.Context, n Node) error {
	_, err := r.engine.Apply(ctx, nil, put(n))
	return err
}

// Removing marks a node for removal.
func (r *Roster) Removing(ctx context.Context, name string) error {
	return r.update(ctx, name, func(n *Node) error {
		n.Removing = true
		return nil
	})
}

// Remove removes a node from the list.
func (r *Roster) Remove(ctx context.Context, name string) error {
	_, err := r.engine.Apply(ctx, nil, engine.Delete(keyNode+name))
	return err
}

// Nodes returns the nodes by name.
func (r *Roster) Nodes() []Node {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.nodes), func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
}

// Latest returns the nodes by name, with all changes that were made before the call. Nodes may lag behind them.
func (r *Roster) Latest(ctx context.Context) (all []Node, err error) {
	page, err := r.engine.List(ctx, engine.Query{Prefix: keyNode})
	if err != nil {
		return nil, err
	}
	for _, e := range page.Entries {
		var n Node
		if err := json.Unmarshal(e.Value, &n); err != nil {
			return nil, fmt.Errorf("roster: the entry %s can't be read: %w", e.Key, err)
		}
		all = append(all, n)
	}
	return all, nil
}

// Node returns a node of the list.
func (r *Roster) Node(name string) (Node, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.nodes[name]
	return n, ok
}

// Changed returns a channel that is closed at the next change of the list.
func (r *Roster) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// read reads the list, and returns its revision.
func (r *Roster) read(ctx context.Context) (engine.Revision, error) {
	page, err := r.engine.List(ctx, engine.Query{Prefix: keyNode})
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.nodes)
	for _, e := range page.Entries {
		r.take(engine.Change{Entry: e})
	}
	r.tell()
	return page.Revision, nil
}

// follow follows the list after a revision, until ctx ends.
func (r *Roster) follow(ctx context.Context, after engine.Revision) {
	for {
		err := r.engine.Watch(ctx, keyNode, after, func(c engine.Commit) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			for _, change := range c.Changes {
				r.take(change)
			}
			r.tell()
			after = c.Revision
			return nil
		})
		for ctx.Err() == nil {
			r.log.Warn("the list of the nodes can't be followed; trying again", "error", err)
			select {
			case <-time.After(followRetry):
			case <-ctx.Done():
			}
			if after, err = r.read(ctx); err == nil {
				break
			}
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// take takes a changed node over; the caller holds the lock.
func (r *Roster) take(change engine.Change) {
	name := strings.TrimPrefix(change.Key, keyNode)
	var n Node
	if change.Deleted {
		delete(r.nodes, name)
	} else if err := json.Unmarshal(change.Value, &n); err != nil {
		r.log.Error("a node of the list can't be read", "key", change.Key, "error", err)
	} else {
		r.nodes[name] = n
	}
}

// tell notifies the followers of a change; the caller holds the lock.
func (r *Roster) tell() {
	close(r.changed)
	r.changed = make(chan struct{})
}
