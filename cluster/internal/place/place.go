// Package place decides which node of a cluster leads which run.
//
//   - Queue: the runs of the cluster that wait or are led. Each node has one, and all have the same runs.
//   - Job: a run as placement sees it. Unit: a job in the queue.
//   - Worker: the executor of runs on a node. Lead: the right to run one.
//   - Strategy, Topology: decide which node is preferred for a run, and which nodes take runs at all.
//
// # How a run finds its node
//
// A run that is added waits in the queue, which is a set of keys of the engine. The node that adds it writes down which
// node it prefers, by the strategy. Each node follows the queue, and takes the next run that fits whenever it has room:
// pull decides, so a node is never given more than it can carry. The preferred node has a head start; after that any
// other may take the run.
//
// To take a run is one commit: it creates the key lead/RUN, bound to the lease of the session of the node. Its revision
// is the fence of the leadership. The end of the lease deletes the key, and the run waits again, for all nodes at the
// same moment. Changes that a leader makes have the condition Lead.Holds, so that those of a deposed one are refused.
//
// # Order
//
// Of three lanes, by priority, each node takes 16 : 4 : 1. Within a lane submitters take turns, however many runs each
// has added. The runs of one submitter, and those of the same turn, are ordered by their deadlines and then by the
// commits that added them. A run that is too large for the room that is left keeps its preferred node from taking those
// behind it, so that it is not overtaken forever.
//
// # Time
//
// No wall clock decides anything. Deadlines and delays are times of the clock of the cluster: a number in the engine
// that the coordinator raises, by the time that passes on its node, while some run waits for a time. It is stopped
// while there is no coordinator, so a deadline can be late by the time of an election, and is never early.
package place

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/member"
)

// Worker runs runs on a node.
type Worker interface {
	// Room returns the present room of the node. It is called often, and must not wait.
	Room() Room
	// Start starts or resumes a run. It must not wait. The worker calls Finish or Return of the lead when the run has
	// stopped, unless the context of the lead ends before: then it stops the run, and no effect of it may begin.
	Start(*Lead)
}

// Room is the capacity that a worker has left.
type Room struct {
	Runs   int   // further ones
	Memory int64 // bytes that they may have together
	Most   int64 // Memory while nothing runs
	// May reports whether a job may start beside the active ones, given the usage of its tenant and of its
	// submitter on other nodes; nil allows all. A job that may not start is overtaken.
	May func(j Job, ofTenant, own Use) bool
	// Bounded reports whether May can refuse runs of the tenant of a job: then no two nodes start runs of it without
	// knowing of each other. nil is never.
	Bounded func(j Job) bool
}

// Use is the usage of the runs of a tenant, or of one of its submitters: the runs that other nodes lead,
// and the waiting ones.
type Use struct {
	Running, Queued int
	Memory          int64 // of the active runs, in bytes
}

// owner is a tenant, or a submitter of it.
type owner struct {
	tenant, by string
	whole      bool // the tenant, with all its submitters
}

// Options are the settings of a Queue. Engine, Members and Worker are required.
type Options struct {
	Engine   engine.Engine
	Members  *member.Cluster
	Worker   Worker
	Strategy Strategy // "" is Adaptive
	Topology Topology // "" is ActiveActive
	// HeadStart is the time for which only the preferred node may take a run; 0 is DefaultHeadStart. RegionStart is that
	// for the nodes of the region of a run; 0 is DefaultRegionStart.
	HeadStart, RegionStart time.Duration
	// Check is the time between looks at the balance; 0 is DefaultCheck. The queued runs are moved if the scores of two
	// nodes differ by more than Imbalance, 0 is DefaultImbalance, and if at least Batch would move, 0 is DefaultBatch.
	Check      time.Duration
	Imbalance  float64
	Batch      int
	Thresholds load.Thresholds
	// Parts reports whether this node takes part in a run that another node leads, and whether others do: one
	// of those leads it next. If nil, every run is evaluated by one node.
	Parts func(run string) (here, elsewhere bool)
	// Ended is called with each run that this node has finished, and the time for which it led the run; nil for none.
	Ended func(Job, time.Duration)
	Log   *slog.Logger // nil discards
}

// The defaults of Options.
const (
	DefaultHeadStart   = 500 * time.Millisecond
	DefaultRegionStart = 10 * time.Second
	DefaultCheck       = 5 * time.Second
	DefaultImbalance   = 0.2
	DefaultBatch       = 5
)

// Topology is which nodes take runs.
type Topology string

// The topologies.
const (
	// ActiveActive: all nodes take runs, with a head start for those of the region of a run.
	ActiveActive Topology = "active-active"
	// ActivePassive: one elected node takes runs, the others stand by. The node that has been promoted stays the active
	// one when the other is back, until somebody has it step down.
	ActivePassive Topology = "active-passive"
	// Hierarchical: each run belongs to a region, and only nodes of that region take it. The coordinator moves it to
	// another one if the region has no node for it any more, or by the balance of the nodes.
	Hierarchical Topology = "hierarchical"
)

// The duties of nodes, see member.Cluster.Elect.
const (
	DutyCoordinator = "coordinator" // moves queued runs, raises the clock, ends runs whose deadline has passed
	DutyActive      = "active"      // takes runs, with the topology ActivePassive
)

// The errors of a Queue.
var (
	// ErrLost is the error of a lead that has been lost.
	ErrLost = errors.New("place: this node no longer leads the run")
	// ErrLed is the error of the removal of a run that a node leads.
	ErrLed = errors.New("place: a node leads the run")
)

// Queue is the runs of a cluster, as a node sees them. It is safe for concurrent use.
type Queue struct {
	opts    Options
	self    string
	log     *slog.Logger
	engine  engine.Engine
	members *member.Cluster
	ctx     context.Context
	end     context.CancelFunc
	wg      sync.WaitGroup
	kick    chan struct{} // has a value when runs could be taken
	ready   chan struct{} // closed when the runs are known

	mu       sync.Mutex
	units    map[string]*unit           // by run
	revision engine.Revision            // that units have reached
	tenants  map[string]engine.Revision // by tenant whose starts are bounded, of the last start
	ahead    map[string]engine.Revision // of runs that this node has changed, or knows to be changed, after revision
	taking   map[string]bool            // runs that this node asks for
	leads    map[string]*Lead
	waits    map[string]int // units that wait and prefer a node
	led      map[string]int // units that a node leads
	adding   map[string]int // runs that are being added, by the node that they prefer
	used     map[owner]Use
	coming   map[string]*unit // runs that this node has added after revision
	clock    time.Duration
	served   int64     // the highest turn that was taken
	next     int       // of round-robin
	pass     [3]int64  // of the lanes, where the next start of each is
	had      [3]bool   // the lanes that had units
	gate     load.Gate // of this node
	open     load.Decision
	active   bool // this node has DutyActive
	leaving  bool // this node takes no further runs
	stats    Stats
}

// New returns the queue of a node, which immediately begins to take runs. Close ends it.
func New(o Options) (*Queue, error) {
	if o.Engine == nil || o.Members == nil || o.Worker == nil {
		return nil, errors.New("place: Options.Engine, Options.Members or Options.Worker is nil, want all three")
	}
	o.Strategy, o.Topology = cmp.Or(o.Strategy, Adaptive), cmp.Or(o.Topology, ActiveActive)
	if err := o.check(); err != nil {
		return nil, err
	}
	o.HeadStart, o.RegionStart = cmp.Or(o.HeadStart, DefaultHeadStart), cmp.Or(o.RegionStart, DefaultRegionStart)
	o.Check, o.Imbalance = cmp.Or(o.Check, DefaultCheck), cmp.Or(o.Imbalance, DefaultImbalance)
	o.Batch = cmp.Or(o.Batch, DefaultBatch)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	q := &Queue{opts: o, self: o.Members.Self().Name, log: o.Log, engine: o.Engine, members: o.Members,
		kick: make(chan struct{}, 1), ready: make(chan struct{}), units: make(map[string]*unit),
		tenants: make(map[string]engine.Revision),
		ahead:   make(map[string]engine.Revision), taking: make(map[string]bool), leads: make(map[string]*Lead),
		waits: make(map[string]int), led: make(map[string]int), adding: make(map[string]int), used: make(map[owner]Use),
		coming: make(map[string]*unit),
		gate:   load.Gate{Thresholds: o.Thresholds}, open: load.Decision{Pull: true}}
	q.ctx, q.end = context.WithCancel(context.Background())
	q.wg.Go(q.follow)
	q.wg.Go(q.pull)
	q.wg.Go(q.tend)
	q.wg.Go(func() { q.members.Elect(q.ctx, DutyCoordinator, q.coordinate) })
	if o.Topology == ActivePassive {
		q.wg.Go(func() { q.members.Elect(q.ctx, DutyActive, q.activate) })
	}
	return q, nil
}

func (o *Options) check() error {
	if !o.Strategy.valid() {
		return errors.New("place: the strategy is " + string(o.Strategy) + ", want one of round-robin, capacity, " +
			"affinity, adaptive")
	}
	switch o.Topology {
	case ActiveActive, ActivePassive, Hierarchical:
		return nil
	}
	return errors.New("place: the topology is " + string(o.Topology) + ", want one of active-active, active-passive, " +
		"hierarchical")
}

// Leave makes this node take no further runs, and prefer other nodes for the runs that it returns. It does not wait.
func (q *Queue) Leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leaving = true
}

// Close stops taking runs, and waits for the goroutines of the queue. Leads continue until the session of
// the node ends.
func (q *Queue) Close() {
	q.end()
	q.wg.Wait()
}

// activate is called while this node is the active one.
func (q *Queue) activate(d *member.Duty) {
	set := func(on bool) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.active = on
	}
	set(true)
	q.Kick()
	<-d.Context().Done()
	set(false)
}

// Kick makes the queue look for runs to take: the worker has more room.
func (q *Queue) Kick() {
	select {
	case q.kick <- struct{}{}:
	default:
	}
}

// Stats are counts of a queue.
type Stats struct {
	Waiting int // runs of the cluster that wait
	Led     int // runs that this node leads
	Prefer  int // runs that wait and prefer this node: the queue of its load
	// The numbers since the queue was made.
	Added     int // runs that this node has added
	Taken     int
	Conflicts int // runs that another node took first, each at the price of a commit
	Finished  int
	Returned  int
	Lost      int
	Expired   int
	Moves     int // times that this node, as the coordinator, has moved queued runs
	Moved     int // runs that were moved, by balance or because a node handed them back
	Commits   int // all commits for this, including refused ones
}

// Stats returns the counts.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	s.Led, s.Prefer = len(q.leads), q.waits[q.self]
	for _, n := range q.waits {
		s.Waiting += n
	}
	return s
}

// Wants returns the number of the runs that wait and prefer this node, and the least memory of them.
func (q *Queue) Wants() (runs int, memory int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waits[q.self] == 0 {
		return 0, 0
	}
	for _, u := range q.units {
		if u.Leader == "" && u.Prefer == q.self {
			if runs == 0 || u.Memory < memory {
				memory = u.Memory
			}
			runs++
		}
	}
	return runs, memory
}

// Leaving reports whether this node takes no further runs.
func (q *Queue) Leaving() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.leaving
}

// Job returns a run of the queue, and false if it is not there.
func (q *Queue) Job(run string) (Job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if u := q.units[run]; u != nil {
		return u.Job, true
	}
	return Job{}, false
}

// Unfit returns why a node can never run a job as they are; "" if it can.
func (q *Queue) Unfit(j Job, n *member.Node) string { return q.unfit(&unit{Unit: Unit{Job: j}}, n) }

// Used returns the usage of the runs of a tenant, and of one submitter of it.
func (q *Queue) Used(tenant, by string) (ofTenant, own Use) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.usedBy(tenant, by)
}

// usedBy is Used for a caller that holds the lock.
func (q *Queue) usedBy(tenant, by string) (ofTenant, own Use) {
	return q.used[owner{tenant: tenant, whole: true}], q.used[owner{tenant: tenant, by: by}]
}

// use counts the usage of a unit; the caller holds the lock.
func (q *Queue) use(u *unit, n int) {
	if u.Leader == q.self || u.Leader == "" && u.From > 0 { // counted by the worker, or parked
		return
	}
	for _, o := range []owner{{tenant: u.Tenant, whole: true}, {tenant: u.Tenant, by: u.By}} {
		have := q.used[o]
		if u.Leader == "" {
			have.Queued += n
		} else {
			have.Running, have.Memory = have.Running+n, have.Memory+int64(n)*u.Memory
		}
		if q.used[o] = have; have == (Use{}) {
			delete(q.used, o)
		}
	}
}

// apply makes a commit, and counts it.
func (q *Queue) apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (engine.Result, error) {
	q.mu.Lock()
	q.stats.Commits++
	q.mu.Unlock()
	return q.engine.Apply(ctx, conditions, ops...)
}
