package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

var thorough = flag.Bool("thorough", false, "kill the service 500 times")

// counter is a web service that counts the writes of programs.
type counter struct {
	*httptest.Server
	mu     sync.Mutex
	writes map[string]int      // requests, by the key in the URL
	orders map[string]struct{} // the idempotency keys that it has seen
	hold   chan struct{}       // reads, and writes to /hold, wait until it is closed
	holds  chan struct{}       // gets a value for each request that waits
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	c := &counter{writes: make(map[string]int), orders: make(map[string]struct{}), hold: make(chan struct{}),
		holds: make(chan struct{}, 100)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the end of the connection is not noticed
		if r.Method != http.MethodGet {
			c.mu.Lock()
			c.writes[r.URL.Query().Get("key")]++
			c.orders[r.Header.Get("Idempotency-Key")] = struct{}{}
			c.mu.Unlock()
			if r.URL.Path != "/hold" {
				return
			}
		}
		c.holds <- struct{}{}
		select {
		case <-c.hold:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// flags returns the flags that grant the counter to a service.
func (c *counter) flags() []string {
	host := strings.TrimPrefix(c.URL, "http://")
	return []string{"--allow-http", host + "=GET,POST,PUT", "--allow-http-private", "127.0.0.1", "--timeout", "1m"}
}

// stormSource writes over HTTP and to a file, alone and in parallel, in guards and in a queue, asks, and makes a call
// that must be approved.
const stormSource = `
(defn send [method i]
  (let [key (str data/name "-" i) url (str data/url "?key=" key) headers {"Idempotency-Key" key}]
    (:status (if (= method "POST")
               (tool/http.post {:url url :headers headers :body "x"})
               (tool/http.request {:method method :url url :headers headers :body "x"})))))
(let [first (send "POST" 0)
      answer (ask {:question "Go on?" :data data/name :options ["yes" "no"]})
      some (pmap (fn [i] (host-exclusive (str "host" (mod i 2)) (send "POST" i))) [1 2 3])
      put (try (send "PUT" 4) (catch Exception e (ex-message e)))]
  (tool/fs.append {:path (str data/dir "/" data/name) :text "x"})
  [first answer some put])`

// storm kills a service while runs write, and while people answer.
type storm struct {
	t     *testing.T
	s     *service
	c     *counter
	files string

	mu      sync.Mutex
	names   int
	runs    map[string]string // the names of the runs, by id
	retries map[string]int    // writes that may have been settled as retry, by their keys
	told    map[string]bool   // writes that may have been settled as done
	acked   map[string]int    // settlements that hold, and the look at the list before which they did
	looks   int               // at the list of pending effects
	counts  map[string]int    // settlements that hold, by kind
}

// chance returns a number below n that is the same each time for a name.
func chance(n int, name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32()>>4) % n
}

func answerTo(name string) string {
	return []string{"yes", "no"}[chance(2, name+" answer")]
}

func refused(name string) bool { return chance(4, name+" approval") == 0 }

// settlement returns the settlement of an effect, which is the same each time, and the key of its write.
func (st *storm) settlement(name string, p effect.Pending) (s effect.Settlement, key string) {
	s.ID = p.ID
	switch p.Kind {
	case effect.PendingQuestion:
		s.As, s.Result = effect.Done, json.RawMessage(`"`+answerTo(name)+`"`)
		return s, ""
	case effect.PendingApproval:
		if s.As = effect.Approve; refused(name) {
			s.As, s.Reason = effect.Refuse, "not on Fridays"
		}
		return s, ""
	}
	var args struct{ URL, Path string }
	if err := json.Unmarshal(p.Args, &args); err != nil {
		st.t.Error(err)
	}
	s.Result = json.RawMessage(`{"status": 200, "url": "", "headers": {}}`)
	if _, key, _ = strings.Cut(args.URL, "key="); key == "" {
		key, s.Result = filepath.Base(args.Path), json.RawMessage("1")
	}
	if s.As = effect.Done; chance(2, key) == 0 {
		s.As, s.Result = effect.Retry, nil
	}
	return s, key
}

// submit submits runs until the service dies.
func (st *storm) submit(n int) {
	for range n {
		st.mu.Lock()
		name := fmt.Sprintf("run%d", st.names)
		st.mu.Unlock()
		data, err := json.Marshal(map[string]string{"url": st.c.URL + "/", "name": name, "dir": st.files})
		require.NoError(st.t, err)
		var run store.Run
		_, err = st.s.try("POST", "/v1/runs", store.Submission{Source: stormSource, Data: data, Key: name}, &run)
		if err != nil { // the service died; the same key finds the run, if there is one
			return
		}
		st.mu.Lock()
		st.names++
		st.runs[run.ID] = name
		st.mu.Unlock()
	}
}

// people settles pending effects at random moments, until ctx ends.
func (st *storm) people(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(rand.IntN(20)) * time.Millisecond): // people take their time
		}
		st.mu.Lock()
		st.looks++
		look := st.looks
		st.mu.Unlock()
		var page store.Page
		if _, err := st.s.try("GET", "/v1/pending?limit=1000", nil, &page); err != nil {
			continue
		}
		for i := range page.Runs {
			st.settle(&page.Runs[i], look)
		}
	}
}

// settle settles some of the pending effects of a run from an earlier read list.
func (st *storm) settle(run *store.Run, look int) {
	st.mu.Lock()
	name, known := st.runs[run.ID]
	st.mu.Unlock()
	if !known { // its submission was not answered yet
		return
	}
	for _, p := range run.Pending {
		s, key := st.settlement(name, p)
		id := fmt.Sprintf("%s %s %s", run.ID, p.Kind, p.ID)
		st.mu.Lock()
		if before, ok := st.acked[id]; ok && before < look && s.As != effect.Retry {
			st.t.Errorf("%s is pending again, although its settlement was kept", id)
		}
		switch {
		case key == "":
		case s.As == effect.Retry:
			st.retries[key]++
		default:
			st.told[key] = true
		}
		st.mu.Unlock()
		if rand.IntN(4) == 0 {
			continue
		}
		var problem struct{ Code, Detail string }
		body := map[string]any{"settlements": []effect.Settlement{s}}
		resp, err := st.s.try("POST", "/v1/runs/"+run.ID+"/settle", body, &problem)
		switch {
		case err != nil: // the service died
		case resp.StatusCode == http.StatusOK:
			st.mu.Lock()
			st.acked[id] = st.looks
			st.counts[string(p.Kind)]++
			st.mu.Unlock()
		case resp.StatusCode != http.StatusConflict:
			st.t.Errorf("%s is settled with %v: %d %+v", id, s, resp.StatusCode, problem)
		}
	}
}

// round lets runs and people work for a time. before ends it.
func (st *storm) round(submissions int, before func()) {
	ctx, cancel := context.WithCancel(st.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { st.submit(submissions) })
	for range 2 {
		wg.Go(func() { st.people(ctx) })
	}
	before()
	cancel()
	wg.Wait()
}

// ended waits until no run continues.
func (st *storm) ended() {
	for id := range st.runs {
		require.Eventually(st.t, func() bool {
			var run store.Run
			_, err := st.s.try("GET", "/v1/runs/"+id+"?wait=1s", nil, &run)
			require.NoError(st.t, err)
			return run.State.Final()
		}, 5*time.Minute, time.Millisecond, id)
	}
}

// check compares a run that has ended with one that nothing has interrupted.
func (st *storm) check(id, name string) store.State {
	run := st.s.wait(id)
	ends := run.State == store.Succeeded
	if ends {
		put := "200"
		if refused(name) {
			put = `"tool/http.request: not on Fridays"`
		}
		want := fmt.Sprintf(`[200,%q,[200,200,200],%s]`, answerTo(name), put)
		assert.Equal(st.t, want, string(run.Value), "%s, %s", id, name)
	} else if run.State != store.Poisoned || run.Stalls != 3 {
		st.t.Errorf("run %s, %s, is %s after %d crashes: %s", id, name, run.State, run.Crashes, run.Text)
	}
	made := func(key string, n int, happens bool) {
		assert.LessOrEqual(st.t, n, 1+st.retries[key], "write %s", key)
		switch {
		case !happens:
			assert.Zero(st.t, n, "write %s was refused", key)
		case ends && !st.told[key]:
			assert.Positive(st.t, n, "write %s is lost", key)
		}
	}
	for i := range 5 {
		key := fmt.Sprintf("%s-%d", name, i)
		made(key, st.c.writes[key], i < 4 || !refused(name))
	}
	text, err := os.ReadFile(filepath.Join(st.files, name))
	if err != nil {
		require.ErrorIs(st.t, err, os.ErrNotExist)
	}
	made(name, len(text), true)
	return run.State
}

// TestKill kills the service at random moments while runs write over HTTP and to files, ask, and wait for approvals,
// guards and a queue, and while people answer them. Each run must end as if nothing had happened. A write is made once,
// or it was reported in doubt, and again only if it was settled as retry. No submission and no answer that the service
// has confirmed is lost.
func TestKill(t *testing.T) {
	testlevel.System(t)
	t.Parallel()
	kills := 6
	if *thorough {
		kills = 500
	}
	dir := t.TempDir()
	st := &storm{t: t, c: newCounter(t), files: filepath.Join(dir, "files"), runs: map[string]string{}, retries: map[string]int{},
		told: map[string]bool{}, acked: map[string]int{}, counts: map[string]int{}}
	require.NoError(t, os.Mkdir(st.files, 0o700))
	policy := filepath.Join(dir, "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte("actions:\n  http.post: {concurrency: 2}\n"), 0o600))
	st.s = startService(t, filepath.Join(dir, "state"), append(st.c.flags(), "--allow-fs", st.files, "--policy", policy,
		"--approval", "http.request", "--linger", "20ms", "--workers", "4", "--memory", "16MB", "--worker-memory", "4MB")...)
	for range kills {
		st.round(3, func() {
			<-time.After(time.Duration(rand.IntN(300)) * time.Millisecond) // the moment of death is random
			st.s.Kill()
		})
		st.s.Restart()
	}
	st.round(5, func() {})
	st.round(0, st.ended)
	states := make(map[store.State]int)
	for id, name := range st.runs {
		states[st.check(id, name)]++
	}
	assert.Len(t, st.runs, st.names)
	writes := 0
	for _, n := range st.c.writes {
		writes += n
	}
	t.Logf("runs %v, settled %v, %d writes over HTTP, of %d orders, %d of them settled as retry",
		states, st.counts, writes, len(st.c.orders), len(st.retries))
	assert.Positive(t, states[store.Succeeded])
	assert.Equal(t, 0, st.s.Stop())
}
