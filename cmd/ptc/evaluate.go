// This file compiles and runs a program, and tells how it ended.

package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/internal/processors"
	"github.com/ptc-lang/ptc/lang/diag"
)

// evaluation is one run of a program by a command.
type evaluation struct {
	*execution
	name, source string
	options      ptc.Options
	given        ptc.RunOptions
	line         *progress // on a terminal
	out          *printer
	s            streams

	program *ptc.Program // nil if it does not compile
	result  *ptc.Result
	err     error
	code    int        // the exit code
	spans   *collected // of the run; nil without
}

// run compiles and runs a program, and tells how it ended. It returns the exit code.
func (f *execution) run(ctx context.Context, name, source string, data map[string]any, s streams) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := evaluation{execution: f, name: name, source: source, options: f.options(data), result: &ptc.Result{},
		out: &printer{output: s.out, failed: cancel}}
	r.line = newProgress(f.progress, &s)
	r.s = s
	limitGarbage(f.limits, max(f.replicas, 1))
	if f.shared != nil {
		if err := f.shared.share(&r.options); err != nil {
			return failInput(s, err)
		}
	}
	r.give(data)
	r.program, r.err = ptc.Compile(ctx, name, source, r.options)
	r.code = compileCode(r.err)
	if r.err == nil {
		if err := r.evaluate(ctx); err != nil {
			return failInput(s, err)
		}
		defer r.spans.send(ctx, s.err)
	}
	r.record()
	return r.tell(ctx)
}

// give sets the input of the run.
func (r *evaluation) give(data map[string]any) {
	r.given = ptc.RunOptions{Data: data, Journal: r.journal, Progress: r.line.source(),
		Pending: r.line.pendings(), Log: r.logger(r.s.err), Plan: r.plan(), OnPending: r.asks(r.out, r.line, r.s)}
	if r.journal == nil && r.shared == nil { // whose header has the seed
		r.given.Seed = r.seed
	}
	if r.output != "envelope" {
		r.given.Output = func(p ptc.Print) {
			r.s.printing()
			r.out.print(p.Text)
		}
	}
}

// evaluate runs the program. It returns an error if the run can't begin.
func (r *evaluation) evaluate(ctx context.Context) error {
	profile, err := newProfile(r.profile, &r.given)
	if err != nil {
		return err
	}
	stop := r.line.watch()
	ctx, r.spans = r.collect(ctx, r.name, &r.given, r.s.err)
	if r.shared != nil {
		r.result, r.err = r.shared.run(ctx, r.program, r.given)
	} else {
		r.result, r.err = r.program.Run(ctx, r.given)
	}
	r.spans.end(r.result, r.err)
	stop()
	if r.journal != nil { // before a message, because a pipe without a reader ends the process
		r.journal.Close()
	}
	r.code = exitCode(r.err)
	if err := profile.write(r.name, r.source, r.result, r.err); err != nil {
		report(r.s.err, err)
	}
	return nil
}

// record writes the journal of a run on replicas. If the program does not compile, the journal has only its header.
func (r *evaluation) record() {
	if r.shared == nil {
		return
	}
	switch err := r.shared.record(); {
	case err != nil && r.err == nil:
		r.err, r.code = err, exitCode(err)
	case err != nil:
		report(r.s.err, err)
	}
}

// tell writes the value or the error, and the notes about the run for a person. It returns the exit code.
func (r *evaluation) tell(ctx context.Context) int {
	if e := (*ptc.Error)(nil); errors.As(r.err, &e) && e.Code == diag.UnknownData && len(r.given.Data) == 0 {
		e.Hint = hintData
	}
	r.hintParked(r.err)
	code, err := r.code, r.err
	if r.output == "envelope" {
		code, err = writeEnvelope(r.out, r.result, err, code)
	} else if err == nil {
		code, err = r.value(ctx, r.out, r.result)
	}
	if r.out.err != nil {
		return exitFailed // dispatch tells why
	}
	if err != nil {
		report(r.s.err, err)
	}
	if r.program == nil {
		return code
	}
	if err == nil {
		r.tellUnread(ctx, r.name, r.source, r.options, r.s)
	}
	r.tellPending(r.s.err, r.err)
	r.tellContinuation(r.s.err, r.err)
	if err := r.tellPlan(r.given.Plan, r.s); err != nil {
		return failInput(r.s, err)
	}
	if r.stats {
		stats(r.s.err, r.result.Usage)
		if r.shared != nil {
			r.shared.tellStats(r.s.err)
		}
	}
	return code
}

// hintData is the hint for a program without an input that reads one.
const hintData = "pass the input to the program with --data FILE.json or --arg NAME=VALUE"

func (f *execution) options(data map[string]any) ptc.Options {
	opts := ptc.Options{Limits: f.limits, Tools: f.tools, Queue: f.queue, Approve: f.approve,
		DataNames: slices.Sorted(maps.Keys(data)), Processors: processors.All(), Resources: f.resources()}
	opts.DataNames = slices.DeleteFunc(opts.DataNames, func(name string) bool { return name == ptc.StandardInput })
	if opts.DataNames == nil {
		opts.DataNames = []string{} // nil would allow any name
	}
	if f.onFull == flags.OnFullFail {
		opts.OnFull = ptc.OnFullFail
	}
	return opts
}
