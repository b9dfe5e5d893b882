// This file defines rules: guards and classes that an operator declares for some calls of a tool.

package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Rule declares the guards or the class of some calls. The declarations of a tool, by its author, apply to
// all of its calls. A rule comes from an operator, who knows the programs that a tool runs, or the service
// behind a tool that others have written.
type Rule struct {
	Tool    string        // the name of the tool; "" for every tool that runs programs
	Program string        // the program that the call runs; "" for every call of Tool
	Args    []string      // the first arguments of the program
	Hint    *effect.Hint  // the guards of the call; nil declares none
	Class   *effect.Class // nil declares none
}

// String returns the rule in short, such as "apt-get: host-exclusive".
func (r Rule) String() string {
	var parts []string
	if r.Hint != nil {
		parts = append(parts, r.Hint.OrDefault(r.Tool).String())
	}
	if r.Class != nil {
		parts = append(parts, r.Class.String())
	}
	return r.subject() + ": " + strings.Join(parts, ", ")
}

// subject returns the calls that the rule is for.
func (r Rule) subject() string {
	words := strings.Join(append([]string{r.Program}, r.Args...), " ")
	switch {
	case r.Tool == "":
		return words
	case r.Program == "":
		return "tool/" + r.Tool
	}
	return "tool/" + r.Tool + " " + words
}

// Validate returns an error if the rule is malformed.
func (r Rule) Validate() error {
	switch {
	case r.Tool == "" && r.Program == "":
		return errors.New("want a tool, a program, or both")
	case r.Program == "" && len(r.Args) > 0:
		return errors.New("got arguments without a program")
	case strings.ContainsAny(r.Program, "/ \t"):
		return fmt.Errorf("got the program %q, want its name without a directory and without arguments", r.Program)
	case r.Hint == nil && r.Class == nil:
		return errors.New("want guards, a class, or both")
	case r.Class != nil && !r.Class.Valid():
		return fmt.Errorf("got the class %s, want write, idempotent or read-only", *r.Class)
	case r.Hint != nil:
		h := r.Hint.OrDefault(r.key())
		return h.Validate()
	}
	return nil
}

// key returns the name of the rate limit of a rule.
func (r Rule) key() string {
	if r.Program != "" {
		return r.Program
	}
	return r.Tool
}

// Commands are the programs that a call runs, with their arguments.
type Commands struct {
	Host string // on which they run
	// All are the commands that were found. The first word of each is the name of a program, without its folder.
	All [][]string
	// Exact reports whether the call runs these commands and nothing else. If a shell runs them, there may be others.
	Exact bool
}

// Runs declares that the tool runs programs: f returns those of a call, whose arguments match the schema. Rules can
// then name programs.
func Runs(f func(args json.RawMessage) Commands) Option { return func(t *Tool) { t.runs = f } }

// WithRules returns the tool with the rules that concern it. The first rule that matches a call and declares guards
// decides those, and the first that declares a class decides that. A call that runs several programs has the guards
// of all, and the class that is the least safe. A rule of a class other than write holds only if every program of the
// call is known. The error of a rule that the tool can't follow names the rule.
func (t *Tool) WithRules(rules ...Rule) (*Tool, error) {
	own := *t
	for _, r := range rules {
		if r.Tool != "" && r.Tool != t.name || r.Tool == "" && t.runs == nil {
			continue
		}
		if err := t.follows(r); err != nil {
			return nil, fmt.Errorf("hint for %s: %w", r.subject(), err)
		}
		if r.Hint != nil {
			h := r.Hint.OrDefault(r.key())
			r.Hint = &h
		}
		own.rules = append(slices.Clone(own.rules), r)
	}
	return &own, nil
}

// follows returns the error of a rule that the tool can't follow.
func (t *Tool) follows(r Rule) error {
	if err := r.Validate(); err != nil {
		return err
	}
	switch {
	case r.Program != "" && t.runs == nil:
		return fmt.Errorf("tool/%s runs no programs", t.name)
	case r.Hint != nil && r.Hint.Kind&effect.HostExclusive != 0 && t.runs == nil && t.HostArgument() == "":
		return fmt.Errorf("host-exclusive needs a host, and tool/%s has no argument %q that is a string and required",
			t.name, t.host)
	}
	return nil
}

// Rules returns the rules of the tool, in the order in which they are tried.
func (t *Tool) Rules() []Rule { return slices.Clone(t.rules) }
