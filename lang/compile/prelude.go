// This file compiles the prelude: each function on its first use, once per process. All programs
// share the result.

package compile

import (
	"context"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// prelude caches the compiled functions. A function is published only after everything that it
// refers to is compiled; the lock is held in the meantime.
var prelude struct {
	ready sync.Map // *builtins.Entry to value.Value
	mu    sync.Mutex
}

// preludeCompiler compiles a function of the prelude and the definitions it refers to.
type preludeCompiler struct {
	made map[*entry.Entry]value.Value
}

// PreludeFn returns a function of the prelude as a value.
func PreludeFn(e *entry.Entry) value.Value {
	if v, ok := prelude.ready.Load(e); ok {
		return v.(value.Value)
	}
	prelude.mu.Lock()
	defer prelude.mu.Unlock()
	if v, ok := prelude.ready.Load(e); ok {
		return v.(value.Value)
	}
	pre := &preludeCompiler{made: make(map[*entry.Entry]value.Value)}
	v := pre.compile(e)
	for entry, fn := range pre.made {
		prelude.ready.Store(entry, fn)
	}
	return v
}

func (c *Compiler) preludeFn(e *entry.Entry) value.Value {
	if c.pre == nil {
		return PreludeFn(e)
	}
	if v, ok := prelude.ready.Load(e); ok {
		return v.(value.Value)
	}
	return c.pre.compile(e)
}

func (p *preludeCompiler) compile(e *entry.Entry) value.Value {
	if v, ok := p.made[e]; ok {
		return v
	}
	code := &Fn{FnCode: value.FnCode{Name: e.Name, NS: e.NS}, Library: true}
	v := value.ConstFn(&code.FnCode)
	p.made[e] = v
	t := &value.Task{}
	t.Start(context.Background(), 64<<20, limits.Default().Steps, limits.Default().Timeout)
	files := &token.FileSet{}
	form, _, _, err := parser.ParseOne(t, files.Add(e.Qualified(), e.Source), 0,
		parser.Options{Limits: limits.Default(), NS: e.NS})
	if err != nil {
		panic(err)
	}
	env := NewEnv()
	env.Enter(e.NS)
	c := New(t, env, files, nil)
	c.pre = p
	err = c.attempt(form, func() { c.definePrelude(code, form) })
	if err == nil {
		err = c.Err()
	}
	if err != nil {
		panic(err)
	}
	return v
}

// definePrelude compiles (defn name doc attrs arities…) into code.
func (c *Compiler) definePrelude(code *Fn, form value.Value) {
	_, args, _ := call(form)
	rest := args[1:]
	for len(rest) > 1 && (rest[0].IsString() || rest[0].Is(value.Maps)) {
		rest = rest[1:]
	}
	fnForm := c.expandBuiltin(nil, builtins.Lookup(CoreNS, "fn"),
		c.t.List(append([]value.Value{c.t.Symbol(CoreNS, "fn"), args[0]}, rest...)...))
	f := c.newFn(nil, "")
	compiled, captures := f.function(fnForm, code.Name)
	if len(captures) > 0 {
		c.fail(diag.Internal, form, "prelude function captures a local")
	}
	code.ByArity, code.Variadic, code.Pos = compiled.ByArity, compiled.Variadic, compiled.Pos
	for _, p := range code.ByArity {
		if p != nil {
			p.Fn = code
		}
	}
	if code.Variadic != nil {
		code.Variadic.Fn = code
	}
}
