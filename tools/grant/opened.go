// This file defines the grants of tools that keep something open: programs, stores,
// databases and hosts.

package grant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/exec"
	"github.com/ptc-lang/ptc/tools/facts"
	"github.com/ptc-lang/ptc/tools/kv"
	"github.com/ptc-lang/ptc/tools/mcp"
	"github.com/ptc-lang/ptc/tools/sql"
	"github.com/ptc-lang/ptc/tools/ssh"
)

// openedKinds are the kinds of this file.
func openedKinds() []Kind {
	return []Kind{
		{Key: "exec", Value: "NAME", Doc: "grant a program of this machine, found in PATH: tool/exec.run",
			add:   (*Set).addProgram,
			names: exec.Names, tools: opened((*Set).programTools),
			reach: func(s *Set) []string { return slices.Sorted(maps.Keys(s.exec.Programs)) }},
		{Key: "facts", Value: "ACCESS", Doc: "grant reading (read) or also writing (write) facts about hosts, on the " +
			"nodes of a cluster: tool/facts.…",
			add:   (*Set).addFacts,
			names: facts.Names, tools: opened((*Set).factTools),
			reach: func(s *Set) []string { return once(s.facts != "", "facts") }},
		{Key: "kv", Value: "FILE[:ro]", Doc: "grant a store that keeps values between runs, with :ro read-only: tool/kv.…",
			add:   (*Set).addStore,
			names: kv.Names, tools: opened((*Set).storeTools),
			reach: func(s *Set) []string { return once(s.kv.File != "", s.kv.File) }},
		{Key: "mcp", Name: "mcp", Value: "NAME=SERVER", Doc: "grant the tools of an MCP server, a command or a URL, such " +
			"as files='mcp-server-filesystem data': tool/NAME.…", add: (*Set).addServer,
			names: mcp.Names, tools: func(ctx context.Context, s *Set) ([]*tool.Tool, error) { return s.serverTools(ctx) },
			reach: (*Set).serverReach},
		{Key: "sql", Value: "DSN", Doc: "grant a database as [NAME=]DSN[,write], an SQLite file or postgres://…, " +
			"read-only without ,write: tool/sql.…", add: (*Set).addDatabase,
			names: sql.Names, tools: opened((*Set).databaseTools), reach: (*Set).databaseReach},
		{Key: "ssh", Value: "HOSTS", Doc: "grant commands on hosts, patterns such as web-*,deploy@db-1, with the keys " +
			"and known_hosts of the user: tool/ssh.…", add: (*Set).addHosts,
			names: ssh.Names, tools: opened((*Set).hostTools),
			reach: func(s *Set) []string { return s.ssh.Hosts }},
	}
}

func (s *Set) addProgram(name, base string) error {
	var p exec.Program
	if !s.Describe {
		path, err := programPath(name, base)
		if err == nil {
			p, err = exec.Find(path)
		}
		if err != nil {
			return err
		}
		s.found = append(s.found, exec.Places(path, p)...)
	}
	if s.exec.Programs == nil {
		s.exec.Programs = make(map[string]exec.Program)
	}
	s.exec.Programs[filepath.Base(name)] = p
	return nil
}

// programPath returns the path of a program for its lookup: a bare name, which PATH finds, unchanged, and a
// path relative to base made absolute.
func programPath(name, base string) (string, error) {
	if base == "" || !strings.ContainsRune(filepath.ToSlash(name), '/') {
		return name, nil
	}
	return filepath.Abs(within(base, name))
}

func (s *Set) programTools() ([]*tool.Tool, error) {
	g := s.exec
	g.Timeout = s.callTimeout
	if s.Describe {
		return exec.Stubs(g), nil
	}
	return exec.Tools(g)
}

func (s *Set) addFacts(text, _ string) error {
	switch g := facts.Grant(text); g {
	case facts.Read, facts.Write:
		s.facts = max(s.facts, g) // write includes read
		return nil
	}
	return errors.New("want read or write")
}

func (s *Set) factTools() ([]*tool.Tool, error) {
	switch {
	case s.facts == "":
		return nil, nil
	case s.Describe:
		return facts.Stubs(s.facts), nil
	case s.FactSource == nil:
		return nil, errors.New("facts are kept by the nodes of a cluster: run the program there with ptc remote run, or " +
			"leave out the grant of facts")
	}
	return facts.Tools(s.FactSource, s.facts), nil
}

func (s *Set) addStore(text, base string) error {
	if s.kv.File != "" {
		return errors.New("only one store can be granted")
	}
	file, readOnly := strings.CutSuffix(text, ":ro")
	if file == "" {
		return errors.New("want FILE or FILE:ro")
	}
	s.kv = kv.Grant{File: within(base, file), ReadOnly: readOnly}
	return nil
}

func (s *Set) storeTools() ([]*tool.Tool, error) {
	if s.kv.File == "" {
		return nil, nil
	}
	if s.Describe {
		return kv.Stubs(s.kv), nil
	}
	store, err := kv.Open(s.kv)
	if err != nil {
		return nil, err
	}
	s.keep(store)
	return store.Tools(), nil
}

func (s *Set) addDatabase(text, base string) error {
	name, db, err := sql.ParseDatabase(text)
	if err != nil {
		return err
	}
	if _, taken := s.sql.Databases[name]; taken {
		return fmt.Errorf("the name %s is taken by another database: use NAME=DSN with another name", name)
	}
	if s.sql.Databases == nil {
		s.sql.Databases = make(map[string]sql.Database)
	}
	s.sql.Databases[name] = db.In(base)
	return nil
}

func (s *Set) databaseTools() ([]*tool.Tool, error) {
	if len(s.sql.Databases) == 0 {
		return nil, nil
	}
	g := s.sql
	g.Timeout = s.callTimeout
	if s.Describe {
		return sql.Stubs(g), nil
	}
	databases, err := sql.Open(g)
	if err != nil {
		return nil, err
	}
	s.keep(databases)
	return databases.Tools(), nil
}

func (s *Set) addHosts(text, _ string) error {
	g, err := ssh.ForUser(text)
	if err != nil {
		return err
	}
	g.Hosts = append(s.ssh.Hosts, g.Hosts...)
	s.ssh = g
	return nil
}

func (s *Set) hostTools() ([]*tool.Tool, error) {
	if len(s.ssh.Hosts) == 0 {
		return nil, nil
	}
	g := s.ssh
	g.Timeout = s.callTimeout
	g.Connections, g.ConnectionsPerHost, g.IdleTime, g.ConnectRetries = s.SSH.Max, s.SSH.PerHost, s.SSH.Idle, s.SSH.Retries
	if s.Describe {
		return ssh.Stubs(g)
	}
	hosts, err := ssh.Open(g)
	if err != nil {
		return nil, err
	}
	s.keep(hosts)
	s.hosts = hosts
	return hosts.Tools(), nil
}

// Connections returns the number of connections to hosts.
func (s *Set) Connections() int {
	if s.hosts == nil {
		return 0
	}
	return s.hosts.Connections()
}

// within returns a path that is relative to base, or to the working directory if that is "".
func within(base, path string) string {
	if base == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// keep registers c for Close.
func (s *Set) keep(c io.Closer) { s.open = append(s.open, c) }

// Close closes the stores, databases and connections that Registry has opened.
func (s *Set) Close() error {
	var errs []error
	for _, c := range s.open {
		errs = append(errs, c.Close())
	}
	s.open = nil
	return errors.Join(errs...)
}
