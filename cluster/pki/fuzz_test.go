package pki_test

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/cluster/pki"
)

// FuzzJoin sends bytes to a member that admits nodes, after the handshake that anybody can make. No answer is a
// certificate, and the token can still be used.
func FuzzJoin(f *testing.F) {
	a, err := pki.NewAuthority("prod", time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	dir, grants := f.TempDir(), new(pki.MemoryGrants)
	cert, key, err := a.Issue("prod", "node1", nil, time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	member, err := pki.Load(written(f, dir, a.PEM(), cert, key), "prod", "node1", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	token, grant, err := pki.NewToken(a.Pin(), "node4", nil, time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	if err := grants.Put(f.Context(), grant); err != nil {
		f.Fatal(err)
	}
	admitter := &pki.Admitter{Cluster: "prod", Authority: a, Grants: grants, Log: slog.New(slog.DiscardHandler),
		Admit: func(context.Context, pki.Grant, []byte) ([]byte, error) { panic("a node was admitted") }}
	for _, text := range []string{"{}", "null", "[]", `{"id":"` + token.ID + `"}`, `{"id":"` + token.ID + `","proof":"AAAA"}`,
		`{"id":"` + token.ID + `","request":"MIAA","about":"e30=","proof":""}`, `{"id":1}`, "{", ""} {
		f.Add([]byte{0, 0, 0, byte(len(text))}, []byte(text))
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, []byte("{}"))
	f.Add([]byte{0, 1, 0, 1}, []byte("{}"))
	f.Add([]byte{0}, []byte(nil))
	f.Fuzz(func(t *testing.T, size, text []byte) {
		inner, outer := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			conn := tls.Server(inner, member.Server(true, "h2"))
			if conn.Handshake() == nil {
				admitter.Serve(context.Background(), conn)
			}
			inner.Close()
		}()
		conn := tls.Client(outer, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{pki.JoinProtocol}})
		if err := conn.Handshake(); err != nil {
			t.Fatal(err)
		}
		go func() {
			conn.Write(append(size, text...))
			conn.CloseWrite()
		}()
		answer, _ := io.ReadAll(conn)
		outer.Close()
		<-done
		if strings.Contains(string(answer), `"cert"`) {
			t.Errorf("a certificate for %q", text)
		}
		if _, ok, _ := grants.Find(t.Context(), token.ID); !ok {
			t.Error("the token was used")
		}
	})
}

// FuzzToken reads any text as a token. One that is read is written as it was.
func FuzzToken(f *testing.F) {
	token, _, err := pki.NewToken([32]byte{1}, "node4", nil, time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token.String())
	f.Add(token.String() + "\n")
	f.Add(strings.Replace(token.String(), "AAAA", "AA\nAA", 1))
	f.Add("ptc-join-1....")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := pki.ParseToken(text)
		if err == nil && token.String() != strings.TrimSpace(text) {
			t.Errorf("%q is read as %q", text, token)
		}
	})
}
