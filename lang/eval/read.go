// This file defines how a running program reads text.

package eval

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// The options of read-string that the machine obeys.
var (
	keyReaders  = value.ConstKeyword("readers")
	keyDefault  = value.ConstKeyword("default")
	keyFeatures = value.ConstKeyword("features")
)

// Read implements value.Host.
func (m *Machine) Read(text string, edn bool, opts value.Value) (form value.Value, ok bool) {
	o := parser.Options{Limits: m.opts.Limits, Edn: edn, Tags: m.tagReader(opts)}
	if features := m.option(opts, keyFeatures); features.Is(value.Sets) {
		o.Features = []string{"ptc"}
		for it := value.NewMapIter(features); it.Next(); {
			if it.Key.IsKeyword() {
				o.Features = append(o.Features, it.Key.AsKeyword().Name)
			}
		}
	}
	form, _, eof, err := parser.ParseOne(&m.Task, token.NewFile("text", text), 0, o)
	if err != nil {
		m.FailHint(readCode(err.Message), err.Hint, "%s", err.Message)
	}
	return form, !eof
}

// readCode gives the code whose class Clojure's reader throws where a program asks
// it to read. For the compiler all of them are syntax errors.
func readCode(message string) diag.Code {
	for _, kind := range []struct {
		begins, ends string
		code         diag.Code
	}{{"invalid number", ": divide by zero", diag.Arithmetic}, {"invalid number", "", diag.NumberFormat},
		{"duplicate ", "", diag.IllegalArgument}, {"metadata ", "", diag.IllegalArgument}} {
		if strings.HasPrefix(message, kind.begins) && strings.HasSuffix(message, kind.ends) {
			return kind.code
		}
	}
	return diag.SyntaxError
}

func (m *Machine) option(opts, key value.Value) value.Value {
	if !opts.Is(value.Maps) {
		return value.Nil
	}
	v, _ := m.MapGet(opts, key)
	return v
}

// tagReader gives what reads tagged literals: the function of the tag in :readers,
// else :default, a function of tag and form.
func (m *Machine) tagReader(opts value.Value) func(t *value.Task, tag, form value.Value) (value.Value, bool) {
	readers, def := m.option(opts, keyReaders), m.option(opts, keyDefault)
	return func(_ *value.Task, tag, form value.Value) (value.Value, bool) {
		if readers.Is(value.Maps) {
			if f, ok := m.MapGet(readers, tag); ok {
				return m.Call(f, form), true
			}
		}
		if !def.IsNil() {
			return m.Call(def, tag, form), true
		}
		return value.Nil, false
	}
}
