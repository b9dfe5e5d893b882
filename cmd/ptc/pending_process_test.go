//go:build linux || darwin

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

// counted is a program with a question, and with 4 calls that need an approval. Each adds a line to the file count.
const counted = `(def who (ask {:question "Who?"}))
(def all (pmap (fn [i] (try (:exit (tool/exec.run {:program "sh" :args ["-c" (str "echo " i " >> count")]}))
                            (catch Exception e (ex-message e)))) (range 4)))
[who all]`

// TestKilledWhileAsking kills runs at random moments while they ask, and their resumptions. In the end each call that
// was approved has happened once, and no other.
func TestKilledWhileAsking(t *testing.T) {
	t.Parallel()
	seeds := 8
	if testlevel.Small() {
		seeds = 2
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{"p.ptc": counted})
		c := openIn(t, dir, nil, self(t), []string{"PATH=" + os.Getenv("PATH")}, "run", "p.ptc", "--journal", "j",
			"--allow-exec", "sh", "--approval", "exec.run")
		c.wants("answer? ")
		if r.IntN(6) > 0 {
			c.keys("ann\r")
			for range r.IntN(5) {
				c.wants("approve? ")
				c.keys([]string{"y\r", "n no\r"}[r.IntN(2)])
			}
		}
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond) // the moment is random
		c.cmd.Process.Kill()
		c.cmd.Wait()
		out := settleAtRandom(t, r, dir, c.cmd.Env)
		happened, err := os.ReadFile(filepath.Join(dir, "count"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		m := regexp.MustCompile(`^\["ann" \((.*)\)\]\n$`).FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("seed %d: got %q", seed, out)
		}
		for i, result := range regexp.MustCompile(`0|"tool/exec.run: no"`).FindAllString(m[1], -1) {
			want := 0
			if result == "0" {
				want = 1
			}
			if got := strings.Count(string(happened), fmt.Sprintln(i)); got != want {
				t.Errorf("seed %d: call %d is %s and has happened %d times", seed, i, result, got)
			}
		}
		replayed, err := runIn(t, dir, c.cmd.Env, 0, "replay", "j")
		if err != nil || replayed.out != out {
			t.Errorf("seed %d: the replay is %+v, %v, the run was %q", seed, replayed, err, out)
		}
	}
}

// row matches a row of the table of pending effects.
var row = regexp.MustCompile(`(?m)^(\S+) +(approval|question|in-doubt) `)

// settleAtRandom resumes a run until it ends, each time with some settlements, and kills some resumptions. It returns
// the output of the last.
func settleAtRandom(t *testing.T, r *rand.Rand, dir string, env []string) string {
	t.Helper()
	var flags []string
	for range 200 {
		var killAfter time.Duration
		if r.IntN(3) == 0 {
			killAfter = time.Duration(1 + r.IntN(60_000)*int(time.Microsecond))
		}
		got, err := runIn(t, dir, env, killAfter, append([]string{"resume", "j"}, flags...)...)
		if err == nil {
			return got.out
		}
		if strings.Contains(got.err, "the run has ended") { // before it was killed
			got, err = runIn(t, dir, env, 0, "replay", "j")
			if err != nil {
				t.Fatalf("got %+v", got)
			}
			return got.out
		}
		flags = nil
		if got.code == exitUsage && !strings.Contains(got.err, "nothing is settled") {
			t.Fatalf("got %+v", got)
		}
		happened, _ := os.ReadFile(filepath.Join(dir, "count"))
		for _, m := range row.FindAllStringSubmatch(got.err, -1) {
			id, kind := m[1], m[2]
			n := strings.TrimSuffix(strings.TrimPrefix(id, "0.1."), "#1")
			switch {
			case r.IntN(4) == 0:
			case kind == "question":
				flags = append(flags, "--answer", id+`="ann"`)
			case kind == "approval" && r.IntN(2) == 0:
				flags = append(flags, "--approve", id)
			case kind == "approval":
				flags = append(flags, "--refuse", id+"=no")
			case strings.Contains(string(happened), n+"\n"):
				flags = append(flags, "--settle", id+`=done:{"exit":0,"out":"","err":""}`)
			default:
				flags = append(flags, "--settle", id+"=retry")
			}
		}
	}
	t.Fatal("the run does not end")
	return ""
}

// runIn runs ptc, and kills it after a time above 0. The error is not nil if it has not succeeded.
func runIn(t *testing.T, dir string, env []string, killAfter time.Duration, args ...string) (outcome, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(killAfter, 5*time.Minute))
	defer cancel()
	cmd := exec.CommandContext(ctx, self(t), args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	cmd.WaitDelay = time.Minute // for its child processes
	err := cmd.Run()
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}, err
}

// TestHundredInDoubt kills a run while its 100 workers write, and settles all by one command.
func TestHundredInDoubt(t *testing.T) {
	t.Parallel()
	var under atomic.Int64
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		under.Add(1)
		<-release
	}))
	defer server.Close()
	dir := t.TempDir()
	at := strings.TrimPrefix(server.URL, "http://")
	writeFiles(t, dir, map[string]string{"p.ptc": fmt.Sprintf(
		`(frequencies (pmap (fn [i] (:status (tool/http.post {:url "http://%s/" :json i :timeout-ms 600000}))) (range 100)))`, at)})
	env := []string{"XDG_STATE_HOME=" + t.TempDir(), "HOME=" + dir}
	cmd := exec.Command(self(t), "run", "p.ptc", "--journal", "j", "--workers", "100", "--allow-http", at+"=POST",
		"--allow-http-private", "127.0.0.1", "--allow-call-timeout", "1h", "--timeout", "1h")
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	start := time.Now()
	for begun := 0; begun < 100; time.Sleep(time.Millisecond) { // some of them wait for a connection
		text, _ := os.ReadFile(filepath.Join(dir, "j"))
		begun = bytes.Count(text, []byte(`"begin"`))
		if time.Since(start) > 2*time.Minute {
			t.Fatalf("%d calls have begun: %s", begun, stderr.String())
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	close(release)
	before := under.Load()
	got, _ := runIn(t, dir, env, 0, "resume", "j")
	if got.code != exitWaiting || len(row.FindAllString(got.err, -1)) != 100 ||
		!strings.Contains(got.err, "ptc resume --settle http.post=OUTCOME j\n") {
		t.Fatalf("got %+v\n%s", got, stderr.String())
	}
	got, err := runIn(t, dir, env, 0, "resume", "j", "--settle", "http.post=retry")
	if err != nil || got.out != "{200 100}\n" || under.Load()-before != 100 {
		t.Errorf("got %+v, %v, and %d calls", got, err, under.Load())
	}
}
