// This file defines the inputs of programs: their flags, and how JSON is read.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/token"
)

// inputFlags returns the flags for the input of a program.
func inputFlags(v *settings) []flags.Spec {
	return []flags.Spec{
		{Name: "data", Value: "FILE",
			Text: "JSON file with an object, whose members the program reads as data/…; - is standard input",
			To:   flags.File(&v.data)},
		{Name: "arg", Value: "NAME=VALUE", Text: "string that the program reads as data/NAME; overrides --data",
			Repeats: true, To: flags.Func(v.addArg)},
	}
}

func (v *settings) addArg(arg string) error {
	name, _, ok := strings.Cut(arg, "=")
	if !ok || name == "" || strings.ContainsAny(name, " \t\r\n/()[]{}\"';@^`~\\,") {
		return errors.New("want NAME=VALUE, with a NAME that is valid in data/NAME")
	}
	v.args = append(v.args, arg)
	return nil
}

// input returns the values of data/…, from JSON of at most as many bytes as the memory of the run.
func (v *settings) input(ctx context.Context, s streams) (map[string]any, error) {
	data := make(map[string]any)
	if v.data != "" {
		if err := readData(ctx, v.data, s, v.limits.Memory, data); err != nil {
			return nil, err
		}
	}
	for _, a := range v.args {
		name, val, _ := strings.Cut(a, "=")
		data[name] = val
	}
	return data, nil
}

// readData reads a JSON object into data; its members stay JSON, for the run to decode under its own account. A
// text larger than most, the memory of the run, could not become values in the run.
func readData(ctx context.Context, name string, s streams, most int64, data map[string]any) error {
	text, err := readInput(ctx, name, s, most)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name[:1], "{["):
		return errors.New("--data takes the name of a file, got JSON; use - to read it from standard input")
	case errors.As(err, new(tooLarge)):
		return limitError{fmt.Sprintf("--data %v, the limit of --memory", err)}
	case err != nil:
		return fmt.Errorf("--data: %w", err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if what := jsonKind(text); what != "an object" {
		return fmt.Errorf("--data %s: want a JSON object, whose members are data/…, got %s", name, what)
	}
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(text, &members); err != nil {
		return fmt.Errorf("--data %s: %w", jsonPlace(name, text, err), err)
	}
	for key, val := range members {
		data[key] = val
	}
	return nil
}

// jsonKind returns the kind of value that a JSON text begins with.
func jsonKind(text []byte) string {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 {
		return "nothing"
	}
	switch c := text[0]; {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	case c == 't', c == 'f', c == 'n':
		return "true, false or null"
	}
	return "no JSON"
}

// jsonPlace returns the name of a JSON text with the line and column of the error.
func jsonPlace(name string, text []byte, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return name
	}
	line, col := token.NewFile(name, string(text)).LineCol(int(syntax.Offset) - 1)
	return fmt.Sprintf("%s:%d:%d", name, line, col)
}

// standardInput reads the standard input into data if the program mentions it and nothing else has read it. A program
// that does not mention it neither waits for it nor takes it from another process.
func (f *execution) standardInput(ctx context.Context, name, source string, data map[string]any, s streams) error {
	if f.data == "-" || f.policyFile == "-" || name == "-" ||
		!strings.Contains(source, "read") && !strings.Contains(source, "*in*") && !strings.Contains(source, "System/in") {
		return nil
	}
	p, err := ptc.Compile(ctx, name, source, f.options(data))
	if err != nil || !p.ReadsInput() { // the run reports the error
		return nil
	}
	text, err := readInput(ctx, "-", s, f.limits.Memory)
	switch {
	case errors.As(err, new(tooLarge)):
		return limitError{fmt.Sprintf("standard input: %v, the limit of --memory", err)}
	case err != nil:
		return fmt.Errorf("standard input: %w", err)
	}
	data[ptc.StandardInput] = strings.ToValidUTF8(string(text), "\ufffd")
	return nil
}
