// Package share has the nodes of a cluster evaluate runs together. The rules are those of package runtime/dist; this
// package decides which nodes take part.
//
//   - Share: the runs that this node evaluates, as their leader or as one that follows. It implements serve.Replicas.
//   - Host: evaluates runs on a node that follows the leaders of other nodes.
//
// # How a node comes to take part
//
// The leader of a run offers it while it has units of elements that nobody has, and its elements mostly wait. The offer
// is a key of the engine. Each node follows the offers, and takes part in a run when it has room: pull decides, as for
// whole runs. It takes one of as many places as the run may have nodes: a key that is bound to the lease of its
// session. It leaves when there has been nothing to do for a time, or when runs wait that could have its room.
//
// # Who is dead
//
// The name of an incarnation begins with the session of its node, and the process. The leader of a run declares the
// incarnations dead whose session has ended. When a node is back with another process, all calls of the process before
// have ended, which the leader declares too: before that, a write in doubt is shown only after the grace time.
package share

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// Host evaluates runs on a node.
type Host interface {
	// Room returns the present room of the node.
	Room() place.Room
	// Follow makes the node take part in a run that another one leads. It does not wait. trace names the span of the
	// leader, see serve.Placed. left is called when that has ended; if Follow returns false it is not called.
	Follow(j place.Job, trace string, left func()) bool
}

// Logs has the logs of runs.
type Logs interface {
	// Log returns the log of a run for a new writer, which the caller closes.
	Log(run string) (*runlog.Log, error)
	// SharedLog reports whether several nodes can evaluate a run.
	SharedLog(ctx context.Context, run string) (bool, error)
}

// Options are the settings of a Share. All except Grace and Log are required.
type Options struct {
	Engine  engine.Engine
	Members *member.Cluster
	Queue   *place.Queue
	Host    Host
	Logs    Logs
	Key     journal.Key
	// From is the minimum number of elements of a shared operation, Unit the maximum number of elements that a
	// node takes at a time, and Waiting the fraction of waiting evaluations at which other nodes are asked to
	// take part.
	From, Unit int
	Waiting    float64
	// Grace is the time after the death of a node at which none of its calls can be under way; 0 is 2 minutes.
	Grace time.Duration
	Log   *slog.Logger // nil discards
}

// Share is the part of this node in the runs that several nodes evaluate. It is safe for concurrent use.
type Share struct {
	opts Options
	log  *slog.Logger
	self string
	ctx  context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup
	kick chan struct{} // has a value when there may be something to take part in

	mu     sync.Mutex
	parts  map[string]*part             // of this node, by run
	offers map[string]offered           // of all nodes, by run
	places map[string]map[string]string // nodes that take part, by run and the key of the place
	later  map[string]time.Time         // runs in which this node takes no part before a time
	has    map[string]string            // keys of the places that this node has and needs, by run
}

// offered is an offer as the engine has it.
type offered struct {
	offer
	modified engine.Revision
}

// New returns the Share of a node. Close ends it.
func New(o Options) *Share {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Share{opts: o, log: o.Log, self: o.Members.Self().Name, kick: make(chan struct{}, 1),
		parts: make(map[string]*part), offers: make(map[string]offered), places: make(map[string]map[string]string),
		later: make(map[string]time.Time), has: make(map[string]string)}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.wg.Go(s.follow)
	s.wg.Go(s.pull)
	s.wg.Go(s.tend)
	return s
}

// Close stops the Share. The runs of this node must have ended.
func (s *Share) Close() {
	s.end()
	s.wg.Wait()
}

// Shares implements serve.Replicas.
func (s *Share) Shares(ctx context.Context, run string) (shared bool, err error) {
	err = lasting(ctx, func() error {
		shared, err = s.opts.Logs.SharedLog(ctx, run)
		return err
	})
	return shared, err
}

// Replica implements serve.Replicas.
func (s *Share) Replica(e serve.Evaluation) serve.Replica {
	p := &part{share: s, e: e, session: s.opts.Members.Now(), led: make(chan struct{})}
	if e.Leads {
		p.leads = true
		close(p.led)
	}
	return p
}

// Units implements serve.Replicas.
func (s *Share) Units(ctx context.Context, run string) ([]store.Units, error) {
	if shared, err := s.Shares(ctx, run); err != nil || !shared {
		return nil, err
	}
	log, err := s.opts.Logs.Log(run)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	st := dist.NewState()
	if err := read(ctx, log, st); err != nil {
		return nil, err
	}
	return unitsOf(st), nil
}

// read applies the records that a log has now.
func read(ctx context.Context, log *runlog.Log, st *dist.State) error {
	return log.Read(ctx, func(at runlog.Position, data []byte) error {
		r, err := dist.Decode(data)
		if err == nil {
			_, err = st.Apply(at, r)
		}
		if err != nil {
			return errors.Join(err, dist.ErrBroken)
		}
		return nil
	})
}

// Parts reports whether this node takes part in a run that it need not lead, and whether others do.
func (s *Share) Parts(run string) (here, elsewhere bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	here = s.parts[run] != nil
	for _, node := range s.places[run] {
		elsewhere = elsewhere || node != s.self
	}
	return here, elsewhere
}

// placed reports whether a node has a place in a run.
func (s *Share) placed(run, node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, has := range s.places[run] {
		if has == node {
			return true
		}
	}
	return false
}
