// This file defines standard output of a command, and writes the value and the prints of a run there.

package main

import (
	"bufio"
	"context"
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

// buffered collects many small writes into few large ones.
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

// lineEnd returns the line end that completes an unfinished line; "" if there is none.
func (p *printer) lineEnd() string {
	if p.inLine {
		return "\n"
	}
	return ""
}

// value writes the value of a successful run on its own line, without a copy of its text.
func (f *execution) value(ctx context.Context, out *printer, res *ptc.Result) (int, error) {
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

func (f *execution) render(ctx context.Context, w io.Writer, res *ptc.Result) error {
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

// writeEnvelope writes one JSON object about the run. It returns the exit code, and an error that it does not tell.
func writeEnvelope(out *printer, res *ptc.Result, err error, code int) (int, error) {
	e := res.Envelope(err, 0)
	if err == nil && e.Error != nil { // the value has no JSON
		err = e.Error
		code = exitCode(err)
	}
	_, failed := e.WriteTo(out)
	if failed == nil && code == exitInternal {
		failed = err
	} else if failed != nil {
		code = exitCode(failed)
	}
	return code, failed
}
