// Package programs defines the programs of the workloads. Each <workload>.go is the program for the
// Go interpreter. Compiled, it is the reference that returns the expected result. The same program in
// each other language is an embedded file.
package programs

import (
	"embed"
	"strings"
)

//go:embed *.ptc *.lua *.tengo *.expr *.star *.js *.cel *.wasm *.go
var files embed.FS

// Source returns the program of a workload in the language of the extension, and whether there is one.
func Source(workload, ext string) (string, bool) {
	b, err := files.ReadFile(workload + "." + ext)
	return strings.TrimSpace(string(b)), err == nil
}

// Reference returns the compiled program of a workload.
var Reference = map[string]func(map[string]any) any{
	"fib":      Fib,
	"loop":     Loop,
	"pipeline": Pipeline,
	"records":  Records,
	"words":    Words,
	"strings":  Strings,
	"par":      Par,
	"order":    Order,
	"oneline":  Oneline,
}
