// This file reads the key mcpServers of ptc.yaml: MCP servers in the form of other clients.

package grant

import (
	"maps"
	nethttp "net/http"
	"slices"
	"strings"
	stdtime "time"

	"github.com/goccy/go-yaml/ast"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/tools/mcp"
)

// serverKeys are the keys of a server that are read. Other clients have further ones, which are left alone.
var serverKeys = []string{"command", "args", "env", "cwd", "url", "headers", "type", "disabled", "timeout",
	"concurrency", "classes", "tokenFile", "oauth"}

// servers reads the key mcpServers.
func (r *reader) servers(n ast.Node) error {
	all, err := r.mapping(n, "mcpServers", nil)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := r.server(name, all[name]); err != nil {
			return err
		}
	}
	return nil
}

// server reads one server.
func (r *reader) server(name string, n ast.Node) error {
	fields, err := r.mapping(n, "mcpServers: "+name, nil)
	if err != nil {
		return err
	}
	for key, value := range fields {
		if best, ok := diag.Suggest(key, slices.Values(serverKeys)); ok && best != key {
			return r.at(value.GetToken(), "mcpServers: %s has no key %s; did you mean %s?", name, key, best)
		}
	}
	s := &serverReader{reader: r, server: mcp.Server{Name: name}, name: name}
	for _, key := range serverKeys { // in this order, so that the first mistake is always the same
		if value := fields[key]; value != nil {
			if err := s.field(key, value); err != nil {
				return err
			}
		}
	}
	if s.disabled {
		return nil
	}
	s.server.In(r.base)
	if err := s.server.Check(); err != nil {
		return r.at(n.GetToken(), "mcpServers: %v", err)
	}
	if err := r.set.enterServer(s.server); err != nil {
		return r.at(n.GetToken(), "mcpServers: %v", err)
	}
	r.set.fromFile = append(r.set.fromFile, "--mcp "+name+"="+withoutSecrets(s.shown())+s.credentials())
	return nil
}

// serverReader reads the keys of a server.
type serverReader struct {
	*reader
	server   mcp.Server
	name     string
	disabled bool
}

// shown returns the server in the form of the flag, without secrets.
func (s *serverReader) shown() string {
	if s.server.URL != "" {
		return s.server.URL
	}
	words := strings.Join(append([]string{s.server.Command}, s.server.Args...), " ")
	if len(s.server.Env) > 0 {
		words += " with the variables " + strings.Join(slices.Sorted(maps.Keys(s.server.Env)), ", ")
	}
	return words
}

// credentials returns where the tokens of the server come from.
func (s *serverReader) credentials() string {
	switch {
	case s.server.TokenFile != "":
		return " with the token in " + s.server.TokenFile
	case s.server.Login != nil && s.server.Login.File != "":
		return " with the login in " + s.server.Login.File + " at " + s.server.Login.Issuer
	case s.server.Login != nil:
		return " as " + s.server.Login.ID + " of " + s.server.Login.Issuer
	}
	return ""
}

func (s *serverReader) field(key string, n ast.Node) (err error) {
	switch key {
	case "command":
		s.server.Command, err = s.value(key, n)
	case "url":
		s.server.URL, err = s.value(key, n)
	case "cwd":
		s.server.Dir, err = s.value(key, n)
	case "args":
		s.server.Args, err = s.list(n)
	case "env":
		s.server.Env, err = s.texts(key, n)
	case "headers":
		var headers map[string]string
		headers, err = s.texts(key, n)
		s.server.Header = make(nethttp.Header)
		for name, value := range headers {
			s.server.Header.Set(name, value)
		}
	case "tokenFile":
		s.server.TokenFile, err = s.value(key, n)
	case "oauth":
		err = s.oauth(n)
	case "type":
		err = s.kind(n)
	case "disabled":
		b, ok := n.(*ast.BoolNode)
		if !ok {
			return s.at(n.GetToken(), "mcpServers: %s: disabled: want true or false", s.name)
		}
		s.disabled = b.Value
	case "timeout":
		err = s.timeout(n)
	case "concurrency":
		i, ok := n.(*ast.IntegerNode)
		if !ok || int(number(i)) < 1 {
			return s.at(n.GetToken(), "mcpServers: %s: concurrency: want a whole number above 0", s.name)
		}
		s.server.Concurrency = int(number(i))
	case "classes":
		err = s.classes(n)
	}
	return err
}

// oauth reads the credentials for an authorization server.
func (s *serverReader) oauth(n ast.Node) error {
	l := &mcp.Login{}
	to := map[string]*string{"issuer": &l.Issuer, "clientId": &l.ID, "clientSecret": &l.Secret,
		"clientSecretFile": &l.SecretFile, "loginFile": &l.File}
	fields, err := s.mapping(n, "mcpServers: "+s.name+": oauth", slices.Sorted(maps.Keys(to)))
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if *to[key], err = s.value("oauth: "+key, fields[key]); err != nil {
			return err
		}
	}
	s.server.Login = l
	return nil
}

// number returns the value of an integer, 0 if it is beyond an int64 or below 0.
func number(n *ast.IntegerNode) int64 {
	switch v := n.Value.(type) {
	case uint64:
		if v < 1<<31 {
			return int64(v)
		}
	case int64:
		return max(v, 0)
	}
	return 0
}

// kind reads the type, for which clients have different words.
func (s *serverReader) kind(n ast.Node) error {
	text, err := s.text("type", n)
	if err != nil {
		return err
	}
	switch text {
	case "stdio", "http", "streamable-http", "streamableHttp", "streamable_http":
	case "sse":
		s.server.SSE = true
	default:
		return s.at(n.GetToken(), "mcpServers: %s: type: got %.40s, want stdio, http or sse", s.name, text)
	}
	return nil
}

// timeout reads a time such as 90s. A number is one of milliseconds, as in other clients.
func (s *serverReader) timeout(n ast.Node) error {
	if i, ok := n.(*ast.IntegerNode); ok && number(i) > 0 {
		s.server.Timeout = min(stdtime.Duration(number(i))*stdtime.Millisecond, maxCallTimeout)
		return nil
	}
	text, err := s.text("timeout", n)
	if err != nil {
		return err
	}
	d, err := stdtime.ParseDuration(text)
	if err != nil || d <= 0 || d > maxCallTimeout {
		return s.at(n.GetToken(), "mcpServers: %s: timeout: want a time such as 90s or 10m, %s at most", s.name,
			diag.Duration(maxCallTimeout))
	}
	s.server.Timeout = d
	return nil
}

// classes reads the classes of tools.
func (s *serverReader) classes(n ast.Node) error {
	texts, err := s.texts("classes", n)
	if err != nil {
		return err
	}
	s.server.Classes = make(map[string]effect.Class, len(texts))
	for name, text := range texts {
		var class effect.Class
		if err := class.UnmarshalText([]byte(text)); err != nil {
			return s.at(n.GetToken(), "mcpServers: %s: classes: %s: got %.40s, want write, idempotent or read-only",
				s.name, name, text)
		}
		s.server.Classes[name] = class
	}
	return nil
}

// value reads a text, with variables of the environment, whose values are secrets.
func (s *serverReader) value(key string, n ast.Node) (string, error) {
	text, err := s.text(key, n)
	if err != nil || !strings.Contains(text, "${") {
		return text, err
	}
	text, err = expand(strings.ReplaceAll(text, "${env:", "${"), false, func(value string) {
		s.server.Secrets = append(s.server.Secrets, value)
	})
	if err != nil {
		return "", s.at(n.GetToken(), "mcpServers: %s: %s: %v", s.name, key, err)
	}
	return text, nil
}

func (s *serverReader) list(n ast.Node) (all []string, err error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, s.at(n.GetToken(), "mcpServers: %s: args: want a list", s.name)
	}
	for _, item := range list.Values {
		text, err := s.value("args", item)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

func (s *serverReader) texts(key string, n ast.Node) (map[string]string, error) {
	fields, err := s.mapping(n, "mcpServers: "+s.name+": "+key, nil)
	if err != nil {
		return nil, err
	}
	all := make(map[string]string, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if all[name], err = s.value(key+": "+name, fields[name]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
