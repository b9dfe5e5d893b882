// This file defines how the tests of this package compile programs and run them on a
// machine that stands alone: above it there is no evaluation tree.

package machine

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

// noTree is the floor above a machine that stands alone.
type noTree struct{}

func (noTree) Request(r any) (goOn, known bool, err *diag.Error) {
	if s, ok := r.(limits.Stop); ok && s.Bound == limits.BoundSteps {
		return false, true, &diag.Error{Code: diag.StepsExceeded, Message: "out of steps"}
	}
	return false, false, nil
}
func (noTree) Overrun(err *diag.Error) (goOn bool, ends *diag.Error) { return false, err }
func (noTree) HeldBefore() int64                                     { return 0 }
func (noTree) MemoryOption() string                                  { return "memory limit" }
func (noTree) Mark(*value.Marker)                                    {}
func (noTree) Bytes() int64                                          { return 0 }
func (noTree) Abandon()                                              {}

// nobody is a Host for operations that a machine does not perform itself. It supports none.
type nobody struct{ value.Host }

// host is the Host of a machine that stands alone. It can print.
type host struct {
	*Machine
	nobody
	out *strings.Builder // nil: prints are dropped
}

func (h host) Print(text string) {
	if !h.Captured(text) && h.out != nil {
		h.out.WriteString(text)
	}
}

// noMacros is the Expander of programs that define no macros.
type noMacros struct{}

func (noMacros) Define(*compile.Proto) {}
func (noMacros) Expand(int, []value.Value) (value.Value, *diag.Error) {
	panic("machine: a test defines a macro")
}

// compiled is a program, ready to run.
type compiled struct {
	env    *compile.Env
	protos []*compile.Proto
}

// mustCompile compiles a source that has no mistake and defines no macro.
func mustCompile(t testing.TB, source string) (c compiled) {
	t.Helper()
	l := limits.Default()
	task := &value.Task{}
	task.Start(context.Background(), 64<<20, 100_000_000, l.Timeout)
	c.env = compile.NewEnv()
	files := &token.FileSet{}
	file := files.Add("test", source)
	comp := compile.New(task, c.env, files, noMacros{})
	for off, eof := 0, false; !eof; {
		var form value.Value
		var err *diag.Error
		o := parser.Options{Limits: l, ResolveSymbol: comp.Resolve, NS: c.env.NS, Aliases: c.env.Aliases()}
		if form, off, eof, err = parser.ParseOne(task, file, off, o); err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if !eof {
			c.protos = append(c.protos, comp.Forms([]value.Value{form})...)
		}
	}
	if err := comp.Err(); err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return c
}

// begin returns a machine that is ready to run the program. Its prints go to out.
func (c compiled) begin(l limits.Limits, out *strings.Builder) *Machine {
	m := &Machine{}
	m.Init(host{Machine: m, out: out}, noTree{})
	m.Start(context.Background(), Config{Limits: &l, Steps: l.Steps, Timeout: l.Timeout, Owner: testOwner, Seed: 1,
		Env: c.env})
	return m
}

// run runs the program to its end and returns its value, with every lazy part computed.
func (c compiled) run(m *Machine) (v value.Value, err *diag.Error) {
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
