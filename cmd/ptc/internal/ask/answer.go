// This file defines how the line is read that a person has typed.

package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// command is the meaning of a line.
type command struct {
	do         action
	all        bool              // settle all of the same kind
	settlement effect.Settlement // without ID
}

// action is the effect of a command.
type action uint8

const (
	again   action = iota // ask again
	settle                // with the settlement
	details               // show everything about the effect
	skip                  // decide later
	quit                  // end the run
	explain               // list the commands
)

// actionOf returns the action of a word that settles nothing.
func actionOf(word string) (do action, known bool) {
	switch word {
	case "d", "details":
		return details, true
	case "s", "skip":
		return skip, true
	case "q", "quit":
		return quit, true
	case "?", "h", "help":
		return explain, true
	}
	return again, false
}

// maxTyped is the number of bytes of a line from which a terminal may have dropped some.
const maxTyped = 4095

// read reads a line about an effect.
func read(p *effect.Pending, line string) (command, error) {
	text := strings.TrimSpace(line)
	switch {
	case len(line) >= maxTyped:
		return command{}, errors.New("the line is too long for a terminal: end the run with q, and settle the effect with " +
			"ptc resume")
	case text == "":
		return command{}, nil
	case p.Kind == effect.PendingQuestion:
		return readAnswer(p, text)
	}
	word, rest := cutWord(strings.TrimPrefix(text, ":"))
	word = strings.ToLower(word)
	if do, known := actionOf(word); known {
		return command{do: do}, nil
	}
	c := command{do: settle}
	if word == "a" || word == "all" {
		c.all = true
		if word, rest = cutWord(rest); word == "" && p.Kind == effect.PendingApproval {
			word = "y"
		}
		word = strings.ToLower(word)
	}
	s, ok := verdict(p, word, rest)
	if !ok {
		return command{}, fmt.Errorf("%.100q settles nothing; ? lists what does", text)
	}
	c.settlement = s
	return c, nil
}

// verdict returns the settlement of a call by a word and the text after it.
func verdict(p *effect.Pending, word, rest string) (s effect.Settlement, ok bool) {
	approval := p.Kind == effect.PendingApproval
	switch word {
	case "y", "yes":
		s.As = effect.Approve
		return s, approval && rest == ""
	case "n", "no":
		s.As, s.Reason = effect.Refuse, rest
		return s, approval
	case "retry":
		s.As = effect.Retry
		return s, p.Kind == effect.PendingDoubt && rest == ""
	case "done":
		if s.As = effect.Done; rest != "" {
			s.Result = effect.AnswerOf(rest)
		}
		return s, !approval
	case "failed":
		if rest == "" {
			rest = "it failed"
		}
		s.As, s.Failure = effect.Failed, &effect.Failure{Kind: diag.ToolFailed, Code: effect.CodeFailed, Message: rest}
		return s, !approval
	}
	return s, false
}

// readAnswer reads an answer to a question, or a command, which begins with a colon.
func readAnswer(p *effect.Pending, text string) (command, error) {
	if answer, ok := option(p, text); ok {
		return command{do: settle, settlement: effect.Settlement{As: effect.Done, Result: answer}}, nil
	}
	if text == "?" {
		return command{do: explain}, nil
	}
	name, isCommand := strings.CutPrefix(text, ":")
	if !isCommand {
		return command{do: settle, settlement: effect.Settlement{As: effect.Done, Result: effect.AnswerOf(text)}}, nil
	}
	word, rest := cutWord(name)
	switch word = strings.ToLower(word); {
	case word == "a" || word == "all":
		if answer, ok := option(p, rest); ok {
			return command{settle, true, effect.Settlement{As: effect.Done, Result: answer}}, nil
		}
		if rest == "" {
			return command{}, errors.New("want an answer to all questions that are the same, such as :a yes")
		}
		return command{settle, true, effect.Settlement{As: effect.Done, Result: effect.AnswerOf(rest)}}, nil
	case rest == "":
		if do, known := actionOf(word); known {
			return command{do: do}, nil
		}
	}
	return command{}, fmt.Errorf("%.100q is not a command; ? lists them, and in quotes it is an answer", text)
}

// option returns the option of a question that a text means: one that is this string, or one by its number.
func option(p *effect.Pending, text string) (json.RawMessage, bool) {
	for _, o := range p.Options {
		var s string
		if json.Unmarshal(o, &s) == nil && s == text {
			return o, true
		}
	}
	if n, err := strconv.Atoi(text); err == nil && numbered(p) && n >= 1 && n <= len(p.Options) {
		return p.Options[n-1], true
	}
	return nil, false
}

// numbered reports whether the options can be chosen by their numbers: a number could mean another option if they are
// numbers themselves.
func numbered(p *effect.Pending) bool {
	for _, o := range p.Options {
		var text string
		if json.Unmarshal(o, &text) != nil {
			text = string(o)
		}
		if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return false
		}
	}
	return len(p.Options) > 0
}

// cutWord returns the first word of a text, and the rest.
func cutWord(text string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
	return word, strings.TrimSpace(rest)
}
