// Command compare measures every workload on every peer and prints the least
// costs and their ratios to PTC as Markdown.
//
// Each measurement is made in a separate process, so that no peer pays for the
// heap of another; the peers take turns, so that noise falls on all of them.
//
// This file defines the flags, the rounds and the process of one measurement.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/bench"
)

// reply is the output of the process of one measurement.
type reply struct {
	Sample  bench.Sample
	Skipped string
	Failed  string
}

func main() {
	rounds := flag.Int("rounds", 5, "rounds over all workloads and peers")
	repeat := flag.Int("repeat", 3, "repetitions in a process")
	only := flag.String("workloads", ".", "regular expression of workloads")
	peers := flag.String("peers", ".", "regular expression of peers")
	slow := flag.Duration("slow", 3*time.Second, "operations slower than this are measured in the first round only")
	limit := flag.Duration("timeout", 2*time.Minute, "bound on one measurement")
	cell := flag.String("cell", "", "measure `workload/peer` in this process and print JSON")
	flag.Parse()

	if *cell != "" {
		must(json.NewEncoder(os.Stdout).Encode(measure(*cell, *repeat)))
		return
	}
	t := newTable(*only, *peers)
	for round := range *rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
		for _, w := range t.workloads {
			for _, p := range t.peers {
				c := t.cells[w.Name+"/"+p.Name()]
				if c.done || c.Sample.CPU > float64(*slow) {
					continue
				}
				c.add(inProcess(w.Name+"/"+p.Name(), *repeat, *limit))
			}
		}
	}
	t.print(os.Stdout)
	if t.failed() {
		os.Exit(1)
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// measure makes one measurement in this process.
func measure(cell string, repeat int) reply {
	workload, peer, _ := strings.Cut(cell, "/")
	for _, w := range bench.Workloads {
		for _, p := range bench.Peers() {
			if w.Name != workload || p.Name() != peer {
				continue
			}
			s, err := bench.Measure(p, w, repeat)
			if reason, skip := bench.Skipped(err); skip {
				return reply{Skipped: reason}
			}
			if err != nil {
				return reply{Failed: err.Error()}
			}
			return reply{Sample: s}
		}
	}
	return reply{Failed: "no such workload and peer: " + cell}
}

// inProcess makes one measurement in a new process.
func inProcess(cell string, repeat int, limit time.Duration) reply {
	self, err := os.Executable()
	must(err)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "-cell", cell, "-repeat", fmt.Sprint(repeat))
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return reply{Failed: fmt.Sprintf("over %v", limit)}
	}
	if err != nil {
		first, _, _ := strings.Cut(errOut.String(), "\n")
		return reply{Failed: fmt.Sprintf("%v: %s", err, first)}
	}
	var r reply
	if err := json.Unmarshal(out, &r); err != nil {
		return reply{Failed: err.Error()}
	}
	return r
}

func matching(pattern string) func(string) bool {
	re, err := regexp.Compile(pattern)
	must(err)
	return re.MatchString
}
