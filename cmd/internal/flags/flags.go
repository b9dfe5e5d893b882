// Package flags declares and reads the flags of the commands ptc and ptcd. It has the flags that both share: those of
// the limits of a run, of grants and of policies.
package flags

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Spec declares a flag. Its help, and that of its command in every form, are made from it.
type Spec struct {
	Name    string   // without dashes
	Value   string   // the name of its value in the help; "" if it takes none
	Text    string   // describes it; Description adds the default
	Initial string   // the value without the flag, in the form of the flag; "" for the zero value
	Choices []string // the possible values; nil if the value is free
	Repeats bool     // it may be repeated, and each value counts
	Group   Group    // GroupGeneral if empty
	To      Target   // where its value goes
}

// Group is a heading in the help under which flags stand.
type Group string

// The groups.
const (
	GroupGeneral Group = "flags"
	GroupLimits  Group = "limits"
	GroupGrants  Group = "grants"
	GroupService Group = "service"
)

// Groups returns the groups in the order of the help.
func Groups() []Group { return []Group{GroupGeneral, GroupLimits, GroupGrants, GroupService} }

// Target is where the value of a flag goes.
type Target interface {
	Set(text string) error
	String() string // the value in the form of the flag; "" if it is not known
}

// ErrHelp is the error of Parse if the command line asks for help.
var ErrHelp = errors.New("help requested")

// Line is a command line that was read.
type Line struct {
	Rest  []string          // the arguments
	Given map[string]string // the flags that were given, with their last values
}

// Parse reads flags and arguments in any order; after -- all are arguments. A flag is written with one dash or two, its
// value after = or as the next word. Flags that are not given have their Initial values. Errors begin with the name of
// the flag, or with that of the command.
func Parse(command string, specs []Spec, words []string) (Line, error) {
	l := Line{Given: make(map[string]string)}
	for _, f := range specs {
		if f.Initial == "" {
			continue
		}
		if err := f.To.Set(f.Initial); err != nil {
			return l, fmt.Errorf("the default of %s: %w", Dashed(f.Name), err)
		}
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			l.Rest = append(l.Rest, words...)
			return l, nil
		case len(word) < 2 || word[0] != '-':
			l.Rest = append(l.Rest, word)
			continue
		}
		var err error
		if words, err = l.flag(command, specs, word, words); err != nil {
			return l, err
		}
	}
	return l, nil
}

// flag reads a flag, whose value may be the first of the words after it, and returns the words that remain.
func (l *Line) flag(command string, specs []Spec, word string, words []string) ([]string, error) {
	name, value, valued := strings.Cut(strings.TrimPrefix(word[1:], "-"), "=")
	if name == "" || name[0] == '-' {
		return nil, fmt.Errorf("bad flag syntax: %s", word)
	}
	i := slices.IndexFunc(specs, func(f Spec) bool { return f.Name == name })
	switch {
	case i < 0 && (name == "h" || name == "help"):
		return nil, ErrHelp
	case i < 0:
		return nil, unknown(command, specs, name)
	}
	f := specs[i]
	switch {
	case valued:
	case f.Value == "":
		value = "true"
	case len(words) == 0:
		return nil, fmt.Errorf("%s needs a value", Dashed(name))
	default:
		value, words = words[0], words[1:]
	}
	if err := f.Set(value); err != nil {
		return nil, fmt.Errorf("%s is %q, %w", Dashed(name), value, err)
	}
	l.Given[name] = value
	return words, nil
}

// Set enters a value of the flag.
func (f Spec) Set(value string) error {
	if f.Choices != nil && !slices.Contains(f.Choices, value) {
		return fmt.Errorf("want one of %s", strings.Join(f.Choices, ", "))
	}
	return f.To.Set(value)
}

// unknown returns the error for a flag that a command does not have, with the probable one.
func unknown(command string, specs []Spec, name string) error {
	text := fmt.Sprintf("%s has no flag %s", command, Dashed(name))
	names := func(yield func(string) bool) {
		for _, f := range Sorted(specs) {
			if !yield(f.Name) {
				return
			}
		}
	}
	if best, ok := diag.Suggest(name, names); ok {
		text += "\ndid you mean " + Dashed(best) + "?"
	}
	return errors.New(text)
}

// Sorted returns flags sorted by name.
func Sorted(specs []Spec) []Spec {
	return slices.SortedFunc(slices.Values(specs), func(a, b Spec) int { return cmp.Compare(a.Name, b.Name) })
}

// Dashed returns the written form of a flag: -e, --data.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Usage returns the flag with its value: --data FILE.
func (f Spec) Usage() string { return strings.TrimSpace(Dashed(f.Name) + " " + f.Value) }

// Description returns the text of the flag, whether it may be repeated, and its default.
func (f Spec) Description() string {
	text := f.Text
	if f.Repeats {
		text += "; may be repeated"
	}
	if f.Initial != "" {
		text += " (default " + f.Initial + ")"
	}
	return text
}

// TakesFile reports whether the value of the flag is a file or a directory.
func (f Spec) TakesFile() bool {
	return strings.HasPrefix(f.Value, "FILE") || strings.HasPrefix(f.Value, "DIR")
}
