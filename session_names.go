// This file defines what a Session tells of the source it is given and of its names.

package ptc

import (
	"context"
	"strings"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// Found says what Session.Next has found.
type Found uint8

// What is found in a source.
const (
	Nothing    Found = iota // blanks and comments
	Form                    // a form
	Unfinished              // the beginning of a form: more text could end it
	Malformed               // what no text behind it could make a form
)

// Next looks for the first form of a source, as an interactive program does that
// evaluates one form after the other, and has to know when there is one. end is behind
// the form, or behind all if there is none.
func (s *Session) Next(source string) (found Found, end int) {
	t := &value.Task{}
	l := s.opts.Limits.OrDefault()
	t.Start(context.Background(), max(l.Memory, compileMemory), max(l.Steps, compileSteps), l.Timeout)
	var eof bool
	var err *diag.Error
	func() {
		defer func() {
			if r := recover(); r != nil {
				err = eval.CompileFailure(t, r)
			}
		}()
		_, end, eof, err = parser.ParseOne(t, token.NewFile("", source), 0,
			parser.Options{Limits: l, NS: s.env.NS, Aliases: s.env.Aliases()})
	}()
	switch {
	case parser.Incomplete(err):
		return Unfinished, len(source)
	case err != nil:
		return Malformed, len(source)
	case eof:
		return Nothing, len(source)
	}
	return Form, end
}

// Namespace gives the name of the current namespace.
func (s *Session) Namespace() string { return s.env.NS }

// Definition is a name that a session has defined.
type Definition struct {
	NS, Name string
	Doc      string
	Params   []string // of each arity of a function, such as "[x & more]"
	Macro    bool
}

// Definitions gives the names that have been defined, the oldest first.
func (s *Session) Definitions() []Definition {
	var defs []Definition
	for i := range s.env.Globals {
		g := &s.env.Globals[i]
		if g.NS == compile.DataNS || g.NS == compile.CoreNS || strings.ContainsRune("*%", rune(g.Name[0])) && !g.Dynamic ||
			!g.Macro && value.Identical(s.m.Global(i), value.Unbound) {
			continue
		}
		defs = append(defs, Definition{NS: g.NS, Name: g.Name, Doc: g.Doc, Params: s.params(g), Macro: g.Macro})
	}
	return defs
}

// definitionBytes is the memory that the texts of the parameters of a function may take.
const definitionBytes = 16 << 20

// params gives the texts of the parameters of a function.
func (s *Session) params(g *compile.Global) (params []string) {
	if g.ArgLists.IsNil() {
		return nil
	}
	ofMacros := strings.NewReplacer("[&form &env ", "[", "[&form &env]", "[]")
	// A list that the program has written, and that takes no more than its source.
	eval.Afterwards{Limits: s.opts.Limits.OrDefault(), Memory: definitionBytes}.Do(context.Background(), func(t *value.Task) {
		t.Each(g.ArgLists, func(v value.Value) bool {
			params = append(params, ofMacros.Replace(t.PrStr(v).AsString().S))
			return true
		})
	})
	return params
}
