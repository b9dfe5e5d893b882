// Package memory is a cluster of engines in one process, for tests and for replicas in one process.
//
//	cluster := memory.New(memory.Options{}, "node1", "node2", "node3")
//	engine := cluster.Member("node1")
//
// All members share one map and its history, so all see its changes in one order by construction. A cluster
// can be disturbed as a real one is: Split cuts links, Delay makes requests slow, Crash and Start end and
// start a member, Pause stops one as SIGSTOP does, DropAnswers loses the answers to commits. Nothing is on
// a disk: a crashed member finds all commits again when it starts.
//
// It uses the clock of package time, so tests of leases run in a bubble of testing/synctest. A cluster has
// no goroutines except timers, which end with their leases.
package memory

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Options are the settings of a cluster. The zero value has the defaults.
type Options struct {
	Timeout time.Duration // after which a call without a majority returns ErrUnavailable; 5 s by default
	Quota   int64         // of the bytes of all keys and values with their history; 0 for none
}

// Cluster is the state that members share.
type Cluster struct {
	options Options

	mu      sync.Mutex
	changed chan struct{} // closed at the next change of anything that a call may wait for
	data    data
	leases  map[engine.LeaseID]*lease
	lastID  engine.LeaseID
	term    uint64
	leader  string
	members map[string]*Member // the latest of each name
	names   []string
	full    bool
}

// Member is one member of a cluster, from its start to its end. It implements engine.Engine.
type Member struct {
	name    string
	cluster *Cluster

	// The fields below are guarded by the mutex of the cluster.
	group  int             // it reaches the members of the same group
	seen   engine.Revision // the last commit that it knows
	paused bool
	done   chan struct{} // closed at its end
	ended  bool
	delay  time.Duration
	drop   int      // so many answers are lost
	late   []*lease // they have ended while it was paused
}

// New returns a cluster of members with names, all started.
func New(options Options, names ...string) *Cluster {
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	c := &Cluster{options: options, changed: make(chan struct{}), leases: map[engine.LeaseID]*lease{},
		members: map[string]*Member{}, names: slices.Clone(names)}
	c.data.init()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		c.members[name] = &Member{name: name, cluster: c, done: make(chan struct{})}
	}
	c.update()
	return c
}

// Member returns the member with a name, which is the last one that was started.
func (c *Cluster) Member(name string) *Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.member(name)
}

func (c *Cluster) member(name string) *Member {
	m := c.members[name]
	if m == nil {
		panic(fmt.Sprintf("memory: the cluster has no member %q; it has %q", name, c.names))
	}
	return m
}

// Split cuts the links between groups of members. Members that no group names are each alone.
func (c *Cluster) Split(groups ...[]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, name := range c.names {
		c.members[name].group = -1 - i
	}
	for i, group := range groups {
		for _, name := range group {
			c.member(name).group = i
		}
	}
	c.update()
}

// Cut cuts all links of a member. The other members keep theirs.
func (c *Cluster) Cut(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.member(name).group = -1 - slices.Index(c.names, name)
	c.update()
}

// Heal restores all links.
func (c *Cluster) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		m.group = 0
	}
	c.update()
}

// Crash ends a member immediately. Its calls return engine.ErrClosed, and its leases end with their lifetimes.
func (c *Cluster) Crash(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(c.member(name))
}

func (c *Cluster) end(m *Member) {
	if m.ended {
		return
	}
	m.ended = true
	close(m.done)
	for _, l := range c.leases {
		if l.holder == m {
			l.lose()
		}
	}
	m.loseLate()
	c.update()
}

func (m *Member) loseLate() {
	for _, l := range m.late {
		l.lose()
	}
	m.late = nil
}

// running reports whether any member runs.
func (c *Cluster) running() bool {
	for _, m := range c.members {
		if !m.ended {
			return true
		}
	}
	return false
}

// Start starts a member that has crashed or was closed, and returns it. Its links are as they were.
func (c *Cluster) Start(name string) *Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.member(name)
	if !old.ended {
		panic(fmt.Sprintf("memory: member %q is running", name))
	}
	m := &Member{name: name, cluster: c, group: old.group, seen: old.seen, done: make(chan struct{})}
	for _, l := range c.leases {
		l.timer.Reset(l.lifetime / 8)
	}
	c.members[name] = m
	c.update()
	return m
}

// Pause stops a member, as SIGSTOP stops a process: its calls and watches wait until Resume, its leases are not
// renewed, and it does not notice that they end until it continues.
func (c *Cluster) Pause(name string) { c.pause(name, true) }

// Resume makes a paused member continue.
func (c *Cluster) Resume(name string) { c.pause(name, false) }

func (c *Cluster) pause(name string, paused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.member(name)
	m.paused = paused
	if !paused {
		m.loseLate()
	}
	c.update()
}

// Delay makes the calls of a member that need a majority take so much longer, half of it before they take effect.
func (c *Cluster) Delay(name string, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.member(name).delay = d
}

// DropAnswers loses the answers to the next n commits of a member: they are made, and return ErrUnavailable.
func (c *Cluster) DropAnswers(name string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.member(name).drop = n
}

// Revision returns the revision of the last commit.
func (c *Cluster) Revision() engine.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.data.head
}

// connected reports whether a member runs and reaches a majority of the members, itself included.
func (c *Cluster) connected(m *Member) bool {
	if m.ended || m.paused || c.members[m.name] != m {
		return false
	}
	n := 0
	for _, o := range c.members {
		if o.group == m.group && !o.ended && !o.paused {
			n++
		}
	}
	return n > len(c.names)/2
}

// update applies a change of the members, the links or the data: it elects a leader, sends the connected members the
// commits, and wakes all calls.
func (c *Cluster) update() {
	if l := c.members[c.leader]; l == nil || !c.connected(l) {
		c.leader = ""
		for _, name := range c.names {
			if c.connected(c.members[name]) {
				c.leader = name
				c.term++
				break
			}
		}
	}
	for _, m := range c.members {
		if c.connected(m) {
			m.seen = c.data.head
		}
	}
	close(c.changed)
	c.changed = make(chan struct{})
}
