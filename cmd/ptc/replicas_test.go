package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// completed is how many elements had been completed when one failed, which depends on timing.
var completed = regexp.MustCompile(`[0-9]+ had been completed|"completed":[0-9]+,`)

// TestReplicas checks that a run has the same output, exit code and messages as without replicas.
func TestReplicas(t *testing.T) {
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
	}{
		{"prints and a value", "", []string{"-e", `(println "a") (def x (pmap (fn [i] (println i) (* i i)) (range 60)))
			(println "b" (rand-int 1000)) (reduce + x)`}},
		{"data", `{"hosts": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}`, []string{"--data", "-", "-e", "(pmap inc data/hosts)"}},
		{"nested", "", []string{"-e", "(pmap (fn [i] (reduce + (pmap #(* i %) (range 20)))) (range 10))"}},
		{"functions", "", []string{"-e", "(mapv #(%) (pmap (fn [i] (fn [] i)) (range 20)))"}},
		{"an error", "", []string{"-e", `(pmap (fn [i] (if (= i 7) (throw (ex-info "no" {:i i})) i)) (range 20))`}},
		{"a limit", "", []string{"--steps", "10000", "-e", "(reduce + (range 1e9))"}},
		{"it does not compile", "", []string{"-e", "(pmap"}},
		{"a tool is missing", "", []string{"-e", `(tool/http.get {:url "https://example.com/"})`}},
		{"it waits", "", []string{"-e", `(ask {:question "go?"})`}},
		{"json", "", []string{"--output", "json", "-e", "(pmap inc (range 9))"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"run", "--seed", "5"}, c.args...)
			want, got := ptcWith(c.stdin, args...), ptcWith(c.stdin, append(args, "--replicas", "3")...)
			got.err, want.err = completed.ReplaceAllString(got.err, ""), completed.ReplaceAllString(want.err, "")
			if got != want {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestReplicasEnvelope requires the value, the prints and the error of an envelope.
func TestReplicasEnvelope(t *testing.T) {
	parts := func(o outcome) string {
		var e map[string]json.RawMessage
		if err := json.Unmarshal([]byte(o.out), &e); err != nil {
			t.Fatalf("%v: %s", err, o.out)
		}
		delete(e, "usage")
		text, _ := json.Marshal(e)
		return completed.ReplaceAllString(string(text), "")
	}
	args := []string{"run", "--output", "envelope", "-e", `(println 1) (pmap #(/ 1 (- % 9)) (range 20))`}
	want, got := ptcWith("", args...), ptcWith("", append(args, "--replicas", "2")...)
	if parts(got) != parts(want) || got.code != want.code {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// TestReplicasJournal replays and draws the journal of a run of several replicas, and continues one that waits.
func TestReplicasJournal(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "run.journal")
	run := ptcWith("", "run", "--replicas", "3", "--stats", "--journal", file, "-e",
		`(println (rand-int 1000)) (reduce + (pmap (fn [i] (println i (rand-int 9)) i) (range 30)))`)
	if run.code != exitOK || !strings.Contains(run.err, "replica 3: units ") {
		t.Fatalf("got %+v", run)
	}
	if got := ptcWith("", "replay", file); got.out != run.out || got.code != exitOK {
		t.Errorf("replay: got %+v\nwant the output %s", got, run.out)
	}
	if got := ptcWith("", "trace", file); got.code != exitOK || !strings.Contains(got.out, "<html") {
		t.Errorf("trace: got %+v", got)
	}
	if got := ptcWith("", "run", "--replicas", "2", "--journal", file, "-e", "1"); got.code != exitUsage ||
		!strings.Contains(got.err, "exists; ptc resume continues") {
		t.Errorf("got %+v", got)
	}
	broken := filepath.Join(t.TempDir(), "broken.journal")
	run = ptcWith("", "run", "--replicas", "2", "--journal", broken, "-e", "(nope)")
	if got := ptcWith("", "replay", broken); got != run || got.code != exitCompile {
		t.Errorf("replay: got %+v\nwant %+v", got, run)
	}
	waits := filepath.Join(t.TempDir(), "waits.journal")
	run = ptcWith("", "run", "--replicas", "3", "--journal", waits, "-e",
		`[(reduce + (pmap inc (range 20))) (ask {:question "go?"})]`)
	if run.code != exitWaiting || !strings.Contains(run.err, "ptc resume --answer '0#1=VALUE'") {
		t.Fatalf("got %+v", run)
	}
	if got := ptcWith("", "resume", waits, "--answer", `0#1="yes"`); got.out != "[210 \"yes\"]\n" {
		t.Errorf("resume: got %+v", got)
	}
}

// TestReplicasRefused requires flags that do not go together to be refused.
func TestReplicasRefused(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--replicas and --dry-run exclude each other", []string{"--replicas", "2", "--dry-run"}},
		{"--replicas and --profile exclude each other", []string{"--replicas", "2", "--profile", "p.html"}},
		{"a whole number up to 16", []string{"--replicas", "17"}},
		{"a whole number", []string{"--replicas", "0"}},
	} {
		if got := ptcWith("", append(append([]string{"run"}, c.args...), "-e", "1")...); got.code != exitUsage ||
			!strings.Contains(got.err, c.want) {
			t.Errorf("%v: got %+v, want %q", c.args, got, c.want)
		}
	}
}
