package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

// TestHostileLimits has journals that ask for wider limits than the defaults: they get the defaults unless a
// flag sets wider ones, and invalid limits are refused.
func TestHostileLimits(t *testing.T) {
	dir := t.TempDir()
	sound := filepath.Join(dir, "sound")
	wants{1, "", "no"}.check(t, ptcWith("", "run", "--journal", sound, "--steps", "5000", "-e", `(fail "no" (limits))`))
	text, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(text), "\n")
	hostile := func(program string, l ptc.Limits) string {
		limits, _ := json.Marshal(l)
		line := regexp.MustCompile(`"limits":\{[^}]*\}`).ReplaceAllLiteralString(header, `"limits":`+string(limits))
		line = regexp.MustCompile(`"source":"(\\.|[^"\\])*"`).ReplaceAllLiteralString(line,
			fmt.Sprintf(`"source":%q`, program))
		line, _, _ = strings.Cut(regexp.MustCompile(`"key":"[^"]*",`).ReplaceAllLiteralString(line, ""), `,"sum":`)
		sum := crc32.Checksum([]byte(line), crc32.MakeTable(crc32.Castagnoli))
		path := filepath.Join(dir, "hostile")
		if err := os.WriteFile(path, fmt.Appendf(nil, "%s,\"sum\":\"%08x\"}\n", line, sum), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const most = 1<<63 - 1
	all := ptc.Limits{SourceBytes: most, Nesting: most, Timeout: most, Steps: most, Memory: most, WorkerMemory: most,
		Workers: most, Depth: most,
		Calls: most, ToolCalls: most, Arguments: most, CallResult: most, OutputBytes: most, ResultBytes: most}
	for command, steps := range map[string]string{"replay": "2000", "resume": "1000"} {
		for _, c := range []struct {
			program string
			flags   []string
			limits  ptc.Limits
			want    wants
		}{
			{`(limits)`, nil, all, wants{0, ":bytes 268", "the journal asks for --argument-bytes 9223372036854775807B, "}},
			{`(:calls (limits))`, nil, all, wants{0, "10000\n",
				"--workers 9223372036854775807; the default holds unless you give the flag"}},
			{`(:workers (limits))`, nil, all, wants{0, "8\n", ""}},
			{`(:calls (limits))`, []string{"--calls", "20000"}, all, wants{0, "20000\n", "the journal asks for"}},
			{`(:workers (limits))`, []string{"--workers", "9"}, ptc.Limits{Workers: 3}, wants{0, "9\n", ""}},
			{`(:workers (limits))`, nil, ptc.Limits{Workers: 3}, wants{0, "3\n", ""}},
			{`(loop [] (recur))`, nil, ptc.Limits{Steps: 1000}, wants{4, "", steps}},
			{`1`, nil, all, wants{0, "1\n", ""}},
			{`1`, nil, ptc.Limits{Steps: -1}, wants{2, "", "steps is -1, want a number above 0"}},
			{`1`, nil, ptc.Limits{Memory: 7}, wants{2, "", "memory is 7 bytes"}},
		} {
			if command == "replay" && strings.Contains(c.program, "limits") { // it reports the outcome of the recording
				continue
			}
			got := ptcWith("", append([]string{command, hostile(c.program, c.limits)}, c.flags...)...)
			if c.want.err == "" {
				c.want.err = "cannot verify who wrote this journal: it has no authenticator"
			}
			c.want.check(t, got)
		}
	}
}

// TestResumeOfStopped requires a run that a bound has ended, and would end again, refused before
// the journal is touched.
func TestResumeOfStopped(t *testing.T) {
	stopped := func(expr string, flags ...string) (file string) {
		file = filepath.Join(t.TempDir(), "a.journal")
		wants{4, "", "error["}.check(t, ptcWith("", append([]string{"run", "--journal", file, "-e", expr}, flags...)...))
		return file
	}
	steps := stopped("(reduce + (map inc (range 1000)))", "--steps", "500")
	before, err := os.ReadFile(steps)
	if err != nil {
		t.Fatal(err)
	}
	wants{4, "", "a.journal: the run was ended by its limit, --steps 500, and would end there again; resume it with a " +
		"higher limit"}.check(t, ptcWith("", "resume", steps))
	wants{4, "", "--steps 500"}.check(t, ptcWith("", "resume", steps, "--steps", "400", "--timeout", "1m"))
	if after, _ := os.ReadFile(steps); string(after) != string(before) {
		t.Error("the journal was changed")
	}
	wants{0, "500500\n", ""}.check(t, ptcWith("", "resume", steps, "--steps", "1_000_000"))

	calls := stopped(`(dotimes [_ 3] (tool/time.now))`, "--calls", "2", "--allow-time")
	wants{4, "", "--calls 2"}.check(t, ptcWith("", "resume", calls))
	wants{0, "", ""}.check(t, ptcWith("", "resume", calls, "--calls", "3"))

	slow := stopped("(Thread/sleep 200) :done", "--timeout", "50ms")
	wants{4, "", "the run took longer than 50ms"}.check(t, ptcWith("", "resume", slow))
	wants{0, ":done\n", ""}.check(t, ptcWith("", "resume", slow, "--timeout", "20s"))
	large := stopped("(count (vec (range 1000000)))", "--memory", "1MB")
	wants{4, "", "error[memory-exceeded]"}.check(t, ptcWith("", "resume", large))
	wants{0, "1000000\n", ""}.check(t, ptcWith("", "resume", large, "--memory", "256MB"))
}
