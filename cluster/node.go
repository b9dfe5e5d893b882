// Package cluster makes a node of a cluster out of its parts: the engine, the network between nodes, the store, the
// membership, the queue of runs, and the guards and queues that all nodes share.
//
//	node, err := cluster.Open(ctx, cluster.Options{Config: c, Dir: dir})
//	err = node.Join(member.Info{Tools: names})
//	e, err := serve.New(ctx, serve.Options{Store: node.Store(), Placement: node.Placement(), …})
//	handler = node.Serve(e, handler)
//
// Open returns when the node has found a majority. Join makes it a member. From Serve on it takes runs.
package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/blob"
	"github.com/ptc-lang/ptc/cluster/internal/coord"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/etcd"
	"github.com/ptc-lang/ptc/cluster/internal/facts"
	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/internal/roster"
	"github.com/ptc-lang/ptc/cluster/internal/share"
	clusterstore "github.com/ptc-lang/ptc/cluster/internal/store"
	"github.com/ptc-lang/ptc/cluster/internal/users"
	"github.com/ptc-lang/ptc/cluster/internal/worker"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/internal/ending"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
	toolfacts "github.com/ptc-lang/ptc/tools/facts"
)

// Options are the settings of a Node. Config and Dir are required.
type Options struct {
	Config  *config.Config
	Dir     string // of the service: the node keeps its files in the folder cluster, unless Config.Dir is set
	Release string // of the program: nodes of other releases share no work
	Observe Observer
	Ends    *ending.Steps // of the process, whose parts Close ends; nil to make new ones
	Log     *slog.Logger  // nil discards
}

// Observer is notified of the events of a node, for telemetry. Each function is optional, and must return soon.
type Observer struct {
	Ended    func(time.Duration) // a run has ended that this node has led for a time
	Appended func(bytes int)     // to the log of a run
	Synced   func(time.Duration) // the facts that the node has in memory
}

// Node is this node of a cluster.
type Node struct {
	opts        Options
	log         *slog.Logger
	engine      *etcd.Engine
	identity    *pki.Identity
	network     *peer.Node
	regions     *peer.Node  // the network of the regions; nil if there are none
	sends       atomic.Bool // this node sends the facts of its region
	blobs       *blob.Store
	store       *clusterstore.Store
	coord       *coord.Node
	roster      *roster.Roster
	listed      atomic.Pointer[roster.Roster] // roster, as soon as there is one
	tokens      atomic.Pointer[roster.Tokens]
	users       atomic.Pointer[users.Users]
	changing    sync.Mutex // one change of the engine's members at a time
	ends        []func()   // of the duties of the node
	facts       *facts.Store
	seal        engine.Sealer              // nil if the data is not encrypted
	connections atomic.Pointer[func() int] // to hosts
	key         journal.Key
	worker      *worker.Worker
	members     atomic.Pointer[member.Cluster]
	queue       atomic.Pointer[place.Queue]
	share       atomic.Pointer[share.Share]
	handler     atomic.Pointer[http.Handler] // of the API; see Serve
	meter       *load.Meter
	process     string // a name of this process
	life        context.Context
	end         context.CancelFunc
	work        sync.WaitGroup
}

// Open starts the engine of a node and opens its store. It waits for a majority of the nodes, or the end of ctx.
func Open(ctx context.Context, o Options) (_ *Node, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ends == nil {
		o.Ends = ending.New(o.Log)
	}
	n := &Node{opts: o, log: o.Log, meter: load.NewMeter(load.System(), 10*time.Second),
		process: rand.Text()}
	n.life, n.end = context.WithCancel(context.Background())
	n.worker = worker.New(worker.Options{Hold: n.hold, Log: o.Log})
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	if err := n.connect(); err != nil {
		return nil, err
	}
	if err := n.alone(ctx); err != nil {
		return nil, err
	}
	if n.engine, err = etcd.Open(ctx, n.engineOptions()); err != nil {
		return nil, fmt.Errorf("the engine of %s can't start: %w", o.Config.Node, err)
	}
	o.Log.Info("the node waits for a majority of the nodes that vote", "node", o.Config.Node, "votes", o.Config.Votes())
	if err = n.Lasting(ctx, func() error { return n.engine.Ready(ctx) }); err != nil {
		return nil, fmt.Errorf("%s has found no majority: %w", o.Config.Node, err)
	}
	if err := n.keep(ctx); err != nil {
		return nil, err
	}
	n.roster, err = lasting(ctx, n, func() (*roster.Roster, error) {
		return roster.Open(ctx, n.engine, o.Config.Node, o.Config.Controllers, o.Log)
	})
	if err != nil {
		return nil, err
	}
	n.listed.Store(n.roster)
	n.coord, err = coord.New(coord.Options{Engine: n.engine, Network: n.network,
		Lease:    max(o.Config.Membership.Lease, coord.MinLease),
		Observer: o.Config.Self().Role == config.Witness, Logger: o.Log})
	if err != nil {
		return nil, err
	}
	n.network.Stream(methodAPI, n.answer)
	n.network.Stream(methodBackup, n.backup)
	n.network.Stream(methodUsers, n.answerUsers)
	n.network.Handle(methodHere, n.here)
	n.network.Handle(methodWaits, n.waits)
	n.network.Handle(methodReach, n.reach)
	n.network.Handle(methodStepDown, n.stepDown)
	return n, nil
}

// Lasting calls f again while the node finds no majority, until ctx ends: a node that starts waits for the others, also
// if they are lost again meanwhile. For a nil node it calls f once.
func (n *Node) Lasting(ctx context.Context, f func() error) error {
	if n == nil {
		return f()
	}
	_, err := lasting(ctx, n, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// lasting is Lasting for a function that opens something.
func lasting[T any](ctx context.Context, n *Node, open func() (T, error)) (T, error) {
	for {
		v, err := open()
		late := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil // the time of one attempt
		if !late && !errors.Is(err, engine.ErrUnavailable) {
			return v, err
		}
		n.log.Warn("the node waits for a majority of the nodes that vote", "node", n.opts.Config.Node, "error", err)
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(followRetry):
		}
	}
}

// keyOfJournals is the key of the engine with the key of all journals, which the first node makes.
const keyOfJournals = "cluster/journal-key"

// keep opens the storage of the node: files and the store.
func (n *Node) keep(ctx context.Context) (err error) {
	c := n.opts.Config
	if n.blobs, err = blob.Open(blob.Options{Engine: n.engine, Network: n.network, Dir: n.dir("blobs"), Nodes: n.living,
		Copies: c.Storage.Replicas, Verify: verifyEvery, Log: n.log}); err != nil {
		return err
	}
	sealer, err := n.sealer(ctx)
	if err != nil {
		return err
	}
	made := make([]byte, journal.KeyBytes)
	if _, err := rand.Read(made); err != nil {
		return err
	}
	n.seal = sealer
	n.key, err = lasting(ctx, n, func() (journal.Key, error) {
		if err := n.beginMasters(ctx); err != nil {
			return journal.Key(made), err
		}
		return n.sharedKey(ctx, journal.Key(made))
	})
	if err != nil {
		return err
	}
	n.tokens.Store(&roster.Tokens{Engine: n.engine, Seal: sealer})
	n.store, err = lasting(ctx, n, func() (*clusterstore.Store, error) {
		return clusterstore.Open(ctx, clusterstore.Options{Engine: n.engine, Blobs: n.blobs, Node: c.Node,
			Seal: sealer, Keys: []journal.Key{n.key}, Log: n.log, Appended: n.opts.Observe.Appended})
	})
	if err != nil {
		return err
	}
	o := facts.Options{Engine: n.engine, Node: c.Node, Region: c.ClusterID, Level: facts.Level(c.Sync.Consistency),
		Entropy: c.Sync.FullInterval, Fresh: max(c.Sync.Freshness, 1), Unfollowed: !c.Sync.Delta,
		Synced: n.opts.Observe.Synced,
		Report: func(err error) { n.log.Debug("facts are behind; trying again", "error", err) },
		Damaged: func(err error) {
			n.log.Warn("a fact can't be read, and other regions do not get it: write it again", "error", err)
		}}
	if s, ok := sealer.(sealed); ok {
		o.Sealer = sealedFacts{s.Sealer}
	}
	if err := n.connectRegions(&o); err != nil {
		return err
	}
	if n.facts, err = facts.Open(o); err == nil && n.regions != nil {
		n.regions.Start()
	}
	return err
}

// sharedKey returns the key of the journals that the first node has made.
func (n *Node) sharedKey(ctx context.Context, made journal.Key) (journal.Key, error) {
	value, err := []byte(made[:]), error(nil)
	if n.seal != nil {
		if value, err = n.seal.Seal(keyOfJournals, value); err != nil {
			return made, err
		}
	}
	res, err := n.engine.Apply(ctx, []engine.Condition{engine.Absent(keyOfJournals)}, engine.Put(keyOfJournals, value))
	if err != nil || res.Done {
		return made, err
	}
	return n.openKey(res.Found[0].Value)
}

// living returns the names of the nodes that live and keep copies: a witness keeps none.
func (n *Node) living() []string {
	m := n.members.Load()
	if m == nil {
		return []string{n.opts.Config.Node}
	}
	var all []string
	for _, node := range m.Nodes() {
		if (node.Self || node.State == member.Alive) && !node.Witness {
			all = append(all, node.Name)
		}
	}
	return all
}

// hold has the store refuse changes of a run when its lead has ended. The run sees the facts that it has written on
// other nodes.
func (n *Node) hold(run string, fence engine.Revision) (release func()) {
	n.facts.Expire()
	return n.store.Fence(run, place.Leading(run, fence))
}

// Join makes the node a member, with its capabilities. It sets the fields of info that the configuration has.
func (n *Node) Join(info member.Info) error {
	c := n.opts.Config
	self := c.Self()
	info.Name, info.Region, info.Capacity = c.Node, cmp.Or(c.Region, self.Region), c.Capacity
	info.Tools = append(info.Tools, c.Capabilities...)
	if listed, ok := n.roster.Node(c.Node); ok {
		self.Role = listed.Role
	}
	info.Witness, info.Worker = self.Role == config.Witness, self.Role == config.Worker
	info.Process = n.process
	info.Admits, info.Address = c.MTLS.CAKey != "", self.APIAddress
	info.Labels, info.Keys = labelsOf(self.Labels), n.masterIDs()
	info.Versions = member.Versions{PTC: n.opts.Release, Go: runtime.Version(), Arch: runtime.GOARCH,
		Protocol: peer.Protocol}
	m, err := member.Start(member.Options{Engine: n.engine, Network: n.network, Self: info, Lease: c.Membership.Lease,
		Heartbeat: c.Membership.Heartbeat, Threshold: c.Membership.PartitionThreshold, Load: n.Load, Log: n.log})
	if err != nil {
		return err
	}
	n.members.Store(m)
	q, err := place.New(place.Options{Engine: n.engine, Members: m, Worker: n.worker,
		Strategy: place.Strategy(c.Work.Strategy), Topology: place.Topology(c.Topology), HeadStart: c.Work.HeadStart,
		RegionStart: c.Work.RegionStart, Check: c.Balance.CheckInterval, Imbalance: c.Balance.ImbalanceThreshold,
		Batch: c.Balance.MinMigrationBatch, Log: n.log, Ended: n.ended, Parts: n.parts,
		Thresholds: load.Thresholds{CPU: float64(c.Balance.CPU) / 100, Memory: float64(c.Balance.Memory) / 100,
			Queue: c.Balance.Queue}})
	if err != nil {
		return err
	}
	n.queue.Store(q)
	n.share.Store(share.New(share.Options{Engine: n.engine, Members: m, Queue: q, Host: n.worker, Logs: n.store,
		Key: n.key, From: c.Work.ShareFrom, Unit: c.Work.UnitSize, Waiting: c.Work.ShareWaiting, Grace: c.Membership.Grace,
		Log: n.log}))
	n.worker.Queue(q)
	n.maintain()
	n.work.Go(func() { n.followMasters(m) })
	n.ends = append(n.ends, n.Elect(DutyMembers, n.followRoster), n.draining(m))
	if n.regions != nil {
		n.ends = append(n.ends, n.Elect(DutyRegions, n.sendFacts))
	}
	return nil
}

// parts reports whether this node takes part in a run, and whether others do.
func (n *Node) parts(run string) (here, elsewhere bool) {
	if s := n.share.Load(); s != nil {
		return s.Parts(run)
	}
	return false, false
}

// Replicas returns the serve.Replicas that evaluates runs together with the other nodes. It is called after Join.
func (n *Node) Replicas() serve.Replicas { return n.share.Load() }

// labelsOf returns the labels of a node: "disk=ssd", or "disk", which means "disk=true".
func labelsOf(words []string) map[string]string {
	all := make(map[string]string, len(words))
	for _, word := range words {
		name, value, given := strings.Cut(word, "=")
		if !given {
			value = "true"
		}
		all[name] = value
	}
	return all
}

// ended reports a run that this node has finished.
func (n *Node) ended(_ place.Job, led time.Duration) {
	if n.opts.Observe.Ended != nil {
		n.opts.Observe.Ended(led)
	}
}

// Stats returns the counts of the runs of the cluster; they are zero before Join.
func (n *Node) Stats() place.Stats {
	if q := n.queue.Load(); q != nil {
		return q.Stats()
	}
	return place.Stats{}
}

// CountConnections has the load of the node count the connections to hosts, which count returns.
func (n *Node) CountConnections(count func() int) { n.connections.Store(&count) }

// Load returns the load of this node.
func (n *Node) Load() load.Load {
	l := load.Load{Capacity: n.opts.Config.Capacity}
	if count := n.connections.Load(); count != nil {
		l.Connections = (*count)()
	}
	l.CPU, l.Memory = n.meter.Read()
	stats := n.Stats()
	l.Runs, l.Queue = stats.Led, stats.Prefer
	return l
}

// Store returns the store of the cluster.
func (n *Node) Store() store.Store { return n.store }

// Key returns the key of the journals of all nodes.
func (n *Node) Key() journal.Key { return n.key }

// Facts returns the source of the tools for facts.
func (n *Node) Facts() toolfacts.Source { return n.facts.Source() }

// Guards returns the guards of the cluster.
func (n *Node) Guards() *coord.Guards { return n.coord.Guards() }

// Queues returns the queues of the cluster.
func (n *Node) Queues() *coord.Queues { return n.coord.Queues() }

// Views returns the views of the guards and queues of the cluster, through which people see and change them.
func (n *Node) Views() serve.Views {
	return serve.Views{Queues: n.coord.Queues(), Outside: n.coord.Externals(), Guards: n.coord.Guards()}
}

// Elect calls have whenever this node holds a duty that only one node has at a time, until end is called,
// which waits for have to return. The context ends before another node can have the duty. Elect is called
// after Join.
func (n *Node) Elect(duty string, have func(context.Context)) (end func()) {
	ctx, stop := context.WithCancel(n.life)
	over := make(chan struct{})
	go func() {
		defer close(over)
		n.members.Load().Elect(ctx, duty, func(d *member.Duty) { have(d.Context()) })
	}()
	return func() {
		stop()
		<-over
	}
}

// Placement returns the serve.Placement that decides which runs start here.
func (n *Node) Placement() serve.Placement { return n.worker }

// Members returns the membership; nil before Join.
func (n *Node) Members() *member.Cluster { return n.members.Load() }

// Leader returns the name of the node that leads a run, "" if none does.
func (n *Node) Leader(run string) string {
	if q := n.queue.Load(); q != nil {
		if name, ok := q.Leader(run); ok {
			return name
		}
	}
	return ""
}

// leaveTime bounds the time in which another node comes to lead the engine when this one ends. It takes some
// milliseconds if the other one answers.
const leaveTime = time.Second

// Leave prepares the end of the node: it takes no further runs, and another node leads the engine. So the
// commits of the nodes that take over its runs do not wait for an election.
func (n *Node) Leave() {
	if q := n.queue.Load(); q != nil {
		q.Leave()
	}
	ctx, cancel := context.WithTimeout(n.life, leaveTime)
	defer cancel()
	if err := n.engine.Admin().StepDown(ctx); err != nil {
		n.log.Warn("no other node could be made the leader of the engine: the others elect one", "error", err)
	}
}

// The times within which the parts of a node have to end. Normally each takes some milliseconds. The end of
// a lease that can't be ended takes half a second, a call of the engine without a majority 5 s, and the
// engine hands its role over.
const (
	partTime   = 6 * time.Second
	engineTime = 15 * time.Second
)

// Close ends the node. The engine that runs runs has ended before. A part that does not end in time is left to the end
// of the process.
func (n *Node) Close() error {
	n.end()
	var errs []error
	step := func(what string, most time.Duration, end func() error) {
		errs = append(errs, n.opts.Ends.Do(what, most, end))
	}
	part := func(what string, end func()) {
		step(what, partTime, func() error { end(); return nil })
	}
	if s := n.share.Load(); s != nil {
		part("the runs that the node shares", s.Close)
	}
	part("the duties of the node", func() {
		for _, end := range n.ends {
			end()
		}
	})
	if q := n.queue.Load(); q != nil {
		part("the queue of runs", q.Close)
	}
	if n.coord != nil {
		step("the guards of the cluster", partTime, n.coord.Close)
	}
	if m := n.members.Load(); m != nil {
		part("the session of the node", m.Close)
	}
	part("the work on files, keys and the database", n.work.Wait)
	if n.facts != nil {
		step("the facts", partTime, n.facts.Close)
	}
	if n.regions != nil {
		part("the network of the regions", n.regions.Close)
	}
	if u := n.users.Load(); u != nil {
		part("the tokens of users", u.Close)
	}
	if n.roster != nil {
		part("the list of the nodes", n.roster.Close)
	}
	if n.store != nil {
		step("the store", partTime, n.store.Close)
	}
	if n.network != nil {
		part("the network of the nodes", n.network.Close)
	}
	if n.engine != nil {
		step("the engine", engineTime, n.engine.Close)
	}
	return errors.Join(errs...)
}
