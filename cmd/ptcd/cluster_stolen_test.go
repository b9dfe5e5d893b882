package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// replaced has a node join, be replaced, and be removed. Its certificates are accepted only while they should be.
func (a *attacked) replaced(ctx context.Context, t *testing.T) {
	about := func() []byte {
		text, err := json.Marshal(map[string]string{"Address": unused(t), "EngineAddress": unused(t)})
		require.NoError(t, err)
		return text
	}
	join := func(j wire.NewJoin) tls.Certificate {
		made, err := a.at("node2").NewJoin(ctx, j)
		require.NoError(t, err)
		token, err := pki.ParseToken(made.Token)
		require.NoError(t, err)
		require.Equal(t, []string{a.on["node1"].peer}, made.At)
		got, err := pki.Join(ctx, made.At[0], token, about())
		require.NoError(t, err)
		_, err = pki.Join(ctx, made.At[0], token, about())
		require.ErrorContains(t, err, "the token is not known: it was used")
		assert.NotContains(t, string(got.Config), "ptc_", "no tokens")
		pair, err := tls.X509KeyPair(got.Cert, got.Key)
		require.NoError(t, err)
		return pair
	}
	accept := func(want bool, c tls.Certificate, what string) {
		t.Helper()
		for _, node := range []string{"node1", "node3"} {
			for _, p := range a.ports(node) {
				require.Eventually(t, func() bool { return p.accepts(nil, c) == want }, time.Minute, 10*time.Millisecond,
					"%s of %s, %s", p.name, node, what)
			}
		}
	}
	first := join(wire.NewJoin{Node: "node4"})
	accept(true, first, "the certificate of a node that has joined")
	time.Sleep(1100 * time.Millisecond) // certificates count seconds
	next := join(wire.NewJoin{Node: "node4", Replaces: true})
	accept(true, next, "the certificate of the node that has replaced it")
	accept(false, first, "the certificate of a node that was replaced")
	id := a.engineIDs(ctx, t)[""]
	require.NotEmpty(t, id)
	_, err := a.at("node3").RemoveNode(ctx, "node4")
	require.NoError(t, err)
	accept(false, next, "the certificate of a node that was removed")
	status, _ := a.asks(ctx, t, next, "/raft/stream/message/"+id, id)
	assert.Equal(t, http.StatusGone, status, "its member ends, and says that it was removed")
}

// unused returns an address at which nothing listens.
func unused(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// copied starts a copy of the directory of a node elsewhere, while the node runs.
func (a *attacked) copied(ctx context.Context, t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "node2"), os.DirFS(filepath.Join(a.dir, "node2"))))
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return err
	}))
	text, err := os.ReadFile(filepath.Join(a.dir, "node2.yaml"))
	require.NoError(t, err)
	var at [2]string
	for i := range at {
		at[i] = unused(t)
	}
	elsewhere := strings.NewReplacer(`dir: "`+a.dir+`/node2"`, `dir: "`+dir+`/node2"`, "listen: \""+a.on["node2"].api, "listen: \"127.0.0.1:0",
		"  node: \"node2\"\n", "  node: \"node2\"\n  listen: \""+at[0]+"\"\n  listen_engine: \""+at[1]+"\"\n").Replace(string(text))
	config := filepath.Join(dir, "copy.yaml")
	require.NoError(t, os.WriteFile(config, []byte(elsewhere), 0o600))
	out, err := command(t, "--config", config)
	require.Error(t, err, out)
	assert.Contains(t, out, "another process of node2 runs, and answers at "+a.on["node2"].peer)
	_, err = a.at("node2").Submit(ctx, store.Submission{Source: "1"}, 0)
	require.NoError(t, err)
}

// web is a service that answers with a marker.
type web struct{ *httptest.Server }

func newWeb(t *testing.T) web {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "MARK-answer")
	}))
	t.Cleanup(s.Close)
	return web{s}
}

func (w web) flags() []string {
	return []string{"--allow-http", strings.TrimPrefix(w.URL, "http://") + "=POST", "--allow-http-private", "127.0.0.1",
		"--allow-facts", "write"}
}

// marked is a program that uses everything that a run can have, each with a marker.
const marked = `;; MARK-comment
(println "MARK-print" data/in)
(tool/facts.put {:host "host-in-the-open" :fact "os" :value "MARK-fact"})
(def answers (pmap (fn [i] (:body (tool/http.post {:url data/url :headers {"Authorization" (str "MARK-header" i)}
                                                   :body (str "MARK-argument" i)})))
                   (range 120)))
(try (throw (ex-info "MARK-exception" {:a "MARK-data"})) (catch Exception e (println (ex-message e))))
(def settled (ask {:question "MARK-question" :options ["MARK-yes" "MARK-no"] :data "MARK-context"}))
[(count answers) settled "MARK-value" data/large]`

// asks reports whether a run asks a person.
func asks(run store.Run) bool {
	return slices.ContainsFunc(run.Pending, func(p effect.Pending) bool { return p.Kind == effect.PendingQuestion })
}

// retry settles the writes of a run that are in doubt, as they are when a busy machine makes its leader lose the lead.
// It returns their number.
func (a *attacked) retry(ctx context.Context, run store.Run) (n int) {
	for _, p := range run.Pending {
		if p.Kind == effect.PendingDoubt {
			_, _ = a.at("node1").Settle(ctx, run.ID, effect.Settlement{ID: p.ID, As: effect.Retry})
			n++
		}
	}
	return n
}

// stolen kills all nodes after they have kept everything that they can keep, and looks for it on their disks.
func (a *attacked) stolen(ctx context.Context, t *testing.T, web web) {
	at := a.at("node1")
	large := strings.Repeat("MARK-large ", 30_000)
	data, err := json.Marshal(map[string]string{"in": "MARK-input", "url": web.URL, "large": large})
	require.NoError(t, err)
	submit := func(source string) store.Run {
		run, err := at.Submit(ctx, store.Submission{Source: source, Data: data, Key: "MARK-key" + fmt.Sprint(len(source)),
			Name: "MARK-name.ptc", Labels: map[string]string{"note": "MARK-label"}}, 0)
		require.NoError(t, err)
		require.Eventually(t, func() bool { // while other nodes take part in a run that waits, it is running
			run, err = at.Get(ctx, run.ID)
			return err == nil && (run.State.Final() || asks(run)) && a.retry(ctx, run) == 0
		}, time.Minute, 10*time.Millisecond)
		return run
	}
	waits := submit(marked)
	require.Len(t, waits.Pending, 1, waits.Text)
	ends := submit(marked + " ")
	ends, err = at.Answer(ctx, ends.ID, ends.Pending[0].ID, "MARK-yes")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		ends, err = at.Wait(ctx, ends.ID)
		return err == nil && a.retry(ctx, ends) == 0 && ends.State.Final()
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, store.Succeeded, ends.State, ends.Text)
	assert.Contains(t, string(ends.Value), "MARK-value")
	failed := submit(`(throw (ex-info "MARK-failure" {}))`)
	require.Equal(t, store.Failed, failed.State)
	_, err = at.PutProgram(ctx, "name-in-the-open", wire.NewVersion{Source: `"MARK-program"`})
	require.NoError(t, err)
	_, err = at.SetPolicies(ctx, "# MARK-policy\nactions: {http.post: {concurrency: 50}}")
	require.NoError(t, err)
	token, err := at.NewJoin(ctx, wire.NewJoin{Node: "node5"})
	require.NoError(t, err)
	session, err := at.BeginSession(ctx, wire.NewSession{})
	require.NoError(t, err)
	_, err = at.Evaluate(ctx, session.ID, `(println "MARK-session")`)
	require.NoError(t, err)
	time.Sleep(500 * time.Millisecond) // for later writes, such as journals of runs that have ended
	for _, n := range a.nodes {
		n.Kill()
	}
	operator, err := os.ReadFile(filepath.Join(a.dir, ptcdtest.TokenFile))
	require.NoError(t, err)
	secrets := []string{"MARK-", strings.TrimSpace(string(operator)), strings.Split(token.Token, ".")[2]}
	open := map[string]bool{"name-in-the-open": false, "host-in-the-open": false, waits.ID: false}
	files := 0
	require.NoError(t, filepath.WalkDir(a.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == filepath.Join(a.dir, ptcdtest.TokenFile) {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for _, secret := range secrets {
			if i := bytes.Index(text, []byte(secret)); i >= 0 {
				assert.Fail(t, "in plain text", "%s: %.100q", path, text[max(0, i-50):])
			}
		}
		for name := range open {
			open[name] = open[name] || bytes.Contains(text, []byte(name))
		}
		return err
	}))
	require.Greater(t, files, 20)
	for name, found := range open {
		assert.True(t, found, "%s is not encrypted, and would be found if the disk was read", name)
	}
}
