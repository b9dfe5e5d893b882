// This file defines programs that stand for a package manager: what is installed is files.

package sshtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// aptPrograms keep a package as a file of $STATE with its version, and take new versions
// from $REPOSITORY.
var aptPrograms = map[string]string{
	"dpkg-query": `for name; do :; done
[ -f "$STATE/$name" ] || { echo "dpkg-query: no packages found matching $name" >&2; exit 1; }
echo "installed $(cat "$STATE/$name")"`,
	"apt-get": `for name; do case $name in install|remove) action=$name ;; esac; done
if ! mkdir "$STATE/.lock" 2>/dev/null; then echo "E: Could not get lock /var/lib/dpkg/lock-frontend" >&2; exit 100; fi
trap 'rmdir "$STATE/.lock"' EXIT
[ -f "$REPOSITORY/$name" ] || { echo "E: Unable to locate package $name" >&2; exit 100; }
echo "Reading package lists..."
echo "$action $name" >> "$STATE/.log"
case $action in
install) cat "$REPOSITORY/$name" > "$STATE/$name" ;;
remove) rm -f "$STATE/$name" ;;
esac`,
}

// dnfPrograms do the same as another package manager.
var dnfPrograms = map[string]string{
	"rpm": `for name; do :; done
[ -f "$STATE/$name" ] || { echo "package $name is not installed"; exit 1; }
cat "$STATE/$name"`,
	"dnf": `for name; do case $name in install|upgrade|remove) action=$name ;; esac; done
[ -f "$REPOSITORY/$name" ] || { echo "Error: Unable to find a match: $name" >&2; exit 1; }
echo "$action $name" >> "$STATE/.log"
case $action in
install|upgrade) cat "$REPOSITORY/$name" > "$STATE/$name" ;;
remove) rm -f "$STATE/$name" ;;
esac`,
}

// Packages makes hosts with a package manager, apt or dnf, in a folder for the test.
type Packages struct{ dir string }

// systemPrograms are what scripts need of the machine. Nothing else of it is found, so
// that its own package manager is not.
var systemPrograms = []string{"sh", "env", "id", "sed", "head", "cat", "mkdir", "rmdir", "rm", "sleep"}

// NewPackages makes the programs of a package manager, none if it is "", and a repository
// with packages by their version.
func NewPackages(t testing.TB, manager string, repository map[string]string) *Packages {
	t.Helper()
	p := &Packages{t.TempDir()}
	programs := map[string]map[string]string{"apt": aptPrograms, "dnf": dnfPrograms}[manager]
	p.write(t, "bin/sudo", "#!/bin/sh\nshift\nexec \"$@\"\n")
	for name, text := range programs {
		p.write(t, "bin/"+name, "#!/bin/sh\n"+text+"\n")
	}
	for _, name := range systemPrograms {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(p.dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, version := range repository {
		p.write(t, "repository/"+name, version+"\n")
	}
	return p
}

func (p *Packages) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Program adds a program to all hosts, of a script for sh.
func (p *Packages) Program(t testing.TB, name, script string) {
	t.Helper()
	p.write(t, filepath.Join("bin", name), "#!/bin/sh\n"+script)
}

// Install puts a package on a host, as if it had been there. A host needs this once, with
// any package, before its commands run.
func (p *Packages) Install(t testing.TB, host, name, version string) {
	t.Helper()
	p.write(t, filepath.Join("hosts", host, name), version+"\n")
}

// Hold keeps the package manager of a host busy.
func (p *Packages) Hold(t testing.TB, host string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(p.dir, "hosts", host, ".lock"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Log gives what the package manager of a host has changed, a line for each change.
func (p *Packages) Log(host string) string {
	text, _ := os.ReadFile(filepath.Join(p.dir, "hosts", host, ".log")) // none: nothing was changed
	return string(text)
}

// Env gives the environment of commands on a host.
func (p *Packages) Env(host string) []string {
	return []string{"PATH=" + filepath.Join(p.dir, "bin"),
		"STATE=" + filepath.Join(p.dir, "hosts", host), "REPOSITORY=" + filepath.Join(p.dir, "repository"), "HOST_NAME=" + host}
}
