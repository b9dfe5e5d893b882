// This file defines the tests of the table of commands.

package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// TestCommandTable requires each entry of the table to be complete and consistent, and names the command and the field.
func TestCommandTable(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range allCommands() {
		wrong := func(field, problem string) { t.Errorf("command %q: %s: %s", c.name, field, problem) }
		if c.name == "" || seen[c.name] {
			wrong("name", "missing or taken")
		}
		seen[c.name] = true
		if c.summary == "" || strings.HasSuffix(c.summary, ".") || len("  "+c.summary) > 80 {
			wrong("summary", "want a short phrase without a full stop")
		}
		if len(c.usage) == 0 {
			wrong("usage", "missing")
		}
		if c.about == "" || strings.TrimSpace(c.about) != c.about {
			wrong("about", "missing, or with white space around it")
		}
		if !strings.Contains(c.exampleText(), "ptc "+c.name) {
			wrong("examples", "none calls it")
		}
		if c.run == nil {
			wrong("run", "missing")
		}
		if (c.arguments == wordArguments) != (len(c.words) > 0) {
			wrong("words", "want them with wordArguments only")
		}
		if c.instead != "" && (c.arguments != noArguments || strings.Count(c.instead, "%s") != 1) {
			wrong("instead", "want one %s, and noArguments")
		}
		operand := strings.ContainsAny(strings.NewReplacer("[flags]", "").Replace(c.usage[0]), "FJNRC|")
		if operand != (c.arguments != noArguments) {
			wrong("usage", "it does not agree with the arguments")
		}
		checkFlagTable(t, c)
	}
}

// checkFlagTable wants the flags of a command to be complete and consistent.
func checkFlagTable(t *testing.T, c command) {
	seen := map[string]bool{"h": true, "help": true}
	for _, f := range c.flags(&settings{}) {
		wrong := func(field, problem string) { t.Errorf("command %q: flag %q: %s: %s", c.name, f.Name, field, problem) }
		if f.Name == "" || seen[f.Name] || strings.HasPrefix(f.Name, "-") {
			wrong("name", "missing, taken, or with a dash")
		}
		seen[f.Name] = true
		if f.Value != strings.ToUpper(f.Value) && !strings.HasSuffix(f.Value, ":ro]") {
			wrong("value", "want capitals")
		}
		if f.Text == "" || strings.HasSuffix(f.Text, ".") || strings.Contains(f.Text, "(default") &&
			f.Group != flags.GroupGrants || strings.Contains(f.Text, "may be repeated") {
			wrong("text", "missing, with a full stop, or with what other fields hold")
		}
		if f.Group != "" && !slices.Contains(flags.Groups(), f.Group) {
			wrong("group", "not in groups")
		}
		if f.To == nil {
			wrong("target", "missing")
			continue
		}
		if f.Value == "" && (f.Choices != nil || f.Initial != "" || f.Repeats) {
			wrong("value", "missing")
		}
		if f.Initial != "" {
			if err := f.Set(f.Initial); err != nil {
				wrong("initial", err.Error())
			} else if text := f.To.String(); text != f.Initial {
				wrong("initial", "it is read as "+text)
			}
		}
		for _, word := range f.Choices {
			if !strings.Contains(f.Text, word) {
				wrong("text", "it does not name the choice "+word)
			}
		}
	}
}

// TestDefaults requires a command line without flags to have the standard limits.
func TestDefaults(t *testing.T) {
	for _, c := range allCommands() {
		in, err := c.parse(nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !reflect.DeepEqual(in.limits, limits.Default()) {
			t.Errorf("%s: the limits are %+v, want %+v", c.name, in.limits, limits.Default())
		}
	}
}

func TestParse(t *testing.T) {
	in, err := runCommand().parse([]string{"a", "-stats", "--data=x=y", "-", "--seed", "0x10", "--stats=false", "--arg",
		"n=-1", "--", "--data", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "-", "--data", "b"}; !slices.Equal(in.rest, want) {
		t.Errorf("the arguments are %q, want %q", in.rest, want)
	}
	if in.stats || in.data != "x=y" || in.seed != 16 || !slices.Equal(in.args, []string{"n=-1"}) || in.output != "edn" {
		t.Errorf("got %+v", in.settings)
	}
	if in.given["stats"] != "false" || len(in.given) != 4 {
		t.Errorf("given: %v", in.given)
	}
}
