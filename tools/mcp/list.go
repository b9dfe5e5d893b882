// This file defines how the tools of a server are listed, and which are refused.

package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// The bounds of the declarations of a server.
const (
	maxTools     = 1000
	maxPages     = 100
	maxListed    = 8 << 20  // bytes of all schemas
	maxSchema    = 64 << 10 // bytes of one
	maxDepth     = 32       // of a schema
	maxKey       = 64       // bytes of the name of a property
	maxToolName  = 100 - maxServerName - 1
	maxText      = 2000 // bytes of a description, or of a message
	maxFirst     = 120  // bytes of a description on the card
	maxSignature = 300  // bytes of each part of a signature
)

// declared is a tool as a server declares it.
type declared struct {
	name         string // of the server
	doc          string
	args, result json.RawMessage // schemas; result nil if there is none
	class        effect.Class
	print        [sha256.Size]byte // of the parts that a program relies on
}

// Refused is a tool that a server declares, and that programs do not get.
type Refused struct {
	Server, Name string // Name is quoted if no program can write it
	Why          string
}

// listing has the declarations of a server.
type listing struct {
	tools   []*declared
	refused []Refused
}

// list asks a server for its tools.
func (s *server) list(ctx context.Context, session *sdk.ClientSession) (l listing, err error) {
	var all []*sdk.Tool
	cursor, size := "", 0
	for page := 0; ; page++ {
		if page == maxPages {
			return l, fmt.Errorf("its list of tools has more than %d pages", maxPages)
		}
		res, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return l, s.cleanError(err)
		}
		all = append(all, res.Tools...)
		for _, t := range res.Tools {
			size += sizeOf(t.InputSchema) + sizeOf(t.OutputSchema) + len(t.Description) + len(t.Name)
		}
		if len(all) > maxTools || size > maxListed {
			return l, fmt.Errorf("it has more than %d tools, or more than %d MB of declarations", maxTools, maxListed>>20)
		}
		if res.NextCursor == "" {
			break
		}
		if res.NextCursor == cursor {
			return l, errors.New("its list of tools does not end: a page is followed by itself")
		}
		cursor = res.NextCursor
	}
	return s.declare(all), nil
}

// sizeOf returns the bytes of a decoded schema.
func sizeOf(schema any) int {
	text, err := json.Marshal(schema)
	if err != nil {
		return maxListed
	}
	return len(text)
}

// declare takes the tools of a server, and refuses some.
func (s *server) declare(all []*sdk.Tool) (l listing) {
	names := make(map[string]int)
	for _, t := range all {
		names[t.Name]++
	}
	for _, t := range all {
		n := names[t.Name]
		if n == 0 {
			continue
		}
		d, err := s.declaration(t)
		if n > 1 {
			err = fmt.Errorf("the server declares it %d times", n)
			names[t.Name] = 0 // refused once
		}
		if err != nil {
			name := t.Name
			if !validToolName(name) {
				name = strconv.Quote(printable(name, maxKey))
			}
			l.refused = append(l.refused, Refused{s.Name, name, err.Error()})
			continue
		}
		l.tools = append(l.tools, d)
	}
	slices.SortFunc(l.tools, func(a, b *declared) int { return strings.Compare(a.name, b.name) })
	return l
}

// validToolName reports whether a program can write a name after that of the server.
func validToolName(name string) bool {
	if len(name) > maxToolName {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if !validPart(part) {
			return false
		}
	}
	return true
}

// declaration checks the declaration of a tool.
func (s *server) declaration(t *sdk.Tool) (*declared, error) {
	if !validToolName(t.Name) {
		return nil, fmt.Errorf("a name is letters, digits, - and _, in parts separated by dots, up to %d characters",
			maxToolName)
	}
	d := &declared{name: t.Name, class: s.classOf(t)}
	var err error
	if d.args, err = schemaOf(t.InputSchema, true); err != nil {
		return nil, fmt.Errorf("the schema of its arguments %w", err)
	}
	if t.OutputSchema != nil {
		if d.result, err = schemaOf(t.OutputSchema, false); err != nil {
			return nil, fmt.Errorf("the schema of its results %w", err)
		}
	}
	d.doc = s.docOf(t)
	d.print = sha256.Sum256(fmt.Appendf(nil, "%d\n%d\n%s\n%s", d.class, len(d.args), d.args, d.result))
	return d, nil
}

// docOf returns the documentation of a tool: the words of the server, in quotes. The first sentence has some of them,
// for the card.
func (s *server) docOf(t *sdk.Tool) string {
	text := s.clean(t.Description)
	if text == "" {
		return "A tool of the MCP server " + s.Name + ", which does not describe it."
	}
	first, rest, _ := strings.Cut(text, ". ")
	first = strings.TrimSuffix(first, ".")
	doc := "The MCP server " + s.Name + " says: " + strconv.Quote(printable(first, maxFirst)) + "."
	if len(first) > maxFirst {
		rest = text
	}
	if rest != "" {
		doc += " It continues: " + strconv.Quote(rest) + "."
	}
	return doc
}

// classOf returns the class of a tool: the class that the operator declares, or else that of its annotations.
func (s *server) classOf(t *sdk.Tool) effect.Class {
	for _, name := range []string{t.Name, "*"} {
		if class, ok := s.Classes[name]; ok {
			return class
		}
	}
	switch a := t.Annotations; {
	case a == nil:
		return effect.Write
	case a.ReadOnlyHint:
		return effect.ReadOnly
	case a.IdempotentHint:
		return effect.Idempotent
	}
	return effect.Write
}

// anyObject and anything replace schemas that cannot be used: the server checks the arguments itself.
var (
	anyObject = json.RawMessage(`{"type":"object"}`)
	anything  = json.RawMessage(nil)
)

// schemaOf returns a schema within the bounds. One with features that this implementation does not have is replaced.
func schemaOf(decoded any, args bool) (json.RawMessage, error) {
	text, err := json.Marshal(decoded)
	if err != nil {
		return nil, errors.New("is none")
	}
	if len(text) > maxSchema {
		return nil, fmt.Errorf("has %d bytes, want at most %d", len(text), maxSchema)
	}
	if err := checkSchema(decoded, maxDepth); err != nil {
		return nil, err
	}
	object, isObject := decoded.(map[string]any)
	if args {
		if !isObject {
			return anyObject, nil
		}
		if _, typed := object["type"]; !typed {
			object["type"] = "object"
			if text, err = json.Marshal(object); err != nil {
				return nil, errors.New("is none")
			}
		}
		if object["type"] != "object" {
			return nil, errors.New("is not of an object")
		}
	}
	if _, err := tool.ParseSchema(text); err != nil {
		if args {
			return anyObject, nil
		}
		return anything, nil
	}
	return text, nil
}

// checkSchema returns an error for a schema that is nested too deep, or has names that are texts.
func checkSchema(v any, depth int) error {
	if depth == 0 {
		return fmt.Errorf("is nested deeper than %d levels", maxDepth)
	}
	switch v := v.(type) {
	case map[string]any:
		for name, part := range v {
			if len(name) > maxKey || printable(name, maxKey) != name {
				return fmt.Errorf("has the name %q, want printable ones of at most %d bytes", printable(name, 40), maxKey)
			}
			if err := checkSchema(part, depth-1); err != nil {
				return err
			}
		}
	case []any:
		for _, part := range v {
			if err := checkSchema(part, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// printable returns a text on one line of at most some bytes, without invisible characters.
func printable(text string, most int) string {
	if len(text) > 4*most { // enough even if much of it is dropped
		text = text[:4*most]
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError
	}), " ")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// changes lists the tools of a connection again, and returns the tools that differ from those at Open.
func (s *server) changes(ctx context.Context, c *conn) (map[string]string, error) {
	now, err := s.list(ctx, c.session)
	if err != nil {
		return nil, err
	}
	prints := make(map[string]*declared, len(now.tools))
	for _, d := range now.tools {
		prints[d.name] = d
	}
	changed := make(map[string]string)
	for _, d := range s.listed.tools {
		switch n := prints[d.name]; {
		case n == nil:
			changed[d.name] = "the server does not have it any more"
		case n.print != d.print:
			changed[d.name] = "the server declares other arguments, results or effects"
		}
	}
	return changed, nil
}

// check returns an error if a tool is not the one of Open.
func (s *server) check(ctx context.Context, c *conn, d *declared) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stale {
		changed, err := s.changes(ctx, c)
		if err != nil {
			return err
		}
		c.changed, c.stale = changed, false
	}
	if how, ok := c.changed[d.name]; ok {
		return &tool.Error{Code: CodeChanged, Message: fmt.Sprintf("tool/%s.%s has changed since the program was compiled: "+
			"%s; run the program again", s.Name, d.name, how)}
	}
	return nil
}

// String returns the refusal as a sentence.
func (r Refused) String() string {
	return fmt.Sprintf("the MCP server %s: the tool %s is refused: %s", r.Server, r.Name, r.Why)
}

// counted returns a number of tools.
func (l *listing) counted() string { return diag.Counted(len(l.tools), "tool") }
