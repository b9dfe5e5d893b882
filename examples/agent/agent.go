// This file defines the loop: card, model, program, check, run, repair.

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// rules follow the card in the system prompt.
const rules = `
## How to answer

Answer the first message with one program in a fence marked clojure, and nothing else. You get back its status, value,
prints and error. After an error, send the whole program again, repaired. When you have what the person asked for,
answer them in one or two sentences without a fence.
`

// maxOutcome bounds an outcome that is handed back, in bytes: some 2,500 tokens.
const maxOutcome = 8000

// agent answers questions.
type agent struct {
	model   *model
	options ptc.Options
	reach   []string // the resources that the tools can reach, for the card
	tokens  int      // of the card
	turns   int
	log     io.Writer
	in      *bufio.Reader // of the person who approves
}

// do returns the answer to a question.
func (a *agent) do(ctx context.Context, question string) (string, error) {
	card, err := prompt.Card(ctx, prompt.Options{Run: a.options, Reach: a.reach, Tokens: a.tokens})
	if err != nil {
		return "", err
	}
	talk := []message{{"system", card + rules}, {"user", question}}
	succeeded := false
	for range a.turns {
		answer, err := a.model.ask(ctx, talk)
		if err != nil {
			return "", err
		}
		if succeeded && !strings.Contains(answer, "```") {
			return answer, nil
		}
		outcome, ok := a.outcome(ctx, answer)
		succeeded = succeeded || ok
		talk = append(talk, message{"assistant", answer}, message{"user", outcome})
	}
	return "", fmt.Errorf("no answer after %d turns", a.turns)
}

// outcome runs the program in an answer of the model, and returns the text that the model gets about it. ok
// reports whether it ran to its end.
func (a *agent) outcome(ctx context.Context, answer string) (outcome string, ok bool) {
	source, err := ptc.Source(answer)
	if err != nil {
		return a.envelope(nil, err, ""), false
	}
	fmt.Fprintf(a.log, "-- program\n%s\n", source)
	found := ptc.Check(ctx, "program", source, a.options)
	var findings bytes.Buffer
	for _, d := range found.Diagnostics {
		d.Render(&findings, false)
	}
	if found.Err != nil {
		fmt.Fprintf(a.log, "-- check\n%s", &findings)
		return findings.String(), false
	}
	prog, err := ptc.Compile(ctx, "program", source, a.options)
	if err != nil {
		return a.envelope(nil, err, ""), false
	}
	res, err := prog.Run(ctx, ptc.RunOptions{OnPending: a.settle})
	return a.envelope(res, err, findings.String()), err == nil
}

// envelope returns the outcome of a run for the model, after the warnings about its program. The usage of the run is
// for the host, not for the model.
func (a *agent) envelope(res *ptc.Result, err error, warnings string) string {
	var b strings.Builder
	b.WriteString(warnings)
	e := res.Envelope(err, maxOutcome)
	e.Usage = ptc.Usage{}
	e.WriteTo(&b) // a strings.Builder never fails
	if err != nil {
		b.WriteString(written(res))
	}
	fmt.Fprintf(a.log, "-- outcome\n%s", b.String())
	return b.String()
}

// written lists what a run that has failed has changed: the repaired program must not do it again.
func written(res *ptc.Result) string {
	if res == nil {
		return ""
	}
	var b strings.Builder
	for _, c := range res.Calls {
		if c.Class == effect.Write && c.Done && !c.Outcome.Failed() {
			fmt.Fprintf(&b, "Done already, do not repeat it: tool/%s %s\n", c.Name, c.Args)
		}
	}
	return b.String()
}

// settle asks the person about the calls and questions that wait.
func (a *agent) settle(_ context.Context, all []effect.Pending) (settled []effect.Settlement, err error) {
	for _, p := range all {
		if p.Kind == effect.PendingQuestion {
			fmt.Fprintf(a.log, "-- the program asks: %s %s\n> ", diag.Visible(p.Question), p.Options)
		} else {
			fmt.Fprintf(a.log, "-- the program wants to call %s %s; allow it? y/n\n> ", p.Tool, diag.Visible(string(p.Args)))
		}
		line, err := a.in.ReadString('\n')
		if err != nil && line == "" {
			return nil, fmt.Errorf("nobody is there to decide about %s: %w", p.ID, err)
		}
		line = strings.TrimSpace(line)
		s := effect.Settlement{ID: p.ID, As: effect.Refuse, Reason: "the person said no"}
		switch {
		case p.Kind == effect.PendingQuestion:
			s = effect.Settlement{ID: p.ID, As: effect.Done, Result: reply(line)}
		case line == "y":
			s = effect.Settlement{ID: p.ID, As: effect.Approve}
		}
		settled = append(settled, s)
	}
	return settled, nil
}

// reply returns the input of a person as JSON: unchanged if it is JSON, or else as a string.
func reply(line string) json.RawMessage {
	if json.Valid([]byte(line)) {
		return json.RawMessage(line)
	}
	text, _ := json.Marshal(line) // a string has JSON
	return text
}
