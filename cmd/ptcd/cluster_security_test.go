package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/pki"
)

// TestClusterSecurity attacks a cluster of three processes: over each of its ports, as a hostile submitter, as a node
// that repeats messages or was replaced, and as a thief of its disks.
func TestClusterSecurity(t *testing.T) {
	t.Parallel() // it mostly waits
	web := newWeb(t)
	a := newAttacked(t, web.flags()...)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	t.Run("foreign", a.foreign)
	t.Run("submitter", func(t *testing.T) { a.submitter(ctx, t) })
	t.Run("repeated", func(t *testing.T) { a.repeated(ctx, t) })
	t.Run("forged", func(t *testing.T) { a.forged(ctx, t) })
	t.Run("replaced", func(t *testing.T) { a.replaced(ctx, t) })
	t.Run("rotated", func(t *testing.T) { a.rotated(ctx, t) })
	t.Run("copy", func(t *testing.T) { a.copied(ctx, t) })
	t.Run("stolen", func(t *testing.T) { a.stolen(ctx, t, web) })
}

// attacked is a cluster, with the credentials of its attackers.
type attacked struct {
	*members
	cluster string
	on      map[string]addresses
	ours    *signer // the authority of the cluster
}

// addresses are those of a node.
type addresses struct{ api, peer, engine string }

func newAttacked(t *testing.T, flags ...string) *attacked {
	a := &attacked{members: prepareCluster(t, flags...), on: map[string]addresses{}}
	a.readAddresses()
	a.append("node3.yaml", "allow-env: [PTCD_TEST_COMMAND]\n")
	a.ours = readSigner(t, filepath.Join(a.dir, "ca"))
	a.startAll()
	return a
}

// readAddresses reads the addresses of the nodes from the settings of one.
func (a *attacked) readAddresses() {
	s, err := parse([]string{"--config", filepath.Join(a.dir, "node1.yaml")})
	require.NoError(a.t, err)
	a.cluster = s.cluster.ClusterID
	for _, c := range s.cluster.Controllers {
		a.on[c.Name] = addresses{c.APIAddress, c.Address, c.EngineAddress}
	}
}

// signer signs certificates, as a test wants them.
type signer struct {
	t    *testing.T
	cert *x509.Certificate
	key  any
}

func readSigner(t *testing.T, dir string) *signer {
	t.Helper()
	block := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		b, _ := pem.Decode(text)
		return b.Bytes
	}
	cert, err := x509.ParseCertificate(block(pki.AuthorityCert))
	require.NoError(t, err)
	key, err := x509.ParsePKCS8PrivateKey(block(pki.AuthorityKey))
	require.NoError(t, err)
	return &signer{t, cert, key}
}

// newSigner returns another authority, with the name of that of the cluster.
func newSigner(t *testing.T, cluster string) *signer {
	dir := t.TempDir()
	other, err := pki.NewAuthority(cluster, time.Hour)
	require.NoError(t, err)
	require.NoError(t, other.Write(dir))
	return readSigner(t, dir)
}

// issue returns a certificate like that of a node, except for one change.
func (s *signer) issue(cluster, node string, change func(*x509.Certificate)) tls.Certificate {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(s.t, err)
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))
	require.NoError(s.t, err)
	c := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: node},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true, URIs: []*url.URL{pki.URI(cluster, node)},
		DNSNames:    []string{"localhost", pki.Host(cluster, node), pki.EngineHost(cluster)},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	if change != nil {
		change(c)
	}
	der, err := x509.CreateCertificate(rand.Reader, c, s.cert, key.Public(), s.key)
	require.NoError(s.t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// port is a port of a node, with the first bytes of a client.
type port struct{ name, address, protocol, send string }

func (a *attacked) ports(node string) []port {
	return []port{{"peer", a.on[node].peer, "h2", ""},
		{"engine", a.on[node].engine, "http/1.1", "GET /members HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"}}
}

// answer returns the first bytes of an answer to a client with a certificate.
func (p *port) answer(change func(*tls.Config), certs ...tls.Certificate) (string, error) {
	config := &tls.Config{InsecureSkipVerify: true, Certificates: certs, NextProtos: []string{p.protocol}}
	if change != nil {
		change(config)
	}
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Minute}, "tcp", p.address, config)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, p.send); err != nil {
		return "", err
	}
	first := make([]byte, 12) // a status of HTTP/1.1; a frame of HTTP/2 has more
	_, err = io.ReadFull(conn, first)
	return string(first), err
}

// accepts reports whether the port answers a node with a certificate.
func (p *port) accepts(change func(*tls.Config), certs ...tls.Certificate) bool {
	first, err := p.answer(change, certs...)
	return err == nil && !strings.HasPrefix(first, "HTTP/1.1 4")
}

// foreign connects to the ports of nodes with certificates that are not those of a node, and without any.
func (a *attacked) foreign(t *testing.T) {
	rogue, node := newSigner(t, a.cluster), "node2"
	soon := func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	}
	issue := func(change func(*x509.Certificate)) []tls.Certificate {
		return []tls.Certificate{a.ours.issue(a.cluster, node, change)}
	}
	bad := map[string][]tls.Certificate{
		"nobody":                nil,
		"a rogue authority":     {rogue.issue(a.cluster, node, nil)},
		"another cluster":       {a.ours.issue("other", node, nil)},
		"a node never admitted": {a.ours.issue(a.cluster, "node9", nil)},
		"a signature of a node": {a.signedByNode(t)},
		"the past":              issue(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }),
		"the future":            issue(soon),
		"a client":              issue(func(c *x509.Certificate) { c.URIs, c.DNSNames = nil, []string{"localhost"} }),
		"a user":                issue(func(c *x509.Certificate) { c.URIs[0].Path = "/user/node2" }),
		"two nodes":             issue(func(c *x509.Certificate) { c.URIs = append(c.URIs, pki.URI(a.cluster, "node3")) }),
		"a server only":         issue(func(c *x509.Certificate) { c.ExtKeyUsage = c.ExtKeyUsage[:1] }),
	}
	for _, p := range a.ports("node1") {
		require.True(t, p.accepts(nil, a.own(node)), "%s, a node", p.name)
		for name, certs := range bad {
			assert.False(t, p.accepts(nil, certs...), "%s, the certificate of %s", p.name, name)
		}
		assert.False(t, p.accepts(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, a.own(node)), "%s, TLS 1.2", p.name)
		assert.NotContains(t, plaintext(t, p.address), "200 OK", p.name)
	}
	// A client that asks to join reaches nothing else, on one port, of a node with the key of the authority.
	joins := func(c *tls.Config) { c.NextProtos = []string{pki.JoinProtocol} }
	for name := range a.on {
		for _, p := range a.ports(name) {
			p.send = "\x00\x00\x00\x02{}"
			first, err := p.answer(joins)
			assert.Equal(t, p.name == "peer" && name == "node1", err == nil && strings.Contains(first, `{"refu`), "%s %s", name, p.name)
		}
	}
	// The certificate of a node is no identity of a client, and no request is answered without one.
	assert.Contains(t, plaintext(t, a.on["node1"].api), "400 Bad Request")
	api := port{"api", a.on["node1"].api, "http/1.1", "GET /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"}
	for _, certs := range [][]tls.Certificate{{a.own(node)}, nil} {
		first, err := api.answer(nil, certs...)
		require.NoError(t, err)
		assert.Equal(t, "HTTP/1.1 401", first)
	}
}

// own returns the certificate of a node.
func (a *attacked) own(node string) tls.Certificate {
	dir := filepath.Join(a.dir, node, "tls")
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	require.NoError(a.t, err)
	return pair
}

// signedByNode returns a certificate that node2 has signed, with its own one as the one between.
func (a *attacked) signedByNode(t *testing.T) tls.Certificate {
	own := a.own("node2")
	s := &signer{t, own.Leaf, own.PrivateKey}
	c := s.issue(a.cluster, "node3", nil)
	c.Certificate = append(c.Certificate, own.Certificate...)
	return c
}

// plaintext sends a request without TLS, and returns the answer.
func plaintext(t *testing.T, address string) string {
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "GET /members HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", address)
	answer, _ := io.ReadAll(conn)
	return strings.ToValidUTF8(string(answer), "?")
}
