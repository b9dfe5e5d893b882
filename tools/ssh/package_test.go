//go:build unix

package ssh_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptc-lang/ptc/internal/sshtest"
)

func TestPackage(t *testing.T) {
	for _, manager := range []string{"apt", "dnf", "yum"} {
		t.Run(manager, func(t *testing.T) {
			t.Parallel()
			packages := sshtest.NewPackages(t, manager, map[string]string{"nginx": "1.24.0-2", "curl": "8.5.0-1", "vim": "9.1-1"})
			packages.Install(t, "web1", "nginx", "1.24.0-1")
			packages.Install(t, "web1", "curl", "8.5.0-1")
			h := sshtest.Start(t, sshtest.Shell(packages.Env), "web1")
			reg := open(t, grant(h))
			for _, test := range []struct{ name, program, want string }{
				{"present already", `(tool/ssh.package {:host "web1" :name "nginx"})`, `{:changed false, :before "1.24.0-1", :version "1.24.0-1", :manager "` + manager + `"}`},
				{"latest", `(tool/ssh.package {:host "web1" :name "nginx" :state "latest"})`, `{:changed true, :before "1.24.0-1", :version "1.24.0-2", :manager "` + manager + `"}`},
				{"new", `(tool/ssh.package {:host "web1" :name "vim"})`, `{:changed true, :version "9.1-1", :manager "` + manager + `"}`},
				{"again", `(:changed (tool/ssh.package {:host "web1" :name "vim"}))`, `false`},
				{"absent", `(tool/ssh.package {:host "web1" :name "curl" :state "absent"})`, `{:changed true, :before "8.5.0-1", :manager "` + manager + `"}`},
				{"absent already", `(:changed (tool/ssh.package {:host "web1" :name "curl" :state :absent}))`, `false`},
				{"no such package", `(code (tool/ssh.package {:host "web1" :name "nothing"}))`, `:package-failed`},
				{"no state", `(code (tool/ssh.package {:host "web1" :name "vim" :state "gone"}))`, `:bad-argument`},
				{"an option", `(code (tool/ssh.package {:host "web1" :name "--purge"}))`, `:bad-argument`},
				{"a command", `(code (tool/ssh.package {:host "web1" :name "vim; reboot"}))`, `:bad-argument`},
			} {
				t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, run(t, reg, test.program)) })
			}
			action := map[string]string{"apt": "install", "dnf": "upgrade", "yum": "update"}[manager]
			assert.Equal(t, action+" nginx\ninstall vim\nremove curl\n", packages.Log("web1"), "nothing else was done")
		})
	}
}

// TestPackageOfOneHost makes calls that would use the package manager concurrently if the tool did not have
// a host to itself.
func TestPackageOfOneHost(t *testing.T) {
	packages := sshtest.NewPackages(t, "apt", map[string]string{"a": "1", "b": "1", "c": "1", "d": "1"})
	packages.Install(t, "web1", "base", "1")
	h := sshtest.Start(t, sshtest.Shell(packages.Env), "web1")
	reg := open(t, grant(h))
	assert.Equal(t, `(true true true true)`, run(t, reg, `(map :changed (pmap #(tool/ssh.package {:host "web1" :name %}) ["a" "b" "c" "d"]))`))
	packages.Hold(t, "web1")
	assert.Equal(t, `[:busy true "tool/ssh.package: web1: another process holds the package manager: E: Could not get lock /var/lib/dpkg/lock-frontend"]`,
		run(t, reg, `(failing (tool/ssh.package {:host "web1" :name "a" :state "absent"}))`))
}

func TestNoPackageManager(t *testing.T) {
	packages := sshtest.NewPackages(t, "", nil)
	h := sshtest.Start(t, sshtest.Shell(packages.Env), "web1")
	assert.Equal(t, `[:no-manager false "tool/ssh.package: web1 has none of apt, dnf and yum"]`, run(t, open(t, grant(h)), `(failing (tool/ssh.package {:host "web1" :name "a"}))`))
}
