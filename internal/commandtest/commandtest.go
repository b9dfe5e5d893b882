// Package commandtest links the commands of this module for the tests of a package.
package commandtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Commands are commands in a folder. Each is copied there when a test first asks for it.
type Commands struct {
	Dir string // it exists

	mu     sync.Mutex
	linked map[string]error
}

// Run runs the tests of a package with a folder for the commands, which it removes. It returns the exit code.
func (c *Commands) Run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ptc-commands")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	c.Dir = dir
	return m.Run()
}

// Path returns the path of a command of cmd/.
func (c *Commands) Path(t testing.TB, name string) string {
	t.Helper()
	bin := filepath.Join(c.Dir, name)
	c.mu.Lock()
	defer c.mu.Unlock()
	err, ok := c.linked[name]
	if !ok {
		// go run keeps the linked binary in the build cache, which go build does not: so a command is linked once
		// for all packages whose tests run it. Instead of running it, cp copies it.
		var out []byte
		out, err = exec.Command("go", "run", "-exec", "cp", "github.com/ptc-lang/ptc/cmd/"+name, bin).CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		if c.linked == nil {
			c.linked = make(map[string]error)
		}
		c.linked[name] = err
	}
	if err != nil {
		t.Fatalf("%s can't be linked: %v", name, err)
	}
	return bin
}
