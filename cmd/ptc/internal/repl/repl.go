// Package repl is the interactive session of ptc: it reads forms and commands,
// evaluates them one after the other and shows their values.
//   - Run is the loop. It knows nothing of terminals: lines come from an Editor, and output
//     goes to two writers.
//   - Lines is the Editor of a pipe and of a terminal without cursor movement. Terminal is
//     the Editor of any other terminal, on github.com/chzyer/readline.
//   - History is the file that keeps the input for later sessions.
package repl

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/inspect"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// An Editor reads lines from a person or from a pipe.
type Editor interface {
	// ReadLine shows the prompt and returns the next line, without its end. indent is
	// typed already. The error is ErrInterrupted, io.EOF, or that of the input.
	ReadLine(ctx context.Context, prompt, indent string) (string, error)
	// Remember adds an entry to the history.
	Remember(entry string)
	// Complete sets the function that makes completions. f takes the text before the cursor, and returns the
	// part of that which is completed, and the texts that may replace it.
	Complete(f func(before string) (word string, candidates []string))
}

// ErrInterrupted reports an interrupt: the input is dropped.
var ErrInterrupted = errors.New("interrupted")

// Config has the settings of a session.
type Config struct {
	Options ptc.Options
	Eval    ptc.EvalOptions // of each evaluation; without Name and Output
	Data    map[string]any
	Editor  Editor
	Out     io.Writer // the output of programs, values, and the output of commands
	Err     io.Writer // errors
	// Interactive reports that a person reads the output: there are prompts, values are laid out for the
	// terminal and cut, and traces are shown on request.
	Interactive bool
	Color       bool
	Width       func() int // of the terminal
	// Interrupts receives requests to stop the running form; nil receives none.
	Interrupts <-chan os.Signal
	// Watch is called while something runs; stop ends that. It may be nil.
	Watch func() (stop func())

	// OnPending returns the EvalOptions.OnPending of an evaluation. It may be nil.
	OnPending func() OnPending

	// Names returns the names of the library as programs write them.
	Names iter.Seq[string]
	// Doc writes the documentation of a name of the library, and Source its source. They return false for an
	// unknown name.
	Doc, Source func(w io.Writer, name string) bool
	Limits      func(w io.Writer) // writes the bounds
	Usage       func(w io.Writer, u ptc.Usage)
}

// OnPending settles pending effects, see ptc.EvalOptions. It may read lines with the Editor.
type OnPending func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error)

// Run reads and evaluates until the input or ctx ends, or :quit is read. It returns the first error of an
// evaluation, or the error of the input, or nil if a person has seen the error.
func Run(ctx context.Context, cfg Config) error {
	r := newREPL(cfg)
	if r.failed != nil { // there is no data
		return r.failed
	}
	cfg.Editor.Complete(r.complete)
	if cfg.Interactive {
		r.greet()
	}
	for !r.quit {
		line, err := cfg.Editor.ReadLine(ctx, r.prompt(), r.indent())
		r.drain()
		switch {
		case errors.Is(err, ErrInterrupted):
			r.input, r.pending = "", ""
		case err == nil:
			r.line(ctx, line)
		case errors.Is(err, io.EOF):
			r.end(ctx)
			r.quit = true
		default:
			return err
		}
		if err := errors.Join(ctx.Err(), r.out.err); err != nil {
			return err
		}
	}
	if cfg.Interactive {
		return nil
	}
	return r.failed
}

// repl is a session under way.
type repl struct {
	cfg     Config
	session *ptc.Session
	within  inspect.Session // nil before the first evaluation
	out     *screen
	input   string  // the lines of the form that is typed, and of those before it in its lines
	pending string  // the part of them that is not evaluated yet
	nesting nesting // of pending
	rest    string  // the part of the last value that was not shown
	last    *result // of the last evaluation; nil if there was none
	failed  error   // the first
	lastErr *ptc.Error
	defined written           // the definitions
	seen    seen              // keywords
	names   []string          // of the library, when a completion has asked for them
	files   map[string]string // that the session has loaded or written, with their contents at that time
	quit    bool
}

// result is the outcome of an evaluation.
type result struct {
	*ptc.Result
	err error
}

func newREPL(cfg Config) *repl {
	r := &repl{cfg: cfg, out: &screen{w: cfg.Out}, files: make(map[string]string)}
	for name, data := range cfg.Data {
		r.seen.data(name, data)
	}
	r.begin()
	return r
}

// begin begins a session without definitions.
func (r *repl) begin() {
	r.session, r.within = ptc.NewSession(r.cfg.Options), nil
	if err := r.session.SetData(r.cfg.Data); err != nil {
		r.fail(err)
	}
	r.defined = written{}
	r.last, r.rest = nil, ""
}

// first finds the first form of a source.
func (r *repl) first(source string) (found parser.Found, end int) {
	opts := parser.Options{Limits: r.cfg.Options.Limits, NS: r.namespace()}
	if r.within != nil {
		opts.Aliases = r.within.Aliases()
	}
	return parser.First(source, opts)
}

// namespace returns the name of the current namespace.
func (r *repl) namespace() string {
	if r.within == nil {
		return "user"
	}
	return r.within.Namespace()
}

// definitions returns the names that the session has defined.
func (r *repl) definitions() []inspect.Definition {
	if r.within == nil {
		return nil
	}
	return r.within.Definitions()
}

func (r *repl) greet() {
	r.note("ptc: :help lists the commands, Ctrl-C stops a form, Ctrl-D ends.")
}

func (r *repl) tools() []*tool.Tool { return r.cfg.Options.Tools.All() }

// prompt returns the prompt of the next line.
func (r *repl) prompt() string {
	ns := r.namespace()
	text := ns + "=> "
	if r.pending != "" {
		text = strings.Repeat(" ", max(0, len(ns)-2)) + "#_=> " // which the reader ignores, together with the form after it
	}
	return r.paint(blue, text)
}

// line takes a line of the input: a command, or a part of forms. Forms that it completes are evaluated.
func (r *repl) line(ctx context.Context, line string) {
	if r.pending == "" && r.command(ctx, line) {
		r.remember(line)
		return
	}
	r.input += line + "\n"
	r.pending += line + "\n"
	r.nesting.add(line)
	for r.pending != "" {
		if len(r.pending) > smallInput && !r.nesting.closed() {
			return
		}
		found, end := r.first(r.pending)
		if found == parser.Unfinished {
			return
		}
		form := strings.TrimSpace(r.pending[:end])
		r.pending = r.pending[end:]
		if found == parser.Nothing {
			break
		}
		if !r.evaluate(ctx, "", form) && (r.cfg.Interactive || ctx.Err() != nil) {
			break // a person means the rest of the line to follow on it
		}
	}
	r.remember(r.input)
	r.input, r.pending, r.nesting = "", "", nesting{}
}

// end evaluates the rest of the input, which returns the error of an unfinished form.
func (r *repl) end(ctx context.Context) {
	if !r.cfg.Interactive && strings.TrimSpace(r.pending) != "" {
		r.evaluate(ctx, "", r.pending)
	}
}

func (r *repl) remember(input string) {
	if entry, ok := oneLine(input); ok && r.cfg.Interactive {
		r.cfg.Editor.Remember(entry)
	}
}

// evaluate evaluates a source and shows its value; ok reports that it did not fail.
func (r *repl) evaluate(ctx context.Context, name, source string) (ok bool) {
	res := r.run(ctx, name, source)
	if res.err != nil {
		r.fail(res.err)
		return false
	}
	r.defined.add(r.namespace(), source)
	r.show(res)
	return true
}

// run evaluates a source. An interrupt ends that.
func (r *repl) run(ctx context.Context, name, source string) *result {
	r.seen.source(source)
	if r.cfg.Watch != nil {
		defer r.cfg.Watch()()
	}
	res := &result{}
	r.interruptible(ctx, func(ctx context.Context) {
		given := r.cfg.Eval
		given.Name = name
		given.Output = func(p ptc.Print) { r.out.print(p.Text) }
		if r.cfg.OnPending != nil {
			given.OnPending = r.asking(r.cfg.OnPending())
		}
		res.Result, res.err = r.session.Eval(inspect.With(ctx, &r.within), source, given)
	})
	r.last = res
	return res
}

// asking returns f for an evaluation: Tab completes no names of programs in the meantime, and the text of f
// begins on a new line.
func (r *repl) asking(f OnPending) OnPending {
	return func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
		r.cfg.Editor.Complete(nil)
		defer r.cfg.Editor.Complete(r.complete)
		r.out.fresh()
		return f(ctx, all)
	}
}

// interruptible calls f with a context that an interrupt ends.
func (r *repl) interruptible(ctx context.Context, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-r.cfg.Interrupts:
			cancel()
		case <-done:
		}
	}()
	f(ctx)
	close(done)
	<-watched
	cancel()
	r.drain()
}

// drain drops interrupts that came when nothing ran.
func (r *repl) drain() {
	select {
	case <-r.cfg.Interrupts:
	default:
	}
}
