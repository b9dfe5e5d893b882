// Command charging measures the cost of accounting for memory. It builds ptc with
// charging and without (the build tag nocharge) and compares the instructions that
// each executes for the same program, as valgrind counts them. Times would tell less:
// where the linker happens to put the loop of the machine makes them differ by up to
// a fifth, in either direction, for programs that charge nothing.
//
//	go run ./cmd/charging
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var programs = []struct{ name, source string }{
	{"start", `nil`},
	{"arithmetic", `(loop [i 0 sum 0] (if (< i 1000000) (recur (inc i) (+ sum (* i 3))) sum))`},
	{"fib", `(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 25)`},
	{"lists", `(loop [i 0 xs ()] (if (< i 300000) (recur (inc i) (if (zero? (mod i 1000)) () (conj xs i))) (count xs)))`},
	{"vectors", `(count (reduce conj [] (range 300000)))`},
	{"maps", `(count (reduce (fn [m i] (assoc m (mod i 1000) i)) {} (range 100000)))`},
	{"records", `(count (mapv (fn [i] {:id i :name (str "user-" i) :tags [i (inc i)]}) (range 50000)))`},
	{"strings", `(count (frequencies (map (fn [i] (str (mod i 97))) (range 100000))))`},
	{"closures", `(loop [i 0 f inc] (if (< i 300000) (recur (inc i) (fn [x] (+ x i))) (f 1)))`},
	{"sequences", `(count (filter odd? (map inc (concat (range 100000) (list 1 2 3)))))`},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "charging:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "charging")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	with, without := filepath.Join(dir, "with"), filepath.Join(dir, "without")
	for bin, tags := range map[string]string{with: "", without: "nocharge"} {
		build := exec.Command("go", "build", "-tags", tags, "-o", bin, "github.com/ptc-lang/ptc/cmd/ptc")
		build.Dir = ".." // the module of ptc
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building: %v\n%s", err, out)
		}
	}
	var start [2]float64
	fmt.Println("millions of instructions, less those of the start")
	fmt.Printf("%-12s %10s %10s %8s\n", "program", "charging", "without", "ratio")
	for _, p := range programs {
		var n [2]float64
		for i, bin := range []string{with, without} {
			if n[i], err = instructions(bin, p.source); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			n[i] -= start[i]
		}
		fmt.Printf("%-12s %10.2f %10.2f %8.4f\n", p.name, n[0]/1e6, n[1]/1e6, n[0]/n[1])
		if p.name == "start" {
			start = n
		}
	}
	return nil
}

var collected = regexp.MustCompile(`Collected *: *(\d+)`)

// instructions returns the number of instructions that bin executes to run a program, with one
// processor and without collections, whose moments vary.
func instructions(bin, source string) (float64, error) {
	cmd := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", bin, "run", "-e", source)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("valgrind (apt-get install valgrind): %v\n%s", err, out.String())
	}
	m := collected.FindStringSubmatch(out.String())
	if m == nil {
		return 0, fmt.Errorf("valgrind tells no count of instructions:\n%s", out.String())
	}
	return strconv.ParseFloat(m[1], 64)
}
