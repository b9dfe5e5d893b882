package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

// asCommand makes the test program the command: the tests start real processes of it.
const asCommand = "PTCD_TEST_COMMAND"

// asVersion is the version that the command is then, as the linker sets it in releases.
const asVersion = "PTCD_TEST_VERSION"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		version = cmp.Or(os.Getenv(asVersion), version)
		os.Exit(dispatch(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// service is a process of ptcd, which is this test program.
type service struct {
	*ptcdtest.Service
	t *testing.T
}

// startService starts a process on a directory, and waits until it is ready.
func startService(t *testing.T, dir string, flags ...string) *service {
	t.Helper()
	return &service{ptcdtest.Start(t, []string{os.Args[0]}, []string{asCommand + "=1"}, dir, flags...), t}
}

// call makes a request, and decodes the body of its response.
func (s *service) call(method, path string, body, out any) *http.Response {
	s.t.Helper()
	resp, err := s.try(method, path, body, out)
	require.NoError(s.t, err)
	return resp
}

// try is call for requests that may fail.
func (s *service) try(method, path string, body, out any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if out != nil {
		err = json.NewDecoder(resp.Body).Decode(out)
	}
	return resp, err
}

func (s *service) submit(source string) store.Run {
	s.t.Helper()
	run, err := s.Submit(s.t.Context(), store.Submission{Source: source}, 0)
	require.NoError(s.t, err)
	return run
}

// wait waits until a run rests, and returns it.
func (s *service) wait(id string) store.Run {
	s.t.Helper()
	run, err := s.Wait(s.t.Context(), id)
	require.NoError(s.t, err)
	return run
}

// settle settles an effect of a run.
func (s *service) settle(id string, one effect.Settlement) {
	s.t.Helper()
	_, err := s.Settle(s.t.Context(), id, one)
	require.NoError(s.t, err)
}

func TestService(t *testing.T) {
	s := startService(t, t.TempDir(), "--timeout", "1m", "--max-runs", "1", "--max-queued", "1")
	run := s.wait(s.submit(`(println "hi") (+ 1 2)`).ID)
	assert.Equal(t, store.Succeeded, run.State)
	assert.Equal(t, "3", string(run.Value))
	assert.Equal(t, "hi\n", run.Prints)

	first, second := s.submit(`(Thread/sleep 60000)`), s.submit(`2`)
	var problem struct{ Code string }
	resp := s.call("POST", "/v1/runs", store.Submission{Source: "3"}, &problem)
	assert.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
	assert.Equal(t, "full", problem.Code)
	assert.Equal(t, "1", resp.Header.Get("Retry-After"))
	first, err := s.Cancel(t.Context(), first.ID)
	require.NoError(t, err)
	assert.Equal(t, store.Cancelled, first.State)
	assert.Equal(t, store.Succeeded, s.wait(second.ID).State)

	page, err := s.Page(t.Context(), store.Query{States: []store.State{store.Succeeded, store.Cancelled}, Limit: 2})
	require.NoError(t, err)
	assert.Len(t, page.Runs, 2)
	assert.NotEmpty(t, page.Next)
	assert.Equal(t, 0, s.Stop())

	s.Restart()
	assert.Equal(t, "3", string(s.wait(run.ID).Value))
	assert.Equal(t, 0, s.Stop())
}

// TestHangup requires a service whose terminal is closed to end in order.
func TestHangup(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("the test was started with nohup, and so is the service")
	}
	assert.Zero(t, startService(t, t.TempDir()).End(syscall.SIGHUP))
}

// TestHelpOfToken requires help about ptcd token by the word help too.
func TestHelpOfToken(t *testing.T) {
	for line, want := range map[string]string{"help token": "ptcd token revoke", "help token create": "usage: ptcd token create"} {
		var out, errs bytes.Buffer
		assert.Equal(t, exitOK, dispatch(strings.Fields(line), &out, &errs), line)
		assert.Contains(t, out.String()+errs.String(), want)
	}
}

// TestMistakes requires command lines and files of flags that make no sense to be refused, with all reasons.
func TestMistakes(t *testing.T) {
	config := filepath.Join(t.TempDir(), "ptcd.yaml")
	require.NoError(t, os.WriteFile(config, []byte("listn: a\ntimeout: -1s\nmemory: [1MB]\ntimeout: 1s\nallow-env: A=B\n"), 0o600))
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{nil, []string{"--dir is missing"}},
		{[]string{"--dri", "x"}, []string{"ptcd has no flag --dri", "did you mean --dir?"}},
		{[]string{"--dir", "x", "y"}, []string{`ptcd takes no arguments, got "y"`}},
		{[]string{"--dir", "x", "--listen", "8080"}, []string{`--listen is "8080", want HOST:PORT, such as 127.0.0.1:8080`}},
		{[]string{"--dir", "x", "--config", config}, []string{
			config + ":1:1: there is no key listn; did you mean listen?",
			config + ":2:10: timeout is \"-1s\", want a time above 0",
			config + ":3:9: memory: want one value, got a list",
			config + ":4:1: timeout: the key is there twice",
			config + ":5:12: allow-env is \"A=B\", want the name"}},
		{[]string{"--dir", "x", "--config", "no-such-file"}, []string{"no-such-file: no such file"}},
	} {
		var out, errs bytes.Buffer
		assert.Equal(t, exitUsage, dispatch(c.args, &out, &errs), c.args)
		for _, want := range c.wants {
			assert.Contains(t, errs.String(), want)
		}
		assert.Empty(t, out.String())
	}
}

// TestConfig requires the flags of a file, and those of the command line above them.
func TestConfig(t *testing.T) {
	config := filepath.Join(t.TempDir(), "ptcd.yaml")
	require.NoError(t, os.WriteFile(config, []byte("# the service\ndir: /srv/ptc\ntimeout: 5m\nsteps: 1_000\n"+
		"allow-env: [REGION, STAGE]\nallow-time: true\nhost: ptc.example.com\n"), 0o600))
	s, err := parse([]string{"--config", config, "--steps", "2000", "--allow-env", "HOME"})
	require.NoError(t, err)
	assert.Equal(t, "/srv/ptc", s.dir)
	assert.Equal(t, 5*time.Minute, s.limits.Timeout)
	assert.Equal(t, int64(2000), s.limits.Steps)
	assert.Equal(t, []string{"ptc.example.com"}, s.hosts)
	var grants []string
	for _, g := range s.grants.Given() {
		grants = append(grants, strings.TrimSpace(g.Key+" "+g.Value))
	}
	assert.Equal(t, []string{"env HOME", "env REGION", "env STAGE", "time true"}, grants)
}

// TestHelp checks that every flag is in the help, and that each default can be read in its written form.
func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	require.Equal(t, exitOK, dispatch([]string{"--help"}, &out, &errs))
	for _, f := range new(settings).flags() {
		assert.Contains(t, out.String(), "\n  "+f.Usage(), f.Name)
		if f.Initial != "" && f.To.String() != "" {
			require.NoError(t, f.Set(f.Initial))
			assert.Equal(t, f.Initial, f.To.String())
		}
	}
	for _, args := range [][]string{{"version"}, {"--version"}} {
		out.Reset()
		require.Equal(t, exitOK, dispatch(args, &out, &errs))
		assert.Regexp(t, `^ptcd \S+ go\S+ \S+/\S+\n$`, out.String())
	}
}

// TestMemory reads the memory of machines and control groups.
func TestMemory(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	assert.Zero(t, memoryOf(root))
	write("proc/meminfo", "MemTotal:       16384 kB\nMemFree:        2 kB\n")
	assert.Equal(t, int64(16<<20), memoryOf(root))
	write("sys/fs/cgroup/memory.max", "max\n")
	assert.Equal(t, int64(16<<20), memoryOf(root))
	write("sys/fs/cgroup/memory.max", "8388608\n")
	assert.Equal(t, int64(8<<20), memoryOf(root))
}
