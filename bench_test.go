// This file defines the benchmarks of whole programs: those of bench/programs,
// compiled once and run, and the times of compilation.

package ptc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// coldVar asks the test binary to be a process that compiles and runs one program
// for the first time; see BenchmarkCompileCold.
const coldVar = "PTC_BENCH_COLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(coldVar); path != "" {
		os.Exit(runCold(path))
	}
	if addr := os.Getenv(peerVar); addr != "" {
		os.Exit(answerSlowly(addr))
	}
	benchmarks := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if os.Getenv("GOGC") == "" && !benchmarks {
		debug.SetGCPercent(400) // as ptctest.Main does
	}
	goleak.VerifyTestMain(m)
}

// runCold prints how many nanoseconds it takes to compile and run a program.
func runCold(path string) int {
	source, err := os.ReadFile(path)
	if err == nil {
		start := time.Now()
		if _, err = Run(context.Background(), string(source), Options{}); err == nil {
			fmt.Println(time.Since(start).Nanoseconds())
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func benchPath(name string) string { return filepath.Join("bench", "programs", name+".ptc") }

func benchSource(b *testing.B, name string) string {
	b.Helper()
	source, err := os.ReadFile(benchPath(name))
	if err != nil {
		b.Skip(err) // the programs are their own module
	}
	return string(source)
}

// benchRun measures runs of a program that is compiled before.
func benchRun(b *testing.B, name string, data map[string]any) {
	p, err := Compile(context.Background(), name+".ptc", benchSource(b, name), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Run(context.Background(), RunOptions{Data: data}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFib30(b *testing.B)    { benchRun(b, "fib", map[string]any{"n": 30}) }
func BenchmarkFib35(b *testing.B)    { benchRun(b, "fib", map[string]any{"n": 35}) }
func BenchmarkLoop(b *testing.B)     { benchRun(b, "loop", map[string]any{"n": 10_000_000}) }
func BenchmarkPipeline(b *testing.B) { benchRun(b, "pipeline", map[string]any{"n": 1_000_000}) }
func BenchmarkRecords(b *testing.B)  { benchRun(b, "records", benchRecords(100_000)) }
func BenchmarkWords(b *testing.B)    { benchRun(b, "words", benchText(1<<20)) }
func BenchmarkStrings(b *testing.B)  { benchRun(b, "strings", map[string]any{"n": 200_000}) }
func BenchmarkOneLine(b *testing.B)  { benchRun(b, "oneline", map[string]any{"x": 20}) }

// BenchmarkParallel calls fib(15) 10,000 times, on one goroutine and shared out
// among two.
func BenchmarkParallel(b *testing.B) {
	for _, runs := range []int{1, 2} {
		b.Run(strconv.Itoa(runs), func(b *testing.B) {
			p, err := Compile(context.Background(), "par.ptc", benchSource(b, "par"), Options{})
			if err != nil {
				b.Fatal(err)
			}
			in := RunOptions{Data: map[string]any{"n": 10_000 / runs}}
			for b.Loop() {
				errs := make(chan error, runs)
				for range runs {
					go func() {
						_, err := p.Run(context.Background(), in)
						errs <- err
					}()
				}
				for range runs {
					if err := <-errs; err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkCompileWarm compiles and runs 1 KB of source again and again.
func BenchmarkCompileWarm(b *testing.B) {
	source := benchSource(b, "order")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Run(context.Background(), source, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompileCold does it once in each of many processes.
func BenchmarkCompileCold(b *testing.B) {
	benchSource(b, "order")
	var total float64
	n := 0
	for b.Loop() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), coldVar+"="+benchPath("order"))
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			b.Fatal(err)
		}
		total += ns
		n++
	}
	b.ReportMetric(total/float64(n), "ns-cold/op")
}

func benchRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// benchRecords returns n employees in 20 departments.
func benchRecords(n int) map[string]any {
	r := benchRandom()
	records := make([]any, n)
	for i := range records {
		records[i] = map[string]any{
			"id":     i,
			"dept":   fmt.Sprintf("dept-%02d", r.IntN(20)),
			"salary": 30_000 + r.IntN(90_000),
			"age":    20 + r.IntN(45),
		}
	}
	return map[string]any{"records": records}
}

// benchText returns sentences over 2,000 words, some of them far more frequent than
// others, of at least size bytes in all.
func benchText(size int) map[string]any {
	r := benchRandom()
	vocabulary := make([]string, 2000)
	for i := range vocabulary {
		word := make([]byte, 2+r.IntN(9))
		for j := range word {
			word[j] = byte('a' + r.IntN(26))
		}
		vocabulary[i] = string(word)
	}
	zipf := rand.NewZipf(r, 1.1, 2, uint64(len(vocabulary)-1))
	var text strings.Builder
	for text.Len() < size {
		for i, last := 0, 4+r.IntN(12); i <= last; i++ {
			word := vocabulary[zipf.Uint64()]
			if i == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			text.WriteString(word)
			switch {
			case i == last:
				text.WriteString(".\n")
			case r.IntN(8) == 0:
				text.WriteString(", ")
			default:
				text.WriteByte(' ')
			}
		}
	}
	return map[string]any{"text": text.String()}
}
