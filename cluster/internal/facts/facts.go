// Package facts keeps facts about hosts, such as their operating system, for all runs of a cluster. The tools of
// package tools/facts read and write them.
//
//   - Store: the facts of a node's region, on its engine. Open makes one; Source returns the source of the tools.
//   - Level: how fresh a read is.
//   - Fact, Stamp, Clock: a fact, and the time of its last write, which orders the writes of all regions.
//
// # Within a region
//
// A fact is a key of the engine, so the writes of a region have one order, and a write can require a version.
//
//	eventual  the state that this node knows, however old; works without a majority
//	session   the state that this node knows, if it was read within 5 s; includes all writes made through this node
//	strong    all writes that had ended when the read began
//	quorum    the same, and the read is a commit that a majority has on its disks
//
// # Between regions
//
// Every region has all facts. A write reaches the others within about a second. Of two writes of one fact the later
// one wins, by the time of a hybrid logical clock, and by the name of the node if the times are equal. Nothing else is
// lost: the unit is the fact, not the host. Every 5 minutes regions compare their facts, and exchange the
// different ones. So they agree in the end, whichever messages are lost.
//
// The clock follows the writes that it has seen, so a write made after another one was seen is later than it, even if
// the clocks of the machines differ by minutes. Concurrent writes in two regions are ordered by the clocks of the
// machines.
package facts

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/tools/facts"
)

// Level is how fresh a read is. See the package comment.
type Level = facts.Level

// The levels.
const (
	Eventual = facts.Eventual
	Session  = facts.Session
	Strong   = facts.Strong
	Quorum   = facts.Quorum
)

// Bounds of facts. Larger ones are refused.
const (
	MaxName  = 256      // bytes of the name of a host, and of a fact
	MaxValue = 64 << 10 // bytes of a value as JSON
	MaxFacts = 1000     // of a host
)

// The defaults of Options.
const (
	DefaultFresh   = 5 * time.Second
	DefaultDelta   = time.Second
	DefaultEntropy = 5 * time.Minute
)

// Options configure a Store.
type Options struct {
	Engine engine.Engine
	Node   string // the name of this node
	// Region is the region of this node; "" if there is only one.
	Region string
	// Network reaches the nodes of other regions; nil if there are none.
	Network peer.Network
	// Regions returns the other regions, each with nodes that can be asked, in the order in which they are tried.
	Regions func() map[string][]string
	// Sends reports whether this node sends the region's facts to the others. One node of a region should; if there are
	// several, the others work in vain. nil means always.
	Sends func() bool
	// Level is the default of reads; "" means Session.
	Level Level

	Fresh   time.Duration // of a session; DefaultFresh if 0
	Delta   time.Duration // between two deltas; DefaultDelta if 0
	Entropy time.Duration // between two comparisons of everything; DefaultEntropy if 0
	// Unfollowed leaves out changes by other nodes between the comparisons: a read of level Eventual may be as old as
	// Entropy.
	Unfollowed bool
	// Now is the clock of the machine; nil means time.Now.
	Now func() time.Time
	// Report is called with problems that are tried again, such as a region that can't be reached. It may be nil.
	Report func(error)
	// Damaged is called with each fact that can't be read, and is left out when regions exchange facts. It may be nil.
	Damaged func(error)
	// Synced is called with the time of each successful comparison of the known facts with the engine, and of
	// each successful exchange with a region. It is optional.
	Synced func(time.Duration)
	// Sealer encrypts facts on the engine; nil leaves them in plain text.
	Sealer Sealer
}

// Sealer encrypts facts for the disks of the engine, and authenticates them with their host and name.
type Sealer interface {
	Seal(host, name string, plain []byte) ([]byte, error)
	Open(host, name string, sealed []byte) ([]byte, error)
}

// Store holds the facts as a node sees them. Any number of goroutines may use it at once.
type Store struct {
	o     Options
	clock *Clock

	mu    sync.Mutex
	hosts map[string]*known
	stale time.Time                  // reads before this time are not fresh; see Expire
	epoch int                        // counts how often hosts was cleared because the watch began again
	from  engine.Revision            // after which the watch began
	dirty map[string]map[string]bool // by region: the keys to send
	full  map[string]bool            // regions to compare everything with
	// damaged are the facts that can't be read, with their revisions.
	damaged map[string]engine.Revision

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// prefix begins the keys of facts; fence begins the keys of the commits of quorum reads.
const (
	prefix = "facts/"
	fence  = "facts-fence/"
)

// Open returns the facts of a region, and starts to follow them. It answers other regions through the network, so it is
// called before the node is reachable. The caller calls Close.
func Open(o Options) (*Store, error) {
	if o.Engine == nil || o.Node == "" {
		return nil, errors.New("facts: Open: want an engine and the name of the node")
	}
	if o.Level == "" {
		o.Level = Session
	}
	if !o.Level.Valid() {
		return nil, fmt.Errorf("facts: Open: level %q, want eventual, session, strong or quorum", o.Level)
	}
	for d, normal := range map[*time.Duration]time.Duration{&o.Fresh: DefaultFresh, &o.Delta: DefaultDelta,
		&o.Entropy: DefaultEntropy} {
		if *d <= 0 {
			*d = normal
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Synced == nil {
		o.Synced = func(time.Duration) {}
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Damaged == nil {
		o.Damaged = o.Report
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Store{o: o, clock: NewClock(o.Node, o.Now), hosts: make(map[string]*known),
		dirty: make(map[string]map[string]bool), full: make(map[string]bool), cancel: cancel,
		damaged: make(map[string]engine.Revision)}
	if o.Network != nil {
		s.answer()
	}
	if !o.Unfollowed {
		s.done.Go(func() { s.follow(ctx) })
	}
	s.done.Go(func() { s.review(ctx) })
	if o.Network != nil && o.Regions != nil {
		s.done.Go(func() { s.sync(ctx) })
	}
	return s, nil
}

// Close ends the work of the store and waits for it. It does not close the engine.
func (s *Store) Close() error {
	s.cancel()
	s.done.Wait()
	return nil
}

// ErrBound: a host, a fact or a value exceeds a bound of this package.
var ErrBound = errors.New("facts: bound exceeded")

// hostKey returns the prefix of the keys of a host's facts.
func hostKey(host string) string { return prefix + url.PathEscape(host) + "/" }

// factKey returns the key of a fact.
func factKey(host, name string) string { return hostKey(host) + url.PathEscape(name) }

// splitKey returns the host and the name of a fact by its key. Other keys of the engine are none.
func splitKey(key string) (host, name string, ok bool) {
	rest, isFact := strings.CutPrefix(key, prefix)
	h, n, ok := strings.Cut(rest, "/")
	if !isFact || !ok {
		return "", "", false
	}
	host, err := url.PathUnescape(h)
	if err != nil {
		return "", "", false
	}
	name, err = url.PathUnescape(n)
	return host, name, err == nil
}

func checkNames(host, name string) error {
	for what, s := range map[string]string{"host": host, "fact": name} {
		if s == "" || len(s) > MaxName {
			return fmt.Errorf("%w: the name of the %s has %d bytes, want 1 to %d", ErrBound, what, len(s), MaxName)
		}
	}
	return nil
}
