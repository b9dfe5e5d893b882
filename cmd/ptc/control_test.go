package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// readFile returns the text of a file.
func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeFiles makes files below a folder.
func writeFiles(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// interruptedRun leaves the journal of a run that its limit of calls has ended, and that
// would write the file out/done next.
func interruptedRun(t *testing.T, flags ...string) (journal string) {
	t.Helper()
	if err := os.MkdirAll("out", 0o755); err != nil {
		t.Fatal(err)
	}
	journal = filepath.Join(t.TempDir(), "job.journal")
	wants{4, "", "error[calls-exceeded]"}.check(t, ptcWith("", append([]string{"run", "-e",
		`(tool/fs.stat "out") (tool/fs.write {:path "out/done" :text "x"})`,
		"--allow-fs", "out", "--calls", "1", "--journal", journal}, flags...)...))
	return journal
}

// resume continues with a run that interruptedRun has left.
func resume(name string, flags ...string) outcome {
	return ptcWith("", append([]string{"resume", name, "--calls", "9"}, flags...)...)
}

// otherUser has commands use the state of another user, until the function it returns is called.
func otherUser(t *testing.T) (back func()) {
	own := os.Getenv("XDG_STATE_HOME")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return func() { t.Setenv("XDG_STATE_HOME", own) }
}

// TestControlFiles has a program try to change each control file of its run, by each tool and
// on each way, real files all of them.
func TestControlFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	state := filepath.Join(dir, "state")
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("PATH", filepath.Join(dir, "early")+string(filepath.ListSeparator)+
		filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	step := "step"
	if runtime.GOOS == "windows" {
		step = "step.bat"
	}
	writeFiles(t, dir, map[string]string{"bin/" + step: "#!/bin/sh\n", "early/x": "", "policy.yaml": "{}\n",
		"real/main.ptc": "", "out/x": "", "journals/x": ""})
	if err := os.Symlink("real", "scripts"); err != nil {
		t.Fatal(err)
	}
	paths := []string{"real/main.ptc", "scripts/main.ptc", "real/ptc.yaml", "real/PTC.YAML", "scripts/ptc.yaml",
		"scripts/../real/ptc.yaml", "policy.yaml", "journals/job.journal",
		"bin/" + step, "early/step", "kv.db", "shop.db", "shop.db-wal", "shop.db-journal", "state/ptc/journal.key",
		"state/ptc/told", "state/ptc/new"}
	calls := []string{`(tool/fs.write {:path %s :text "evil"})`, `(tool/fs.append {:path %s :text "evil"})`,
		`(tool/csv.write {:path %s :rows [{:a 1}]})`,
		`(tool/csv.append {:path %s :rows [{:a 1}]})`, `(tool/jsonl.write {:path %s :rows [1]})`,
		`(tool/jsonl.append {:path %s :rows [1]})`,
		`(tool/fs.mkdir %s)`, `(tool/fs.mkdir (str %s "/below"))`, `(tool/fs.remove %s)`}
	var forms []string
	attempt := func(call string) {
		forms = append(forms, "(attempt (quote "+call+") (fn [] "+call+"))")
	}
	for _, path := range paths {
		for _, call := range calls {
			attempt(strings.ReplaceAll(call, "%s", `"`+path+`"`))
		}
	}
	for _, path := range []string{"scripts", "journals", "real", "bin", "early", "state/ptc", "state"} {
		attempt(`(tool/fs.remove "` + path + `")`)
	}
	for _, secret := range []string{"state/ptc/journal.key", "journals/job.journal", "real/ptc.yaml"} {
		attempt(`(tool/fs.read "` + secret + `")`)
	}
	for _, sql := range []string{`attach 'real/ptc.yaml' as x`, `vacuum into 'real/ptc.yaml'`,
		`select load_extension('out/x')`, `pragma journal_mode = wal`} {
		attempt(`(tool/sql.execute {:sql "` + sql + `"})`)
	}
	writeFiles(t, dir, map[string]string{"real/main.ptc": `
(defn attempt [call f]
  (let [outcome (try (f) (catch Exception e (:code (ex-data e))))]
    (when-not (#{:refused :not-granted :is-directory :not-found :not-directory :bad-statement} outcome)
      (println "not refused:" call outcome))))
` + strings.Join(forms, "\n") + "\n:tried"})
	before := readFile(t, "real/main.ptc")
	// The key is there, as is the database, before the program looks for them.
	wants{0, ":done\n", ""}.check(t, ptcWith("", "run", "-e",
		`(tool/kv.put {:key "a" :value 1}) (tool/sql.execute {:sql "create table a (b)"}) :done`,
		"--allow-kv", "kv.db", "--allow-sql", "shop.db,write", "--journal", "first.journal"))

	got := ptcWith("", "run", "scripts/main.ptc", "--allow-fs", ".", "--allow-kv", "kv.db", "--allow-sql",
		"shop.db,write", "--allow-exec", "step",
		"--policy", "policy.yaml", "--journal", "journals/job.journal")
	if got != (outcome{0, ":tried\n", ""}) {
		t.Errorf("got %+v", got)
	}
	if readFile(t, "real/main.ptc") != before || readFile(t, "policy.yaml") != "{}\n" || readFile(t,
		"bin/"+step) != "#!/bin/sh\n" {
		t.Error("a control file was changed")
	}
	for _, name := range []string{"real/ptc.yaml", "real/PTC.YAML", "early/step", "state/ptc/new"} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	wants{0, ":tried\n", ""}.check(t, ptcWith("", "replay", "journals/job.journal"))
}

// TestForgedJournal resumes journals that somebody else wrote, beside the journal of the run or in its
// place: none of the grants they ask for are given.
func TestForgedJournal(t *testing.T) {
	t.Chdir(t.TempDir())
	back := otherUser(t)
	forged := interruptedRun(t)
	back()
	before := readFile(t, forged)

	// A run copies the forged journal over its own: the name is refused, and the run continues.
	writeFiles(t, ".", map[string]string{"forged.txt": before})
	wants{4, "", "error[calls-exceeded]"}.check(t, ptcWith("", "run", "-e",
		`(try (tool/fs.write {:path "job.journal" :text (tool/fs.read "forged.txt")}) (catch Exception e :refused))
		 (tool/fs.stat "out") :own`,
		"--allow-fs", ".", "--journal", "job.journal", "--calls", "2"))
	wants{0, ":own\n", ""}.check(t, resume("job.journal"))

	// It is put there by another hand.
	for _, name := range []string{forged, "job.journal"} {
		writeFiles(t, filepath.Dir(name), map[string]string{filepath.Base(name): before})
		wants{2, "",
			"which is not yours; --journal-key FILE names another key. " +
				"Its grants are not used; pass the ones you want as flags: --allow-fs out\n"}.check(t,
			resume(name))
		wants{2, "", "as flags: --allow-fs out"}.check(t, resume(name, "--allow-fs", ".", "--allow-time"))
		if readFile(t, name) != before {
			t.Error("the journal was changed")
		}
		wants{4, "", "cannot verify who wrote this journal"}.check(t, ptcWith("", "replay", name))
		wants{0, "<html", "cannot verify who wrote this journal"}.check(t, ptcWith("", "trace", name))
	}
	if _, err := os.Stat("out/done"); err == nil {
		t.Error("the program ran")
	}
	// The operator names the grants. From then on the file does not decide.
	wants{4, "", "Only the grants of the command line are used\n"}.check(t, resume(forged, "--allow-fs", "out",
		"--steps", "2"))
	wants{2, "", "as flags: --allow-fs out"}.check(t, resume(forged))
	wants{0, "1\n", "cannot verify"}.check(t, resume(forged, "--allow-fs", "out"))
	if readFile(t, "out/done") != "x" {
		t.Error("the program did not run")
	}
}

// TestForgedScript has no ptc.yaml be read for a journal of somebody else: the file names the
// script that it would lie beside.
func TestForgedScript(t *testing.T) {
	program := script(t, `(tool/fs.stat "data") (count (tool/fs.read "data/a.csv"))`, "allow:\n  fs: [data:ro]\n")
	t.Chdir(filepath.Dir(program))
	back := otherUser(t)
	wants{4, "", "error[calls-exceeded]"}.check(t, ptcWith("", "run", "main.ptc", "--journal", "job.journal", "--calls",
		"1"))
	text := readFile(t, "job.journal")
	wants{0, "13\n", ""}.check(t, resume("job.journal"))
	back()
	writeFiles(t, ".", map[string]string{"job.journal": text})
	wants{5, "", "grant it with --allow-fs DIR:ro"}.check(t, resume("job.journal"))
	wants{0, "13\n", "cannot verify"}.check(t, resume("job.journal", "--allow-fs", "data:ro"))
}

// TestEditedJournal changes a journal of the user's own key.
func TestEditedJournal(t *testing.T) {
	t.Chdir(t.TempDir())
	name := interruptedRun(t)
	text := readFile(t, name)
	key := regexp.MustCompile(`"key":"([0-9a-f]+)"`).FindStringSubmatch(text)[1]
	for what, c := range map[string]struct{ text, want string }{
		"the grants": {strings.Replace(text, `"value":"out"`, `"value":"/"`, 1),
			"line 1: its checksum does not match the lines up to it"},
		"a checksum": {regexp.MustCompile(`"sum":"."`).ReplaceAllString(text, `"sum":"0"`) + "x\n", "its checksum"},
		"an authenticator": {regexp.MustCompile(`"mac":"....`).ReplaceAllString(text, `"mac":"0000`),
			"line 1: its authenticator does not match key " + key + ": someone without the key wrote it"},
		"a missing authenticator": {regexp.MustCompile(`,"mac":"[^"]*"`).ReplaceAllString(text, ""),
			"line 1: it has no authenticator although the file names key " + key},
	} {
		writeFiles(t, filepath.Dir(name), map[string]string{"edited": c.text})
		for _, command := range []string{"resume", "replay", "trace"} {
			got := ptcWith("", command, filepath.Join(filepath.Dir(name), "edited"))
			if got.code != 2 || !strings.Contains(got.err, c.want) {
				t.Errorf("%s, %s: got %+v, want %s", what, command, got, c.want)
			}
		}
	}
}

// TestMissingPair takes the two lines of a write out of a journal: it is not done again.
func TestMissingPair(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("out", 0o755); err != nil {
		t.Fatal(err)
	}
	wants{4, "", "error[calls-exceeded]"}.check(t, ptcWith("", "run", "-e",
		`(dotimes [i 4] (tool/fs.append {:path "out/log" :text (str i "\n")}))`,
		"--allow-fs", "out", "--calls", "3", "--journal", "job.journal"))
	var kept []string
	for line := range strings.Lines(readFile(t, "job.journal")) {
		var of struct{ ID string }
		if err := json.Unmarshal([]byte(line), &of); err != nil {
			t.Fatal(err)
		}
		if of.ID != "0#2" {
			kept = append(kept, line)
		}
	}
	writeFiles(t, ".", map[string]string{"job.journal": strings.Join(kept, "")})
	wants{2, "",
		"job.journal: journal: line 4: its checksum does not match the lines up to it: a line was changed"}.check(t, resume("job.journal"))
	if got := readFile(t, "out/log"); got != "0\n1\n2\n" {
		t.Errorf("the log has %q", got)
	}
}

// TestJournalKeys resumes with the key in another file, without a key, and with one that
// others could know.
func TestJournalKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	name := interruptedRun(t, "--journal-key", "team.key")
	text := readFile(t, name)
	wants{2, "", "--allow-fs out"}.check(t, resume(name))
	wants{2, "", "--journal-key none.key: no such file"}.check(t, resume(name, "--journal-key", "none.key"))
	if got := ptcWith("", "replay", name, "--journal-key", "team.key"); strings.Contains(got.err, "nobody") {
		t.Errorf("a replay with the key: %s", got.err)
	}
	for mode, want := range map[os.FileMode]string{0o644: "its mode is 0644; chmod 600 makes it private",
		0o620: "its mode is 0620"} {
		if runtime.GOOS == "windows" {
			break
		}
		if err := os.Chmod("team.key", mode); err != nil {
			t.Fatal(err)
		}
		wants{2, "", "--journal-key team.key: users other than its owner can use it, "}.check(t, resume(name, "--journal-key",
			"team.key"))
		wants{4, "", want}.check(t, ptcWith("", "replay", name, "--journal-key", "team.key"))
	}
	if err := os.Chmod("team.key", 0o600); err != nil {
		t.Fatal(err)
	}
	wants{0, "1\n", ""}.check(t, resume(name, "--journal-key", "team.key"))

	// The key comes along to another machine.
	back := otherUser(t)
	writeFiles(t, filepath.Dir(name), map[string]string{"job.journal": text})
	wants{2, "", "--allow-fs out"}.check(t, resume(name))
	wants{0, "1\n", ""}.check(t, resume(name, "--journal-key", "team.key"))
	back()

	writeFiles(t, ".", map[string]string{"bad.key": "secret\n"})
	if err := os.Chmod("bad.key", 0o600); err != nil {
		t.Fatal(err)
	}
	wants{2, "", "--journal-key bad.key: not a key, want 64 hexadecimal digits"}.check(t, ptcWith("", "run", "-e",
		"1", "--journal", "a.journal", "--journal-key", "bad.key"))
}

// TestNoState has no folder to keep the key in: the error names the next step, and commands without a key
// still work.
func TestNoState(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Setenv("LocalAppData", "")
	}
	program := script(t, `(count (tool/fs.read "data/a.csv"))`, "allow:\n  fs: [data:ro]\n")
	t.Chdir(filepath.Dir(program))
	for _, set := range []func(){
		func() { t.Setenv("XDG_STATE_HOME", ""); t.Setenv("HOME", "") },
		func() { t.Setenv("XDG_STATE_HOME", filepath.Join(filepath.Dir(program), "main.ptc")) }, // where nothing can be made
	} {
		set()
		wants{2, "", "use --journal-key FILE"}.check(t, ptcWith("", "run", "-e", "1", "--journal", "a.journal"))
		if _, err := os.Stat("a.journal"); err == nil {
			t.Error("there is a journal")
		}
		wants{0, "1\n", ""}.check(t, ptcWith("", "run", "-e", "1"))
		for range 2 { // it can't be remembered
			wants{0, "13\n", "ptc.yaml grants --allow-fs data:ro"}.check(t, ptcWith("", "run", "main.ptc"))
		}
	}
	wants{0, "1\n", ""}.check(t, ptcWith("", "run", "-e", "1", "--journal", "a.journal", "--journal-key", "a.key"))
	wants{0, "1\n", ""}.check(t, ptcWith("", "replay", "a.journal", "--journal-key", "a.key"))
	wants{0, "1\n", "cannot verify who wrote this journal"}.check(t, ptcWith("", "replay", "a.journal"))
}

// TestConfigIsSecret checks that a program can read neither the file of its grants nor its journal: both
// may have credentials that it uses without knowing them.
func TestConfigIsSecret(t *testing.T) {
	program := script(t, `(map #(try (tool/fs.read %) (catch Exception e (:code (ex-data e)))) ["ptc.yaml" "j.journal"])`,
		"allow:\n  fs: [\".:ro\"]\n  http: [{host: a.test, headers: {Authorization: s3cret}}]\n")
	t.Chdir(filepath.Dir(program))
	wants{0, "(:refused :refused)\n", "grants --allow-fs .:ro"}.check(t,
		ptcWith("", "run", "main.ptc", "--journal", "j.journal"))
}

// TestResumeWithoutConfig resumes a run that left out ptc.yaml: the file is left out again.
func TestResumeWithoutConfig(t *testing.T) {
	program := script(t, `(Thread/sleep 0) (Thread/sleep 0) (tool/fs.read "data/a.csv")`, "allow:\n  env: [HOME]\n")
	t.Chdir(filepath.Dir(program))
	program = filepath.Base(program)
	stopped := func(journal string) {
		wants{4, "", "steps-exceeded"}.check(t, ptcWith("", "run", program, "--no-config",
			"--allow-fs", ".:ro", "--steps", "5", "--journal", journal))
	}
	stopped("a.journal")
	if got := ptcWith("", "resume", "a.journal", "--steps", "100000"); got.code != 0 || got.err != "" {
		t.Errorf("got %+v", got)
	}
	writeFiles(t, ".", map[string]string{"ptc.yaml": "allow: [mistake]\n"})
	stopped("b.journal")
	wants{0, `"id,n\n1,2\n3,4\n"` + "\n", ""}.check(t, ptcWith("", "resume", "b.journal", "--steps", "100000"))
}

// TestConfigIsTold checks that the grants of ptc.yaml are shown once for each content and place, without
// passwords.
func TestConfigIsTold(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("PTC_TEST_TOKEN", "hunter2")
	grants := "allow:\n  fs: [data:ro]\n  time: true\n  http:\n    - host: a.test=GET\n" +
		"      headers: {Authorization: \"Bearer ${PTC_TEST_TOKEN}\"}\n" +
		"  sql: [\"shop=postgres://u:hunter2@db/shop?password=hunter2,write\"]\n"
	program := script(t, "1", grants)
	want := "ptc.yaml grants --allow-fs data:ro, --allow-http a.test=GET with the headers Authorization, " +
		"--allow-sql shop=postgres://…@db/shop?…,write, --allow-time " +
		"(shown once per content; --no-config ignores the file)\n"
	for range 2 {
		wants{0, "1\n", ""}.check(t, ptcWith("", "run", program, "--no-config"))
	}
	wants{0, "1\n", want}.check(t, ptcWith("", "run", program))
	wants{0, "1\n", ""}.check(t, ptcWith("", "run", program))
	if got := ptcWith("", "run", script(t, "1", grants)); !strings.Contains(got.err, want) ||
		strings.Contains(got.err, "hunter2") {
		t.Errorf("in another folder: %s", got.err)
	}
	writeFiles(t, filepath.Dir(program), map[string]string{"ptc.yaml": "allow:\n  fs: [data]\n"})
	wants{0, "1\n", "grants --allow-fs data (shown"}.check(t, ptcWith("", "run", program))
	writeFiles(t, filepath.Dir(program), map[string]string{"ptc.yaml": "# nothing\n"})
	wants{0, "1\n", ""}.check(t, ptcWith("", "run", program))
	needs := script(t, `(tool/time.now)`, "allow:\n  time: true\n")
	wants{5, "", "--allow-time"}.check(t, ptcWith("", "run", needs, "--no-config"))
	wants{5, "", "--allow-time"}.check(t, ptcWith("", "check", needs, "--no-config"))
}
