// Package exec has the tool exec.run, which runs programs of this machine.
//
// The host names the programs, and a script can run no others:
//
//	git, err := exec.Find("git")
//	tools, err := exec.Tools(exec.Grant{Programs: map[string]exec.Program{"git": git}})
//
//	(tool/exec.run {:program "git" :args ["log" "--oneline"]})
//	;; {:exit 0, :out "1df9f15 bench: tidy\n", :err ""}
//
// There is no shell: arguments are passed unchanged, whatever characters they contain. The environment of the
// program has nothing of the host's, and it has no open files except its standard input, output and error. It
// runs in its own process group, and the whole group is killed when the call ends early. Processes that it
// leaves running when it ends on its own continue. Its output is kept up to a bound; the rest is counted
// and dropped.
//
// A grant of a program grants everything that it can do. An interpreter or a shell can do anything
// that the user of the host can; so can many programs that run others if an option asks for it
// (find, git, tar, env, xargs). Fixed arguments in Program.Args can restrict a program to one use.
package exec

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// Grant names the programs that may be run, and their bounds. The zero value grants nothing.
type Grant struct {
	Programs map[string]Program // by the name that a script uses

	Timeout     time.Duration // of each call; tool.DefaultTimeout if 0
	MaxOutput   int           // bytes kept of each stream; DefaultOutput if 0
	Concurrency int           // concurrent programs; DefaultConcurrency if 0
}

// Program is a granted program.
type Program struct {
	Path string   // absolute
	Args []string // that stand before those of the call
	// Env is the environment, as KEY=value; nil is that of Environment.
	Env []string
	Dir string // where it runs; the host's own working directory if ""
}

const (
	// DefaultOutput is enough for a long log, and small beside the memory of a run.
	DefaultOutput = 1 << 20
	// DefaultConcurrency lets programs that wait overlap without filling a machine.
	DefaultConcurrency = 16
)

// Environment is the default environment of a program: the path of the system's programs, and UTF-8 as the
// encoding.
func Environment() []string {
	return []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"}
}

// Find returns the program of a name in the host's PATH, or of an absolute path.
func Find(name string) (Program, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return Program{}, fmt.Errorf("exec: there is no program %q: %w", name, err)
	}
	return Program{Path: path}, nil
}

// Names returns the tools of this package, each with the flag that grants it.
func Names() map[string]string {
	return map[string]string{"exec.run": "grant it with --allow-exec NAME"}
}

// Tools returns the tools of a grant, none if it grants nothing. The error names the program and the
// mistake.
func Tools(g Grant) ([]*tool.Tool, error) {
	if len(g.Programs) == 0 {
		return nil, nil
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(g.Programs)) {
		errs = append(errs, g.Programs[name].check(name))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return tools(g), nil
}

// Stubs returns the same tools as Tools, for checking only: they cannot be called, and the programs need
// not exist.
func Stubs(g Grant) []*tool.Tool {
	if len(g.Programs) == 0 {
		return nil
	}
	return tools(g)
}

func tools(g Grant) []*tool.Tool {
	g.Programs = maps.Clone(g.Programs)
	if g.MaxOutput <= 0 {
		g.MaxOutput = DefaultOutput
	}
	if g.Concurrency <= 0 {
		g.Concurrency = DefaultConcurrency
	}
	r := &runner{grant: g, names: slices.Sorted(maps.Keys(g.Programs)), left: &detach.Group{}}
	doc := "Runs a program with arguments, without a shell, and returns its exit status and output. A status other " +
		"than 0 is not an error. Programs: " +
		strings.Join(r.names, ", ") + "."
	return []*tool.Tool{tool.New("exec.run", doc, r.run,
		tool.Timeout(g.Timeout), tool.Concurrency(g.Concurrency), tool.Runs(r.commands),
		tool.Example(fmt.Sprintf(`(tool/exec.run {:program %q :args ["--version"]})`, r.names[0])),
		tool.Example(fmt.Sprintf(`(:out (tool/exec.run {:program %q :stdin "some text"}))`, r.names[0])))}
}

// check reports early the mistakes that would make every call fail.
func (p Program) check(name string) error {
	if name == "" {
		return errors.New("exec: a program has no name")
	}
	if !filepath.IsAbs(p.Path) {
		return fmt.Errorf("exec: program %s: got the path %q, want an absolute one: see Find", name, p.Path)
	}
	info, err := os.Stat(p.Path)
	if err != nil {
		return fmt.Errorf("exec: program %s: %w", name, err)
	}
	if info.IsDir() {
		return fmt.Errorf("exec: program %s: %s is a directory", name, p.Path)
	}
	return nil
}
