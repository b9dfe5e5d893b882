// This file defines a network within a process.

package peer

import (
	"context"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"sync"
	"time"
)

// Memory is a network within a process. At first it has no faults. Its methods add faults at any time, also
// to calls under way. A node calls itself without the network.
//
// The choices of a link, in one direction, are the same for the same seed and the same order of its calls.
type Memory struct {
	seed uint64

	mu          sync.Mutex
	nodes       map[string]*MemoryNode
	links       map[link]*linkState
	flights     map[*flight]bool
	least, most time.Duration
	faults      Faults
}

// link is one direction between two nodes.
type link struct{ from, to string }

// linkState is how well a link works.
type linkState struct {
	random          *rand.Rand
	cut, drop       bool
	least, most     time.Duration // if ownDelay
	ownDelay        bool
	deliveries, all int
}

// Faults are the probabilities of the faults of a call, from 0 to 1. A lost message is noticed immediately,
// as when a connection is reset.
type Faults struct {
	Before float64 // the request is lost
	After  float64 // the answer is lost, after the request was handled
	Twice  float64 // the request is handled twice, one after the other; the caller gets the second answer
}

// Patience is the time after which a link that drops everything is found to be broken.
const Patience = 5 * time.Second

// NewMemory returns a network without nodes. The seed chooses delays and losses.
func NewMemory(seed uint64) *Memory {
	return &Memory{seed: seed, nodes: make(map[string]*MemoryNode), links: make(map[link]*linkState),
		flights: make(map[*flight]bool)}
}

// Join adds a node, and returns its end of the network. An earlier node of the name is not reachable any
// more: a test that restarts a node closes it first.
func (m *Memory) Join(node string) *MemoryNode { return m.JoinRelease(node, "") }

// JoinRelease adds a node of a release, as Join: see SameRelease.
func (m *Memory) JoinRelease(node, release string) *MemoryNode {
	n := &MemoryNode{answerer: newAnswerer(node, release), net: m}
	n.life, n.end = context.WithCancelCause(context.Background())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes[node] = n
	return n
}

// Delay makes each message of a call take a time between least and most, in each direction: a call takes the sum of
// two. Calls may overtake each other. In a stream only the request is delayed.
func (m *Memory) Delay(least, most time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.least, m.most = least, max(least, most)
}

// DelayLink is Delay for the messages between two nodes, in both directions, in place of that of the network.
func (m *Memory) DelayLink(a, b string, least, most time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range []link{{a, b}, {b, a}} {
		s := m.link(l)
		s.least, s.most, s.ownDelay = least, max(least, most), true
	}
}

// Fail makes calls fail.
func (m *Memory) Fail(f Faults) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = f
}

// Cut cuts the link between two nodes. Calls and streams over it fail immediately, including those under way.
func (m *Memory) Cut(a, b string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cut(a, b)
}

func (m *Memory) cut(a, b string) {
	m.link(link{a, b}).cut, m.link(link{b, a}).cut = true, true
	for f := range m.flights {
		if f.link == (link{a, b}) || f.link == (link{b, a}) {
			f.end(unreachable(f.link.to, nil))
		}
	}
}

// Drop makes a link swallow all messages in one direction. Callers that wait for an answer over it notice after
// Patience, or when their context ends.
func (m *Memory) Drop(from, to string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.link(link{from, to}).drop = true
	for f := range m.flights {
		if f.link == (link{from, to}) || f.link == (link{to, from}) {
			f.silence()
		}
	}
}

// Partition cuts all links between nodes of different groups, and repairs those within a group. Nodes that are in no
// group keep their links.
func (m *Memory) Partition(groups ...[]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, group := range groups {
		for _, a := range group {
			for j, other := range groups {
				for _, b := range other {
					switch {
					case i == j && a != b:
						m.heal(link{a, b})
					case i < j:
						m.cut(a, b)
					}
				}
			}
		}
	}
}

// Heal repairs the link between two nodes.
func (m *Memory) Heal(a, b string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heal(link{a, b})
	m.heal(link{b, a})
}

// HealAll repairs all links. Delays and Faults stay.
func (m *Memory) HealAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for l := range maps.Keys(m.links) {
		m.heal(l)
	}
}

func (m *Memory) heal(l link) { m.link(l).cut, m.link(l).drop = false, false }

// Sent returns how many calls and streams went from a node to another one, and how many of them arrived.
func (m *Memory) Sent(from, to string) (sent, arrived int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.link(link{from, to})
	return s.all, s.deliveries
}

// link returns the state of a link. m.mu is held.
func (m *Memory) link(l link) *linkState {
	s := m.links[l]
	if s == nil {
		h := fnv.New64a()
		h.Write([]byte(l.from + "\x00" + l.to))
		s = &linkState{random: rand.New(rand.NewPCG(m.seed, h.Sum64()))}
		m.links[l] = s
	}
	return s
}

// flight is a call or a stream between two nodes.
type flight struct {
	link
	ctx                   context.Context // ends with the caller's, or with ErrUnreachable as its cause
	end                   context.CancelCauseFunc
	there, back           time.Duration
	before, after, repeat bool
	silent                *time.Timer
}

// silence ends the flight after Patience. The network's mu is held.
func (f *flight) silence() {
	if f.silent == nil {
		f.silent = time.AfterFunc(Patience, func() { f.end(unreachable(f.to, nil)) })
	}
}

// depart begins a flight. The caller lands it.
func (m *Memory) depart(ctx context.Context, from, to string) *flight {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := &flight{link: link{from, to}}
	f.ctx, f.end = context.WithCancelCause(ctx)
	s := m.link(f.link)
	least, most := m.least, m.most
	if s.ownDelay {
		least, most = s.least, s.most
	}
	delay := func() time.Duration { return least + time.Duration(s.random.Int64N(int64(most-least)+1)) }
	// Each flight draws all random choices, so that the choices of the next flight do not depend on this one.
	f.there, f.back = delay(), delay()
	f.before = s.random.Float64() < m.faults.Before
	f.after = s.random.Float64() < m.faults.After
	f.repeat = s.random.Float64() < m.faults.Twice
	s.all++
	m.flights[f] = true
	return f
}

// land ends a flight.
func (m *Memory) land(f *flight) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.flights, f)
	if f.silent != nil {
		f.silent.Stop()
	}
	f.end(nil)
}

// arrive brings a request to its node after its delay.
func (m *Memory) arrive(f *flight) (*MemoryNode, error) {
	if err := f.pass(f.there); err != nil {
		return nil, err
	}
	m.mu.Lock()
	s, n := m.link(f.link), m.nodes[f.to]
	if s.drop {
		f.silence()
		m.mu.Unlock()
		<-f.ctx.Done()
		return nil, context.Cause(f.ctx)
	}
	defer m.mu.Unlock()
	switch {
	case s.cut || f.before:
		return nil, unreachable(f.to, nil)
	case n == nil || !n.begin():
		return nil, unreachable(f.to, ErrRefused)
	}
	s.deliveries++
	return n, nil
}

// answered brings an answer back to the caller after its delay.
func (m *Memory) answered(f *flight) error {
	if err := f.pass(f.back); err != nil {
		return err
	}
	m.mu.Lock()
	s := m.link(link{f.to, f.from})
	if s.drop {
		f.silence()
		m.mu.Unlock()
		<-f.ctx.Done()
		return context.Cause(f.ctx)
	}
	defer m.mu.Unlock()
	if s.cut || f.after {
		return unreachable(f.to, nil)
	}
	return nil
}

// pass waits for a time, or for the end of the flight, whose cause it returns.
func (f *flight) pass(d time.Duration) error {
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-f.ctx.Done():
		}
	}
	return context.Cause(f.ctx)
}
