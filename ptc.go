package ptc

import (
	"context"
	"log/slog"
	"sync"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// Error is the error of everything in this package.
type Error = diag.Error

// Limits are the bounds of a run; a zero field takes its default.
type Limits = limits.Limits

// Options say how a program is compiled and run. The zero value is safe.
type Options struct {
	// Limits bound the compilation and each run.
	Limits Limits
	// DataNames are the names the program may read as data/name; others are errors of
	// the compiler. If nil, it may read any name, and one that a run's input lacks is
	// an error of that run. A Session takes the names from SetData instead.
	DataNames []string
	// Tools are those that the program may call, as tool/name. It can call no others.
	Tools *tool.Registry
	// Guards are those that runs share: hosts, rates and the global one. If nil, each run
	// has its own.
	Guards *guard.Set
	// Queue holds the policies for the calls of tools, and the queues in which calls wait
	// for their turn, of all runs that share it. If nil, there is no policy, and each run
	// has its own queues.
	Queue *queue.Enforcer
	// Log takes what the host may want to know of the calls of tools; nil takes nothing.
	Log *slog.Logger
	// Output takes what a program prints. If nil, a run gathers it in Result.Prints. A print of a
	// parallel element arrives when it is final: at once if every element below has ended,
	// otherwise in order after them. A bound or a cancelled context that ends the run has
	// everything arrive that was printed. Output is called by the goroutine of the element that
	// prints, or whose end makes prints of others final, and for the main evaluation by that of
	// Run. Calls never overlap, and none comes after Run has returned. A slow Output holds up
	// the elements whose prints are due, and no others.
	Output func(text string)
	// Progress, if it is not nil, tells of a run while that is under way.
	Progress *Progress
	// Seed is that of the random numbers; 0 takes a new one for each run. It must be 0 if the
	// run has a journal with a header, which has the seed.
	Seed uint64
	// OnFull says what becomes of a parallel operation that finds no free slot.
	OnFull OnFull
	// Processors is how many goroutines of a run compute at once; 0 takes GOMAXPROCS. With
	// one less than GOMAXPROCS a processor of Go stays free, and the end of a wait is noticed
	// at once although workers compute; see docs/embedding.md.
	Processors int
	// StringKeys keeps the keys of objects in the input as strings; by default they
	// become keywords.
	StringKeys bool

	unfused bool // pipelines are compiled as they are written; tests compare the two
}

// OnFull says what becomes of a parallel operation that finds no free slot, because
// operations around it hold all of them.
type OnFull uint8

const (
	// OnFullInline has it run in order, in the slot of the worker that asks for it. Its value,
	// its error and what it may hold are the same as with a slot.
	OnFullInline OnFull = iota
	// OnFullFail has it fail at once, with the code parallel-capacity-exceeded. Whether an
	// operation finds a slot depends on timing.
	OnFullFail
)

// Program is compiled source: immutable, and safe for any number of runs at once.
type Program struct {
	name, source string

	opts  Options
	prog  *compile.Program
	env   *compile.Env // never changed; eval works on a copy
	tools *toolbox
	pool  sync.Pool
	datas []dataSlot
}

// dataSlot is a name of the input that the program reads.
type dataSlot struct {
	name   string
	global int
	span   token.Span // where it is first read
}

// compileMemory and compileSteps are the least that a compilation may take: a
// program that runs in little memory may be long.
const (
	compileMemory = 16 << 20
	compileSteps  = 100_000_000
)

// compileOwner tags the objects that macros make while compiling.
const compileOwner = 1

// Compile compiles source. name stands for it in errors. The error, if any, is a
// *Error; its Others are the further ones that were found. Limits that are negative or above limits.Most,
// or a memory below 256 KB, are an error of code illegal-argument.
func Compile(name, source string, opts Options) (*Program, error) {
	return compileProgram(context.Background(), name, source, opts)
}

func compileProgram(ctx context.Context, name, source string, opts Options) (*Program, error) {
	if err := checked(opts.Limits); err != nil {
		return nil, err
	}
	files := &token.FileSet{}
	env := compile.NewEnv()
	env.Data, env.AnyData = opts.DataNames, opts.DataNames == nil
	tools := newToolbox(opts)
	env.Tools, env.Unfused = tools.known, opts.unfused
	c := newCompilation(ctx, opts, env, files)
	protos, err := c.compile(files.Add(name, source))
	if err != nil {
		return nil, err
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

// checked refuses limits that no program could run within.
func checked(l Limits) error {
	if err := l.Validate(); err != nil {
		return diag.New(diag.IllegalArgument, token.Span{}, "%s", err)
	}
	return nil
}

// wantContext refuses a nil context, which nothing could end.
func wantContext(ctx context.Context) error {
	if ctx != nil {
		return nil
	}
	return diag.New(diag.IllegalArgument, token.Span{}, "got a nil context, want one").
		WithHint("hand over context.Background() if nothing is to end the run")
}

func newMachine() any { return eval.New() }

// compilation compiles sources into an environment.
type compilation struct {
	opts     Options
	task     *value.Task
	env      *compile.Env
	files    *token.FileSet
	expander *eval.Expander
}

func newCompilation(ctx context.Context, opts Options, env *compile.Env, files *token.FileSet) *compilation {
	l := opts.Limits.OrDefault()
	t := &value.Task{}
	t.Start(ctx, max(l.Memory, compileMemory), max(l.Steps, compileSteps), l.Timeout)
	return &compilation{opts, t, env, files, eval.NewExpander(ctx, env, eval.Options{Limits: l, Owner: compileOwner})}
}

// compile reads and compiles one source.
func (c *compilation) compile(file *token.File) (protos []*compile.Proto, err error) {
	defer func() {
		if r := recover(); r != nil {
			protos, err = nil, eval.CompileFailure(c.task, r)
		}
	}()
	comp := compile.New(c.task, c.env, c.files, c.expander)
	protos = c.read(comp, file)
	if cerr := comp.Err(); cerr != nil {
		return nil, cerr
	}
	return protos, nil
}

// read reads a source and hands it to a compiler form by form.
func (c *compilation) read(comp *compile.Compiler, file *token.File) (protos []*compile.Proto) {
	opts := parser.Options{Limits: c.opts.Limits.OrDefault(), ResolveSymbol: comp.Resolve}
	for off, eof := 0, false; !eof && !comp.Full(); {
		var form value.Value
		var perr *diag.Error
		opts.NS, opts.Aliases = c.env.NS, c.env.Aliases()
		form, off, eof, perr = parser.ParseOne(c.task, file, off, opts)
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
