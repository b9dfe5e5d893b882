// This file defines the peer wasm: modules of WebAssembly, compiled to machine code by wazero.

package bench

import (
	"context"
	"encoding/hex"
	"runtime"
	"strings"

	"github.com/tetratelabs/wazero"
)

// wasmPeer runs a module that exports the function run of one 64-bit number. Its programs are files of hexadecimal
// digits, because the module proxy has no assembler. In the text format, fib is
//
//	(func $fib (export "run") (param $n i64) (result i64)
//	  (if (result i64) (i64.lt_s (local.get $n) (i64.const 2))
//	    (then (local.get $n))
//	    (else (i64.add (call $fib (i64.sub (local.get $n) (i64.const 1)))
//	                   (call $fib (i64.sub (local.get $n) (i64.const 2)))))))
//
// and loop is
//
//	(func (export "run") (param $n i64) (result i64) (local $i i64) (local $sum i64)
//	  (block (loop
//	    (br_if 1 (i64.ge_s (local.get $i) (local.get $n)))
//	    (local.set $sum (i64.add (local.get $sum) (local.get $i)))
//	    (local.set $i (i64.add (local.get $i) (i64.const 1)))
//	    (br 0)))
//	  (local.get $sum))
type wasmPeer struct{}

func (wasmPeer) Name() string { return "wasm" }
func (wasmPeer) Ext() string  { return "wasm" }

func (wasmPeer) Compile(_, src string) (Program, error) {
	code, err := hex.DecodeString(strings.Join(strings.Fields(src), ""))
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	m, err := r.CompileModule(ctx, code)
	if err != nil {
		return nil, err
	}
	p := &wasmProgram{r, m}
	runtime.AddCleanup(p, func(r wazero.Runtime) { r.Close(ctx) }, r)
	return p, nil
}

type wasmProgram struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

func (p *wasmProgram) Bind(data map[string]any) (Run, error) {
	ctx := context.Background()
	m, err := p.runtime.InstantiateModule(ctx, p.module, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, err
	}
	n, ok := data["n"].(int)
	if !ok {
		n = data["x"].(int)
	}
	run := m.ExportedFunction("run")
	return func() (any, error) {
		res, err := run.Call(ctx, uint64(n))
		runtime.KeepAlive(p)
		if err != nil {
			return nil, err
		}
		return int64(res[0]), nil
	}, nil
}
