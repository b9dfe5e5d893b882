// This file defines how the outcome of a run of a service is shown.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/ask"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

// remotePrinter writes the prints of a run.
type remotePrinter struct {
	printer
	r       *remote
	written int             // bytes
	kept    strings.Builder // of an envelope
}

// Write implements io.Writer.
func (p *remotePrinter) Write(text []byte) (int, error) {
	p.written += len(text)
	if p.r.output == "envelope" {
		p.kept.Write(text)
		return len(text), nil
	}
	p.r.printing()
	p.print(string(text))
	return len(text), p.err
}

// rest writes the part of all prints that was not written.
func (p *remotePrinter) rest(all string) { p.Write([]byte(all[min(p.written, len(all)):])) }

// notCompiled shows the error of a program that the service does not run.
func (r *remote) notCompiled(e *ptc.Error) int {
	out := &remotePrinter{printer: printer{output: r.out, failed: func() {}}, r: r}
	return r.ended(store.Run{State: store.Failed}, e, compileCode(e), out)
}

// outcome shows the outcome of a run that rests, and returns the exit code.
func (r *remote) outcome(run store.Run, out *remotePrinter) int {
	if !run.State.Final() {
		return r.waits(run, out)
	}
	failure, err := client.Failure(run)
	if err != nil {
		return failRemote(r.streams, err)
	}
	code := exitOK
	switch {
	case failure != nil:
		code = exitCode(failure)
	case run.State == store.Succeeded:
	case run.State == store.Cancelled:
		failure, code = &ptc.Error{Code: diag.Cancelled, Message: "the run was cancelled: " + run.Reason}, exitInterrupted
	default:
		failure, code = &ptc.Error{Code: diag.Internal, Message: "the run was set aside: " + run.Reason}, exitInternal
	}
	return r.ended(run, failure, code, out)
}

// ended shows the value or the error of a run.
func (r *remote) ended(run store.Run, failure *ptc.Error, code int, out *remotePrinter) int {
	var usage ptc.Usage
	if len(run.Usage) > 0 {
		if err := json.Unmarshal(run.Usage, &usage); err != nil {
			report(r.err, fmt.Errorf("the usage of the run can't be read: %w", err))
		}
	}
	switch {
	case r.output == "envelope":
		e := &ptc.Envelope{Status: ptc.StatusOK, Value: run.Value, Prints: run.Prints, Error: failure, Usage: usage,
			Pending: run.Pending}
		if failure != nil {
			e.Status = ptc.StatusError
		}
		e.WriteTo(out.output) // which keeps its error
	case failure == nil:
		writeValue(out, r.output, &run)
	}
	if r.out.err != nil {
		return exitFailed // dispatch tells why
	}
	if failure != nil && (r.output != "envelope" || code == exitInternal) {
		report(r.err, failure)
	}
	if r.stats && len(run.Usage) > 0 {
		stats(r.err, usage)
	}
	return code
}

// writeValue writes the value of a run on its own line, unless it is nil.
func writeValue(out *remotePrinter, form string, run *store.Run) {
	text := run.Text
	switch {
	case form == "none", text == "nil" && string(run.Value) == "null":
		return
	case form == "json":
		text = string(run.Value)
	case form == "pretty":
		var b bytes.Buffer
		json.Indent(&b, run.Value, "", "  ") // has JSON
		text = b.String()
	}
	io.WriteString(out.output, out.lineEnd()+text+"\n") // output keeps the error
}

// waits shows the effects that a run waits for, and the command that continues it.
func (r *remote) waits(run store.Run, out *remotePrinter) int {
	parked := &ptc.Parked{Pending: run.Pending}
	failure := parked.Diag()
	failure.Hint = hintSettle(run.Pending)
	if slices.ContainsFunc(run.Pending, func(p effect.Pending) bool { return p.Kind == effect.PendingDoubt }) {
		failure.Code, failure.Hint = diag.InDoubt, hintDoubt
	}
	if len(run.Pending) == 0 {
		failure.Message, failure.Hint = fmt.Sprintf("the run is %s: %s", run.State, run.Reason), ""
	} else {
		failure.Span = placeIn(&run, run.Pending[0].Place)
	}
	run.Prints = out.kept.String()
	code := r.ended(run, failure, exitCode(failure), out)
	if len(run.Pending) > 0 {
		ask.Table(r.err, run.Pending)
	}
	if !run.Rests() { // a call ignores that the run was cancelled
		fmt.Fprintf(r.err, "ptc: the run has not ended yet: %s\n", r.again("follow", run.ID))
		return code
	}
	words := append(settlementsFor(run.Pending), "--follow")
	fmt.Fprintf(r.err, "ptc: the run can be continued: %s\n", r.again("settle", run.ID, words...))
	return code
}

// placeIn returns a place of the source of a run, such as deploy.ptc:3:5; none if it is not one.
func placeIn(run *store.Run, place string) token.Span {
	var line, column int
	at, ok := strings.CutPrefix(place, run.Name+":")
	if n, err := fmt.Sscanf(at, "%d:%d", &line, &column); !ok || n != 2 || err != nil {
		return token.Span{}
	}
	text, err := json.Marshal(map[string]any{"file": run.Name, "line": line, "column": column, "endLine": line,
		"endColumn": column + 1})
	if err != nil {
		return token.Span{}
	}
	e, err := diag.Decode(text, map[string]string{run.Name: run.Source})
	if err != nil {
		return token.Span{}
	}
	return e.Span
}
