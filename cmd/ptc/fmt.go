// This file defines ptc fmt.

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/ptc-lang/ptc/cmd/ptc/internal/files"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/format"
)

const fmtAbout = `usage: ptc fmt [--check] FILE…

Formats programs in place, in the style of the Clojure community. Only white
space changes: comments, line breaks between forms and columns aligned by the
author are kept. FILE - formats standard input to standard output.

exit codes: 0 ok, 1 with --check: a file is not formatted, 2 usage, 3 a file is
not a valid program; it is left unchanged

examples:
  ptc fmt report.ptc
  ptc fmt --check examples/*/*.ptc
  ptc fmt - < report.ptc
`

func fmtCommand(ctx context.Context, args []string, s streams) int {
	fs := newFlags("fmt", fmtAbout)
	check := fs.Bool("check", false, "only list the files that are not formatted")
	files, code, ok := parse(fs, args, s)
	if !ok {
		return code
	}
	if len(files) == 0 {
		return failUsage(s, "fmt takes files; see ptc help fmt")
	}
	for _, name := range files {
		code = max(code, fmtFile(ctx, name, *check, s))
	}
	return code
}

// fmtFile formats one file.
func fmtFile(ctx context.Context, name string, check bool, s streams) int {
	source, err := readSource(ctx, name, s)
	if err != nil {
		return failInput(s, err)
	}
	text, derr := format.Format(name, source)
	switch {
	case derr != nil:
		report(s.err, derr)
		if derr.Code == diag.Internal {
			return exitInternal
		}
		return exitCompile
	case check && text != source:
		fmt.Fprintln(s.out, name)
		return exitFailed
	case check:
		return exitOK
	case name == "-":
		io.WriteString(s.out, text)
	case text != source:
		err = files.Replace(name, source, text)
	}
	if err != nil {
		report(s.err, err)
		return exitFailed
	}
	return exitOK
}
