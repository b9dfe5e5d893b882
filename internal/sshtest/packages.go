// This file defines programs that simulate a package manager, whose installed packages are files.

package sshtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// aptPrograms store a package as a file in $STATE that holds its version, and read new versions
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

// dnfPrograms do the same for another package manager.
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

// yumPrograms do the same for the predecessor of dnf.
var yumPrograms = map[string]string{
	"rpm": dnfPrograms["rpm"],
	"yum": strings.ReplaceAll(dnfPrograms["dnf"], "upgrade", "update"),
}

// Packages provides hosts with a package manager, apt, dnf or yum, in a folder for the test.
type Packages struct{ dir string }

// systemPrograms are the programs of the machine that scripts need. Others are not found, in
// particular not its own package manager.
var systemPrograms = []string{"sh", "env", "id", "sed", "head", "cat", "mkdir", "rmdir", "rm", "sleep"}

// NewPackages returns hosts with the programs of a package manager, or none if manager is "", and a
// repository that maps packages to versions.
func NewPackages(t testing.TB, manager string, repository map[string]string) *Packages {
	t.Helper()
	p := &Packages{t.TempDir()}
	programs := map[string]map[string]string{"apt": aptPrograms, "dnf": dnfPrograms,
		"yum": yumPrograms}[manager]
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

// Program adds a program to all hosts. script is its source for sh.
func (p *Packages) Program(t testing.TB, name, script string) {
	t.Helper()
	p.write(t, filepath.Join("bin", name), "#!/bin/sh\n"+script)
}

// Install adds a package to a host, as if it had been installed before. Every host needs one call,
// with any package, before its commands run.
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

// Log returns the changes of a host's package manager, one per line.
func (p *Packages) Log(host string) string {
	text, _ := os.ReadFile(filepath.Join(p.dir, "hosts", host, ".log")) // no file: nothing was changed
	return string(text)
}

// Env returns the environment of commands on a host.
func (p *Packages) Env(host string) []string {
	return []string{"PATH=" + filepath.Join(p.dir, "bin"),
		"STATE=" + filepath.Join(p.dir, "hosts", host), "REPOSITORY=" + filepath.Join(p.dir, "repository"),
		"HOST_NAME=" + host}
}
