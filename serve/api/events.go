// This file defines the stream of the events of a run.

package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/wire"
)

// The times of a stream: a comment is sent when there was no event so long, so that proxies keep the connection, and a
// client that takes so long to receive an event is disconnected; it can continue from the last one.
const (
	eventComment = 15 * time.Second
	eventWrite   = 10 * time.Second
)

type follow struct {
	RunParam
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event that was received."`
	After       string `query:"after" doc:"As Last-Event-ID, for clients that can't set it."`
}

// events adds the stream of events, as server-sent events.
func (a *API) events() {
	op := operation(http.MethodGet, "/v1/runs/{id}/events", "follow-run", "Follow the events of a run", "runs")
	op.Description = "Server-sent events: the name of the event is its kind, and its data is JSON. The stream ends " +
		"after the event with a final state. Then a client that reconnects gets 204, which ends an EventSource."
	kinds := make([]*huma.Schema, 0)
	for _, ev := range wire.Events() {
		t := reflect.TypeOf(ev)
		s := a.huma.OpenAPI().Components.Schemas.Schema(t, true, t.Name())
		kinds = append(kinds, &huma.Schema{Title: ev.Event(), AllOf: []*huma.Schema{s}})
	}
	op.Responses = map[string]*huma.Response{
		"200": {Description: "A stream of events", Content: map[string]*huma.MediaType{
			"text/event-stream": {Schema: &huma.Schema{OneOf: kinds}}}},
		"204": {Description: "The run has ended, and there are no more events"}}
	huma.Register(a.huma, op, a.follow)
}

func (a *API) follow(ctx context.Context, in *follow) (*huma.StreamResponse, error) {
	if _, err := a.seen(ctx, in.ID); err != nil {
		return nil, err
	}
	after, err := in.after()
	if err != nil {
		return nil, err
	}
	sub, err := a.engine.Subscribe(ctx, in.ID, after)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		defer sub.Close()
		_, w := humago.Unwrap(c)
		send(c.Context(), w, sub)
	}}, nil
}

// after returns the ID of the last event that the client has.
func (in *follow) after() (uint64, error) {
	text := in.LastEventID
	if text == "" {
		text = in.After
	}
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, newProblem(codeBadRequest, fmt.Sprintf("the id of an event is a number, got %.50q", text))
	}
	return id, nil
}

// send writes events until the run or the client ends.
func send(ctx context.Context, w http.ResponseWriter, sub *serve.Subscription) {
	out := http.NewResponseController(w)
	ev, err := next(ctx, sub, 0) // the headers do not wait for an event: a run may be silent for long
	if errors.Is(err, io.EOF) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // of nginx
	for {
		text := []byte(":\n\n")
		switch {
		case err == nil:
			text = encode(ev)
		case !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
			return
		}
		out.SetWriteDeadline(time.Now().Add(eventWrite)) // where the connection has one
		if _, err := w.Write(text); err != nil || out.Flush() != nil {
			return
		}
		ev, err = next(ctx, sub, eventComment)
	}
}

// next returns the next event, or context.DeadlineExceeded when there was none for a time.
func next(ctx context.Context, sub *serve.Subscription, most time.Duration) (wire.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return sub.Next(ctx)
}

// encode returns an event as text. Its JSON has no line ends.
func encode(ev wire.Event) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: ", ev.ID, ev.Data.Event())
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(ev.Data) // has JSON
	b.WriteByte('\n')
	return b.Bytes()
}
