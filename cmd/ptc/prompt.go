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

Prints a card of the language for the system prompt of a model that is to write
programs: what differs from Clojure, the tools that are granted, the limits, and
three examples. Tools, limits and policies are given by the flags that ptc run
takes. --tools describes further tools, which a Go program grants: a result of
tools/list of the Model Context Protocol, or the array in it. Of --data and --arg,
an input or one like it, the card has the names and the shapes, and no values.
What is granted is not opened, and need not exist.

With --tokens what matters least is left out, and a line says what that is. Tokens
are counted as bytes divided by 3, which is a little more than most models count.

exit codes: 0 ok, 2 usage, which --tokens with too few is too

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
	fs.Var(fileName{&f.toolsFile}, "tools", "FILE further tools, JSON as of tools/list of the Model Context Protocol; - is the standard input")
	f.inputs.declare(fs)
	fs.Var(count[int]{&f.tokens, math.MaxInt}, "tokens", "N most tokens of the card; all of it, if left out")
	fs.Var(fileName{&f.policyFile}, "policy", "FILE the policies of the operator for calls of tools, YAML or JSON")
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
		return failUsage(s, "prompt takes no arguments, got %q; further tools are given as --tools %s", rest[0], rest[0])
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
	err := onceFromInput(reading{"the tools", f.toolsFile}, reading{"the data", f.inputs.data}, reading{"the policy", f.policyFile})
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
		return "", fmt.Errorf("--tokens is %d, which is too few: the shortest card for these tools has %d", few.Tokens, few.Least)
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
