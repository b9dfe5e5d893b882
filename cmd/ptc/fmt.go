// This file defines ptc fmt.

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/format"
)

const fmtAbout = `Formats programs in place, in the style of the Clojure community. Only white
space changes: comments, line breaks between forms and columns aligned by the
author are kept. FILE - formats standard input to standard output.

exit codes: 0 ok, 1 with --check: a file is not formatted, 2 usage, 3 a file is
not a valid program; it is left unchanged`

// fmtCommand declares ptc fmt.
func fmtCommand() command {
	return command{
		name:     "fmt",
		summary:  "format programs",
		usage:    []string{"[--check] FILE…"},
		about:    fmtAbout,
		examples: []string{"ptc fmt report.ptc", "ptc fmt --check examples/*/*.ptc", "ptc fmt - < report.ptc"},
		declare: func(v *settings) []flags.Spec {
			return []flags.Spec{{Name: "check", Text: "only list the files that are not formatted",
				To: flags.Toggle(&v.unchanged)}}
		},
		arguments: fileArguments,
		run:       fmtFiles,
	}
}

func fmtFiles(ctx context.Context, in *invocation, s streams) (code int) {
	if len(in.rest) == 0 {
		return failUsage(s, "fmt takes files; see ptc help fmt")
	}
	for _, name := range in.rest {
		code = max(code, fmtFile(ctx, name, in.unchanged, s))
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
