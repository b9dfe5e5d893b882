//go:build probe

// This file tests that a refused charge changes nothing. It runs the corpus with charges refused at
// several rhythms. Each refusal marks and runs the instruction again. The outcomes must be those
// without refusals.

package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

var thorough = flag.Bool("thorough", false, "run all programs of the corpus, not a third of them")

// rhythms are how many charges are granted between two refusals. Coprime ones
// meet different charges of an instruction.
var rhythms = []int{0, 1, 2, 3, 7, 31, 257}

// Most of the corpus needs less than plainLimits; the rest is left out. Marks count
// as steps, so that the limits under stress are higher.
var (
	plainLimits  = limits.Limits{Steps: 300_000, Memory: 32 << 20, Timeout: time.Minute}.OrDefault()
	stressLimits = limits.Limits{Steps: 100 * plainLimits.Steps, Memory: plainLimits.Memory,
		Timeout: time.Minute}.OrDefault()
)

// sleeps matches calls that would sleep for seconds: futures run one after another here, and nothing ends them.
var sleeps = regexp.MustCompile(`Thread/sleep \d{4}`)

func TestRefusals(t *testing.T) {
	programs := corpus(t)
	if len(programs) < 20_000 {
		t.Fatalf("the corpus has %d programs only", len(programs))
	}
	if !*thorough {
		third := programs[:0]
		for i := 0; i < len(programs); i += 3 {
			third = append(third, programs[i])
		}
		programs = third
	}
	m := New()
	ran, refused := 0, 0
	for _, source := range programs {
		c, ok := compileSource(source, plainLimits)
		if !ok || sleeps.MatchString(source) {
			continue
		}
		want := c.outcome(m, plainLimits)
		if bounded(want) || c.outcome(m, plainLimits) != want { // it depends on time or on hashes of identities
			continue
		}
		ran++
		for _, every := range rhythms {
			n := refuse(m, every)
			got := c.outcome(m, stressLimits)
			limits.Probe = nil
			refused += *n
			if got != want {
				t.Errorf("with a refusal after each %d charges:\n%s\n got %.300s\nwant %.300s", every, source, got, want)
			}
		}
	}
	t.Logf("%d programs, %d refusals", ran, refused)
	if ran < len(programs)/2 || refused < len(programs) {
		t.Errorf("%d programs of %d ran, with %d refusals", ran, len(programs), refused)
	}
}

// outcome returns the prints of the forms of a program, and the value or the error, with its place,
// of each form. After a form that fails the next one runs, unless a bound is hit.
func (c compiled) outcome(m *Evaluation, l limits.Limits) string {
	var out strings.Builder
	c.begin(m, l, &out)
	defer m.Reset()
	for _, p := range c.protos {
		v, err := m.Run(p)
		if err == nil {
			v, err = m.Realise(v)
		}
		text := ""
		if err == nil {
			err = Afterwards{Limits: l, Memory: 64 << 20}.Do(context.Background(), func(t *value.Task) {
				text = t.PrStr(v).AsString().S
			})
		}
		if err != nil {
			text = "! " + err.Error()
		}
		out.WriteString(text + "\n")
		if m.Ended() || err != nil && !catchable(err) {
			break
		}
	}
	return out.String()
}

// bounded reports whether an outcome is that of a bound, which refusals reach earlier.
func bounded(outcome string) bool {
	return strings.Contains(outcome, " "+string(diag.StepsExceeded)+": ") || strings.Contains(outcome, " "+string(diag.MemoryExceeded)+": ")
}

// maxRefusals bounds the refusals of one run: each marks all that is live.
const maxRefusals = 5000

// refuse refuses a charge of m after each so many that are granted. It refuses at most one for each
// execution of an instruction, because a second refusal means that the mark freed too little. It
// returns the number of refusals.
func refuse(m *Evaluation, every int) *int {
	granted, refused := 0, new(int)
	last := int64(-1)
	limits.Probe = func(meter *limits.Meter, _ int64) {
		if meter != &m.Meter {
			return
		}
		if granted++; granted <= every || meter.MachineSteps() == last || *refused == maxRefusals {
			return
		}
		granted, last = 0, meter.MachineSteps()
		*refused++
		panic(limits.Refused{Bytes: 1})
	}
	return refused
}

// corpus returns the programs: examples of builtins, the expressions and programs that are compared
// with Clojure, and the language tests.
func corpus(t *testing.T) []string {
	t.Helper()
	var all []string
	for e := range builtins.Entries() {
		for _, example := range e.Examples {
			for _, mark := range []string{" => ", " !"} {
				if i := strings.LastIndex(example, mark); i >= 0 {
					all = append(all, example[:i])
					break
				}
			}
		}
	}
	const header = "(require '[clojure.string :as str] '[clojure.set :as set] '[clojure.walk :as walk] '[clojure.edn :as edn])\n"
	for _, file := range glob(t, "../../spec/oracle/expr/*.jsonl") {
		for lines := bufio.NewScanner(strings.NewReader(read(t, file))); lines.Scan(); {
			var line struct {
				E string `json:"e"`
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all = append(all, header+line.E)
		}
	}
	for _, file := range append(glob(t, "../../spec/oracle/programs/*.clj"), glob(t, "../../spec/tests/*/*.ptc")...) {
		all = append(all, read(t, file))
	}
	return all
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(fmt.Errorf("%s: no files: %w", pattern, err))
	}
	return files
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
