// This file defines how a node joins: the protocol between a node with a token and a member with the authority.

package pki

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"
)

// JoinProtocol is the name of the protocol of joining, by ALPN. A client that asks for it alone needs no certificate.
//
// The member proves itself with its certificate, whose authority the token has the hash of. Then the node sends a
// request for a certificate, and proves that it has the token. Each message is JSON after its length in four bytes.
const JoinProtocol = "ptc-join/1"

const (
	joinTime   = 30 * time.Second // for all of it: the engine gets another member in the meantime
	maxRequest = 64 << 10         // bytes
	maxAnswer  = 8 << 20
)

// joinRequest is the request of a node.
type joinRequest struct {
	ID      string `json:"id"`      // of the token
	Request []byte `json:"request"` // for a certificate, PKCS #10
	About   []byte `json:"about"`   // the node's description of itself, such as its addresses
	Proof   []byte `json:"proof"`
}

// Admission is the answer that an admitted node gets.
type Admission struct {
	Cluster string `json:"cluster"`
	Node    string `json:"node"`
	Cert    []byte `json:"cert"` // PEM
	CA      []byte `json:"ca"`   // PEM, of the cluster
	Key     []byte `json:"-"`    // PEM; it never leaves the node
	// Config is the data that the member adds, such as the settings of the cluster.
	Config []byte `json:"config,omitempty"`
}

// joinAnswer is the answer of a member: an admission, or the reason of a refusal.
type joinAnswer struct {
	*Admission
	Refused string `json:"refused,omitempty"`
}

// joining returns the configuration of a connection on which a node joins. The certificates of the authorities are sent
// too, since the node has only a hash of one.
func (m *material) joining() *tls.Config {
	cert := tls.Certificate{PrivateKey: m.cert.PrivateKey, Leaf: m.cert.Leaf}
	cert.Certificate = append(cert.Certificate, m.cert.Certificate...)
	for _, ca := range m.cas {
		cert.Certificate = append(cert.Certificate, ca.Raw)
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{JoinProtocol},
		Certificates: []tls.Certificate{cert}, SessionTicketsDisabled: true}
}

// Admitter signs the certificates of nodes that join. It is the part of a member that has the key of the authority.
type Admitter struct {
	Cluster   string
	Authority *Authority
	Grants    Grants
	Lifetime  time.Duration // of the certificates; 0 for NodeLifetime
	// Admit adds a node to the cluster, with its description of itself, and returns the data that is sent to it beside
	// its certificate; nil adds nothing. After an error the token can be used again. The node gets the error if Refuse
	// has made it.
	Admit func(ctx context.Context, g Grant, about []byte) ([]byte, error)
	Log   *slog.Logger
}

// Serve serves a connection that has negotiated JoinProtocol, and closes it. The context bounds it, and so does a
// time of 30 s.
func (a *Admitter) Serve(ctx context.Context, conn *tls.Conn) {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	defer conn.Close()
	var r joinRequest
	if err := receive(conn, &r, maxRequest); err != nil {
		a.Log.Warn("a node could not join", "address", conn.RemoteAddr(), "error", err)
		return
	}
	answer := joinAnswer{}
	admission, err := a.admit(ctx, conn.ConnectionState(), r)
	switch refusal := (*refusal)(nil); {
	case err == nil:
		answer.Admission = admission
		a.Log.Info("a node has received its certificate", "node", admission.Node, "address", conn.RemoteAddr(), "token", r.ID)
	case errors.As(err, &refusal):
		answer.Refused = refusal.Error()
	default:
		answer.Refused = "the member has failed, its log says why: try again"
	}
	if err != nil {
		a.Log.Warn("a node could not join", "address", conn.RemoteAddr(), "token", fmt.Sprintf("%.16q", r.ID), "error", err)
	}
	if err := send(conn, answer); err != nil {
		a.Log.Warn("a joining node did not get its answer", "address", conn.RemoteAddr(), "error", err)
	}
}

// refusal is an error that the joining node may know.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// Refuse returns an error that is sent to the node that could not join.
func Refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// admit checks a request, signs the certificate and adds the node. A request that is refused does not use the token
// up.
func (a *Admitter) admit(ctx context.Context, state tls.ConnectionState, r joinRequest) (*Admission, error) {
	unknown := &refusal{"the token is not known: it was used, has ended, or was made for another cluster; " +
		"make another one"}
	g, ok, err := a.Grants.Find(ctx, r.ID)
	switch {
	case err != nil:
		return nil, err
	case !ok || time.Now().After(g.Ends):
		return nil, unknown
	}
	want, err := prove(g.Key, state, r.Request, r.About)
	if err != nil {
		return nil, err
	}
	if !hmac.Equal(want, r.Proof) {
		return nil, &refusal{"the proof does not belong to the token on this connection"}
	}
	life := a.Lifetime
	if life == 0 {
		life = NodeLifetime
	}
	cert, err := a.Authority.Sign(r.Request, a.Cluster, g.Node, g.Hosts, life)
	if err != nil {
		return nil, &refusal{err.Error()}
	}
	signed, err := parseCerts(cert)
	if err != nil {
		return nil, err
	}
	g.From = signed[0].NotBefore
	switch taken, err := a.Grants.Take(ctx, r.ID); {
	case err != nil:
		return nil, err
	case !taken:
		return nil, unknown
	}
	admission := &Admission{Cluster: a.Cluster, Node: g.Node, Cert: cert, CA: a.Authority.PEM()}
	if a.Admit == nil {
		return admission, nil
	}
	if admission.Config, err = a.Admit(ctx, g, r.About); err != nil {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), joinTime)
		defer cancel()
		return nil, errors.Join(err, a.Grants.Put(back, g))
	}
	return admission, nil
}

// Join gets a certificate from a member at an address, HOST:PORT. It makes the key, and sends nothing before the
// member has shown a certificate of the authority that the token names. about is the node's description of
// itself.
func Join(ctx context.Context, address string, t Token, about []byte) (*Admission, error) {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{JoinProtocol},
		InsecureSkipVerify: true, // the authority is not known before the handshake, only its hash
		VerifyConnection:   func(state tls.ConnectionState) error { return pinned(state, t.Pin) },
	})
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { raw.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	a, err := join(ctx, conn, t, about)
	if err != nil {
		return nil, fmt.Errorf("joining at %s: %w", address, err)
	}
	return a, nil
}

// pinned checks that the member has a certificate of the authority with a hash.
func pinned(state tls.ConnectionState, hash [32]byte) error {
	if state.NegotiatedProtocol != JoinProtocol {
		return errors.New("the other side is not a member of a cluster of ptcd that nodes can join: want the address " +
			"that the nodes use among themselves, of a node that has the key of the authority")
	}
	chain := state.PeerCertificates
	for _, c := range chain {
		if pin(c) != hash || !c.IsCA {
			continue
		}
		m := &material{roots: x509.NewCertPool()}
		m.roots.AddCert(c)
		if err := m.verify(chain, x509.ExtKeyUsageServerAuth); err != nil {
			return err
		}
		_, _, err := identity(chain[0])
		return err
	}
	return fmt.Errorf("%w: its authority is not the one of the token; either the token is that of another cluster, or "+
		"somebody else answers at the address", ErrIdentity)
}

func join(ctx context.Context, conn *tls.Conn, t Token, about []byte) (*Admission, error) {
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	private, err := newKey()
	if err != nil {
		return nil, err
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: t.ID}}
	request, err := x509.CreateCertificateRequest(rand.Reader, template, private)
	if err != nil {
		return nil, err
	}
	key, err := t.key()
	if err != nil {
		return nil, err
	}
	proof, err := prove(key, conn.ConnectionState(), request, about)
	if err != nil {
		return nil, err
	}
	if err := send(conn, joinRequest{ID: t.ID, Request: request, About: about, Proof: proof}); err != nil {
		return nil, err
	}
	var answer joinAnswer
	if err := receive(conn, &answer, maxAnswer); err != nil {
		return nil, err
	}
	if answer.Admission == nil {
		return nil, fmt.Errorf("the member refuses: %s", answer.Refused)
	}
	answer.Key, err = encodeKey(private)
	return answer.Admission, err
}

// send writes a message.
func send(w io.Writer, message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

// receive reads a message of at most so many bytes.
func receive(r io.Reader, message any, most uint32) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > most {
		return fmt.Errorf("the message has %d bytes, want at most %d", n, most)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return err
	}
	return json.Unmarshal(text, message)
}
