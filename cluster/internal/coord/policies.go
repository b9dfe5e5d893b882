// This file defines the policies of the cluster.

package coord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// policies are the policies of the cluster as this node knows them.
type policies struct {
	mu       sync.Mutex
	newest   queue.Policies
	revision engine.Revision // 0 if there are none
	changed  chan struct{}   // closed at the next change
}

func (p *policies) current() queue.Policies {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest
}

// set keeps a version, if it is newer.
func (p *policies) set(newest queue.Policies, revision engine.Revision) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if revision <= p.revision {
		return false
	}
	p.newest, p.revision = newest, revision
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
	return true
}

// await waits until a version is known.
func (p *policies) await(ctx context.Context, revision engine.Revision) error {
	for {
		p.mu.Lock()
		if p.revision >= revision {
			p.mu.Unlock()
			return nil
		}
		if p.changed == nil {
			p.changed = make(chan struct{})
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// parsePolicies reads a record of policies, and checks them.
func parsePolicies(text []byte) (p queue.Policies, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields() // a bound that this version does not know must not be ignored
	if err := dec.Decode(&p); err != nil {
		return queue.Policies{}, fmt.Errorf("the record %s is damaged, or of another version: %w", policiesKey, err)
	}
	var problems []error
	for _, problem := range p.Check() {
		problems = append(problems, problem)
	}
	return p, errors.Join(problems...)
}

// SetPolicies replaces the policies of the cluster for all later calls: all nodes follow within moments, and this one
// before SetPolicies returns. Without a majority, nothing is changed. The error joins the Problems of the policies.
func (n *Node) SetPolicies(ctx context.Context, p queue.Policies) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if _, err := parsePolicies(text); err != nil {
		return err
	}
	result, err := n.engine.Apply(ctx, nil, engine.Put(policiesKey, text))
	if err != nil {
		return fmt.Errorf("the policies of the cluster were not replaced: %w", err)
	}
	return n.policies.await(ctx, result.Revision)
}

// learn applies a record of policies on this node.
func (n *Node) learn(text []byte, revision engine.Revision) {
	var p queue.Policies
	if text != nil {
		var err error
		if p, err = parsePolicies(text); err != nil {
			n.log.Error("policies of the cluster are not applied: the earlier ones stay in effect", "node", n.name, "error", err)
			return
		}
	}
	if err := n.queues.shape.Replace(p); err != nil {
		n.log.Error("policies of the cluster are not applied", "node", n.name, "error", err)
		return
	}
	if n.policies.set(p, revision) {
		if t := n.term.Load(); t != nil {
			t.applyPolicies()
		}
	}
}
