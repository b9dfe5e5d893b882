package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain holds that no test leaves a goroutine behind, and keeps what ptc remembers for a
// user out of the folder of whoever runs the tests.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ptc-state")
	if err == nil {
		err = os.Setenv("XDG_STATE_HOME", dir)
	}
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}
