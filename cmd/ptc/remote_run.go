// This file defines ptc remote run and follow.

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/repl"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/store"
)

const remoteRunAbout = `Submits a program to a service, and shows its run as ptc run does: the output as it
happens, then the value or the error. FILE - is standard input. The tools are those
that the service grants; ptc.yaml is not read. A limit can only be lower than that
of the service.

The run does not depend on this command: if the connection is lost, the command
reconnects, and the run continues meanwhile. An interrupt (Ctrl-C) cancels the run, as
with ptc run; a second one ends the command without waiting for the run. With
--detach the command prints the id of the run and ends.

If the run waits for an approval or an answer, the command asks on a terminal.
Otherwise it ends with exit code 6 and names the command that continues.`

// remoteRunCommand declares ptc remote run.
func remoteRunCommand() command {
	return remotePart(command{
		name:    "remote run",
		summary: "submit a program and follow its run",
		usage:   []string{"[flags] FILE", "[flags] -e EXPR", "[flags] --program NAME"},
		about:   remoteRunAbout,
		examples: []string{
			"ptc remote run report.ptc --data sales.json",
			"ptc remote run -e '(tool/time.now)' --server http://127.0.0.1:8080 --token-file state/operator.token",
			"ptc remote run --program deploy@3 --arg host=web-1 --label ticket=OPS-17 --idempotency-key OPS-17",
			"ptc remote run nightly.ptc --detach --priority low",
		},
		declare:   remoteRunFlags,
		arguments: fileArguments,
	}, (*remote).submit)
}

func remoteRunFlags(v *settings) []flags.Spec {
	bounds := flags.Limits(&v.limits)
	for i := range bounds { // the defaults are those of the service
		bounds[i].Initial = ""
	}
	r := &v.remote
	return slices.Concat(inputFlags(v), bounds, []flags.Spec{
		{Name: "e", Value: "EXPR", Text: "run this expression", To: flags.Func(v.setExpr)},
		pathFlag(v),
		outputFlag(v),
		statsFlag(v),
		{Name: "program", Value: "NAME", Text: "run a program of the service, as NAME or NAME@VERSION",
			To: flags.Word(&r.program)},
		labelFlag(r, "label the run, for lists"),
		{Name: "idempotency-key", Value: "KEY", To: flags.Word(&r.once),
			Text: "submit once: a repetition with the same KEY follows the first run"},
		{Name: "priority", Value: "PRIORITY", Initial: "normal", Choices: []string{"high", "normal", "low"},
			Text: "priority of the run in the queue, and of its calls: high, normal or low", To: flags.Word(&r.priority)},
		{Name: "nodes", Value: "N", To: flags.Count(&r.nodes, store.MaxNodes),
			Text: "maximum number of nodes of a cluster that run it at once; all by default"},
		{Name: "detach", Text: "print the id of the run and end, without following it", To: flags.Toggle(&r.detach)},
	})
}

// labelFlag returns the flag for labels.
func labelFlag(v *remoteSettings, text string) flags.Spec {
	add := func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return errors.New("want NAME=VALUE")
		}
		if v.labels == nil {
			v.labels = make(map[string]string)
		}
		v.labels[name] = value
		return nil
	}
	return flags.Spec{Name: "label", Value: "NAME=VALUE", Text: text, Repeats: true, To: flags.Func(add)}
}

// submit is ptc remote run.
func (r *remote) submit(ctx context.Context) int {
	sub, err := r.submission(ctx)
	if err != nil {
		return failInput(r.streams, err)
	}
	run, err := r.service.Submit(ctx, sub, 0)
	var program *ptc.Error
	switch {
	case errors.As(err, &program):
		if program.Code == diag.UnknownData && sub.Data == nil {
			program.Hint = hintData
		}
		return r.notCompiled(program)
	case err != nil:
		code := failRemote(r.streams, err)
		if code == exitInterrupted || isCode(err, client.CodeUnreachable) {
			fmt.Fprintln(r.err, "ptc: the run may have been submitted; ptc remote list shows it then")
		}
		return code
	case !store.ValidID(run.ID):
		report(r.err, fmt.Errorf("got a run with the id %.100q from %s, want an answer of ptcd: check the address", run.ID,
			r.service.Address()))
		return exitService
	case r.remote.detach:
		fmt.Fprintln(r.out, run.ID)
		return exitOK
	}
	return r.attend(ctx, run.ID, true)
}

// submission returns the submission of the command line. It has a key, so that it can be sent again if it
// is unknown whether it has arrived.
func (r *remote) submission(ctx context.Context) (sub store.Submission, err error) {
	if r.remote.program != "" {
		if r.expr != nil || len(r.rest) > 0 {
			return sub, fmt.Errorf("%s takes --program or a program, got both", r.command.name)
		}
		sub.Program = r.remote.program
	} else if sub.Name, sub.Source, err = r.program(ctx, r.streams); err != nil {
		return sub, err
	}
	data, err := r.input(ctx, r.streams)
	if err != nil {
		return sub, err
	}
	if len(data) > 0 {
		if sub.Data, err = json.Marshal(data); err != nil {
			return sub, fmt.Errorf("the input has no JSON: %w", err)
		}
	}
	if sub.Limits, err = r.askedLimits(); err != nil {
		return sub, err
	}
	sub.Nodes = r.remote.nodes
	sub.Labels, sub.Key = r.remote.labels, r.remote.once
	if _, given := r.given["idempotency-key"]; sub.Key == "" && given { // of a variable that is not set
		return sub, errors.New("--idempotency-key is empty, want a key that names the submission")
	}
	if sub.Key == "" {
		sub.Key = rand.Text()
	}
	return sub, sub.Priority.UnmarshalText([]byte(r.remote.priority))
}

// askedLimits returns the limits that the command line has; the others are 0.
func (in *invocation) askedLimits() (l limits.Limits, err error) {
	for _, f := range flags.Limits(&l) {
		if text, ok := in.given[f.Name]; ok {
			err = errors.Join(err, f.Set(text))
		}
	}
	return l, err
}

// remoteFollowCommand declares ptc remote follow.
func remoteFollowCommand() command {
	return remotePart(command{
		name:    "remote follow",
		summary: "follow a run, and show its output and its outcome",
		usage:   []string{"[flags] RUN"},
		about: `Shows what a run has printed and prints, and its value or error when it has ended, as
ptc run does. The exit code is that of ptc run too. An interrupt (Ctrl-C) ends the
command, and leaves the run.`,
		examples: []string{"ptc remote follow 01k9xv0y6ndd7t0f3c2m8h5a4e",
			"ptc remote follow $(ptc remote run a.ptc --detach)"},
		declare:   outcomeFlags,
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		id, err := r.one()
		if err != nil {
			return failInput(r.streams, err)
		}
		return r.attend(ctx, id, false)
	})
}

// outcomeFlags returns the flags for the outcome of a run.
func outcomeFlags(v *settings) []flags.Spec { return []flags.Spec{outputFlag(v), statsFlag(v)} }

// attend follows a run and shows its outcome. If the run is the command's own, an interrupt cancels it, and the person
// at the terminal is asked about its pending effects.
func (r *remote) attend(ctx context.Context, id string, own bool) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &remotePrinter{printer: printer{output: r.out, failed: cancel}, r: r}
	var asks repl.OnPending
	if own {
		asks = (&execution{invocation: r.invocation}).asks(&out.printer, nil, r.streams)
	}
	run, err := r.service.Follow(ctx, id, out)
	for asks != nil && err == nil && !run.State.Final() && r.asked(ctx, asks, run) {
		run, err = r.service.Follow(ctx, id, &later{out, out.written})
	}
	if ctx.Err() != nil && own {
		if run, err = r.stop(context.WithoutCancel(ctx), id); err == nil {
			out.rest(run.Prints)
		}
	}
	if r.out.err != nil {
		return exitFailed // dispatch tells why
	}
	if err != nil {
		code := failRemote(r.streams, err)
		if code == exitInterrupted || code == exitService && !isCode(err, store.ErrNotFound.Code) {
			fmt.Fprintf(r.err, "ptc: the run may continue: %s\n", r.again("follow", id))
		}
		return code
	}
	return r.outcome(run, out)
}

// asked asks about the pending effects of a run, and reports whether any was settled, here or elsewhere.
func (r *remote) asked(ctx context.Context, asks repl.OnPending, run store.Run) bool {
	settled, err := asks(ctx, run.Pending)
	if err != nil || len(settled) == 0 {
		return false
	}
	_, err = r.service.Settle(ctx, run.ID, settled...)
	if err != nil {
		report(r.err, err)
	}
	return err == nil || isCode(err, codeNotPending)
}

// codeNotPending is the error code for an effect that is already settled; see spec/api.md.
const codeNotPending = "not-pending"

// later leaves out the first bytes, which were written before.
type later struct {
	io.Writer
	n int
}

func (l *later) Write(p []byte) (int, error) {
	skip := min(l.n, len(p))
	l.n -= skip
	n := 0
	var err error
	if skip < len(p) {
		n, err = l.Writer.Write(p[skip:])
	}
	return skip + n, err
}

func isCode(err error, code string) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Code == code
}

// stopTime bounds the wait for the end of a run that is cancelled. The service answers within ten seconds.
const stopTime = 20 * time.Second

// stop cancels a run, and returns it.
func (r *remote) stop(ctx context.Context, id string) (store.Run, error) {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	run, err := r.service.Cancel(ctx, id)
	if errors.Is(err, store.ErrEnded) {
		run, err = r.service.Get(ctx, id)
	}
	return run, err
}
