package main

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// testDir is a folder for the files that tests share. TestMain makes and removes it.
var testDir string

// TestMain checks that no test leaves a goroutine running, and keeps the state of ptc out of the user's own
// folder.
func TestMain(m *testing.M) {
	var err error
	if testDir, err = os.MkdirTemp("", "ptc-test"); err == nil {
		err = os.Setenv("XDG_STATE_HOME", filepath.Join(testDir, "state"))
	}
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(testDir)
		os.Exit(code)
	}))
}
