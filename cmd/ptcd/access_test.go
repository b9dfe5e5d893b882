//go:build unix

package main

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/internal/tlstest"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// write makes a file and returns its path.
func write(t *testing.T, folder, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// tokenOf makes a token by the command, and returns its text.
func tokenOf(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	require.Equal(t, 0, dispatch(append([]string{"token", "create", "--dir", dir}, args...), &out, &errs), errs.String())
	return strings.TrimSpace(out.String())
}

// client is a client with a token, or with a certificate alone.
type client struct {
	t    *testing.T
	http *http.Client
	url  string
	text string
}

// do returns the status, the code of a problem, and the header of a response.
func (c client) do(method, path, body string) (status int, code string, header http.Header) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	require.NoError(c.t, err)
	r.Header.Set("Content-Type", "application/json")
	if c.text != "" {
		r.Header.Set("Authorization", "Bearer "+c.text)
	}
	resp, err := c.http.Do(r)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	var p struct{ Code string }
	if resp.StatusCode >= 400 {
		require.NoError(c.t, json.Unmarshal(text, &p), "%s", text)
	}
	return resp.StatusCode, p.Code, resp.Header
}

// TestServiceWithTLS runs a service with TLS, client certificates and shares of tenants, and clients of all kinds.
func TestServiceWithTLS(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	ca, clients := tlstest.New(t, "ca"), tlstest.New(t, "clients")
	cert, key := ca.Server()
	config := write(t, folder, "ptcd.yaml", []byte(fmt.Sprintf(`
tls-cert: %s
tls-key: %s
client-ca: %s
max-runs: 50
tenants:
  acme: {per-second: 0.001, burst: 2, memory: 2GB}
other-tenants:
  calls: 7
identities:
  - {name: deploy, role: submitter, tenant: other, subject: CN=deploy}
`, write(t, folder, "cert.pem", cert), write(t, folder, "key.pem", key), write(t, folder, "clients.pem", clients.PEM()))))
	s := startService(t, dir, "--config", config)
	require.True(t, strings.HasPrefix(s.URL, "https://127.0.0.1:"), s.URL)

	connect := func(text string, cert, key []byte) client {
		transport := &http.Transport{TLSClientConfig: tlstest.Client(t, cert, key, ca), ForceAttemptHTTP2: true}
		t.Cleanup(transport.CloseIdleConnections)
		return client{t, &http.Client{Transport: transport}, s.URL, text}
	}
	const run = `{"source": "(+ 1 2)"}`
	text := tokenOf(t, dir, "--name", "ci", "--role", "submitter", "--tenant", "acme")
	ci := connect(text, nil, nil)
	for range 2 {
		status, code, _ := ci.do("POST", "/v1/runs?wait=10s", run)
		assert.Equal(t, 201, status, code)
	}
	status, code, header := ci.do("POST", "/v1/runs", run)
	assert.Equal(t, 429, status)
	assert.Equal(t, "share-used-up", code)
	assert.NotEmpty(t, header.Get("Retry-After"))
	status, code, _ = ci.do("POST", "/v1/runs", `{"source": "1", "limits": {"memory": 268435456}}`)
	assert.Equal(t, 429, status, code)
	status, code, _ = ci.do("GET", "/debug/pprof/goroutine", "")
	assert.Equal(t, 403, status)
	assert.Equal(t, "forbidden", code)

	operator := connect(s.Token, nil, nil)
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/goroutine?debug=1", "/debug/pprof/cmdline", "/v1/runs"} {
		status, code, header = operator.do("GET", path, "")
		assert.Equal(t, 200, status, "%s %s", path, code)
		assert.NotEmpty(t, header.Get("Content-Security-Policy"))
	}

	for _, path := range []string{"/v1/runs", "/metrics", "/debug/pprof/heap"} {
		status, code, _ = connect("", nil, nil).do("GET", path, "")
		assert.Equal(t, 401, status, path)
		assert.Equal(t, access.CodeUnauthenticated, code)
	}
	viewer := connect(tokenOf(t, dir, "--name", "prometheus", "--role", "viewer"), nil, nil)
	status, _, _ = viewer.do("GET", "/metrics", "")
	assert.Equal(t, 200, status)
	status, _, _ = viewer.do("POST", "/v1/runs", run)
	assert.Equal(t, 403, status)
	deployCert, deployKey := clients.Issue(x509.Certificate{Subject: pkix.Name{CommonName: "deploy"}})
	status, code, _ = connect("", deployCert, deployKey).do("POST", "/v1/runs?wait=10s", run)
	assert.Equal(t, 201, status, code)

	status, code, _ = operator.do("DELETE", "/v1/schedules/nightly?tenant=acme", "")
	assert.Equal(t, 404, status, code)

	require.Equal(t, 0, dispatch([]string{"token", "revoke", "--dir", dir, "ci"}, io.Discard, io.Discard))
	status, code, _ = ci.do("GET", "/v1/runs", "")
	assert.Equal(t, 401, status)
	assert.Equal(t, access.CodeUnknown, code)

	assert.Equal(t, 0, s.Stop())
	audit, err := os.ReadFile(filepath.Join(dir, access.AuditFile))
	require.NoError(t, err)
	assert.Regexp(t, `"name":"ci","tenant":"acme","role":"submitter","by":"token \w{8}".*"path":"/v1/runs","status":201.*"notes":{"run":"`, string(audit))
	assert.Contains(t, string(audit), `"by":"certificate 2"`)
	assert.Contains(t, string(audit), `"code":"token-unknown"`)
	assert.Regexp(t, `"path":"/v1/schedules/nightly","status":404.*"notes":{"tenant":"acme"}`, string(audit))
	assert.NotContains(t, string(audit), text[14:])
	assert.NotContains(t, string(audit), s.Token[14:])
}

// TestAccessDocument follows docs/access.md with the clients that it names.
func TestAccessDocument(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, program := range []string{"curl", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the document needs ", program)
		}
	}
	bin := t.TempDir()
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(bin, "ptcd")))
	filetest.Document{Path: "../../docs/access.md", Bin: bin, Env: []string{asCommand + "=1"},
		Ports: []string{"18480", "18443"}}.Follow(t)
}

// TestAccessOfConfig requires all mistakes of the sections, each with its line.
func TestAccessOfConfig(t *testing.T) {
	config := write(t, t.TempDir(), "ptcd.yaml", []byte(`tenants:
  acme: {runing: 3, memory: lots}
  b: 7
other-tenants: [1]
identities:
  - {name: a, role: root, subject: CN=a}
  - {name: b, role: viewer}
  - {name: c, role: viewer, san: ["dns:x", "y"]}
  - {name: d, role: viewer, san: dns:x}
tenents: {}
tls-cert: a
tls-cert: b
`))
	_, err := parse([]string{"--dir", "d", "--config", config})
	require.Error(t, err)
	for _, want := range []string{
		":2:10: there is no key runing; did you mean running?", `:2:29: memory is "lots", want a size`,
		":3:6: tenants: b: want keys and values", ":4:16: other-tenants: want keys and values", `:6:21: role is "root", want one of viewer`,
		":7:5: identity 1: b has neither a subject nor", `c has the alternative name "y"`, "there is no key tenents; did you mean tenants?",
		"tls-cert: the key is there twice",
	} {
		assert.ErrorContains(t, err, want)
	}

	s, err := parse([]string{"--dir", "d", "--client-ca", "ca", "--tls-cert", "c", "--tls-key", "k", "--client-certs=required"})
	require.NoError(t, err)
	assert.Equal(t, access.TLS{Cert: "c", Key: "k", ClientCA: "ca", Required: true}, s.tls)
	config = write(t, t.TempDir(), "ptcd.yaml", []byte("identities: [{name: a, role: viewer, subject: CN=a}]\n"))
	_, err = parse([]string{"--dir", "d", "--config", config})
	assert.ErrorContains(t, err, "no --client-ca")
	s, err = parse([]string{"--dir", "d", "--config", config, "--client-ca", "x"})
	require.NoError(t, err)
	assert.Equal(t, access.Identities{{Who: access.Who{Name: "a", Tenant: "default", Role: access.Viewer}, Subject: "CN=a"}}, s.identities)
}

// TestMembersAreReloaded: a change of the shares of tenants in the file of the configuration holds from the next
// request on, and one with a mistake changes nothing.
func TestMembersAreReloaded(t *testing.T) {
	folder := t.TempDir()
	config := write(t, folder, "ptcd.yaml", []byte("other-tenants: {memory: 1MB}\n"))
	s := startService(t, filepath.Join(folder, "service"), "--config", config)
	submit := func() int { return s.call("POST", "/v1/runs", store.Submission{Source: "1"}, nil).StatusCode }
	require.Equal(t, http.StatusTooManyRequests, submit())
	write(t, folder, "ptcd.yaml", []byte("tenants: {default: {memory: 10GB}}\nother-tenants: {memory: 1MB}\n"))
	require.Equal(t, http.StatusCreated, submit())
	write(t, folder, "ptcd.yaml", []byte("tenants: {default: {memory: 1MB}, typing...\n"))
	require.Equal(t, http.StatusCreated, submit())
	write(t, folder, "ptcd.yaml", []byte("other-tenants: {memory: 1MB}\n"))
	require.Equal(t, http.StatusTooManyRequests, submit())
	require.Zero(t, s.Stop())
	require.Contains(t, s.Log.String(), "stay in use")
}
