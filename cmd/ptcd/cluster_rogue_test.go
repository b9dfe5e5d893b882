package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	remote "github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// as returns a client of a node with a new token.
func (a *attacked) as(t *testing.T, node string, who access.Who) *remote.Client {
	t.Helper()
	return a.with(t, node, a.token(node, "--name", who.Name, "--tenant", who.Tenant, "--role", string(who.Role)))
}

func (a *attacked) with(t *testing.T, node, token string) *remote.Client {
	t.Helper()
	c, err := remote.New(a.nodes[node].Ready(), remote.Options{Token: token, CAFile: filepath.Join(a.dir, "ca", "ca.pem")})
	require.NoError(t, err)
	return c
}

// submitter has tokens of two tenants, and sends each node requests that they do not allow.
func (a *attacked) submitter(ctx context.Context, t *testing.T) {
	alice := a.as(t, "node1", access.Who{Name: "alice", Tenant: "a", Role: access.Submitter})
	text := a.token("node1", "--name", "bob", "--tenant", "b", "--role", "submitter")
	eve := a.as(t, "node2", access.Who{Name: "eve", Tenant: "a", Role: access.Viewer})
	_, err := eve.Submit(ctx, store.Submission{Source: "1"}, 0)
	require.ErrorContains(t, err, "role")

	// A run is placed on a node that grants its tools, whichever node was asked, and not by its own claims.
	run, err := alice.Submit(ctx, store.Submission{Source: `[(tool/env.get "PTCD_TEST_COMMAND") (ask {:question "Go on?"})]`,
		Labels: map[string]string{"affinity": "node1", "region": "here"}}, 0)
	require.NoError(t, err)
	run, err = alice.Wait(ctx, run.ID)
	require.NoError(t, err)
	require.Len(t, run.Pending, 1, run.Text)
	run, err = alice.Get(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, "node3", run.Leader)
	for _, refused := range []store.Submission{{Source: `(tool/exec.run {:program "sh"})`}, {Source: `(tool/env.get "HOME")`, Limits: run.Limits}} {
		refused, err := alice.Submit(ctx, refused, 0)
		if err == nil { // the tool is granted, and not this variable
			refused, err = alice.Wait(ctx, refused.ID)
			require.NoError(t, err)
			assert.Equal(t, store.Failed, refused.State)
			continue
		}
		assert.ErrorContains(t, err, "not granted")
	}
	lost, err := alice.Submit(ctx, store.Submission{Source: "1", Labels: map[string]string{"needs": "gpu"}}, 0)
	require.NoError(t, err)
	for _, field := range []string{`"tenant": "b"`, `"tools": []`, `"by": "operator"`, `"leader": "node1"`, `"state": "running"`} {
		status, answer := a.raw(t, "node2", text, http.MethodPost, "/v1/runs", `{"source": "1", `+field+`}`)
		assert.Equal(t, http.StatusUnprocessableEntity, status, "%s %s", field, answer)
	}

	for name := range a.nodes {
		other := a.with(t, name, text)
		_, err := other.Get(ctx, run.ID)
		require.ErrorContains(t, err, "no run", name)
		require.Error(t, other.Journal(ctx, run.ID, io.Discard))
		_, err = other.Cancel(ctx, run.ID)
		require.ErrorContains(t, err, "no run", name)
		_, err = other.Settle(ctx, run.ID, effect.Settlement{ID: run.Pending[0].ID, As: effect.Done, Result: []byte(`"no"`)})
		require.ErrorContains(t, err, "no run", name)
		page, err := other.Page(ctx, store.Query{})
		require.NoError(t, err)
		assert.Empty(t, page.Runs)
		for what, err := range map[string]error{
			"join":     second(other.NewJoin(ctx, wire.NewJoin{Node: "node9"})),
			"drain":    second(other.Drain(ctx, "node2", true)),
			"remove":   second(other.RemoveNode(ctx, "node2")),
			"down":     second(other.StepDown(ctx, "engine")),
			"policies": second(other.SetPolicies(ctx, "actions: {}")),
			"balance":  second(other.Rebalance(ctx)),
		} {
			require.ErrorContains(t, err, "operator", "%s %s", name, what)
		}
		// Neither headers nor another path change the identity of a request.
		status, _ := a.raw(t, name, text, http.MethodGet, "/v1/../v1/runs/"+run.ID+"?tenant=a&who=operator", "")
		assert.NotEqual(t, http.StatusOK, status)
	}
	lost, err = alice.Get(ctx, lost.ID)
	require.NoError(t, err)
	assert.Equal(t, store.Queued, lost.State, "no node has what it needs")
	for _, id := range []string{run.ID, lost.ID} {
		_, err = alice.Cancel(ctx, id)
		require.NoError(t, err)
	}
}

func second[T any](_ T, err error) error { return err }

// raw makes a request, with headers that nodes or proxies could mistake for an identity.
func (a *attacked) raw(t *testing.T, node, token, method, path, body string) (int, string) {
	r, err := http.NewRequest(method, a.nodes[node].Ready()+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"},
		"X-Forwarded-User": {"operator"}, "Ptc-Protocol": {"1"}, "Who": {`{"name": "operator", "role": "operator"}`}}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// rogue returns a process with the certificate of a node that can send any request. address returns the
// address of each node.
func (a *attacked) rogue(t *testing.T, node string, address func(string) string) *peer.Node {
	t.Helper()
	dir, log := filepath.Join(a.dir, node, "tls"), slog.New(slog.DiscardHandler)
	id, err := pki.Load(pki.Files{CA: filepath.Join(a.dir, "ca", pki.AuthorityCert), Cert: filepath.Join(dir, "cert.pem"),
		Key: filepath.Join(dir, "key.pem")}, a.cluster, node, nil, log)
	require.NoError(t, err)
	n, err := peer.Listen(peer.Config{Identity: id, Address: "127.0.0.1:0", Log: log,
		Find: func(node string) (string, bool) { return address(node), true }})
	require.NoError(t, err)
	t.Cleanup(n.Close)
	return n
}

// forward sends a request of the API as nodes do to each other, and returns the status and the answer.
func forward(ctx context.Context, t *testing.T, n *peer.Node, to string, request []byte) (status int, body string) {
	t.Helper()
	in, err := n.OpenProcess(ctx, to, "api", request)
	require.NoError(t, err)
	defer in.Close()
	text, err := io.ReadAll(in)
	require.NoError(t, err)
	head, body, _ := strings.Cut(string(text), "\n")
	var h struct{ Status int }
	require.NoError(t, json.Unmarshal([]byte(head), &h))
	return h.Status, body
}

// forwarded returns a request as it goes from one node to another.
func forwarded(t *testing.T, path string, body any) []byte {
	t.Helper()
	inner, err := json.Marshal(body)
	require.NoError(t, err)
	text, err := json.Marshal(map[string]any{"method": "POST", "url": path, "body": inner,
		"header": http.Header{"Content-Type": {"application/json"}},
		"who":    access.Who{Name: "operator", Tenant: "default", Role: access.Operator}})
	require.NoError(t, err)
	return text
}

// repeated sends messages between nodes again: as bytes, which needs no certificate, and as requests of a node.
func (a *attacked) repeated(ctx context.Context, t *testing.T) {
	tap := newTap(t, a.on["node1"].peer)
	n := a.rogue(t, "node2", func(node string) string {
		if node == "node1" {
			return tap.address
		}
		return a.on[node].peer
	})
	// The same submission has one run.
	submit := forwarded(t, "/v1/runs", store.Submission{Source: `(ask {:question "Go on?"})`, Key: "once"})
	var ids [2]string
	for i := range ids {
		status, body := forward(ctx, t, n, "node1", submit)
		require.Contains(t, []int{http.StatusOK, http.StatusCreated, http.StatusAccepted}, status, body)
		var run store.Run
		require.NoError(t, json.Unmarshal([]byte(body), &run))
		ids[i] = run.ID
	}
	require.Equal(t, ids[0], ids[1])
	run, err := a.at("node1").Wait(ctx, ids[0])
	require.NoError(t, err)
	run, err = a.at("node1").Get(ctx, run.ID)
	require.NoError(t, err)
	require.Len(t, run.Pending, 1)
	// The first settlement holds.
	for i, answer := range []string{`"first"`, `"first"`, `"second"`} {
		settle := forwarded(t, "/v1/runs/"+run.ID+"/settle", wire.Settlements{Settlements: []effect.Settlement{
			{ID: run.Pending[0].ID, As: effect.Done, Result: json.RawMessage(answer)}}})
		status, body := forward(ctx, t, n, run.Leader, settle)
		assert.Equal(t, i == 0, status == http.StatusOK, "%d %s", status, body)
	}
	run, err = a.at("node3").Wait(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, `"first"`, string(run.Value))
	// Recorded bytes are useless on another connection.
	recorded := tap.recorded()
	require.Greater(t, len(recorded), 1000)
	before, err := a.at("node1").Page(ctx, store.Query{})
	require.NoError(t, err)
	conn, err := net.Dial("tcp", a.on["node1"].peer)
	require.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	conn.Write(recorded)
	_, err = io.Copy(io.Discard, conn)
	if err != nil {
		assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the node ends the connection")
	}
	after, err := a.at("node1").Page(ctx, store.Query{})
	require.NoError(t, err)
	assert.Len(t, after.Runs, len(before.Runs))
	a.sessions(ctx, t, n)
}

// sessions uses the session of a node with the coordinator of guards from another node, and after its end. A busy
// machine may have another coordinator meanwhile.
func (a *attacked) sessions(ctx context.Context, t *testing.T, two *peer.Node) {
	for !a.session(ctx, t, two) {
		require.NoError(t, ctx.Err())
	}
}

// session reports whether the coordinator was the same all the time.
func (a *attacked) session(ctx context.Context, t *testing.T, two *peer.Node) bool {
	s, err := a.at("node1").Cluster(ctx)
	require.NoError(t, err)
	at := holderOf(s, "guards")
	if at == "" {
		return false
	}
	three := a.rogue(t, "node3", func(node string) string { return a.on[node].peer })
	from, other := two, three
	if at == "node2" {
		from, other = three, two
	}
	if at != "node1" {
		other = a.rogue(t, "node1", func(node string) string { return a.on[node].peer })
	}
	const another = "not-coordinator"
	ops := `{"session": "stolen", "number": 1, "ops": [{"op": "asserted"}]}`
	for _, c := range []struct {
		from                  *peer.Node
		method, request, want string
	}{
		{from, "coord/hello", `{"session": "stolen", "incarnation": "x"}`, ""},
		{from, "coord/ops", ops, ""},
		{from, "coord/ops", ops, ""}, // a batch that was handled is answered, and not handled again
		{other, "coord/ops", ops, "no session stolen of " + other.Node()},
		{from, "coord/bye", `{"session": "stolen"}`, ""},
		{from, "coord/ops", ops, "no-session"}, // an incarnation that has ended
		{from, "coord/hello", `{"term": 1000000, "session": "s", "incarnation": "x"}`, another},
	} {
		if c.from.Node() == at {
			continue // it would call itself
		}
		in, cancel := context.WithTimeout(ctx, time.Minute)
		_, err := c.from.Call(in, at, c.method, []byte(c.request))
		cancel()
		switch {
		case err != nil && c.want != another && strings.Contains(err.Error(), another),
			err != nil && c.want == "" && strings.Contains(err.Error(), "no-session"): // it was another one for a moment
			return false
		case c.want == "":
			require.NoError(t, err, "%s %s", c.method, c.request)
		default:
			require.ErrorContains(t, err, c.want)
		}
	}
	return true
}

// tap is a proxy that records what clients send.
type tap struct {
	address string
	mu      sync.Mutex
	bytes   bytes.Buffer
}

func newTap(t *testing.T, to string) *tap {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &tap{address: l.Addr().String()}
	var wg sync.WaitGroup
	wg.Go(func() {
		conn, err := l.Accept() // one connection
		if err != nil {
			return
		}
		defer conn.Close()
		node, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		wg.Go(func() {
			io.Copy(io.MultiWriter(node, p), conn)
			node.Close()
		})
		io.Copy(conn, node)
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return p
}

func (p *tap) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes.Write(b)
}

func (p *tap) recorded() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.bytes.Bytes())
}

// asks sends a request to the engine of node1 with a certificate. A stream has no body here.
func (a *attacked) asks(ctx context.Context, t *testing.T, with tls.Certificate, path, sender string) (int, []byte) {
	config := &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{with}}
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+a.on["node1"].engine+path, nil)
	require.NoError(t, err)
	r.Header.Set("X-Server-From", sender)
	answer, err := transport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK && path != "/members" {
		return answer.StatusCode, nil
	}
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, text
}

// engineIDs returns the numbers of the members of the engine by their names. A member that has not started has none.
func (a *attacked) engineIDs(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	status, text := a.asks(ctx, t, a.own("node2"), "/members", "")
	require.Equal(t, http.StatusOK, status)
	var all []struct {
		ID   uint64
		Name string
	}
	require.NoError(t, json.Unmarshal(text, &all), "%s", text)
	ids := map[string]string{}
	for _, m := range all {
		ids[m.Name] = fmt.Sprintf("%x", m.ID)
	}
	return ids
}

// forged sends requests to the engine of node1 with the certificate of node2, in the name of other members.
func (a *attacked) forged(ctx context.Context, t *testing.T) {
	ids := a.engineIDs(ctx, t)
	require.Len(t, ids, 3)
	for _, sender := range []string{"node1", "node3"} {
		status, text := a.asks(ctx, t, a.own("node2"), "/raft/stream/message/"+ids[sender], ids[sender])
		assert.Equal(t, http.StatusUnauthorized, status)
		assert.Contains(t, string(text), "node2 sends as the member of "+sender)
	}
}
