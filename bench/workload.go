// This file defines the workloads: which program with which data, and which part
// of compiling, binding and running is one operation.

package bench

import (
	"fmt"
	"sync"

	"github.com/ptc-lang/ptc/bench/programs"
)

// Workload is a program with its data and the operation that is timed.
type Workload struct {
	Name    string
	Program string // name of the program files
	Data    func() map[string]any
	Stage   Stage
	Copies  int  // concurrent runs of one compiled program; 0 is one
	Small   bool // too short to be timed one by one
	Skip    map[string]string
}

// Stage is where the timing of a workload begins.
type Stage int

// The stages.
const (
	FromRun     Stage = iota // the program is compiled and bound ahead
	FromBind                 // the program is compiled ahead
	FromCompile              // nothing is done ahead
)

const (
	noRecursion = "the language has no recursion"
	noRegexp    = "the language cannot split on a pattern"
	noHost      = "no Go host whose data it could take"
	noStart     = "the start of the process would be most of the time"
	noThreads   = "no threads in one process"
	noFold      = "the language has no recursion, no loop and no sum"
	noMemory    = "the module takes and returns one number: a compiler for it would bring its own library"
	noFresh     = "a run of its own needs an interpreter of its own, as in compile-warm"
)

// Workloads are all workloads.
var Workloads = []Workload{
	{Name: "fib30", Program: "fib", Data: number("n", 30), Skip: map[string]string{"cel": noFold, "expr": noRecursion}},
	{Name: "fib35", Program: "fib", Data: number("n", 35), Skip: map[string]string{"cel": noFold, "expr": noRecursion}},
	{Name: "loop", Program: "loop", Data: number("n", 10_000_000), Skip: map[string]string{"cel": noFold}},
	{Name: "pipeline", Program: "pipeline", Data: number("n", 1_000_000),
		Skip: map[string]string{"cel": noFold, "wasm": noMemory}},
	{Name: "records", Program: "records", Data: recordData, Stage: FromBind,
		Skip: map[string]string{"cel": noFold, "wasm": noMemory, "lua5.4": noHost}},
	{Name: "records-bound", Program: "records", Data: recordData,
		Skip: map[string]string{"cel": noFold, "wasm": noMemory}},
	{Name: "words", Program: "words", Data: textData,
		Skip: map[string]string{"cel": noFold, "wasm": noMemory, "expr": noRegexp}},
	{Name: "strings", Program: "strings", Data: number("n", 200_000),
		Skip: map[string]string{"cel": noFold, "wasm": noMemory}},
	{Name: "par1", Program: "par", Data: number("n", 10_000),
		Skip: map[string]string{"cel": noFold, "wasm": noMemory, "expr": noRecursion, "lua5.4": noThreads}},
	{Name: "par2", Program: "par", Data: number("n", 5_000), Copies: 2,
		Skip: map[string]string{"cel": noFold, "wasm": noMemory, "expr": noRecursion, "lua5.4": noThreads}},
	{Name: "compile-cold", Program: "order", Data: noData, Stage: FromCompile,
		Skip: map[string]string{"cel": noFold, "wasm": noMemory, "lua5.4": noStart}},
	{Name: "compile-warm", Program: "order", Data: noData, Stage: FromCompile, Small: true,
		Skip: map[string]string{"cel": noFold, "wasm": noMemory, "lua5.4": noStart}},
	{Name: "compile-oneline", Program: "oneline", Data: number("x", 20), Stage: FromCompile, Small: true,
		Skip: map[string]string{"lua5.4": noStart}},
	{Name: "oneline", Program: "oneline", Data: number("x", 20), Small: true,
		Skip: map[string]string{"lua5.4": noStart}},
	{Name: "oneline-fresh", Program: "oneline", Data: number("x", 20), Stage: FromBind, Small: true,
		Skip: map[string]string{"lua5.4": noStart, "yaegi": noFresh}},
}

// Prepare does everything that is not timed and returns the operation to time. The error is a
// SkipError if the peer does not run the workload.
func (w Workload) Prepare(p Peer, data map[string]any) (Run, error) {
	if reason, skip := w.Skip[p.Name()]; skip {
		return nil, SkipError(reason)
	}
	src, ok := programs.Source(w.Program, p.Ext())
	if !ok {
		return nil, fmt.Errorf("no program %s.%s", w.Program, p.Ext())
	}
	if w.Stage == FromCompile {
		return func() (any, error) {
			prog, err := p.Compile(w.Program, src)
			if err != nil {
				return nil, err
			}
			return bindRun(prog, data)
		}, nil
	}
	prog, err := p.Compile(w.Program, src)
	if err != nil {
		return nil, err
	}
	if w.Stage == FromBind {
		return func() (any, error) { return bindRun(prog, data) }, nil
	}
	if w.Copies > 1 {
		return concurrent(prog, data, w.Copies)
	}
	return prog.Bind(data)
}

// Want returns the canonical result that every peer must return.
func (w Workload) Want(data map[string]any) any {
	want := Canon(programs.Reference[w.Program](data))
	if w.Copies <= 1 {
		return want
	}
	all := make([]any, w.Copies)
	for i := range all {
		all[i] = want
	}
	return all
}

func bindRun(prog Program, data map[string]any) (any, error) {
	run, err := prog.Bind(data)
	if err != nil {
		return nil, err
	}
	return run()
}

// concurrent returns an operation of n bound runs, each on its own goroutine.
func concurrent(prog Program, data map[string]any, n int) (Run, error) {
	runs := make([]Run, n)
	for i := range runs {
		var err error
		if runs[i], err = prog.Bind(data); err != nil {
			return nil, err
		}
	}
	return func() (any, error) {
		results, errs := make([]any, n), make([]error, n)
		var wg sync.WaitGroup
		for i, run := range runs {
			wg.Go(func() { results[i], errs[i] = run() })
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
		return results, nil
	}, nil
}
