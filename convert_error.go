// This file defines the errors of conversions between Go and the language.

package ptc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
)

// misfit is the error of a part of an input that can't become a value of the language.
type misfit struct {
	code            diag.Code // "" is wrong-type
	got, want, hint string
	err             error // of the host's method, or of a JSON text; nil for none
	at              []any // the path: names and indexes, the last one first
}

func (m *misfit) Error() string {
	text := "got " + m.got
	if len(m.at) > 0 {
		text += " at " + m.path()
	}
	text += ", want " + m.want
	if m.err != nil {
		text += ": " + m.err.Error()
	}
	return text
}

func (m *misfit) path() string {
	var p path
	for i := len(m.at) - 1; i >= 0; i-- {
		p.add(m.at[i])
	}
	return p.String()
}

// within adds a step to the path of an error.
func within(err error, step any) error {
	if m, ok := err.(*misfit); ok {
		m.at = append(m.at, step)
	}
	return err
}

// tooDeep returns the error of a value that is nested too deeply.
func tooDeep() error {
	return &misfit{code: diag.NestingTooDeep, got: "data nested deeper", want: fmt.Sprintf("at most %d levels", maxDepth),
		hint: "pass flatter data; a map, slice or pointer that contains itself can't be converted"}
}

// wrongData returns the error of a conversion of the input of a name.
func wrongData(name string, err error) *diag.Error {
	e := &diag.Error{Code: diag.WrongType, Message: "data/" + name + ": " + err.Error()}
	if m, ok := err.(*misfit); ok {
		e.Hint, e.Err = m.hint, m.err
		if m.code != "" {
			e.Code = m.code
		}
	}
	return e
}

// maxSteps bounds the steps of a path that a message shows.
const maxSteps = 12

// path has the names and indexes that lead to a part of nested data.
type path struct {
	text  strings.Builder
	steps int
}

// add goes to the value under an index, an int, or a name, a string.
func (p *path) add(step any) {
	if p.steps++; p.steps > maxSteps {
		return
	}
	if p.steps > 1 {
		p.text.WriteByte(' ')
	}
	switch step := step.(type) {
	case string:
		p.text.WriteString(quoted(step))
	default:
		fmt.Fprint(&p.text, step)
	}
}

func (p *path) String() string {
	if p.steps > maxSteps {
		return fmt.Sprintf("[%s … %d more]", p.text.String(), p.steps-maxSteps)
	}
	return "[" + p.text.String() + "]"
}

// maxQuoted is about how many bytes of a string of the host a message shows.
const maxQuoted = 40

// quoted returns the beginning of a string in quotes.
func quoted(s string) string {
	if len(s) > maxQuoted {
		s = strings.ToValidUTF8(s[:maxQuoted], "") + "…"
	}
	return strconv.Quote(s)
}
