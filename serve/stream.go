// This file defines the stream of the events of one run, and subscriptions to it.

package serve

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// The bounds of the events that are kept of a run: some minutes of a program that prints and calls now and then.
const (
	keptEvents = 256
	keptBytes  = 256 << 10
	maxPrint   = 16 << 10 // bytes of a print in an event
)

// lingering bounds the events that are kept of runs that have stopped, in bytes.
const lingering = 16 << 20

// stream has the last events of a run. A live run and each subscription hold it; when nobody does, it is
// dropped after the streams of later runs. Adding an event never waits for a subscriber: each reads the
// events at its own speed.
type stream struct {
	id   string
	refs int // guarded by the engine's lock

	mu      sync.Mutex
	events  []wire.Event
	bytes   int
	dropped uint64 // events that were kept once
	next    uint64 // the least ID of the next event
	last    *wire.Changed
	more    chan struct{} // closed at the next event
}

// attemptShift is the number of bits of an ID below the attempt.
const attemptShift = 32

// finalID returns the ID of the event with the final state.
func finalID(attempts int) uint64 { return uint64(attempts+1) << attemptShift }

// add adds an event.
func (s *stream) add(data wire.EventData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch d := data.(type) {
	case wire.Changed:
		first := uint64(d.Attempts)<<attemptShift + 1
		if d.State.Final() {
			first = finalID(d.Attempts)
		}
		s.next = max(s.next, first)
		s.last = &d
	case wire.Printed:
		if len(d.Text) > maxPrint {
			d.Text, d.Bytes = shortened(d.Text, maxPrint), len(d.Text)
		}
		data = d
	}
	s.events = append(s.events, wire.Event{ID: s.next, Time: time.Now(), Data: data})
	s.next++
	s.bytes += weight(data)
	for len(s.events) > keptEvents || s.bytes > keptBytes && len(s.events) > 1 {
		s.bytes -= weight(s.events[0].Data)
		s.events[0] = wire.Event{}
		s.events = s.events[1:]
		s.dropped++
	}
	if s.more != nil {
		close(s.more)
		s.more = nil
	}
}

// weight returns about the memory of an event.
func weight(data wire.EventData) int {
	const most = 160
	if p, ok := data.(wire.Printed); ok {
		return most + len(p.Text)
	}
	return most
}

// after returns the first event after an ID, or the channel that is closed when there may be one. gap is the number of
// events between that are not kept any more.
func (s *stream) after(id uint64) (ev wire.Event, gap uint64, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.events {
		if s.events[i].ID > id {
			if i == 0 && s.dropped > 0 && s.events[0].ID > id+1 {
				gap = min(s.dropped, s.events[0].ID-id-1)
			}
			return s.events[i], gap, nil
		}
	}
	if s.more == nil {
		s.more = make(chan struct{})
	}
	return wire.Event{}, 0, s.more
}

// state returns the last state, and the channel that is closed when there may be another one.
func (s *stream) state() (last *wire.Changed, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.more == nil {
		s.more = make(chan struct{})
	}
	return s.last, s.more
}

// hold returns the stream of a run, and counts the holder. The caller holds the lock of the engine.
func (e *Engine) hold(id string) *stream {
	s := e.streams[id]
	if s == nil {
		s = &stream{id: id}
		e.streams[id] = s
	}
	s.refs++
	return s
}

// drop forgets a stream that nobody holds any more. The caller holds the lock of the engine.
func (e *Engine) drop(s *stream) {
	if s.refs--; s.refs == 0 {
		delete(e.streams, s.id)
	}
}

// linger drops the stream of a run that has stopped when later runs need its room: a client whose connection was cut
// comes back for the events that it has missed. The caller holds the lock of the engine.
func (e *Engine) linger(s *stream) {
	const empty = 512 // about the bytes of a stream without events
	s.mu.Lock()
	size := s.bytes + empty
	s.mu.Unlock()
	e.lingering = append(e.lingering, lingerer{s, size})
	for e.lingers += size; e.lingers > lingering; e.lingering = e.lingering[1:] {
		e.lingers -= e.lingering[0].size
		e.drop(e.lingering[0].stream)
		e.lingering[0] = lingerer{}
	}
}

// lingerer is a stream that nobody else may hold, with its bytes at that time.
type lingerer struct {
	stream *stream
	size   int
}

// tell adds an event to the stream of a run, if anybody holds it.
func (e *Engine) tell(id string, data wire.EventData) {
	e.mu.Lock()
	s := e.streams[id]
	e.mu.Unlock()
	if s != nil {
		s.add(data)
	}
}

// Subscription reads the events of a run. Only one goroutine may use it at a time.
type Subscription struct {
	engine *Engine
	stream *stream      // nil if the run had ended, and its events are forgotten or known
	ended  []wire.Event // of a run that had ended
	at     uint64       // the ID of the last event
	over   bool
}

// Subscribe returns a subscription to the events of a run that have an ID above after; 0 for all that are kept. The
// first event of a run that does not run is its state. The caller calls Close.
func (e *Engine) Subscribe(ctx context.Context, id string, after uint64) (*Subscription, error) {
	e.mu.Lock()
	s := e.hold(id)
	e.mu.Unlock()
	sub := &Subscription{engine: e, stream: s, at: after}
	run, err := e.opts.Store.Get(ctx, id) // after the stream is held: a later change is in it
	if err != nil {
		sub.Close()
		return nil, err
	}
	if known, _ := s.state(); run.State.Final() && (known == nil || after >= finalID(run.Attempts)) {
		sub.Close()
		if last := finalID(run.Attempts); after < last {
			sub.ended = []wire.Event{{ID: last, Time: run.Ended, Data: stateOf(&run)}}
		}
		return sub, nil
	}
	s.seed(&run)
	return sub, nil
}

// seed adds the state of the run to a stream without events. Its ID is above those of an earlier process.
func (s *stream) seed(run *store.Run) {
	s.mu.Lock()
	empty := s.last == nil
	if empty {
		s.next = max(s.next, uint64(run.Attempts)<<attemptShift+1<<(attemptShift-1))
	}
	s.mu.Unlock()
	if empty {
		s.add(stateOf(run))
	}
}

// Next returns the next event, and io.EOF after the event with the final state. It waits until there is one, or ctx
// ends.
func (s *Subscription) Next(ctx context.Context) (wire.Event, error) {
	if s.stream == nil {
		if len(s.ended) == 0 {
			return wire.Event{}, io.EOF
		}
		ev := s.ended[0]
		s.ended = s.ended[1:]
		return ev, nil
	}
	for !s.over {
		ev, gap, more := s.stream.after(s.at)
		if more != nil {
			select {
			case <-more:
				continue
			case <-ctx.Done():
				return wire.Event{}, context.Cause(ctx)
			}
		}
		if gap > 0 {
			s.at = ev.ID - 1
			return wire.Event{ID: s.at, Time: ev.Time, Data: wire.Dropped{Events: gap}}, nil
		}
		s.at = ev.ID
		if c, ok := ev.Data.(wire.Changed); ok && c.State.Final() {
			s.over = true
		}
		return ev, nil
	}
	return wire.Event{}, io.EOF
}

// Close ends the subscription.
func (s *Subscription) Close() {
	if s.stream == nil {
		return
	}
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	s.engine.drop(s.stream)
	s.stream = nil
}
