// Package prompt writes the language card: the part of a model's system prompt that describes how to write task
// programs. Card builds it from the table of the language, the granted tools and the bounds of the run, within
// a budget of tokens.
//
//	text, err := prompt.Card(ctx, prompt.Options{
//		Run:    ptc.Options{Tools: registry, DataNames: []string{"orders"}},
//		Tokens: 1500,
//	})
//
// The card assumes that the reader knows Clojure: it has the differences, and the facts about this host. Tests
// compile all code on the card, and run its examples.
//
// # The budget
//
// The card consists of ranked pieces. If a piece does not fit, it is left out with all pieces of a lower rank,
// so a larger budget never removes a piece that a smaller one had. Then the last line lists what was left out,
// and how a program can ask for it. The order is: the nature of a program; the inputs, the scopes of tools and
// how to call them; the main differences; the shapes of inputs and the signatures of tools; the first example;
// the bounds; the other differences; the first sentences about tools; the second example; names that Clojure does
// not have; the rest about tools, with their fields; the third example.
//
// [Tokens] is an upper estimate, because every model counts differently.
package prompt

import (
	"context"
	"errors"
	"fmt"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// Options are the contents of a card.
type Options struct {
	// Run are the options with which programs will be compiled and run. The card shows the Limits, the Tools,
	// the DataNames and the policies of the Queue.
	Run ptc.Options
	// Data is an input, or a sample of one: the card shows the names and the shapes of its members, but no
	// values. A shape covers the first thousand elements of each array.
	Data map[string]any
	// Reach lists what the tools can reach, in lines such as "files: data (read only)".
	Reach []string
	// Tokens bounds the card, as counted by the function Tokens; 0 means the whole card.
	Tokens int
}

// TooFewError is the error of a budget that is too small for the shortest card.
type TooFewError struct {
	Tokens, Least int
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("a card of %s is too short: the shortest one has %d", diag.Counted(e.Tokens, "token"), e.Least)
}

// Card writes the language card. It compiles the examples of tools, until ctx ends. The error is a *TooFewError,
// an error about invalid limits, or the error of ctx.
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

// bytesPerToken is low, so that the estimate is high: cards have 3.2 to 3.9 bytes for each token of o200k_base
// and of cl100k_base; cards that are mostly code have the fewest.
const bytesPerToken = 3

// Tokens estimates the number of tokens of a text: bytes divided by 3, rounded up. For texts like the card it
// is an upper bound: measured cards had 7 to 25 % fewer.
func Tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }
