// Command startup compares the start of a process that evaluates 1 with that of
// a Go program that prints a line. It builds both into a temporary directory and
// runs them in turn. Run it in the directory of this module.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const root = "github.com/ptc-lang/ptc"

// command is a program under measurement.
type command struct {
	name    string
	pkg     string // in the module of mod
	mod     string
	args    []string
	path    string
	cpu     []time.Duration
	elapsed []time.Duration
}

func main() {
	runs := flag.Int("runs", 50, "runs of each program")
	pkg := flag.String("ptc", "./cmd/ptc", "`package` of the ptc command in its module")
	flag.Parse()
	if err := compare(os.Stdout, *runs, *pkg); err != nil {
		fmt.Fprintln(os.Stderr, "startup:", err)
		os.Exit(1)
	}
}

func compare(out *os.File, runs int, pkg string) error {
	dir, err := os.MkdirTemp("", "startup")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var built []*command
	for _, c := range []*command{
		{name: "hello", mod: root + "/bench", pkg: "./cmd/hello"},
		{name: "ptc", mod: root, pkg: pkg, args: []string{"run", "-e", "1"}},
	} {
		if err := c.build(dir); err != nil {
			fmt.Fprintf(out, "%s is not measured: %v\n\n", c.name, err)
			continue
		}
		built = append(built, c)
	}
	for range runs {
		for _, c := range built {
			if err := c.run(); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(out, "| program | size | cpu min | cpu median | elapsed min | elapsed median |")
	fmt.Fprintln(out, "|---|---:|---:|---:|---:|---:|")
	for _, c := range built {
		if err := c.report(out); err != nil {
			return err
		}
	}
	return nil
}

func (c *command) build(dir string) error {
	c.path = filepath.Join(dir, c.name)
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", c.mod)
	modDir, err := list.Output()
	if err != nil {
		return fmt.Errorf("module %s: %w", c.mod, err)
	}
	build := exec.Command("go", "build", "-o", c.path, c.pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Dir = strings.TrimSpace(string(modDir))
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w: %s", c.pkg, err, strings.TrimSpace(string(text)))
	}
	return rewritten(c.path)
}

// rewritten writes a file again from its beginning to its end, as installing it does. The output of the
// linker is in the system's cache in small pieces, and starts a fifth slower.
func rewritten(path string) error {
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o700)
}

func (c *command) run() error {
	cmd := exec.Command(c.path, c.args...)
	start := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", c.name, err, text)
	}
	c.elapsed = append(c.elapsed, time.Since(start))
	c.cpu = append(c.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return nil
}

func (c *command) report(out *os.File) error {
	info, err := os.Stat(c.path)
	if err != nil {
		return err
	}
	slices.Sort(c.cpu)
	slices.Sort(c.elapsed)
	fmt.Fprintf(out, "| %s | %.1f MiB | %s | %s | %s | %s |\n",
		strings.Join(append([]string{c.name}, c.args...), " "), float64(info.Size())/(1<<20),
		ms(c.cpu[0]), ms(c.cpu[len(c.cpu)/2]), ms(c.elapsed[0]), ms(c.elapsed[len(c.elapsed)/2]))
	return nil
}

func ms(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
