package ptc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// Error is the error of everything in this package.
type Error = diag.Error

// Limits are the bounds of a run. A zero field takes its default; no bound can be switched off.
//
//	SourceBytes  int            bytes of source text
//	Nesting      int            depth of nested forms
//	Timeout      time.Duration  run time
//	Steps        int64          calls, jumps back and units of builtin work
//	Memory       int64          bytes live in the main evaluation
//	WorkerMemory int64          bytes live in each parallel worker
//	Workers      int            parallel workers alive at once
//	Depth        int            call frames
//	Calls        int            calls of tools
//	ToolCalls    int            calls of one tool
//	Arguments    int            bytes of the arguments of a call, as JSON
//	CallResult   int            bytes of the result of a call, as JSON
//	OutputBytes  int            bytes printed
//	ResultBytes  int            bytes of the rendered result
//
// Validate, OrDefault and Within are its methods; see package runtime/limits for the defaults.
type Limits = limits.Limits

// Options are shared by the compilation of a program and all of its runs. The zero value is safe.
type Options struct {
	// Limits bound the compilation and each run.
	Limits Limits
	// DataNames are the names that the program may read as data/name; others are errors of
	// the compiler. If nil, it may read any name, and one that RunOptions.Data lacks is
	// an error of that run. A Session takes the names from SetData instead.
	DataNames []string
	// Tools are the tools that the program may call, as tool/name.
	Tools *tool.Registry
	// Guards are shared by runs: hosts, rates and the global guard. *guard.Set is the
	// implementation for one process. If nil, each run has its own.
	Guards effect.Guards
	// Queue has the policies for tool calls, and the queues in which calls wait, for all runs that
	// share it. *queue.Enforcer is the implementation for one process. If nil, there is no policy,
	// and each run has its own queues.
	Queue effect.Queues
	// Approve are the calls that are made only if they are approved, besides those whose tools declare it
	// (tool.NeedsApproval). See RunOptions.OnPending.
	Approve effect.Approvals
	// OnFull is the behavior of a parallel operation that finds no free slot.
	OnFull OnFull
	// Processors bounds how many goroutines compute at once, in all runs that share it. A bound of
	// GOMAXPROCS-1 keeps one processor of Go free, so that the end of a wait is noticed at once while programs
	// compute; see docs/embedding.md. If nil, each run is bounded separately by GOMAXPROCS.
	Processors *Processors
	// DataShapes are schemas of inputs by their names, such as prompt.Shape returns. Check warns of keys that they do
	// not have.
	DataShapes map[string]*tool.Schema
	// StringKeys keeps the keys of objects in the input as strings; by default they
	// become keywords.
	StringKeys bool
	// Resources are files that belong to the program, which its macros may read. If nil, it has none.
	Resources *Resources

	unfused bool // pipelines are not fused; tests compare both ways
}

// Resources are the files that belong to a program beside its source, such as a grammar from which a macro makes a
// parser.
//
//	Dirs []string                                   folders below which clojure.java.io/resource looks for a file
//	Read func(name string) (text string, err error) reads a file for a macro; see package lang/compile
type Resources = compile.Resources

// OnFull is the behavior of a parallel operation that finds no free slot because operations around
// it hold all of them.
type OnFull uint8

const (
	// OnFullInline runs it in order, in the slot of its caller. Its value, its error and its memory
	// bound are the same as with a slot.
	OnFullInline OnFull = iota
	// OnFullFail fails it at once, with the code parallel-capacity-exceeded. Timing decides whether
	// an operation finds a slot.
	OnFullFail
)

// Program is compiled source: immutable, and safe for any number of runs at once. Compile makes one; the runs of
// the zero Program return an error.
type Program struct {
	name, source string

	opts  Options
	prog  *compile.Program
	env   *compile.Env // never changed; eval works on a copy
	tools *toolbox
	pool  sync.Pool
	datas []dataSlot
	types goTypes // of the data of runs
}

// dataSlot is a name of the input that the program reads.
type dataSlot struct {
	name   string
	global int
	span   token.Span // where it is first read
}

// compileMemory and compileSteps are the minimum bounds of a compilation, because a program that runs
// in little memory may be long.
const (
	compileMemory = 16 << 20
	compileSteps  = 100_000_000
)

// compileOwner tags the objects that macros make while compiling.
const compileOwner = 1

// Compile compiles source. name identifies it in errors. Compilation runs macros, so it has the bounds of
// opts.Limits, and ends within milliseconds when ctx ends.
//
// The error, if any, is a *Error; its Others are further errors. A nil context, and options that are out of
// range, such as limits that are negative or wider than any run may have, are an error of code illegal-argument. It
// lists all of them. A context that has ended is an error of code cancelled or timeout at once.
func Compile(ctx context.Context, name, source string, opts Options) (*Program, error) {
	if err := usable(ctx, &opts); err != nil {
		return nil, err
	}
	files := &token.FileSet{}
	env := compile.NewEnv()
	env.Data, env.AnyData = opts.DataNames, opts.DataNames == nil
	tools := newToolbox(opts)
	env.Tools, env.Unfused, env.Resources = tools.known, opts.unfused, opts.Resources
	c := newCompilation(ctx, opts, env, files)
	protos, err := c.compile(c.compiler(), addFiles(files, name, source)...)
	if err != nil {
		return nil, allErrors(ctx, name, source, opts, err)
	}
	p := &Program{name: name, source: source, opts: opts, env: env, tools: tools,
		prog: &compile.Program{Forms: protos, Globals: env.Globals, Files: files}}
	for i, g := range env.Globals {
		if g.NS == compile.DataNS {
			p.datas = append(p.datas, dataSlot{g.Name, i, files.Span(g.Pos)})
		}
	}
	p.pool.New = newMachine
	return p, nil
}

// ReadsInput reports whether the program mentions the standard input: *in*, read-line and the like. See StandardInput.
func (p *Program) ReadsInput() bool { return p != nil && p.env != nil && p.env.ReadsInput }

// usable refuses a context that is nil or has ended, and options that are out of range.
func usable(ctx context.Context, opts *Options) error {
	if err := wantContext(ctx); err != nil {
		return err
	}
	if wrong := opts.wrong(); len(wrong) > 0 {
		return diag.New(diag.IllegalArgument, token.Span{}, "%s", strings.Join(wrong, "; "))
	}
	return notEnded(ctx)
}

// wrong returns descriptions of the options that are out of range.
func (o *Options) wrong() (wrong []string) {
	if err := o.Limits.Validate(); err != nil {
		wrong = append(wrong, err.Error())
	}
	if o.OnFull > OnFullFail {
		wrong = append(wrong, fmt.Sprintf("options: OnFull is %d, want OnFullInline or OnFullFail", o.OnFull))
	}
	if o.Processors != nil && o.Processors.N() == 0 {
		wrong = append(wrong, "options: Processors is zero, want one of ptc.NewProcessors")
	}
	return wrong
}

// wantContext refuses a nil context, which nothing could end.
func wantContext(ctx context.Context) error {
	if ctx != nil {
		return nil
	}
	return diag.New(diag.IllegalArgument, token.Span{}, "got a nil context, want one").
		WithHint("pass context.Background() if nothing is to end it")
}

// notEnded refuses a context that has ended: nothing begins then, however short it would be.
func notEnded(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	code, how := diag.Cancelled, "was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code, how = diag.Timeout, "had reached its deadline"
	}
	return causedBy(ctx, diag.New(code, token.Span{}, "the context %s before anything began", how))
}

// allErrors returns the error of a compilation with all errors of the source, where the compilation ended a form with
// the first of its errors.
func allErrors(ctx context.Context, name, source string, opts Options, err error) error {
	var first *diag.Error
	if !errors.As(err, &first) {
		return err
	}
	switch first.Code {
	case diag.UnknownName, diag.UnknownData, diag.UnknownTool, diag.NotGranted, diag.BadForm, diag.Unsupported:
	default:
		return err
	}
	s := newSurvey(ctx, name, source, opts)
	if _, more := s.compile(s.comp, s.sources...); len(all(more)) > len(first.Others)+1 && ctx.Err() == nil {
		return more
	}
	return err
}

func newMachine() any { return eval.New() }

// compilation compiles sources into an environment.
type compilation struct {
	ctx      context.Context
	opts     Options
	limits   Limits // none is 0
	task     *value.Task
	env      *compile.Env
	files    *token.FileSet
	expander *eval.Expander
}

func newCompilation(ctx context.Context, opts Options, env *compile.Env, files *token.FileSet) *compilation {
	t := &value.Task{}
	c := &compilation{ctx: ctx, opts: opts, limits: opts.Limits.OrDefault(), task: t, env: env, files: files}
	l := &c.limits
	t.Start(ctx, max(l.Memory, compileMemory), max(l.Steps, compileSteps), l.Timeout)
	c.expander = eval.NewExpander(ctx, env, eval.Options{Limits: l, Owner: compileOwner})
	return c
}

// compiler returns a new compiler.
func (c *compilation) compiler() *compile.Compiler {
	return compile.New(c.task, c.env, c.files, c.expander)
}

// used returns the bytes that the code and its constants take, at most.
func (c *compilation) used() int64 { return c.task.Used() + c.expander.Used() }

// compile reads and compiles the files of a source.
func (c *compilation) compile(comp *compile.Compiler, files ...*token.File) (protos []*compile.Proto, err error) {
	failure := c.fits(files)
	if len(files) > 1 {
		comp.DeferArity()
	}
	for i, file := range files {
		if i > 0 {
			c.env.Enter(compile.UserNS)
		}
		if failure == nil {
			failure = eval.Compiling(c.task, func() { protos = append(protos, c.read(comp, file)...) })
		}
	}
	if failure == nil {
		failure = comp.Err()
	}
	if failure != nil {
		return nil, causedBy(c.ctx, failure)
	}
	return protos, nil
}

// read reads a source and hands it to a compiler form by form.
func (c *compilation) read(comp *compile.Compiler, file *token.File) (protos []*compile.Proto) {
	var failed *diag.Error
	var tag string
	opts := parser.Options{Limits: c.limits, ResolveSymbol: comp.Resolve,
		Tags: c.tagReader(&failed, &tag), Code: true}
	c.env.Expects(file.Source)
	for off, eof := 0, false; !eof && !comp.Full(); {
		var form value.Value
		var perr *diag.Error
		opts.NS, opts.Aliases = c.env.NS, c.env.Aliases()
		from := off
		form, off, eof, perr = parser.ParseOne(c.task, file, off, opts)
		if failed != nil {
			perr = tagFailure(file, from, max(off, from), tag, failed)
		}
		if perr != nil {
			comp.Report(perr)
			break
		}
		if !eof {
			protos = append(protos, comp.Forms([]value.Value{form})...)
		}
	}
	return protos
}

// tagReader returns the function that reads the tags of *data-readers*; the parser reads the other ones. failed is set
// to the first failure, and tag to its tag.
func (c *compilation) tagReader(failed **diag.Error, tag *string) func(*value.Task, value.Value, value.Value) (
	value.Value, bool) {
	return func(_ *value.Task, of, form value.Value) (value.Value, bool) {
		name := of.AsSymbol()
		if name.NS == "" && (name.Name == "inst" || name.Name == "uuid") || *failed != nil {
			return value.Nil, *failed != nil
		}
		out, ok, err := c.expander.ReadTag(of, form)
		if err != nil {
			*failed, *tag = err, "#"+strings.TrimPrefix(name.NS+"/"+name.Name, "/")
		}
		return out, ok || err != nil
	}
}

// tagFailure is the error for a tag between two offsets whose function failed.
func tagFailure(file *token.File, from, to int, tag string, err *diag.Error) *diag.Error {
	start := from + max(strings.Index(file.Source[from:to], tag), 0)
	e := diag.New(err.Code, token.Span{File: file, Start: start, End: min(start+len(tag), to)}, "the reader of %s: %s",
		tag, err.Message)
	e.Hint = err.Hint
	return e
}
