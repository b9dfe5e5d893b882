// This file defines how the events of a run are read.

package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// maxIdle is the time without a line after which a connection is taken for lost. The service sends one each 15 seconds.
const maxIdle = 45 * time.Second

// maxEvent bounds a line of a stream. The service cuts a print at 16 KB.
const maxEvent = 1 << 20

// Events returns the events of a run that have an ID above after; 0 for all that the service still has. It ends after
// the event with the final state, or after an error. When the connection is lost, it continues after the
// last event. The Time of the events is zero.
//
// An event wire.Dropped replaces events that the service no longer had: it keeps the last ones, and none over its
// restart. Run states and prints are never lost: see Follow.
func (c *Client) Events(ctx context.Context, id string, after uint64) iter.Seq2[wire.Event, error] {
	if ctx == nil {
		ctx = context.Background()
	}
	return func(yield func(wire.Event, error) bool) {
		s := &stream{client: c, ctx: ctx, id: id, last: after, alive: time.Now()}
		for !s.ended {
			err := s.connection(yield)
			if err == nil {
				continue
			}
			if err = s.pause(err); err != nil {
				yield(wire.Event{}, err)
				return
			}
		}
	}
}

// stream reads the events of a run over one connection after the other.
type stream struct {
	client *Client
	ctx    context.Context
	id     string
	last   uint64    // the ID of the last event
	ended  bool      // there are no more events, or nobody wants them
	alive  time.Time // the last sign of life of the service
	failed int       // connections since then
}

// connection reads events from one connection. The error is that of the connection; nil at the end of the events.
func (s *stream) connection(yield func(wire.Event, error) bool) error {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	r := get("/v1/runs/%s/events", s.id)
	r.accept = "text/event-stream"
	if s.last > 0 {
		r.header = http.Header{"Last-Event-Id": {strconv.FormatUint(s.last, 10)}}
	}
	idle := time.AfterFunc(s.client.opts.Timeout, func() { cancel(errTimeout) })
	defer idle.Stop()
	resp, err := s.client.send(ctx, &r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		s.ended = true
		return nil
	}
	if media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); media != r.accept {
		return foreign(resp)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	var ev event
	for idle.Reset(s.client.idle); lines.Scan(); idle.Reset(s.client.idle) {
		s.alive, s.failed = time.Now(), 0
		if !ev.line(lines.Text()) {
			continue
		}
		idle.Stop() // the receiver of the event may take its time
		if err := s.pass(&ev, yield); err != nil || s.ended {
			return err
		}
		s.alive, ev = time.Now(), event{}
	}
	switch err = lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong): // as it would be on the next connection
		return newError(CodeForeign, fmt.Sprintf("an event of the service has more than %d bytes", maxEvent))
	case err == nil:
		err = io.ErrUnexpectedEOF // the service ends a stream after the final state
	}
	return s.client.lost(ctx, &r, err)
}

// pass hands an event on. It passes over kinds that this client does not know, and events that were passed before.
func (s *stream) pass(ev *event, yield func(wire.Event, error) bool) error {
	id, err := strconv.ParseUint(ev.id, 10, 64)
	if err != nil {
		return newError(CodeForeign, "an event of the service has no id that is a number: "+strconv.Quote(ev.id))
	}
	if id <= s.last {
		return nil
	}
	data, err := decoded(ev)
	if err != nil {
		return newError(CodeForeign, "an event of the service can't be read: "+err.Error())
	}
	s.last = id
	if data == nil {
		return nil
	}
	changed, ok := data.(wire.Changed)
	s.ended = !yield(wire.Event{ID: id, Data: data}, nil) || ok && changed.State.Final()
	return nil
}

// pause waits before the next connection. It returns an error if there should be none.
func (s *stream) pause(err error) error {
	var e *Error
	if !errors.As(err, &e) || !e.Temporary() {
		return err
	}
	d := max(backoff(s.failed), e.RetryAfter)
	s.failed++
	if time.Since(s.alive)+d > s.client.opts.Patience {
		return err
	}
	if !sleep(s.ctx, d) {
		return failed(s.ctx, e.Request, err)
	}
	return nil
}

// event is an event as its lines are read.
type event struct {
	id, name, data string
}

// line reads a line, and reports whether it ends the event.
func (e *event) line(text string) bool {
	name, value, _ := strings.Cut(text, ":")
	value = strings.TrimPrefix(value, " ")
	switch {
	case text == "" && e.name == "": // it has no kind
		*e = event{}
	case text == "":
		return true
	case name == "id":
		e.id = value
	case name == "event":
		e.name = value
	case name == "data":
		e.data += value
	}
	return false
}

// decoded returns the data of an event; nil for a kind that is not known.
func decoded(ev *event) (wire.EventData, error) {
	switch ev.name {
	case wire.Changed{}.Event():
		return dataOf[wire.Changed](ev.data)
	case wire.Printed{}.Event():
		return dataOf[wire.Printed](ev.data)
	case wire.CallBegun{}.Event():
		return dataOf[wire.CallBegun](ev.data)
	case wire.CallEnded{}.Event():
		return dataOf[wire.CallEnded](ev.data)
	case wire.WaitBegun{}.Event():
		return dataOf[wire.WaitBegun](ev.data)
	case wire.Waited{}.Event():
		return dataOf[wire.Waited](ev.data)
	case wire.Progressed{}.Event():
		return dataOf[wire.Progressed](ev.data)
	case wire.Dropped{}.Event():
		return dataOf[wire.Dropped](ev.data)
	}
	return nil, nil
}

func dataOf[T wire.EventData](text string) (wire.EventData, error) {
	var data T
	err := json.Unmarshal([]byte(text), &data)
	return data, err
}

// Follow writes the prints of a run to w as they come, until the run rests, see store.Run.Rests, and
// returns the run. Each print is written once, even if the connection is lost, the service restarts, or the
// run continues elsewhere. An error of w is returned unchanged.
func (c *Client) Follow(ctx context.Context, id string, w io.Writer) (store.Run, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	f := follower{client: c, ctx: ctx, id: id, out: w}
	for ev, err := range c.Events(ctx, id, 0) {
		if err != nil {
			return store.Run{}, err
		}
		switch d := ev.Data.(type) {
		case wire.Printed:
			if err := f.print(&d); err != nil {
				return store.Run{}, err
			}
		case wire.Changed:
			if d.State == store.Queued || d.State == store.Running {
				continue
			}
			if run, err := f.rest(); err != nil || run.Rests() {
				return run, err
			}
		}
	}
	return f.rest()
}

// follower writes the prints of a run.
type follower struct {
	client *Client
	ctx    context.Context
	id     string
	out    io.Writer
	at     int // the bytes that were written
}

// print writes the part of a print that is not written yet.
func (f *follower) print(p *wire.Printed) error {
	if p.Bytes > 0 || p.At > f.at { // it is not whole, or there were others before it
		return f.catchUp()
	}
	if p.At+len(p.Text) <= f.at {
		return nil
	}
	return f.write(p.Text[f.at-p.At:])
}

func (f *follower) write(text string) error {
	n, err := io.WriteString(f.out, text)
	f.at += n
	return err
}

// catchUp writes the prints that Follow has missed.
func (f *follower) catchUp() error {
	text, err := f.client.Prints(f.ctx, f.id, f.at)
	if err != nil {
		return err
	}
	return f.write(text)
}

// rest returns the run, and writes the rest of its prints if it rests.
func (f *follower) rest() (store.Run, error) {
	run, err := f.client.Get(f.ctx, f.id)
	switch {
	case err != nil || !run.Rests():
		return run, err
	case run.State.Final():
		return run, f.write(run.Prints[min(f.at, len(run.Prints)):])
	}
	return run, f.catchUp()
}
