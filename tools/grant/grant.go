// Package grant turns the grants of an operator, by flags of a command or in a file beside a script, into the
// tools that programs may call. Only named things are granted.
//
//	var s grant.Set
//	for _, k := range grant.Kinds() {
//		// k.Flag is "allow-http", k.Value "HOST[:PORT][=METHODS]" …
//	}
//	err := s.Grant("http", "api.example.com=GET", "")
//	registry, err := s.Registry(ctx)
//
// The registry knows the names of all standard tools. Tools that are not granted are withheld: a
// program that calls one does not compile, and the error names the flag that grants it.
//
// # The file
//
// [Set.ReadFile] reads ptc.yaml. The values under allow are those of the flags; a relative directory is
// relative to the file:
//
//	allow:
//	  http:
//	    - api.example.com=GET
//	    - host: hooks.example.com:8443=POST
//	      headers:
//	        Authorization: Bearer ${HOOK_TOKEN}
//	  fs: [data:ro, out]
//	  env: [REGION]
//	  time: true
//
// ${NAME} in a header is replaced by the environment variable, which must exist. The program does not see it. An
// unknown key is an error with the line and, if possible, the right name. The key hints has guards and classes of
// calls: see [Set.AddHints]. The key mcpServers has MCP servers in the form that other clients of the protocol read:
//
//	mcpServers:
//	  files: {command: mcp-server-filesystem, args: [data]}
//	  tickets: {url: "https://tickets.example.com/mcp", headers: {Authorization: "Bearer ${TICKETS_TOKEN}"}}
//
// # Adding a kind of tool
//
// Add an entry to [Kinds], and a field to [Set] for its grants.
package grant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	stdtime "time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/csv"
	"github.com/ptc-lang/ptc/tools/env"
	"github.com/ptc-lang/ptc/tools/exec"
	"github.com/ptc-lang/ptc/tools/facts"
	"github.com/ptc-lang/ptc/tools/fs"
	"github.com/ptc-lang/ptc/tools/http"
	"github.com/ptc-lang/ptc/tools/kv"
	"github.com/ptc-lang/ptc/tools/mcp"
	"github.com/ptc-lang/ptc/tools/sql"
	"github.com/ptc-lang/ptc/tools/ssh"
	"github.com/ptc-lang/ptc/tools/time"
)

// Set is a set of grants. The zero value grants nothing.
type Set struct {
	// Describe, set before anything is granted, makes Registry return tools that cannot be called: with their
	// schemas, for checking programs. Nothing is opened or created, and granted things need not exist.
	Describe bool

	given []Given

	http http.Grant
	fs   fs.Grant
	env  env.Grant
	time time.Grant
	exec exec.Grant
	kv   kv.Grant
	sql  sql.Grant
	ssh  ssh.Grant
	mcp  mcp.Grant
	open []io.Closer

	hosts   *ssh.Hosts   // that Registry has opened
	servers *mcp.Servers // that Registry has opened

	// SSH bounds the connections to hosts; zero fields mean the defaults of package ssh.
	SSH Connections
	// FactSource keeps the facts that are granted. Registry needs it for them, unless Describe is set.
	FactSource facts.Source
	facts      facts.Grant

	// Log gets the standard error of MCP servers, and warnings about them; optional.
	Log *slog.Logger
	// Shapes is a folder for the learned shapes of the results of MCP servers; "" keeps them only in the process.
	Shapes string

	approve  effect.Approvals // by files
	rules    []tool.Rule      // of the operator, before those of Hints
	fromFile []string         // the grants of ReadFile, in the form of flags
	found    []string         // where the granted programs are, and others would be found instead

	callTimeout stdtime.Duration // of the tools whose calls may take long; 0 for their own
}

// Connections bounds the connections of a Set to hosts, which all runs with its tools share.
type Connections struct {
	Max, PerHost int
	Idle         stdtime.Duration // after which one is closed
	Retries      int              // further attempts to reach a host
}

// Given is one grant, as Grant takes it. Base is absolute.
type Given struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
	Base  string `json:"base"`
}

// Given returns all that was granted, in order: to grant it again, elsewhere or later.
func (s *Set) Given() []Given { return slices.Clone(s.given) }

// Reach returns lines that list the files, web services and variables that the tools can reach. The tools for
// programs, databases and hosts list theirs in their documentation.
func (s *Set) Reach() []string {
	var lines []string
	for _, of := range []struct{ key, what string }{{"fs", "Paths begin with"}, {"http", "URLs of"},
		{"env", "Variables"}} {
		var values []string
		for _, g := range s.given {
			if g.Key == of.key {
				values = append(values, reached(g))
			}
		}
		if len(values) > 0 {
			lines = append(lines, of.what+": "+strings.Join(values, ", "))
		}
	}
	return lines
}

// reached returns the resources that one grant covers, without the notation of the flag.
func reached(g Given) string {
	if dir, readOnly := strings.CutSuffix(g.Value, ":ro"); readOnly && g.Key == "fs" {
		return dir + " (only to read)"
	}
	if host, methods, some := strings.Cut(g.Value, "="); some && g.Key == "http" {
		return host + " (" + methods + ")"
	}
	return g.Value
}

// Kind is a kind of grant.
type Kind struct {
	Key   string // in the file; the flag is --allow- and this, or Name
	Name  string // of the flag, if it is another one
	Value string // the form of the flag's value; "" for a flag without a value
	Doc   string

	add   func(s *Set, value, base string) error
	names func() map[string]string // of the tools that it grants; nil if another kind does
	tools func(ctx context.Context, s *Set) ([]*tool.Tool, error)
	reach func(s *Set) []string // the resources they reach, for Digests; none without a grant
}

// Flag returns the name of the flag, without dashes.
func (k Kind) Flag() string { return cmp.Or(k.Name, "allow-"+k.Key) }

// Kinds returns the kinds of grants, in the order of their keys.
func Kinds() []Kind {
	kinds := []Kind{
		{Key: "call-timeout", Value: "TIME", Doc: fmt.Sprintf("allow a call of a granted tool to take this long (default "+
			"%v)", tool.DefaultTimeout), add: (*Set).addCallTimeout},
		{Key: "env", Value: "NAME", Doc: "grant an environment variable: tool/env.get", add: (*Set).addEnv,
			names: env.Names, tools: opened(func(s *Set) ([]*tool.Tool, error) { return env.Tools(s.env) }),
			reach: func(s *Set) []string { return sorted(slices.Clone(s.env.Names)) }},
		{Key: "fs", Value: "DIR[:ro]", Doc: "grant the files of a directory, with :ro read-only: tool/fs.…, tool/csv.…, " +
			"tool/jsonl.…", add: (*Set).addDir,
			names: fileNames, tools: opened((*Set).fileTools), reach: (*Set).fileReach},
		{Key: "http", Value: "HOST[:PORT][=METHODS]",
			Doc: "grant a web service, such as api.example.com=GET,POST; =GET,rate=10 limits it to ten requests a second: " +
				"tool/http.…", add: (*Set).addHost,
			names: http.Names, tools: opened((*Set).webTools), reach: (*Set).webReach},
		{Key: "http-private", Value: "ADDRESSES", Doc: "allow private addresses of granted hosts, such as 10.1.2.3 or " +
			"10.0.0.0/8", add: (*Set).addPrivate},
		{Key: "time", Doc: "grant the clock: tool/time.…", add: (*Set).addTime,
			names: time.Names, tools: opened(func(s *Set) ([]*tool.Tool, error) { return time.Tools(s.time) }),
			reach: func(s *Set) []string { return once(s.time.Clock, "clock") }},
	}
	kinds = append(kinds, openedKinds()...)
	slices.SortFunc(kinds, func(a, b Kind) int { return strings.Compare(a.Key, b.Key) })
	return kinds
}

// opened returns the function of a kind whose tools are made without a wait.
func opened(tools func(s *Set) ([]*tool.Tool, error)) func(context.Context, *Set) ([]*tool.Tool, error) {
	return func(_ context.Context, s *Set) ([]*tool.Tool, error) { return tools(s) }
}

// Grant adds a grant of a kind in the form that its flag has. A relative directory is relative to base, or
// to the working directory if base is "".
func (s *Set) Grant(key, value, base string) error {
	for _, k := range Kinds() {
		if k.Key != key {
			continue
		}
		absolute, err := filepath.Abs(base)
		if err == nil {
			err = k.add(s, value, base)
		}
		if err == nil {
			s.given = append(s.given, Given{key, value, absolute})
		}
		return err
	}
	return fmt.Errorf("there is no grant %q", key)
}

// ToolNames returns the names of all tools that a grant may bring.
func ToolNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, k := range Kinds() {
			if k.names == nil {
				continue
			}
			for name := range k.names() {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// Clone returns a set that can be added to without changing this one.
func (s *Set) Clone() *Set {
	c := *s
	c.given, c.open, c.hosts, c.servers = slices.Clone(s.given), nil, nil, nil
	c.rules = slices.Clone(s.rules)
	c.fromFile, c.found, c.fs.Protect = slices.Clone(s.fromFile), slices.Clone(s.found), slices.Clone(s.fs.Protect)
	c.exec.Programs, c.sql.Databases = maps.Clone(s.exec.Programs), maps.Clone(s.sql.Databases)
	c.ssh.Hosts, c.mcp.Servers = slices.Clone(s.ssh.Hosts), slices.Clone(s.mcp.Servers)
	c.http.Hosts, c.http.Private = slices.Clone(s.http.Hosts), slices.Clone(s.http.Private)
	c.fs.Dirs, c.env.Names = slices.Clone(s.fs.Dirs), slices.Clone(s.env.Names)
	return &c
}

// Registry returns the tools that are granted; the names of the others are withheld. It asks MCP servers for their
// tools, until ctx ends. Close must be called when the tools are not needed any more, also after an error.
func (s *Set) Registry(ctx context.Context) (*tool.Registry, error) {
	r := &tool.Registry{}
	for _, k := range Kinds() {
		if k.names == nil {
			continue
		}
		for name, how := range k.names() {
			r.Withhold(name, how)
		}
		granted, err := k.tools(ctx, s)
		if err == nil {
			granted, err = s.hinted(granted)
		}
		if err == nil && s.Describe {
			for i, t := range granted {
				granted[i] = t.Stub()
			}
		}
		if err == nil {
			err = r.Add(granted...)
		}
		if err != nil {
			return nil, err
		}
	}
	s.refuse(r)
	return r, s.checkRules(r)
}

// maxCallTimeout is the longest that a call may be let take.
const maxCallTimeout = 24 * stdtime.Hour

// addCallTimeout keeps the longest time of all its calls.
func (s *Set) addCallTimeout(text, _ string) error {
	d, err := stdtime.ParseDuration(text)
	if err != nil || d <= 0 || d > maxCallTimeout {
		return fmt.Errorf("want a time such as 90s or 10m, %s at most", diag.Duration(maxCallTimeout))
	}
	s.callTimeout = max(s.callTimeout, d)
	return nil
}

func (s *Set) webTools() ([]*tool.Tool, error) {
	g := s.http
	g.Timeout = s.callTimeout
	return http.Tools(g)
}

func (s *Set) addEnv(name, _ string) error {
	if _, err := env.Tools(env.Grant{Names: []string{name}}); err != nil {
		return errors.New("want the name of an environment variable")
	}
	s.env.Names = append(s.env.Names, name)
	return nil
}

func (s *Set) addDir(text, base string) error {
	d, err := fs.ParseDir(text, base)
	if err == nil {
		s.fs.Dirs = append(s.fs.Dirs, d)
	}
	return err
}

// fileNames returns the names of the tools that files come with: their own, and those of tables.
func fileNames() map[string]string {
	names := fs.Names()
	maps.Copy(names, csv.Names())
	return names
}

func (s *Set) fileTools() ([]*tool.Tool, error) {
	if s.Describe {
		return append(fs.Stubs(s.fs), csv.Stubs(s.fs)...), nil
	}
	g := s.fs
	g.Protect = s.protected()
	files, err := fs.Tools(g)
	if err != nil {
		return nil, err
	}
	tables, err := csv.Tools(g)
	return append(files, tables...), err
}

func (s *Set) addHost(text, _ string) error {
	h, err := http.ParseHost(text)
	if err == nil {
		s.http.Hosts = append(s.http.Hosts, h)
	}
	return err
}

func (s *Set) addPrivate(text, _ string) error {
	p, err := netip.ParsePrefix(text)
	if addr, aerr := netip.ParseAddr(text); aerr == nil {
		p, err = addr.Prefix(addr.BitLen())
	}
	if err != nil {
		return errors.New("want an address or a range of addresses, such as 10.1.2.3 or 10.0.0.0/8")
	}
	s.http.Private = append(s.http.Private, p.Masked())
	return nil
}

func (s *Set) addTime(string, string) error {
	s.time.Clock = true
	return nil
}
