// This file defines ptc test.

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

const testAbout = `Runs the tests in files, as defined with deftest of clojure.test. For a directory, it runs
the files below it that mention clojure.test; the default is the directory test. Each file
is a program of its own, so an error in one does not hide the tests of the others.

The namespaces that a file requires are loaded from files below the directories of --path
(by default src and test) and from the files that are named.

exit codes: 0 all tests pass, 1 some fail, otherwise that of ptc run for the first
file that does not run`

// testCommand declares ptc test.
func testCommand() command {
	return command{
		name:    "test",
		summary: "run the tests in files",
		usage:   []string{"[flags] [FILE|DIR…]"},
		about:   testAbout,
		examples: []string{
			"ptc test",
			"ptc test test/orders_test.clj --path src",
			"ptc test --allow-fs resources:ro",
		},
		declare: func(v *settings) []flags.Spec {
			return append([]flags.Spec{pathFlag(v), statsFlag(v), noConfigFlag(v)}, append(logFlags(v), sessionFlags(v)...)...)
		},
		arguments: fileArguments,
		run:       runTests,
	}
}

func runTests(ctx context.Context, in *invocation, s streams) int {
	names, err := in.testFiles()
	if err != nil {
		return failInput(s, err)
	}
	code := exitOK
	for _, name := range names {
		own := *in // a run changes it
		if c := own.testFile(ctx, name, s); code == exitOK {
			code = c
		}
		if ctx.Err() != nil {
			break
		}
	}
	return code
}

// testFiles returns the files with tests, and adds to the folders of namespaces.
func (in *invocation) testFiles() (names []string, err error) {
	args := in.rest
	if len(args) == 0 {
		args = []string{"test"}
	}
	var dirs []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case err != nil && len(in.rest) == 0:
			return nil, fmt.Errorf("test takes files or directories; the default is the directory test, which does not exist")
		case err != nil:
			return nil, err
		case !info.IsDir():
			names = append(names, arg)
			continue
		}
		dirs = append(dirs, arg)
		found, err := filesWithTests(arg)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s has no file that mentions clojure.test", arg)
		}
		names = append(names, found...)
	}
	if len(in.paths) == 0 {
		dirs = append([]string{"src", "test"}, dirs...)
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !slices.Contains(in.paths, dir) {
			in.paths = append(in.paths, dir)
		}
	}
	return names, nil
}

// filesWithTests returns the files below a folder that mention clojure.test.
func filesWithTests(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !slices.Contains(sourceExtensions, filepath.Ext(name)) {
			return err
		}
		if found, err := isRegular(name); !found { // such as the lock of an editor
			return err
		}
		text, err := os.ReadFile(name)
		if err == nil && strings.Contains(string(text), "clojure.test") {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// testFile runs the tests of a file.
func (in *invocation) testFile(ctx context.Context, name string, s streams) int {
	source, err := readSource(ctx, name, s)
	if err != nil {
		return failInput(s, err)
	}
	own, _ := ptc.Namespaces(source)
	joined, err := in.withNamespaces(ctx, name, source)
	if err != nil {
		return failInput(s, err)
	}
	joined = ptc.JoinFiles(ptc.SourceFile{Name: name, Text: joined},
		ptc.SourceFile{Name: "ptc test", Text: testRunner(own)})
	f := execution{invocation: in}
	return f.runSource(ctx, name, joined, s)
}

// testRunner returns the source that runs the tests of a namespace.
func testRunner(ns string) string {
	return fmt.Sprintf(`(let [summary (clojure.test/run-tests '%s)]
  (when-not (clojure.test/successful? summary)
    (fail (str "%[1]s: " (:fail summary) " failures, " (:error summary) " errors"))))`, ns)
}
