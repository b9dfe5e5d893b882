// This file defines the ledger of rates and quotas in the engine.

package coord

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// counts is a queue.Ledger in the engine. Only the coordinator writes it: each change is conditional on its record, so
// that an earlier coordinator can change nothing.
type counts struct {
	engine engine.Engine
	leads  engine.Condition

	mu    sync.Mutex
	known map[string]engine.Entry // the entries of the engine; one that does not exist has Modified 0
}

var _ queue.Ledger = (*counts)(nil)

// change is the records of one Update.
type change struct {
	of   *counts
	ctx  context.Context
	err  error
	read map[string]bool
	puts map[string][]byte
}

// Get implements queue.Records.
func (c *change) Get(name string) []byte {
	c.read[name] = true
	if put, ok := c.puts[name]; ok {
		return put
	}
	e, ok := c.of.known[name]
	if !ok && c.err == nil {
		if e, _, c.err = c.of.engine.Get(c.ctx, countKeys+name); c.err == nil {
			c.of.known[name] = e
		}
	}
	return e.Value
}

// Put implements queue.Records.
func (c *change) Put(name string, record []byte) { c.puts[name] = slices.Clone(record) }

// Update implements queue.Ledger. The error of a former coordinator says that it is no longer one.
func (c *counts) Update(ctx context.Context, do func(queue.Records) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = make(map[string]engine.Entry)
	}
	r := &change{of: c, ctx: ctx, read: make(map[string]bool), puts: make(map[string][]byte)}
	err := do(r)
	if r.err != nil {
		return r.err
	}
	if err != nil || len(r.puts) == 0 {
		return err
	}
	conditions, ops := []engine.Condition{c.leads}, []engine.Op(nil)
	for name := range r.read {
		conditions = append(conditions, engine.At(countKeys+name, c.known[name].Modified))
	}
	for name, record := range r.puts {
		ops = append(ops, engine.Put(countKeys+name, record))
	}
	result, err := c.engine.Apply(ctx, conditions, ops...)
	if err != nil || !result.Done {
		c.known = nil // it may have been made
		if err == nil {
			err = fmt.Errorf("this node is no longer the coordinator")
		}
		return err
	}
	for name, record := range r.puts {
		c.known[name] = engine.Entry{Key: countKeys + name, Value: record, Modified: result.Revision}
	}
	return nil
}
