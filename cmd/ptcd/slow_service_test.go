package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

// slow is a web service that counts the writes of programs. Each write takes some time.
type slow struct {
	*httptest.Server
	mu     sync.Mutex
	writes map[string]int // by the key in the URL
	all    int
	last   map[string]time.Time  // the last request, by the host that made it
	seen   func(r *http.Request) // nil for none

	takes  time.Duration
	from   int           // of all when gather was called
	most   int           // the requests of a run on all nodes
	enough chan struct{} // closed when all nodes take part; nil if none have to
}

// newSlow returns a service on the loopback interface.
func newSlow(t testing.TB, takes time.Duration) *slow {
	t.Helper()
	return newSlowAt(t, "127.0.0.1", takes)
}

// newSlowAt returns a service on an address of this machine.
func newSlowAt(t testing.TB, host string, takes time.Duration) *slow {
	t.Helper()
	s := &slow{writes: make(map[string]int), last: make(map[string]time.Time), takes: takes}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		from, _, _ := net.SplitHostPort(r.RemoteAddr)
		s.mu.Lock()
		if r.Method != http.MethodGet {
			s.writes[r.URL.Query().Get("key")]++
		}
		s.all++
		s.last[from] = time.Now()
		if s.seen != nil {
			s.seen(r)
		}
		takes, enough := s.pace()
		s.mu.Unlock()
		select {
		case <-time.After(takes):
		case <-enough:
		}
	}))
	var err error
	s.Listener.Close()
	s.Listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// gather has the requests of a run take longer the more there were, until the function that it returns is called: no
// node is so late on a busy machine that the others have made all of them.
func (s *slow) gather(requests int) (enough func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := make(chan struct{})
	s.from, s.most, s.enough = s.all, requests, over
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.enough = nil
		close(over)
	}
}

// pace returns how long a request takes, and what ends it before. s.mu is held.
func (s *slow) pace() (takes time.Duration, enough <-chan struct{}) {
	if s.enough == nil {
		return s.takes, nil
	}
	switch made := s.all - s.from; {
	case made > s.most/4*3:
		return 100 * s.takes, s.enough
	case made > s.most/2:
		return 20 * s.takes, s.enough
	}
	return s.takes, s.enough
}

// flags returns the flags that grant the service.
func (s *slow) flags() []string {
	host := strings.TrimPrefix(s.URL, "http://")
	private, _, _ := net.SplitHostPort(host)
	return []string{"--allow-http", host + "=GET,POST", "--allow-http-private", private}
}

// total returns the number of requests so far.
func (s *slow) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// lastOf returns when a host made its last request.
func (s *slow) lastOf(host string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[host]
}

// times returns the keys of writes that begin with a prefix, and how often each was made.
func (s *slow) times(prefix string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]int)
	for key, n := range s.writes {
		if strings.HasPrefix(key, prefix) {
			all[key] = n
		}
	}
	return all
}

// verdicts returns the settlements of writes in doubt, by the records of the service. Writes of other tools
// are repeated.
func (s *slow) verdicts(run store.Run) (all []effect.Settlement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range run.Pending {
		if p.Kind != effect.PendingDoubt {
			continue
		}
		one := effect.Settlement{ID: p.ID, As: effect.Retry}
		if m := key.FindStringSubmatch(string(p.Args)); m != nil && s.writes[m[1]] > 0 {
			one.As, one.Result = effect.Done, []byte(`{"status": 200, "url": "", "headers": {}}`)
		}
		all = append(all, one)
	}
	return all
}

// settledOn waits for the end of a run on any node that answers, and settles its writes in doubt.
func (c *members) settledOn(ctx context.Context, id string, calls *slow) (run store.Run) {
	c.t.Helper()
	for ctx.Err() == nil {
		var err error
		for _, name := range c.names() {
			asked, cancel := context.WithTimeout(ctx, 10*time.Second)
			run, err = c.at(name).Get(asked, id)
			if err == nil && run.State == store.InDoubt {
				time.Sleep(200 * time.Millisecond) // the service has counted all received requests by then
				_, err = c.at(name).Settle(asked, id, calls.verdicts(run)...)
			}
			cancel()
			if err == nil {
				break
			}
		}
		if err == nil && run.State.Final() {
			return run
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.NoError(c.t, ctx.Err(), "run %s is %s: %s", id, run.State, run.Reason)
	return run
}
