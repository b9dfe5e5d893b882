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
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/cluster/blob"
	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/coord"
	"github.com/ptc-lang/ptc/cluster/engine"
	"github.com/ptc-lang/ptc/cluster/engine/etcd"
	"github.com/ptc-lang/ptc/cluster/load"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/cluster/place"
	"github.com/ptc-lang/ptc/cluster/runlog"
	"github.com/ptc-lang/ptc/cluster/seal"
	"github.com/ptc-lang/ptc/cluster/share"
	clusterstore "github.com/ptc-lang/ptc/cluster/store"
	"github.com/ptc-lang/ptc/cluster/worker"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// Options are the settings of a Node. Config and Dir are required.
type Options struct {
	Config  *config.Config
	Dir     string // of the service: the node keeps its files in the folder cluster, unless Config.Dir is set
	Release string // of the program: nodes of other releases share no work
	// Tools returns the tools that a run may call; nil is none.
	Tools func(store.Run) []string
	// Ended is called with the time for which this node led a run that it has finished; nil for none.
	Ended func(time.Duration)
	Log   *slog.Logger // nil discards
}

// Node is this node of a cluster.
type Node struct {
	opts     Options
	log      *slog.Logger
	engine   *etcd.Engine
	network  *peer.Node
	blobs    *blob.Store
	store    *clusterstore.Store
	coord    *coord.Node
	key      journal.Key
	worker   *worker.Worker
	members  atomic.Pointer[member.Cluster]
	queue    atomic.Pointer[place.Queue]
	share    atomic.Pointer[share.Share]
	handler  atomic.Pointer[http.Handler] // of the API; see Serve
	meter    *load.Meter
	life     context.Context
	end      context.CancelFunc
	pastWork chan struct{} // closed when the work of maintain has ended
}

// Open starts the engine of a node and opens its store. It waits for a majority of the nodes, or the end of ctx.
func Open(ctx context.Context, o Options) (_ *Node, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := &Node{opts: o, log: o.Log, meter: load.NewMeter(load.System(), 10*time.Second)}
	n.life, n.end = context.WithCancel(context.Background())
	n.worker = worker.New(worker.Options{Tools: o.Tools, Hold: n.hold, Log: o.Log})
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	if err := n.connect(); err != nil {
		return nil, err
	}
	if n.engine, err = etcd.Open(ctx, n.engineOptions()); err != nil {
		return nil, fmt.Errorf("the engine of %s can't start: %w", o.Config.Node, err)
	}
	o.Log.Info("the node waits for a majority of the nodes that vote", "node", o.Config.Node, "votes", o.Config.Votes())
	if err := n.engine.Ready(ctx); err != nil {
		return nil, fmt.Errorf("%s has found no majority: %w", o.Config.Node, err)
	}
	if err := n.keep(ctx); err != nil {
		return nil, err
	}
	n.coord, err = coord.New(coord.Options{Engine: n.engine, Network: n.network, Lease: o.Config.Membership.Lease,
		Observer: o.Config.Self().Role == config.Witness, Logger: o.Log})
	if err != nil {
		return nil, err
	}
	n.network.Stream(methodAPI, n.answer)
	n.network.Handle(methodHere, n.here)
	return n, nil
}

// dir returns a folder of the node.
func (n *Node) dir(name string) string {
	return filepath.Join(cmp.Or(n.opts.Config.Dir, filepath.Join(n.opts.Dir, "cluster")), name)
}

// connect makes this node reachable for the others.
func (n *Node) connect() error {
	c := n.opts.Config
	if c.Self().Role == config.Worker {
		return fmt.Errorf("%s has the role %s, which is not implemented: want %s or %s", c.Node, config.Worker,
			config.Voter, config.Witness)
	}
	allow, err := pki.Allow(c.ClusterID, c.Identities()...)
	if err != nil {
		return err
	}
	own := pki.Files{CA: c.MTLS.CACert, Cert: c.MTLS.Cert, Key: c.MTLS.Key}
	id, err := pki.Load(own, c.ClusterID, c.Node, allow, n.log)
	if err != nil {
		return err
	}
	n.network, err = peer.Listen(peer.Config{Identity: id, Address: cmp.Or(c.Listen, c.Self().Address), Find: n.find,
		Release: n.opts.Release, Log: n.log, Dial: c.Network.Connect, Silence: c.Network.Silence})
	if err != nil {
		return err
	}
	n.network.Start()
	return nil
}

// find returns the address of a node.
func (n *Node) find(node string) (string, bool) {
	for _, k := range n.opts.Config.Controllers {
		if k.Name == node {
			return k.Address, true
		}
	}
	return "", false
}

// engineOptions returns the options of the member of this node.
func (n *Node) engineOptions() etcd.Options {
	c := n.opts.Config
	all, hosts := make(map[string]string), []string(nil)
	for _, k := range c.Controllers {
		if k.Role != config.Worker {
			all[k.Name] = k.EngineAddress
			hosts = append(hosts, pki.Host(c.ClusterID, k.Name))
		}
	}
	return etcd.Options{Name: c.Node, Cluster: c.ClusterID, Dir: n.dir("engine"), Start: etcd.New,
		Listen: cmp.Or(c.ListenEngine, c.Self().EngineAddress), Peer: c.Self().EngineAddress, Members: all,
		TLS:   &etcd.TLS{Cert: c.MTLS.Cert, Key: c.MTLS.Key, CA: c.MTLS.CACert, Hosts: hosts},
		Quota: int64(c.Storage.DatabaseMB) << 20, Log: n.log}
}

// keyOfJournals is the key of the engine with the key of all journals, which the first node makes.
const keyOfJournals = "cluster/journal-key"

// keep opens what the node keeps: files and the store.
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
	if n.key, err = n.sharedKey(ctx, sealer, journal.Key(made)); err != nil {
		return err
	}
	n.store, err = clusterstore.Open(ctx, clusterstore.Options{Engine: n.engine, Blobs: n.blobs, Node: c.Node,
		Seal: sealer, Keys: []journal.Key{n.key}, Log: n.log})
	return err
}

// sharedKey returns the key of the journals that the first node has made.
func (n *Node) sharedKey(ctx context.Context, sealer runlog.Sealer, made journal.Key) (journal.Key, error) {
	value, err := []byte(made[:]), error(nil)
	if sealer != nil {
		if value, err = sealer.Seal(keyOfJournals, value); err != nil {
			return made, err
		}
	}
	res, err := n.engine.Apply(ctx, []engine.Condition{engine.Absent(keyOfJournals)}, engine.Put(keyOfJournals, value))
	if err != nil || res.Done {
		return made, err
	}
	value = res.Found[0].Value
	if sealer != nil {
		if value, err = sealer.Open(keyOfJournals, value); err != nil {
			return made, fmt.Errorf("the key of the journals can't be read with the master key of this node: %w", err)
		}
	}
	if len(value) != journal.KeyBytes {
		return made, fmt.Errorf("the key of the journals has %d bytes, want %d: the nodes must agree on encryption.enabled",
			len(value), journal.KeyBytes)
	}
	return journal.Key(value), nil
}

// sealer returns what encrypts the data at rest; nil if the configuration does without.
func (n *Node) sealer(ctx context.Context) (runlog.Sealer, error) {
	c := n.opts.Config.Encryption
	if !c.Enabled {
		return nil, nil
	}
	first, err := seal.CommandKey(ctx, c.MasterKeyCommand)
	if len(c.MasterKeyCommand) == 0 {
		first, err = seal.ReadKey(c.MasterKey)
	}
	if err != nil {
		return nil, err
	}
	keys := []seal.Key{first}
	for _, file := range c.OldMasterKeys {
		k, err := seal.ReadKey(file)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	s, err := seal.New(keys, c.KeyRotation)
	if err != nil {
		return nil, err
	}
	return sealed{s}, nil
}

// sealed encrypts for places of the store: KIND/OWNER/ID. The second part is the id of a run, or names a document.
type sealed struct{ *seal.Sealer }

func at(place string) seal.Place {
	_, owner, _ := strings.Cut(place, "/")
	owner, _, _ = strings.Cut(owner, "/")
	return seal.Place{Kind: seal.Run, Owner: owner, ID: place}
}

// Seal implements runlog.Sealer.
func (s sealed) Seal(place string, data []byte) ([]byte, error) {
	return s.Sealer.Seal(at(place), data)
}

// Open implements runlog.Sealer.
func (s sealed) Open(place string, data []byte) ([]byte, error) {
	return s.Sealer.Open(at(place), data)
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

// hold has the store refuse changes of a run when its lead has ended.
func (n *Node) hold(run string, fence engine.Revision) (release func()) {
	return n.store.Fence(run, place.Leading(run, fence))
}

// Join makes the node a member, with what it can do. The fields that the configuration has are set.
func (n *Node) Join(info member.Info) error {
	c := n.opts.Config
	self := c.Self()
	info.Name, info.Region, info.Capacity = c.Node, cmp.Or(c.Region, self.Region), c.Capacity
	info.Tools = append(info.Tools, c.Capabilities...)
	info.Witness, info.Process = self.Role == config.Witness, rand.Text()
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
	n.pastWork = make(chan struct{})
	go n.maintain(m)
	return nil
}

// parts reports whether this node takes part in a run, and whether others do.
func (n *Node) parts(run string) (here, elsewhere bool) {
	if s := n.share.Load(); s != nil {
		return s.Parts(run)
	}
	return false, false
}

// Replicas returns what evaluates runs together with the other nodes. It is called after Join.
func (n *Node) Replicas() serve.Replicas { return n.share.Load() }

// ended reports a run that this node has finished.
func (n *Node) ended(_ place.Job, led time.Duration) {
	if n.opts.Ended != nil {
		n.opts.Ended(led)
	}
}

// Stats returns the counts of the runs of the cluster; they are zero before Join.
func (n *Node) Stats() place.Stats {
	if q := n.queue.Load(); q != nil {
		return q.Stats()
	}
	return place.Stats{}
}

// Load returns what this node is doing.
func (n *Node) Load() load.Load {
	l := load.Load{Capacity: n.opts.Config.Capacity}
	l.CPU, l.Memory = n.meter.Read()
	stats := n.Stats()
	l.Runs, l.Queue = stats.Led, stats.Prefer
	return l
}

// maintainEvery is the time between two rounds of maintain: compaction keeps little more than live data.
const maintainEvery = 5 * time.Minute

// verifyEvery is the time after which the contents of all files are read again.
const verifyEvery = 24 * time.Hour

// maintain copies, repairs and deletes what nodes have left, until the node ends. The coordinator sweeps the store and
// compacts the engine.
func (n *Node) maintain(m *member.Cluster) {
	defer close(n.pastWork)
	for {
		select {
		case <-n.life.Done():
			return
		case <-time.After(maintainEvery):
		}
		if _, err := n.blobs.Maintain(n.life); err != nil {
			n.log.Warn("the files of the node could not all be verified", "error", err)
		}
		if h, ok := m.Holder(place.DutyCoordinator); ok && h.Node == n.opts.Config.Node {
			if err := n.sweep(); err != nil {
				n.log.Warn("the store could not be swept", "error", err)
			}
		}
	}
}

// sweep finishes what nodes have left in the store, and has the engine forget old revisions.
func (n *Node) sweep() error {
	if err := n.store.Sweep(n.life); err != nil {
		return err
	}
	before, err := n.engine.Status(n.life)
	if err != nil {
		return err
	}
	return n.engine.Compact(n.life, before.Revision)
}

// Store returns the store of the cluster.
func (n *Node) Store() store.Store { return n.store }

// Key returns the key of the journals of all nodes.
func (n *Node) Key() journal.Key { return n.key }

// Guards returns the guards of the cluster.
func (n *Node) Guards() *coord.Guards { return n.coord.Guards() }

// Queues returns the queues of the cluster.
func (n *Node) Queues() *coord.Queues { return n.coord.Queues() }

// Views returns what people see and change of the guards and queues of the cluster.
func (n *Node) Views() serve.Views {
	return serve.Views{Queues: n.coord.Queues(), Outside: n.coord.Externals(), Guards: n.coord.Guards()}
}

// Elect has have called whenever this node has a duty that one node has for all, until end is called, which waits for
// have to return. The context ends before another node can have the duty. Elect is called after Join.
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

// Placement returns what decides which runs start here.
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

// Leave prepares the end of the node: it takes no further runs, and another node leads the engine. So the commits of
// the nodes that go on with its runs do not wait for an election.
func (n *Node) Leave() {
	if q := n.queue.Load(); q != nil {
		q.Leave()
	}
	if err := n.engine.Admin().StepDown(); err != nil {
		n.log.Warn("no other node could be made the leader of the engine: the others elect one", "error", err)
	}
}

// Close ends the node. The engine that runs runs has ended before.
func (n *Node) Close() error {
	n.end()
	if s := n.share.Load(); s != nil {
		s.Close()
	}
	if q := n.queue.Load(); q != nil {
		q.Close()
	}
	var errs []error
	if n.coord != nil {
		errs = append(errs, n.coord.Close())
	}
	if m := n.members.Load(); m != nil {
		m.Close()
	}
	if n.pastWork != nil {
		<-n.pastWork
	}
	if n.store != nil {
		errs = append(errs, n.store.Close())
	}
	if n.network != nil {
		n.network.Close()
	}
	if n.engine != nil {
		errs = append(errs, n.engine.Close())
	}
	return errors.Join(errs...)
}
