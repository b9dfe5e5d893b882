package access

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/tlstest"
)

// secured is a service with TLS.
type secured struct {
	t     *testing.T
	files TLS
	ca    []*tlstest.Authority
	addr  string
	text  string // of a viewer's token
	gate  *Gate
	log   bytes.Buffer
}

func newSecured(t *testing.T, ca, clients *tlstest.Authority, identities Identities, required bool) *secured {
	t.Helper()
	dir, tokens, _ := opened(t)
	s := &secured{t: t, ca: []*tlstest.Authority{ca}, text: created(t, dir, "viewer", Viewer)}
	s.files = TLS{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem"), Required: required}
	cert, key := ca.Server()
	write(t, s.files.Cert, string(cert))
	write(t, s.files.Key, string(key))
	if clients != nil {
		s.files.ClientCA = filepath.Join(dir, "clients.pem")
		write(t, s.files.ClientCA, string(clients.PEM()))
	}
	config, err := s.files.Config(slog.New(slog.NewTextHandler(&s.log, nil)))
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.addr = listener.Addr().String()
	g, err := NewGate(Options{Tokens: tokens, Identities: identities, Listen: s.addr,
		Origins: []string{"https://ui.example"}})
	require.NoError(t, err)
	s.gate = g
	server := Server(g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto+" "+From(r.Context()).Name)
	})), config)
	server.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	ended := make(chan struct{})
	go func() { defer close(ended); server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { server.Close(); <-ended })
	return s
}

// get makes a request on a new connection.
func (s *secured) get(change func(*tls.Config), headers ...string) (int, string, error) {
	s.t.Helper()
	c := tlstest.Client(s.t, nil, nil, s.ca...)
	if change != nil {
		change(c)
	}
	transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequest("GET", "https://"+s.addr+"/v1/runs", nil)
	require.NoError(s.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// with returns a change of a client that shows a certificate.
func with(t *testing.T, cert, key []byte) func(*tls.Config) {
	return func(c *tls.Config) { c.GetClientCertificate = tlstest.Client(t, cert, key).GetClientCertificate }
}

func TestTLS(t *testing.T) {
	ca := tlstest.New(t, "ca")
	s := newSecured(t, ca, nil, nil, false)
	auth := []string{"Authorization", "Bearer " + s.text}
	code, body, err := s.get(nil, auth...)
	require.NoError(t, err)
	assert.Equal(t, 200, code)
	assert.Equal(t, "HTTP/2.0 viewer", body)
	_, _, err = s.get(func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }, auth...)
	assert.ErrorContains(t, err, "protocol version")
	_, body, err = s.get(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, auth...)
	require.NoError(t, err)
	assert.Contains(t, body, "viewer")

	plain := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := plain.Get("http://" + s.addr + "/v1/runs")
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 400, resp.StatusCode, "without TLS")
}

// TestCertificateIsReloaded replaces the certificate while the server runs: by a good one, half of one, and a good one.
func TestCertificateIsReloaded(t *testing.T) {
	old, fresh := tlstest.New(t, "old"), tlstest.New(t, "fresh")
	s := newSecured(t, old, nil, nil, false)
	_, _, err := s.get(nil)
	require.NoError(t, err)
	cert, key := fresh.Server()
	write(t, s.files.Cert, string(cert))
	_, _, err = s.get(nil)
	require.NoError(t, err, "a certificate without its key must not be used")
	_, _, err = s.get(nil)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(s.log.String(), "stay in use"), &s.log)
	write(t, s.files.Key, string(key))
	_, _, err = s.get(nil)
	assert.ErrorContains(t, err, "unknown authority")
	s.ca = append(s.ca, fresh)
	_, _, err = s.get(nil)
	assert.NoError(t, err)
}

func TestClientCertificates(t *testing.T) {
	ca, clients, strangers := tlstest.New(t, "ca"), tlstest.New(t, "clients"), tlstest.New(t, "clients")
	s := newSecured(t, ca, clients, Identities{
		{Who: Who{"deploy", "acme", Submitter}, Subject: "CN=deploy,O=Acme"},
		{Who: Who{"agent", "acme", Viewer}, SAN: []string{"uri:spiffe://acme/agent", "dns:agent.acme.example"}},
	}, false)
	spiffe, err := url.Parse("spiffe://acme/agent")
	require.NoError(t, err)
	deploy := x509.Certificate{Subject: pkix.Name{CommonName: "deploy", Organization: []string{"Acme"}}}
	for name, c := range map[string]struct {
		by       *tlstest.Authority
		template x509.Certificate
		code     int
		want     string
	}{
		"subject":         {clients, deploy, 200, "deploy"},
		"names":           {clients, x509.Certificate{URIs: []*url.URL{spiffe}, DNSNames: []string{"AGENT.acme.example"}}, 200, "agent"},
		"one of two":      {clients, x509.Certificate{URIs: []*url.URL{spiffe}}, 401, "unauthenticated"},
		"other subject":   {clients, x509.Certificate{Subject: pkix.Name{CommonName: "deploy"}}, 401, "unauthenticated"},
		"other authority": {strangers, deploy, 0, ""},
		"expired": {clients, x509.Certificate{Subject: deploy.Subject, NotBefore: time.Now().Add(-2 * time.Hour),
			NotAfter: time.Now().Add(-time.Hour)}, 0, ""},
	} {
		cert, key := c.by.Issue(c.template)
		code, body, err := s.get(with(t, cert, key))
		assert.Equal(t, c.code, code, name)
		if c.code == 0 {
			assert.Error(t, err, name) // its text depends on whether the server or the client is faster
		} else {
			assert.Contains(t, body, c.want, name)
		}
	}

	cert, key := clients.Issue(deploy)
	_, body, err := s.get(with(t, cert, key), "Authorization", "Bearer "+s.text)
	require.NoError(t, err)
	assert.Contains(t, body, "viewer", "a token counts before a certificate")
	code, body, err := s.get(with(t, cert, key), "Authorization", "Bearer "+newText())
	require.NoError(t, err)
	assert.Equal(t, 401, code, body)
	code, _, err = s.get(with(t, cert, key), "Origin", "https://evil.example")
	require.NoError(t, err)
	assert.Equal(t, 403, code)
	code, body, err = s.get(with(t, cert, key), "Origin", "https://ui.example")
	require.NoError(t, err)
	assert.Equal(t, 401, code, "a page of another origin must not use the certificate: %s", body)
	code, _, err = s.get(nil)
	require.NoError(t, err)
	assert.Equal(t, 401, code, "without a certificate a token is needed")

	require.NoError(t, s.gate.Identify(Identities{{Who: Who{"other", "acme", Viewer}, Subject: "CN=deploy,O=Acme"}}))
	_, body, err = s.get(with(t, cert, key))
	require.NoError(t, err)
	assert.Contains(t, body, "other", "identities are replaced")
	require.Error(t, s.gate.Identify(Identities{{}}))
	require.NoError(t, s.gate.Identify(nil))
	code, _, err = s.get(with(t, cert, key))
	require.NoError(t, err)
	assert.Equal(t, 401, code)
	require.NoError(t, s.gate.Identify(Identities{{Who: Who{"deploy", "acme", Submitter}, Subject: "CN=deploy,O=Acme"}}))

	write(t, s.files.ClientCA, string(strangers.PEM())) // the next connection has the new authority
	_, _, err = s.get(with(t, cert, key))
	assert.Error(t, err)
	cert, key = strangers.Issue(deploy)
	_, body, err = s.get(with(t, cert, key))
	require.NoError(t, err)
	assert.Contains(t, body, "deploy")
}

// TestUnverifiedCertificate shows a certificate to a server that asks for one and does not check it.
func TestUnverifiedCertificate(t *testing.T) {
	_, tokens, _ := opened(t)
	g, err := NewGate(Options{Tokens: tokens, Identities: Identities{{Who: Who{"a", "b", Operator}, Subject: "CN=a"}}})
	require.NoError(t, err)
	r := httptest.NewRequest("GET", "https://ptc/v1/runs", nil)
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{tlstest.New(t, "a").Cert}}
	w := httptest.NewRecorder()
	g.Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	assert.Equal(t, 401, w.Code)
}

// TestSessionsAreNotResumed connects twice with one cache of sessions.
func TestSessionsAreNotResumed(t *testing.T) {
	ca := tlstest.New(t, "ca")
	s := newSecured(t, ca, ca, nil, false)
	config := tlstest.Client(t, nil, nil, ca)
	config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	for range 2 {
		conn, err := tls.Dial("tcp", s.addr, config)
		require.NoError(t, err)
		_, err = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		require.NoError(t, err)
		_, err = io.ReadAll(conn) // a ticket comes after the handshake
		require.NoError(t, err)
		assert.False(t, conn.ConnectionState().DidResume, "a resumed session would skip a new client CA")
		require.NoError(t, conn.Close())
	}
}

func TestRequiredClientCertificate(t *testing.T) {
	ca := tlstest.New(t, "ca")
	s := newSecured(t, ca, ca, nil, true)
	_, _, err := s.get(nil, "Authorization", "Bearer "+s.text)
	assert.Error(t, err)
	cert, key := ca.Issue(x509.Certificate{})
	_, body, err := s.get(with(t, cert, key), "Authorization", "Bearer "+s.text)
	require.NoError(t, err)
	assert.Contains(t, body, "viewer")
}

func TestTLSRefuses(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	c, err := TLS{}.Config(log)
	assert.NoError(t, err)
	assert.Nil(t, c)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	cert, key := tlstest.New(t, "ca").Server()
	write(t, path("cert"), string(cert))
	write(t, path("key"), string(key))
	write(t, path("empty"), "")
	for want, files := range map[string]TLS{
		"want the files of both":    {Cert: path("cert")},
		"without a certificate":     {ClientCA: path("cert")},
		"there is no client CA":     {Cert: path("cert"), Key: path("key"), Required: true},
		"no certificate in PEM":     {Cert: path("cert"), Key: path("key"), ClientCA: path("empty")},
		"failed to find any PEM":    {Cert: path("cert"), Key: path("empty")},
		"no such file or directory": {Cert: path("none"), Key: path("key")},
	} {
		_, err := files.Config(log)
		assert.ErrorContains(t, err, want)
	}
}

func TestIdentitiesRefuse(t *testing.T) {
	who := Who{"a", "b", Viewer}
	for want, all := range map[string]Identities{
		"identity 1: a has neither":                       {{Who: who}},
		"identity 1: got the role":                        {{Who: Who{"a", "b", "root"}, Subject: "CN=a"}},
		"identity 2: there is another one":                {{Who: who, Subject: "CN=a"}, {Who: who, Subject: "CN=b"}},
		`identity 1: a has the alternative name "a"`:      {{Who: who, SAN: []string{"a"}}},
		`the alternative name "ip:x", which is not an IP`: {{Who: who, SAN: []string{"ip:x"}}},
		`the alternative name "dns:"`:                     {{Who: who, SAN: []string{"dns:"}}},
	} {
		assert.ErrorContains(t, all.Check(), want)
	}
	assert.NoError(t, Identities{{Who: who, SAN: []string{"ip:10.0.0.1", "email:a@b", "dns:x", "uri:y:z"}}}.Check())
	cert := &x509.Certificate{IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)}, EmailAddresses: []string{"a@b"}}
	assert.True(t, hasSAN(cert, "ip:10.0.0.1"))
	assert.False(t, hasSAN(cert, "ip:10.0.0.2"))
	assert.True(t, hasSAN(cert, "email:a@b"))
	assert.False(t, hasSAN(cert, "uri:y"))
}
