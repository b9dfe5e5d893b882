//go:build ptc

package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/ptc-lang/ptc"
)

func main() {
	debug.SetGCPercent(-1)
	src, _ := os.ReadFile(os.Args[1])
	n, _ := strconv.Atoi(os.Args[2])
	prog, err := ptc.Compile(context.Background(), "k.clj", string(src)+"\n(kernel)", ptc.Options{})
	if err != nil {
		panic(err)
	}
	for range n {
		res, err := prog.Run(context.Background(), ptc.RunOptions{})
		if err != nil {
			panic(err)
		}
		v, _ := res.Value()
		fmt.Fprintln(os.Stderr, v, res.Usage.Steps)
	}
}
