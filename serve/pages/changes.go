// This file defines the events of the pages that show several runs.

package pages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// The times of the events: how often the service is looked at, after which time without a change a comment keeps the
// connection, and how long a reader may take to receive an event.
const (
	lookEvery    = time.Second
	commentAfter = 15 * time.Second
	writeTimeout = 10 * time.Second
)

// picture is the state on which a page with several runs depends. Two pictures differ if the page does.
type picture struct {
	Runs      map[store.State]int
	Engine    wire.Stats
	Queues    []queue.Stats
	Guards    guard.Stats
	Schedules []wire.Schedule
	Sessions  []wire.Session
	Cluster   wire.Cluster
}

// The pages that show more than runs, as their events name them.
const (
	ofRuns      = ""
	ofQueues    = "queues"
	ofSchedules = "schedules"
	ofSessions  = "sessions"
	ofNodes     = "nodes"
)

// live returns the URL of the events of a page. It has the state that the reader has seen, so that the
// first event comes immediately if something has changed since. A page calls live before it reads its data.
func (p *Pages) live(ctx context.Context, of string) (string, error) {
	seen, err := p.look(ctx, of)
	address := "/changes?seen=" + seen
	if of != ofRuns {
		address += "&of=" + of
	}
	return address, err
}

// look returns a hash of the picture for a reader.
func (p *Pages) look(ctx context.Context, of string) (string, error) {
	who := access.From(ctx)
	tenant := who.Tenant
	if who.Role.Includes(access.Operator) {
		tenant = ""
	}
	o := p.engine.Options()
	counts, err := o.Store.Count(ctx, tenant)
	if err != nil {
		return "", err
	}
	now := picture{Runs: counts, Engine: p.engine.Stats()}
	if q := o.Views.Queues; q != nil && of == ofQueues {
		if now.Queues, err = q.All(ctx); err != nil {
			return "", err
		}
		for i := range now.Queues {
			now.Queues[i].Oldest = 0 // which grows while nothing happens
		}
	}
	if g := o.Views.Guards; g != nil && of == ofQueues {
		if now.Guards, err = g.Stats(ctx, 0); err != nil {
			return "", err
		}
	}
	switch of {
	case ofSchedules:
		if s, err := p.scheduler(); err == nil {
			now.Schedules = s.List("", wire.ScheduleRef{}, maxShown, who)
		}
	case ofSessions:
		now.Sessions = p.engine.SessionsOf(ctx, who)
	case ofNodes:
		if now.Cluster, err = p.nodesSeen(ctx); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(now)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), err
}

// changes sends an event each time that something has changed, as server-sent events.
func (p *Pages) changes(w http.ResponseWriter, r *http.Request) error {
	of, last := r.URL.Query().Get("of"), r.URL.Query().Get("seen")
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // of nginx
	out := http.NewResponseController(w)
	send := func(text string) bool {
		out.SetWriteDeadline(time.Now().Add(writeTimeout)) // where the connection has one
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ok, sent := send(":\n\n"), time.Now(); ok; {
		now, err := p.look(r.Context(), of)
		switch {
		case err != nil:
			return nil // the page asks again
		case now != last:
			last, sent = now, time.Now()
			ok = send("event: changed\ndata: {}\n\n")
		case time.Since(sent) > commentAfter:
			sent = time.Now()
			ok = send(":\n\n")
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-tick.C:
		}
	}
	return nil
}
