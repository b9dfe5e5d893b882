// Package testlevel has the two levels of the tests. go test ./... runs the tests that a contributor waits
// for. It leaves out system tests, which start clusters or browsers, or take seconds of processor time.
// System tests run with PTC_TESTS=all in the environment, as .ci/run does, and with the flag -thorough of
// their package. Tests of samples take a larger one then.
package testlevel

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Variable is the environment variable that has all tests run, with the value "all".
const Variable = "PTC_TESTS"

// All reports whether all tests run, so that those of System do.
func All() bool {
	if f := flag.Lookup("thorough"); f != nil && f.Value.String() == "true" {
		return true
	}
	return os.Getenv(Variable) == "all"
}

// Size returns the size of a sample: plain when Small, all otherwise.
func Size(plain, all int) int {
	if Small() {
		return plain
	}
	return all
}

// Takes reports whether the sample of a test takes its i-th case: one of n when Small, all of them otherwise.
func Takes(i, n int) bool { return !Small() || i%n == 0 }

// Small reports whether a test takes its small sample: with -short, which is for the race detector, and when only
// the tests run that a contributor waits for. It is called when the flags are parsed.
func Small() bool { return testing.Short() || !All() }

// Waiting makes n tests of a package run concurrently unless -parallel is set: tests that call Parallel
// mostly wait. TestMain calls it; it parses the flags.
func Waiting(n int) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(n))
	}
}

// System skips a system test unless all tests run. The message says how to run it.
func System(t testing.TB) {
	t.Helper()
	if got := os.Getenv(Variable); got != "" && got != "all" {
		t.Fatalf("%s: got %q, want all, or nothing", Variable, got)
	}
	if !All() {
		t.Skipf("a system test: %s=all go test ./%s", Variable, folder())
	}
}

// folder returns the folder of the package that is tested, relative to the module.
func folder() string {
	start, err := os.Getwd()
	if err != nil {
		return "..."
	}
	for root := start; root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			if rel, err := filepath.Rel(root, start); err == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return "..."
}
