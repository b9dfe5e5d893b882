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
