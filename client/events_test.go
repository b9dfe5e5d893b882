package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// events returns the events of a run, without progress.
func events(ctx context.Context, c *client.Client, id string, after uint64) (all []wire.Event, err error) {
	for ev, err := range c.Events(ctx, id, after) {
		if err != nil {
			return all, err
		}
		if _, progress := ev.Data.(wire.Progressed); !progress {
			all = append(all, ev)
		}
	}
	return all, nil
}

// TestEvents cuts the connection again and again: no event is lost or comes twice.
func TestEvents(t *testing.T) {
	s := newService(t, serve.Options{})
	proxy := ptcdtest.NewProxy(t)
	proxy.To(s.URL)
	c := connect(t, proxy.URL, client.Options{Patience: longWait})
	direct := connect(t, s.URL, client.Options{})
	r, err := direct.Submit(t.Context(), store.Submission{
		Source: `(dotimes [i 20] (println i) (tool/job.wait {:name "a"})) :done`}, 0)
	require.NoError(t, err)
	var wg sync.WaitGroup
	var whole, parts []wire.Event
	wg.Go(func() {
		all, err := events(t.Context(), direct, r.ID, 0)
		assert.NoError(t, err)
		whole = all
	})
	wg.Go(func() {
		all, err := events(t.Context(), c, r.ID, 0)
		assert.NoError(t, err)
		parts = all
	})
	for i := range 20 {
		if i%5 == 0 {
			proxy.To(s.URL) // cuts
		}
		s.passed <- struct{}{}
	}
	wg.Wait()
	assert.Equal(t, whole, parts)
	assert.Greater(t, len(whole), 60)
	last := whole[len(whole)-1]
	assert.Equal(t, store.Succeeded, last.Data.(wire.Changed).State)
	none, err := events(t.Context(), c, r.ID, last.ID)
	assert.NoError(t, err)
	assert.Empty(t, none)
	rest, err := events(t.Context(), c, r.ID, whole[3].ID)
	assert.NoError(t, err)
	assert.Equal(t, whole[4:], rest)
	_, err = events(t.Context(), c, "none", 0)
	assert.ErrorIs(t, err, store.ErrNotFound)
	for range c.Events(t.Context(), r.ID, 0) {
		break // ends the connection
	}
}

// gatedWriter writes nothing until it is opened.
type gatedWriter struct {
	strings.Builder
	open chan struct{}
}

func (w *gatedWriter) Write(p []byte) (int, error) {
	<-w.open
	return w.Builder.Write(p)
}

// TestFollow writes each print once: for a client that is slow, for prints that no event has whole, and for one that
// comes late.
func TestFollow(t *testing.T) {
	s := newService(t, serve.Options{})
	c := connect(t, s.URL, client.Options{})
	r, err := c.Submit(t.Context(), store.Submission{Source: `(println "begin") (tool/job.wait {:name "a"})
(dotimes [i 2000] (println "ä" i)) (println (apply str (repeat 30000 "ö"))) (tool/job.wait {:name "b"}) (print "end") :done`}, 0)
	require.NoError(t, err)
	slow := &gatedWriter{open: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() {
		run, err := c.Follow(t.Context(), r.ID, slow)
		assert.NoError(t, err)
		assert.Equal(t, store.Succeeded, run.State)
	})
	s.passed <- struct{}{}
	require.Eventually(t, func() bool {
		text, err := c.Prints(t.Context(), r.ID, 0)
		return err == nil && len(text) > 60_000
	}, longWait, 10*time.Millisecond)
	close(slow.open)
	s.passed <- struct{}{}
	wg.Wait()
	var late strings.Builder
	run, err := c.Follow(t.Context(), r.ID, &late)
	require.NoError(t, err)
	assert.Equal(t, run.Prints, slow.String())
	assert.Equal(t, run.Prints, late.String())
	assert.True(t, strings.HasPrefix(run.Prints, "begin\nä 0\n") && strings.HasSuffix(run.Prints, "ö\nend"))

	full := errors.New("the disk is full")
	_, err = c.Follow(t.Context(), r.ID, failing{full})
	assert.ErrorIs(t, err, full)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestFollowWaits checks that Follow returns when the run waits for somebody, and that the next call
// continues after the prints.
func TestFollowWaits(t *testing.T) {
	for name, linger := range map[string]time.Duration{"in memory": longWait, "parked": time.Nanosecond} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, newService(t, serve.Options{Linger: linger}).URL, client.Options{})
			r, err := c.Submit(t.Context(), store.Submission{Source: `(println "one") (ask {:question "Which?"}) (println "two")`}, 0)
			require.NoError(t, err)
			var out strings.Builder
			run, err := c.Follow(t.Context(), r.ID, &out)
			require.NoError(t, err)
			require.Len(t, run.Pending, 1)
			assert.Equal(t, "one\n", out.String())
			run, err = c.Wait(t.Context(), r.ID)
			require.NoError(t, err)
			_, err = c.Answer(t.Context(), r.ID, run.Pending[0].ID, "x")
			require.NoError(t, err)
			out.Reset()
			run, err = c.Follow(t.Context(), r.ID, &out)
			require.NoError(t, err)
			assert.Equal(t, store.Succeeded, run.State)
			assert.Equal(t, "one\ntwo\n", out.String())
		})
	}
}

// stream is an answer with events, which then ends, or is silent until the client closes it.
func stream(silent bool, texts ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		read, write := io.Pipe()
		go func() {
			defer write.Close()
			for _, text := range texts {
				if _, err := io.WriteString(write, text); err != nil {
					return
				}
			}
			if silent {
				<-r.Context().Done()
			}
		}()
		context.AfterFunc(r.Context(), func() { read.CloseWithError(r.Context().Err()) })
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Body: read}, nil
	}
}

func changed(id int, state store.State) string {
	return fmt.Sprintf("id: %d\nevent: state\ndata: {\"state\":%q,\"revision\":1}\n\n", id, state)
}

// TestSilence checks that a connection without any bytes, not even a comment, is closed, and that the
// following events are asked for.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{all: []func(*http.Request) (*http.Response, error){stream(true, changed(5, store.Running), ":\n\n", "id: 6\nevent: new-kind\ndata: {\"a\":\n\n"),
			stream(false, changed(5, store.Running), changed(7, store.Failed))}}
		began := time.Now()
		all, err := events(t.Context(), a.client(t, client.Options{}), "x", 0)
		require.NoError(t, err)
		require.Len(t, all, 2)
		assert.Equal(t, []uint64{5, 7}, []uint64{all[0].ID, all[1].ID})
		assert.Greater(t, time.Since(began), 45*time.Second)
		assert.Less(t, time.Since(began), time.Minute)
		assert.Empty(t, a.seen[0].Header.Get("Last-Event-ID"))
		assert.Equal(t, "6", a.seen[1].Header.Get("Last-Event-ID"))
	})
}

// TestSlowReceiver takes longer for an event than the client is patient: the connection is not taken for lost.
func TestSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{all: []func(*http.Request) (*http.Response, error){
			stream(false, changed(5, store.Running), changed(6, store.Running)), stream(false, changed(7, store.Failed))}}
		var ids []uint64
		for ev, err := range a.client(t, client.Options{}).Events(t.Context(), "x", 0) {
			require.NoError(t, err)
			ids = append(ids, ev.ID)
			time.Sleep(5 * client.DefaultPatience)
		}
		assert.Equal(t, []uint64{5, 6, 7}, ids)
		assert.Len(t, a.seen, 2)
	})
}

// TestUnreachable checks that a stream retries for the patience of the client while the service is
// unreachable, and then ends.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{all: []func(*http.Request) (*http.Response, error){cut, problem(503, "draining", "Retry-After", "20"),
			stream(false, changed(5, store.Running)), cut}}
		began := time.Now()
		all, err := events(t.Context(), a.client(t, client.Options{}), "x", 0)
		assert.ErrorIs(t, err, &client.Error{Problem: wire.Problem{Code: client.CodeUnreachable}})
		assert.Len(t, all, 1)
		assert.Greater(t, time.Since(began), client.DefaultPatience+15*time.Second) // it begins anew with each event
		assert.Less(t, time.Since(began), 2*client.DefaultPatience)
	})
}

// TestForeignStream requires a stream that is none to be an error that says so.
func TestForeignStream(t *testing.T) {
	for want, reply := range map[string]func(*http.Request) (*http.Response, error){
		"want an answer of ptcd":      answer(200, "text/html", "<html>"),
		"has no id that is a number":  stream(false, "id: x\nevent: state\ndata: {}\n\n"),
		"can't be read":               stream(false, "id: 1\nevent: state\ndata: [\n\n"),
		"more than 1048576 bytes":     stream(false, "data: "+strings.Repeat("x", 2<<20)),
		"the service does not answer": cut,
	} {
		a := &answers{all: []func(*http.Request) (*http.Response, error){reply}}
		_, err := events(t.Context(), a.client(t, client.Options{Patience: -1}), "x", 0)
		assert.ErrorContains(t, err, want)
	}
}

// TestLongEvent does not ask again and again for an event that is too long.
func TestLongEvent(t *testing.T) {
	a := &answers{all: []func(*http.Request) (*http.Response, error){stream(false, "data: "+strings.Repeat("x", 2<<20)),
		stream(false, changed(1, store.Failed))}}
	_, err := events(t.Context(), a.client(t, client.Options{}), "x", 0)
	assert.ErrorIs(t, err, &client.Error{Problem: wire.Problem{Code: client.CodeForeign}})
	assert.Len(t, a.seen, 1)
}

// TestEventWithoutKind passes over an event that has no name.
func TestEventWithoutKind(t *testing.T) {
	a := &answers{all: []func(*http.Request) (*http.Response, error){stream(false, "data: {}\n\n", changed(1, store.Failed))}}
	all, err := events(t.Context(), a.client(t, client.Options{Patience: -1}), "x", 0)
	require.NoError(t, err)
	assert.Len(t, all, 1)
}

// TestSubmitOnce loses the answer to a submission that has arrived: the submission is sent again, and runs once.
func TestSubmitOnce(t *testing.T) {
	s := newService(t, serve.Options{})
	var posts atomic.Int64
	lossy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && posts.Add(1) <= 3 {
			s.Config.Handler.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler) // cuts the connection
		}
		s.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(lossy.Close)
	c := connect(t, lossy.URL, client.Options{Patience: longWait})
	r, err := c.Submit(t.Context(), store.Submission{Source: "(+ 1 2)", Key: "k"}, longWait)
	require.NoError(t, err)
	assert.Equal(t, "3", string(r.Value))
	assert.Equal(t, int64(4), posts.Load())
	page, err := c.Page(t.Context(), store.Query{})
	require.NoError(t, err)
	assert.Len(t, page.Runs, 1)
}
