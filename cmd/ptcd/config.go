// This file defines the file of flags.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/internal/yamltext"
	"github.com/ptc-lang/ptc/lang/diag"
)

// maxConfig bounds the bytes of the file: it is a list that a person writes.
const maxConfig = 256 << 10

// configReader reads a file of flags. It collects all mistakes.
type configReader struct {
	name     string
	specs    []flags.Spec
	sections map[string]func(*configReader, ast.Node) // keys that are no flags
	given    map[string]string                        // the flags of the command line
	seen     map[string]bool
	mistakes []error
}

// readConfig enters the flags of a file, except flags of the command line that do not repeat. The error
// lists all mistakes, each with its line.
func readConfig(name string, specs []flags.Spec, sections map[string]func(*configReader, ast.Node),
	given map[string]string) error {
	text, whole, err := files.Read(name, maxConfig)
	if err != nil {
		return err
	}
	if !whole {
		return fmt.Errorf("%s: it has more than %s", name, flags.SizeText(maxConfig))
	}
	r := &configReader{name: name, specs: specs, sections: sections, given: given, seen: make(map[string]bool)}
	r.read(strings.TrimPrefix(string(text), yamltext.ByteOrderMark))
	return errors.Join(r.mistakes...)
}

// mistake reports a mistake at a place of the file.
func (r *configReader) mistake(at *token.Token, format string, args ...any) {
	place := r.name
	if at != nil && at.Position != nil {
		place = fmt.Sprintf("%s:%d:%d", r.name, at.Position.Line, at.Position.Column)
	}
	r.mistakes = append(r.mistakes, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
}

func (r *configReader) read(text string) {
	tokens, deep := yamltext.Tokenize(text)
	if deep != nil {
		r.mistake(deep, "nested deeper than %d levels", yamltext.MaxNesting)
		return
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var placed interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &placed) {
			r.mistake(placed.GetToken(), "%s", placed.GetMessage())
		} else {
			r.mistake(nil, "%v", err)
		}
		return
	}
	for _, doc := range file.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.CommentGroupNode, *ast.NullNode:
		case ast.MapNode:
			r.flags(body)
		default:
			r.mistake(doc.Body.GetToken(), "want keys and values, such as listen: 127.0.0.1:8080")
		}
	}
}

// flags reads a mapping from the names of flags to their values.
func (r *configReader) flags(m ast.MapNode) {
	for it := m.MapRange(); it.Next(); {
		at, name := it.Key().GetToken(), it.Key().GetToken().Value
		i := slices.IndexFunc(r.specs, func(f flags.Spec) bool { return f.Name == name })
		section := r.sections[name]
		switch {
		case r.seen[name]:
			r.mistake(at, "%s: the key is there twice", name)
			continue
		case section != nil:
			r.seen[name] = true
			section(r, it.Value())
			continue
		case i < 0 || name == "config":
			r.unknown(at, name)
			continue
		}
		r.seen[name] = true
		f := r.specs[i]
		if _, overridden := r.given[name]; overridden && !f.Repeats {
			continue
		}
		list, isList := it.Value().(*ast.SequenceNode)
		switch {
		case isList && !f.Repeats:
			r.mistake(list.GetToken(), "%s: want one value, got a list", name)
		case isList:
			for _, item := range list.Values {
				r.value(f, item)
			}
		default:
			r.value(f, it.Value())
		}
	}
}

// mapping reads the flags of a mapping inside the file.
func (r *configReader) mapping(what string, n ast.Node, specs []flags.Spec) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.mistake(n.GetToken(), "%s: want keys and values", what)
		return
	}
	inner := &configReader{name: r.name, specs: specs, seen: make(map[string]bool)}
	inner.flags(m)
	r.mistakes = append(r.mistakes, inner.mistakes...)
}

// value enters one value of a flag.
func (r *configReader) value(f flags.Spec, n ast.Node) {
	text := ""
	switch n := n.(type) {
	case *ast.StringNode:
		text = n.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		text = n.GetToken().Value
	default:
		r.mistake(n.GetToken(), "%s: want a text, in quotes if it has a colon", f.Name)
		return
	}
	if err := f.Set(text); err != nil {
		r.mistake(n.GetToken(), "%s is %q, %v", f.Name, text, err)
	}
}

// unknown reports a key that is no flag, with the probable one.
func (r *configReader) unknown(at *token.Token, name string) {
	names := func(yield func(string) bool) {
		for section := range r.sections {
			if !yield(section) {
				return
			}
		}
		for _, f := range flags.Sorted(r.specs) {
			if f.Name != "config" && !yield(f.Name) {
				return
			}
		}
	}
	hint := ""
	if best, ok := diag.Suggest(name, names); ok {
		hint = "; did you mean " + best + "?"
	}
	r.mistake(at, "there is no key %s%s", name, hint)
}
