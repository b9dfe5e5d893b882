// This file defines the engines of the tests, whose commits can fail, and the logs of runs on them.

package share_test

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
)

// logs has the logs of an engine.
type logs struct{ engine engine.Engine }

func (l logs) Log(run string) (*runlog.Log, error) {
	return runlog.New(runlog.Options{Engine: l.engine, Run: run, Writer: rand.Text()})
}

func (l logs) SharedLog(context.Context, string) (bool, error) { return true, nil }

// faulty is an engine that loses the answers of commits.
type faulty struct {
	engine.Engine
	mu      sync.Mutex
	lost    func(op engine.Op) bool // it is made, and its answer lost
	refused func(op engine.Op) bool // it is not made
}

// Apply implements engine.Engine.
func (f *faulty) Apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (engine.Result, error) {
	f.mu.Lock()
	lost := f.lost != nil && f.lost(ops[0])
	refused := f.refused != nil && f.refused(ops[0])
	f.mu.Unlock()
	if refused {
		return engine.Result{}, engine.ErrUnavailable
	}
	r, err := f.Engine.Apply(ctx, conditions, ops...)
	if err == nil && lost {
		return engine.Result{}, engine.ErrUnavailable
	}
	return r, err
}

// faults sets which commits fail.
func (f *faulty) faults(lost, refused func(op engine.Op) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lost, f.refused = lost, refused
}
