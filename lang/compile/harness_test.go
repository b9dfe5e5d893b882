// This file defines how the tests of this package compile a source and show the code.

package compile

import (
	"context"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// compileSource compiles a source that defines no macros.
func compileSource(t testing.TB, source string) ([]*Proto, *Env, *diag.Error) {
	t.Helper()
	return compileIn(t, NewEnv(), source)
}

func compileIn(t testing.TB, env *Env, source string) ([]*Proto, *Env, *diag.Error) {
	t.Helper()
	task := &value.Task{Owner: 1}
	task.Start(context.Background(), 256<<20, math.MaxInt64, time.Minute)
	files := &token.FileSet{}
	file := files.Add("test.ptc", source)
	c := New(task, env, files, nil)
	var protos []*Proto
	for off, eof := 0, false; !eof; {
		var form value.Value
		var err *diag.Error
		o := parser.Options{Limits: limits.Default(), ResolveSymbol: c.Resolve, NS: env.NS, Aliases: env.Aliases()}
		if form, off, eof, err = parser.ParseOne(task, file, off, o); err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if !eof {
			protos = append(protos, c.Forms([]value.Value{form})...)
		}
	}
	return protos, env, c.Err()
}

// compiled compiles a source that has no mistake.
func compiled(t testing.TB, source string) []*Proto {
	t.Helper()
	protos, _, err := compileSource(t, source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return protos
}

// codeOf returns the code of the function that a source is: an expression (fn …).
func codeOf(t testing.TB, source string) *Proto {
	t.Helper()
	protos := compiled(t, source)
	top := protos[len(protos)-1]
	var fn *Fn
	for _, k := range top.Consts { // a function that captures nothing is a constant
		if k.Kind() == value.KindFn {
			fn = FnOf(k.AsFn())
		}
	}
	if fn == nil {
		fn = top.Fns[0]
	}
	for _, p := range fn.ByArity {
		if p != nil {
			return p
		}
	}
	return fn.Variadic
}

// opNames are the names of the operations, by their number.
var opNames = func() []string {
	text, err := os.ReadFile("op.go")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^\t(Op[A-Z]\w*)( +Op = iota)?($| +//| *$)`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, strings.TrimPrefix(m[1], "Op"))
	}
	return names
}()

// each visits the instructions of some code.
func each(p *Proto, visit func(pc int, i Instr)) {
	for pc := 0; pc < len(p.Code); pc += p.operandsAt(pc).size {
		visit(pc, p.Code[pc])
	}
}

// ops lists the operations of some code.
func ops(p *Proto) (list []Op) {
	each(p, func(_ int, i Instr) { list = append(list, i.Op()) })
	return list
}

// show writes the operations of some code.
func show(p *Proto) string {
	var words []string
	for _, op := range ops(p) {
		words = append(words, opNames[op])
	}
	return strings.Join(words, " ")
}

// called lists the functions of the library that some code calls, sorted, each once.
func called(p *Proto) string {
	var names []string
	each(p, func(pc int, i Instr) {
		switch i.Op() {
		case OpCallN, OpMethod, OpMethodN, OpTest:
			names = append(names, p.Callee(pc))
		case OpCallK:
			names = append(names, FnOf(p.Consts[p.Code[pc+1].Wide()].AsFn()).Name)
		}
	})
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

func TestOpNames(t *testing.T) {
	if opNames[OpNop] != "Nop" || opNames[OpDivDouble] != "DivDouble" || opNames[OpJEqK] != "JEqK" || opNames[OpCatch] != "Catch" {
		t.Errorf("the names of the operations are not those of op.go: %v", opNames)
	}
}
