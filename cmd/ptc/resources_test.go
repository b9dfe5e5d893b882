// This file tests the files that the macros of a program may read.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMacroReads requires macros to read the files below the directories of --path, and no others, and a
// running program none.
func TestMacroReads(t *testing.T) {
	dir := newFiles(t, map[string]string{
		"src/my/macros.clj": `(ns my.macros (:require [clojure.java.io :as io]))
(defmacro text [name] (slurp name))
(defmacro found [name] (some-> (io/resource name) str))
(defmacro tried [name] (try (slurp name) (catch java.io.FileNotFoundException e (str "none: " (ex-message e)))))
`,
		"src/my/grammar.txt": "S = 'a'",
		"src/.env":           "TOKEN=1",
		"src/.git/config":    "url",
		"src/my/bytes.bin":   "\xff\xfe",
		"lib/data/words.txt": "one two",
		"secret.txt":         "secret",
	})
	src, lib := filepath.Join(dir, "src"), filepath.Join(dir, "lib")
	require.NoError(t, os.WriteFile(filepath.Join(src, "large.txt"), make([]byte, maxResource+1), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "secret.txt"), filepath.Join(src, "link.txt")))
	require.NoError(t, os.Symlink(".env", filepath.Join(src, "env.txt")))
	require.NoError(t, os.Symlink(".git", filepath.Join(src, "git")))
	require.NoError(t, os.Symlink("my", filepath.Join(src, "mine")))
	for _, c := range []struct {
		name, source string
		want         wants
	}{
		{"slurp", `(text "SRC/my/grammar.txt")`, wants{0, `"S = 'a'"`, ""}},
		{"a folder in the name", `(text "SRC/my/../my/grammar.txt")`, wants{0, `"S = 'a'"`, ""}},
		{"resource of the second folder", `(found "data/words.txt")`, wants{0, `"LIB/data/words.txt"`, ""}},
		{"no resource", `(found "data/none.txt")`, wants{0, "", ""}},
		{"no file", `(tried "SRC/my/none.txt")`, wants{0, "none: ", ""}},
		{"a folder", `(tried "SRC/my")`, wants{0, "none: ", ""}},
		{"a long name", `(tried "SRC/` + strings.Repeat("x", 5000) + `")`, wants{0, "none: ", ""}},
		{"beside the folders", `(tried "DIR/secret.txt")`, wants{0, "none: ", ""}},
		{"out of a folder", `(tried "SRC/../secret.txt")`, wants{0, "none: ", ""}},
		{"a link out of a folder", `(tried "SRC/link.txt")`, wants{0, "none: slurp: ", ""}},
		{"a hidden file", `(tried "SRC/.env")`, wants{0, "none: ", ""}},
		{"a hidden folder", `(tried "SRC/.git/config")`, wants{0, "none: ", ""}},
		{"a link to a hidden file", `(tried "SRC/env.txt")`, wants{0, "none: ", ""}},
		{"a link to a hidden folder", `(tried "SRC/git/config")`, wants{0, "none: ", ""}},
		{"a link to a folder", `(text "SRC/mine/grammar.txt")`, wants{0, `"S = 'a'"`, ""}},
		{"too large", `(tried "SRC/large.txt")`, wants{0, "has more than 4MB", ""}},
		{"no text", `(tried "SRC/my/bytes.bin")`, wants{0, "is not text in UTF-8", ""}},
		{"a running program", `(slurp "SRC/my/grammar.txt")`, wants{5, "", "--allow-fs"}},
		{"a macro of eval", `(eval '(my.macros/tried "SRC/my/grammar.txt"))`, wants{0, "none: ", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			place := strings.NewReplacer("SRC", filepath.ToSlash(src), "LIB", filepath.ToSlash(lib), "DIR", filepath.ToSlash(dir))
			c.want.out = place.Replace(c.want.out)
			source := place.Replace("(ns main (:require [my.macros :refer :all])) " + c.source)
			c.want.check(t, ptcWith("", "run", "--path", src, "--path", lib, "-e", source))
		})
	}
	wants{0, "", ""}.check(t, ptcWith("", "check", "--path", src, "-e",
		`(ns main (:require [my.macros :refer :all])) (println (text "`+filepath.ToSlash(src)+`/my/grammar.txt"))`))
	wants{0, "the journal has the source alone", ""}.check(t, ptcWith("", "run", "--path", src, "--journal",
		filepath.Join(dir, "a.journal"), "-e", `(ns main (:require [my.macros :refer :all])) (tried "`+filepath.ToSlash(src)+
			`/my/grammar.txt")`))
	wants{5, "", "macro m failed: slurp needs the grant"}.check(t,
		ptcWith("", "run", "-e", `(defmacro m [] (slurp "a.txt")) (m)`))
}

// TestResourcesOfRun requires clojure.java.io/resource of a running program to look below the directories
// of --path, too, under the grant of the files.
func TestResourcesOfRun(t *testing.T) {
	t.Chdir(newFiles(t, map[string]string{"src/a.clj": "(ns a)", "test/data/x.txt": "x", "resources/y.txt": "y"}))
	source := `(require '[clojure.java.io :as io]) (mapv #(some-> (io/resource %) slurp) ["data/x.txt" "y.txt" "z.txt" "a.clj"])`
	wants{0, `["x" "y" nil "(ns a)"]` + "\n", ""}.check(t,
		ptcWith("", "run", "--path", "src", "--path", "test", "--allow-fs", ".:ro", "-e", source))
	wants{0, `[nil "y" nil nil]` + "\n", ""}.check(t, ptcWith("", "run", "--allow-fs", ".:ro", "-e", source))
	wants{0, "[nil nil nil nil]\n", ""}.check(t, ptcWith("", "run", "--path", "test", "-e", source))
}

// TestResourceWork requires the reading of a file to cost steps by its size, also where only its name is wanted.
func TestResourceWork(t *testing.T) {
	t.Chdir(newFiles(t, map[string]string{"src/large.txt": strings.Repeat("x", maxResource)}))
	wants{4, "", "steps-exceeded"}.check(t, ptcWith("", "run", "--path", "src", "--steps", "200000", "-e",
		`(defmacro m [] (dotimes [_ 20] (clojure.java.io/resource "large.txt"))) (m)`))
}
