package peer_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
)

// FuzzRequest has a node with a certificate of the cluster send any request. The node answers with a status of the
// protocol, and handlers see only whole requests of the right version, with the name in the certificate.
func FuzzRequest(f *testing.F) {
	a, err := pki.NewAuthority("prod", time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	cert, key, err := a.Issue("prod", "node2", nil, time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	dir, log := f.TempDir(), slog.New(slog.DiscardHandler)
	files := pki.Files{CA: filepath.Join(dir, "ca"), Cert: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key")}
	for name, text := range map[string][]byte{files.CA: a.PEM(), files.Cert: cert, files.Key: key} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			f.Fatal(err)
		}
	}
	id, err := pki.Load(files, "prod", "node2", nil, log)
	if err != nil {
		f.Fatal(err)
	}
	n, err := peer.Listen(peer.Config{Identity: id, Address: "127.0.0.1:0", Release: "r", Log: log})
	if err != nil {
		f.Fatal(err)
	}
	defer n.Close()
	handled := false
	check := func(from string, request []byte) {
		handled = true
		if from != "node2" || len(request) > peer.MaxMessage {
			panic("a request of " + from)
		}
	}
	n.Handle("echo", func(_ context.Context, from string, request []byte) ([]byte, error) {
		check(from, request)
		return request, nil
	})
	n.Stream("lines", func(_ context.Context, from string, request []byte, w io.Writer) error {
		check(from, request)
		_, err := w.Write(request)
		return err
	})
	block, _ := pem.Decode(cert)
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range []string{"/call/echo", "/stream/lines", "/call/", "/stream/same/x", "/call/same/x", "/", "/call/../stream/lines"} {
		f.Add("POST", path, "1", `"r"`, "1000000000", int64(2), []byte("hi"))
	}
	f.Add("GET", "/call/echo", "2", `r`, "-1", int64(-1), []byte("hi"))
	f.Add("POST", "/call/echo", "1", `""`, "x", int64(1<<40), []byte("hi"))
	f.Add("POST", "/stream/lines", "1", `"r"`, "", int64(9), []byte("hi"))
	f.Fuzz(func(t *testing.T, method, path, protocol, release, timeout string, length int64, body []byte) {
		handled = false
		r := &http.Request{Method: method, URL: &url.URL{Path: path}, Proto: "HTTP/2.0", ProtoMajor: 2,
			Header: http.Header{"Ptc-Protocol": {protocol}, "Ptc-Release": {release}, "Ptc-Timeout": {timeout}},
			Body:   io.NopCloser(bytes.NewReader(body)), ContentLength: length,
			TLS: &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}}}
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if r := recover(); r != nil && r != http.ErrAbortHandler {
					panic(r)
				}
			}()
			n.ServeHTTP(w, r.WithContext(t.Context()))
		}()
		if handled && (method != http.MethodPost || length < 0 || length > int64(len(body))) {
			t.Errorf("%s with %d bytes of %d was handled", method, len(body), length)
		}
		switch w.Code {
		case http.StatusOK, http.StatusUnprocessableEntity, http.StatusNotFound, http.StatusBadRequest:
		default:
			t.Errorf("status %d", w.Code)
		}
	})
}
