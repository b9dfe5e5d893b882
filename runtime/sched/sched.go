// Package sched runs the elements of parallel operations on workers.
//
// A Pool belongs to one run. Its operations, however deep they nest, share the slots
// of one budget, which bounds how many workers are alive, and the processors, which
// bound how many of them run. A worker is a goroutine with a Worker of its job that
// claims elements one after the other; no goroutine is started for one element of
// many.
//
//   - Pool: the operations of a run that have work, and how many goroutines run.
//   - Evaluation: a goroutine's place in the tree of operations: the run's root, or
//     one worker. It starts operations (Do), and says when it waits (Block).
//   - Job, Worker: what the caller provides: the elements, and what runs them.
//
// Do itself is the first worker: its goroutine, which would only wait, runs elements.
// Others start as long as there are elements to claim, a processor that is not in
// use and a free slot; so work that computes gets as many workers as there are
// processors, and work that waits as many as there are slots, without anybody
// declaring which it is. Where elements compute for long, further ones are begun beside
// them in case they wait (Evaluation.Poll).
//
// An operation that finds no free slot runs in the slot of the evaluation that asks for
// it (Do), or is refused (TryDo). It never waits for a slot: those who hold the slots may
// be waiting for it.
//
// Elements are claimed in order, from a counter, in chunks that a worker makes
// larger while they take no time, and smaller towards the end; when all are claimed,
// a worker without work takes half of what another has claimed and not begun.
//
// The first-error rule: the failure that counts is that of the lowest element. Those
// below a failing one run to their end, those above it are cancelled or not begun.
package sched

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Slots bounds the workers alive. A *budget.Budget is one.
type Slots interface {
	TryAcquire() bool
	Release()
}

// Part is a part of some slots: it bounds the workers of an evaluation, and all that
// is below it, more narrowly.
type Part struct {
	Of  Slots
	Own Slots
}

// TryAcquire takes a slot of both.
func (p Part) TryAcquire() bool {
	if !p.Own.TryAcquire() {
		return false
	}
	if !p.Of.TryAcquire() {
		p.Own.Release()
		return false
	}
	return true
}

// Release gives a slot of both back.
func (p Part) Release() {
	p.Of.Release()
	p.Own.Release()
}

// Job is a parallel operation of the caller.
type Job interface {
	// NewWorker gives what runs elements, for the worker whose place in the tree e
	// is. It is called on the worker's goroutine. If it panics, the operation fails
	// as if the first element to be run had panicked.
	NewWorker(e *Evaluation) Worker
	// Label says in a few words what and where the operation is, for Full.
	Label() string
}

// Worker runs elements of a job, one at a time, on one goroutine.
type Worker interface {
	// Run runs element i.
	Run(i int)
	// Close is called once, when the worker takes no more elements. Its slot is free
	// afterwards.
	Close()
}

// Full is the error of an operation that found no free slot.
type Full struct {
	Holders []Holder
}

// Holder is an operation that holds slots.
type Holder struct {
	Label   string
	Workers int
}

func (f *Full) Error() string {
	var b strings.Builder
	b.WriteString("no worker slot is free; held by ")
	for i, h := range f.Holders {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%d)", h.Label, h.Workers)
	}
	return b.String()
}

// Stats counts what a pool has done and tells what it does.
type Stats struct {
	Operations int64 // operations begun
	Spawned    int64 // goroutines started
	Completed  int64 // elements run
	Stolen     int64 // times a worker took elements that another had claimed
	Refused    int64 // operations that found no slot, and failed
	Slotless   int64 // operations that found no slot, and began in that of their caller
	Peak       int   // most slots held at once
	MostQueued int   // most elements not claimed at once
	// Most evaluations that waited at once, in a Block or for their operation.
	MostBlocked int

	// Gauges. A worker without work ends, so what can be idle are processors.
	Workers int // workers alive that hold a slot
	Running int // goroutines that run, the root's too
	Idle    int // processors that none of them uses
	Blocked int // evaluations that wait
	Queued  int // elements that are not claimed
}

// Pool runs the operations of one run.
type Pool struct {
	slots Slots
	procs int
	yield int64 // so many goroutines that run hold all processors of Go, and yield
	root  Evaluation
	spawn sync.WaitGroup // the goroutines started

	mu      sync.Mutex
	ops     []*operation // under way, in the order of their beginning
	numbers []int        // of workers that have ended, to be given again
	last    int          // the greatest number given
	alive   int          // workers that hold a slot
	running atomic.Int64 // goroutines that run; changed under mu
	stats   Stats
}

// New returns a pool whose workers take their slots from slots. procs is how many
// goroutines compute at once; 0 takes GOMAXPROCS. With fewer than GOMAXPROCS there is a
// processor to spare, on which the runtime of Go notices at once that a wait is over, that
// of the network included; without one it polls the network every 10 ms.
func New(slots Slots, procs int) *Pool {
	most := runtime.GOMAXPROCS(0)
	if procs <= 0 {
		procs = most
	}
	p := &Pool{slots: slots, procs: procs, yield: int64(most)}
	p.running.Store(1)
	p.root = Evaluation{pool: p, slots: slots}
	return p
}

// Root gives the place of the run's main evaluation.
func (p *Pool) Root() *Evaluation { return &p.root }

// Wait waits until the goroutines that the pool has started are gone. When no
// operation is under way that takes microseconds.
func (p *Pool) Wait() { p.spawn.Wait() }

// Stats gives the counts so far. It may be called at any time.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Running = int(p.running.Load())
	s.Idle = max(p.procs-s.Running, 0)
	s.Queued = p.queued()
	s.Workers = p.alive
	for _, op := range p.ops {
		for _, w := range op.workers {
			s.Completed += w.completed.Load()
		}
	}
	return s
}

// queued gives the number of elements that are not claimed. The caller holds mu.
func (p *Pool) queued() (n int) {
	for _, op := range p.ops {
		n += int(max(op.limit()-op.next.Load(), 0))
	}
	return n
}

// start starts workers while there is a processor, an element and a slot for one.
// The caller holds mu.
func (p *Pool) start() {
	for running := p.running.Load(); running <= int64(p.procs); running++ {
		op := p.claimable(running)
		if op == nil {
			return
		}
		p.spawnWorker(op)
	}
}

// spawnWorker starts a worker for an operation, for which a slot has been taken. The
// caller holds mu.
func (p *Pool) spawnWorker(op *operation) {
	p.running.Add(1)
	p.stats.Spawned++
	w := op.join(op.newWorker())
	p.spawn.Go(func() { p.serve(op, w) })
}

// serve is the life of a goroutine: it works on an operation, and then on others as
// long as there are any.
func (p *Pool) serve(op *operation, w *Evaluation) {
	for op != nil {
		op.work(w)
		op, w = p.another()
	}
}

// another gives a goroutine that has left an operation the next one. When there is
// none, or when more run than may, its processor is free.
func (p *Pool) another() (*operation, *Evaluation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if op := p.claimable(p.running.Load() - 1); op != nil {
		return op, op.join(op.newWorker())
	}
	p.running.Add(-1)
	p.start()
	return nil, nil
}

// number gives a worker its number. The caller holds mu.
func (p *Pool) number() int {
	if n := len(p.numbers); n > 0 {
		least := slices.Index(p.numbers, slices.Min(p.numbers))
		number := p.numbers[least]
		p.numbers[least] = p.numbers[n-1]
		p.numbers = p.numbers[:n-1]
		return number
	}
	p.last++
	return p.last
}

// claimable gives the oldest operation with work for one more worker where running
// goroutines run, with a slot taken for that. The caller holds mu.
func (p *Pool) claimable(running int64) *operation {
	for _, op := range p.ops {
		if op.mayRun(running) && op.hasWork() && op.slots.TryAcquire() {
			return op
		}
	}
	return nil
}

// full tells who holds the slots. The caller holds mu.
func (p *Pool) full() error {
	f := &Full{}
	for _, op := range p.ops {
		if len(op.workers) > 0 {
			f.Holders = append(f.Holders, Holder{op.job.Label(), len(op.workers)})
		}
	}
	return f
}
