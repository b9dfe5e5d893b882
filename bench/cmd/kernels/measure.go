//go:build ptc

// This file defines the measurement of one kernel.

package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ptc-lang/ptc"
)

//go:embed programs/*.clj
var files embed.FS

const driver = "driver"

// cost is the result of a kernel and the least processor time of a call in ns.
type cost struct {
	Result string
	CPU    float64
}

// kernels returns the names of all kernels.
func kernels() []string {
	files, err := files.ReadDir("programs")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".clj"); name != driver {
			names = append(names, name)
		}
	}
	return names
}

// source returns the source of a kernel, which defines the function kernel.
func source(name string) (string, error) {
	src, err := files.ReadFile("programs/" + name + ".clj")
	return string(src), err
}

// A measurement on PTC takes batches of at least batchTime for at least the time measured.
const (
	measured  = 2 * time.Second
	batchTime = 200 * time.Millisecond
)

// onPTC measures a kernel in this process. The collector counts. It is set as cmd/ptc sets it, unless the
// environment has GOGC.
func onPTC(name string) (cost, error) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	src, err := source(name)
	if err != nil {
		return cost{}, err
	}
	prog, err := ptc.Compile(context.Background(), name+".clj", src+"\n(kernel)", ptc.Options{})
	if err != nil {
		return cost{}, err
	}
	best := cost{}
	for start := time.Now(); best.CPU == 0 || time.Since(start) < measured; {
		runtime.GC()
		var res *ptc.Result
		before, n := cpuTime(), 0
		for n == 0 || cpuTime()-before < float64(batchTime) {
			if res, err = prog.Run(context.Background(), ptc.RunOptions{}); err != nil {
				return cost{}, err
			}
			n++
		}
		cpu := (cpuTime() - before) / float64(n)
		if best.CPU == 0 || cpu < best.CPU {
			v, err := res.Value()
			if err != nil {
				return cost{}, err
			}
			best = cost{Result: fmt.Sprint(v), CPU: cpu}
		}
	}
	return best, nil
}

// cpuTime returns the processor time of this process in ns.
func cpuTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// errNoJVM means that the kernels can't run on the JVM here.
var errNoJVM = errors.New("no java, or no Clojure for it (apt-get install libclojure-java)")

// classPath is the class path of Clojure. It is that of Debian's package libclojure-java.
const classPath = "/usr/share/java/clojure.jar:/usr/share/java/spec.alpha.jar:/usr/share/java/core.specs.alpha.jar"

// onJVM measures a kernel on the JVM, in a separate process.
func onJVM(ctx context.Context, name string) (cost, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return cost{}, errNoJVM
	}
	if _, err := os.Stat(strings.Split(classPath, ":")[0]); err != nil {
		return cost{}, errNoJVM
	}
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		return cost{}, err
	}
	defer os.RemoveAll(dir)
	for _, file := range []string{name, driver} {
		src, err := source(file)
		if err != nil {
			return cost{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, file+".clj"), []byte(src), 0o600); err != nil {
			return cost{}, err
		}
	}
	cmd := exec.CommandContext(ctx, "java", "-XX:+UseSerialGC", "-cp", classPath, "clojure.main",
		filepath.Join(dir, driver+".clj"), filepath.Join(dir, name+".clj"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return cost{}, fmt.Errorf("java: %w", err)
	}
	result, cpu, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	c := cost{Result: result}
	if c.CPU, err = strconv.ParseFloat(cpu, 64); err != nil {
		return cost{}, fmt.Errorf("java: wants a result and a time, got %q", out)
	}
	return c, nil
}
