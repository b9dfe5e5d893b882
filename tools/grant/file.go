// This file defines how ptc.yaml is read.

package grant

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	nethttp "net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/ptc-lang/ptc/internal/hintfile"
	"github.com/ptc-lang/ptc/internal/yamltext"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/tools/http"
)

// FileName is that of the file beside a script.
const FileName = "ptc.yaml"

// MaxFile bounds the bytes of the file: it is a list that a person writes.
const MaxFile = 64 << 10

// ReadFile adds the grants of a file. Errors use its name, and relative directories are relative to its
// directory.
func (s *Set) ReadFile(name string, text []byte) error {
	if len(text) > MaxFile {
		return fmt.Errorf("%s: it has %d bytes, want at most %d", name, len(text), MaxFile)
	}
	r := &reader{set: s.Clone(), name: name, base: filepath.Dir(name)}
	tokens, deep := yamltext.Tokenize(strings.TrimPrefix(string(text), yamltext.ByteOrderMark))
	if deep != nil {
		return r.at(deep, "nested deeper than %d levels", yamltext.MaxNesting)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return r.syntax(err)
	}
	for _, doc := range file.Docs {
		if err := r.document(doc.Body); err != nil {
			return err
		}
	}
	*s = *r.set
	return nil
}

// reader reads a file.
type reader struct {
	set        *Set
	name, base string
}

// at is an error at a place of the file.
func (r *reader) at(tok *token.Token, format string, args ...any) error {
	place := r.name
	if tok != nil && tok.Position != nil {
		place = fmt.Sprintf("%s:%d:%d", r.name, tok.Position.Line, tok.Position.Column)
	}
	return fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...))
}

// syntax is the error of a text that is not YAML, in one line.
func (r *reader) syntax(err error) error {
	var placed interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &placed) {
		return r.at(placed.GetToken(), "%s", placed.GetMessage())
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

func (r *reader) document(body ast.Node) error {
	if body == nil || body.Type() == ast.CommentType {
		return nil
	}
	keys, err := r.mapping(body, "the file", []string{"allow", "approve", "hints", "mcpServers"})
	for _, part := range []struct {
		key  string
		read func(n ast.Node) error
	}{{"mcpServers", r.servers}, {"allow", r.allow}, {"approve", r.approve}, {"hints", r.hints}} { // which name tools last
		if err == nil && keys[part.key] != nil {
			err = part.read(keys[part.key])
		}
	}
	return err
}

// allow reads the grants.
func (r *reader) allow(n ast.Node) error {
	var keys []string
	for _, k := range Kinds() {
		keys = append(keys, k.Key)
	}
	grants, err := r.mapping(n, "allow", keys)
	if err != nil {
		return err
	}
	for _, k := range Kinds() {
		if n := grants[k.Key]; n != nil {
			if err := r.grants(k, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// approve reads the calls that have to be approved.
func (r *reader) approve(n ast.Node) (err error) {
	a := hintfile.Approve(n, known(n), func(at ast.Node, message string) {
		if err == nil {
			err = r.at(at.GetToken(), "%s", message)
		}
	})
	r.set.approve = r.set.approve.And(a)
	return err
}

// known returns the names of tools that a list may have: the standard ones, and those in it that a server may have.
func known(n ast.Node) iter.Seq[string] {
	names := slices.Collect(ToolNames())
	if list, ok := n.(*ast.SequenceNode); ok {
		for _, item := range list.Values {
			if name, ok := item.(*ast.StringNode); ok && KnownName(name.Value) == nil {
				names = append(names, name.Value)
			}
		}
	}
	return slices.Values(names)
}

// hints reads the hints.
func (r *reader) hints(n ast.Node) (err error) {
	rules := hintfile.Read(n, func(at ast.Node, message string) {
		if err == nil {
			err = r.at(at.GetToken(), "%s", message)
		}
	})
	if err == nil {
		err = r.set.AddHints(rules...)
	}
	return err
}

// mapping returns the values of a mapping by their keys, which must be among known ones
// unless known is nil.
func (r *reader) mapping(n ast.Node, what string, known []string) (map[string]ast.Node, error) {
	m, ok := n.(ast.MapNode)
	if !ok {
		return nil, r.at(n.GetToken(), "%s: want keys and values%s", what, among(known))
	}
	out := make(map[string]ast.Node)
	for it := m.MapRange(); it.Next(); {
		tok := it.Key().GetToken()
		if known != nil && !slices.Contains(known, tok.Value) {
			hint := among(known)
			if best, ok := diag.Suggest(tok.Value, slices.Values(known)); ok {
				hint = "; did you mean " + best + "?"
			}
			return nil, r.at(tok, "%s has no key %s%s", what, tok.Value, hint)
		}
		out[tok.Value] = it.Value()
	}
	return out, nil
}

func among(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return ", of " + strings.Join(keys, ", ")
}

// grants reads the value of the key of a kind.
func (r *reader) grants(k Kind, n ast.Node) error {
	if k.Value == "" {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			return r.at(n.GetToken(), "%s: want true or false", k.Key)
		}
		if b.Value {
			r.granted(k, "")
			return k.add(r.set, "", "")
		}
		return nil
	}
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return r.at(n.GetToken(), "%s: want a list such as [%s]", k.Key, strings.ToLower(k.Value))
	}
	for _, item := range list.Values {
		if err := r.grant(k, item); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) grant(k Kind, n ast.Node) error {
	if _, isMap := n.(ast.MapNode); isMap && k.Key == "http" {
		return r.host(n)
	}
	text, err := r.text(k.Key, n)
	if err != nil {
		return err
	}
	if err := k.add(r.set, text, r.base); err != nil {
		return r.at(n.GetToken(), "%s: %s: %v", k.Key, text, err)
	}
	r.granted(k, text)
	return nil
}

// granted notes a grant in the form of its flag.
func (r *reader) granted(k Kind, value string) {
	words := "--" + k.Flag()
	if value != "" {
		words += " " + withoutSecrets(value)
	}
	r.set.fromFile = append(r.set.fromFile, words)
}

// withoutSecrets removes possible passwords from the URL of a database.
func withoutSecrets(value string) string {
	scheme, rest, isURL := strings.Cut(value, "://")
	if !isURL {
		return value
	}
	rest, write := strings.CutSuffix(rest, ",write")
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		rest = "…" + rest[i:]
	}
	if before, _, found := strings.Cut(rest, "?"); found {
		rest = before + "?…"
	}
	if write {
		rest += ",write"
	}
	return scheme + "://" + rest
}

// FromFile returns the grants of ReadFile, in the form of flags, without passwords.
func (s *Set) FromFile() []string { return slices.Clone(s.fromFile) }

// Approvals returns the calls that have to be approved according to the file of ReadFile.
func (s *Set) Approvals() effect.Approvals { return s.approve }

// text returns the written form of a single value.
func (r *reader) text(what string, n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	}
	return "", r.at(n.GetToken(), "%s: want a text, in quotes if it has a colon", what)
}

// host reads a host with headers.
func (r *reader) host(n ast.Node) error {
	fields, err := r.mapping(n, "http", []string{"host", "headers"})
	if err != nil {
		return err
	}
	if fields["host"] == nil {
		return r.at(n.GetToken(), "http: the key host is missing")
	}
	text, err := r.text("host", fields["host"])
	if err != nil {
		return err
	}
	h, err := http.ParseHost(text)
	if err != nil {
		return r.at(fields["host"].GetToken(), "http: %s: %v", text, err)
	}
	with := ""
	if fields["headers"] != nil {
		headers, err := r.mapping(fields["headers"], "headers", nil)
		if err != nil {
			return err
		}
		h.Header = make(nethttp.Header)
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			value, err := r.text(name, headers[name])
			if err != nil {
				return err
			}
			if value, err = expand(value, r.set.Describe, func(string) {}); err != nil {
				return r.at(headers[name].GetToken(), "headers: %s: %v", name, err)
			}
			h.Header.Set(name, value)
		}
		with = " with the headers " + strings.Join(slices.Sorted(maps.Keys(headers)), ", ")
	}
	r.set.fromFile = append(r.set.fromFile, "--allow-http "+text+with)
	r.set.http.Hosts = append(r.set.http.Hosts, h)
	return nil
}

// expand puts the environment variables in the place of each ${NAME}, and calls met with each value. A variable that
// does not exist is an error unless optional is set.
func expand(text string, optional bool, met func(value string)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", errors.New("${ without a closing }")
		}
		value, ok := os.LookupEnv(name)
		if !ok && !optional {
			return "", fmt.Errorf("there is no environment variable %s", name)
		}
		met(value)
		out.WriteString(value)
		text = after
	}
}
