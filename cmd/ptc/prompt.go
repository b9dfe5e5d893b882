// This file defines ptc prompt.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/tool"
)

const promptAbout = `Prints a card: a description of the language for the system prompt of a model that
writes programs. It has the differences from Clojure, the granted tools, the limits
and three examples. Tools, limits and policies come from the flags of ptc run.
--tools adds tools that a Go program grants: a result of tools/list of the Model
Context Protocol, or the array in it. --data and --arg take an input, or a similar
one; the card shows its names and shapes, but no values. Granted files and services
are not opened, and need not exist.

With --tokens the card leaves out what matters least, and a line lists what was left
out. Tokens are counted as bytes divided by 3, which is a little more than most
models count.

exit codes: 0 ok, 2 usage, or --tokens is too small`

// promptFlags returns the flags of ptc prompt.
func promptFlags(v *settings) []flags.Spec {
	return slices.Concat(inputFlags(v), flags.Limits(&v.limits), flags.Grants(&v.grants), []flags.Spec{
		flags.Policy(&v.policyFile),
		{Name: "tools", Value: "FILE",
			Text: "further tools, as the JSON of tools/list of the Model Context Protocol; - is standard input",
			To:   flags.File(&v.toolsFile)},
		{Name: "tokens", Value: "N", Text: "maximum number of tokens; by default nothing is left out",
			To: flags.Count(&v.tokens, math.MaxInt)},
	})
}

// promptCommand declares ptc prompt.
func promptCommand() command {
	return command{
		name:    "prompt",
		summary: "print a description of the language for a model",
		usage:   []string{"[flags]"},
		about:   promptAbout,
		examples: []string{
			"ptc prompt",
			"ptc prompt --tokens 800",
			"ptc prompt --data sales.json --arg region=north",
			"ptc prompt --allow-http api.example.com=GET --allow-fs data:ro --timeout 1m",
			"ptc prompt --tools tools.json",
		},
		declare:   promptFlags,
		instead:   "pass further tools as --tools %s",
		describes: true,
		run:       printPrompt,
	}
}

// maxTools bounds the bytes of a file of tools. Ten thousand tools fit.
const maxTools = 16 << 20

func printPrompt(ctx context.Context, in *invocation, s streams) int {
	tools, opened, err := grantedTools(ctx, "-", &in.grants, true, s)
	if err != nil {
		return failInput(s, err)
	}
	defer opened.Close()
	card, err := in.card(ctx, tools, s)
	if err != nil {
		return failInput(s, err)
	}
	io.WriteString(s.out, card)
	return exitOK
}

// card writes the card.
func (in *invocation) card(ctx context.Context, tools *tool.Registry, s streams) (string, error) {
	err := onceFromInput(reading{"the tools", in.toolsFile}, reading{"the data", in.data},
		reading{"the policy", in.policyFile})
	if err != nil {
		return "", err
	}
	o := prompt.Options{Run: ptc.Options{Limits: in.limits, Tools: tools}, Reach: in.grants.Reach(), Tokens: in.tokens}
	if err := in.addTools(ctx, tools, s); err != nil {
		return "", err
	}
	if o.Data, err = in.input(ctx, s); err != nil {
		return "", err
	}
	if o.Run.Queue, err = in.policies(ctx, s); err != nil {
		return "", err
	}
	card, err := prompt.Card(ctx, o)
	if few := (*prompt.TooFewError)(nil); errors.As(err, &few) {
		return "", fmt.Errorf("--tokens %d is too few: the shortest card for these tools has %d", few.Tokens, few.Least)
	}
	return card, err
}

// addTools adds the tools that the file describes.
func (in *invocation) addTools(ctx context.Context, tools *tool.Registry, s streams) error {
	if in.toolsFile == "" {
		return nil
	}
	text, err := readInput(ctx, in.toolsFile, s, maxTools)
	if err != nil {
		return err
	}
	described, err := prompt.ParseTools(in.toolsFile, text)
	if err != nil {
		return err
	}
	return tools.Add(described...)
}
