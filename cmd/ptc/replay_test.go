package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplayKnowsTheTools replays runs that show their tools in their prints and errors: the journal has
// everything that a program can learn about them.
func TestReplayKnowsTheTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	for _, source := range []string{
		`(prn (tools))`,
		`(doc tool/time.format)`,
		`(find-doc "window")`,
		`(tool/fs.read {:path "none" :x 1})`,
		`(tool/csv.read {:path 1})`,
		`(eval '(tool/kv.get "a"))`,
		`(eval '(tool/nosuch))`,
		`(println (try (tool/http.get {:url "http://a.test/" :headers {:authorization 12345}}) (catch Exception e (ex-message e))))`,
	} {
		os.Remove(path)
		first := ptcWith("", "run", "--allow-fs", ".", "--allow-time", "--allow-http", "a.test", "--journal", path, "-e", source)
		if again := ptcWith("", "replay", path); again != first {
			t.Errorf("%s: the replay gave\n%+v\nand the run\n%+v", source, again, first)
		}
	}
}

// TestReplayHasTheInput replays a run that has read standard input, which is then something else.
func TestReplayHasTheInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	first := ptcWith("a\nb\n", "run", "--journal", path, "-e", "(println (read-line)) (slurp *in*)")
	if want := (outcome{0, "a\n\"b\\n\"\n", ""}); first != want {
		t.Errorf("the run gave\n%+v, want\n%+v", first, want)
	}
	if again := ptcWith("c", "replay", path); again != first {
		t.Errorf("the replay gave\n%+v\nand the run\n%+v", again, first)
	}
}

// TestSlurpIsATool reads and writes files with the grant, and replays that without the files.
func TestSlurpIsATool(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "journal")
	file := filepath.Join(dir, "a.txt")
	source := `(spit "` + file + `" "one\n") (spit "` + file + `" "two" :append true) ` +
		`[(slurp "` + file + `") (with-open [r (clojure.java.io/reader "` + file + `")] (vec (line-seq r))) ` +
		`(.exists (java.io.File. "` + file + `"))]`
	first := ptcWith("", "run", "--allow-fs", dir, "--journal", path, "-e", source)
	if want := (outcome{0, "[\"one\\ntwo\" [\"one\" \"two\"] true]\n", ""}); first != want {
		t.Errorf("the run gave\n%+v, want\n%+v", first, want)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if again := ptcWith("", "replay", path); again != first {
		t.Errorf("the replay gave\n%+v\nand the run\n%+v", again, first)
	}
	wants{5, "", "--allow-fs"}.check(t, ptcWith("", "run", "-e", `(slurp "a.txt")`))
}
