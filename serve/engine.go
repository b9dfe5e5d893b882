// This file defines the Engine, its options, and how it begins and ends.

package serve

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Options are the settings of an Engine. Only Store is required.
type Options struct {
	Store store.Store
	// Run has the tools, guards, queues and limits that all runs share. A submission that asks for more is refused. If
	// Guards or Queue is nil, the engine makes one for all of its runs.
	Run ptc.Options
	// Key authenticates the journals and encrypts the secrets in them. Without one, a run that needs a secret again
	// cannot be resumed.
	Key journal.Key
	// Memory bounds the sum of the bounds of the admitted runs, in bytes. 0 is DefaultMemory, or the bound of one run
	// if that is larger.
	Memory int64
	// Running bounds the number of admitted runs; 0 is DefaultRunning.
	Running int
	// Queued bounds the number of runs that wait to be admitted; 0 is DefaultQueued. Further submissions are refused.
	Queued int
	// Views are the views through which people see and change the queues and guards of Run. Nil views are
	// made, if Run has a *queue.Enforcer and a *guard.Set.
	Views Views
	// Policies identifies the policies of the configuration, such as by a digest of their file: policies that
	// replace them while the engine runs are kept for engines with the same value.
	Policies string
	// Placement decides which queued runs the engine starts; nil starts all of its store.
	Placement Placement
	// Nodes are the nodes of a cluster, which has a Placement too; nil for a standalone engine.
	Nodes Nodes
	// Replicas evaluate runs together with the engines of the other nodes; with nil each run is evaluated by the engine
	// that it was placed on.
	Replicas Replicas
	// Crashes is the number of crashes of the process, or of nodes, during a run and with no effect of it between them,
	// with which it is poisoned; 0 is DefaultCrashes. Ten times as many poison it in any case.
	Crashes int
	// Cluster is the cluster of Nodes, as people see and change it; nil for a standalone engine.
	Cluster Cluster
	// Shares bound the resources of tenants and submitters; nil adds no bounds.
	Shares *access.Shares
	// FourEyes refuses the approval of a call by the identity that has submitted the run.
	FourEyes bool
	// Linger is the time for which a run that waits for settlements is kept in memory before it is parked, unless
	// others need its room; 0 is DefaultLinger.
	Linger time.Duration
	// SessionIdle is the time after the last evaluation of a session at which it ends; 0 is DefaultSessionIdle.
	SessionIdle time.Duration
	// Sessions bounds the open sessions of one identity; 0 is DefaultSessions.
	Sessions int
	// Each is called before a run is started or resumed, or before this engine takes part in a run that
	// another engine leads, for telemetry. ctx ends with the run, and the fields Around, Observer, Log and the
	// like of the options may be set. It is optional. An evaluation of a session is such a run too, with the
	// id of the session and the name session.
	Each func(ctx context.Context, run store.Run, given *ptc.RunOptions) Reported
	// Log receives messages of the engine; nil discards them.
	Log *slog.Logger
}

// The defaults of Options. A run of the default limits has a bound of 768 MB.
const (
	DefaultMemory  = 4 << 30
	DefaultRunning = 10_000
	DefaultQueued  = 10_000

	DefaultSessionIdle = 15 * time.Minute // as long as somebody thinks about the next line
	DefaultSessions    = 4                // each holds memory while nobody types
)

// DefaultCrashes is the number of crashes without progress in between with which a run is poisoned: twice may be
// chance. Ten times as many are the most in all, since a run that ends the process after each of its calls would do so
// thousands of times.
const DefaultCrashes = 3

// Engine runs programs. New makes one. It is safe for concurrent use.
type Engine struct {
	opts     Options
	log      *slog.Logger
	compiled *cache
	drawn    chan struct{} // has a value for each journal that Draw reads

	ctx    context.Context // of all runs
	end    context.CancelCauseFunc
	kept   context.Context // of changes in the store, which continue while the runs end
	giveUp context.CancelFunc
	wg     sync.WaitGroup // goroutines of the engine

	// placing is held while the usage of all nodes is read, and until a run that was submitted here is counted
	// there. It is locked before mu.
	placing sync.Mutex

	mu        sync.Mutex
	waiting   lanes
	live      map[string]*live    // runs, and evaluations of sessions, by their ids
	following map[string]*live    // runs that another engine leads, see Follow
	sessions  map[string]*session // by id
	streams   map[string]*stream
	lingering []lingerer             // the oldest first
	lingers   int                    // the sum of their bytes
	wakes     map[string]*time.Timer // of parked runs
	alone     *ticket                // the suspect that runs, see suspects.go
	running   int                    // runs that are live, or on their way there, and sessions
	memory    int64                  // the sum of their bounds
	used      account
	joining   int // submissions that are on their way into the queue
	draining  bool
	away      bool          // placed runs go to other nodes, see Away
	ids       store.IDs     // of sessions
	quiet     chan struct{} // closed when calls must not begin any more; see Drain
}

// New returns an engine on a store, and recovers its runs: running ones are queued again, or poisoned, and
// the queue is restored. ctx bounds only New. Drain ends the engine.
func New(ctx context.Context, o Options) (*Engine, error) {
	if o.Store == nil {
		return nil, errors.New("serve: Options.Store is nil, want a store")
	}
	if err := o.Run.Limits.Validate(); err != nil {
		return nil, err
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	e := &Engine{opts: o, log: o.Log, compiled: newCache(), live: make(map[string]*live),
		following: make(map[string]*live),
		sessions:  make(map[string]*session), streams: make(map[string]*stream), wakes: make(map[string]*time.Timer),
		used: make(account), quiet: make(chan struct{}), drawn: make(chan struct{}, drawing)}
	e.ctx, e.end = context.WithCancelCause(context.Background())
	e.kept, e.giveUp = context.WithCancel(context.Background())
	if err := e.recover(ctx); err != nil {
		e.end(err)
		e.giveUp()
		return nil, err
	}
	e.wg.Go(e.watch)
	e.mu.Lock()
	e.admit()
	e.mu.Unlock()
	return e, nil
}

// complete sets the fields that were left out.
func (o *Options) complete() error {
	o.Run.Limits = o.Run.Limits.OrDefault()
	one := bound(o.Run.Limits)
	o.Memory = cmp.Or(o.Memory, max(DefaultMemory, one))
	if one > o.Memory {
		return ErrInvalid.With("the limits let a run take %d bytes, and all runs together may take %d: "+
			"reduce the limits of a run, or raise the memory", one, o.Memory)
	}
	o.Running, o.Queued = cmp.Or(o.Running, DefaultRunning), cmp.Or(o.Queued, DefaultQueued)
	o.Linger = cmp.Or(o.Linger, DefaultLinger)
	o.SessionIdle, o.Sessions = cmp.Or(o.SessionIdle, DefaultSessionIdle), cmp.Or(o.Sessions, DefaultSessions)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Run.Guards == nil {
		o.Run.Guards = guard.NewSet(guard.Options{Logger: o.Log})
	}
	if o.Run.Queue == nil {
		q, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
		if err != nil {
			return err
		}
		o.Run.Queue = q
	}
	o.Views.complete(o)
	return nil
}

// Options returns the options of the engine, completed: the guards and queues of its runs, for example.
func (e *Engine) Options() Options { return e.opts }

// bound returns the most memory that a run with these limits can hold.
func bound(l limits.Limits) int64 { return l.Memory + int64(l.Workers)*l.WorkerMemory }

// Stats returns the load of the engine.
func (e *Engine) Stats() wire.Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	return wire.Stats{Running: e.running, Sessions: len(e.sessions), Queued: e.waiting.len(), Memory: e.memory,
		Most: e.opts.Memory, Draining: e.draining}
}
