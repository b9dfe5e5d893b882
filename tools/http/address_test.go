package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peerCertificate returns the certificate of a server, unverified.
func peerCertificate(t *testing.T, conn net.Conn, name string) *x509.Certificate {
	t.Helper()
	c := tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	require.NoError(t, c.HandshakeContext(t.Context()))
	return c.ConnectionState().PeerCertificates[0]
}

func TestParseHost(t *testing.T) {
	for text, want := range map[string]Host{
		"api.example.com":                {Name: "api.example.com"},
		"API.Example.com.":               {Name: "api.example.com"},
		"api.example.com:443":            {Name: "api.example.com", Port: 443},
		"api.example.com:8443=get, POST": {Name: "api.example.com", Port: 8443, Methods: []string{"GET", "POST"}},
		"*.example.com=GET":              {Name: "*.example.com", Methods: []string{"GET"}},
		"127.0.0.1:8080":                 {Name: "127.0.0.1", Port: 8080},
		"[::1]:8080":                     {Name: "::1", Port: 8080},
		"::1":                            {Name: "::1"},
		"[2001:DB8:0:0::1]=HEAD":         {Name: "2001:db8::1", Methods: []string{"HEAD"}},
		"localhost:3000":                 {Name: "localhost", Port: 3000},
		"LOCALHOST.:3000":                {Name: "localhost", Port: 3000},
		"[::FFFF:127.0.0.1]:80":          {Name: "127.0.0.1", Port: 80},
		"*.Example.COM.":                 {Name: "*.example.com"},
	} {
		got, err := ParseHost(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"": "want HOST", "https://a.test": "looks like a URL", "a.test/x": "looks like a URL", "a.test:0": "port", "a.test:99999": "port", "a.test:x": "port",
		"a.test=FETCH": `got the method "FETCH"`, "a.test=": "got the method", "*": "want HOST", "*.": "want HOST", "a*.test": "want HOST", "a b": "want HOST",
		"exämple.com": "want HOST", "u@a.test": "want HOST", "a.test:1:2": "want HOST",
		"2130706433": "four decimal numbers", "0x7f.1": "four decimal numbers", "127.1:80": "four decimal numbers", "0177.0.0.1": "four decimal numbers",
		"*.0.0.1": "four decimal numbers", "*.127.0.0.1": "no subdomains", "a.test..": "is empty", ".a.test": "is empty",
	} {
		_, err := ParseHost(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		grant, name, scheme string
		port                uint16
		want                bool
	}{
		{"a.test", "a.test", "https", 443, true},
		{"a.test", "a.test", "http", 80, true},
		{"a.test", "a.test", "http", 443, false},
		{"a.test", "a.test", "https", 8443, false},
		{"a.test:8443", "a.test", "https", 8443, true},
		{"a.test:8443", "a.test", "https", 443, false},
		{"a.test", "b.a.test", "https", 443, false},
		{"*.a.test", "b.a.test", "https", 443, true},
		{"*.a.test", "c.b.a.test", "https", 443, true},
		{"*.a.test", "a.test", "https", 443, false},
		{"*.a.test", ".a.test", "https", 443, false},
		{"*.a.test", "ba.test", "https", 443, false},
	} {
		h, err := ParseHost(test.grant)
		require.NoError(t, err)
		assert.Equal(t, test.want, h.matches(test.name, test.scheme, test.port), test)
	}
}

func TestSpecial(t *testing.T) {
	for _, text := range []string{
		"0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2001::1", "2001:db8::1", "100::1", "5f00::1",
	} {
		assert.True(t, isSpecial(netip.MustParseAddr(text)), text)
	}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.0.1", "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808", "::ffff:8.8.8.8"} {
		assert.False(t, isSpecial(netip.MustParseAddr(text)), text)
	}
}

// nameServer answers each question for an address of version 4 with the next of answers,
// the last one again and again, and for one of version 6 with none. Without answers there
// are no names.
func nameServer(t *testing.T, answers ...string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	var asked atomic.Int32
	go func() {
		defer close(done)
		q := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(q)
			if err != nil {
				return
			}
			end := 12
			for q[end] != 0 {
				end += int(q[end]) + 1
			}
			end += 5
			reply := append([]byte{}, q[:end]...)
			reply[2], reply[3] = 0x81, 0x80
			clear(reply[6:12])
			if len(answers) == 0 {
				reply[3] |= 3 // there is no such name
			} else if n >= end && binary.BigEndian.Uint16(q[end-4:]) == 1 {
				i := min(int(asked.Add(1)), len(answers)) - 1
				addr := netip.MustParseAddr(answers[i]).As4()
				reply[7] = 1
				reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				reply = append(reply, addr[:]...)
			}
			conn.WriteTo(reply, from)
		}
	}()
	t.Cleanup(func() {
		conn.Close()
		<-done
	})
	d := net.Dialer{}
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// TestPrivate has a granted name that leads to this machine.
func TestPrivate(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(api))
	t.Cleanup(srv.Close)
	port := srv.URL[strings.LastIndex(srv.URL, ":")+1:]
	get := func(host string, private []string, answers ...string) string {
		h, err := ParseHost(host + ":" + port)
		require.NoError(t, err)
		g := Grant{Hosts: []Host{h}}
		for _, p := range private {
			g.Private = append(g.Private, netip.MustParsePrefix(p))
		}
		reg, c := registry(t, g)
		c.dialer.Resolver = nameServer(t, answers...)
		got, err := run(t, reg, `(try (:body (tool/http.get "http://`+host+`:`+port+`/text")) (catch Exception e [(:code (ex-data e)) (ex-message e)]))`, "")
		require.NoError(t, err)
		return got
	}
	refused := get("internal.test", nil, "127.0.0.1")
	assert.Contains(t, refused, ":refused")
	assert.Contains(t, refused, "internal.test is at the address 127.0.0.1:"+port+", which is private or special; grant it with --allow-http-private 127.0.0.1")
	assert.Contains(t, get("metadata.test", nil, "169.254.169.254"), ":refused")
	assert.Contains(t, get("internal.test", []string{"10.0.0.0/8"}, "127.0.0.1"), ":refused")
	assert.Equal(t, `"grüße"`, get("internal.test", []string{"127.0.0.0/8"}, "127.0.0.1"))
	assert.Equal(t, `"grüße"`, get("127.0.0.1", nil))
	assert.Equal(t, `"grüße"`, get("localhost", nil))
}

// TestRebinding has a name that leads to a granted address when it is asked for first, and to
// another one when it is dialled again.
func TestRebinding(t *testing.T) {
	var requests atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Connection", "close") // so that the next request dials
	}))
	t.Cleanup(srv.Close)
	port := srv.URL[strings.LastIndex(srv.URL, ":")+1:]
	h, err := ParseHost("rebind.test:" + port)
	require.NoError(t, err)
	reg, c := registry(t, Grant{Hosts: []Host{h}, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	c.dialer.Resolver = nameServer(t, "127.0.0.1", "127.0.0.2", "169.254.169.254")
	get := `(try (:status (tool/http.get "http://rebind.test:` + port + `/")) (catch Exception e (:code (ex-data e))))`
	got, err := run(t, reg, "["+strings.Repeat(get, 3)+"]", "")
	require.NoError(t, err)
	assert.Equal(t, "[200 :refused :refused]", got)
	assert.EqualValues(t, 1, requests.Load())
}

// TestUnreachable has hosts that are not there.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := l.Addr().String()
	require.NoError(t, l.Close())
	h, err := ParseHost(closed)
	require.NoError(t, err)
	reg, c := registry(t, Grant{Hosts: []Host{h, {Name: "none.test"}}})
	for program, want := range map[string]string{
		`(tool/http.get "http://` + closed + `/?token=secret")`:  ":unavailable true",
		`(tool/http.post "http://` + closed + `/?token=secret")`: ":unavailable true",
	} {
		got, err := run(t, reg, `(try `+program+` (catch Exception e [(:code (ex-data e)) (:retryable? (ex-data e)) (ex-message e)]))`, "")
		require.NoError(t, err)
		assert.Contains(t, got, want)
		assert.Contains(t, got, "connection refused")
		assert.NotContains(t, got, "secret")
	}
	c.dialer.Resolver = nameServer(t)
	got, err := run(t, reg, `(try (tool/http.get "http://none.test/") (catch Exception e [(:code (ex-data e)) (ex-message e)]))`, "")
	require.NoError(t, err)
	assert.Contains(t, got, "there is no host none.test")
	assert.Contains(t, got, ":unknown-host")
}

// TestProxy has a proxy in the environment, which is not used.
func TestProxy(t *testing.T) {
	proxied := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied = true }))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	srv := httptest.NewServer(http.HandlerFunc(api))
	t.Cleanup(srv.Close)
	h, err := ParseHost(strings.TrimPrefix(srv.URL, "http://"))
	require.NoError(t, err)
	reg, c := registry(t, Grant{Hosts: []Host{h, {Name: "a.test"}}, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	c.dialer.Resolver, c.dialer.Timeout = nameServer(t, "127.0.0.1"), time.Second
	_, err = run(t, reg, `(tool/http.get "`+srv.URL+`/text")`, "")
	require.NoError(t, err)
	_, _ = run(t, reg, `(tool/http.get "http://a.test/")`, "")
	assert.False(t, proxied)
}

// TestConnections sends a server many requests from several workers: the connections are few, and reused.
func TestConnections(t *testing.T) {
	var opened, requests atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		fmt.Fprint(w, "x")
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	h, err := ParseHost(strings.TrimPrefix(srv.URL, "http://"))
	require.NoError(t, err)
	reg, _ := registry(t, Grant{Hosts: []Host{h}})
	for attempt := 1; ; attempt++ { // Go makes another connection if it had to wait for 50 ms to write
		before := opened.Load()
		_, err = run(t, reg, `(dotimes [_ 50] (tool/http.get "URL/"))`, srv.URL)
		require.NoError(t, err)
		if made := opened.Load() - before; made == 0 || attempt == 1 && made == 1 {
			break
		}
		require.Less(t, attempt, 20, "50 requests in a row never had one connection")
	}
	before := opened.Load()
	requests.Store(0)
	_, err = run(t, reg, `(doall (pmap (fn [_] (tool/http.get "URL/")) (range 200)))`, srv.URL)
	require.NoError(t, err)
	assert.EqualValues(t, 200, requests.Load())
	assert.Less(t, opened.Load()-before, int32(199))
}

// TestOneName asks for a granted host by every name that it has, and for others that look like it. The dialled
// name, and the name sent to the server, are the granted one.
func TestOneName(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.Host)) }))
	t.Cleanup(srv.Close)
	port := srv.URL[strings.LastIndex(srv.URL, ":")+1:]
	get := func(grant, host string) string {
		h, err := ParseHost(grant + ":" + port)
		require.NoError(t, err)
		reg, c := registry(t, Grant{Hosts: []Host{h}})
		c.dialer.Resolver = nameServer(t, "127.0.0.1")
		got, err := run(t, reg, `(try (:body (tool/http.get "http://`+host+`:`+port+`/")) (catch Exception e [(:code (ex-data e))]))`, "")
		require.NoError(t, err)
		return got
	}
	for _, c := range []struct{ grant, host, want string }{
		{"localhost", "localhost", "localhost"},
		{"localhost", "LOCALHOST", "localhost"},
		{"localhost", "LocalHost.", "localhost"},
		{"LOCALHOST.", "localhost", "localhost"},
		{"127.0.0.1", "[::ffff:127.0.0.1]", "127.0.0.1"},
		{"127.0.0.1", "[0:0:0:0:0:FFFF:7F00:1]", "127.0.0.1"},
		{"[::ffff:127.0.0.1]", "127.0.0.1", "127.0.0.1"},
		{"127.0.0.1", "127.0.0.1.", "127.0.0.1"},
	} {
		assert.Equal(t, `"`+c.want+`:`+port+`"`, get(c.grant, c.host), c)
	}
	for _, c := range []struct{ grant, host, want string }{
		{"127.0.0.1", "2130706433", "[:bad-url]"},
		{"127.0.0.1", "0x7f000001", "[:bad-url]"},
		{"127.0.0.1", "0x7F.0.0.1", "[:bad-url]"},
		{"127.0.0.1", "0177.0.0.1", "[:bad-url]"},
		{"127.0.0.1", "127.1", "[:bad-url]"},
		{"localhost", "localhost..", "[:bad-url]"},
		{"localhost", "127.0.0.1", "[:refused]"},
		{"localhost", "localhost.test", "[:refused]"},
		{"localhost", "ｌocalhost", "[:bad-url]"},
	} {
		assert.Equal(t, c.want, get(c.grant, c.host), c)
	}
}
