// This file defines the methods by which the REPL inspects a Session.

package ptc

import (
	"context"
	"strings"

	"github.com/ptc-lang/ptc/internal/inspect"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/value"
)

// inspected implements inspect.Session.
type inspected struct{ *Session }

// Namespace implements inspect.Session.
func (s inspected) Namespace() string { return s.env.NS }

// Aliases implements inspect.Session.
func (s inspected) Aliases() map[string]string { return s.env.Aliases() }

// Definitions implements inspect.Session.
func (s inspected) Definitions() []inspect.Definition {
	var defs []inspect.Definition
	for i := range s.env.Globals {
		g := &s.env.Globals[i]
		if g.NS == compile.DataNS || g.NS == compile.CoreNS || strings.ContainsRune("*%", rune(g.Name[0])) && !g.Dynamic ||
			!g.Macro && value.Identical(s.m.Global(i), value.Unbound) {
			continue
		}
		defs = append(defs, inspect.Definition{NS: g.NS, Name: g.Name, Doc: g.Doc, Params: s.params(g), Macro: g.Macro})
	}
	return defs
}

// definitionBytes is the memory that the texts of the parameters of a function may take.
const definitionBytes = 16 << 20

// params returns the texts of the parameters of a function.
func (s inspected) params(g *compile.Global) (params []string) {
	if g.ArgLists.IsNil() {
		return nil
	}
	ofMacros := strings.NewReplacer("[&form &env ", "[", "[&form &env]", "[]")
	// A list that the program has written, and that takes no more than its source.
	bounds := eval.Afterwards{Limits: s.opts.Limits.OrDefault(), Memory: definitionBytes}
	bounds.Do(context.Background(), func(t *value.Task) {
		t.Each(g.ArgLists, func(v value.Value) bool {
			params = append(params, ofMacros.Replace(t.PrStr(v).AsString().S))
			return true
		})
	})
	return params
}
