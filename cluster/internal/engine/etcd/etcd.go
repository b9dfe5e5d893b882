// Package etcd is an engine on the disks of the members of a cluster: etcd, in the process of the node.
//
// Open starts a member. Members talk to each other at one address each, with certificates on both sides.
// etcd has no client port: the node is the only client of its member, within the process.
//
//	DIR/member.json   the name and the number of the member, written when it has started for the first time
//	DIR/lock          held by the process
//	DIR/removed       written when the member has learned that it was removed from the cluster
//	DIR/data          the files of etcd: its log and its database
//
// # Starting
//
// A member starts on an empty directory only if Options.Start says that this is its first start. A member whose
// directory was emptied must not start as if nothing had happened: it may have acknowledged commits that it no longer
// has, and could elect a leader that does not have them either. Open compares DIR/member.json with DIR/data, asks the
// other members, and returns ErrWiped. A member with damaged files is refused with engine.ErrCorrupt. The repair is the
// same for both: Admin.Replace on another member, and a first start with Join.
//
// # While it runs
//
// If the disk of a member fails or is full, or etcd finds its log damaged, etcd ends the process, after a
// record in the log with the next step: a member that can't write must not continue. The leader compares
// the data of all members every 10 s, and a difference stops all calls but stale reads with
// engine.ErrCorrupt; see Status.Alarms and Admin.Damaged.
//
// The database keeps each revision until Compact, and the member stops writes at Options.Quota.
package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/pkg/v3/featuregate"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/internal/durable"
)

// The times of elections: a member that hears nothing of the leader for Election begins one. Shorter ones make a
// cluster on busy disks change its leader without need.
const (
	Heartbeat = 50 * time.Millisecond
	Election  = 300 * time.Millisecond
)

const (
	defaultTimeout = 5 * time.Second
	defaultQuota   = 4 << 30
	compareEvery   = 10 * time.Second // the leader compares the data of the members
	// maxRequest is over engine.MaxBytes: a request has the keys of conditions twice, and the overhead of each operation.
	maxRequest = 8 << 20
	// catchUp is how many commits each member keeps in memory for members that lag behind. One that lags further copies
	// the database. Commits of 25 KB, which a batch of a log has, take 50 MB; the largest ones would take 2 GB.
	catchUp = 2000
	// maxCopies is the maximum number of members without a vote: the workers of a cluster, and the members
	// that will vote soon. All members check it when they apply a change, so it must be the same for all.
	maxCopies = 100
	// wasted is how many bytes of free pages make a member rewrite its database when it starts.
	wasted = 256 // MB
)

// Start is the state that Open should find.
type Start int

const (
	// Restart wants the files of a member that has started before.
	Restart Start = iota
	// New starts the first members of a new cluster. All of them are in Options.Members.
	New
	// Join starts a member that Admin.AddLearner or Admin.Replace has added to a cluster, or is about to add: Open waits
	// for it. At least one of Options.Members runs.
	Join
)

// Options are the settings of a member.
type Options struct {
	Name    string            // of the member
	Cluster string            // the name of the cluster, the same for all members; another cluster's members are refused
	Dir     string            // its directory, of mode 0700, which Open makes
	Start   Start             // ignored if the directory has the files of the member
	Listen  string            // host:port that it listens on for the other members
	Peer    string            // host:port at which the others reach it; Listen by default
	Members map[string]string // host:port of members by name, including this one; New needs all of them
	TLS     *TLS              // nil is allowed on loopback addresses only

	Timeout time.Duration // after which a call without a majority returns engine.ErrUnavailable; 5 s by default
	Quota   int64         // of bytes of the database; 4 GB by default
	Log     *slog.Logger  // nil discards

	compare time.Duration // tests set it: the leader compares the data of the members so often
}

// TLS is the identity of a member and who it trusts, as files in PEM. Certificates are read again for each connection,
// so they can be replaced while the member runs. CA is read when the member starts.
type TLS struct {
	Cert, Key string
	CA        string
	// Hosts are host names; besides a signature of CA, a certificate must have one of them. Without Hosts any
	// certificate of CA identifies a member.
	Hosts []string
	// Server is the configuration of the listener; nil for one of the files. Its certificates are read again, too.
	Server *tls.Config `json:"-"`
	// Node returns the name of the node at the other end of a connection, or an error if its request is refused. It is
	// called for each request; member reports whether a node has a member. nil accepts the connections that
	// the listener accepts.
	Node func(state tls.ConnectionState, member func(node string) bool) (string, error) `json:"-"`

	sni string // tests set it: the name of this member at the proxies between the members
}

// Engine is a member. It implements engine.Engine.
type Engine struct {
	options Options
	server  *embed.Etcd
	client  *clientv3.Client
	log     *slog.Logger
	peers   *http.Client // to other members
	answers *http.Server // to other members
	unlock  func() error

	ctx    context.Context // ends with Close, or with the server
	cancel context.CancelCauseFunc
	ended  chan struct{}
	calls  sync.RWMutex   // each call holds it for reading: etcd panics if its database is closed before
	work   sync.WaitGroup // the goroutines of this member
	once   sync.Once
	health health
}

var _ engine.Engine = (*Engine)(nil)

// Open starts a member. It returns when the member has its data and takes part in the cluster, without waiting for a
// majority. It returns ErrWiped if the directory is empty and should not be, and engine.ErrCorrupt if files are
// damaged; a process in which Open has failed should end.
func Open(ctx context.Context, o Options) (*Engine, error) {
	o, err := o.checked()
	if err != nil {
		return nil, fmt.Errorf("engine of %s: %w", o.Name, err)
	}
	e := &Engine{options: o, log: o.Log, ended: make(chan struct{})}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	if e.peers, err = o.peers(); err != nil {
		return nil, fmt.Errorf("engine of %s: %w", o.Name, err)
	}
	if e.unlock, err = lock(o.Dir); err != nil {
		return nil, fmt.Errorf("engine of %s: %w", o.Name, err)
	}
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("engine of %s: %w", o.Name, err), e.unlock())
	}
	return e, nil
}

// checked returns the options with defaults, or an error.
func (o Options) checked() (Options, error) {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Quota == 0 {
		o.Quota = defaultQuota
	}
	if o.Peer == "" {
		o.Peer = o.Listen
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Name == "" || o.Cluster == "" || o.Dir == "" {
		return o, fmt.Errorf("it has the name %q, the cluster %q and the directory %q, want all three",
			o.Name, o.Cluster, o.Dir)
	}
	for _, address := range []string{o.Listen, o.Peer} {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return o, fmt.Errorf("the address %q is not host:port: %w", address, err)
		}
		if ip := net.ParseIP(host); o.TLS == nil && (ip == nil || !ip.IsLoopback()) {
			return o, fmt.Errorf("the address %s is not a loopback address, and there is no certificate: set one", address)
		}
	}
	if o.Start != Restart && o.Members[o.Name] != o.Peer {
		return o, fmt.Errorf("its address among the members is %q, and its own is %q", o.Members[o.Name], o.Peer)
	}
	return o, nil
}

// url returns the URL of a peer.
func (o *Options) url(address string) url.URL {
	if o.TLS == nil {
		return url.URL{Scheme: "http", Host: address}
	}
	return url.URL{Scheme: "https", Host: address}
}

// config returns the configuration of etcd.
func (o *Options) config(start Start, compare bool) (*embed.Config, error) {
	cfg := embed.NewConfig()
	cfg.Name, cfg.Dir = o.Name, dataDir(o.Dir)
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = nil, []url.URL{o.url(o.Peer)} // see serve
	// Nothing listens for clients. The advertised address shows the others that this member has started.
	cfg.ListenClientUrls, cfg.ListenClientHttpUrls = nil, nil
	cfg.AdvertiseClientUrls = cfg.AdvertisePeerUrls
	cfg.InitialCluster, cfg.InitialClusterToken = o.initial(), o.Cluster
	if start == Join {
		cfg.ClusterState = embed.ClusterStateFlagExisting
	}
	cfg.TickMs, cfg.ElectionMs = uint(Heartbeat/time.Millisecond), uint(Election/time.Millisecond)
	cfg.QuotaBackendBytes, cfg.MaxRequestBytes, cfg.MaxTxnOps = o.Quota, maxRequest, engine.MaxOps
	cfg.AutoCompactionMode, cfg.AutoCompactionRetention = embed.CompactorModePeriodic, "0" // never: Compact does it
	cfg.MaxLearners = maxCopies
	cfg.BootstrapDefragThresholdMegabytes, cfg.SnapshotCatchUpEntries = wasted, catchUp
	cfg.CorruptCheckTime = cmp.Or(o.compare, compareEvery)
	gates := fmt.Sprintf("InitialCorruptCheck=%t,CompactHashCheck=true", compare)
	if err := cfg.ServerFeatureGate.(featuregate.MutableFeatureGate).Set(gates); err != nil {
		return nil, err
	}
	if o.TLS != nil {
		cfg.PeerTLSInfo = o.TLS.info()
		cfg.TlsMinVersion = "TLS1.3"
	}
	cfg.Logger, cfg.LogOutputs = "zap", []string{"/dev/null"} // not opened: the builder replaces it
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(logger(o.Log))
	return cfg, nil
}

// initial returns the members as etcd wants them.
func (o *Options) initial() string {
	var list []string
	for name, address := range o.Members {
		u := o.url(address)
		list = append(list, name+"="+u.String())
	}
	if len(list) == 0 { // a restart, which reads them from its files
		u := o.url(o.Peer)
		list = append(list, o.Name+"="+u.String())
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// run follows the server until it ends.
func (e *Engine) run() {
	server := e.server.Server
	e.client = v3client.New(server)
	e.work.Go(func() {
		select {
		case <-e.ctx.Done():
			return
		case <-server.StoppingNotify():
			err := durable.Create(removedFile(e.options.Dir), nil)
			e.cancel(errors.Join(fmt.Errorf("%w: the member was removed from the cluster", engine.ErrClosed), err))
		case err := <-e.server.Err():
			e.cancel(fmt.Errorf("%w: etcd has stopped: %w", engine.ErrClosed, err))
		}
		close(e.ended)
	})
	server.GoAttach(func() { // a server that stops waits for it before it closes its database
		<-server.StoppingNotify()
		e.drain()
	})
}

// drain waits until all calls have returned.
func (e *Engine) drain() {
	e.work.Wait()
	e.calls.Lock()
	defer e.calls.Unlock()
}

// Ended is closed if the member ends without Close, such as when it is removed from the cluster. Calls then return an
// error with the reason.
func (e *Engine) Ended() <-chan struct{} { return e.ended }

// Ready waits until the member has found a leader and has read all that was committed before.
func (e *Engine) Ready(ctx context.Context) error {
	select {
	case <-e.server.Server.ReadyNotify():
		_, _, err := e.Get(ctx, "ready")
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-e.ctx.Done():
		return context.Cause(e.ctx)
	}
}

// Close implements engine.Engine. A leader hands its role over first. When Close returns, the files are closed and the
// address is free.
func (e *Engine) Close() error {
	var err error
	e.once.Do(func() {
		e.cancel(engine.ErrClosed)
		e.drain()
		_ = e.client.Close() // it only ends the watches
		e.server.Close()
		_ = e.answers.Close() // a listener that is closed already
		e.peers.CloseIdleConnections()
		err = e.unlock()
	})
	return err
}
