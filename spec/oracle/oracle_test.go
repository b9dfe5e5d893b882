// This file defines the test that compares the language with JVM Clojure: expressions and programs with their
// values in Clojure 1.11. See README.md.
package oracle

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/tool"
)

var (
	verbose = flag.Bool("diverging", false, "print every expression that differs from Clojure, as JSON lines")
	prune   = flag.Bool("prune", false, "remove from divergences.jsonl what agrees with Clojure")
)

// expression is one line of an expression file.
type expression struct {
	Expr    string `json:"e"`
	Value   string `json:"v,omitempty"`
	Output  string `json:"o,omitempty"`
	Class   string `json:"x,omitempty"`
	Message string `json:"m,omitempty"`
}

// divergence is an expression, or a program, that differs, and why: a heading of
// spec/divergences.md.
type divergence struct {
	Expr    string `json:"e,omitempty"`
	Program string `json:"p,omitempty"`
	Why     string `json:"why"`
}

// agreeing are the listed expressions and programs that agree with Clojure.
var agreeing sync.Map

// agreed deals with one of them.
func agreed(t *testing.T, name string) {
	t.Helper()
	agreeing.Store(name, true)
	if !*prune {
		t.Errorf("agrees with Clojure now: remove it from divergences.jsonl, or run with -prune: %s", name)
	}
}

// pruned rewrites divergences.jsonl without the divergences that agree by now.
func pruned(t *testing.T) {
	if !*prune {
		return
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, d := range readLines[divergence](t, "divergences.jsonl") {
		if _, agrees := agreeing.Load(cmp.Or(d.Program, d.Expr)); !agrees {
			if err := enc.Encode(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile("divergences.jsonl", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// divergences returns the reasons by expression and by program.
func divergences(t *testing.T) (exprs, programs map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../divergences.md")
	if err != nil {
		t.Fatal(err)
	}
	exprs, programs = make(map[string]string), make(map[string]string)
	for _, d := range readLines[divergence](t, "divergences.jsonl") {
		if !strings.Contains(string(text), "\n## "+d.Why+"\n") {
			t.Errorf("divergences.md has no heading %q", d.Why)
		}
		if d.Program != "" {
			programs[d.Program] = d.Why
		} else {
			exprs[d.Expr] = d.Why
		}
	}
	return exprs, programs
}

const header = "(require '[clojure.string :as str] '[clojure.set :as set] '[clojure.walk :as walk] '[clojure.edn :as edn] '[clojure.math :as math])\n"

// TestExpressions evaluates the expressions of all files; one of four where not all tests run.
func TestExpressions(t *testing.T) {
	why, _ := divergences(t)
	t.Cleanup(func() { pruned(t) })
	files, err := filepath.Glob("expr/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no expression files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			for i, e := range readLines[expression](t, file) {
				if testlevel.Takes(i, 8) || *verbose || *prune {
					checkExpression(t, e, why)
				}
			}
		})
	}
}

func checkExpression(t *testing.T, e expression, why map[string]string) {
	got := evaluate(e.Expr)
	_, listed := why[e.Expr]
	switch agrees := got.agrees(e); {
	case agrees && listed:
		agreed(t, e.Expr)
	case !agrees && !listed:
		if *verbose {
			line, _ := json.Marshal(map[string]any{"want": e, "got": got})
			os.Stdout.Write(append(line, '\n'))
		}
		t.Errorf("%s\n got %+v\nwant %+v", e.Expr, got, e)
	}
}

// outcome is the outcome of an expression in PTC.
type outcome struct {
	Value, Output, Class, Message, Code string
}

// agrees reports whether the outcome is the one of Clojure: value and output, or the
// class of the exception.
func (o outcome) agrees(e expression) bool {
	if e.Class != "" {
		return o.Class == e.Class || o.Class == "" && o.Code != "" && compileTime[o.Code]
	}
	return o.Code == "" && o.Value == e.Value && o.Output == e.Output
}

// compileTime are the codes of errors that are found before a program runs, where
// Clojure may find them while it runs.
var compileTime = map[string]bool{"syntax-error": true, "unknown-name": true, "bad-form": true, "wrong-arity": true,
	"misplaced-recur": true, "unsupported": true}

// withClock are options that grant the time of day, which every program of Clojure can read.
var withClock = sync.OnceValue(func() ptc.Options {
	tools := &tool.Registry{}
	err := tools.Add(tool.New("time.now", "Returns the time.", func(context.Context, struct{}) (int, error) { return 0, nil }))
	if err != nil {
		panic(err)
	}
	return ptc.Options{Tools: tools}
})

func evaluate(expr string) outcome {
	prog, err := ptc.Compile(context.Background(), "expr", header+expr, withClock())
	if err != nil {
		return failed(err, "")
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{})
	if err != nil {
		return failed(err, res.Prints)
	}
	text, err := res.EDN()
	if err != nil {
		return failed(err, res.Prints)
	}
	return outcome{Value: text, Output: res.Prints}
}

func failed(err error, prints string) outcome {
	var e *ptc.Error
	if !errors.As(err, &e) {
		return outcome{Code: "no *ptc.Error", Message: err.Error()}
	}
	if e.Class == "clojure.lang.Compiler$CompilerException" && e.Cause != nil { // which the corpus removes
		e = e.Cause
	}
	return outcome{Output: prints, Class: e.Class, Message: e.Message, Code: string(e.Code)}
}

func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("programs/*.clj")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	_, why := divergences(t)
	t.Cleanup(func() { pruned(t) })
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".clj")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problem := programProblem(t, file)
			switch _, listed := why[name]; {
			case problem == "" && listed:
				agreed(t, name)
			case problem != "" && !listed:
				t.Error(problem)
			}
		})
	}
}

// programProblem describes how the output and the value of a program differ from Clojure; "" if they agree.
func programProblem(t *testing.T, file string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(strings.TrimSuffix(file, ".clj") + ".out")
	if err != nil {
		t.Fatal(err)
	}
	prog, err := ptc.Compile(context.Background(), file, string(source), withClock())
	if err != nil {
		return err.Error()
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{})
	if err != nil {
		return fmt.Sprintf("%v\nafter printing:\n%s", err, res.Prints)
	}
	got := res.Prints
	if !res.IsNil() {
		text, err := res.EDN()
		if err != nil {
			return err.Error()
		}
		got += text + "\n"
	}
	if got != string(want) {
		return fmt.Sprintf("got:\n%s\nwant:\n%s", got, want)
	}
	return ""
}

func readLines[T any](t *testing.T, file string) []T {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var x T
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatalf("%s: %v: %s", file, err, lines.Text())
		}
		all = append(all, x)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
