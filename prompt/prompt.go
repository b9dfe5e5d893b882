// Package prompt writes the language card: the part of a model's system prompt that tells
// it how to write task programs. Card gives it, from the table of the language, the tools
// that are granted and the bounds of the run, within a budget of tokens.
//
//	text, err := prompt.Card(ctx, prompt.Options{
//		Run:    ptc.Options{Tools: registry, DataNames: []string{"orders"}},
//		Tokens: 1500,
//	})
//
// The card presumes that the reader knows Clojure: it has what differs, and what a run of
// this host has. All that it says in code is compiled, and its examples are run, by tests.
//
// # The budget
//
// The card is made of pieces that have a rank. A piece that does not fit is left out with all
// that rank behind it, so a larger budget never takes away what a smaller one had. The
// last line then tells what was left out, and how a program asks for it. The order is:
// what a program is; which inputs there are, what tools can reach and how they
// are called; what differs most; the shapes of inputs and the signatures of tools; the first example; the
// bounds; the rest of what differs; the documentation of tools; the second example; names
// that Clojure does not have; the third example.
//
// [Tokens] estimates from above, as every model counts differently.
package prompt

import (
	"context"
	"errors"
	"fmt"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// Options say what a card is about.
type Options struct {
	// Run are the options that programs will be compiled and run with. The card tells of
	// the Limits, the Tools, the DataNames and the policies of the Queue.
	Run ptc.Options
	// Data is an input, or one like those that programs will get: the card tells the names
	// and the shapes of its members, and no value. A shape is what the first thousand elements
	// of each array have.
	Data map[string]any
	// Reach tells what the tools can reach, in lines such as "files: data (read only)".
	Reach []string
	// Tokens bounds the card, as Tokens counts; 0 has the whole card.
	Tokens int
}

// TooFewError is the error of a budget that not even the shortest card fits.
type TooFewError struct {
	Tokens, Least int
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("a card of %s is too short: the shortest one has %d", diag.Counted(e.Tokens, "token"), e.Least)
}

// Card writes the language card. It compiles the examples of tools, until ctx ends. The error is a *TooFewError, that
// of limits that no program could run within, or that of ctx.
func Card(ctx context.Context, o Options) (string, error) {
	if err := o.Run.Limits.Validate(); err != nil {
		return "", err
	}
	if ctx == nil {
		return "", errors.New("prompt: got a nil context, want one")
	}
	c := newCard(ctx, o)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if o.Tokens == 0 {
		return c.text(len(c.pieces)), nil
	}
	least := Tokens(c.text(0))
	if o.Tokens < least {
		return "", &TooFewError{o.Tokens, least}
	}
	return c.text(c.within(o.Tokens)), nil
}

// bytesPerToken is few enough to count too many tokens: cards have 3.2 to 3.9 bytes for
// each token of o200k_base and of cl100k_base, those that are mostly code the fewest.
const bytesPerToken = 3

// Tokens estimates how many tokens a text has, from above for texts like the card: bytes
// divided by 3, rounded up. Cards turned out to have 7 to 25 % fewer.
func Tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }
