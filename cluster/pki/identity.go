// This file defines the identity of a node, and the TLS configurations that it makes.

package pki

import (
	"crypto"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/serve/access"
)

// Files are the files of the identity of a node, in PEM.
type Files struct {
	CA   string // the certificates of the authorities that sign those of nodes; two while an authority is replaced
	Cert string // the certificate of the node, with intermediate ones
	Key  string // its key; others than its owner must not be able to read it
}

// Identity is the certificate and the key of a node, and the authorities it trusts. It is safe for concurrent use.
//
// The files are checked when a connection begins. If they have changed, they are read again; if they are
// invalid, such as a certificate whose key is not written yet, the earlier contents stay in use and a line
// is logged. Connections continue with the certificates that they began with, until those expire.
type Identity struct {
	cluster, node string
	files         Files
	log           *slog.Logger
	look          func()
	now           atomic.Pointer[material]
	allow         atomic.Pointer[func(node string) bool]
	check         atomic.Pointer[func(node string, from time.Time) error]
}

// material is the contents of the files.
type material struct {
	number int      // of the contents
	hash   [32]byte // of the texts of the files
	cert   tls.Certificate
	roots  *x509.CertPool
	cas    []*x509.Certificate
}

// Load reads the identity of a node. The certificate must be that of the node, and valid now. allow reports whether
// another node may connect; nil allows all nodes of the cluster.
func Load(files Files, cluster, node string, allow func(node string) bool, log *slog.Logger) (*Identity, error) {
	if err := errors.Join(CheckName("cluster", cluster), CheckName("node", node)); err != nil {
		return nil, err
	}
	i := &Identity{cluster: cluster, node: node, files: files, log: log}
	i.Allow(allow)
	look, err := access.Watch(log, i.read, files.CA, files.Cert, files.Key)
	if err != nil {
		return nil, fmt.Errorf("the certificates of the node %s: %w", node, err)
	}
	i.look = look
	return i, nil
}

// read reads the files, and puts them into effect if they are good.
func (i *Identity) read() error {
	cas, err := readCerts(i.files.CA)
	if err != nil {
		return err
	}
	certs, err := readCerts(i.files.Cert)
	if err != nil {
		return err
	}
	text, err := readPrivate(i.files.Key)
	if err != nil {
		return err
	}
	m := &material{number: 1, hash: hashed(cas, certs, text), roots: x509.NewCertPool(), cas: cas}
	if old := i.now.Load(); old != nil {
		if m.hash == old.hash {
			return nil
		}
		m.number = old.number + 1
	}
	key, err := parseKey(text)
	if err != nil {
		return fmt.Errorf("%s: %w", i.files.Key, err)
	}
	if err := m.complete(i.files, certs, key); err != nil {
		return err
	}
	if node, err := NodeOf(certs[0], i.cluster); err != nil {
		return fmt.Errorf("%s: %w", i.files.Cert, err)
	} else if node != i.node {
		return fmt.Errorf("%s: %w: it is that of %s, want that of %s", i.files.Cert, ErrIdentity, node, i.node)
	}
	i.now.Store(m)
	return nil
}

// hashed returns a hash of the contents of the files.
func hashed(cas, certs []*x509.Certificate, key []byte) (sum [32]byte) {
	h := sha256.New()
	for _, c := range slices.Concat(cas, []*x509.Certificate{{}}, certs) {
		fmt.Fprintf(h, "%d %s", len(c.Raw), c.Raw)
	}
	h.Write(key)
	h.Sum(sum[:0])
	return sum
}

// complete enters the certificates and the key, if they belong together.
func (m *material) complete(files Files, certs []*x509.Certificate, key crypto.Signer) error {
	for _, ca := range m.cas {
		if !ca.IsCA {
			return fmt.Errorf("%s: the certificate of %q is not that of an authority", files.CA, ca.Subject)
		}
		m.roots.AddCert(ca)
	}
	m.cert = tls.Certificate{PrivateKey: key, Leaf: certs[0]}
	for _, c := range certs {
		m.cert.Certificate = append(m.cert.Certificate, c.Raw)
	}
	if public, ok := certs[0].PublicKey.(interface{ Equal(crypto.PublicKey) bool }); !ok || !public.Equal(key.Public()) {
		return fmt.Errorf("%s: it is not the key of the certificate in %s", files.Key, files.Cert)
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		if err := m.verify(certs, usage); err != nil {
			return fmt.Errorf("%s: %w", files.Cert, err)
		}
	}
	return nil
}

// verify checks that an authority of the cluster has signed a certificate, which the ones after it lead to, for a use.
func (m *material) verify(chain []*x509.Certificate, usage x509.ExtKeyUsage) error {
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{
		Roots: m.roots, Intermediates: between, KeyUsages: []x509.ExtKeyUsage{usage}})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	return nil
}

// material returns the current contents of the files.
func (i *Identity) material() *material {
	i.look()
	return i.now.Load()
}

// Allow replaces the function that reports whether another node may connect. nil allows all nodes of the cluster.
// Connections of nodes that are not allowed any more can continue: see Node.
func (i *Identity) Allow(allow func(node string) bool) {
	if allow == nil {
		allow = func(string) bool { return true }
	}
	i.allow.Store(&allow)
}

// Check adds a function that returns an error for a certificate that is no longer accepted, though its node is
// allowed, or is this one. from is the time from which the certificate is valid.
func (i *Identity) Check(check func(node string, from time.Time) error) { i.check.Store(&check) }

// Name returns the name of the node.
func (i *Identity) Name() string { return i.node }

// Cluster returns the name of the cluster.
func (i *Identity) Cluster() string { return i.cluster }

// Expires returns when the certificate of the node ends.
func (i *Identity) Expires() time.Time { return i.material().cert.Leaf.NotAfter }

// Version returns a number that grows when the contents of the files have changed. Connections that began at an older
// one continue with older certificates.
func (i *Identity) Version() int { return i.material().number }

// Node returns the name of the node at the other end of a connection. It returns an ErrIdentity if the node is not
// allowed, or its certificate is not valid any more: both may have changed since the connection began.
func (i *Identity) Node(state tls.ConnectionState) (string, error) {
	return i.NodeOr(state, func(string) bool { return false })
}

// NodeOr is Node, and accepts the nodes that also allows.
func (i *Identity) NodeOr(state tls.ConnectionState, also func(node string) bool) (string, error) {
	if len(state.PeerCertificates) == 0 {
		return "", fmt.Errorf("%w: there is none", ErrIdentity)
	}
	leaf := state.PeerCertificates[0]
	node, err := NodeOf(leaf, i.cluster)
	switch {
	case err != nil:
		return "", err
	case node != i.node && !(*i.allow.Load())(node) && !also(node):
		return "", fmt.Errorf("%w: it is that of %s, which is not one of the allowed identities of %s",
			ErrIdentity, node, i.node)
	case time.Now().After(leaf.NotAfter):
		return "", fmt.Errorf("%w: that of %s has expired at %s", ErrIdentity, node, leaf.NotAfter.Format(time.RFC3339))
	}
	if check := i.check.Load(); check != nil {
		if err := (*check)(node, leaf.NotBefore); err != nil {
			return "", fmt.Errorf("%w: %w", ErrIdentity, err)
		}
	}
	return node, nil
}

// Server returns the configuration of a listener: clients need a certificate of a node that is allowed. protocols are
// those of the application, by ALPN. With joins, clients that ask for JoinProtocol need no certificate, and can use
// that protocol only.
func (i *Identity) Server(joins bool, protocols ...string) *tls.Config {
	server := i.server(func(state tls.ConnectionState) error {
		_, err := i.Node(state)
		return err
	}, protocols)
	if !joins {
		return server
	}
	usual := server.GetConfigForClient
	server.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == JoinProtocol {
			return i.material().joining(), nil
		}
		return usual(hello)
	}
	return server
}

// ServerOfAll is Server for a listener that asks NodeOr for each request: it takes connections of all nodes of the
// cluster, including nodes that are not allowed, or not any more.
func (i *Identity) ServerOfAll(protocols ...string) *tls.Config {
	return i.server(func(state tls.ConnectionState) error {
		_, err := NodeOf(state.PeerCertificates[0], i.cluster) // there is one: clients must have it
		return err
	}, protocols)
}

// server returns the configuration of a listener.
func (i *Identity) server(verify func(tls.ConnectionState) error, protocols []string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: protocols,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			m := i.material()
			return &tls.Config{
				MinVersion: tls.VersionTLS13, NextProtos: protocols, Certificates: []tls.Certificate{m.cert},
				ClientCAs: m.roots, ClientAuth: tls.RequireAndVerifyClientCert,
				// A resumed session would skip the check against authorities that have changed since.
				SessionTicketsDisabled: true, VerifyConnection: verify,
			}, nil
		},
	}
}

// Client returns the configuration of one connection to a node. The certificate of the other side must be that of the
// node: its host name and address do not matter, so a node can move.
func (i *Identity) Client(node string, protocols ...string) *tls.Config {
	m := i.material()
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: protocols, ServerName: Host(i.cluster, node),
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &m.cert, nil },
		// VerifyConnection verifies the chain, and the identity in place of the host name.
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 {
				return fmt.Errorf("%w: there is none", ErrIdentity)
			}
			if err := m.verify(state.PeerCertificates, x509.ExtKeyUsageServerAuth); err != nil {
				return err
			}
			got, err := i.Node(state)
			if err == nil && got != node {
				err = fmt.Errorf("%w: it is that of %s, want that of %s", ErrIdentity, got, node)
			}
			return err
		},
	}
}
