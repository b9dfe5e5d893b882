// This file defines how the section is read.

package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Problem is a mistake in a section, at a place of its file.
type Problem struct {
	At   *token.Token // nil for none
	Text string
}

// reader reads a section.
type reader struct {
	problems []Problem
	places   map[string]*token.Token // of the keys that are there, by their names
}

// Read reads a section from its YAML. problems has all mistakes, in the order of the file; the settings are of no use
// if there is one.
func Read(section ast.Node) (c *Config, problems []Problem) {
	c = Default()
	r := &reader{places: make(map[string]*token.Token)}
	if m, ok := section.(ast.MapNode); ok {
		r.mapping(m, "", c.keys(), func(n ast.Node) { r.controllers(c, n) })
	} else {
		r.problem(section.GetToken(), "cluster: want keys and values, such as cluster_id: prod")
		return c, r.problems
	}
	r.missing(section.GetToken(), "", c.keys())
	if r.places["controllers"] == nil {
		r.problem(section.GetToken(), "cluster: controllers is missing: want the list of the nodes, such as "+
			"- {name: node1, address: \"node1.example.com:9000\", engine_address: \"node1.example.com:9001\"}")
	}
	r.check(c)
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(offset(a.At), offset(b.At)) })
	return c, r.problems
}

func offset(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 0
	}
	return t.Position.Offset
}

func (r *reader) problem(at *token.Token, format string, args ...any) {
	r.problems = append(r.problems, Problem{at, fmt.Sprintf(format, args...)})
}

// mapping reads the entries of a mapping. prefix is the names of the sections around it, each with a dot. controllers
// reads the list of that name; nil if there may be none.
func (r *reader) mapping(m ast.MapNode, prefix string, keys []Key, controllers func(ast.Node)) {
	for it := m.MapRange(); it.Next(); {
		at := it.Key().GetToken()
		full := prefix + at.Value
		if first := r.places[full]; first != nil {
			r.problem(at, "cluster: %s is there twice, first on line %d", full, first.Position.Line)
			continue
		}
		r.places[full] = at
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == full })
		switch {
		case full == "controllers" && controllers != nil:
			controllers(it.Value())
		case i >= 0:
			r.value(keys[i], full, it.Value())
		case slices.ContainsFunc(keys, func(k Key) bool { return strings.HasPrefix(k.Name, full+".") }):
			if inner, ok := it.Value().(ast.MapNode); ok {
				r.mapping(inner, full+".", keys, nil)
			} else if _, null := it.Value().(*ast.NullNode); !null {
				r.problem(it.Value().GetToken(), "cluster: %s: want keys and values", full)
			}
		default:
			r.unknown(at, prefix, keys, controllers != nil)
		}
	}
}

// unknown reports a key that there is not, with the probable one.
func (r *reader) unknown(at *token.Token, prefix string, keys []Key, controllers bool) {
	var here, elsewhere []string
	for _, k := range keys {
		if rest, ok := strings.CutPrefix(k.Name, prefix); ok {
			first, _, _ := strings.Cut(rest, ".")
			here = append(here, first)
		}
		if last := k.Name[strings.LastIndexByte(k.Name, '.')+1:]; last == at.Value {
			elsewhere = append(elsewhere, k.Name)
		}
	}
	if controllers {
		here = append(here, "controllers")
	}
	here = slices.Compact(here)
	hint := "; the keys are " + strings.Join(here, ", ")
	if best, ok := diag.Suggest(at.Value, slices.Values(here)); ok {
		hint = "; did you mean " + best + "?"
	} else if len(elsewhere) > 0 {
		hint = "; it belongs to " + strings.Join(elsewhere, " or ")
	}
	r.problem(at, "cluster: there is no key %s%s%s", prefix, at.Value, hint)
}

// value enters the value of a key.
func (r *reader) value(k Key, full string, n ast.Node) {
	if items, ok := n.(*ast.SequenceNode); ok {
		to, ok := k.to.(lister)
		if !ok {
			r.problem(n.GetToken(), "cluster: %s: want one value, got a list", full)
			return
		}
		var texts []string
		for _, item := range items.Values {
			text, ok := scalar(item)
			if !ok {
				r.problem(item.GetToken(), "cluster: %s: want a list of words", full)
				return
			}
			texts = append(texts, text)
		}
		if err := to.setAll(texts); err != nil {
			r.problem(n.GetToken(), "cluster: %s: %v", full, err)
		}
		return
	}
	text, ok := scalar(n)
	if !ok {
		r.problem(n.GetToken(), "cluster: %s: want %s", full, k.Value)
		return
	}
	if err := k.to.set(text); err != nil {
		r.problem(n.GetToken(), "cluster: %s is %q: %v", full, text, err)
	}
}

// scalar returns the text of a value that is no list and no mapping.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// missing reports the required keys that are not there.
func (r *reader) missing(at *token.Token, prefix string, keys []Key) {
	for _, k := range keys {
		if k.Initial == Required && r.places[prefix+k.Name] == nil {
			r.problem(at, "cluster: %s%s is missing: %s", prefix, k.Name, k.Text)
		}
	}
}

// controllers reads the list of nodes.
func (r *reader) controllers(c *Config, n ast.Node) {
	items, ok := n.(*ast.SequenceNode)
	if !ok {
		r.problem(n.GetToken(), "cluster: controllers: want a list, such as - {name: node1, address: …}")
		return
	}
	if len(items.Values) == 0 {
		r.problem(n.GetToken(), "cluster: controllers is empty: want three nodes, or one")
	}
	for i, item := range items.Values {
		prefix := fmt.Sprintf("controllers[%d].", i)
		m, ok := item.(ast.MapNode)
		if !ok {
			r.problem(item.GetToken(), "cluster: controllers: want keys and values, such as {name: node1, address: …}")
			continue
		}
		var k Controller
		keys := k.keys()
		reset(keys)
		named := slices.Clone(keys)
		for j := range named {
			named[j].Name = prefix + named[j].Name
		}
		r.places[prefix] = item.GetToken()
		r.mapping(m, prefix, named, nil)
		r.missing(item.GetToken(), prefix, keys)
		c.Controllers = append(c.Controllers, k)
	}
}
