// This file defines how the value of a run, and what it prints, are written.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ptc-lang/ptc"
)

// printer writes what a run gives, at once.
type printer struct {
	w      io.Writer
	failed func() // called when the output can't be written
	inLine bool   // the last line is not ended
	err    error
}

func (p *printer) print(text string) {
	if p.err != nil || text == "" {
		return
	}
	if _, p.err = io.WriteString(p.w, text); p.err != nil {
		p.failed()
	}
	p.inLine = !strings.HasSuffix(text, "\n")
}

// unwritten tells that the output could not be written.
func unwritten(s streams, err error) int {
	fmt.Fprintf(s.err, "ptc: can't write the output: %v\n", err)
	return exitFailed
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
