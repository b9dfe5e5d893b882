// This file defines how files and the standard input are read.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ptc-lang/ptc/cmd/ptc/internal/files"
	"github.com/ptc-lang/ptc/lang/token"
)

// tooLarge is the error of an input beyond its bound.
type tooLarge struct{ text string }

func (e tooLarge) Error() string { return e.text }

// await gives what f gives, or the error of ctx if that ends first. Then f goes on
// until the process ends, which is soon: f blocks in a system call, or compiles.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		val T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		val, err := f()
		done <- outcome{val, err}
	}()
	select {
	case o := <-done:
		return o.val, o.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// readInput reads a file, or the standard input for "-", up to most bytes; ok is
// false if there are more.
func readInput(ctx context.Context, name string, s streams, most int64) (text []byte, ok bool, err error) {
	type content struct {
		text []byte
		ok   bool
	}
	c, err := await(ctx, func() (c content, err error) {
		if name == "-" {
			c.text, c.ok, err = files.Limited(s.in, most)
		} else {
			c.text, c.ok, err = files.Read(name, most)
		}
		return c, err
	})
	return c.text, c.ok, err
}

// maxSource is how much is read as a program. The limit on source bytes is far
// below it; the compiler reports that, with the number of bytes.
const maxSource = 64 << 20

// readSource reads a program.
func readSource(ctx context.Context, name string, s streams) (string, error) {
	if name == "" {
		return "", errors.New("the name of the program is empty")
	}
	text, ok, err := readInput(ctx, name, s, maxSource)
	if err == nil && !ok {
		err = fmt.Errorf("%s: more than %s, which is no program", name, sizeText(maxSource))
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(name + ".ptc"); missing == nil {
			err = fmt.Errorf("%w; there is %s.ptc", err, name)
		}
	}
	return string(text), err
}

// readData reads a JSON object into data; its members stay JSON, for the run to
// decode under its own account. A text beyond most, the memory of the run, could
// not become values there.
func readData(ctx context.Context, name string, s streams, most int64, data map[string]any) error {
	text, ok, err := readInput(ctx, name, s, most)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name[:1], "{["):
		return errors.New("--data takes the name of a file, got JSON; - reads it from the standard input")
	case err != nil:
		return fmt.Errorf("--data: %w", err)
	case !ok:
		return tooLarge{fmt.Sprintf("--data %s: more than %s, the limit of --memory", name, sizeText(most))}
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

// jsonKind says what a JSON text begins with.
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

// jsonPlace gives the name of a JSON text with the line and column of the error.
func jsonPlace(name string, text []byte, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return name
	}
	line, col := token.NewFile(name, string(text)).LineCol(int(syntax.Offset) - 1)
	return fmt.Sprintf("%s:%d:%d", name, line, col)
}
