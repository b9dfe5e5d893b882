// This file defines Processors, and the turns of goroutines that compute.

package sched

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Processors bounds the number of goroutines that compute concurrently, in all runs that share it. Further
// ones take turns, in order. It is safe for concurrent use.
//
// If it has fewer than GOMAXPROCS, the difference stays free. There the Go runtime immediately notices the
// end of a wait, including a wait for the network. While all processors of Go are in use, it polls the
// network only every 10 ms.
type Processors struct {
	n       int64
	release func()       // lets threads of the machine run that wait for a processor; nil if Responsive was not called
	yield   int64        // with this many computing goroutines, all processors of Go are in use
	running atomic.Int64 // goroutines that compute, or wait for their turns
	waiting atomic.Int64 // the length of turns

	mu    sync.Mutex
	turns []*turn // that have not begun, in order
}

// NewProcessors returns n processors; 0 or less means GOMAXPROCS.
func NewProcessors(n int) *Processors {
	p := new(Processors)
	p.set(n)
	return p
}

func (p *Processors) set(n int) {
	most := runtime.GOMAXPROCS(0)
	if n <= 0 {
		n = most
	}
	p.n, p.yield = int64(n), int64(most)
}

// Responsive makes the goroutines leave their processors of the machine to other threads after each turn. So a thread
// of the process that reads from the network, and may cancel a run, waits for less than a time slice of
// Linux, which is 3 to 4 ms. It is for servers: beside other processes that compute, runs may get half of
// the processor time that they had otherwise. It changes nothing on other systems than Linux. It is called
// before the first run.
func (p *Processors) Responsive() { p.release = yieldThread }

// N returns the number of processors.
func (p *Processors) N() int { return int(p.n) }

// turn is that of a goroutine. The zero turn has begun.
type turn struct {
	begins chan struct{} // receives when the turn begins; only while it waits, as many goroutines never do
	polls  int           // since it began; below zero in a turn that nobody has passed on
}

// The lengths of turns. A turn takes about a millisecond: so a goroutine that has waited for the network is soon next,
// and the change of turns, about a microsecond, costs little.
//
// A goroutine in a function of the host, such as an observer, keeps its turn. If these functions wait for
// other runs, it is possible that nobody passes a turn on. So a goroutine computes without one after
// longestWait, for longestTurn polls.
const (
	turnPolls   = 50
	longestWait = 100 * time.Millisecond
	longestTurn = 50 * turnPolls
)

// begin counts a goroutine that begins to compute, or computes again.
func (p *Processors) begin() { p.running.Add(1) }

// end counts n goroutines that don't compute any more. Goroutines that wait for their turns continue.
func (p *Processors) end(n int64) {
	p.running.Add(-n)
	if p.waiting.Load() > 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.give()
	}
}

// poll passes the turn of a computing goroutine on, and waits for its next one, if the turn is over or more goroutines
// compute than there are processors. done ends the wait. The caller holds no lock.
//
// If all processors of Go are in use, the goroutine yields. After Responsive, its thread yields at the start of each
// turn.
func (p *Processors) poll(t *turn, done <-chan struct{}) {
	t.polls++
	extra := p.running.Load() - p.n
	if extra > 0 && (t.polls >= turnPolls || t.polls > 0 && extra > p.waiting.Load()) {
		p.next(t, done)
	}
	if p.release != nil && t.polls%turnPolls == 0 {
		p.release()
	}
	if p.running.Load()-p.waiting.Load() >= p.yield {
		runtime.Gosched()
	}
}

// next waits for the next turn of a goroutine.
func (p *Processors) next(t *turn, done <-chan struct{}) {
	t.polls = 0
	begins := make(chan struct{}, 1)
	p.mu.Lock()
	t.begins = begins
	p.turns = append(p.turns, t)
	p.waiting.Add(1)
	p.give()
	p.mu.Unlock()
	select {
	case <-begins: // as nobody else waits
		return
	default:
	}
	late := time.NewTimer(longestWait)
	defer late.Stop()
	select {
	case <-begins:
		return
	case <-done:
	case <-late.C:
		t.polls = -longestTurn
	}
	p.skip(t)
	<-begins
}

// skip begins a turn that waits, before those before it. It changes nothing for one that does not wait.
func (p *Processors) skip(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.turns, t); i >= 0 {
		p.start(i)
	}
}

// give begins turns while there is a processor for one. The caller holds mu.
func (p *Processors) give() {
	for len(p.turns) > 0 && p.running.Load()-int64(len(p.turns)) < p.n {
		p.start(0)
	}
}

// start begins the turn at position i. The caller holds mu.
func (p *Processors) start(i int) {
	t := p.turns[i]
	p.turns = slices.Delete(p.turns, i, i+1)
	p.waiting.Add(-1)
	t.begins <- struct{}{}
	t.begins = nil
}
