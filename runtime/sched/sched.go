// Package sched runs the elements of parallel operations on workers.
//
// A Pool belongs to one run. Its operations, however deeply nested, share the slots of one budget,
// which bounds how many workers are alive, and the processors, which bound how many of them run. A
// worker is a goroutine with a Worker of its job. It claims elements one after the other. No
// goroutine is started for a single element of many.
//
//   - Processors: the goroutines of all runs that compute.
//   - Pool: the operations of a run that have work, and the number of running goroutines.
//   - Scheduler: starts the operations of one evaluation (Do), and is notified when the evaluation
//     waits (Block). Evaluation is that of a worker, Root that of the run's main evaluation. Other
//     implementations can run elements elsewhere.
//   - Job, Worker: provided by the caller: the elements, and the code that runs them.
//
// Do itself is the first worker: its goroutine, which would only wait otherwise, runs elements.
// Others start as long as there is an unclaimed element, an unused processor and a free slot. So a
// computing operation gets as many workers as there are processors, and a waiting operation as many
// as there are slots, without any declaration. Where elements compute for long, further ones are
// begun in addition in case they wait (Evaluation.Poll).
//
// An operation that finds no free slot runs in the slot of its caller (Do), or is refused (TryDo).
// It never waits for a slot, because the evaluations that hold the slots may be waiting for it.
//
// Elements are claimed in order, from a counter, in chunks. A worker enlarges its chunks while they
// take almost no time, and reduces them towards the end. When all elements are claimed, a worker
// without work takes half of the elements that another one has claimed and not begun.
//
// The first-error rule: an operation fails with the failure of its lowest failing element. Elements
// below a failing one run to their end. Those above it are cancelled or not begun.
package sched

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Slots bounds the number of workers alive. A *budget.Budget implements it.
type Slots interface {
	TryAcquire() bool
	Release()
	Capacity() int
	Available() int
}

// Part is a part of some slots. It bounds the workers of an evaluation and of the operations below
// it more narrowly.
type Part struct {
	Of  Slots
	Own Slots
}

// TryAcquire takes a slot of both, and reports whether it did.
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

// Release returns a slot of both.
func (p Part) Release() {
	p.Of.Release()
	p.Own.Release()
}

// Capacity returns the number of slots of the part: no part is wider than its whole.
func (p Part) Capacity() int { return p.Own.Capacity() }

// Available returns how many slots are free in both.
func (p Part) Available() int { return min(p.Of.Available(), p.Own.Available()) }

// Job is a parallel operation of the caller.
type Job interface {
	// NewWorker returns the Worker that runs elements. p is the worker's node in the tree. It is
	// called on the worker's goroutine. If it panics, the operation fails as if the first element
	// had panicked.
	NewWorker(p Scheduler) Worker
	// Label describes the operation and its position in a few words, for Full.
	Label() string
}

// Worker runs elements of a job, one at a time, on one goroutine.
type Worker interface {
	// Run runs element i.
	Run(i int)
	// Close is called once, after the worker's last element. Afterwards its slot is free.
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

// Stats counts the operations of a pool and describes its current state.
type Stats struct {
	Operations int64 // operations begun
	Spawned    int64 // goroutines started
	Completed  int64 // elements run
	Stolen     int64 // times a worker took elements that another worker had claimed
	Refused    int64 // operations that failed because no slot was free
	Slotless   int64 // operations that began in the slot of their caller because no slot was free
	Peak       int   // maximum of slots held at a time
	MostQueued int   // maximum of unclaimed elements at a time
	// Maximum number of evaluations that waited at the same time, in a Block or for their operation.
	MostBlocked int
	// Depth has, for each element that was claimed from its operation, how many elements of the operation were
	// unclaimed then. Start has, for each worker that joined an operation on a goroutine of the pool, the nanoseconds
	// from the moment at which an element was reserved for it to the start of that element. An operation's first
	// worker, on the goroutine of Do, starts immediately, and is not counted.
	Depth, Start Histogram

	// Gauges. A worker without work ends, so only processors can be idle.
	Workers int // workers alive that hold a slot
	Running int // running goroutines, including the root's
	Idle    int // processors that are not in use
	Blocked int // evaluations that wait
	Queued  int // unclaimed elements
}

// Pool runs the operations of one run.
type Pool struct {
	slots      Slots
	processors *Processors
	done       <-chan struct{} // ends the run
	root       Evaluation
	spawn      sync.WaitGroup // the started goroutines

	mu      sync.Mutex
	ops     []*operation // active operations, in the order in which they began
	numbers []int        // numbers of ended workers, to be reused
	last    int          // largest number in use so far
	alive   int          // workers that hold a slot
	running atomic.Int64 // running goroutines; changed under mu
	stats   Stats
	resting int     // evaluations that rest, see Evaluation.Rest
	joining int     // operations whose own goroutine waits for their other workers
	quiet   bool    // see Watcher
	watcher Watcher // nil for none
	depth   depths
	largest int64 // elements of the largest operation
}

// New returns a pool whose workers take their slots from slots. procs is the number of goroutines that
// compute concurrently; 0 means GOMAXPROCS.
func New(slots Slots, procs int) *Pool {
	p := NewProcessors(procs)
	p.begin() // the root
	return newPool(slots, p, nil)
}

func newPool(slots Slots, processors *Processors, done <-chan struct{}) *Pool {
	p := &Pool{slots: slots, processors: processors, done: done}
	p.running.Store(1)
	p.root = Evaluation{pool: p, slots: slots}
	return p
}

// enter counts a goroutine that begins to run, or runs again. The caller holds mu.
func (p *Pool) enter() {
	p.running.Add(1)
	p.processors.begin()
}

// leave counts a goroutine that ends, or waits. The caller holds mu.
func (p *Pool) leave() {
	p.running.Add(-1)
	p.processors.end(1)
}

// Root returns the node of the run's main evaluation.
func (p *Pool) Root() *Evaluation { return &p.root }

// Wait waits until the goroutines of the pool have ended. If no operation is active, this takes
// microseconds.
func (p *Pool) Wait() { p.spawn.Wait() }

// Stats returns the current counts. It may be called at any time.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Running = int(p.running.Load())
	s.Idle = max(p.processors.N()-s.Running, 0)
	s.Queued = p.queued()
	s.Workers = p.alive
	s.Depth = p.depth.histogram(p.largest)
	for _, op := range p.ops {
		for _, w := range op.workers {
			s.Completed += w.completed.Load()
		}
	}
	return s
}

// queued returns the number of unclaimed elements. The caller holds mu.
func (p *Pool) queued() (n int) {
	for _, op := range p.ops {
		n += int(max(op.limit()-op.next.Load(), 0))
	}
	return n
}

// start starts workers while there is a processor, an element and a slot for one. The caller holds
// mu.
func (p *Pool) start() {
	for running := p.running.Load(); running <= p.processors.n; running++ {
		op := p.claimable(running)
		if op == nil {
			return
		}
		p.spawnWorker(op)
	}
}

// spawnWorker starts a goroutine for a worker of an operation, for which a slot has been taken. The
// caller holds mu.
func (p *Pool) spawnWorker(op *operation) {
	p.enter()
	p.stats.Spawned++
	w := op.join(op.newWorker())
	w.pace.began = time.Now()
	p.spawn.Go(func() { p.serve(op, w) })
}

// serve runs a goroutine of the pool: it works on an operation, and then on others as long as there
// are any.
func (p *Pool) serve(op *operation, w *Evaluation) {
	for op != nil {
		op.work(w)
		op, w = p.another()
	}
}

// another returns the next operation for a goroutine that has left one. It returns nil, and frees
// the processor, if there is none or if too many goroutines run.
func (p *Pool) another() (*operation, *Evaluation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if op := p.claimable(p.running.Load() - 1); op != nil {
		w := op.join(op.newWorker())
		w.pace.began = time.Now()
		return op, w
	}
	p.leave()
	p.start()
	p.assess()
	return nil, nil
}

// number returns the number for a new worker. The caller holds mu.
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

// claimable returns the oldest operation that has work for one more worker in addition to running
// goroutines. It takes the slot. The caller holds mu.
func (p *Pool) claimable(running int64) *operation {
	for _, op := range p.ops {
		if op.mayRun(running) && op.hasWork() && op.slots.TryAcquire() {
			return op
		}
	}
	return nil
}

// full returns an error that names the operations that hold the slots. The caller holds mu.
func (p *Pool) full() error {
	f := &Full{}
	for _, op := range p.ops {
		if len(op.workers) > 0 {
			f.Holders = append(f.Holders, Holder{op.job.Label(), len(op.workers)})
		}
	}
	return f
}
