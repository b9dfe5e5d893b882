// This file defines the tests that all peers agree and the benchmarks of every
// workload, with a sub-benchmark for each peer.

package bench

import (
	"testing"

	"github.com/ptc-lang/ptc/bench/programs"
)

// smallNumber replaces the number that a workload takes, in the tests.
const smallNumber = 18

// shrunk returns the data of a workload with a small number.
func shrunk(w Workload) map[string]any {
	data := w.Data()
	if _, ok := data["n"]; ok {
		data["n"] = smallNumber
	}
	return data
}

func TestPeersAgree(t *testing.T) {
	for _, w := range Workloads {
		for _, p := range Peers() {
			t.Run(w.Name+"/"+p.Name(), func(t *testing.T) {
				data := shrunk(w)
				op, err := w.Prepare(p, data)
				if err == nil {
					var got any
					if got, err = op(); err == nil {
						check(t, w, data, got)
					}
				}
				if reason, skip := Skipped(err); skip {
					t.Skip(reason)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func check(t *testing.T, w Workload, data map[string]any, got any) {
	t.Helper()
	if e, ok := got.(External); ok {
		got = e.Value
	}
	if want := w.Want(data); !Equal(Canon(got), want) {
		t.Errorf("got %s, want %s", abridge(got), abridge(want))
	}
}

func TestCompiledProgramIsOneKilobyte(t *testing.T) {
	for _, p := range Peers() {
		src, ok := programs.Source("order", p.Ext())
		if _, skip := coldSkips()[p.Name()]; skip && !ok {
			continue
		}
		if size := len(src); !ok || size < 900 || size > 1100 {
			t.Errorf("order.%s has %d bytes", p.Ext(), size)
		}
	}
}

// coldSkips returns why peers do not run the workload compile-cold.
func coldSkips() map[string]string {
	for _, w := range Workloads {
		if w.Name == "compile-cold" {
			return w.Skip
		}
	}
	return nil
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b any
		want bool
	}{
		{1, int64(1), true},
		{1, 1.0, true},
		{1, 2, false},
		{1, "1", false},
		{0.1, 0.2, false},
		{166667166667000000, 166667166667000000.0 + 64, true},
		{[]any{"a", 1}, []any{"a", 1.0}, true},
		{[]any{"a"}, []any{"a", 1}, false},
		{[]any{1}, 1, false},
	} {
		if got := Equal(Canon(c.a), Canon(c.b)); got != c.want {
			t.Errorf("Equal(%v, %v) = %v", c.a, c.b, got)
		}
	}
}

func BenchmarkFib30(b *testing.B)        { benchmark(b, "fib30") }
func BenchmarkFib35(b *testing.B)        { benchmark(b, "fib35") }
func BenchmarkLoop(b *testing.B)         { benchmark(b, "loop") }
func BenchmarkPipeline(b *testing.B)     { benchmark(b, "pipeline") }
func BenchmarkRecords(b *testing.B)      { benchmark(b, "records") }
func BenchmarkRecordsBound(b *testing.B) { benchmark(b, "records-bound") }
func BenchmarkWords(b *testing.B)        { benchmark(b, "words") }
func BenchmarkStrings(b *testing.B)      { benchmark(b, "strings") }
func BenchmarkPar1(b *testing.B)         { benchmark(b, "par1") }
func BenchmarkPar2(b *testing.B)         { benchmark(b, "par2") }
func BenchmarkCompileWarm(b *testing.B)  { benchmark(b, "compile-warm") }
func BenchmarkCompileOne(b *testing.B)   { benchmark(b, "compile-oneline") }
func BenchmarkOneline(b *testing.B)      { benchmark(b, "oneline") }
func BenchmarkOnelineFresh(b *testing.B) { benchmark(b, "oneline-fresh") }

// benchmark runs a workload on every peer and reports processor time as well.
func benchmark(b *testing.B, workload string) {
	for _, w := range Workloads {
		if w.Name != workload {
			continue
		}
		for _, p := range Peers() {
			b.Run(p.Name(), func(b *testing.B) {
				op, err := w.Prepare(p, w.Data())
				if err == nil {
					err = loop(b, op)
				}
				if reason, skip := Skipped(err); skip {
					b.Skip(reason)
				}
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// loop is the timed part of a benchmark.
func loop(b *testing.B, op Run) error {
	b.ReportAllocs()
	cpu, external := CPUTime(), 0.0
	for b.Loop() {
		got, err := op()
		if err != nil {
			return err
		}
		if e, ok := got.(External); ok {
			external += e.CPU
		}
	}
	cpu = CPUTime() - cpu
	if external > 0 {
		cpu = external
	}
	b.ReportMetric(cpu/float64(b.N), "cpu-ns/op")
	return nil
}
