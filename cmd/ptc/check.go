// This file defines ptc check.

package main

import (
	"context"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/tools/grant"
)

const checkAbout = `usage: ptc check [flags] FILE…

Compiles programs without running them, and tells every error found. Which
inputs (data/…) there are is not checked; which tools are granted is, by the
flags and by ptc.yaml beside each file. FILE - is the standard input.

exit codes: 0 all compile, 2 usage, 3 one does not compile, 4 a macro hit a limit,
5 something was not granted

examples:
  ptc check report.ptc
  ptc check examples/*/*.ptc
  ptc check fetch.ptc --allow-http api.example.com
`

func checkCommand(ctx context.Context, args []string, s streams) int {
	var granted grant.Set
	fs := newFlags("check", checkAbout)
	grantFlags(fs, &granted)
	files, code, ok := parse(fs, args, s)
	if !ok {
		return code
	}
	if len(files) == 0 {
		return failUsage(s, "check takes files; see ptc help check")
	}
	for _, name := range files {
		code = max(code, checkFile(ctx, name, &granted, s))
	}
	return code
}

func checkFile(ctx context.Context, name string, granted *grant.Set, s streams) int {
	source, err := readSource(ctx, name, s)
	if err != nil {
		return failInput(s, err)
	}
	tools, opened, err := grantedTools(ctx, name, granted, s)
	if err != nil {
		return failInput(s, err)
	}
	defer opened.Close()
	_, err = compile(ctx, name, source, ptc.Options{Tools: tools})
	if err != nil {
		report(s.err, err)
	}
	return compileCode(err)
}
