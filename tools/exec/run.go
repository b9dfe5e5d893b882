// This file defines the running of a program.

package exec

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/capture"
	"github.com/ptc-lang/ptc/tools/internal/commands"
	"github.com/ptc-lang/ptc/tools/internal/detach"
	"github.com/ptc-lang/ptc/tools/internal/process"
)

// The codes of failures.
const (
	CodeNotGranted  = "not-granted"  // the grant does not have the program
	CodeBadArgument = "bad-argument" // an argument that no program can be handed
	CodeStart       = "start-failed" // the operating system does not start the program
)

// Call is the arguments of exec.run.
type Call struct {
	Program string   `json:"program" jsonschema:"the name of a granted program"`
	Args    []string `json:"args,omitempty" jsonschema:"its arguments, passed unchanged"`
	Stdin   string   `json:"stdin,omitempty" jsonschema:"its standard input; empty by default"`
}

// Result is how a program ended.
type Result struct {
	Exit    int    `json:"exit" jsonschema:"its exit status; 128 plus the number of the signal if a signal ended it"`
	Out     string `json:"out"`
	Err     string `json:"err"`
	Dropped int64  `json:"dropped,omitempty" jsonschema:"number of bytes of output that were dropped at the end"`
}

// reapDelay is how long a program may hold its output open after it has ended or was
// killed: a process that it has moved to another group may keep the other ends of the pipes.
const reapDelay = time.Second

// maxArgs bounds the total bytes of the arguments, below the limit of Linux.
const maxArgs = 1 << 20

type runner struct {
	grant Grant
	names []string
	left  *detach.Group // of processes that are being killed: they end within reapDelay
}

func (r *runner) run(ctx context.Context, in Call) (Result, error) {
	p, ok := r.grant.Programs[in.Program]
	if !ok {
		return Result{}, &tool.Error{Code: CodeNotGranted,
			Message: "got the program " + strconv.Quote(in.Program) + ", want one that is granted: " +
				strings.Join(r.names, ", "),
			Data: map[string]any{"programs": r.names}}
	}
	if err := checkArgs(in.Args); err != nil {
		return Result{}, err
	}
	room := capture.Share(r.grant.MaxOutput, tool.ResultRoom(ctx), 2)
	return detach.Do(ctx, r.left, func(ctx context.Context) (Result, error) { return p.run(ctx, in, room) }, nil)
}

// thisMachine is the host of the programs, as guards name it.
const thisMachine = "localhost"

// commands returns the programs that a call runs.
func (r *runner) commands(args json.RawMessage) tool.Commands {
	c := tool.Commands{Host: thisMachine}
	var in Call
	if json.Unmarshal(args, &in) != nil {
		return c
	}
	p := r.grant.Programs[in.Program]
	name := p.Path
	if name == "" { // it was granted without being looked for
		name = in.Program
	}
	c.All, c.Exact = commands.Of(slices.Concat([]string{name}, p.Args, in.Args)...)
	return c
}

func checkArgs(args []string) error {
	size := 0
	for i, a := range args {
		if strings.IndexByte(a, 0) >= 0 {
			return &tool.Error{Code: CodeBadArgument, Message: "argument " + strconv.Itoa(i) + " has a NUL character, which " +
				"no program can be handed"}
		}
		size += len(a) + 1
	}
	if size > maxArgs {
		return &tool.Error{Code: CodeBadArgument,
			Message: "the arguments have " + strconv.Itoa(size) + " bytes, want at most " + strconv.Itoa(maxArgs) + ": hand " +
				"over the rest as :stdin"}
	}
	return nil
}

// run runs the program to its end, or kills it and all that it has started when ctx ends.
func (p Program) run(ctx context.Context, in Call, room int) (Result, error) {
	cmd := exec.CommandContext(ctx, p.Path, slices.Concat(p.Args, in.Args)...)
	out, errs := capture.New(room), capture.New(room)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in.Stdin), out, errs
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, p.Env, reapDelay
	if cmd.Env == nil {
		cmd.Env = Environment()
	}
	if trace, ok := effect.TraceOf(ctx); ok {
		cmd.Env = append(trace.Environ(), cmd.Env...) // of two variables with one name, the last one holds
	}
	process.OwnGroup(cmd)
	cmd.Cancel = func() error { return process.KillGroup(cmd) } // the program may have started others
	process.KeepDescriptors()
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		return Result{}, &tool.Error{Code: CodeStart, Message: in.Program + " does not start", Err: err}
	}
	err := cmd.Wait()
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Result{}, &tool.Error{Code: effect.CodeFailed, Message: in.Program + " was started, and lost", Err: err}
	}
	res := Result{Exit: status(cmd.ProcessState)}
	var lost, lostErr int64
	res.Out, lost = out.Text()
	res.Err, lostErr = errs.Text()
	res.Dropped = lost + lostErr
	return res, nil
}
