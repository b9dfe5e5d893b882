// This file defines the kernels: small programs in the style of Clojure, which run on PTC and on the
// JVM.

package bench

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

//go:embed kernels/*.clj
var kernelFiles embed.FS

const kernelDriver = "driver"

// Cost is the result of a kernel and the least processor time of a call in ns.
type Cost struct {
	Result string
	CPU    float64
}

// Kernels returns the names of all kernels.
func Kernels() []string {
	files, err := kernelFiles.ReadDir("kernels")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".clj"); name != kernelDriver {
			names = append(names, name)
		}
	}
	return names
}

// kernelSource returns the source of a kernel, which defines the function kernel.
func kernelSource(name string) (string, error) {
	src, err := kernelFiles.ReadFile("kernels/" + name + ".clj")
	return string(src), err
}

// KernelRun returns the compiled call of a kernel on PTC.
func KernelRun(name string) (Run, error) {
	src, err := kernelSource(name)
	if err != nil {
		return nil, err
	}
	prog, err := ptcPeer{}.Compile(name, src+"\n(kernel)")
	if err != nil {
		return nil, err
	}
	return prog.Bind(nil)
}

// KernelOnPTC measures a kernel in this process. The collector counts.
func KernelOnPTC(name string) (Cost, error) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as cmd/ptc does
	}
	run, err := KernelRun(name)
	if err != nil {
		return Cost{}, err
	}
	best := Cost{}
	for start := time.Now(); best.CPU == 0 || time.Since(start) < 2*budget; {
		runtime.GC()
		before, n, got := CPUTime(), 0, any(nil)
		for n == 0 || CPUTime()-before < float64(budget)/5 {
			if got, err = run(); err != nil {
				return Cost{}, err
			}
			n++
		}
		cpu := (CPUTime() - before) / float64(n)
		if best.CPU == 0 || cpu < best.CPU {
			best = Cost{Result: fmt.Sprint(got), CPU: cpu}
		}
	}
	return best, nil
}

// ClojureJar is the class path of Clojure. It is that of Debian's package libclojure-java.
var ClojureJar = "/usr/share/java/clojure.jar:/usr/share/java/spec.alpha.jar:/usr/share/java/core.specs.alpha.jar"

// KernelOnJVM measures a kernel on the JVM, in a process of its own. It returns a SkipError where
// there is no Java or no Clojure.
func KernelOnJVM(ctx context.Context, name string) (Cost, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return Cost{}, SkipError("no java")
	}
	if _, err := os.Stat(strings.Split(ClojureJar, ":")[0]); err != nil {
		return Cost{}, SkipError("no Clojure for Java: apt-get install libclojure-java")
	}
	dir, err := os.MkdirTemp("", "kernels")
	if err != nil {
		return Cost{}, err
	}
	defer os.RemoveAll(dir)
	for _, file := range []string{name, kernelDriver} {
		src, err := kernelSource(file)
		if err != nil {
			return Cost{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, file+".clj"), []byte(src), 0o600); err != nil {
			return Cost{}, err
		}
	}
	cmd := exec.CommandContext(ctx, "java", "-XX:+UseSerialGC", "-cp", ClojureJar, "clojure.main",
		filepath.Join(dir, kernelDriver+".clj"), filepath.Join(dir, name+".clj"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return Cost{}, fmt.Errorf("java: %w", err)
	}
	result, cpu, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	c := Cost{Result: result}
	if c.CPU, err = strconv.ParseFloat(cpu, 64); err != nil {
		return Cost{}, fmt.Errorf("java: wants a result and a time, got %q", out)
	}
	return c, nil
}
