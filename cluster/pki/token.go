// This file defines the tokens with which nodes join.

package pki

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Token lets one node join a cluster once. Its text goes to the new node by a way that others can't read.
type Token struct {
	ID     string   // identifies the Grant for the members
	Secret [32]byte // proves that the node has the token; it never leaves the node
	Pin    [32]byte // identifies the authority of the cluster for the node: see Authority.Pin
}

// tokenKind begins the text of a token.
const tokenKind = "ptc-join-1"

// String returns the text of a token.
func (t Token) String() string {
	encode := base64.RawURLEncoding.EncodeToString
	return strings.Join([]string{tokenKind, t.ID, encode(t.Secret[:]), encode(t.Pin[:])}, ".")
}

// ParseToken returns the token of a text.
func ParseToken(text string) (t Token, err error) {
	parts := strings.Split(strings.TrimSpace(text), ".")
	bad := errors.New("the token can't be read: want the line that was printed when it was made, " +
		tokenKind + ".ID.SECRET.PIN")
	if len(parts) != 4 || parts[0] != tokenKind || len(parts[1]) != 16 ||
		strings.ContainsAny(parts[2]+parts[3], "\r\n") { // which base64 ignores
		return Token{}, bad
	}
	t.ID = parts[1]
	for i, to := range []*[32]byte{&t.Secret, &t.Pin} {
		b, err := base64.RawURLEncoding.Strict().DecodeString(parts[2+i])
		if err != nil || len(b) != len(to) {
			return Token{}, bad
		}
		copy(to[:], b)
	}
	return t, nil
}

// Grant is the part of a token that members keep: the rights of its node, and the key that checks its proof. It is
// no token: the secret can't be computed from the key. It can still be used to join, so it is kept as a secret.
type Grant struct {
	ID    string   `json:"id"`
	Key   []byte   `json:"key"`
	Node  string   `json:"node"`
	Hosts []string `json:"hosts,omitempty"`
	// Role is the role of the node, and Replaces is set if it is to take the place of a node with its name. The package
	// hands them to Admitter.Admit.
	Role     string    `json:"role,omitempty"`
	Replaces bool      `json:"replaces,omitempty"`
	Ends     time.Time `json:"ends"`
	// From is the time from which the certificate of the node is valid. Admitter sets it.
	From time.Time `json:"-"`
}

// Grants are the grants of a cluster.
type Grants interface {
	// Find returns the grant of a token. ok is false if there is none.
	Find(ctx context.Context, id string) (g Grant, ok bool, err error)
	// Take removes a grant. It reports true to one caller of the cluster only.
	Take(ctx context.Context, id string) (bool, error)
	// Put adds a grant, also one that was taken and then not used.
	Put(ctx context.Context, g Grant) error
}

// NewToken makes a token for a node, which ends after a time, and its grant. pin is that of the authority of the
// cluster; hosts are the host names and IP addresses of the node.
func NewToken(pin [32]byte, node string, hosts []string, lifetime time.Duration) (t Token, g Grant, err error) {
	if err := CheckName("node", node); err != nil {
		return t, g, err
	}
	if _, err := parseHosts(hosts); err != nil {
		return t, g, err
	}
	var id [8]byte
	rand.Read(id[:])
	rand.Read(t.Secret[:])
	t.ID, t.Pin = hex.EncodeToString(id[:]), pin
	key, err := t.key()
	return t, Grant{ID: t.ID, Key: key, Node: node, Hosts: hosts, Ends: time.Now().UTC().Add(lifetime)}, err
}

// key returns the key of the proof.
func (t Token) key() ([]byte, error) {
	return hkdf.Key(sha256.New, t.Secret[:], t.Pin[:], "ptc join proof 1", sha256.Size)
}

// prove returns the proof that the sender of a request has a token. It holds for one connection only, so a copy of it
// is of no use.
func prove(key []byte, state tls.ConnectionState, request, about []byte) ([]byte, error) {
	bound, err := state.ExportKeyingMaterial("EXPORTER-ptc-join-1", nil, 32)
	if err != nil {
		return nil, err
	}
	hash, said := sha256.Sum256(request), sha256.Sum256(about)
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "ptc join request 1\x00%s%s%s", bound, hash[:], said[:])
	return m.Sum(nil), nil
}

// MemoryGrants are grants in memory.
type MemoryGrants struct {
	mu  sync.Mutex
	all map[string]Grant
}

// Put adds a grant.
func (m *MemoryGrants) Put(_ context.Context, g Grant) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = make(map[string]Grant)
	}
	m.all[g.ID] = g
	return nil
}

// Find returns the grant of a token.
func (m *MemoryGrants) Find(_ context.Context, id string) (Grant, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, ok := m.all[id]
	return g, ok, nil
}

// Take removes a grant.
func (m *MemoryGrants) Take(_ context.Context, id string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.all[id]
	delete(m.all, id)
	return ok, nil
}
