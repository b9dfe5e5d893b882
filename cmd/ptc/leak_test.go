package main

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/internal/commandtest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// asCommand is the name under which the test program is the command: the tests start real processes of it.
const asCommand = "ptc"

// testDir is a folder for the files that tests share. TestMain makes and removes it.
var testDir string

// separate has the commands of other packages that tests run, in testDir.
var separate commandtest.Commands

// TestMain checks that no test leaves a goroutine running, and keeps the state of ptc out of the user's own
// folder.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == asCommand { // a process that a test has started, see process_test.go
		main()
	}
	var err error
	if testDir, err = os.MkdirTemp("", "ptc-test"); err == nil {
		separate.Dir = testDir
		err = os.Setenv("XDG_STATE_HOME", filepath.Join(testDir, "state"))
	}
	if err != nil {
		panic(err)
	}
	testlevel.Waiting(4)
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(testDir)
		os.Exit(code)
	}))
}
