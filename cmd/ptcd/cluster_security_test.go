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
	"net/http"
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
// that repeats messages, and as a thief of its disks.
func TestClusterSecurity(t *testing.T) {
	a := newAttacked(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	t.Run("ports", a.ports)
	_ = ctx
}

// attacked is a cluster with what its attackers have.
type attacked struct {
	*members
	t       *testing.T
	cluster string
	on      map[string]addresses
	ours    *signer // the authority of the cluster
}

// addresses are those of a node.
type addresses struct{ api, peer, engine string }

func newAttacked(t *testing.T) *attacked {
	a := &attacked{members: prepareCluster(t), t: t, on: map[string]addresses{}}
	a.readAddresses()
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

// issue returns a certificate that is as that of a node but for a change.
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

// port is a port of a node, and a request that it answers to a node.
type port struct {
	name, address, protocol string
	request                 func(*http.Client) (*http.Response, error)
}

func (a *attacked) portsOf(node string) []port {
	at := a.on[node]
	return []port{
		{"peer", at.peer, "h2", func(c *http.Client) (*http.Response, error) {
			r, err := http.NewRequest(http.MethodPost, "https://"+at.peer+"/stream/backup", http.NoBody)
			if err != nil {
				return nil, err
			}
			r.Header = http.Header{"Ptc-Protocol": {"1"}, "Ptc-Release": {`"x"`}}
			return c.Do(r)
		}},
		{"engine", at.engine, "http/1.1", func(c *http.Client) (*http.Response, error) {
			return c.Get("https://" + at.engine + "/members")
		}},
	}
}

// try sends the request of a port with a certificate. It returns the status of the answer.
func (p *port) try(change func(*tls.Config), certs ...tls.Certificate) (int, error) {
	config := &tls.Config{InsecureSkipVerify: true, Certificates: certs, NextProtos: []string{p.protocol}}
	if change != nil {
		change(config)
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: p.protocol == "h2"}
	defer transport.CloseIdleConnections()
	answer, err := p.request(&http.Client{Transport: transport, Timeout: 10 * time.Second})
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// refuses wants a port to refuse a connection, or the request on it.
func (p *port) refuses(t *testing.T, what string, change func(*tls.Config), certs ...tls.Certificate) {
	t.Helper()
	if status, err := p.try(change, certs...); err == nil {
		assert.Equal(t, http.StatusForbidden, status, "%s, %s", p.name, what)
	}
}

// ports connects to the ports of nodes with certificates that are not those of a node, and without any.
func (a *attacked) ports(t *testing.T) {
	rogue, node := newSigner(t, a.cluster), "node2"
	soon := func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
	}
	bad := map[string][]tls.Certificate{
		"none":                  nil,
		"a rogue authority":     {rogue.issue(a.cluster, node, nil)},
		"expired":               {a.ours.issue(a.cluster, node, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })},
		"from the future":       {a.ours.issue(a.cluster, node, soon)},
		"another cluster":       {a.ours.issue("other", node, nil)},
		"a client":              {a.ours.issue(a.cluster, node, func(c *x509.Certificate) { c.URIs, c.DNSNames = nil, []string{"localhost"} })},
		"a user":                {a.ours.issue(a.cluster, node, func(c *x509.Certificate) { c.URIs[0].Path = "/user/node2"; c.DNSNames = nil })},
		"a server only":         {a.ours.issue(a.cluster, node, func(c *x509.Certificate) { c.ExtKeyUsage = c.ExtKeyUsage[:1] })},
		"signed by a node":      {a.signedByNode(t)},
		"a node never admitted": {a.ours.issue(a.cluster, "node9", nil)},
	}
	for _, p := range a.portsOf("node1") {
		status, err := p.try(nil, a.own("node2"))
		require.NoError(t, err, p.name)
		require.Equal(t, http.StatusOK, status, "the request that others must not make")
		for name, certs := range bad {
			p.refuses(t, "the certificate of "+name, nil, certs...)
		}
		p.refuses(t, "TLS 1.2", func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, a.own("node2"))
		p.refuses(t, "the protocol of joining", func(c *tls.Config) { c.NextProtos = []string{pki.JoinProtocol} })
		assert.NotContains(t, plaintext(t, p.address), "200 OK", p.name)
	}
	assert.Contains(t, plaintext(t, a.on["node1"].api), "400 Bad Request")
	// The certificate of a node is no identity of a client, and no request is answered without one.
	for name, certs := range map[string][]tls.Certificate{"a node": {a.own("node2")}, "none": nil} {
		p := port{protocol: "h2", request: func(c *http.Client) (*http.Response, error) {
			return c.Get("https://" + a.on["node1"].api + "/v1/runs")
		}}
		status, err := p.try(nil, certs...)
		require.NoError(t, err)
		assert.Equal(t, http.StatusUnauthorized, status, name)
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
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, "GET /members HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", address)
	answer, _ := io.ReadAll(conn)
	return strings.ToValidUTF8(string(answer), "?")
}
