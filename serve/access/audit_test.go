package access

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// prefixOf returns the n-th network.
func prefixOf(t *testing.T, n int) netip.Prefix {
	t.Helper()
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:80", n>>16, n>>8&255, n&255)
	p := network(r)
	require.True(t, p.IsValid())
	return p
}

func TestNetwork(t *testing.T) {
	for remote, want := range map[string]string{
		"10.1.2.3:5": "10.1.2.3/32", "[2001:db8:1:2:3:4:5:6]:7": "2001:db8:1:2::/64", "[::ffff:10.1.2.3]:5": "10.1.2.3/32",
		"[fe80::1%eth0]:9": "fe80::/64", "pipe": "invalid Prefix",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = remote
		assert.Equal(t, want, network(r).String(), remote)
	}
}

func TestAuditOfRequests(t *testing.T) {
	const secret = "s3cret-argument"
	h := newHouse(t, nil, func(w http.ResponseWriter, r *http.Request) {
		Note(r.Context(), "run", "01J")
		Note(r.Context(), "long", long(2*maxNote))
		w.WriteHeader(http.StatusAccepted)
	})
	h.as(Viewer, "GET", "/v1/runs")               // is not audited
	h.as(Viewer, "GET", "/v1/runs/7/journal")     // is
	h.as(Submitter, "POST", "/v1/runs?x="+secret) // without the query
	h.as(Viewer, "POST", "/v1/runs")
	h.do("GET", "/v1/runs", "", "Authorization", "Bearer "+secret)
	h.do("GET", "/v1/runs", "", "Host", "evil.example")
	c := h.signIn(h.texts[Operator])
	h.do("POST", "/v1/runs", secret, "Cookie", c.Name+"="+c.Value)
	h.do("POST", "/logout", "", "Cookie", c.Name+"="+c.Value)
	h.as(Operator, "POST", "/"+long(5000))

	var got []string
	for _, e := range h.entries() {
		got = append(got, strings.TrimSpace(fmt.Sprint(e.Event, " ", e.Name, " ", e.Method, " ", e.Status, " ", e.Code)))
		assert.True(t, strings.HasPrefix(e.From, "127.0.0.1:"), e.From)
		assert.False(t, e.Time.IsZero())
	}
	assert.Equal(t, []string{
		"request viewer-1 GET 202", "request submitter-1 POST 202", "refused viewer-1 POST 403 forbidden",
		"login-failed  GET 401 token-unknown", "refused  GET 403 host-refused", "login operator POST 303",
		"request operator POST 202", "logout operator POST 303", "request operator POST 202",
	}, got)
	id, _ := idOf(h.texts[Submitter])
	e := h.entries()[1]
	assert.Equal(t, "token "+id, e.By)
	assert.Equal(t, "acme", e.Tenant)
	assert.Equal(t, "/v1/runs", e.Path)
	assert.Equal(t, "01J", e.Notes["run"])
	assert.Less(t, len(e.Notes["long"]), maxNote+10)
	id, _ = idOf(h.texts[Operator])
	assert.Equal(t, "browser "+id, h.entries()[6].By)

	path := filepath.Join(h.dir, AuditFile)
	text := read(t, path)
	assert.NotContains(t, text, secret)
	assert.NotContains(t, text, c.Value)
	for _, token := range h.texts {
		assert.NotContains(t, text, token[len(prefix)+idLen:])
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestAuditOfPanic(t *testing.T) {
	h := newHouse(t, nil, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	r, err := http.NewRequest("POST", h.url+"/v1/runs", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+h.texts[Submitter])
	_, err = h.client.Do(r)
	require.Error(t, err)
	require.Len(t, h.entries(), 1)
	assert.Zero(t, h.entries()[0].Status, "there was no response")
}

// TestAuditRotates writes from many goroutines. Each line is whole, and the newest ones are all there.
func TestAuditRotates(t *testing.T) {
	dir := t.TempDir()
	a, err := OpenAudit(dir)
	require.NoError(t, err)
	a.limit = 2000
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 100 {
				assert.NoError(t, a.Write(Entry{Event: "request", Name: fmt.Sprint(i), Status: k}))
			}
		})
	}
	wg.Wait()
	require.NoError(t, a.Err())
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	assert.ErrorIs(t, a.Write(Entry{}), os.ErrClosed)
	parts, err := filepath.Glob(filepath.Join(dir, AuditFile+"*"))
	require.NoError(t, err)
	assert.Len(t, parts, auditParts+1)
	last := map[string]int{}
	for i := auditParts; i >= 0; i-- { // from the oldest part on
		path := filepath.Join(dir, AuditFile)
		if i > 0 {
			path = fmt.Sprintf("%s.%d", path, i)
		}
		text := read(t, path)
		assert.LessOrEqual(t, len(text), 2000)
		for line := range strings.Lines(text) {
			var e Entry
			require.NoError(t, json.Unmarshal([]byte(line), &e))
			if before, ok := last[e.Name]; ok {
				assert.Equal(t, before+1, e.Status)
			}
			last[e.Name] = e.Status
		}
	}

	a, err = OpenAudit(dir)
	require.NoError(t, err)
	size := a.size
	require.NoError(t, a.Write(Entry{Event: "login"}))
	require.NoError(t, a.Close())
	assert.Positive(t, size, "a new process goes on in the same file")
}

// TestAuditWithoutDisk continues with requests whose line cannot be written.
func TestAuditWithoutDisk(t *testing.T) {
	h := newHouse(t, nil, nil)
	require.NoError(t, h.gate.o.Audit.file.Close())
	assert.Equal(t, 200, h.as(Submitter, "POST", "/v1/runs").StatusCode)
	assert.Error(t, h.gate.o.Audit.Err())
	h.gate.o.Audit.mu.Lock()
	require.NoError(t, h.gate.o.Audit.open())
	h.gate.o.Audit.mu.Unlock()
	assert.Equal(t, 200, h.as(Submitter, "POST", "/v1/runs").StatusCode)
	assert.NoError(t, h.gate.o.Audit.Err())
}
