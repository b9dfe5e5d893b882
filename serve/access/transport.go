// This file defines TLS, and the timeouts of a server.

package access

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"
)

// TLS names the files of a server's certificate. They are read again when they have changed, at the next
// connection; bad ones are logged, and the ones before stay in use.
type TLS struct {
	Cert     string // PEM, with the intermediate certificates
	Key      string // PEM
	ClientCA string // PEM; "": clients need no certificate
	Required bool   // each client needs a certificate, and a token alone is not enough
}

// Config returns the configuration of a listener, at least TLS 1.2. It returns nil if no certificate is set.
func (t TLS) Config(log *slog.Logger) (*tls.Config, error) {
	switch {
	case t == TLS{}:
		return nil, nil
	case t.Cert == "" || t.Key == "":
		return nil, errors.New("TLS: got a certificate without its key, or a key or client CA without a certificate, " +
			"want the files of both")
	case t.Required && t.ClientCA == "":
		return nil, errors.New("TLS: client certificates are required, but there is no client CA to check them")
	}
	paths := []string{t.Cert, t.Key}
	if t.ClientCA != "" {
		paths = append(paths, t.ClientCA)
	}
	files, err := watch(log, t.read, paths...)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	first := files.get().Clone()
	first.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return files.get(), nil }
	return first, nil
}

// read reads the files.
func (t TLS) read() (*tls.Config, error) {
	cert, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"},
	}
	if t.ClientCA == "" {
		return c, nil
	}
	text, err := os.ReadFile(t.ClientCA)
	if err != nil {
		return nil, err
	}
	c.ClientCAs = x509.NewCertPool()
	if !c.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: it has no certificate in PEM", t.ClientCA)
	}
	c.ClientAuth = tls.VerifyClientCertIfGiven
	if t.Required {
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
	// A resumed session would skip the check of the certificate against a CA that has changed since.
	c.SessionTicketsDisabled = true
	return c, nil
}

// The bounds of a connection.
const (
	headerTime  = 10 * time.Second // for the header of a request: it is one packet or two
	idleTime    = 2 * time.Minute  // between two requests
	maxHeader   = 64 << 10         // bytes of a header
	bodyTime    = 30 * time.Second // without one byte of a body
	bodyWhole   = 5 * time.Minute  // for a whole body: DefaultBody at 1 Mbit/s
	writeTime   = 30 * time.Second // without a client that takes one byte
	DefaultBody = 32 << 20         // bytes of a body: input of 16 MB, in JSON that escapes it
)

// Server returns a server for a handler. It has no timeout for a whole request or response, which would cut events:
// Gate bounds the time without progress.
func Server(h http.Handler, config *tls.Config) *http.Server {
	return &http.Server{
		Handler: h, TLSConfig: config,
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
	}
}
