package peer_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/peer/peertest"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/internal/tlstest"
)

// tlsCluster is nodes on loopback. A proxy stands between each two.
type tlsCluster struct {
	authority *pki.Authority

	mu      sync.Mutex
	at      map[string]string // the addresses of the nodes
	proxies map[[2]string]*ptcdtest.Proxy
	cut     map[[2]string]bool
}

func newTLSCluster(t *testing.T) *tlsCluster {
	a, err := pki.NewAuthority("prod", time.Hour)
	require.NoError(t, err)
	return &tlsCluster{authority: a, at: make(map[string]string), proxies: make(map[[2]string]*ptcdtest.Proxy),
		cut: make(map[[2]string]bool)}
}

// files writes the certificate of a node.
func (c *tlsCluster) files(t *testing.T, node string) pki.Files {
	t.Helper()
	cert, key, err := c.authority.Issue("prod", node, nil, time.Hour)
	require.NoError(t, err)
	return written(t, c.authority.PEM(), cert, key)
}

func written(t *testing.T, ca, cert, key []byte) pki.Files {
	t.Helper()
	dir := t.TempDir()
	f := pki.Files{CA: filepath.Join(dir, "ca.pem"), Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	for name, text := range map[string][]byte{f.CA: ca, f.Cert: cert, f.Key: key} {
		require.NoError(t, os.WriteFile(name, text, 0o600))
	}
	return f
}

func (c *tlsCluster) Join(t *testing.T, node, release string) peertest.Node {
	n := c.join(t, c.files(t, node), node, peer.Config{Release: release, Silence: time.Minute, Dial: time.Minute})
	peer.LimitCalls(n, c.MaxCalls())
	return n
}

func (c *tlsCluster) join(t *testing.T, files pki.Files, node string, config peer.Config) *peer.Node {
	t.Helper()
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	id, err := pki.Load(files, "prod", node, nil, config.Log)
	require.NoError(t, err)
	config.Identity, config.Address = id, "127.0.0.1:0"
	config.Find = func(to string) (string, bool) { return c.find(node, to) }
	n, err := peer.Listen(config)
	require.NoError(t, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at[node] = n.Addr().String()
	for other := range c.at {
		for _, pair := range [][2]string{{node, other}, {other, node}} {
			if c.proxies[pair] == nil {
				c.proxies[pair] = ptcdtest.NewProxy(t)
			}
			c.direct(pair)
		}
	}
	t.Cleanup(n.Close)
	n.Start()
	return n
}

// direct sets where the proxy of a pair leads.
func (c *tlsCluster) direct(pair [2]string) {
	if c.cut[pair] {
		c.proxies[pair].To("")
		return
	}
	c.proxies[pair].To(c.at[pair[1]])
}

func (c *tlsCluster) find(from, to string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.proxies[[2]string{from, to}]
	if p == nil {
		return "", false
	}
	return strings.TrimPrefix(p.URL, "http://"), true
}

func (c *tlsCluster) set(a, b string, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		c.cut[pair] = cut
		c.direct(pair)
	}
}

// MaxCalls needs two connections.
func (c *tlsCluster) MaxCalls() int                  { return 1200 }
func (c *tlsCluster) Cut(_ *testing.T, a, b string)  { c.set(a, b, true) }
func (c *tlsCluster) Heal(_ *testing.T, a, b string) { c.set(a, b, false) }

func TestNode(t *testing.T) {
	peertest.Test(t, func(t *testing.T) peertest.Cluster { return newTLSCluster(t) })
}

// echo makes a node answer "echo" with the name of the caller.
func echo(n *peer.Node) {
	n.Handle("echo", func(_ context.Context, from string, _ []byte) ([]byte, error) { return []byte(from), nil })
}

// TestStrangers connects to a node in ways that it refuses.
func TestStrangers(t *testing.T) {
	c := newTLSCluster(t)
	n := c.join(t, c.files(t, "node1"), "node1", peer.Config{})
	var handled atomic.Int64
	n.Handle("echo", func(context.Context, string, []byte) ([]byte, error) { handled.Add(1); return nil, nil })
	rogue := tlstest.New(t, "rogue")
	other, err := pki.NewAuthority("test", time.Hour)
	require.NoError(t, err)
	pair := func(cert, key []byte, err error) *tls.Certificate {
		require.NoError(t, err)
		p, err := tls.X509KeyPair(cert, key)
		require.NoError(t, err)
		return &p
	}
	rogueCert, rogueKey := rogue.Issue(x509.Certificate{URIs: []*url.URL{pki.URI("prod", "node2")}})
	for name, cert := range map[string]*tls.Certificate{
		"none": nil, "rogue authority": pair(rogueCert, rogueKey, nil),
		"expired":       pair(c.authority.Issue("prod", "node2", nil, -time.Second)),
		"other cluster": pair(other.Issue("test", "node2", nil, time.Hour)),
	} {
		config := &tls.Config{InsecureSkipVerify: true}
		if cert != nil {
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
		}
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}}
		_, err := client.Post("https://"+n.Addr().String()+"/call/echo", "", strings.NewReader("x"))
		require.Error(t, err, name)
		client.CloseIdleConnections()
	}
	plain := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := plain.Post("http://"+n.Addr().String()+"/call/echo", "", strings.NewReader("x"))
	if err == nil {
		assert.Equal(t, http.StatusBadRequest, answer.StatusCode)
		answer.Body.Close()
	}
	assert.Zero(t, handled.Load())
}

// TestWrongNode calls a node at whose address another one answers.
func TestWrongNode(t *testing.T) {
	c := newTLSCluster(t)
	a := c.join(t, c.files(t, "node1"), "node1", peer.Config{})
	b := c.join(t, c.files(t, "node2"), "node2", peer.Config{})
	echo(b)
	c.mu.Lock()
	p := ptcdtest.NewProxy(t)
	p.To(c.at["node2"])
	c.proxies[[2]string{"node1", "node3"}] = p
	c.mu.Unlock()
	_, err := a.Call(t.Context(), "node3", "echo", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	require.ErrorIs(t, err, pki.ErrIdentity)
	require.ErrorContains(t, err, "it is that of node2, want that of node3")
}

// TestNotAllowedAnyMore calls over a connection that began when the node was allowed.
func TestNotAllowedAnyMore(t *testing.T) {
	c := newTLSCluster(t)
	a := c.join(t, c.files(t, "node1"), "node1", peer.Config{})
	files := c.files(t, "node2")
	id, err := pki.Load(files, "prod", "node2", nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	b, err := peer.Listen(peer.Config{Identity: id, Address: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer b.Close()
	echo(b)
	b.Start()
	p := ptcdtest.NewProxy(t)
	p.To(b.Addr().String())
	c.mu.Lock()
	c.proxies[[2]string{"node1", "node2"}] = p
	c.mu.Unlock()
	_, err = a.Call(t.Context(), "node2", "echo", nil)
	require.NoError(t, err)
	id.Allow(func(string) bool { return false })
	_, err = a.Call(t.Context(), "node2", "echo", nil)
	var refusal *peer.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, peer.CodeIdentity, refusal.Code)
	assert.Contains(t, refusal.Message, "node1, which is not one of the allowed identities of node2")
	assert.Equal(t, 1, p.Passed())
}

// TestCertificateRotation replaces the certificate of a node that calls another one all the time, with a stream open.
func TestCertificateRotation(t *testing.T) {
	c := newTLSCluster(t)
	files := c.files(t, "node1")
	a := c.join(t, files, "node1", peer.Config{})
	b := c.join(t, c.files(t, "node2"), "node2", peer.Config{})
	echo(b)
	lines := make(chan string)
	b.Stream("lines", func(ctx context.Context, _ string, _ []byte, w io.Writer) error {
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case line := <-lines:
				fmt.Fprintln(w, line)
			}
		}
	})
	s, err := a.Open(t.Context(), "node2", "lines", nil)
	require.NoError(t, err)
	defer s.Close()
	says := func(text string) {
		t.Helper()
		lines <- text
		got := make([]byte, len(text)+1)
		_, err := io.ReadFull(s, got)
		require.NoError(t, err)
		require.Equal(t, text+"\n", string(got))
	}
	says("before")
	proxy := func() *ptcdtest.Proxy {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.proxies[[2]string{"node1", "node2"}]
	}()
	require.Equal(t, 1, proxy.Passed())
	cert, key, err := c.authority.Issue("prod", "node1", nil, time.Hour)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files.Key, key, 0o600))
	for range 100 {
		answer, err := a.Call(t.Context(), "node2", "echo", nil)
		require.NoError(t, err)
		require.Equal(t, "node1", string(answer))
	}
	require.NoError(t, os.WriteFile(files.Cert, cert, 0o600))
	require.Eventually(t, func() bool {
		_, err := a.Call(t.Context(), "node2", "echo", nil)
		require.NoError(t, err)
		return proxy.Passed() == 2
	}, time.Minute, 5*time.Millisecond)
	says("after")
}

// TestSilentLink stops a link without closing its connections.
func TestSilentLink(t *testing.T) {
	c := newTLSCluster(t)
	silence := 100 * time.Millisecond
	a := c.join(t, c.files(t, "node1"), "node1", peer.Config{Silence: silence})
	b := c.join(t, c.files(t, "node2"), "node2", peer.Config{Silence: silence})
	echo(b)
	begun, over := make(chan bool, 1), make(chan bool, 1)
	b.Handle("wait", func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
		for _, did := range []chan bool{begun, over} {
			select {
			case did <- true:
			default: // an earlier call has, which a busy machine has cut off
			}
			<-ctx.Done()
		}
		return nil, ctx.Err()
	})
	link := newSilent(t, c.at["node2"])
	c.mu.Lock()
	p := ptcdtest.NewProxy(t)
	p.To(link.address)
	c.proxies[[2]string{"node1", "node2"}] = p
	c.mu.Unlock()
	failed := make(chan error)
	go func() {
		_, err := a.Call(t.Context(), "node2", "wait", nil)
		for !link.silent.Load() { // a busy machine is silent for as long
			_, err = a.Call(t.Context(), "node2", "wait", nil)
		}
		failed <- err
	}()
	<-begun
	link.silent.Store(true)
	require.ErrorIs(t, <-failed, peer.ErrUnreachable)
	<-over
	link.silent.Store(false)
	require.Eventually(t, func() bool {
		_, err := a.Call(t.Context(), "node2", "echo", nil)
		return err == nil
	}, time.Minute, time.Millisecond)
}

// silent passes connections on, and drops all bytes while it is silent.
type silent struct {
	address string
	silent  atomic.Bool
}

func newSilent(t *testing.T, target string) *silent {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &silent{address: l.Addr().String()}
	var all sync.WaitGroup
	pass := func(from, to net.Conn) {
		defer from.Close()
		defer to.Close()
		dead := false
		for buffer := make([]byte, 32<<10); ; {
			k, err := from.Read(buffer)
			if dead = dead || s.silent.Load(); !dead && k > 0 {
				to.Write(buffer[:k])
			}
			if err != nil {
				return
			}
		}
	}
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d, err := net.Dial("tcp", target)
			if err != nil {
				c.Close()
				continue
			}
			all.Go(func() { pass(c, d) })
			all.Go(func() { pass(d, c) })
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return s
}

// TestJoining joins over the port of a node, which needs certificates otherwise.
func TestJoining(t *testing.T) {
	c := newTLSCluster(t)
	grants := new(pki.MemoryGrants)
	token, grant, err := pki.NewToken(c.authority.Pin(), "node2", nil, time.Hour)
	require.NoError(t, err)
	require.NoError(t, grants.Put(t.Context(), grant))
	a := c.join(t, c.files(t, "node1"), "node1", peer.Config{Admit: &pki.Admitter{
		Cluster: "prod", Authority: c.authority, Grants: grants, Log: slog.New(slog.DiscardHandler)}})
	echo(a)
	got, err := pki.Join(t.Context(), a.Addr().String(), token, nil)
	require.NoError(t, err)
	b := c.join(t, written(t, got.CA, got.Cert, got.Key), "node2", peer.Config{})
	answer, err := b.Call(t.Context(), "node1", "echo", nil)
	require.NoError(t, err)
	assert.Equal(t, "node2", string(answer))
	_, err = pki.Join(t.Context(), a.Addr().String(), token, nil)
	require.ErrorContains(t, err, "the token is not known")
	// A node that admits nobody.
	_, err = pki.Join(t.Context(), b.Addr().String(), token, nil)
	require.Error(t, err)
}

// post sends a request of a node that has a certificate, as another version of this software might.
func post(t *testing.T, c *tlsCluster, n *peer.Node, path string, header http.Header, body io.Reader) (int, string) {
	t.Helper()
	cert, key, err := c.authority.Issue("prod", "node9", nil, time.Hour)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	transport := &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequest(http.MethodPost, "https://"+n.Addr().String()+path, body)
	require.NoError(t, err)
	r.Header = header
	answer, err := transport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// TestVersions sends requests of other versions, and requests that are none.
func TestVersions(t *testing.T) {
	c := newTLSCluster(t)
	n := c.join(t, c.files(t, "node1"), "node1", peer.Config{})
	echo(n)
	good := http.Header{"Ptc-Protocol": {"1"}, "Ptc-Release": {`""`}}
	status, text := post(t, c, n, "/call/echo", good, strings.NewReader("x"))
	assert.Equal(t, 200, status)
	assert.Equal(t, "node9", text)
	for name, x := range map[string]struct {
		path   string
		header http.Header
		body   io.Reader
		status int
		want   string
	}{
		"newer":       {"/call/echo", http.Header{"Ptc-Protocol": {"2"}, "Ptc-Release": {`""`}}, nil, 422, "node1 has version 1 of the messages between nodes, node9 has version 2"},
		"none":        {"/call/echo", http.Header{}, nil, 422, "node9 has version 0"},
		"new stream":  {"/stream/echo", http.Header{"Ptc-Protocol": {"2"}, "Ptc-Release": {`""`}}, nil, 422, "node9 has version 2"},
		"path":        {"/other", good, nil, 404, "not found"},
		"no length":   {"/call/echo", good, struct{ io.Reader }{strings.NewReader("x")}, 422, "has no length"},
		"long":        {"/call/echo", good, bytes.NewReader(make([]byte, peer.MaxMessage+1)), 422, "has 4194305 bytes"},
		"long method": {"/call/" + strings.Repeat("x", 30000), good, nil, 422, "no-method"},
	} {
		status, text := post(t, c, n, x.path, x.header, x.body)
		assert.Equal(t, x.status, status, name)
		assert.Contains(t, text, x.want, name)
	}
}

// TestBodies begins requests whose bytes never come, as many as a node may, and calls the node from another one.
func TestBodies(t *testing.T) {
	c := newTLSCluster(t)
	n := c.join(t, c.files(t, "node1"), "node1", peer.Config{})
	b := c.join(t, c.files(t, "node2"), "node2", peer.Config{})
	echo(n)
	cert, key, err := c.authority.Issue("prod", "node9", nil, time.Hour)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	transport := &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithCancel(t.Context())
	refused, most := make(chan bool, 100), 64
	var all sync.WaitGroup
	for range most + 1 {
		all.Go(func() {
			silent, end := io.Pipe()
			defer end.Close()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+n.Addr().String()+"/call/echo", silent)
			assert.NoError(t, err)
			r.ContentLength = peer.MaxMessage
			r.Header = http.Header{"Ptc-Protocol": {"1"}, "Ptc-Release": {`""`}}
			if answer, err := transport.RoundTrip(r); err == nil {
				answer.Body.Close()
				refused <- true
			}
		})
	}
	<-refused // node9 has all that it may have
	answer, err := b.Call(t.Context(), "node1", "echo", []byte("x"))
	cancel()
	all.Wait()
	require.NoError(t, err)
	assert.Equal(t, "node2", string(answer))
}

// TestListenFails listens where somebody does already.
func TestListenFails(t *testing.T) {
	c := newTLSCluster(t)
	a := c.join(t, c.files(t, "node1"), "node1", peer.Config{})
	id, err := pki.Load(c.files(t, "node2"), "prod", "node2", nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = peer.Listen(peer.Config{Identity: id, Address: a.Addr().String(), Log: slog.New(slog.DiscardHandler)})
	require.ErrorContains(t, err, "node2 can't listen")
}
