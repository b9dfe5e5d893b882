// This file defines the tests that compare fused pipelines with unfused ones: generated pipelines of stages
// that compute, fail and have effects of every kind, and all programs of the repository.

package ptc

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/tool"
)

var (
	pipelines   = flag.Int("pipelines", 150, "how many pipelines TestFusionKeepsMeaning compares")
	corpusEvery = flag.Int("corpus.every", 0, "TestFusionOfCorpus compares one of this many programs: 4 when all tests run, else 16")
)

// fusionOutcome is everything about a run that a program, its user or a tool can see.
type fusionOutcome struct {
	value, prints, calls, err string
	steps                     int64
}

// fusionInput is the input of a program.
type fusionInput struct {
	steps int64 // the most that it may take
	data  map[string]any
}

// runFusion runs a program, with or without fusion.
func runFusion(source string, unfused bool, in fusionInput) fusionOutcome {
	var out fusionOutcome
	note := tool.New("note", "Notes a value.", func(_ context.Context, in struct {
		X any `json:"x"`
	}) (any, error) {
		out.calls += fmt.Sprint(in.X, " ")
		return in.X, nil
	})
	registry, err := tool.NewRegistry(note)
	if err != nil {
		return fusionOutcome{err: err.Error()}
	}
	prog, err := Compile(context.Background(), "p", source, Options{unfused: unfused, Tools: registry, Limits: Limits{Steps: in.steps}})
	if err != nil {
		out.err = fusionError(err)
		return out
	}
	res, err := prog.Run(context.Background(), RunOptions{Data: in.data, Seed: 7})
	if out.prints, out.steps = res.Prints, res.Usage.Steps; err != nil {
		out.err = fusionError(err)
		return out
	}
	if out.value, err = res.EDN(); err != nil {
		out.err = err.Error()
	}
	return out
}

// fusionError returns the mistake and its place.
func fusionError(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	place := ""
	if e.Span.File != nil {
		line, column := e.Span.File.LineCol(e.Span.Start)
		place = fmt.Sprintf("%d:%d ", line, column)
	}
	return place + string(e.Code) + " " + e.Class + " " + e.Message
}

// unnamed matches the names of a function and of its parameter in a message: the instruction that replaces
// inc reports + as its name, and no names of parameters.
var unnamed = regexp.MustCompile(`(?:[^\s:]+: )?(got [^\n]*?)(?: for [a-z0-9-]+)?(, want)`)

// sameFused compares the two outcomes of a program and reports whether the code was another
// one.
func sameFused(t *testing.T, name, source string, in fusionInput) (fused bool) {
	t.Helper()
	a, b := runFusion(source, false, in), runFusion(source, true, in)
	fused = a.steps != b.steps
	a.steps, b.steps = 0, 0
	a.prints, b.prints = unnamed.ReplaceAllString(a.prints, "$1$2"), unnamed.ReplaceAllString(b.prints, "$1$2")
	a.err, b.err = unnamed.ReplaceAllString(a.err, "$1$2"), unnamed.ReplaceAllString(b.err, "$1$2")
	endless := func(r string) bool { return strings.Contains(r, "steps-exceeded") || strings.Contains(r, "timeout") }
	if a != b && !(endless(a.err) && endless(b.err)) {
		t.Errorf("%s\n%s\nfused   %+v\nwritten %+v", name, source, a, b)
	}
	return fused
}

// fusionPipeline writes a pipeline.
func fusionPipeline(r *rand.Rand) string {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	fn := func() string { // half of them are pure
		if r.IntN(2) == 0 {
			return pick(fusionPure)
		}
		return pick(fusionImpure)
	}
	stage := func() string { return pick([]string{"map", "map", "map", "filter", "remove", "keep"}) + " " + fn() }
	body := pick(fusionSources)
	for range r.IntN(4) {
		body = "(" + stage() + " " + body + ")"
	}
	xform := "(" + stage() + ")"
	for r.IntN(2) == 0 {
		xform = strings.Replace(strings.TrimSuffix(xform, ")"), "(", "(comp (", 1) + ") (" + stage() + "))"
		break
	}
	if strings.Contains(body, "cycle") {
		body = "(take " + pick([]string{"5", "40"}) + " " + body + ")"
	}
	switch r.IntN(22) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(reduce %s %s)", pick(fusionReducers), body)
	case 4, 5, 6, 7:
		return fmt.Sprintf("(reduce %s %s %s)", pick(fusionReducers), pick(fusionInits), body)
	case 8:
		return fmt.Sprintf("(into %s %s)", pick([]string{"[]", "{}", "#{}", "()", "[0]"}), body)
	case 9:
		return fmt.Sprintf("(into %s %s %s)", pick([]string{"[]", "{}", "#{}"}), xform, body)
	case 10:
		return fmt.Sprintf("(transduce %s %s %s %s)", xform, pick(fusionReducers), pick(fusionInits), body)
	case 11, 12:
		return fmt.Sprintf("(vec %s)", body)
	case 13:
		return fmt.Sprintf("(set %s)", body)
	case 14:
		return fmt.Sprintf("(count %s)", body)
	case 15, 16:
		return fmt.Sprintf("(mapv %s %s)", fn(), body)
	case 17:
		return fmt.Sprintf("(filterv %s %s)", fn(), body)
	case 18:
		return fmt.Sprintf("(first %s)", body)
	case 19:
		return fmt.Sprintf("(take 3 %s)", body)
	case 20:
		return fmt.Sprintf("(run! %s %s)", fn(), body)
	}
	return fmt.Sprintf("(%s %s)", pick(fusionOthers), body)
}

// fusionProgram writes a program of one pipeline. Some programs catch the error at the end; all of them
// show the final state.
func fusionProgram(r *rand.Rand) string {
	pipe := fusionPipeline(r)
	if r.IntN(8) == 0 { // redefines functions after the pipeline was compiled
		pipe = "(with-redefs [square shout add (fn [a b] (println :add b) (+ a b)) front (fn [x] (swap! at inc) x)]\n" +
			"(let [r " + pipe + "] (if (seq? r) (doall r) r)))"
	}
	if r.IntN(2) == 0 {
		pipe = "(try " + pipe + " (catch Throwable e (println (class e) (ex-message e)) :failed))"
	}
	if strings.Contains(pipe, "*d*") {
		pipe = "(binding [*d* 2] (let [r " + pipe + "] (if (seq? r) (doall r) r)))"
	}
	return fusionState + "(let [r " + pipe + "]\n(println (pr-str r))\n" +
		"[(pr-str (if (seq? r) (vec r) r)) @at (vec a) (str sb) (get tr :k) g @log])"
}

// TestFusionKeepsMeaning checks that a fused pipeline has the same value, output, calls of tools,
// error and state as the pipeline as written.
func TestFusionKeepsMeaning(t *testing.T) {
	fused, n := 0, *pipelines
	if testlevel.Small() {
		n /= 10
	}
	for seed := range uint64(n) {
		source := fusionProgram(rand.New(rand.NewPCG(seed, 3)))
		if sameFused(t, fmt.Sprint("seed ", seed), source, fusionInput{steps: 3_000_000}) {
			fused++
		}
	}
	require.Greater(t, fused, n/3, "programs in which something was fused")
}

// TestFusionCases: the order of calls in a pipeline is that of Clojure.
func TestFusionCases(t *testing.T) {
	for _, c := range fusionCases {
		out := runFusion(c.source, false, fusionInput{steps: 1_000_000})
		got := strings.TrimSpace(out.value + " " + strings.Join(strings.Fields(out.prints), " ") + out.err)
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
		sameFused(t, "case", c.source, fusionInput{steps: 1_000_000})
	}
}

// corpus calls visit with the programs of the repository: the expressions and programs
// that are compared with Clojure, the facts, the examples, and the blocks of the documents.
func corpus(t *testing.T, visit func(name, source string)) {
	t.Helper()
	read := func(pattern string, each func(name, text string)) {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			each(file, string(text))
		}
	}
	read("spec/oracle/programs/*.clj", visit)
	read("spec/tests/*/*.ptc", visit)
	read("examples/*/*.ptc", visit)
	for _, pattern := range []string{"*.md", "spec/*.md", "docs/*.md"} {
		read(pattern, func(name, text string) {
			for i, block := range strings.Split(text, "\n```clojure")[1:] {
				_, block, _ = strings.Cut(block, "\n")
				block, _, _ = strings.Cut(block, "\n```")
				visit(fmt.Sprint(name, " block ", i+1), block)
			}
		})
	}
	read("spec/oracle/expr/*.jsonl", func(name, text string) {
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			var e struct {
				Expr string `json:"e"`
			}
			require.NoError(t, json.Unmarshal([]byte(line), &e), name)
			visit(fmt.Sprint(name, ":", i+1), e.Expr)
		}
	})
}

// consumers are the names at which fusion begins.
var consumers = regexp.MustCompile(`reduce|transduce|into|mapv|filterv|vec|set|count`)

// TestFusionOfCorpus: no program of the repository can tell whether its pipelines are fused, except by
// objects that reduce themselves: see spec/divergences.md.
func TestFusionOfCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("the corpus takes the race detector two minutes, which has nothing to find: the full run covers it")
	}
	every := testlevel.Size(32, 8)
	if *corpusEvery > 0 {
		every = *corpusEvery
	}
	fused, all, compared := 0, 0, 0
	corpus(t, func(name, source string) {
		if !consumers.MatchString(source) || strings.Contains(source, "IReduceInit") {
			return
		}
		if all++; all%every != 0 {
			return
		}
		compared++
		if sameFused(t, name, source, fusionInput{steps: 20_000_000, data: fusionData}) {
			fused++
		}
	})
	require.Greater(t, all, 1500)
	require.Greater(t, fused, compared/10, "programs in which something was fused")
}

// fusionData is the data that the programs of the documents read.
var fusionData = map[string]any{
	"numbers": []int{1, 2, 3}, "order": map[string]any{},
	"orders": []any{map[string]any{"id": 1, "region": "north", "quantity": 3, "price": 9.5}},
}
