// This file defines ptc prompt.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

const promptAbout = `usage: ptc prompt [flags]

Prints a card: a description of the language for the system prompt of a model that
writes programs. It has the differences from Clojure, the granted tools, the limits
and three examples. Tools, limits and policies come from the flags of ptc run.
--tools adds tools that a Go program grants: a result of tools/list of the Model
Context Protocol, or the array in it. --data and --arg take an input, or a similar
one; the card shows its names and shapes, but no values. Granted files and services
are not opened, and need not exist.

With --tokens the card leaves out what matters least, and a line lists what was left
out. Tokens are counted as bytes divided by 3, which is a little more than most
models count.

exit codes: 0 ok, 2 usage, or --tokens is too small

examples:
  ptc prompt
  ptc prompt --tokens 800
  ptc prompt --data sales.json --arg region=north
  ptc prompt --allow-http api.example.com=GET --allow-fs data:ro --timeout 1m
  ptc prompt --tools tools.json
`

// maxTools bounds the bytes of a file of tools. Ten thousand tools fit.
const maxTools = 16 << 20

// promptFlags are the flags of ptc prompt.
type promptFlags struct {
	toolsFile, policyFile string
	tokens                int
	inputs                inputFlags
	limits                ptc.Limits
	grants                grant.Set
}

func (f *promptFlags) declare(fs *flagSet) {
	fs.Var(fileName{&f.toolsFile}, "tools", "FILE further tools, as the JSON of tools/list of the Model Context "+
		"Protocol; - is standard input")
	f.inputs.declare(fs)
	fs.Var(count[int]{&f.tokens, math.MaxInt}, "tokens", "N maximum number of tokens; by default nothing is left out")
	fs.Var(fileName{&f.policyFile}, "policy", "FILE policies of the operator for tool calls, YAML or JSON")
	limitFlags(fs, &f.limits)
	grantFlags(fs, &f.grants)
}

func promptCommand(ctx context.Context, args []string, s streams) int {
	f := promptFlags{grants: grant.Set{Describe: true}}
	fs := newFlags("prompt", promptAbout)
	f.declare(fs)
	rest, code, ok := parse(fs, args, s)
	if !ok {
		return code
	}
	if len(rest) > 0 {
		return failUsage(s, "prompt takes no arguments, got %q; pass further tools as --tools %s", rest[0], rest[0])
	}
	tools, opened, err := grantedTools(ctx, "-", &f.grants, true, s)
	if err != nil {
		return failInput(s, err)
	}
	defer opened.Close()
	card, err := f.card(ctx, tools, s)
	if err != nil {
		return failInput(s, err)
	}
	io.WriteString(s.out, card)
	return exitOK
}

// card writes the card.
func (f *promptFlags) card(ctx context.Context, tools *tool.Registry, s streams) (string, error) {
	err := onceFromInput(reading{"the tools", f.toolsFile}, reading{"the data", f.inputs.data},
		reading{"the policy", f.policyFile})
	if err != nil {
		return "", err
	}
	o := prompt.Options{Run: ptc.Options{Limits: f.limits, Tools: tools}, Reach: f.grants.Reach(), Tokens: f.tokens}
	if err := f.addTools(ctx, tools, s); err != nil {
		return "", err
	}
	if o.Data, err = f.inputs.read(ctx, f.limits.Memory, s); err != nil {
		return "", err
	}
	if o.Run.Queue, err = policies(ctx, f.policyFile, s); err != nil {
		return "", err
	}
	card, err := prompt.Card(ctx, o)
	if few := (*prompt.TooFewError)(nil); errors.As(err, &few) {
		return "", fmt.Errorf("--tokens %d is too few: the shortest card for these tools has %d", few.Tokens, few.Least)
	}
	return card, err
}

// addTools adds the tools that the file describes.
func (f *promptFlags) addTools(ctx context.Context, tools *tool.Registry, s streams) error {
	if f.toolsFile == "" {
		return nil
	}
	text, err := readInput(ctx, f.toolsFile, s, maxTools)
	if err != nil {
		return err
	}
	described, err := prompt.ParseTools(f.toolsFile, text)
	if err != nil {
		return err
	}
	return tools.Add(described...)
}
