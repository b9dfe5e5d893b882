package pki_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/internal/tlstest"
)

// authority returns an authority of the cluster "prod".
func authority(t *testing.T) *pki.Authority {
	t.Helper()
	a, err := pki.NewAuthority("prod", time.Hour)
	require.NoError(t, err)
	return a
}

// written writes files of an identity into a directory.
func written(t testing.TB, dir string, ca, cert, key []byte) pki.Files {
	t.Helper()
	f := pki.Files{CA: filepath.Join(dir, "ca.pem"), Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	for name, text := range map[string][]byte{f.CA: ca, f.Cert: cert, f.Key: key} {
		require.NoError(t, os.WriteFile(name, text, 0o600))
	}
	return f
}

// loaded returns the identity of a node of "prod" whose certificate the authority signs.
func loaded(t *testing.T, a *pki.Authority, node string, allow func(string) bool) *pki.Identity {
	t.Helper()
	cert, key, err := a.Issue("prod", node, []string{"127.0.0.1", "localhost"}, time.Hour)
	require.NoError(t, err)
	i, err := pki.Load(written(t, t.TempDir(), a.PEM(), cert, key), "prod", node, allow, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return i
}

// echo is a server that answers each line with the name of the caller and the line.
type echo struct {
	address string
	errors  chan error // of handshakes
}

func serve(t *testing.T, i *pki.Identity) *echo {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	e := &echo{l.Addr().String(), make(chan error, 100)}
	config := i.Server(false, "echo")
	var all sync.WaitGroup
	var conns []net.Conn
	all.Go(func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, raw)
			all.Go(func() { e.answer(tls.Server(raw, config), i) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		for _, c := range conns {
			c.Close()
		}
		all.Wait()
	})
	return e
}

func (e *echo) answer(c *tls.Conn, i *pki.Identity) {
	defer c.Close()
	if err := c.Handshake(); err != nil {
		e.errors <- err
		return
	}
	for lines := bufio.NewScanner(c); lines.Scan(); {
		node, err := i.Node(c.ConnectionState())
		fmt.Fprintf(c, "%s %s %v\n", node, lines.Text(), err)
	}
}

// dial connects, and returns a function that sends a line and returns the answer.
func (e *echo) dial(t *testing.T, config *tls.Config) (ask func(line string) (string, error), c *tls.Conn) {
	t.Helper()
	raw, err := net.Dial("tcp", e.address)
	require.NoError(t, err)
	t.Cleanup(func() { raw.Close() })
	c = tls.Client(raw, config)
	r := bufio.NewReader(c)
	return func(line string) (string, error) {
		if _, err := fmt.Fprintln(c, line); err != nil {
			return "", err
		}
		text, err := r.ReadString('\n')
		return text, err
	}, c
}

func TestBothSides(t *testing.T) {
	a := authority(t)
	node1, node2 := loaded(t, a, "node1", nil), loaded(t, a, "node2", nil)
	ask, c := serve(t, node1).dial(t, node2.Client("node1", "echo"))
	answer, err := ask("hi")
	require.NoError(t, err)
	assert.Equal(t, "node2 hi <nil>\n", answer)
	assert.Equal(t, uint16(tls.VersionTLS13), c.ConnectionState().Version)
	assert.Equal(t, "prod", node1.Cluster())
	assert.Equal(t, "node1", node1.Name())
	assert.WithinDuration(t, time.Now().Add(time.Hour), node1.Expires(), time.Minute)
}

// TestClientsRefused connects with certificates and protocols that the server refuses.
func TestClientsRefused(t *testing.T) {
	ours, rogue := tlstest.New(t, "ours"), tlstest.New(t, "rogue")
	id := func(cluster, node string) []*url.URL { return []*url.URL{pki.URI(cluster, node)} }
	cert, key := ours.Issue(x509.Certificate{Subject: pkix.Name{CommonName: "node1"}, URIs: id("prod", "node1")})
	allow, err := pki.Allow("prod", "node2", "ptc://prod/node/node3")
	require.NoError(t, err)
	server, err := pki.Load(written(t, t.TempDir(), ours.PEM(), cert, key), "prod", "node1", allow, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	e := serve(t, server)
	for name, c := range map[string]struct {
		from     *tlstest.Authority
		template x509.Certificate
		change   func(*tls.Config)
		want     string // "" for none
	}{
		"allowed":            {from: ours, template: x509.Certificate{URIs: id("prod", "node2")}},
		"allowed by URI":     {from: ours, template: x509.Certificate{URIs: id("prod", "node3")}},
		"rogue authority":    {from: rogue, template: x509.Certificate{URIs: id("prod", "node2")}, want: "unknown authority"},
		"other cluster":      {from: ours, template: x509.Certificate{URIs: id("test", "node2")}, want: `it is that of node2 of the cluster "test", want a node of "prod"`},
		"other node":         {from: ours, template: x509.Certificate{URIs: id("prod", "node4")}, want: "it is that of node4, which is not one of the allowed identities of node1"},
		"no identity":        {from: ours, template: x509.Certificate{Subject: pkix.Name{CommonName: "node2"}, DNSNames: []string{"node2"}}, want: "has no identity"},
		"two identities":     {from: ours, template: x509.Certificate{URIs: append(id("prod", "node2"), id("prod", "node3")...)}, want: "has two identities"},
		"identity of a user": {from: ours, template: x509.Certificate{URIs: []*url.URL{{Scheme: "ptc", Host: "prod", Path: "/user/node2"}}}, want: "want ptc://CLUSTER/node/NAME"},
		"more in the URI":    {from: ours, template: x509.Certificate{URIs: []*url.URL{{Scheme: "ptc", Host: "prod", Path: "/node/node2", RawQuery: "a"}}}, want: "want ptc://CLUSTER/node/NAME"},
		"expired":            {from: ours, template: x509.Certificate{URIs: id("prod", "node2"), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(-time.Minute)}, want: "expired"},
		"from tomorrow":      {from: ours, template: x509.Certificate{URIs: id("prod", "node2"), NotBefore: time.Now().Add(time.Hour), NotAfter: time.Now().Add(2 * time.Hour)}, want: "not yet valid"},
		"no certificate":     {from: ours, change: func(c *tls.Config) { c.GetClientCertificate = nil }, want: "didn't provide a certificate"},
		"TLS 1.2":            {from: ours, template: x509.Certificate{URIs: id("prod", "node2")}, change: func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, want: "unsupported versions"},
		"to join":            {from: ours, change: func(c *tls.Config) { c.NextProtos, c.GetClientCertificate = []string{pki.JoinProtocol}, nil }, want: "unsupported application protocols"},
	} {
		t.Run(name, func(t *testing.T) {
			cert, key := c.from.Issue(c.template)
			config := tlstest.Client(t, cert, key, ours)
			config.InsecureSkipVerify, config.NextProtos = true, []string{"echo"}
			if c.change != nil {
				c.change(config)
			}
			ask, _ := e.dial(t, config)
			_, err := ask("hi")
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			require.ErrorContains(t, <-e.errors, c.want)
		})
	}
	t.Run("plaintext", func(t *testing.T) {
		raw, err := net.Dial("tcp", e.address)
		require.NoError(t, err)
		defer raw.Close()
		fmt.Fprint(raw, "POST /call/echo HTTP/1.1\r\nHost: node1\r\nContent-Length: 0\r\n\r\n")
		answer, _ := io.ReadAll(raw)
		require.ErrorContains(t, <-e.errors, "first record does not look like a TLS handshake")
		assert.NotContains(t, string(answer), "HTTP/1.1 200")
	})
}

// TestServersRefused connects to servers that the client refuses.
func TestServersRefused(t *testing.T) {
	a := authority(t)
	client := loaded(t, a, "node2", func(node string) bool { return node == "node1" || node == "node3" })
	rogue := authority(t)
	for name, c := range map[string]struct {
		server *pki.Identity
		node   string
		want   string
	}{
		"rogue authority": {loaded(t, rogue, "node1", nil), "node1", "unknown authority"},
		"other node":      {loaded(t, a, "node3", nil), "node1", "it is that of node3, want that of node1"},
		"not allowed":     {loaded(t, a, "node4", nil), "node4", "not one of the allowed identities"},
	} {
		t.Run(name, func(t *testing.T) {
			ask, _ := serve(t, c.server).dial(t, client.Client(c.node, "echo"))
			_, err := ask("hi")
			require.ErrorIs(t, err, pki.ErrIdentity)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestAuthorityOfAnotherCluster requires the constraint of an authority to hold: it can't sign for other clusters.
func TestAuthorityOfAnotherCluster(t *testing.T) {
	a := authority(t)
	cert, key, err := a.Issue("test", "node1", nil, time.Hour)
	require.NoError(t, err)
	_, err = pki.Load(written(t, t.TempDir(), a.PEM(), cert, key), "test", "node1", nil, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "constraint")
}

// TestLoadRefuses loads files that are no identity.
func TestLoadRefuses(t *testing.T) {
	a, other := authority(t), authority(t)
	cert, key, err := a.Issue("prod", "node1", nil, time.Hour)
	require.NoError(t, err)
	_, key2, err := a.Issue("prod", "node1", nil, time.Hour)
	require.NoError(t, err)
	old, oldKey, err := a.Issue("prod", "node1", nil, -time.Minute)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		ca, cert, key []byte
		node, want    string
	}{
		"other node":     {a.PEM(), cert, key, "node2", "it is that of node1, want that of node2"},
		"name":           {a.PEM(), cert, key, "Node 1", `the name of a node is "Node 1"`},
		"other CA":       {other.PEM(), cert, key, "node1", "unknown authority"},
		"other key":      {a.PEM(), cert, key2, "node1", "it is not the key of the certificate"},
		"expired":        {a.PEM(), old, oldKey, "node1", "expired"},
		"no CA":          {nil, cert, key, "node1", "ca.pem: it has no certificate in PEM"},
		"CA is a node":   {cert, cert, key, "node1", "is not that of an authority"},
		"no key":         {a.PEM(), cert, cert, "node1", "key.pem: it has no private key in PEM"},
		"half of a cert": {a.PEM(), cert[:len(cert)/2], key, "node1", "cert.pem: it has no certificate in PEM"},
	} {
		_, err := pki.Load(written(t, t.TempDir(), c.ca, c.cert, c.key), "prod", c.node, nil, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, c.want, name)
	}
	if runtime.GOOS != "windows" {
		f := written(t, t.TempDir(), a.PEM(), cert, key)
		require.NoError(t, os.Chmod(f.Key, 0o640))
		_, err := pki.Load(f, "prod", "node1", nil, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, "its mode is 0640: run chmod 600")
	}
}

// TestRotation replaces the files of a server with an open connection, one after the other.
func TestRotation(t *testing.T) {
	old := authority(t)
	dir := t.TempDir()
	cert, key, err := old.Issue("prod", "node1", nil, time.Hour)
	require.NoError(t, err)
	files := written(t, dir, old.PEM(), cert, key)
	var log bytes.Buffer
	server, err := pki.Load(files, "prod", "node1", nil, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	e := serve(t, server)
	node2 := loaded(t, old, "node2", nil)
	before, conn := e.dial(t, node2.Client("node1", "echo"))
	serial := func(c *tls.Conn) string { return c.ConnectionState().PeerCertificates[0].SerialNumber.String() }
	works := func(ask func(string) (string, error)) {
		t.Helper()
		answer, err := ask("hi")
		require.NoError(t, err)
		require.Equal(t, "node2 hi <nil>\n", answer)
	}
	works(before)
	first, version := serial(conn), server.Version()

	// First the certificate is there without its key, then with half of the key.
	cert2, key2, err := old.Issue("prod", "node1", nil, 2*time.Hour)
	require.NoError(t, err)
	for _, step := range []struct {
		file string
		text []byte
	}{{files.Cert, cert2}, {files.Key, key2[:len(key2)/2]}} {
		require.NoError(t, os.WriteFile(step.file, step.text, 0o600))
		ask, conn := e.dial(t, node2.Client("node1", "echo"))
		works(ask)
		assert.Equal(t, first, serial(conn))
	}
	assert.Equal(t, version, server.Version())
	assert.Contains(t, log.String(), "the old contents of a changed file stay in use")
	assert.Contains(t, log.String(), "key.pem")
	require.NoError(t, os.WriteFile(files.Key, key2, 0o600))
	ask, conn := e.dial(t, node2.Client("node1", "echo"))
	works(ask)
	assert.NotEqual(t, first, serial(conn))
	assert.Equal(t, version+1, server.Version())
	works(before)

	// A new authority: both are trusted, then all certificates are changed, then the old one goes.
	next := authority(t)
	nextNode2 := loaded(t, next, "node2", nil)
	refused, _ := e.dial(t, nextNode2.Client("node1", "echo"))
	_, err = refused("hi")
	require.Error(t, err)
	require.NoError(t, os.WriteFile(files.CA, append(old.PEM(), next.PEM()...), 0o600))
	ask, _ = e.dial(t, node2.Client("node1", "echo"))
	works(ask)
	cert3, key3, err := next.Issue("prod", "node1", nil, time.Hour)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files.Key, key3, 0o600))
	require.NoError(t, os.WriteFile(files.Cert, cert3, 0o600))
	ask, _ = e.dial(t, nextNode2.Client("node1", "echo"))
	works(ask)
	require.NoError(t, os.WriteFile(files.CA, next.PEM(), 0o600))
	ask, _ = e.dial(t, nextNode2.Client("node1", "echo"))
	works(ask)
	refused, _ = e.dial(t, node2.Client("node1", "echo"))
	_, err = refused("hi")
	require.Error(t, err)
	works(before)
}

// TestNodeChanges requires an open connection of a node that is not allowed any more to be noticed.
func TestNodeChanges(t *testing.T) {
	a := authority(t)
	node1, node2 := loaded(t, a, "node1", nil), loaded(t, a, "node2", nil)
	ask, _ := serve(t, node1).dial(t, node2.Client("node1", "echo"))
	answer, err := ask("hi")
	require.NoError(t, err)
	assert.Equal(t, "node2 hi <nil>\n", answer)
	node1.Allow(func(string) bool { return false })
	answer, err = ask("hi")
	require.NoError(t, err)
	assert.Contains(t, answer, "it is that of node2, which is not one of the allowed identities of node1")
	_, err = node1.Node(tls.ConnectionState{})
	require.ErrorIs(t, err, pki.ErrIdentity)
}

func TestAllow(t *testing.T) {
	allow, err := pki.Allow("prod", "*")
	require.NoError(t, err)
	assert.True(t, allow("node9"))
	allow, err = pki.Allow("prod")
	require.NoError(t, err)
	assert.False(t, allow("node9"))
	_, err = pki.Allow("prod", "ptc://test/node/node1", "node1", "a b")
	require.ErrorContains(t, err, `the identity is "ptc://test/node/node1", want the name of a node such as node1, ptc://prod/node/node1, or *`)
	require.ErrorContains(t, err, `the identity is "a b"`)
}

func TestAuthorityFiles(t *testing.T) {
	dir := t.TempDir()
	a := authority(t)
	require.NoError(t, a.Write(dir))
	require.Error(t, a.Write(dir))
	cert, key := filepath.Join(dir, pki.AuthorityCert), filepath.Join(dir, pki.AuthorityKey)
	again, err := pki.LoadAuthority(cert, key)
	require.NoError(t, err)
	assert.Equal(t, a.Pin(), again.Pin())
	info, err := os.Stat(key)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		require.NoError(t, os.Chmod(key, 0o644))
		_, err = pki.LoadAuthority(cert, key)
		require.ErrorContains(t, err, "its mode is 0644")
		require.NoError(t, os.Chmod(key, 0o600))
	}
	other := t.TempDir()
	require.NoError(t, authority(t).Write(other))
	_, err = pki.LoadAuthority(filepath.Join(other, pki.AuthorityCert), key)
	require.ErrorContains(t, err, "it is not the key of the certificate")
	two := filepath.Join(t.TempDir(), "two.pem")
	require.NoError(t, os.WriteFile(two, append(authority(t).PEM(), a.PEM()...), 0o600))
	again, err = pki.LoadAuthority(two, key)
	require.NoError(t, err)
	assert.Equal(t, a.Pin(), again.Pin(), "the one of two that has the key")
	node, nodeKey, err := a.Issue("prod", "node1", nil, time.Hour)
	require.NoError(t, err)
	f := written(t, t.TempDir(), nil, node, nodeKey)
	_, err = pki.LoadAuthority(f.Cert, f.Key)
	require.ErrorContains(t, err, "want that of an authority")
	_, _, err = a.Issue("prod", "node1", []string{"a b"}, time.Hour)
	require.ErrorContains(t, err, `the host of a certificate is "a b"`)
	_, err = pki.NewAuthority("Prod", time.Hour)
	require.ErrorContains(t, err, `the name of a cluster is "Prod"`)
}
