package http

import (
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRedirects has redirects within a host, to another one that is granted, and to ones
// that are not.
func TestRedirects(t *testing.T) {
	var reached atomic.Int32
	record := func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "authorization": r.Header.Get("Authorization"), "key": r.Header.Get("X-Api-Key"),
			"cookie": r.Header.Get("Cookie"), "referer": r.Header.Get("Referer"), "granted": r.Header.Get("X-Granted"), "accept": r.Header.Get("Accept"), "body": string(body)})
	}
	other, og := serve(t, record)
	unknown, _ := serve(t, record)
	plain := httptest.NewServer(http.HandlerFunc(record))
	t.Cleanup(plain.Close)
	var self string
	base, g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{"/same": self + "/end", "/other": other + "/x", "/unknown": unknown + "/x", "/plain": plain.URL + "/x", "/loop": self + "/loop",
			"/metadata": "http://169.254.169.254/latest", "/file": "file:///etc/passwd", "/user": "https://u:p@" + strings.TrimPrefix(self, "https://") + "/end",
			"/back": other + "/back"}[r.URL.Path]
		if to == "" {
			w.Header().Set("Set-Cookie", "a=b")
			record(w, r)
			return
		}
		status := http.StatusFound
		if s := r.URL.Query().Get("status"); s == "307" {
			status = http.StatusTemporaryRedirect
		}
		w.Header().Set("Set-Cookie", "session=1")
		http.Redirect(w, r, to, status)
	})
	self = base
	g.Roots.AddCert(certOf(t, other))
	g.Roots.AddCert(certOf(t, unknown))
	g.Hosts[0].Header = http.Header{"X-Granted": {"host one"}}
	plainHost, err := ParseHost(strings.TrimPrefix(plain.URL, "http://"))
	require.NoError(t, err)
	g.Hosts = append(g.Hosts, og.Hosts[0], plainHost)
	reg, _ := registry(t, g)
	headers := `:headers {:authorization "Bearer token" :x-api-key "key" :cookie "c=1" :accept "application/json"}`
	for _, test := range []struct{ program, want string }{
		{`((juxt (comp :path :x) :status) (tool/http.get "URL/same"))`, `[nil 200]`},
		{`(:url (tool/http.get "URL/same?q=1"))`, `"` + base + `/end"`},
		{`(select-keys (:json (tool/http.get {:url "URL/same" ` + headers + `})) [:authorization :key :cookie :granted])`,
			`{:authorization "Bearer token", :key "key", :cookie "c=1", :granted "host one"}`},
		{`(select-keys (:json (tool/http.get {:url "URL/other?secret=1" ` + headers + `})) [:authorization :key :cookie :referer :granted :accept])`,
			`{:authorization "", :key "", :cookie "", :referer "", :granted "", :accept "application/json"}`},
		{`(select-keys (:json (tool/http.post {:url "URL/same" :body "x"})) [:method :body])`, `{:method "GET", :body ""}`},
		{`(select-keys (:json (tool/http.post {:url "URL/same?status=307" :body "x"})) [:method :body])`, `{:method "POST", :body "x"}`},
		{`(select-keys (:json (tool/http.post {:url "URL/other" :body "x"})) [:method :body])`, `{:method "GET", :body ""}`},
		{`(:cookie (:json (tool/http.get "URL/end")))`, `""`},
	} {
		got, err := run(t, reg, test.program, base)
		require.NoError(t, err, test.program)
		assert.Equal(t, test.want, got, test.program)
	}
	before := reached.Load()
	for _, test := range []struct{ program, code, message string }{
		{`(tool/http.get "URL/unknown?secret=1")`, ":refused", "redirects to " + unknown + "/x: the host"},
		{`(tool/http.get "URL/plain")`, ":refused", "want https"},
		{`(tool/http.get "URL/metadata")`, ":refused", "want https"},
		{`(tool/http.get "URL/file")`, ":refused", "want https"},
		{`(tool/http.get "URL/user")`, ":refused", "user or password"},
		{`(tool/http.post {:url "URL/other?status=307" :body "x"})`, ":refused", "a POST is not sent on to another host"},
		{`(tool/http.get "URL/loop")`, ":too-many-redirects", "redirect number 10"},
	} {
		_, err := run(t, reg, test.program, base)
		require.ErrorContains(t, err, test.message, test.program)
		assert.NotContains(t, err.Error(), "secret")
		got, err := run(t, reg, `(try `+test.program+` (catch Exception e (:code (ex-data e))))`, base)
		require.NoError(t, err)
		assert.Equal(t, test.code, got, test.program)
	}
	assert.Equal(t, before, reached.Load(), "a server that is not granted was reached")
}

// certOf returns the certificate of a test server.
func certOf(t *testing.T, base string) *x509.Certificate {
	t.Helper()
	conn, err := (&net.Dialer{}).Dial("tcp", strings.TrimPrefix(base, "https://"))
	require.NoError(t, err)
	defer conn.Close()
	u, err := url.Parse(base)
	require.NoError(t, err)
	return peerCertificate(t, conn, u.Hostname())
}
