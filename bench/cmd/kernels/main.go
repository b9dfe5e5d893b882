//go:build ptc

// Command kernels measures the kernels on PTC and on the JVM, and prints how many times the processor
// time of the JVM PTC takes.
//
//	go run -tags ptc ./cmd/kernels
//	go run -tags ptc ./cmd/kernels -kernels 'split|re-seq' -jvm jvm.json
//	go run -tags ptc ./cmd/kernels -kernels split -profile split.pprof
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime/pprof"
)

func main() {
	only := flag.String("kernels", ".", "regular expression of kernels")
	rounds := flag.Int("rounds", 2, "processes of each kernel, of which the least time counts")
	keep := flag.String("jvm", "", "`file` of the times of the JVM: read if it exists, completed otherwise")
	profile := flag.String("profile", "", "write a profile of PTC to `file`, and measure nothing else")
	cell := flag.String("cell", "", "measure this kernel on PTC in this process and print JSON")
	flag.Parse()
	re := regexp.MustCompile(*only)
	var err error
	switch {
	case *cell != "":
		var c cost
		if c, err = onPTC(*cell); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(c)
		}
	case *profile != "":
		err = profiled(*profile, re)
	default:
		err = compare(re, *rounds, *keep)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kernels:", err)
		os.Exit(1)
	}
}

func profiled(file string, re *regexp.Regexp) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for _, name := range kernels() {
		if re.MatchString(name) {
			if _, err := onPTC(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare prints the table.
func compare(re *regexp.Regexp, rounds int, keep string) error {
	jvm := map[string]cost{}
	if text, err := os.ReadFile(keep); err == nil {
		if err := json.Unmarshal(text, &jvm); err != nil {
			return fmt.Errorf("%s: %w", keep, err)
		}
	} else if keep != "" && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fmt.Println("| kernel | PTC ms | JVM ms | times |\n|---|---:|---:|---:|")
	sum, n := 0.0, 0
	for _, name := range kernels() {
		if !re.MatchString(name) {
			continue
		}
		ptc, err := inProcesses(name, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		ref, err := reference(name, rounds, jvm)
		if errors.Is(err, errNoJVM) {
			fmt.Printf("| %s | %.2f | %v | |\n", name, ptc.CPU/1e6, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if ptc.Result != ref.Result {
			return fmt.Errorf("%s: result %s, that of the JVM is %s", name, ptc.Result, ref.Result)
		}
		fmt.Printf("| %s | %.2f | %.2f | %.1f |\n", name, ptc.CPU/1e6, ref.CPU/1e6, ptc.CPU/ref.CPU)
		sum, n = sum+math.Log(ptc.CPU/ref.CPU), n+1
	}
	if n > 0 {
		fmt.Printf("| geometric mean | | | %.1f |\n", math.Exp(sum/float64(n)))
	}
	if keep == "" {
		return nil
	}
	text, err := json.MarshalIndent(jvm, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(keep, text, 0o600)
}

// inProcesses measures a kernel on PTC, each time in a new process.
func inProcesses(name string, rounds int) (cost, error) {
	self, err := os.Executable()
	if err != nil {
		return cost{}, err
	}
	return least(rounds, func() (c cost, err error) {
		cmd := exec.Command(self, "-cell", name)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return c, err
		}
		return c, json.Unmarshal(out, &c)
	})
}

// reference measures a kernel on the JVM, unless known has its time.
func reference(name string, rounds int, known map[string]cost) (cost, error) {
	if c, ok := known[name]; ok {
		return c, nil
	}
	c, err := least(rounds, func() (cost, error) { return onJVM(context.Background(), name) })
	if err == nil {
		known[name] = c
	}
	return c, err
}

func least(rounds int, measure func() (cost, error)) (best cost, err error) {
	for i := range rounds {
		c, err := measure()
		if err != nil {
			return c, err
		}
		if i == 0 || c.CPU < best.CPU {
			best = c
		}
	}
	return best, nil
}
