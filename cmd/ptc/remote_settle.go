// This file defines the parts of ptc remote that settle the pending effects of a run: approve, refuse,
// answer and settle.

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/ask"
	"github.com/ptc-lang/ptc/runtime/effect"
)

const settleAbout = `The run continues in the service; with --follow the command follows it as ptc remote
follow does, with the output from its beginning. ID is the id of an effect or the name of a tool, as ptc
remote pending shows them.`

// followFlags returns the flags of the commands that may follow the run.
func followFlags(v *settings) []flags.Spec {
	return append(outcomeFlags(v), flags.Spec{Name: "follow", To: flags.Toggle(&v.remote.follow),
		Text: "then follow the run, and show its output and its outcome"})
}

// remoteApproveCommand declares ptc remote approve.
func remoteApproveCommand() command {
	return remotePart(command{
		name:    "remote approve",
		summary: "approve calls that wait for an approval",
		usage:   []string{"[flags] RUN ID…", "[flags] RUN all"},
		about: "Approves calls of a run; the run then makes them. all stands for all that wait for an approval.\n\n" +
			settleAbout,
		examples: []string{"ptc remote approve 01k9xv0y6ndd7t0f3c2m8h5a4e 0#1 0#2",
			"ptc remote approve 01k9xv0y6ndd7t0f3c2m8h5a4e all --follow"},
		declare:   followFlags,
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		id, effects, err := r.several("the ids of calls, the names of tools, or all")
		for _, e := range effects {
			r.settled = append(r.settled, effect.Settlement{ID: e, As: effect.Approve})
		}
		return r.settleRun(ctx, id, err)
	})
}

// remoteRefuseCommand declares ptc remote refuse.
func remoteRefuseCommand() command {
	return remotePart(command{
		name:    "remote refuse",
		summary: "refuse calls that wait for an approval",
		usage:   []string{"[flags] RUN ID…", "[flags] RUN all"},
		about: "Refuses calls of a run. They are not made, and the program gets an exception with the reason. all stands\n" +
			"for all that wait for an approval.\n\n" + settleAbout,
		examples: []string{"ptc remote refuse 01k9xv0y6ndd7t0f3c2m8h5a4e 0#1 --reason 'not on a Friday'"},
		declare: func(v *settings) []flags.Spec {
			return append(followFlags(v), flags.Spec{Name: "reason", Value: "TEXT", To: flags.Word(&v.remote.reason),
				Text: "the reason that the program and its readers see"})
		},
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		id, effects, err := r.several("the ids of calls, the names of tools, or all")
		for _, e := range effects {
			r.settled = append(r.settled, effect.Settlement{ID: e, As: effect.Refuse, Reason: r.remote.reason})
		}
		return r.settleRun(ctx, id, err)
	})
}

// remoteAnswerCommand declares ptc remote answer.
func remoteAnswerCommand() command {
	return remotePart(command{
		name:      "remote answer",
		summary:   "answer questions of a run",
		usage:     []string{"[flags] RUN ID=JSON…"},
		about:     "Answers questions that a program has asked.\n\n" + settleAbout,
		examples:  []string{`ptc remote answer 01k9xv0y6ndd7t0f3c2m8h5a4e '0#1="yes"' --follow`},
		declare:   followFlags,
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		id, answers, err := r.several("answers as ID=JSON")
		for _, a := range answers {
			if aerr := r.answer(a); aerr != nil && err == nil {
				err = fmt.Errorf("got %q, %w", a, aerr)
			}
		}
		return r.settleRun(ctx, id, err)
	})
}

// remoteSettleCommand declares ptc remote settle.
func remoteSettleCommand() command {
	return remotePart(command{
		name:    "remote settle",
		summary: "settle what a run waits for, whatever its kind",
		usage:   []string{"[flags] RUN"},
		about: "Settles calls, questions and writes in doubt of a run together, with the flags of ptc resume.\n\n" +
			settleAbout,
		examples: []string{`ptc remote settle 01k9xv0y6ndd7t0f3c2m8h5a4e --approve all --answer '0#3="yes"' --follow`,
			`ptc remote settle 01k9xv0y6ndd7t0f3c2m8h5a4e --settle exec.run=retry`},
		declare:   func(v *settings) []flags.Spec { return slices.Concat(followFlags(v), settleFlags(v)) },
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		id, err := r.one()
		if err == nil {
			err = r.readSettlements(ctx, r.streams)
		}
		return r.settleRun(ctx, id, err)
	})
}

// settleRun sends the settlements of the command line, unless err is an error of that.
func (r *remote) settleRun(ctx context.Context, id string, err error) int {
	if err == nil && len(r.settled) == 0 {
		err = fmt.Errorf("%s: no settlement is given; see ptc help %[1]s", r.command.name)
	}
	if err != nil {
		return failInput(r.streams, err)
	}
	run, err := r.service.Get(ctx, id)
	if err != nil {
		return failRemote(r.streams, err)
	}
	all, err := fitting(run.Pending, r.settled, nil)
	if err != nil {
		return failInput(r.streams, fmt.Errorf("run %s is %s: %w", id, run.State, err))
	}
	if run, err = r.service.Settle(ctx, id, all...); err != nil {
		return failRemote(r.streams, err)
	}
	if r.remote.follow {
		return r.attend(ctx, id, false)
	}
	fmt.Fprintf(r.out, "%s %s\n", id, ask.Cell(string(run.State), ask.ShownArgs))
	return exitOK
}
