// This file defines the standard output of a command, and how the value of a run, and what
// it prints, are written there.

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/ptc-lang/ptc"
)

// output is the standard output of a command. It keeps the first error, which dispatch tells:
// a command looks there only to end early.
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

// file gives the file that an input or an output of a command is; nil if it is none.
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

// printer writes what a run gives, at once.
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

// line writes a line of its own.
func (p *printer) line(text string) {
	if p.inLine {
		p.print("\n")
	}
	p.print(text + "\n")
}

// value writes the value of a run that succeeded.
func (f *runFlags) value(out *printer, res *ptc.Result) (int, error) {
	if res.IsNil() || f.output == "none" {
		return exitOK, nil
	}
	text, err := f.render(res)
	if err != nil {
		return exitCode(err), err
	}
	out.line(text)
	return exitOK, nil
}

func (f *runFlags) render(res *ptc.Result) (string, error) {
	switch f.output {
	case "json":
		return res.JSON(false)
	case "pretty":
		return res.JSON(true)
	}
	return res.EDN()
}

// envelope writes one JSON object about the run.
func (f *runFlags) envelope(out *printer, res *ptc.Result, err error, code int) int {
	e := struct {
		Status string          `json:"status"`
		Value  json.RawMessage `json:"value"`
		Prints string          `json:"prints"`
		Error  error           `json:"error"`
		Usage  ptc.Usage       `json:"usage"`
	}{Status: "ok", Prints: res.Prints, Usage: res.Usage}
	if err == nil {
		var text string
		text, err = res.JSON(false)
		e.Value = json.RawMessage(text)
		code = exitCode(err)
	}
	if err != nil {
		e.Status, e.Value, e.Error = "error", nil, err
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		out.line(`{"status":"error"}`)
		return exitInternal
	}
	out.print(text.String())
	return code
}
