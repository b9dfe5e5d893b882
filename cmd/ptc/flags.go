// This file defines how commands declare flags, and how they are read and refused.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/tools/grant"
)

// flagSpec declares a flag. Help, completions, the manual page and docs/reference.md are made from it.
type flagSpec struct {
	name    string                      // without dashes
	value   string                      // the name of its value in the help; "" if it takes none
	text    string                      // describes it; help adds the default
	initial string                      // the value without the flag, in the form of the flag; "" for the zero value
	choices []string                    // the possible values; nil if the value is free
	repeats bool                        // it may be repeated, and each value counts
	group   group                       // groupGeneral if empty
	target  func(v *settings) flagValue // where its value goes
}

// group is a heading in the help under which flags stand.
type group string

const (
	groupGeneral group = "flags"
	groupLimits  group = "limits"
	groupGrants  group = "grants"
)

// groups lists the groups in the order of the help.
var groups = [...]group{groupGeneral, groupLimits, groupGrants}

// settings are the values of the flags of all commands. A command has some of the flags.
type settings struct {
	limits   ptc.Limits
	expr     *string
	data     string   // the file of the input
	args     []string // NAME=VALUE
	output   string
	stats    bool
	progress bool
	seed     uint64
	onFull   string
	grants   grant.Set
	noConfig bool // ignores the file beside the script

	journalFile string
	keyFile     string // of the key of journals; "" for that of the user
	policyFile  string

	settled   map[string]journal.Settlement // of ptc resume
	drawing   string                        // the file that ptc trace writes
	form      string                        // of the drawing
	unchanged bool                          // ptc fmt only lists the files that are not formatted
	json      bool                          // here and below: of ptc check
	effects   bool
	strict    bool
	fix       bool
	toolsFile string // here and below: of ptc prompt
	tokens    int
}

// invocation is a command line that was read.
type invocation struct {
	settings
	command command
	flags   []flagSpec        // of the command
	rest    []string          // the arguments
	given   map[string]string // the flags that were given, with their last values
}

// errHelp is the error of parse if the command line asks for help.
var errHelp = errors.New("help requested")

// parse reads flags and arguments in any order; after -- all are arguments. A flag is written with one dash or two, its
// value after = or as the next word.
func (c command) parse(words []string) (*invocation, error) {
	in := &invocation{command: c, flags: c.flags(), given: make(map[string]string)}
	in.limits = limits.Default() // some have no flag
	in.grants.Describe = c.describes
	for _, f := range in.flags {
		if f.initial == "" {
			continue
		}
		if err := f.target(&in.settings).Set(f.initial); err != nil {
			return nil, fmt.Errorf("the default of %s: %w", dashed(f.name), err)
		}
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			in.rest = append(in.rest, words...)
			return in, nil
		case len(word) < 2 || word[0] != '-':
			in.rest = append(in.rest, word)
			continue
		}
		var err error
		if words, err = in.flag(word, words); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// flag reads a flag, whose value may be the first of the words after it, and returns the words that remain.
func (in *invocation) flag(word string, words []string) ([]string, error) {
	name, value, valued := strings.Cut(strings.TrimPrefix(word[1:], "-"), "=")
	if name == "" || name[0] == '-' {
		return nil, fmt.Errorf("bad flag syntax: %s", word)
	}
	i := slices.IndexFunc(in.flags, func(f flagSpec) bool { return f.name == name })
	switch {
	case i < 0 && (name == "h" || name == "help"):
		return nil, errHelp
	case i < 0:
		return nil, in.command.unknownFlag(name)
	}
	f := in.flags[i]
	switch {
	case valued:
	case f.value == "":
		value = "true"
	case len(words) == 0:
		return nil, fmt.Errorf("%s needs a value", dashed(name))
	default:
		value, words = words[0], words[1:]
	}
	if err := f.set(&in.settings, value); err != nil {
		return nil, fmt.Errorf("%s is %q, %w", dashed(name), value, err)
	}
	in.given[name] = value
	return words, nil
}

// set enters a value of the flag.
func (f flagSpec) set(v *settings, value string) error {
	if f.choices != nil && !slices.Contains(f.choices, value) {
		return fmt.Errorf("want one of %s", strings.Join(f.choices, ", "))
	}
	return f.target(v).Set(value)
}

// unknownFlag returns the error for a flag that the command does not have, with the probable one.
func (c command) unknownFlag(name string) error {
	text := fmt.Sprintf("%s has no flag %s", c.name, dashed(name))
	names := func(yield func(string) bool) {
		for _, f := range c.sortedFlags() {
			if !yield(f.name) {
				return
			}
		}
	}
	if best, ok := diag.Suggest(name, names); ok {
		text += "\ndid you mean " + dashed(best) + "?"
	}
	return errors.New(text)
}

// flags returns the flags of the command.
func (c command) flags() []flagSpec {
	if c.declare == nil {
		return nil
	}
	return c.declare()
}

// sortedFlags returns the flags, sorted by name.
func (c command) sortedFlags() []flagSpec {
	return slices.SortedFunc(slices.Values(c.flags()), func(a, b flagSpec) int { return cmp.Compare(a.name, b.name) })
}

// dashed returns a flag as it is written: -e, --data.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// usage returns the flag with its value: --data FILE.
func (f flagSpec) usage() string { return strings.TrimSpace(dashed(f.name) + " " + f.value) }

// description returns the text of the flag, whether it may be repeated, and its default.
func (f flagSpec) description() string {
	text := f.text
	if f.repeats {
		text += "; may be repeated"
	}
	if f.initial != "" {
		text += " (default " + f.initial + ")"
	}
	return text
}

// takesFile reports whether the value of the flag is a file or a directory.
func (f flagSpec) takesFile() bool {
	return strings.HasPrefix(f.value, "FILE") || strings.HasPrefix(f.value, "DIR")
}

// flagValue is where the value of a flag goes.
type flagValue interface {
	Set(text string) error
	String() string // the value in the form of the flag; "" if it is not known
}

// toggle is the value of a flag that is written without a value.
type toggle struct{ on *bool }

func (v toggle) String() string { return strconv.FormatBool(*v.on) }

func (v toggle) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("want no value, true or false")
	}
	*v.on = on
	return nil
}

// word is a value that is taken as it is.
type word struct{ text *string }

func (v word) String() string { return *v.text }

func (v word) Set(text string) error {
	*v.text = text
	return nil
}

// fileName is a flag value that names a file. An empty one is a mistake, such as a variable
// of a shell that is not set, and not a flag that was left out.
type fileName struct{ name *string }

func (v fileName) String() string { return *v.name }

func (v fileName) Set(text string) error {
	if text == "" {
		return errors.New("want the name of a file")
	}
	*v.name = text
	return nil
}

// setter is a value that a function takes.
type setter func(text string) error

func (setter) String() string { return "" }

func (v setter) Set(text string) error { return v(text) }
