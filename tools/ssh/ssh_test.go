//go:build unix

package ssh_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	xssh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/sshtest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/ssh"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var shell = sshtest.Shell(func(host string) []string { return []string{"PATH=/usr/bin:/bin", "HOST_NAME=" + host} })

// grant is that of all servers.
func grant(h *sshtest.Hosts) ssh.Grant {
	return ssh.Grant{Hosts: []string{"*"}, User: "tester", Signers: []xssh.Signer{h.Key}, KnownHosts: []string{h.KnownHosts}, Dial: h.Dial}
}

func open(t *testing.T, g ssh.Grant) *tool.Registry {
	t.Helper()
	hosts, err := ssh.Open(g)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, hosts.Close()) })
	reg, err := tool.NewRegistry(hosts.Tools()...)
	require.NoError(t, err)
	return reg
}

func run(t *testing.T, reg *tool.Registry, program string) string {
	t.Helper()
	res, err := ptc.Run(context.Background(), failing+program,
		ptc.Options{Tools: reg, Limits: ptc.Limits{Timeout: 5 * time.Minute}})
	require.NoError(t, err)
	assert.Zero(t, res.Usage.Abandoned, "no call is abandoned")
	text, err := res.EDN()
	require.NoError(t, err)
	return text
}

// failing returns the parts of an error that a program sees.
const failing = `(defmacro failing [call] (list 'try call '(catch Exception e [(:code (ex-data e)) (:retryable? (ex-data e)) (ex-message e)])))
	(defmacro code [call] (list 'try call '(catch Exception e (:code (ex-data e)))))`

func TestRun(t *testing.T) {
	h := sshtest.Start(t, shell, "web1", "web2")
	reg := open(t, grant(h))
	for _, test := range []struct{ name, program, want string }{
		{"argv", `(tool/ssh.run {:host "web1" :argv ["printf" "%s\n" "hello"]})`, `{:exit 0, :out "hello\n", :err ""}`},
		{"arguments as they are", `(:out (tool/ssh.run {:host "web1" :argv ["printf" "[%s]" "a b" "$HOST_NAME" "*" "; ls" "" "é'\"\\" "a\nb" "~" "A=b" "!x" "-n"]}))`,
			`"[a b][$HOST_NAME][*][; ls][][é'\"\\][a\nb][~][A=b][!x][-n]"`},
		{"a command with an equals sign", `(:exit (tool/ssh.run {:host "web1" :argv ["A=b"]}))`, `127`},
		{"command", `(:out (tool/ssh.run {:host "web2" :command "echo $HOST_NAME | tr a-z A-Z"}))`, `"WEB2\n"`},
		{"input", `(:out (tool/ssh.run {:host "web1" :argv ["cat"] :stdin "hello"}))`, `"hello"`},
		{"no input", `(tool/ssh.run {:host "web1" :argv ["cat"]})`, `{:exit 0, :out "", :err ""}`},
		{"status", `(tool/ssh.run {:host "web1" :command "echo no >&2; exit 3"})`, `{:exit 3, :out "", :err "no\n"}`},
		{"many", `(= (map #(str % "\n") (range 60)) (map :out (pmap #(tool/ssh.run {:host (if (even? %) "web1" "web2") :argv ["echo" (str %)]}) (range 60))))`, `true`},
		{"argv and command", `(code (tool/ssh.run {:host "web1" :argv ["a"] :command "a"}))`, `:bad-argument`},
		{"neither", `(code (tool/ssh.run {:host "web1"}))`, `:bad-argument`},
		{"NUL", `(code (tool/ssh.run {:host "web1" :argv ["a\u0000b"]}))`, `:bad-argument`},
		{"a user", `(code (tool/ssh.run {:host "root@web1" :argv ["id"]}))`, `:bad-argument`},
		{"another spelling", `(failing (tool/ssh.run {:host "Web1:22" :argv ["id"]}))`,
			`[:bad-argument false "tool/ssh.run: got the host \"Web1:22\", want \"web1\": a host goes by one name"]`},
		{"no such host", `(failing (tool/ssh.run {:host "web9" :argv ["id"]}))`,
			`[:unknown-host-key false "tool/ssh.run: web9 has no key in the known_hosts files: see that it is the right host and add its key (ssh-keyscan)"]`},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, run(t, reg, test.program)) })
	}
	open1, made1 := h.Connections("web1")
	assert.LessOrEqual(t, made1, ssh.DefaultConnectionsPerHost, "connections are kept and shared")
	assert.Positive(t, open1)
}

func TestOutputIsBounded(t *testing.T) {
	h := sshtest.Start(t, func(_ context.Context, c sshtest.Command) int {
		for range 1000 {
			if _, err := io.WriteString(c.Stdout, strings.Repeat("x", 32<<10)); err != nil {
				return 1
			}
		}
		return 0
	}, "web1")
	g := grant(h)
	g.MaxOutput = 1000
	assert.Equal(t, `[0 1000 32767000]`, run(t, open(t, g), `(let [r (tool/ssh.run {:host "web1" :argv ["x"]})] [(:exit r) (count (:out r)) (:dropped r)])`))
}

func TestHostKeys(t *testing.T) {
	h := sshtest.Start(t, shell, "web1")
	other := sshtest.Start(t, shell, "web1", "web2")
	g := grant(h)
	g.Dial = other.Dial // another host under the name of web1
	assert.Equal(t, `[:host-key-changed false "tool/ssh.run: web1 shows another key than the one that is known, which may be an attack: find out why before changing known_hosts"]`,
		run(t, open(t, g), `(failing (tool/ssh.run {:host "web1" :argv ["id"]}))`))
	assert.Equal(t, `:unknown-host-key`, run(t, open(t, g), `(code (tool/ssh.run {:host "web2" :argv ["id"]}))`))
	_, made := other.Connections("web2")
	assert.Zero(t, made, "a host without a key is not even called")

	g = grant(h)
	g.Signers = []xssh.Signer{sshtest.NewKey(t)}
	assert.Equal(t, `[:auth-failed false "tool/ssh.run: web1 takes none of the keys of tester"]`,
		run(t, open(t, g), `(failing (tool/ssh.run {:host "web1" :argv ["id"]}))`))
}

// TestAgent has the key in an agent, not in the grant.
func TestAgent(t *testing.T) {
	h := sshtest.Start(t, shell, "web1")
	path := filepath.Join(t.TempDir(), "agent")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = agent.ServeAgent(oneKey{agent.NewKeyring().(agent.ExtendedAgent), h.Key}, c)
			c.Close()
		}
	}()
	defer func() { l.Close(); <-served }()
	g := grant(h)
	g.Signers, g.Agent = nil, path
	assert.Equal(t, `"hello\n"`, run(t, open(t, g), `(:out (tool/ssh.run {:host "web1" :argv ["echo" "hello"]}))`))
}

// oneKey is an agent with one key, of which it has only the signer.
type oneKey struct {
	agent.ExtendedAgent
	key xssh.Signer
}

func (a oneKey) List() ([]*agent.Key, error) {
	return []*agent.Key{{Format: a.key.PublicKey().Type(), Blob: a.key.PublicKey().Marshal()}}, nil
}

func (a oneKey) SignWithFlags(_ xssh.PublicKey, data []byte, _ agent.SignatureFlags) (*xssh.Signature, error) {
	return a.key.Sign(nil, data)
}

func (a oneKey) Sign(_ xssh.PublicKey, data []byte) (*xssh.Signature, error) {
	return a.key.Sign(nil, data)
}

// TestTimeout has commands that do not end; one of them ignores signals.
func TestTimeout(t *testing.T) {
	var begun, ended atomic.Int64
	release := make(chan struct{})
	h := sshtest.Start(t, func(ctx context.Context, c sshtest.Command) int {
		if c.Line == "deaf" {
			<-release
			return 0
		}
		begun.Add(1)
		<-ctx.Done()
		ended.Add(1)
		return 137
	}, "web1")
	defer close(release)
	g := grant(h)
	g.Timeout = 100 * time.Millisecond
	reg := open(t, g)
	for begun.Load() == 0 { // on a busy machine, the time may be over before the command begins
		assert.Equal(t, `[:timeout true "tool/ssh.run: it took longer than 100ms"]`, run(t, reg, `(failing (tool/ssh.run {:host "web1" :argv ["sleep"]}))`))
	}
	assert.Equal(t, `:timeout`, run(t, reg, `(code (tool/ssh.run {:host "web1" :argv ["deaf"]}))`))
	assert.Eventually(t, func() bool { return ended.Load() == begun.Load() }, time.Minute, time.Millisecond, "the command was told to end")
}

// TestLostConnections has connections that are lost between calls and during one.
func TestLostConnections(t *testing.T) {
	var runs atomic.Int64
	h := sshtest.Start(t, func(_ context.Context, c sshtest.Command) int {
		runs.Add(1)
		if c.Line == "drop" {
			c.Drop()
		}
		return 0
	}, "web1")
	reg := open(t, grant(h))
	for range 10 {
		assert.Equal(t, `0`, run(t, reg, `(code (:exit (tool/ssh.run {:host "web1" :argv ["ok"]})))`))
		h.Disconnect("web1")
	}
	assert.EqualValues(t, 10, runs.Load(), "no command was run twice")
	assert.Contains(t, run(t, reg, `(failing (tool/ssh.run {:host "web1" :argv ["drop"]}))`), `[:disconnected false "tool/ssh.run: web1`)
	assert.EqualValues(t, 11, runs.Load(), "a command that may have run is not run again")
}

func TestUnreachable(t *testing.T) {
	h := sshtest.Start(t, shell, "web1", "web2")
	g := grant(h)
	g.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, fmt.Errorf("no route") }
	assert.Equal(t, `[:unreachable true "tool/ssh.run: web1 is not reached: no route"]`, run(t, open(t, g), `(failing (tool/ssh.run {:host "web1" :argv ["id"]}))`))

	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	require.NoError(t, err)
	defer silent.Close()
	g.ConnectTimeout = 100 * time.Millisecond
	g.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, silent.Addr().String())
	}
	assert.Contains(t, run(t, open(t, g), `(failing (tool/ssh.run {:host "web1" :argv ["id"]}))`), `[:unreachable true "tool/ssh.run: web1 is not reached`)
	g.ConnectTimeout, g.Timeout = time.Minute, 50*time.Millisecond
	assert.Equal(t, `:timeout`, run(t, open(t, g), `(code (tool/ssh.run {:host "web1" :argv ["id"]}))`))
}

// TestPool has more hosts than connections, and more calls than sessions.
func TestPool(t *testing.T) {
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprintf("web%d", i)
	}
	var now, peak atomic.Int64
	h := sshtest.Start(t, func(context.Context, sshtest.Command) int {
		peak.Store(max(peak.Load(), now.Add(1)))
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return 0
	}, names...)
	g := grant(h)
	g.Connections, g.ConnectionsPerHost, g.Sessions = 4, 1, 2
	reg := open(t, g)
	assert.Equal(t, `300`, run(t, reg, `(count (filter zero? (map :exit (pmap #(tool/ssh.run {:host (str "web" (mod % 30)) :argv ["x"]}) (range 300)))))`))
	total := 0
	for _, name := range names {
		n, _ := h.Connections(name)
		total += n
	}
	assert.LessOrEqual(t, peak.Load(), int64(8))
	assert.LessOrEqual(t, total, 30)
	assert.Positive(t, total)
}

func TestIdle(t *testing.T) {
	h := sshtest.Start(t, shell, "web1")
	g := grant(h)
	g.IdleTime = 20 * time.Millisecond
	assert.Equal(t, `0`, run(t, open(t, g), `(:exit (tool/ssh.run {:host "web1" :argv ["true"]}))`))
	assert.Eventually(t, func() bool { n, made := h.Connections("web1"); return n == 0 && made == 1 }, time.Minute, time.Millisecond)
}

// TestKeepAlive has a command that runs until its host was asked whether it is there. An answer that is late on a busy
// machine ends the connection.
func TestKeepAlive(t *testing.T) {
	var h *sshtest.Hosts
	h = sshtest.Start(t, func(ctx context.Context, _ sshtest.Command) int {
		for begin := h.Asked.Load(); h.Asked.Load() < begin+2 && ctx.Err() == nil; {
			time.Sleep(time.Millisecond)
		}
		return 0
	}, "web1")
	g := grant(h)
	g.KeepAlive = 5 * time.Millisecond
	reg := open(t, g)
	assert.Eventually(t, func() bool {
		return run(t, reg, `(code (:exit (tool/ssh.run {:host "web1" :argv ["true"]})))`) == "0"
	}, time.Minute, time.Millisecond)
}

func TestGrants(t *testing.T) {
	h := sshtest.Start(t, shell, "web1")
	g := grant(h)
	g.Hosts = []string{"deploy@web*.example.com", "db1.example.com:2222", "[2001:db8::1]:22"}
	reg := open(t, g)
	for host, want := range map[string]string{
		"web1.example.com": ":unknown-host-key", "web.a.example.com": ":unknown-host-key", "db1.example.com:2222": ":unknown-host-key", "[2001:db8::1]": ":unknown-host-key",
		"web1.example.com:2222": ":not-granted", "db1.example.com": ":not-granted", "xweb1.example.com": ":not-granted", "web1.example.com.evil.org": ":not-granted",
		"web1aexample.com": ":not-granted", "127.0.0.1": ":not-granted", "": ":bad-argument", "*": ":bad-argument", "web1.example.com:0": ":bad-argument",
		"2001:db8::1": ":bad-argument", "[2001:db8::1]:22": ":bad-argument", "a b": ":bad-argument",
	} {
		assert.Equal(t, want, run(t, reg, fmt.Sprintf(`(code (tool/ssh.run {:host %q :argv ["id"]}))`, host)), host)
	}
	dir := t.TempDir()
	bad := filepath.Join(dir, "key")
	require.NoError(t, os.WriteFile(bad, []byte("no key"), 0o600))
	for _, test := range []struct {
		change func(*ssh.Grant)
		want   string
	}{
		{func(g *ssh.Grant) { *g = ssh.Grant{} }, "names no host"},
		{func(g *ssh.Grant) { g.Hosts = []string{"web1:http"} }, `got the host "web1:http", want [USER@]HOST[:PORT]`},
		{func(g *ssh.Grant) { g.Hosts = []string{"@web1"} }, `got the host "@web1"`},
		{func(g *ssh.Grant) { g.Signers = nil }, "has no key"},
		{func(g *ssh.Grant) { g.KnownHosts = nil }, "has no known_hosts file"},
		{func(g *ssh.Grant) { g.KnownHosts = []string{filepath.Join(dir, "none")} }, "no such file"},
		{func(g *ssh.Grant) { g.KeyFiles = []string{bad} }, "the key " + bad},
	} {
		g := grant(h)
		test.change(&g)
		_, err := ssh.Open(g)
		assert.ErrorContains(t, err, test.want)
	}
	reg = &tool.Registry{}
	for name, how := range ssh.Names() {
		reg.Withhold(name, how)
	}
	for _, call := range []string{`(tool/ssh.run {:host "a" :argv ["b"]})`, `(tool/ssh.package {:host "a" :name "b"})`} {
		_, err := ptc.Compile(context.Background(), "test.ptc", call, ptc.Options{Tools: reg})
		var e *ptc.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, diag.NotGranted, e.Code)
		assert.Contains(t, e.Hint, "--allow-ssh HOSTS")
	}
}

// TestQuote makes a real shell take arguments apart again.
func TestQuote(t *testing.T) {
	assert.Equal(t, `ls -l /var/log`, ssh.Quote("ls", "-l", "/var/log"))
	assert.Equal(t, `echo '' 'it'\''s' 'a b' '$(x)'`, ssh.Quote("echo", "", "it's", "a b", "$(x)"))
}
