// This file defines which files the tools for files leave alone.

package grant

import (
	"slices"

	"github.com/ptc-lang/ptc/tools/fs"
	"github.com/ptc-lang/ptc/tools/ssh"
)

// Protected is a file that no tool for files changes.
type Protected = fs.Protected

// Protect keeps the tools for files from changing these files, whatever directories are granted. Programs,
// databases and stores that are files, and the keys and known hosts of SSH, are always protected. Programs
// started by exec.run can still change anything.
func (s *Set) Protect(files ...Protected) {
	s.fs.Protect = append(s.fs.Protect, files...)
}

// protected returns all that the tools for files leave alone.
func (s *Set) protected() []Protected {
	all := slices.Clone(s.fs.Protect)
	add := func(what string, secret bool, paths ...string) {
		for _, path := range paths {
			all = append(all, Protected{Path: path, What: what, Secret: secret})
		}
	}
	add("a granted program, or would be found in its place", false, s.found...)
	for _, db := range s.sql.Databases {
		add("a granted database", false, db.Files()...)
	}
	if s.kv.File != "" {
		add("the granted store", false, s.kv.File)
	}
	if len(s.ssh.Hosts) > 0 {
		if knownHosts, keys, err := ssh.Places(); err == nil { // else ssh.ForUser failed too
			add("the file of hosts that are known by SSH", false, knownHosts...)
			add("a key of SSH", true, keys...)
		}
	}
	for _, one := range s.mcp.Servers {
		for _, file := range one.SecretFiles() {
			add("a secret of an MCP server", true, file)
		}
	}
	return all
}
