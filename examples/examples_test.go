// Package examples holds programs over real data; its test runs them.
package examples

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/examples/internal/accesslog"
	"github.com/ptc-lang/ptc/examples/internal/documents"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// examples returns the data of each program, none for "".
var examples = map[string]string{
	"calculator/calc.ptc":     "expressions.json",
	"config/diff.ptc":         "config.json",
	"csv/parse.ptc":           "expenses.json",
	"duplicates/find.ptc":     "tickets.json",
	"monte-carlo/pi.ptc":      "throws.json",
	"inventory/reconcile.ptc": "inventory.json",
	"pipeline/etl.ptc":        "events.json",
	"rollout/plan.ptc":        "hosts.json",
	"sales/report.ptc":        "sales.json",
	"testing/stack_test.ptc":  "",
	"text/statistics.ptc":     "logbook.json",
}

// The programs whose data is generated.
const (
	accessLog       = "access-log/analyse.ptc"
	logs            = "logs/hosts.ptc"
	similarity      = "similarity/pairs.ptc"
	fleetUpdate     = "fleet/update.ptc"
	ledgerReconcile = "ledger/reconcile.ptc"
	poll            = "poll/items.ptc"
	approve         = "approve/retire.ptc"
	overdue         = "mcp/overdue.ptc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestExamples(t *testing.T) {
	for program, data := range examples {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			input := map[string]any{}
			if data != "" {
				input = decode(t, read(t, filepath.Join("data", data)))
			}
			compare(t, program, input, "expected.txt")
		})
	}
}

func TestAccessLog(t *testing.T) {
	for _, c := range []struct {
		name     string
		bytes    int
		expected string
	}{{"small", 200_000, "expected-small.txt"}, {"10MB", 10_000_000, "expected.txt"}} {
		t.Run(c.name, func(t *testing.T) {
			if c.bytes > 1_000_000 {
				testlevel.System(t)
			}
			compare(t, accessLog, map[string]any{"log": accesslog.Generate(c.bytes, 1)}, c.expected)
		})
	}
}

func TestLogs(t *testing.T) {
	var texts []any
	for seed := range uint64(10) {
		texts = append(texts, accesslog.Generate(200_000, seed+1))
	}
	compare(t, logs, map[string]any{"logs": texts}, "expected.txt")
}

func TestSimilarity(t *testing.T) {
	compare(t, similarity, documents.Input(150, 1), "expected.txt")
}

// TestAllExamples requires each program of the folder tested.
func TestAllExamples(t *testing.T) {
	programs, err := filepath.Glob("*/*.ptc")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if _, ok := examples[filepath.ToSlash(p)]; !ok && !slices.Contains([]string{accessLog, logs, similarity,
			fleetUpdate, ledgerReconcile, poll, approve, overdue}, filepath.ToSlash(p)) {
			t.Errorf("%s is not tested", p)
		}
	}
}

// BenchmarkSpeedUp reports how many times as fast as one worker all are, on all processors:
// the least time of one to the least of all, which take turns.
func BenchmarkSpeedUp(b *testing.B) {
	var texts []any
	for seed := range uint64(10) {
		texts = append(texts, accesslog.Generate(10_000_000, seed+1))
	}
	for program, input := range map[string]map[string]any{
		"monte-carlo/pi.ptc": {"throws": 10_000_000},
		logs:                 {"logs": texts},
		similarity:           documents.Input(2000, 1),
	} {
		b.Run(program, func(b *testing.B) {
			least := map[int]time.Duration{}
			for b.Loop() {
				for _, workers := range []int{1, 8} {
					prog, err := ptc.Compile(context.Background(), program, read(b, program), ptc.Options{Limits: ptc.Limits{
						Timeout: 10 * time.Minute, Steps: 1 << 50, Memory: 512 << 20, Workers: workers}})
					if err != nil {
						b.Fatal(err)
					}
					res, err := prog.Run(context.Background(), ptc.RunOptions{Data: input, Seed: 1})
					if err != nil {
						b.Fatal(err)
					}
					if t, ok := least[workers]; !ok || res.Usage.Duration < t {
						least[workers] = res.Usage.Duration
					}
				}
			}
			b.ReportMetric(least[1].Seconds()/least[8].Seconds(), "speed-up")
		})
	}
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// decode returns the members of a JSON object, which stay JSON.
func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		t.Fatal(err)
	}
	input := make(map[string]any, len(members))
	for name, member := range members {
		input[name] = member
	}
	return input
}

// compare runs a program like ptc run, and compares its prints and its value with a file beside it.
func compare(t *testing.T, program string, input map[string]any, expected string) {
	t.Helper()
	compareWith(t, program, ptc.Options{}, input, expected)
}

// compareWith is compare for a program with tools.
func compareWith(t *testing.T, program string, opts ptc.Options, input map[string]any, expected string) {
	t.Helper()
	opts.Limits.Timeout = 5 * time.Minute
	prog, err := ptc.Compile(context.Background(), program, read(t, program), opts)
	if err != nil {
		t.Fatal(err)
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{Data: input, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := res.Prints
	if !res.IsNil() {
		text, err := res.EDN()
		if err != nil {
			t.Fatal(err)
		}
		got += text + "\n"
	}
	want := read(t, filepath.Join(filepath.Dir(program), expected))
	if got == want {
		return
	}
	lines, wanted := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(lines), len(wanted)) {
		if lines[i] != wanted[i] {
			t.Errorf("line %d of %s:\ngot  %s\nwant %s", i+1, expected, lines[i], wanted[i])
			return
		}
	}
	t.Errorf("got %d lines, %s has %d", len(lines), expected, len(wanted))
}
