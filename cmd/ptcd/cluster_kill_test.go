package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// TestClusterKill kills the node that leads a run. Another node continues it, and a client of a third node
// follows it to its end: each line comes once, and each write is made once or is in doubt.
func TestClusterKill(t *testing.T) {
	t.Parallel()
	calls := newCounter(t)
	c := newCluster(t, calls.flags()[:4]...)
	source := `(doseq [i (range 20)]
	             (tool/http.post {:url (str "` + calls.URL + `/?key=" i) :body "x"})
	             (println "line" i)
	             (when (= i 9) (tool/http.get "` + calls.URL + `/")))
	           "end"`
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run, err := c.at("node1").Submit(ctx, store.Submission{Source: source}, 0)
	require.NoError(t, err)
	<-calls.holds // it has made 10 writes, and waits
	run, err = c.at("node1").Get(ctx, run.ID)
	require.NoError(t, err)
	require.Contains(t, c.nodes, run.Leader)
	var others []string
	for name := range c.nodes {
		if name != run.Leader {
			others = append(others, name)
		}
	}
	var lines strings.Builder
	followed := make(chan error, 1)
	follower := c.at(others[0])
	go func() {
		_, err := follower.Follow(ctx, run.ID, &lines)
		followed <- err
	}()

	c.nodes[run.Leader].Kill()
	<-calls.holds // of the node that continues the run
	now, err := c.at(others[1]).Get(ctx, run.ID)
	require.NoError(t, err)
	assert.Contains(t, others, now.Leader)
	close(calls.hold)
	ended, err := c.at(others[1]).Wait(ctx, run.ID)
	require.NoError(t, err)
	require.Equal(t, store.Succeeded, ended.State, ended.Text)
	assert.Equal(t, `"end"`, string(ended.Value))
	var want strings.Builder
	for i := range 20 {
		fmt.Fprintf(&want, "line %d\n", i)
		assert.Equal(t, 1, calls.writes[fmt.Sprint(i)], "write %d", i)
	}
	require.NoError(t, <-followed)
	assert.Equal(t, want.String(), lines.String())

	// The node comes back.
	c.start(run.Leader).Ready()
	run, err = c.at(run.Leader).Submit(ctx, store.Submission{Source: "(+ 1 2)"}, 0)
	require.NoError(t, err)
	run, err = c.at(others[0]).Wait(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, "3", string(run.Value))

	// The page of a node that does not lead a run cancels it.
	run, err = c.at(others[0]).Submit(ctx, store.Submission{Source: `(ask {:question "Go on?"})`}, 0)
	require.NoError(t, err)
	_, err = c.at(others[0]).Wait(ctx, run.ID)
	require.NoError(t, err)
	run, err = c.at(others[0]).Get(ctx, run.ID)
	require.NoError(t, err)
	for name := range c.nodes {
		if name != run.Leader {
			require.Equal(t, http.StatusSeeOther, c.post(name, "/runs/"+run.ID+"/cancel", nil))
			break
		}
	}
	run, err = c.at(others[0]).Get(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, store.Cancelled, run.State)
}

// post sends a form to a page of a node, as a browser does, and returns the status.
func (c *members) post(node, path string, form url.Values) int {
	c.t.Helper()
	status, _ := c.request(node, http.MethodPost, path, form)
	return status
}

// get returns a page of a node.
func (c *members) get(node, path string) string {
	c.t.Helper()
	status, body := c.request(node, http.MethodGet, path, nil)
	require.Equal(c.t, http.StatusOK, status, "%s\n%s", body, c.nodes[node].Log())
	return body
}

func (c *members) request(node, method, path string, form url.Values) (status int, answer string) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "ca", "ca.pem"))
	require.NoError(c.t, err)
	roots := x509.NewCertPool()
	require.True(c.t, roots.AppendCertsFromPEM(text))
	token, err := os.ReadFile(filepath.Join(c.dir, ptcdtest.TokenFile))
	require.NoError(c.t, err)
	origin := c.nodes[node].Ready()
	r, err := http.NewRequestWithContext(c.t.Context(), method, origin+path, strings.NewReader(form.Encode()))
	require.NoError(c.t, err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	r.Header.Set("Origin", origin)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	return resp.StatusCode, string(body)
}

// TestClusterDoubt kills the node that leads a run during a write: the write is in doubt when the node is
// back, and the run continues elsewhere when it is settled, on whatever node.
func TestClusterDoubt(t *testing.T) {
	t.Parallel()
	calls := newCounter(t)
	calls.hold = make(chan struct{})
	c := newCluster(t, calls.flags()[:4]...)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run, err := c.at("node2").Submit(ctx, store.Submission{
		Source: `(:status (tool/http.post {:url "` + calls.URL + `/hold?key=w" :body "x"}))`}, 0)
	require.NoError(t, err)
	<-calls.holds
	require.Eventually(t, func() bool {
		run, err = c.at("node3").Get(ctx, run.ID)
		return err == nil && run.Leader != ""
	}, time.Minute, 10*time.Millisecond)
	var left string
	for left = range c.nodes {
		if left != run.Leader {
			break
		}
	}
	c.nodes[run.Leader].Kill()
	c.start(run.Leader)              // and so nobody has to wait until its call must have ended
	for run.State != store.InDoubt { // a read is answered, whichever node comes to lead the run in the meantime
		require.NoError(t, ctx.Err())
		status, body := c.request(left, http.MethodGet, "/v1/runs/"+run.ID, nil)
		require.NotContains(t, body, "the request ended")
		if status == http.StatusOK {
			require.NoError(t, json.Unmarshal([]byte(body), &run))
		}
	}
	require.Len(t, run.Pending, 1)
	done := effect.Settlement{ID: run.Pending[0].ID, As: effect.Done,
		Result: []byte(`{"status": 200, "url": "", "headers": {}}`)}
	require.Eventually(t, func() bool { // it asks for another attempt if the leader changes in the meantime
		_, err = c.at(left).Settle(ctx, run.ID, done)
		return err == nil || errors.Is(err, serve.ErrNotPending)
	}, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		run, err = c.at(left).Wait(ctx, run.ID)
		return err == nil && run.State.Final()
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, "200", string(run.Value), run.Text)
	assert.Equal(t, 1, calls.writes["w"])
}
