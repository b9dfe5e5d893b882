package lint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/lint"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// checkTools are the tools of the programs that are checked: find reads, put writes, mark
// writes and excludes itself.
func checkTools(t testing.TB, called func(name string)) *tool.Registry {
	t.Helper()
	reg, err := toolsThatTell(called)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func toolsThatTell(called func(name string)) (*tool.Registry, error) {
	schema := json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","maximum":9},"kind":{"enum":["a","b"]}},
		"required":["query"],"additionalProperties":false}`)
	fn := func(name string) tool.Func {
		return toolFunc(func() { called(name) })
	}
	return tool.NewRegistry(
		tool.Dynamic("find", "", schema, nil, fn("find"), tool.ReadOnly()),
		tool.Dynamic("put", "", schema, nil, fn("put")),
		tool.Dynamic("mark", "", schema, nil, fn("mark"), tool.Hint(effect.Hint{Kind: effect.GlobalExclusive})))
}

// warned lists warnings as "code text", text being what the range has.
func warned(f *ptc.Findings) []string {
	var all []string
	for _, d := range f.Diagnostics {
		text := ""
		if !d.Span.IsZero() {
			text = d.Span.File.Source[d.Span.Start:d.Span.End]
		}
		all = append(all, string(d.Code)+" "+text)
	}
	return all
}

func TestCheckWarns(t *testing.T) {
	opts := ptc.Options{Tools: checkTools(t, func(string) {})}
	hosts := json.RawMessage(`{"type":"object","properties":{"host":{"type":"string"},"what":{"type":"string"}},"required":["host"]}`)
	if err := opts.Tools.Add(tool.Dynamic("visit", "", hosts, nil, toolFunc(func() {}))); err != nil {
		t.Fatal(err)
	}
	for _, c := range checkCases {
		t.Run(c.source, func(t *testing.T) {
			got := strings.Join(warned(ptc.Check(context.Background(), "t.ptc", c.source, opts)), "; ")
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			fixed, _, _ := ptc.Fix(context.Background(), "t.ptc", c.source, opts)
			want := c.fixed
			if want == "" {
				want = c.source
			}
			if fixed != want {
				t.Errorf("fixed to %s\nwant     %s", fixed, want)
			}
			if again, n, err := ptc.Fix(context.Background(), "t.ptc", fixed, opts); err != nil || again != fixed || n != 0 {
				t.Errorf("fixed again to %s", again)
			}
		})
	}
}

// TestCheckAllErrors requires every unknown name to be reported, not only the first of each form.
func TestCheckAllErrors(t *testing.T) {
	f := ptc.Check(context.Background(), "t.ptc", "(length [1])\n(defn f [x] (upper-case (nul? x)))\n(println (load-file 1) (g 1))", ptc.Options{})
	got := strings.Join(warned(f), "; ")
	want := "unknown-name length; unknown-name upper-case; unknown-name nul?; unsupported load-file; unknown-name g"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if f.Err == nil || f.Effects != nil {
		t.Errorf("error %v, effects %v", f.Err, f.Effects)
	}
}

func TestCheckJSON(t *testing.T) {
	f := ptc.Check(context.Background(), "a.ptc", "(let [é 1]\n 2)", ptc.Options{})
	got, err := json.Marshal(f.Diagnostics)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"file":"a.ptc","severity":"warning","code":"unused-binding","message":"nothing uses é",` +
		`"range":{"start":{"line":1,"column":7,"offset":6},"end":{"line":1,"column":8,"offset":8}},` +
		`"hint":"remove it, or begin its name with _",` +
		`"fix":[{"range":{"start":{"line":1,"column":7,"offset":6},"end":{"line":1,"column":7,"offset":6}},"text":"_"}]}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCheckGivesUp requires the unexamined part to be reported, and any tool to count as reachable.
func TestCheckGivesUp(t *testing.T) {
	source := "(defn f [] 1)" + strings.Repeat("(f)", 6_000)
	f := ptc.Check(context.Background(), "t.ptc", source, ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}, Tools: checkTools(t, func(string) {})})
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	if len(f.Diagnostics) != 1 || f.Diagnostics[0].Severity != ptc.SeverityWarning || f.Diagnostics[0].Code != "memory-exceeded" {
		t.Errorf("got %v", f.Diagnostics)
	}
	if f.Effects == nil || !f.Effects.AnyTool || len(f.Effects.Tools) != 3 {
		t.Errorf("effects %v", f.Effects)
	}
}

// sources returns the programs of the examples and of the oracle.
func sources(t testing.TB) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, pattern := range []string{"../../examples/*/*.ptc", "../../spec/oracle/programs/*.clj"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = string(text)
		}
	}
	return all
}

// TestFixKeepsMeaning runs the programs of the oracle before and after they are fixed.
func TestFixKeepsMeaning(t *testing.T) {
	if testing.Short() {
		t.Skip("the corpus takes the race detector half a minute, which has nothing to find: the full run covers it")
	}
	t.Parallel()
	fixed := 0
	for name, source := range sources(t) {
		if !strings.HasSuffix(name, ".clj") {
			continue
		}
		text, n, err := ptc.Fix(context.Background(), name, source, ptc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			continue
		}
		fixed++
		if before, after := ranTo(t, source), ranTo(t, text); before != after {
			t.Errorf("%s: gave %s\nfixed  %s", name, before, after)
		}
		for _, d := range ptc.Check(context.Background(), name, text, ptc.Options{}).Diagnostics {
			if d.Code == "unused-binding" && len(d.Fix) > 0 {
				t.Errorf("%s: left %s", name, d.Message)
			}
		}
	}
	if fixed < 10 {
		t.Errorf("%d programs were fixed, want more: the test shows nothing", fixed)
	}
}

func ranTo(t *testing.T, source string) string {
	t.Helper()
	res, err := ptctest.RunWith(t.Context(), source, ptc.Options{}, ptc.RunOptions{Seed: 1})
	if err != nil {
		return err.Error()[strings.Index(err.Error(), ": ")+1:]
	}
	text, err := res.EDN()
	return fmt.Sprint(text, res.Prints, err)
}

// TestCheckQuiet requires exemplary programs to have no warnings except the known ones.
func TestCheckQuiet(t *testing.T) {
	if testing.Short() {
		t.Skip("the corpus takes the race detector half a minute, which has nothing to find: the full run covers it")
	}
	t.Parallel()
	for name, source := range sources(t) {
		for _, d := range ptc.Check(context.Background(), name, source, ptc.Options{}).Diagnostics {
			switch d.Code {
			case "unused-binding", "shadowed-builtin", "unknown-tool", "not-granted":
			default:
				if d.Severity == ptc.SeverityWarning && !knownWarnings[name+" "+string(d.Code)] {
					t.Errorf("%s: %s: %s", d.Span, d.Code, d.Message)
				}
			}
		}
	}
}

// knownWarnings are of programs that have what is told of them on purpose.
var knownWarnings = map[string]bool{
	"../../spec/oracle/programs/295-lazy-chunks.clj unused-value":          true,
	"../../spec/oracle/programs/269-exceptions.clj wrong-argument":         true,
	"../../spec/oracle/programs/296-case-cond.clj unused-value":            true,
	"../../spec/oracle/programs/372-loading-taps-readers.clj unknown-name": true,
	"../../spec/oracle/programs/390-methods-of-objects.clj unsupported":    true,
	"../../spec/oracle/programs/440-names-of-eval.clj unknown-name":        true,
	"../../spec/oracle/programs/472-current-namespace.clj unknown-name":    true,
}

// TestEveryRule: each warning has a case that brings it about, and those that can be fixed one that is.
func TestEveryRule(t *testing.T) {
	fixed := map[diag.Code]bool{lint.UnusedBinding: true, lint.UnreachableCode: true, lint.ToolArgument: true}
	for _, code := range []diag.Code{lint.UnusedBinding, lint.UnusedPrivate, lint.ShadowedBuiltin, lint.ConstantTest,
		lint.UnreachableCode,
		lint.DuplicateTest, lint.UnusedValue, lint.SingleOperand, lint.InlineDef, lint.ToolArgument, lint.OrderedEffects} {
		warns, fixes := false, false
		for _, c := range checkCases {
			has := strings.HasPrefix(c.want, string(code)+" ")
			warns, fixes = warns || has, fixes || has && c.fixed != ""
		}
		if !warns || fixed[code] && !fixes {
			t.Errorf("%s has a case: %v, with a fix: %v", code, warns, fixes)
		}
	}
}

// TestHints: a hint names what to do about that very call.
func TestHints(t *testing.T) {
	for source, names := range map[string]string{
		"(defn f [x] (conj x 1) x) (f [])":                     "conj",
		"(defn f [x] (assoc-in x [1] 1) x) (f [])":             "assoc-in",
		"(defn f [xs] (map println xs) nil) (f [])":            "run!",
		"(defn f [] \"doc\" (println 1)) (f)":                  "docstring",
		"(let [count 3] (count [1]))":                          "clojure.core/count",
		"(defn map [f] f) (map 1)":                             "(:refer-clojure :exclude [map])",
		"(if [] 1 2)":                                          "(seq coll)",
		"(= 1)":                                                "(= a b)",
		"(let [a (atom 0)] (pmap (fn [x] (swap! a + x)) [1]))": "(reset! a (pmap …))",
	} {
		found := ptc.Check(t.Context(), "t.ptc", source, ptc.Options{}).Diagnostics
		if len(found) != 1 || !strings.Contains(found[0].Hint, names) {
			t.Errorf("%s: the hint does not name %s: %v", source, names, found)
		}
	}
}
