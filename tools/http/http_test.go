package http

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestMain(m *testing.M) {
	testlevel.Waiting(8)
	goleak.VerifyTestMain(m)
}

// registry returns the tools of a client that is closed when the test ends.
func registry(t *testing.T, g Grant) (*tool.Registry, *client) {
	t.Helper()
	c, err := newClient(g)
	require.NoError(t, err)
	t.Cleanup(c.pool.CloseIdleConnections)
	reg, err := tool.NewRegistry(c.tools()...)
	require.NoError(t, err)
	return reg, c
}

// run returns the value of a program, in which URL is replaced by that of a server.
func run(t *testing.T, reg *tool.Registry, program, base string) (string, error) {
	t.Helper()
	res, err := ptc.Run(context.Background(), strings.ReplaceAll(program, "URL", base),
		ptc.Options{Tools: reg, Limits: ptc.Limits{Timeout: 5 * time.Minute}})
	if err != nil {
		return "", err
	}
	return res.EDN()
}

// serve starts a TLS server and returns a grant for it.
func serve(t *testing.T, h http.HandlerFunc, grantMethods ...string) (base string, g Grant) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = nil
	srv.StartTLS()
	t.Cleanup(srv.Close)
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	host, err := ParseHost(strings.TrimPrefix(srv.URL, "https://"))
	require.NoError(t, err)
	host.Methods = grantMethods
	return srv.URL, Grant{Hosts: []Host{host}, Roots: roots}
}

func api(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/json":
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, "\ufeff"+`{"id": 12345678901234567890, "user_name": "Zoë", "tags": ["<a>", null], "price": 9.50}`)
	case "/problem":
		w.Header().Set("Content-Type", "application/problem+json")
		fmt.Fprint(w, `[1]`)
	case "/notjson":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"a":`)
	case "/text":
		fmt.Fprint(w, "grüße")
	case "/latin":
		w.Header().Set("Content-Type", "text/plain; charset=ISO-8859-1")
		w.Write([]byte("gr\xfc\xdfe"))
	case "/bytes":
		w.Write([]byte{0, 0xff})
	case "/empty":
		w.WriteHeader(http.StatusNoContent)
	case "/echo":
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "query": r.URL.RawQuery, "type": r.Header.Get("Content-Type"), "body": string(body),
			"agent": r.UserAgent(), "x": r.Header.Get("X-Test"), "proto": r.Proto})
	case "/gzip":
		if r.Header.Get("Accept-Encoding") == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprint(z, "small")
			z.Close()
		}
	case "/headers":
		w.Header().Add("X-Many", "a")
		w.Header().Add("X-Many", "b")
		w.Header().Add("X-Odd", "\x80\xfe")
	case "/limited":
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":"slow down"}`)
	case "/down":
		w.Header().Set("Retry-After", time.Date(2026, 1, 1, 0, 1, 30, 0, time.UTC).Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
	case "/long-error":
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, strings.Repeat("x", 1<<20))
	default:
		var status int
		if _, err := fmt.Sscanf(r.URL.Path, "/status/%d", &status); err == nil {
			w.WriteHeader(status)
			fmt.Fprint(w, "it is ", status)
			return
		}
		http.NotFound(w, r)
	}
}

func TestRequests(t *testing.T) {
	base, g := serve(t, api)
	reg, _ := registry(t, g)
	for _, test := range []struct{ program, want string }{
		{`(:json (tool/http.get "URL/json"))`, `{:id 12345678901234567890N, :user_name "Zoë", :tags ["<a>" nil], :price 9.5}`},
		{`(:json (tool/http.get "URL/problem"))`, `[1]`},
		{`((juxt :json :body) (tool/http.get "URL/notjson"))`, `[nil "{\"a\":"]`},
		{`((juxt :status :body) (tool/http.get "URL/text"))`, `[200 "grüße"]`},
		{`(:body (tool/http.get "URL/latin"))`, `"grüße"`},
		{`((juxt :body :base64) (tool/http.get "URL/bytes"))`, `[nil "AP8="]`},
		{`(:body (tool/http.get "URL/gzip"))`, `"small"`},
		{`(:content-type (:headers (tool/http.get "URL/text")))`, `"text/plain; charset=utf-8"`},
		{`(:x-many (:headers (tool/http.get "URL/headers")))`, `"a, b"`},
		{`(string? (:x-odd (:headers (tool/http.get "URL/headers"))))`, `true`},
		{`(:status (tool/http.get "URL/empty"))`, `204`},
		{`(tool/http.get "URL/none")`, ``},
		{`(select-keys (:json (tool/http.get {:url "URL/echo?a=1" :query {:b "x y&" :c [1 2.5] :d nil :e true}})) [:method :query :agent])`,
			`{:method "GET", :query "a=1&b=x+y%26&c=1&c=2.5&e=true", :agent "ptc"}`},
		{`(:x (:json (tool/http.get {:url "URL/echo" :headers {:x-test "ü"}})))`, `"ü"`},
		{`(select-keys (:json (tool/http.post {:url "URL/echo" :json {:b [1.50 nil] :a 12345678901234567890}})) [:method :type :body])`,
			`{:method "POST", :type "application/json", :body "{\"a\":12345678901234567890,\"b\":[1.5,null]}"}`},
		{`(select-keys (:json (tool/http.post {:url "URL/echo" :form {:a "1 2" :b ["x" "y"]}})) [:type :body])`, `{:type "application/x-www-form-urlencoded", :body "a=1+2&b=x&b=y"}`},
		{`(select-keys (:json (tool/http.post {:url "URL/echo" :body "<x/>" :headers {:content-type "text/xml"}})) [:type :body])`, `{:type "text/xml", :body "<x/>"}`},
		{`(:body (:json (tool/http.post "URL/echo")))`, `""`},
		{`(:method (:json (tool/http.request {:method "put" :url "URL/echo"})))`, `"PUT"`},
		{`((juxt :status :body) (tool/http.request {:method "HEAD" :url "URL/text"}))`, `[200 nil]`},
		{`(:proto (:json (tool/http.get "URL/echo")))`, `"HTTP/2.0"`},
		{`((juxt :status :body) (tool/http.get {:url "URL/status/404" :any-status true}))`, `[404 "it is 404"]`},
		{`(map (comp :status tool/http.get) ["URL/text" "URL/json"])`, `(200 200)`},
		{`(= 40 (count (pmap #(:json (tool/http.get {:url "URL/echo" :query {:i %}})) (range 40))))`, `true`},
	} {
		t.Run(test.program, func(t *testing.T) {
			got, err := run(t, reg, test.program, base)
			if test.want == "" {
				require.ErrorContains(t, err, "status 404 Not Found")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestStatusErrors(t *testing.T) {
	base, g := serve(t, api)
	reg, c := registry(t, g)
	c.now = func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, test := range []struct{ call, want string }{
		{`(tool/http.get "URL/status/404")`, `[:not-found false {:status 404, :body "it is 404"}]`},
		{`(tool/http.get "URL/status/410")`, `[:not-found false {:status 410, :body "it is 410"}]`},
		{`(tool/http.get "URL/status/401")`, `[:unauthorized false {:status 401, :body "it is 401"}]`},
		{`(tool/http.get "URL/status/409")`, `[:conflict false {:status 409, :body "it is 409"}]`},
		{`(tool/http.get "URL/status/418")`, `[:http-status false {:status 418, :body "it is 418"}]`},
		{`(tool/http.get "URL/status/500")`, `[:http-status false {:status 500, :body "it is 500"}]`},
		{`(tool/http.get "URL/status/502")`, `[:unavailable true {:status 502, :body "it is 502"}]`},
		{`(tool/http.post "URL/status/502")`, `[:unavailable false {:status 502, :body "it is 502"}]`},
		{`(tool/http.post "URL/status/503")`, `[:unavailable true {:status 503, :body "it is 503"}]`},
		{`(tool/http.get "URL/limited")`, `[:rate-limited true {:json {:error "slow down"}, :retry-after-ms 7000, :status 429}]`},
		{`(tool/http.get "URL/down")`, `[:unavailable true {:retry-after-ms 90000, :status 503}]`},
	} {
		t.Run(test.call, func(t *testing.T) {
			got, err := run(t, reg, `(try `+test.call+` (catch Exception e ((juxt :code :retryable? :data) (ex-data e))))`, base)
			require.NoError(t, err)
			want, err := run(t, reg, test.want, base)
			require.NoError(t, err)
			same, err := run(t, reg, "(= "+got+" "+want+")", base)
			require.NoError(t, err)
			assert.Equal(t, "true", same, got)
		})
	}
	got, err := run(t, reg, `(try (tool/http.get "URL/long-error") (catch Exception e (count (:body (:data (ex-data e))))))`, base)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(maxErrorBody), got)
	_, err = c.get(t.Context(), GetArgs{Options{URL: base + "/limited"}})
	var e *tool.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 7*time.Second, e.RetryAfter)
	for text, want := range map[string]time.Duration{"": 0, "-5": 0, "soon": 0, "1000000000000": maxRetryAfter, "Wed, 01 Jan 2020 00:00:00 GMT": 0} {
		assert.Equal(t, want, c.retryAfter(text), text)
	}
}

func TestRefused(t *testing.T) {
	base, g := serve(t, api, "GET")
	g.Hosts = append(g.Hosts, Host{Name: "*.example.com"}, Host{Name: "a.test", Port: 8443, Methods: []string{"GET", "POST"}})
	reg, _ := registry(t, g)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(base, "https://"))
	require.NoError(t, err)
	for _, test := range []struct{ program, code, message string }{
		{`(tool/http.get "https://other.test/x")`, "refused", "other.test is not granted"},
		{`(tool/http.get "https://example.com/")`, "refused", "--allow-http example.com"},
		{`(tool/http.get "https://a.example.com.evil.test/")`, "refused", "not granted"},
		{`(tool/http.get "https://x.example.com:8443/")`, "refused", "x.example.com:8443"},
		{`(tool/http.get "https://a.test/")`, "refused", "a.test is not granted"},
		{`(tool/http.request {:method "PUT" :url "https://a.test:8443/"})`, "refused", "only GET, POST; grant it with --allow-http a.test:8443=PUT"},
		{`(tool/http.post "URL/echo")`, "refused", "POST is not granted for 127.0.0.1:" + port},
		{`(tool/http.get "https://127.0.0.1:1/")`, "refused", "not granted"},
		{`(tool/http.get "https://127.0.0.1:` + port + `@other.test/")`, "bad-url", "no user or password"},
		{`(tool/http.get "https://other.test#@127.0.0.1:` + port + `/")`, "refused", "other.test is not granted"},
		{`(tool/http.get "https://other.test\\@127.0.0.1:` + port + `/")`, "bad-url", "malformed"},
		{`(tool/http.get "file:///etc/passwd")`, "bad-url", "begins with https:// or http://"},
		{`(tool/http.get "//127.0.0.1/x")`, "bad-url", "begins with https://"},
		{`(tool/http.get "https:///x")`, "bad-url", "no host"},
		{`(tool/http.get "")`, "bad-url", "begins with"},
		{`(tool/http.get "https://127.0.0.1:99999/")`, "bad-url", "65535"},
		{`(tool/http.get "https://ex\u0430mple.com/")`, "bad-url", "ASCII"},
		{`(tool/http.get "https://a b/")`, "bad-url", "malformed"},
		{`(tool/http.get "https://127.0.0.1\r\nX: y/")`, "bad-url", "malformed"},
		{`(tool/http.get {:url "URL/text" :headers {"Host" "other.test"}})`, "bad-arguments", "not the program's to set"},
		{`(tool/http.get {:url "URL/text" :headers {"transfer-encoding" "chunked"}})`, "bad-arguments", "not the program's"},
		{`(tool/http.get {:url "URL/text" :headers {"Accept-Encoding" "gzip"}})`, "bad-arguments", "not the program's"},
		{`(tool/http.get {:url "URL/text" :headers {"a b" "x"}})`, "bad-arguments", "got the header"},
		{`(tool/http.get {:url "URL/text" :headers {"a" "secret\r\nHost: b"}})`, "bad-arguments", "control character"},
		{`(tool/http.get {:url "URL/text" :query {:a {:b 1}}})`, "bad-arguments", `[:query "a"]: got a collection`},
		{`(tool/http.get {:url "URL/text" :timeout-ms -1})`, "bad-arguments", ":timeout-ms"},
		{`(tool/http.post {:url "URL/text" :json 1 :body "x"})`, "bad-arguments", "want one"},
		{`(tool/http.request {:method "CONNECT" :url "URL/text"})`, "bad-arguments", "CONNECT"},
		{`(tool/http.get {:url "URL/text" :verify false})`, "bad-arguments", "unknown key :verify"},
	} {
		t.Run(test.program, func(t *testing.T) {
			_, err := run(t, reg, test.program, base)
			var e *ptc.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, diag.ToolFailed, e.Code)
			assert.Contains(t, e.Message, test.message)
			assert.NotContains(t, e.Message, "secret")
			got, err := run(t, reg, `(try `+test.program+` (catch Exception e (:code (ex-data e))))`, base)
			require.NoError(t, err)
			assert.Equal(t, ":"+test.code, got)
		})
	}
}

func TestCertificates(t *testing.T) {
	base, g := serve(t, api)
	g.Roots = x509.NewCertPool()
	reg, _ := registry(t, g)
	got, err := run(t, reg, `(try (tool/http.get "URL/text") (catch Exception e ((juxt :code :retryable?) (ex-data e))))`, base)
	require.NoError(t, err)
	assert.Equal(t, "[:bad-certificate false]", got)
}

func TestDeclarations(t *testing.T) {
	none, err := Tools(Grant{})
	require.NoError(t, err)
	assert.Empty(t, none)
	_, err = Tools(Grant{Hosts: []Host{{Name: "a b"}}})
	require.Error(t, err)
	_, err = Tools(Grant{Hosts: []Host{{Name: "a", Header: http.Header{"X": {"a\nb"}}}}})
	require.Error(t, err)
	reg, _ := registry(t, Grant{Hosts: []Host{{Name: "api.example.com"}}})
	assert.Len(t, reg.All(), len(Names()))
	for _, x := range reg.All() {
		assert.Contains(t, Names(), x.Name())
		for _, e := range x.Examples() {
			_, err := ptc.Compile(context.Background(), "", e, ptc.Options{Tools: reg})
			require.NoError(t, err, e)
		}
	}
	assert.Equal(t, effect.ReadOnly, reg.Lookup("http.get").Class())
	assert.Equal(t, effect.Write, reg.Lookup("http.post").Class())
	assert.Equal(t, effect.Write, reg.Lookup("http.request").Class())
	assert.Equal(t, "http.get {:url string :query {string any}? :headers {string string}? :any-status bool? :timeout-ms int?} -> {:status int :url string :headers {string string} :json any? :body string? :base64 string?}",
		reg.Lookup("http.get").Signature())
}

// TestKeyInQuery has a key that is a header of one request and in the URL of another: the
// URL that is given back has it as URLs do, and the calls that are kept do not.
func TestKeyInQuery(t *testing.T) {
	base, g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Query().Get("key"), " ", r.URL.RawQuery)
	})
	reg, _ := registry(t, g)
	program := `(tool/http.get {:url "` + base + `" :headers {:X-API-KEY data/key}}) (tool/http.get {:url "` + base + `/a/b" :query {:key data/key :page 2}})`
	prog, err := ptc.Compile(context.Background(), "p", program, ptc.Options{Tools: reg})
	require.NoError(t, err)
	res, err := prog.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"key": "a+b/c=d&é=="}})
	require.NoError(t, err)
	require.Len(t, res.Calls, 2)
	assert.JSONEq(t, `{"url":"`+base+`","headers":{"X-API-KEY":"[secret]"}}`, string(res.Calls[0].Args))
	assert.JSONEq(t, `{"url":"`+base+`/a/b","query":{"key":"[secret]","page":2}}`, string(res.Calls[1].Args))
	var answer Response
	require.NoError(t, json.Unmarshal(res.Calls[1].Outcome.Result, &answer))
	assert.Equal(t, base+"/a/b?key=[secret]&page=2", answer.URL)
	assert.Equal(t, "[secret] key=[secret]&page=2", answer.Body)
}
