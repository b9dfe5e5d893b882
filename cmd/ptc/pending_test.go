package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

const asksAndWrites = `(def a (ask {:question "Which?" :options ["red" "blue"]}))
(psettle (fn [i] (tool/fs.write {:path (str "out/" i) :text a})) (range 3))
(count (tool/fs.list "out"))`

// TestPending parks a run, and resumes it with settlements as they come.
func TestPending(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFiles(t, dir, map[string]string{"out/x": "", "p.ptc": asksAndWrites,
		"two.json":   `[{"id": "0.1.0#1", "as": "approve"}, {"id": "0.1.2#1", "as": "refuse", "reason": "late"}]`,
		"wrong.json": "{\"id\": 1}\n\n{\"id\": \"0#1\", \"as\": \"maybe\"}\n"})
	wants{exitWaiting, "", "ptc resume --answer '0#1=VALUE' p.journal\n"}.check(t,
		ptcWith("", "run", "p.ptc", "--allow-fs", "out", "--approval", "write", "--journal", "p.journal"))
	before, _ := os.ReadFile("p.journal")
	got := ptcWith("", "resume", "p.journal", "--answer", `0#1="green"`, "--approve", "9#9", "--refuse", "all=no")
	for _, part := range []string{`"9#9": no effect of this id or tool is pending that approve settles`, "all: no call", `got the answer "green"`, "Which?"} {
		wants{exitUsage, "", part}.check(t, got)
	}
	got = ptcWith("", "resume", "p.journal", "--settle-file", "wrong.json")
	for _, part := range []string{"line 1: got", `line 3: there is no verdict "maybe"`} {
		wants{exitUsage, "", part}.check(t, got)
	}
	if after, _ := os.ReadFile("p.journal"); string(after) != string(before) {
		t.Error("wrong settlements have changed the journal")
	}
	wants{exitWaiting, "", "ptc resume --approve '0.1.0#1,0.1.1#1,0.1.2#1' p.journal\n"}.check(t,
		ptcWith("", "resume", "p.journal", "--answer", `0#1="red"`))
	wants{exitWaiting, "", "ptc resume --approve '0.1.1#1' p.journal\n"}.check(t,
		ptcWith("", "resume", "p.journal", "--settle-file", "two.json"))
	wants{exitOK, "3\n", ""}.check(t, ptcWith("", "resume", "p.journal", "--approve", "all"))
	wants{exitOK, "3\n", ""}.check(t, ptcWith("", "replay", "p.journal"))
}

// TestPendingWithoutJournal: such a run can't be continued.
func TestPendingWithoutJournal(t *testing.T) {
	got := ptcWith("", "run", "-e", `(ask {:question "Which?"})`)
	wants{exitWaiting, "", "with --journal FILE"}.check(t, got)
	if strings.Contains(got.err, "can be continued") {
		t.Errorf("got %s", got.err)
	}
	wants{exitUsage, "", "there is no tool fs.wriet; did you mean fs.write?"}.check(t, ptcWith("", "run", "-e", "1", "--approval", "fs.wriet"))
}

// TestDryRun writes nothing but the plan.
func TestDryRun(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFiles(t, dir, map[string]string{"out/x": ""})
	program := `(pmap #(tool/fs.write {:path (str "out/" %) :text "a"}) (range 3)) (count (tool/fs.list "out"))`
	wants{exitOK, "1\n", "dry run: 3 calls not made\n"}.check(t,
		ptcWith("", "run", "-e", program, "--allow-fs", "out", "--dry-run", "--plan-out", "plan.json"))
	var calls []ptc.PlannedCall
	text, err := os.ReadFile("plan.json")
	if err == nil {
		err = json.Unmarshal(text, &calls)
	}
	if err != nil || len(calls) != 3 || calls[2].Tool != "fs.write" || calls[2].ID != "0.1.2#1" {
		t.Errorf("got %s, %v", text, err)
	}
	wants{exitUsage, "", "exclude each other"}.check(t, ptcWith("", "run", "-e", "1", "--dry-run", "--journal", "j"))
	wants{exitUsage, "", "needs --dry-run"}.check(t, ptcWith("", "run", "-e", "1", "--plan-out", "p"))
}
