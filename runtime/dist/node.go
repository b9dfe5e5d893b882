// This file defines a node, and how it appends to the log.

package dist

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// Options are those of a node in a run.
type Options struct {
	Log Log
	// Name is the incarnation, which no other evaluation of the run has had. Run makes it of the node's name.
	Name string
	// Node is the name of the node in the records of its effects; "" for none.
	Node string
	Key  journal.Key // of the run
	// Platform must equal that of the leader, because the memory use of a program depends on it: a follower
	// with another platform is refused, and leaves the run when a node with another platform leads it.
	Platform string
	Session  int // the number of times that the run was halted before; see Lead
	// Follow makes the node not lead the run before Lead of the node is called.
	Follow bool
	// ParkAlone parks the run only when no other node has units: effects under way there would be in doubt. The
	// evaluation begins again if one has claimed a unit in the meantime.
	ParkAlone bool
	// Settle are settlements that may not be in the log yet. Settlements that fit pending effects are made
	// before anything else.
	Settle []effect.Settlement
	// Ahead is the most elements that the node claims before it has room for them; 0 is 16.
	Ahead int
	// Lease is the longest time between the append of a beginning and the write itself. A node that was stopped longer
	// does not write, because the others may consider it dead. 0 is 5 s. Grace is the time after the death of a node
	// at which none of its calls can be under way: at least Lease and the longest time of a tool. 0 is 2 min.
	Lease, Grace time.Duration
	// Idle is optional. It returns when no call of this process for the run is under way. Then a retry of a write of an
	// earlier incarnation need not wait for Grace.
	Idle func(ctx context.Context) error

	// replaces is the incarnation of the same process that this one replaces, "" for none.
	replaces string
}

// The reasons why the part of an incarnation in a run is over.
var (
	// ErrRestart: the evaluation has to begin again from the log.
	ErrRestart = errors.New("dist: the evaluation begins again from the log")
	// ErrHalted: the run was halted.
	ErrHalted = errors.New("dist: the run was halted")
	// ErrLeft: the node has left the run.
	ErrLeft = errors.New("dist: the node has left the run")
	// ErrPlatform: the leader of the run has another platform.
	ErrPlatform = errors.New("dist: the leader of the run has another release or architecture")
)

// Stats are the counts of a node.
type Stats struct {
	Ran, Taken, Repeated, Followed int64 // elements of shared operations
	Claims, Lost                   int64 // units asked for, and not got
	Records, Batches, Bytes        int64 // appended
}

// Add adds the counts of another incarnation.
func (s *Stats) Add(o Stats) {
	s.Ran, s.Taken, s.Repeated = s.Ran+o.Ran, s.Taken+o.Taken, s.Repeated+o.Repeated
	s.Followed, s.Claims, s.Lost = s.Followed+o.Followed, s.Claims+o.Claims, s.Lost+o.Lost
	s.Records, s.Batches, s.Bytes = s.Records+o.Records, s.Batches+o.Batches, s.Bytes+o.Bytes
}

// Node is the part of one incarnation in a run. It is safe for concurrent use.
type Node struct {
	opts   Options
	ctx    context.Context    // of the caller of Join
	cancel context.CancelFunc // of the evaluation
	work   sync.WaitGroup
	stop   context.CancelFunc // of the node's goroutines

	mu       sync.Mutex
	st       *State
	news     chan struct{} // closed when something has changed
	over     error
	why      string // of a restart
	asked    bool   // for the lead
	joined   bool
	number   int // of the last record
	tickets  map[int]*ticket
	queue    []*ticket
	queued   chan struct{}
	begun    map[string][]byte // records of effects that begin and change nothing, until they end
	foreseen map[string]int    // see Ahead
	sharing  map[string]*sharing
	borrowed map[string]int // guards of other nodes, by paths
	pends    map[string]bool
	waits    map[string]int       // evaluations that wait for the node that decides for them, by paths; see Describe
	deaths   map[string]time.Time // when a node was seen to be dead
	settled  func(id string)
	secret   func(sealed string)
	halting  bool
	finished bool
	later    []func() // to be called without mu
	stats    Stats
}

// ticket is a record on its way.
type ticket struct {
	rec     *Record
	data    []byte
	applied bool
	counts  bool
	then    func(counts bool) // is called with mu; nil for none
}

// Join makes a node take part in the run of a log. cancel ends its evaluation. Join returns when the node
// has read the log up to the moment of joining: an evaluation that began earlier would follow the decisions
// of another incarnation at first, and become the one that decides in the middle of them. The caller calls
// Close.
func Join(ctx context.Context, o Options, cancel context.CancelFunc) (*Node, error) {
	if o.Ahead <= 0 {
		o.Ahead = 16
	}
	if o.Lease <= 0 {
		o.Lease = 5 * time.Second
	}
	if o.Grace <= 0 {
		o.Grace = 2 * time.Minute
	}
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	n := &Node{opts: o, ctx: ctx, cancel: cancel, stop: stop, st: NewState(), news: make(chan struct{}),
		tickets: map[int]*ticket{}, queued: make(chan struct{}, 1), begun: map[string][]byte{},
		foreseen: map[string]int{}, sharing: map[string]*sharing{}, borrowed: map[string]int{}, pends: map[string]bool{},
		waits:  map[string]int{},
		deaths: map[string]time.Time{}}
	n.work.Go(func() { n.read(inner) })
	n.work.Go(func() { n.write(inner) })
	if err := n.join(ctx); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// join makes the node a member. The error is ErrPlatform for one that can't follow the leader.
func (n *Node) join(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.st.header == nil {
		if err := n.wait(ctx); err != nil {
			return err
		}
	}
	n.asked = true
	if n.opts.replaces != "" {
		// In the same batch: an incarnation that led continues to lead. If another node led in the meantime,
		// which may be past the same point, it would have to begin again for the same reason, and this one after
		// it, and so on.
		n.enqueue(&Record{Kind: Dead, Node: n.opts.replaces}, nil)
	}
	n.enqueue(n.leadRecord(), func(bool) { n.asked, n.joined = false, true })
	for !n.joined && n.over == nil {
		if err := n.wait(ctx); err != nil {
			return err
		}
	}
	return n.fits()
}

// leadRecord returns the record with which the node joins, or asks for the lead. The run then has its platform: it
// continues alone if need be, as after an upgrade. The caller holds mu.
func (n *Node) leadRecord() *Record {
	r := &Record{Kind: Lead, Session: n.opts.Session, Follow: n.opts.Follow}
	if !n.opts.Follow {
		r.Text = n.opts.Platform
	}
	return r
}

// fits returns ErrPlatform if the node can't follow the leader. The caller holds mu.
func (n *Node) fits() error {
	if !n.opts.Follow || n.st.platform == n.opts.Platform {
		return nil
	}
	return fmt.Errorf("%w: the run needs replicas of %s, this is one of %s: run the same release on the same architecture",
		ErrPlatform, n.st.platform, n.opts.Platform)
}

// Close ends the goroutines of the node. It appends nothing.
func (n *Node) Close() {
	n.End(ErrLeft)
	n.stop()
	n.work.Wait()
}

// Journal returns the journal of the evaluation.
func (n *Node) Journal() (*journal.Journal, error) {
	n.mu.Lock()
	h := *n.st.header
	n.mu.Unlock()
	return journal.Share(shared{n}, &h, journal.Options{Key: n.opts.Key, Node: n.opts.Node}, n.opts.Settle...)
}

// Over returns why the part of the node in the run is over; nil if it is not.
func (n *Node) Over() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.over
}

// End ends the part of the node in the run, as a crash does: nothing more is appended.
func (n *Node) End(why error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.end(why, "")
}

// Stats returns the counts so far.
func (n *Node) Stats() Stats {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stats
}

// end is End for a caller that holds mu.
func (n *Node) end(why error, text string) {
	if n.over == nil {
		n.over, n.why = why, text
		n.cancel()
		n.changed()
	}
}

// restart makes the evaluation begin again from the log, and returns the error for it. The caller holds mu.
func (n *Node) restart(format string, args ...any) error {
	n.end(ErrRestart, fmt.Sprintf(format, args...))
	return n.over
}

// changed wakes all that wait. The caller holds mu.
func (n *Node) changed() {
	close(n.news)
	n.news = make(chan struct{})
}

// wait waits until something has changed. The caller holds mu, which is free in the meantime.
func (n *Node) wait(ctx context.Context) error {
	news := n.news
	n.mu.Unlock()
	defer n.mu.Lock()
	select {
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue appends a record. then is optional: it is called, with mu, when the node has read the record back.
func (n *Node) enqueue(r *Record, then func(counts bool)) *ticket {
	n.number++
	r.Number = n.number
	t := &ticket{rec: r, then: then}
	if r.Kind != Dead { // which is about another one
		r.Node = n.opts.Name
		n.tickets[r.Number] = t
	}
	t.data = r.Encode()
	n.queue = append(n.queue, t)
	n.stats.Records++
	n.stats.Bytes += int64(len(t.data))
	select {
	case n.queued <- struct{}{}:
	default:
	}
	return t
}

// append appends a record, and waits until the node has read it back. The caller holds mu.
func (n *Node) append(ctx context.Context, r *Record) (counts bool, err error) {
	if n.over != nil {
		return false, n.over
	}
	t := n.enqueue(r, nil)
	for !t.applied && n.over == nil {
		if err := n.wait(ctx); err != nil {
			return false, err
		}
	}
	if !t.applied {
		return false, n.over
	}
	return t.counts, nil
}

// maxQueued is the number of records on their way at which an evaluation waits before it adds one.
const maxQueued = 4096

// room waits until few enough records are on their way. The caller holds mu.
func (n *Node) room() error {
	for len(n.queue) > maxQueued && n.over == nil {
		if err := n.wait(n.ctx); err != nil {
			return err
		}
	}
	return n.over
}

// maxBatchBytes is the most bytes of a batch with several records.
const maxBatchBytes = 512 << 10

// write appends the records of the queue, in order.
func (n *Node) write(ctx context.Context) {
	for {
		select {
		case <-n.queued:
		case <-ctx.Done():
			return
		}
		for {
			n.mu.Lock()
			var batch []Item
			size := 0
			for _, t := range n.queue {
				if len(batch) == MaxBatch || len(batch) > 0 && size+len(t.data) > maxBatchBytes {
					break
				}
				size += len(t.data)
				batch = append(batch, Item{ID: fmt.Sprintf("%s-%d", n.opts.Name, t.rec.Number), Data: t.data})
			}
			if n.over != nil && !errors.Is(n.over, ErrRestart) {
				batch = nil // it is dead, or has left
			}
			if len(batch) > 0 {
				n.stats.Batches++
			}
			n.mu.Unlock()
			if len(batch) == 0 {
				break
			}
			if !n.send(ctx, batch) {
				return
			}
			n.mu.Lock()
			n.queue = n.queue[len(batch):]
			n.changed()
			n.mu.Unlock()
		}
	}
}

// The pauses before an append is repeated.
const (
	firstPause = time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// send appends a batch until that has succeeded.
func (n *Node) send(ctx context.Context, batch []Item) bool {
	return repeated(ctx, n.opts.Log, batch) == nil
}
