// This file defines how a running program reads text.

package machine

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// The options of read-string that the machine implements.
var (
	keyReaders  = value.ConstKeyword("readers")
	keyDefault  = value.ConstKeyword("default")
	keyFeatures = value.ConstKeyword("features")
	keyReadCond = value.ConstKeyword("read-cond")
	keyPreserve = value.ConstKeyword("preserve")
)

// Read implements value.Host.
func (m *Machine) Read(text string, edn bool, opts value.Value) (form value.Value, ok bool) {
	form, _, ok = m.readNext(text, edn, opts, len(text))
	return form, ok
}

// The first number of bytes of a stream that ReadFrom parses, and by how much it grows if the form is longer.
const (
	firstWindow  = 4 << 10
	windowGrowth = 16
)

// ReadFrom implements value.Host. It parses a part of the text that is long enough for the form, so that the time for
// all forms of a text is not that for its length times their number.
func (m *Machine) ReadFrom(text string, edn bool, opts value.Value) (form value.Value, end int, ok bool) {
	most := min(len(text), m.limits.SourceBytes)
	plain := m.readOptions(opts, edn)
	plain.Tags = nil // which may call the program
	for n := firstWindow; n < most; n *= windowGrowth {
		if found, end := parser.First(text[:n], plain); found == parser.Form && end < n {
			m.Work(int64(n) / 16)
			return m.readNext(text, edn, opts, end)
		}
	}
	return m.readNext(text, edn, opts, most)
}

// readNext reads the first form of the first n bytes of a text. end is the offset after the form.
func (m *Machine) readNext(text string, edn bool, opts value.Value, n int) (form value.Value, end int, ok bool) {
	form, end, eof, err := parser.ParseOne(&m.Task, token.NewFile("text", text[:n]), 0, m.readOptions(opts, edn))
	if err != nil {
		code, message, hint := readFailure(err)
		m.FailHint(code, hint, "%s", message)
	}
	if !edn {
		form = compile.Patterns(&m.Task, form)
	}
	return form, end, !eof
}

// readOptions returns the options of the parser.
func (m *Machine) readOptions(opts value.Value, edn bool) parser.Options {
	o := parser.Options{Limits: *m.limits, Edn: edn, Tags: m.tagReader(opts, edn)}
	env := m.env
	if env == nil {
		env = m.compiled
	}
	if env != nil {
		o.NS = m.currentNS()
		if o.NS != env.NS {
			env = m.OwnEnv() // which is in that namespace
		}
		o.Aliases = env.AliasesOf(o.NS)
		o.ResolveSymbol = func(ns, name string) (string, string) {
			return compile.New(&m.Task, env, &token.FileSet{}, nil).Resolve(ns, name)
		}
	}
	o.Preserve = !edn && value.Same(m.option(opts, keyReadCond), keyPreserve)
	if features := m.option(opts, keyFeatures); features.Is(value.Sets) {
		o.Features = []string{"ptc", "clj"}
		for it := value.NewMapIter(features); it.Next(); {
			if it.Key.IsKeyword() {
				o.Features = append(o.Features, it.Key.AsKeyword().Name)
			}
		}
	}
	return o
}

// readError is the failure of Clojure's reader for a message of package parser.
type readError struct {
	begins, ends string
	code         diag.Code
	message      string // %s is replaced by the text between begins and ends
}

// readErrors are the failures of the reader for which Clojure has messages. For the compiler all of
// them are syntax errors.
var readErrors = []readError{
	{"unexpected end of the source", "", diag.SyntaxError, "EOF while reading"},
	{"unmatched \"", "\"", diag.SyntaxError, "Unmatched delimiter: %s"},
	{"a map needs pairs", "", diag.SyntaxError, "Map literal must contain an even number of forms"},
	{"unknown tag #", "", diag.SyntaxError, "No reader function for tag %s"},
	{"invalid number ", ": radix out", diag.NumberFormat, "Radix out of range"},
	{"invalid number ", ": divide by zero", diag.Arithmetic, "Divide by zero"},
	{"invalid number ", ":", diag.NumberFormat, "Invalid number: %s"},
	{"invalid number ", "", diag.NumberFormat, "Invalid number: %s"},
	{"duplicate key ", ", first", diag.IllegalArgument, "Duplicate key: %s"},
	{"duplicate element ", ", first", diag.IllegalArgument, "Duplicate key: %s"},
	{"invalid symbol \"", "\"", diag.SyntaxError, "Invalid token: %s"},
	{"invalid keyword \"", "\"", diag.SyntaxError, "Invalid token: %s"},
	{"bad escape in a string: \\u takes", "", diag.IllegalArgument, ""},
	{"bad escape in a string: ", "", diag.SyntaxError, "Unsupported escape character: %s"},
	{"unknown symbolic value ", "", diag.SyntaxError, "Unknown symbolic value: %s"},
	{"metadata must be", "", diag.IllegalArgument, "Metadata must be Symbol,Keyword,String or Map"},
	{"metadata can be", "", diag.IllegalArgument, "Metadata can only be applied to IMetas"},
}

// readFailure returns the code and the message with which Clojure's reader fails when a program
// calls it. The hint has the message of package parser. Bounds keep their codes.
func readFailure(err *diag.Error) (code diag.Code, message, hint string) {
	message, hint = err.Message, err.Hint
	for _, e := range readErrors {
		rest, ok := strings.CutPrefix(message, e.begins)
		if !ok {
			continue
		}
		if e.ends != "" {
			if rest, _, ok = strings.Cut(rest, e.ends); !ok {
				continue
			}
		}
		if e.message == "" {
			return e.code, message, hint
		}
		if hint != "" {
			hint = "; " + hint
		}
		return e.code, strings.ReplaceAll(e.message, "%s", rest), message + hint
	}
	return err.Code, message, hint
}

func (m *Machine) option(opts, key value.Value) value.Value {
	if !opts.Is(value.Maps) {
		return value.Nil
	}
	v, _ := m.MapGet(opts, key)
	return v
}

// tagReader returns the reader of tagged literals: the function of the tag in :readers,
// else :default, a function of tag and form.
func (m *Machine) tagReader(opts value.Value, edn bool) func(t *value.Task, tag, form value.Value) (value.Value, bool) {
	readers, def := m.option(opts, keyReaders), m.option(opts, keyDefault)
	return func(_ *value.Task, tag, form value.Value) (value.Value, bool) {
		if readers.Is(value.Maps) {
			if f, ok := m.MapGet(readers, tag); ok {
				return m.Call(f, form), true
			}
		}
		if name := tag.AsSymbol(); name.NS == "" && (name.Name == "inst" || name.Name == "uuid") {
			return value.Nil, false // the parser reads them
		}
		if !def.IsNil() {
			return m.Call(def, tag, form), true
		}
		if !edn && form.Is(value.Maps|value.Vectors) {
			return m.readRecord(tag.AsSymbol().Name, form)
		}
		return value.Nil, false
	}
}

// readRecord makes the record of a literal, #ns.Name{…} or #ns.Name[…]. It returns false if the
// program defines no record with that name.
func (m *Machine) readRecord(class string, form value.Value) (value.Value, bool) {
	at := strings.LastIndexByte(class, '.')
	if at < 0 {
		return value.Nil, false
	}
	maker, args := "map->", []value.Value{form}
	if form.Is(value.Vectors) {
		maker, args = "->", value.Items(form)
	}
	ns := strings.ReplaceAll(class[:at], "_", "-")
	v := m.Names().Resolve(m.Names().Current(), m.Symbol(ns, maker+class[at+1:]))
	if v.Kind() != value.KindVar {
		return value.Nil, false
	}
	return m.Call(m.VarGet(v.AsVar()), args...), true
}
