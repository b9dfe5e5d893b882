// Package programs defines the workloads' programs: each <workload>.go is the
// program for the Go interpreter and, compiled, the reference that gives the
// expected result; the same program in the other languages is an embedded file.
package programs

import (
	"embed"
	"strings"
)

//go:embed *.ptc *.lua *.tengo *.expr *.go
var files embed.FS

// Source gives the program of a workload in the language of the extension, and
// whether there is one.
func Source(workload, ext string) (string, bool) {
	b, err := files.ReadFile(workload + "." + ext)
	return strings.TrimSpace(string(b)), err == nil
}

// Reference gives the compiled program of a workload.
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
