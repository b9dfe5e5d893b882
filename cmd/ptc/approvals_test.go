package main

import (
	"strings"
	"testing"
)

// TestApprovalFiles: the calls that the flag, ptc.yaml and the file of policies name have to be approved.
func TestApprovalFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const program = `(tool/fs.write {:path "out/a" :text "a"}) (count (tool/fs.list "out"))`
	writeFiles(t, dir, map[string]string{"out/x": "", "p.ptc": program, "beside/p.ptc": program, "beside/out/x": "",
		"beside/ptc.yaml": "allow:\n  fs: [out]\napprove: [write]\n",
		"policy.yaml":     "approve: [fs.list]\n", "none.yaml": "global: {concurrency: 3}\n",
		"wrong.yaml": "global: {concurrency: 3}\napprove: [fs.lits]\n", "wrong/p.ptc": "1",
		"wrong/ptc.yaml": "approve:\n  - write\n  - fs.wriet\n"})
	waits := func(command, want string) {
		t.Helper()
		wants{exitWaiting, "", want}.check(t, ptcWith("", strings.Fields(command)...))
	}
	waits("run p.ptc --allow-fs out --policy policy.yaml --approval fs.write", "0#1  approval   tool/fs.write")
	waits("run p.ptc --allow-fs out --policy policy.yaml --journal j", "0#2  approval   tool/fs.list")
	waits("resume j", "0#2  approval   tool/fs.list")                    // the policies of the run hold again
	waits("resume j --policy none.yaml", "0#2  approval   tool/fs.list") // a waiting call keeps waiting
	wants{exitOK, "2\n", ""}.check(t, ptcWith("", "resume", "j", "--policy", "none.yaml", "--approve", "all"))
	waits("run beside/p.ptc --journal k", "0#1  approval   tool/fs.write")
	waits("run beside/p.ptc --policy policy.yaml", "0#1  approval   tool/fs.write")
	writeFiles(t, dir, map[string]string{"beside/ptc.yaml": "allow:\n  fs: [out]\n"})
	waits("resume k", "0#1  approval   tool/fs.write") // which the journal has, too

	for command, want := range map[string]string{
		"run -e 1 --policy wrong.yaml":   "approve: there is no tool fs.lits; did you mean fs.list?\n --> wrong.yaml:2:11",
		"check -e 1 --policy wrong.yaml": "wrong.yaml:2:11",
		"repl --policy wrong.yaml":       "wrong.yaml:2:11",
		"run wrong/p.ptc":                "wrong/ptc.yaml:3:5: approve: there is no tool fs.wriet; did you mean fs.write?",
		"check wrong/p.ptc":              "wrong/ptc.yaml:3:5",
		"repl --approval fs.wriet":       "there is no tool fs.wriet; did you mean fs.write?",
	} {
		got := ptcWith("", strings.Fields(command)...)
		if got.code != exitUsage || !strings.Contains(got.err, want) {
			t.Errorf("%s: got %+v, want %s", command, got, want)
		}
	}
	got := ptcWith("(tool/fs.list \"out\")\n(+ 1 2)", strings.Fields("repl --allow-fs out --policy policy.yaml")...)
	if got.code != exitWaiting || got.out != "3\n" || !strings.Contains(got.err, "evaluate it again on a terminal") {
		t.Errorf("got %+v", got)
	}
}

// TestCheckApprovals: check tells which calls can wait for an approval, and that a program asks.
func TestCheckApprovals(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"policy.yaml": "approve: [fs.list]\n"})
	check := func(words string) outcome {
		return ptcWith("", append(strings.Fields("check --effects --allow-fs out "+words), "-e",
			`(tool/fs.list "out") (pmap #(ask {:question %}) ["a"])`)...)
	}
	wants{exitOK, "-e can ask a person\n  (ask …)\n    calls: bounded by the data, in parallel\n    at 1:29\n", ""}.check(t, check(""))
	wants{exitOK, "read-only; calls: at most 1\n", ""}.check(t, check("--approval write"))
	for _, words := range []string{"--policy " + dir + "/policy.yaml", "--approval fs.list"} {
		wants{exitOK, "read-only; calls: at most 1; can wait for an approval\n", ""}.check(t, check(words))
		wants{exitOK, `"approval":true`, ""}.check(t, check("--json "+words))
	}
}
