// This file defines the grants of MCP servers, and which names their tools have.

package grant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/mcp"
)

func (s *Set) addServer(text, base string) error {
	server, err := mcp.ParseServer(text, base)
	if err == nil {
		err = s.enterServer(server)
	}
	return err
}

// enterServer adds a server, whose name must not be taken.
func (s *Set) enterServer(server mcp.Server) error {
	for name := range ToolNames() {
		if area, _, _ := strings.Cut(name, "."); area == server.Name {
			return fmt.Errorf("the name %s is that of standard tools, such as tool/%s: want another one", area, name)
		}
	}
	if s.isServer(server.Name) {
		return fmt.Errorf("the name %s is taken by another server: want another one", server.Name)
	}
	s.mcp.Servers = append(s.mcp.Servers, server)
	return nil
}

// isServer reports whether a server of a name is granted.
func (s *Set) isServer(name string) bool {
	return slices.ContainsFunc(s.mcp.Servers, func(o mcp.Server) bool { return o.Name == name })
}

// SignInOptions are the settings of LogIn.
type SignInOptions = mcp.SignInOptions

// LogIn has a person log in for a server that is granted with a loginFile: see mcp.SignIn. It returns the file.
func (s *Set) LogIn(ctx context.Context, server string, o SignInOptions) (file string, until time.Time, err error) {
	var names []string
	for _, one := range s.mcp.Servers {
		if one.Name == server {
			g := s.mcp
			g.Log = s.Log
			until, err = mcp.SignIn(ctx, g, one, o)
			if err == nil {
				file = one.Login.File
			}
			return file, until, err
		}
		names = append(names, one.Name)
	}
	if len(names) == 0 {
		return "", until, fmt.Errorf("there is no server %s: none is granted", server)
	}
	return "", until, fmt.Errorf("there is no server %s: want one of %s", server, strings.Join(names, ", "))
}

// serverTools connects to the servers. It does so for a description, too: only a server knows its tools.
func (s *Set) serverTools(ctx context.Context) ([]*tool.Tool, error) {
	if len(s.mcp.Servers) == 0 {
		return nil, nil
	}
	g := s.mcp
	g.Timeout, g.Log, g.Shapes = s.callTimeout, s.Log, s.Shapes
	servers, err := mcp.Open(ctx, g)
	if err != nil {
		return nil, err
	}
	s.keep(servers)
	s.servers = servers
	return servers.Tools(), nil
}

// refuse withholds the tools of servers that are refused, so that a program that calls one gets the reason.
func (s *Set) refuse(r *tool.Registry) {
	if s.servers == nil {
		return
	}
	for _, refused := range s.servers.Refused() {
		r.Withhold(refused.Server+"."+refused.Name, "the server declares it, and it is refused: "+refused.Why)
	}
}

// checkRules returns the error of a hint or an approval for a tool that does not exist: its calls would have neither.
func (s *Set) checkRules(r *tool.Registry) error {
	for _, rule := range s.rules {
		if rule.Tool != "" {
			if err := exists(r, rule.Tool); err != nil {
				return fmt.Errorf("hints: %w", err)
			}
		}
	}
	return CheckApprovals(s.approve, r)
}

// CheckApprovals returns an error if one of the tools that need an approval does not exist, as Registry has returned
// them.
func CheckApprovals(a effect.Approvals, r *tool.Registry) error {
	for _, name := range a.Tools {
		if err := exists(r, name); err != nil {
			return fmt.Errorf("approvals: %w", err)
		}
	}
	return nil
}

// exists returns an error if a registry does not know a tool.
func exists(r *tool.Registry, name string) error {
	withheld := r.Withheld()
	if _, ok := withheld[name]; ok || r.Lookup(name) != nil {
		return nil
	}
	names := slices.Collect(maps.Keys(withheld))
	for _, t := range r.All() {
		names = append(names, t.Name())
	}
	slices.Sort(names)
	return noTool(name, names)
}

// noTool returns the error for a tool that does not exist, with the probable one.
func noTool(name string, names []string) error {
	if best, ok := diag.Suggest(name, slices.Values(names)); ok {
		return fmt.Errorf("there is no tool %.100s; did you mean %s?", name, best)
	}
	return fmt.Errorf("there is no tool %.100s", name)
}

// KnownName returns an error for a name that no tool has. The name may be one of an MCP server that is granted
// later: Registry checks it.
func KnownName(name string) error {
	names := slices.Collect(ToolNames())
	area, _, dotted := strings.Cut(name, ".")
	standard := func(known string) bool { return strings.HasPrefix(known, area+".") }
	if slices.Contains(names, name) || dotted && !slices.ContainsFunc(names, standard) {
		return nil
	}
	return noTool(name, names)
}
