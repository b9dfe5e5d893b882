//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestConfigOfOthers refuses a ptc.yaml that others can write, that belongs to somebody else,
// or is no file.
func TestConfigOfOthers(t *testing.T) {
	program := script(t, "1", "allow:\n  time: true\n")
	name := filepath.Join(filepath.Dir(program), "ptc.yaml")
	for _, mode := range []os.FileMode{0o666, 0o646} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"run", "check"} {
			wants{2, "",
				"ptc.yaml: not read, because others can write it, its mode is 0" + map[os.FileMode]string{0o666: "666",
					0o646: "646"}[mode] + "; chmod go-w repairs that; --no-config ignores the file"}.check(t,
				ptcWith("", command, program))
		}
		wants{0, "1\n", ""}.check(t, ptcWith("", "run", program, "--no-config"))
	}
	if os.Geteuid() == 0 { // only root can give a file to somebody else
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(name, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		wants{2, "",
			"ptc.yaml: not read, because it belongs to the user with the id 12345, want this user, 0, or root"}.check(t,
			ptcWith("", "run", program))
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name, 0o644); err != nil {
		t.Fatal(err)
	}
	wants{2, "", "ptc.yaml: want a regular file"}.check(t, ptcWith("", "run", program))
}
