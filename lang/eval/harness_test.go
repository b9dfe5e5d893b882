// This file defines how the tests of this package compile and run programs on a
// machine that they can look into.

package eval

import (
	"context"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// testOwner tags the objects of the programs that tests run.
const testOwner = 7

// compiled is a program, ready to run.
type compiled struct {
	env    *compile.Env
	protos []*compile.Proto
}

// compileSource compiles the forms of a source. ok is false if it has a mistake.
func compileSource(source string, l limits.Limits) (c compiled, ok bool) {
	task := &value.Task{}
	task.Start(context.Background(), 64<<20, 100_000_000, l.Timeout)
	failure := Compiling(task, func() { c, ok = compileWithin(task, source, l) })
	return c, ok && failure == nil
}

func compileWithin(task *value.Task, source string, l limits.Limits) (c compiled, ok bool) {
	c.env = compile.NewEnv()
	files := &token.FileSet{}
	file := files.Add("test", source)
	comp := compile.New(task, c.env, files, NewExpander(context.Background(), c.env, Options{Limits: &l, Owner: 1}))
	for off, eof := 0, false; !eof; {
		var form value.Value
		var err *diag.Error
		o := parser.Options{Limits: l, ResolveSymbol: comp.Resolve, NS: c.env.NS, Aliases: c.env.Aliases()}
		if form, off, eof, err = parser.ParseOne(task, file, off, o); err != nil {
			return c, false
		}
		if !eof {
			c.protos = append(c.protos, comp.Forms([]value.Value{form})...)
		}
	}
	return c, comp.Err() == nil
}

// mustCompile compiles a source that has no mistake.
func mustCompile(t testing.TB, source string) compiled {
	t.Helper()
	c, ok := compileSource(source, limits.Default())
	if !ok {
		t.Fatalf("does not compile: %s", source)
	}
	return c
}

// begin readies a machine for a program; its prints go to out.
func (c compiled) begin(m *Evaluation, l limits.Limits, out *strings.Builder) {
	m.Start(context.Background(), Options{Limits: &l, Owner: testOwner, Seed: 1, Env: c.env,
		Shared: Shared{Output: func(_, text string) { out.WriteString(text) }}})
}

// run runs the program to its end and returns its value, with every lazy part computed.
func (c compiled) run(m *Evaluation) (v value.Value, err *diag.Error) {
	for _, p := range c.protos {
		if v, err = m.Run(p); err != nil || m.Ended() {
			break
		}
	}
	if err != nil {
		return value.Nil, err
	}
	return m.Realise(v)
}
