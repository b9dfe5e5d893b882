// Package spans makes the spans of a run from the hooks of package ptc: one for each parallel operation, each call of a
// tool and each of its waits, below the span of the run. An element has no span: its calls and operations
// are below the operation. Names and attributes are those of the OpenTelemetry conventions where there is one; the
// others begin with ptc.
//
// The package knows no library of spans. Package telemetry has a Source over OpenTelemetry, and package telemetry/otlp
// one for programs that must not link it.
package spans

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Source begins the spans of runs. It is safe for concurrent use.
type Source interface {
	// Run begins the span of a run of a program. It is below the span that ctx names, see Under. id is the name of the
	// run, and may be "". The returned context is ctx with the span, which is nil if the trace is not recorded.
	Run(ctx context.Context, program, id string) (context.Context, Span)
}

// Span is a span under way. Many goroutines call its methods at once.
type Span interface {
	// Start begins a span below this one. The returned context is ctx with the new span.
	Start(ctx context.Context, name string, at time.Time, attrs ...slog.Attr) (context.Context, Span)
	// Set adds attributes: strings, integers and booleans.
	Set(attrs ...slog.Attr)
	// End ends the span. failure is the code of the error, "" for success.
	End(at time.Time, failure, message string)
}

// The names of attributes. Those without the prefix ptc are of OpenTelemetry, see
// https://github.com/open-telemetry/semantic-conventions-genai.
const (
	ErrorType     = "error.type"
	operationName = "gen_ai.operation.name"
	toolName      = "gen_ai.tool.name"
	toolType      = "gen_ai.tool.type"
	callID        = "gen_ai.tool.call.id"

	Node      = "ptc.node"
	program   = "ptc.program.name"
	runID     = "ptc.run.id"
	toolClass = "ptc.tool.class"
	worker    = "ptc.worker"
	operation = "ptc.operation.id"
	place     = "ptc.operation.place"
	elements  = "ptc.elements"
	waitKind  = "ptc.wait.kind"
	waitKey   = "ptc.wait.key"
	steps     = "ptc.steps"
	memory    = "ptc.memory.peak.bytes"
	inWorker  = "ptc.worker.memory.peak.bytes"
	calls     = "ptc.calls"
	workers   = "ptc.workers.peak"
	refused   = "ptc.operations.refused"
	parked    = "ptc.run.parked"
	left      = "ptc.run.left"
)

// RunName returns the name of the span of a run, and the attributes that it begins with, for a Source.
func RunName(name, id string) (string, []slog.Attr) {
	attrs := []slog.Attr{slog.String(program, name)}
	if id != "" {
		attrs = append(attrs, slog.String(runID, id))
	}
	return "ptc.run", attrs
}

// Run follows one run. The nil Run and the zero one follow nothing.
type Run struct {
	span     Span
	progress *ptc.Progress

	mu   sync.Mutex
	open map[string]Span // of operations by their IDs, and of calls by those of their effects
}

// Follow has a run make spans below that of the run, and returns nil if that is nil. It sets Around, Observer and
// Progress of the options: the functions that they have are called too, Around inside the span. The caller calls End
// after the run.
func Follow(run Span, given *ptc.RunOptions) *Run {
	if run == nil || given == nil {
		return nil
	}
	if given.Progress == nil {
		given.Progress = &ptc.Progress{}
	}
	r := &Run{span: run, progress: given.Progress, open: make(map[string]Span)}
	inner := given.Around
	given.Around = func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
		return r.around(ctx, c, next, inner)
	}
	own := &effect.Observer{Operation: r.operation, Wait: r.wait}
	given.Observer = own.Also(given.Observer)
	return r
}

// End ends the span of the run.
func (r *Run) End(res *ptc.Result, err error) {
	if r == nil || r.span == nil {
		return
	}
	r.used(res)
	code, message := FailureOf(err)
	if code == string(diag.Parked) { // it continues later
		r.span.Set(slog.Bool(parked, true))
		code, message = "", ""
	}
	r.span.End(time.Now(), code, message)
}

// Leave ends the span of this process's part of a run that continues elsewhere.
func (r *Run) Leave(res *ptc.Result) {
	if r == nil || r.span == nil {
		return
	}
	r.used(res)
	r.span.Set(slog.Bool(left, true))
	r.span.End(time.Now(), "", "")
}

// used sets the attributes of the use of resources.
func (r *Run) used(res *ptc.Result) {
	if res != nil {
		u := &res.Usage
		r.span.Set(slog.Int64(steps, u.Steps), slog.Int64(memory, u.MemoryPeak), slog.Int64(calls, u.Calls))
		if p := &u.Parallel; p.Operations+p.Refused > 0 {
			r.span.Set(slog.Int64(elements, p.Elements), slog.Int(workers, p.Peak), slog.Int64(refused, p.Refused),
				slog.Int64(inWorker, u.WorkerMemoryPeak))
		}
	}
}

// FailureOf returns the code and the message of the error of a run, "" for none.
func FailureOf(err error) (code, message string) {
	var e *ptc.Error
	switch {
	case err == nil:
		return "", ""
	case errors.As(err, &e):
		if e == nil { // a variable that errors.As has not set
			return "", ""
		}
		return string(e.Code), e.Message // without secrets, as the run has returned it
	}
	return string(diag.HostFailed), ""
}

// around makes the span of a call.
func (r *Run) around(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome,
	inner effect.Around) (o effect.Outcome) {
	name := c.Tool.Name()
	ctx, s := r.above(c.ID).Start(ctx, "execute_tool "+name, time.Now(), slog.String(operationName, "execute_tool"),
		slog.String(toolName, name), slog.String(toolType, "function"), slog.String(callID, c.ID),
		slog.String(toolClass, c.Tool.Class().String()), slog.Int(worker, c.Worker))
	r.put(c.ID, s)
	failure, message := effect.CodePanic, ""
	defer func() { // also if inner panics
		r.remove(c.ID)
		s.End(time.Now(), failure, message)
	}()
	if inner != nil {
		o = inner(ctx, c, next)
	} else {
		o = next(ctx)
	}
	failure = ""
	if f := o.Failure; f != nil {
		failure, message = r.progress.WithoutSecrets(failureCode(f)), r.progress.WithoutSecrets(f.Message)
	}
	return o
}

// failureCode returns the most specific code of a failure.
func failureCode(f *effect.Failure) string {
	if f.Code == "" || f.Code == effect.CodeFailed {
		return string(f.Kind)
	}
	return f.Code
}

// operation makes the span of a parallel operation.
func (r *Run) operation(op effect.Operation) (ended func(diag.Code)) {
	attrs := []slog.Attr{slog.String(operation, op.ID), slog.Int(elements, op.Elements), slog.Int(worker, op.Worker)}
	if op.Place != "" {
		attrs = append(attrs, slog.String(place, op.Place))
	}
	_, s := r.above(op.ID).Start(context.Background(), op.Name, time.Now(), attrs...)
	r.put(op.ID, s)
	return func(failure diag.Code) {
		r.remove(op.ID)
		s.End(time.Now(), string(failure), "")
	}
}

// wait makes the span of a wait that is over.
func (r *Run) wait(id string, w effect.Wait) {
	r.mu.Lock()
	s, ok := r.open[id]
	r.mu.Unlock()
	attrs := []slog.Attr{slog.String(waitKind, string(w.Kind))}
	if !ok { // a question, an approval before the call, or a body of the program that takes guards
		s = r.above(id)
		attrs = append(attrs, slog.String(callID, id))
	}
	if w.Key != "" {
		attrs = append(attrs, slog.String(waitKey, w.Key))
	}
	_, s = s.Start(context.Background(), "wait "+string(w.Kind), w.Start, attrs...)
	s.End(w.Start.Add(w.Duration), "", "")
}

// above returns the span that that of an effect or of an operation is below: the operation whose element it belongs
// to, or the run.
func (r *Run) above(id string) Span {
	path, isEffect := id, false
	if i := strings.IndexByte(id, '#'); i >= 0 {
		path, isEffect = id[:i], true
	}
	if !isEffect {
		path = withoutLast(path) // the number of the operation
	}
	path = withoutLast(path) // that of the element
	if path == "" {
		return r.span
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.open[path]; ok {
		return s
	}
	return r.span
}

// withoutLast returns a path without its last number.
func withoutLast(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

func (r *Run) put(id string, s Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[id] = s
}

func (r *Run) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, id)
}
