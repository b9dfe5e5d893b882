// This file defines standard output of a command, and how the value of a run, and what
// it prints, are written there.

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/ptc-lang/ptc"
)

// output is standard output of a command. It keeps the first error, which dispatch reports: a command looks at
// it only to end early.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(p)
	o.err = err
	return n, err
}

// file returns the file that an input or an output of a command is; nil if it is none.
func file(stream any) *os.File {
	switch stream := stream.(type) {
	case *os.File:
		return stream
	case input:
		return file(stream.Reader)
	case *output:
		return file(stream.Writer)
	case lineWriter:
		return file(stream.w)
	}
	return nil
}

// buffered writes in few pieces what is written in many.
func buffered(out io.Writer, write func(w io.Writer) error) error {
	w := bufio.NewWriter(out)
	if err := write(w); err != nil {
		return err // a failure to write stays, and Flush would tell it again
	}
	return w.Flush()
}

// printer writes the output of a run immediately.
type printer struct {
	*output
	failed func() // called when the output can't be written
	inLine bool   // the last line is not ended
}

func (p *printer) print(text string) {
	if p.err != nil || text == "" {
		return
	}
	if _, err := io.WriteString(p, text); err != nil {
		p.failed()
	}
	p.inLine = !strings.HasSuffix(text, "\n")
}

// lineEnd returns what ends the line that was begun, if there is one.
func (p *printer) lineEnd() string {
	if p.inLine {
		return "\n"
	}
	return ""
}

// value writes the value of a successful run on its own line, without a copy of its text.
func (f *runFlags) value(ctx context.Context, out *printer, res *ptc.Result) (int, error) {
	if res.IsNil() || f.output == "none" {
		return exitOK, nil
	}
	err := buffered(out, func(w io.Writer) error {
		if err := f.render(ctx, &after{w, out.lineEnd()}, res); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\n")
		return err
	})
	return exitCode(err), err
}

func (f *runFlags) render(ctx context.Context, w io.Writer, res *ptc.Result) error {
	switch f.output {
	case "json":
		return res.WriteJSON(ctx, w, false)
	case "pretty":
		return res.WriteJSON(ctx, w, true)
	}
	return res.WriteEDN(ctx, w)
}

// after writes its text before the first write. Without a write, it does not write the text either.
type after struct {
	io.Writer
	text string
}

func (a *after) Write(p []byte) (int, error) {
	if a.text != "" {
		if _, err := io.WriteString(a.Writer, a.text); err != nil {
			return 0, err
		}
		a.text = ""
	}
	return a.Writer.Write(p)
}

// envelopeRest is what follows the value in an envelope.
type envelopeRest struct {
	Prints string    `json:"prints"`
	Error  error     `json:"error"`
	Usage  ptc.Usage `json:"usage"`
}

// envelope writes one JSON object about the run, and returns the exit code and an error that is not in the
// object. It knows whether the value can be written before it writes the first byte.
func (f *runFlags) envelope(ctx context.Context, out *printer, res *ptc.Result, err error, code int) (int, error) {
	rest := envelopeRest{Prints: res.Prints, Error: err, Usage: res.Usage}
	untold := buffered(out, func(w io.Writer) error {
		if err == nil {
			value := &after{w, `{"status":"ok","value":`}
			if err = res.WriteJSON(ctx, value, false); err == nil {
				return rest.write(w, ",")
			}
			if value.text == "" { // a part is written
				return err
			}
			rest.Error, code = err, exitCode(err)
		}
		return rest.write(w, `{"status":"error","value":null,`)
	})
	if untold == nil && code == exitInternal {
		untold = err
	} else if untold != nil {
		code = exitCode(untold)
	}
	return code, untold
}

// write writes the members after a text.
func (r *envelopeRest) write(w io.Writer, before string) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return err
	}
	if _, err := io.WriteString(w, before); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes()[len("{"):])
	return err
}
