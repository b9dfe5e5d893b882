//go:build unix

package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/exec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// granted returns a registry with programs of this machine; the test is skipped where
// there is none of a name.
func granted(t *testing.T, g exec.Grant, names ...string) *tool.Registry {
	t.Helper()
	if g.Programs == nil {
		g.Programs = make(map[string]exec.Program)
	}
	for _, name := range names {
		p, err := exec.Find(name)
		if err != nil {
			t.Skip(err)
		}
		g.Programs[name] = p
	}
	tools, err := exec.Tools(g)
	require.NoError(t, err)
	reg, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	return reg
}

func run(t *testing.T, reg *tool.Registry, data map[string]any, program string) string {
	t.Helper()
	prog, err := ptc.Compile(context.Background(), "test.ptc", program, ptc.Options{Tools: reg})
	require.NoError(t, err)
	res, err := prog.Run(context.Background(), ptc.RunOptions{Data: data})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	return text
}

func TestRun(t *testing.T) {
	reg := granted(t, exec.Grant{}, "sh", "printf", "cat", "env", "pwd")
	dir := t.TempDir()
	for _, test := range []struct{ name, program, want string }{
		{"output", `(tool/exec.run {:program "printf" :args ["a\nb"]})`, `{:exit 0, :out "a\nb", :err ""}`},
		{"arguments as they are", `(:out (tool/exec.run {:program "printf" :args ["[%s]" "a b" "$HOME" "*" "; ls" "" "é'\""]}))`,
			`"[a b][$HOME][*][; ls][][é'\"]"`},
		{"input", `(:out (tool/exec.run {:program "cat" :stdin "hello"}))`, `"hello"`},
		{"no input", `(tool/exec.run "cat")`, `{:exit 0, :out "", :err ""}`},
		{"the environment", `(:out (tool/exec.run "env"))`,
			`"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nLANG=C.UTF-8\n"`},
		{"status", `(tool/exec.run {:program "sh" :args ["-c" "echo no >&2; exit 3"]})`, `{:exit 3, :out "", :err "no\n"}`},
		{"killed", `(:exit (tool/exec.run {:program "sh" :args ["-c" "kill -9 $$"]}))`, `137`},
		{"bytes that are no text", `(:out (tool/exec.run {:program "printf" :args ["a\\377b"]}))`, "\"a\uFFFDb\""},
		{"many", `(mapv :out (pmap #(tool/exec.run {:program "printf" :args [(str %)]}) (range 20)))`,
			`["0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14" "15" "16" "17" "18" "19"]`},
		{"not granted", `(try (tool/exec.run {:program "ls"}) (catch Exception e [(ex-message e) (:code (ex-data e))]))`,
			`["tool/exec.run: got the program \"ls\", want one that is granted: cat, env, printf, pwd, sh" :not-granted]`},
		{"a path is no name", `(try (tool/exec.run "/bin/sh") (catch Exception e (:code (ex-data e))))`, `:not-granted`},
		{"NUL", `(try (tool/exec.run {:program "printf" :args ["a" "b\u0000c"]}) (catch Exception e [(ex-message e) (:code (ex-data e))]))`,
			`["tool/exec.run: argument 1 has a NUL character, which no program can be handed" :bad-argument]`},
		{"long arguments", `(try (tool/exec.run {:program "printf" :args (repeat 20 (apply str (repeat 100000 "x")))})
			(catch Exception e (:code (ex-data e))))`, `:bad-argument`},
		{"unknown key", `(try (tool/exec.run {:program "pwd" :dir "/"}) (catch Exception e (:code (ex-data e))))`,
			`:bad-arguments`},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, run(t, reg, nil, test.program))
		})
	}
	t.Run("fixed arguments, environment and directory", func(t *testing.T) {
		real, err := filepath.EvalSymlinks(dir)
		require.NoError(t, err)
		sh, err := exec.Find("sh")
		require.NoError(t, err)
		sh.Args, sh.Env, sh.Dir = []string{"-c", `pwd; echo "$GREETING $1"`, "greet"}, []string{"GREETING=hello"}, real
		reg := granted(t, exec.Grant{Programs: map[string]exec.Program{"greet": sh}})
		assert.Equal(t, strconv.Quote(real+"\nhello you\n"),
			run(t, reg, nil, `(:out (tool/exec.run {:program "greet" :args ["you"]}))`))
	})
	t.Run("a program that does not start", func(t *testing.T) {
		path := filepath.Join(dir, "broken")
		require.NoError(t, os.WriteFile(path, []byte("#!/no/such/interpreter\n"), 0o700))
		reg := granted(t, exec.Grant{Programs: map[string]exec.Program{"broken": {Path: path}}})
		assert.Equal(t, ":start-failed", run(t, reg, nil,
			`(try (tool/exec.run "broken") (catch Exception e (:code (ex-data e))))`))
	})
}

func TestOutputIsBounded(t *testing.T) {
	reg := granted(t, exec.Grant{MaxOutput: 1000}, "sh", "cat")
	assert.Equal(t, `[1000 0 49000]`, run(t, reg, nil,
		`(let [r (tool/exec.run {:program "cat" :stdin (apply str (repeat 50000 "x"))})] [(count (:out r)) (:exit r) (:dropped r)])`))
	assert.Equal(t, `[0 1000 49000]`, run(t, reg, nil,
		`(let [r (tool/exec.run {:program "sh" :args ["-c" "cat >&2"] :stdin (apply str (repeat 50000 "x"))})] [(count (:out r)) (count (:err r)) (:dropped r)])`))
}

// TestTimeoutKillsTheGroup has a program that starts another one and waits for it.
func TestTimeoutKillsTheGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	reg := granted(t, exec.Grant{Timeout: 300 * time.Millisecond}, "sh")
	data := map[string]any{"script": "sleep 600 & echo $! > " + pidFile + "; wait"}
	var text []byte
	for len(text) == 0 { // on a busy machine, the program may be killed before it has started the other one
		assert.Equal(t, `[:timeout true]`, run(t, reg, data,
			`(try (tool/exec.run {:program "sh" :args ["-c" data/script]}) (catch Exception e [(:code (ex-data e)) (:retryable? (ex-data e))]))`))
		text, _ = os.ReadFile(pidFile)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	assert.Eventually(t, func() bool { return gone(pid) }, time.Minute, time.Millisecond, "process %d is still there",
		pid)
}

// TestCancelledRun ends a run while its program ignores the request to end.
func TestCancelledRun(t *testing.T) {
	reg := granted(t, exec.Grant{}, "sh")
	started := filepath.Join(t.TempDir(), "started")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(started); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	prog, err := ptc.Compile(context.Background(), "test.ptc",
		`(tool/exec.run {:program "sh" :args ["-c" data/script]})`, ptc.Options{Tools: reg})
	require.NoError(t, err)
	_, err = prog.Run(ctx, ptc.RunOptions{Data: map[string]any{"script": "trap '' TERM INT; : > " + started + "; " +
		"while :; do sleep 1; done"}})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.Cancelled, e.Code)
}

func TestGrants(t *testing.T) {
	tools, err := exec.Tools(exec.Grant{})
	assert.NoError(t, err)
	assert.Empty(t, tools, "the zero value grants nothing")

	_, err = exec.Tools(exec.Grant{Programs: map[string]exec.Program{
		"a": {Path: "bin/a"}, "b": {Path: filepath.Join(t.TempDir(),
			"none")}, "c": {Path: t.TempDir()}, "": {Path: "/bin/sh"},
	}})
	require.Error(t, err)
	for _, want := range []string{`program a: got the path "bin/a", want an absolute one`, "program b: ", "program c: ",
		"has no name"} {
		assert.ErrorContains(t, err, want)
	}
	_, err = exec.Find("no-such-program-of-this-machine")
	assert.ErrorContains(t, err, `there is no program "no-such-program-of-this-machine"`)

	reg := &tool.Registry{}
	for name, how := range exec.Names() {
		reg.Withhold(name, how)
	}
	_, err = ptc.Compile(context.Background(), "test.ptc", `(tool/exec.run "ls")`, ptc.Options{Tools: reg})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.NotGranted, e.Code)
	assert.Contains(t, e.Hint, "--allow-exec NAME")
}

// gone reports whether a process has ended; one that nobody has waited for yet has.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
