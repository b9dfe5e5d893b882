// This file defines the test that runs the examples of the builtins that are written in Go, without a
// compiler. It runs only examples that call such functions on constants.

package builtins

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// constants evaluates calls of functions in Go on constants.
type constants struct{ t *value.Task }

// eval unwinds with unable at a form of another kind, and with arity at a call that the compiler refuses.
type (
	unable struct{ form value.Value }
	arity  struct{}
)

func newConstants() constants {
	t := &value.Task{Owner: 1}
	t.Start(context.Background(), 64<<20, math.MaxInt64, time.Minute)
	return constants{t}
}

func (c constants) read(source string) (form value.Value, ok bool) {
	form, _, _, err := parser.ParseOne(c.t, token.NewFile("example", source), 0, parser.Options{Limits: limits.Default()})
	return form, err == nil
}

func (c constants) eval(form value.Value) value.Value {
	switch {
	case form.IsSymbol():
		if e := c.entry(form); e != nil && e.Fn != nil {
			return e.Native()
		}
		panic(unable{form})
	case form.Is(value.Kinds(value.KindVector)):
		return c.t.Vector(c.all(value.Items(form))...)
	case form.Is(value.Sets) || form.Is(value.Maps):
		for x := range value.Leaves(form) {
			if x.IsSymbol() || x.Is(value.Seqs) || x.Is(value.Colls) {
				panic(unable{form})
			}
		}
		return form
	}
	items, ok := value.FormItems(form)
	if !ok || len(items) == 0 || form.Is(value.Vectors) {
		return form
	}
	if items[0].IsSymbol() && items[0].AsSymbol().Name == "quote" {
		return items[1]
	}
	e := c.entry(items[0])
	if e == nil || e.Fn == nil || e.NS == "." || strings.HasPrefix(items[0].AsSymbol().Name, ".") {
		panic(unable{form})
	}
	args := c.all(items[1:])
	fn := e.Native().AsNative()
	if len(args) < fn.Min || fn.Max >= 0 && len(args) > fn.Max {
		panic(arity{})
	}
	return e.Exact(len(args))(c.t, args)
}

func (c constants) all(forms []value.Value) []value.Value {
	vals := make([]value.Value, 0, len(forms))
	for _, f := range forms {
		vals = append(vals, c.eval(f))
	}
	return vals
}

func (c constants) entry(sym value.Value) *entry.Entry {
	if !sym.IsSymbol() {
		return nil
	}
	ns := sym.AsSymbol().NS
	if ns == "" {
		ns = entry.CoreNS
	}
	return Lookup(Canonical(ns), sym.AsSymbol().Name)
}

// run evaluates an expression, and returns its text, or "!code"; ok is false if that takes a compiler.
func (c constants) run(source string) (text string, ok bool) {
	form, ok := c.read(source)
	if !ok {
		return "", false
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unable:
			ok = false
		case arity:
			text, ok = "!wrong-arity", true
		case value.Thrown:
			text, ok = "!"+string(value.ErrorOf(c.t, r.Exception).Code), true
		default:
			text, ok = "", false // it needs a host, and there is none
		}
	}()
	v := c.eval(form)
	return c.t.PrStr(v).AsString().S, true
}

func TestExamples(t *testing.T) {
	ran := make(map[string]int)
	for e := range Entries() {
		if e.Fn == nil {
			continue
		}
		for _, x := range e.Examples {
			c := newConstants()
			source, want, isValue := strings.Cut(x, " => ")
			if !isValue {
				i := strings.LastIndex(x, " !")
				source, want = x[:i], x[i+1:]
			}
			got, ok := c.run(source)
			if !ok || strings.Contains(source, "^") || want == "##Inf" || // the compiler reads metadata, and knows doubles
				isValue && strings.HasPrefix(got, "!") && strings.Contains(source, "(fn ") {
				continue
			}
			again := want
			if wanted, ok := c.read(want); isValue && ok {
				again = c.t.PrStr(wanted).AsString().S
			}
			ran[e.NS]++
			if got != want && got != again {
				t.Errorf("%s: %s is %s, want %s", e.Qualified(), source, got, want)
			}
		}
	}
	for ns, least := range map[string]int{"clojure.core": 350, "Math": 90, "clojure.math": 70, "Character": 15, "Long": 15} {
		if ran[ns] < least {
			t.Errorf("%d examples of %s ran, want %d: the test shows nothing", ran[ns], ns, least)
		}
	}
}

// TestTotal: a function in Go that is known never to fail does not, and changes no argument.
func TestTotal(t *testing.T) {
	args := []string{"nil", "true", "1", "-1.5", "2/3", "1N", "1.5M", `"a"`, `\a`, ":a", "'a", "[1 2]", "{:a 1}", "#{1}", "'(1)", "##NaN", "inc"}
	n := 0
	for e := range Entries() {
		if e.Fn == nil || e.Purity != entry.Total {
			continue
		}
		n++
		for _, a := range args {
			for _, b := range args {
				for _, list := range []string{"", a, a + " " + b, a + " 0 " + b} {
					if !e.Takes(len(strings.Fields(list))) || strings.Contains(list, "[") || strings.Contains(list, "{:a") {
						continue
					}
					call := fmt.Sprintf("(%s %s)", e.Qualified(), list)
					if got, ok := newConstants().run(call); ok && strings.HasPrefix(got, "!") {
						t.Errorf("%s is known never to fail: %s", call, got)
					}
				}
			}
		}
	}
	if n < 45 {
		t.Errorf("%d functions are known never to fail", n)
	}
}

// TestDoubles: a function that is known to return doubles returns nothing else for any number.
func TestDoubles(t *testing.T) {
	n := 0
	for e := range Entries() {
		if e.Doubles == entry.DoubleUnknown {
			continue
		}
		n++
		for _, a := range []string{"1", "0.5", "2/3", "3N", "1.5M"} {
			args := a
			if e.Doubles == entry.DoubleOfArgs {
				args = "0.5"
			}
			least, _ := e.Arity()
			call := strings.TrimSpace(e.Qualified() + strings.Repeat(" "+args, max(least, 1)))
			if e.Name == "parseDouble" {
				call = e.Qualified() + ` "1.5"`
			}
			if e.Name == "scalb" {
				call = e.Qualified() + " " + args + " 1"
			}
			c := newConstants()
			form, _ := c.read("(" + call + ")")
			if e.Name == "random" {
				continue // it asks the host
			}
			if v := c.eval(form); !v.IsFloat() {
				t.Errorf("(%s) is %s, and no double", call, c.t.PrStr(v).AsString().S)
			}
		}
	}
	if n < 60 {
		t.Errorf("%d functions are known to return doubles", n)
	}
}
