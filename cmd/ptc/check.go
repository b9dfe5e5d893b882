// This file defines ptc check.

package main

import (
	"context"

	"github.com/ptc-lang/ptc"
)

const checkAbout = `usage: ptc check FILE…

Compiles programs without running them, and tells every error found. Which
inputs (data/…) there are is not checked. FILE - is the standard input.

exit codes: 0 all compile, 2 usage, 3 one does not compile, 4 a macro hit a limit

examples:
  ptc check report.ptc
  ptc check examples/*/*.ptc
`

func checkCommand(ctx context.Context, args []string, s streams) int {
	files, code, ok := parse(newFlags("check", checkAbout), args, s)
	if !ok {
		return code
	}
	if len(files) == 0 {
		return failUsage(s, "check takes files; see ptc help check")
	}
	for _, name := range files {
		code = max(code, checkFile(ctx, name, s))
	}
	return code
}

func checkFile(ctx context.Context, name string, s streams) int {
	source, err := readSource(ctx, name, s)
	if err != nil {
		return failInput(s, err)
	}
	_, err = compile(ctx, name, source, ptc.Options{})
	if err != nil {
		report(s.err, err)
	}
	return compileCode(err)
}
