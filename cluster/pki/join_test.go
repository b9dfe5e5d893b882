package pki_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/pki"
)

// admitting returns the address of a member that admits nodes, and its grants.
func admitting(t *testing.T, a *pki.Authority, grants pki.Grants) (address string) {
	t.Helper()
	member := loaded(t, a, "node1", nil)
	admitter := &pki.Admitter{Cluster: "prod", Authority: a, Grants: grants, Log: slog.New(slog.DiscardHandler),
		Admit: func(_ context.Context, g pki.Grant, about []byte) ([]byte, error) {
			if string(about) == "bad" {
				return nil, pki.Refuse("%s can't join now", g.Node)
			}
			return []byte("settings of " + g.Node + string(about)), nil
		}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	config := member.Server(true, "h2")
	var all sync.WaitGroup
	all.Go(func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				conn := tls.Server(raw, config)
				defer conn.Close()
				if conn.Handshake() == nil && conn.ConnectionState().NegotiatedProtocol == pki.JoinProtocol {
					admitter.Serve(t.Context(), conn)
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return l.Addr().String()
}

// granted adds a token for a node.
func granted(t *testing.T, a *pki.Authority, grants *pki.MemoryGrants, lifetime time.Duration) pki.Token {
	t.Helper()
	token, grant, err := pki.NewToken(a.Pin(), "node4", []string{"127.0.0.1", "node4.example.com"}, lifetime)
	require.NoError(t, err)
	require.NoError(t, grants.Put(t.Context(), grant))
	return token
}

func TestJoin(t *testing.T) {
	a, grants := authority(t), new(pki.MemoryGrants)
	address := admitting(t, a, grants)
	token := granted(t, a, grants, time.Hour)
	token, err := pki.ParseToken(token.String() + "\n")
	require.NoError(t, err)
	_, err = pki.Join(t.Context(), address, token, []byte("bad")) // and the token can be used again
	require.ErrorContains(t, err, "node4 can't join now")
	got, err := pki.Join(t.Context(), address, token, []byte(" at home"))
	require.NoError(t, err)
	assert.Equal(t, []string{"prod", "node4", "settings of node4 at home"}, []string{got.Cluster, got.Node, string(got.Config)})
	id, err := pki.Load(written(t, t.TempDir(), got.CA, got.Cert, got.Key), "prod", "node4", nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ask, _ := serve(t, loaded(t, a, "node2", nil)).dial(t, id.Client("node2", "echo"))
	answer, err := ask("hi")
	require.NoError(t, err)
	assert.Equal(t, "node4 hi <nil>\n", answer)
	block, _ := pem.Decode(got.Cert)
	cert, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	assert.Equal(t, []string{"node4.example.com", pki.Host("prod", "node4"), pki.EngineHost("prod")}, cert.DNSNames)
	require.Len(t, cert.IPAddresses, 1)

	_, err = pki.Join(t.Context(), address, token, nil) // a second time
	require.ErrorContains(t, err, "the token is not known: it was used")
}

// TestJoinRace lets many nodes join with one token.
func TestJoinRace(t *testing.T) {
	a, grants := authority(t), new(pki.MemoryGrants)
	address := admitting(t, a, grants)
	token := granted(t, a, grants, time.Hour)
	var all sync.WaitGroup
	joined := make(chan bool, 10)
	for range cap(joined) {
		all.Go(func() {
			_, err := pki.Join(t.Context(), address, token, nil)
			joined <- err == nil
		})
	}
	all.Wait()
	n := 0
	for range cap(joined) {
		if <-joined {
			n++
		}
	}
	assert.Equal(t, 1, n)
}

func TestJoinRefused(t *testing.T) {
	a, grants := authority(t), new(pki.MemoryGrants)
	address := admitting(t, a, grants)
	_, err := pki.Join(t.Context(), address, granted(t, a, grants, -time.Second), nil)
	require.ErrorContains(t, err, "the token is not known")
	token := granted(t, a, grants, time.Hour)
	token.Secret[0]++
	_, err = pki.Join(t.Context(), address, token, nil)
	require.ErrorContains(t, err, "the proof does not belong to the token")
	token.Secret[0]--
	other := token
	other.Pin = authority(t).Pin()
	_, err = pki.Join(t.Context(), address, other, nil)
	require.ErrorIs(t, err, pki.ErrIdentity)
	require.ErrorContains(t, err, "its authority is not the one of the token")
	_, err = pki.Join(t.Context(), address, token, nil) // refusals do not use it up
	require.NoError(t, err)

	broken := admitting(t, a, failing{})
	_, err = pki.Join(t.Context(), broken, token, nil)
	require.ErrorContains(t, err, "the member has failed, its log says why")
	require.NotContains(t, err.Error(), "disk")
}

// failing are grants that can't be read.
type failing struct{}

func (failing) Find(context.Context, string) (pki.Grant, bool, error) {
	return pki.Grant{}, false, errors.New("disk on fire")
}
func (failing) Put(context.Context, pki.Grant) error       { return errors.New("disk on fire") }
func (failing) Take(context.Context, string) (bool, error) { return false, errors.New("disk on fire") }

// spied is a listener in the middle that knows all that the node says: it has a certificate that the node takes, as a
// rogue member would, and keeps the first request.
func spied(t *testing.T, rogue *pki.Identity) (address string, request <-chan []byte) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	got := make(chan []byte, 1)
	go func() {
		raw, err := l.Accept()
		if err != nil {
			return
		}
		c := tls.Server(raw, rogue.Server(true))
		defer c.Close()
		var size [4]byte
		io.ReadFull(c, size[:])
		text := make([]byte, binary.BigEndian.Uint32(size[:]))
		io.ReadFull(c, text)
		got <- append(size[:], text...)
	}()
	return l.Addr().String(), got
}

// TestJoinReplay sends a request that was meant for another connection.
func TestJoinReplay(t *testing.T) {
	a, grants := authority(t), new(pki.MemoryGrants)
	address := admitting(t, a, grants)
	token := granted(t, a, grants, time.Hour)
	spy, requests := spied(t, loaded(t, a, "node3", nil))
	_, err := pki.Join(t.Context(), spy, token, nil)
	require.Error(t, err)
	request := <-requests
	assert.Contains(t, string(request), token.ID)
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{pki.JoinProtocol}})
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write(request)
	require.NoError(t, err)
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Contains(t, string(answer), "the proof does not belong to the token on this connection")
	_, err = pki.Join(t.Context(), address, token, nil)
	require.NoError(t, err)
}

// TestJoinNothingSent requires a node to send nothing to a server that is not the cluster of its token.
func TestJoinNothingSent(t *testing.T) {
	a, rogue := authority(t), authority(t)
	token, _, err := pki.NewToken(a.Pin(), "node4", nil, time.Hour)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	got := make(chan string, 1)
	go func() {
		raw, err := l.Accept()
		if err != nil {
			return
		}
		c := tls.Server(raw, loaded(t, rogue, "node1", nil).Server(true))
		text, _ := io.ReadAll(c)
		got <- string(text)
		c.Close()
	}()
	_, err = pki.Join(t.Context(), l.Addr().String(), token, nil)
	require.ErrorIs(t, err, pki.ErrIdentity)
	assert.Empty(t, <-got)
}

// TestJoinOnly requires a connection without a certificate to reach nothing but the joining.
func TestJoinOnly(t *testing.T) {
	a := authority(t)
	address := admitting(t, a, new(pki.MemoryGrants))
	for _, protocols := range [][]string{{"h2"}, {"h2", pki.JoinProtocol}, {pki.JoinProtocol, "h2"}, nil} {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols})
		if err == nil { // in TLS 1.3 the client learns of it when it reads
			conn.Write([]byte("hi"))
			_, err = conn.Read(make([]byte, 1))
			conn.Close()
		}
		require.Error(t, err, "%q", protocols)
	}
}

// TestJoinHostile sends messages that are none.
func TestJoinHostile(t *testing.T) {
	a, grants := authority(t), new(pki.MemoryGrants)
	address := admitting(t, a, grants)
	token := granted(t, a, grants, time.Hour)
	request := func(m map[string]any) []byte {
		text, err := json.Marshal(m)
		require.NoError(t, err)
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
	}
	random := make([]byte, 64)
	rand.Read(random)
	for name, message := range map[string][]byte{
		"size": {0xff, 0xff, 0xff, 0xff}, "random": append([]byte{0, 0, 0, 64}, random...), "end": {0},
		"proof": request(map[string]any{"id": token.ID, "request": random, "proof": random}),
		"empty": request(nil), "null": []byte("\x00\x00\x00\x04null"),
	} {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{pki.JoinProtocol}})
		require.NoError(t, err)
		_, err = conn.Write(message)
		require.NoError(t, err)
		require.NoError(t, conn.CloseWrite())
		answer, _ := io.ReadAll(conn)
		assert.NotContains(t, string(answer), "CERTIFICATE", name)
		conn.Close()
	}
	_, err := pki.Join(t.Context(), address, token, nil)
	require.NoError(t, err)
}

func TestParseToken(t *testing.T) {
	token, grant, err := pki.NewToken([32]byte{1, 2, 3}, "node4", nil, time.Hour)
	require.NoError(t, err)
	again, err := pki.ParseToken(token.String())
	require.NoError(t, err)
	assert.Equal(t, token, again)
	assert.Equal(t, token.ID, grant.ID)
	assert.NotContains(t, string(grant.Key), string(token.Secret[:]))
	text := token.String()
	for _, bad := range []string{"", "x", text[1:], text[:len(text)-1], text + ".x", text + "A", "ptc-join-2" + text[10:]} {
		_, err := pki.ParseToken(bad)
		require.ErrorContains(t, err, "the token can't be read", bad)
	}
	_, _, err = pki.NewToken([32]byte{}, "Node", nil, time.Hour)
	require.Error(t, err)
}
