//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/store"
)

// remoteWith runs ptc remote in this process, on a service.
func remoteWith(t *testing.T, s *ptcdtest.Service, words ...string) outcome {
	t.Helper()
	t.Setenv("PTC_SERVER", s.URL)
	t.Setenv("PTC_TOKEN_FILE", filepath.Join(s.Dir, ptcdtest.TokenFile))
	return ptcWith("", append([]string{"remote"}, words...)...)
}

// firstWord returns the first word of a text.
func firstWord(out string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(out), " ")
	return word
}

// gated returns a program that prints, waits until a file is there, and prints again; and the file.
func gated(t *testing.T) (source, gate string) {
	gate = filepath.Join(t.TempDir(), "gate")
	return fmt.Sprintf(`(dotimes [i 600] (println "before" i)) (println "waits")
(loop [] (when-not (tool/fs.stat %q) (Thread/sleep 20) (recur)))
(dotimes [i 600] (println "after" i)) :done`, gate), gate
}

// TestRemoteRestart kills the service while ptc remote run follows: each print is written once, and the value.
func TestRemoteRestart(t *testing.T) {
	source, gate := gated(t)
	s := startService(t, "--timeout", "5m", "--allow-fs", filepath.Dir(gate)+":ro")
	proxy := ptcdtest.NewProxy(t)
	proxy.To(s.URL)
	cmd := realCommand(t, s, "remote", "run", "-e", source, "--server", proxy.URL, "--patience", "10m")
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	require.NoError(t, cmd.Start())
	var out strings.Builder
	lines := bufio.NewReader(pipe)
	for line := ""; line != "waits\n"; out.WriteString(line) {
		line, err = lines.ReadString('\n')
		require.NoError(t, err, errs.String())
	}
	s.Kill()
	proxy.To("")
	s.Restart()
	proxy.To(s.URL)
	proxy.To(s.URL) // cuts a connection that was made in the meantime
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), errs.String())
	var want strings.Builder
	for _, part := range []struct{ word, end string }{{"before", "waits\n"}, {"after", ":done\n"}} {
		for i := range 600 {
			fmt.Fprintln(&want, part.word, i)
		}
		want.WriteString(part.end)
	}
	assert.Equal(t, want.String(), out.String()+string(rest))
	assert.Empty(t, errs.String())
	assert.Greater(t, proxy.Passed(), 1)
}

// TestRemoteWaits settles the pending effects of runs in each way.
func TestRemoteWaits(t *testing.T) {
	s := startService(t, "--allow-exec", "echo", "--approval", "exec.run")
	const program = `(println "asks") [(try (:out (tool/exec.run {:program "echo" :args ["x"]})) (catch Exception e (ex-message e)))
 (ask {:question "Which?" :options ["a" "b"]})]`
	begin := func() string {
		t.Helper()
		got := remoteWith(t, s, "run", "-e", program)
		wants{exitWaiting, "asks\n", "approval   tool/exec.run {\"args\":[\"x\"],\"program\":\"echo\"}"}.check(t, got)
		_, command, ok := strings.Cut(got.err, "ptc: the run can be continued: ptc remote settle ")
		require.True(t, ok, got.err)
		require.True(t, strings.HasSuffix(command, " --approve '0#2' --follow\n"), command)
		return firstWord(command)
	}
	id := begin()
	wants{0, "RUN ", ""}.check(t, remoteWith(t, s, "pending"))
	wants{0, id + "  0#2  approval", ""}.check(t, remoteWith(t, s, "pending"))
	wants{0, `"kind":"approval"`, ""}.check(t, remoteWith(t, s, "pending", "--json"))
	wants{0, "state      waiting", ""}.check(t, remoteWith(t, s, "show", id))
	wants{2, "", "run " + id + " is waiting: nothing is settled"}.check(t, remoteWith(t, s, "approve", id, "0#9"))
	wants{2, "", "want ID=JSON"}.check(t, remoteWith(t, s, "answer", id, "0#2"))
	wants{6, "", "error[parked]"}.check(t, remoteWith(t, s, "result", id))
	got := remoteWith(t, s, "approve", id, "all", "--follow")
	wants{6, "asks\n", "--answer '0#3=VALUE' --follow"}.check(t, got)
	wants{2, "", "want one of"}.check(t, remoteWith(t, s, "answer", id, `0#3="c"`))
	wants{0, "asks\n[\"x\\n\" \"a\"]\n", ""}.check(t, remoteWith(t, s, "answer", id, `0#3="a"`, "--follow"))
	wants{2, "", "the run waits for nothing"}.check(t, remoteWith(t, s, "answer", id, `0#3="a"`))

	id = begin()
	wants{0, id + " ", ""}.check(t, remoteWith(t, s, "refuse", id, "exec.run", "--reason", "not now"))
	wants{6, "asks\n", "question"}.check(t, remoteWith(t, s, "follow", id, "--output", "none"))
	wants{0, "[\"tool/exec.run: not now\" \"b\"]\n", ""}.check(t, remoteWith(t, s, "settle", id, "--answer", `0#3="b"`, "--follow"))

	id = begin()
	wants{0, id + " cancelled\n", ""}.check(t, remoteWith(t, s, "cancel", id))
	wants{130, "", "error[cancelled]"}.check(t, remoteWith(t, s, "result", id))
	wants{69, "", "can't change any more"}.check(t, remoteWith(t, s, "cancel", id))
	wants{69, "", "can't change any more"}.check(t, remoteWith(t, s, "resume", id))
}

// TestRemoteReads lists a run, and reads its journal: the drawing and the replay are those of a local run.
func TestRemoteReads(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	s := startService(t, "--allow-fs", dir, "--approval", "write")
	put := remoteWith(t, s, "run", "-e", `(+ 1 2)`, "--label", "team=a", "--detach", "--idempotency-key", "k")
	id := firstWord(put.out)
	wants{0, id, ""}.check(t, put)
	wants{0, "3\n", ""}.check(t, remoteWith(t, s, "run", "-e", `(+ 1 2)`, "--label", "team=a", "--idempotency-key", "k"))
	wants{69, "", "was used for another submission"}.check(t, remoteWith(t, s, "run", "-e", `4`, "--idempotency-key", "k"))
	wants{0, "3\n", ""}.check(t, remoteWith(t, s, "follow", id))
	wants{0, "3\n", "time "}.check(t, remoteWith(t, s, "result", id, "--output", "json", "--stats"))
	wants{0, id, ""}.check(t, remoteWith(t, s, "list", "--label", "team=a", "--state", "failed,succeeded", "--since", "1h"))
	wants{0, `{"id":"` + id, ""}.check(t, remoteWith(t, s, "list", "--json"))
	if got := remoteWith(t, s, "list", "--state", "failed"); strings.Contains(got.out, id) {
		t.Errorf("got %s", got.out)
	}
	wants{69, "", "got the state"}.check(t, remoteWith(t, s, "list", "--state", "done"))
	wants{0, "labels     team=a", ""}.check(t, remoteWith(t, s, "show", id))
	wants{69, "", "there is no run"}.check(t, remoteWith(t, s, "show", strings.Repeat("0", 26)))
	wants{2, "", "want the id of a run"}.check(t, remoteWith(t, s, "show", "a.ptc"))

	source := `(println "hi") (tool/fs.write {:path "` + dir + `/a" :text "x"}) [(:size (tool/fs.stat "` + dir + `/a")) (rand-int 1000000)]`
	first := remoteWith(t, s, "run", "-e", source)
	wants{6, "hi\n", "approval"}.check(t, first)
	_, rest, _ := strings.Cut(first.err, "remote settle ")
	id = firstWord(rest)
	ended := remoteWith(t, s, "approve", id, "all", "--follow")
	wants{0, "hi\n[1 ", ""}.check(t, ended)
	assert.Equal(t, ended, remoteWith(t, s, "replay", id))

	file := filepath.Join(t.TempDir(), "a.journal")
	wants{0, "", ""}.check(t, remoteWith(t, s, "journal", id, "-o", file))
	local := ptcWith("", "trace", file)
	assert.Equal(t, local.out, remoteWith(t, s, "trace", id).out)
	chrome := remoteWith(t, s, "trace", id, "--format", "chrome")
	wants{0, `"fs.write`, ""}.check(t, chrome)
	file = filepath.Join(t.TempDir(), "none", "a.journal")
	wants{2, "", "no such file"}.check(t, remoteWith(t, s, "journal", id, "-o", file))
}

// TestRemoteInterrupt interrupts commands: ptc remote run cancels its run, and ptc remote follow leaves it.
func TestRemoteInterrupt(t *testing.T) {
	source, gate := gated(t)
	s := startService(t, "--timeout", "5m", "--allow-fs", filepath.Dir(gate)+":ro")
	interrupted := func(words ...string) outcome {
		t.Helper()
		cmd := realCommand(t, s, append([]string{"remote"}, words...)...)
		pipe, err := cmd.StdoutPipe()
		require.NoError(t, err)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		require.NoError(t, cmd.Start())
		lines := bufio.NewReader(pipe)
		for line := ""; line != "waits\n"; {
			line, err = lines.ReadString('\n')
			require.NoError(t, err, errs.String())
		}
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		rest, err := io.ReadAll(lines)
		require.NoError(t, err)
		cmd.Wait()
		return outcome{cmd.ProcessState.ExitCode(), string(rest), errs.String()}
	}
	wants{exitInterrupted, "", "error[cancelled]"}.check(t, interrupted("run", "-e", source))
	id := firstWord(remoteWith(t, s, "run", "-e", source, "--detach").out)
	wants{exitInterrupted, "", "ptc: the run may continue: ptc remote follow " + id}.check(t, interrupted("follow", id))
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	wants{0, "after 599\n:done\n", ""}.check(t, remoteWith(t, s, "follow", id))
	run, err := s.Page(t.Context(), store.Query{States: []store.State{store.Cancelled}})
	require.NoError(t, err)
	assert.Len(t, run.Runs, 1)
}

// TestRemoteMistakes requires each mistake about the service to have a message that names the next step.
func TestRemoteMistakes(t *testing.T) {
	s := startService(t)
	wrong := write(t, "token", s.Token[:len(s.Token)-5]+"aaaaa\n")
	two := write(t, "two", "a\nb\n")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved/v1/runs":
			http.Redirect(w, r, "https://example.com/v1/runs", http.StatusFound)
		case "/slow/v1/runs":
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			fmt.Fprintln(w, "<html>")
		}
	}))
	t.Cleanup(other.Close)
	proxy := ptcdtest.NewProxy(t) // refuses
	t.Setenv("PTC_SERVER", "")
	t.Setenv("PTC_TOKEN_FILE", "")
	good := filepath.Join(s.Dir, ptcdtest.TokenFile)
	for name, c := range map[string]struct {
		words []string
		code  int
		err   string
	}{
		"no service":    {[]string{"list"}, 2, "no service is named: use --server URL, or set PTC_SERVER"},
		"no scheme":     {[]string{"list", "--server", "localhost:8080"}, 2, "want one such as https://ptc.example.com"},
		"no token":      {[]string{"list", "--server", s.URL}, 69, "use --token-file FILE, or set PTC_TOKEN_FILE"},
		"wrong token":   {[]string{"list", "--server", s.URL, "--token-file", wrong}, 69, "token"},
		"token file":    {[]string{"list", "--server", s.URL, "--token-file", "none"}, 2, "the token can't be read: open none: no such file"},
		"two tokens":    {[]string{"list", "--server", s.URL, "--token-file", two}, 2, "want one line with a token"},
		"down":          {[]string{"list", "--server", proxy.URL, "--patience", "1ms"}, 69, "the service does not answer: "},
		"no answer":     {[]string{"run", "-e", "1", "--server", proxy.URL, "--patience", "1ms"}, 69, "the run may have been submitted; ptc remote list"},
		"not a service": {[]string{"list", "--server", other.URL}, 69, "want an answer of ptcd: check the address"},
		"redirect":      {[]string{"list", "--server", other.URL + "/moved"}, 69, "redirects to https://example.com/v1/runs, which is not followed"},
		"busy":          {[]string{"list", "--server", other.URL + "/slow", "--patience", "1s"}, 69, "a proxy before the service does not reach it"},
		"wrong path":    {[]string{"list", "--server", s.URL + "/api", "--token-file", good}, 69, "got 404 Not Found from"},
		"no part":       {nil, 2, "usage: ptc remote COMMAND"},
		"unknown part":  {[]string{"lst"}, 2, "remote has no command \"lst\"\ndid you mean ptc remote list?"},
		"no run":        {[]string{"follow", "--server", s.URL}, 2, "takes the id of one run"},
		"empty key":     {[]string{"run", "-e", "1", "--idempotency-key", "", "--server", s.URL}, 2, "--idempotency-key is empty"},
		"both":          {[]string{"run", "--program", "a", "-e", "1", "--server", s.URL}, 2, "takes --program or a program, got both"},
		"certificate":   {[]string{"list", "--server", s.URL, "--cert", "a"}, 2, "want a certificate and its key"},
		"authorities":   {[]string{"list", "--server", s.URL, "--ca-file", two}, 2, "want certificates as PEM, got none"},
	} {
		t.Run(name, func(t *testing.T) {
			wants{c.code, "", c.err}.check(t, ptcWith("", append([]string{"remote"}, c.words...)...))
		})
	}
	wants{2, "", "remote has no command \"x\""}.check(t, ptcWith("", "help", "remote", "x"))
	wants{0, "usage: ptc remote run", ""}.check(t, ptcWith("", "help", "remote", "run"))
}
