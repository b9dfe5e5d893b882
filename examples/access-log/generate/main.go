// Command generate writes the input of the access-log example to standard output: a JSON object whose
// one key, "log", holds the text of an access log.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/ptc-lang/ptc/examples/internal/accesslog"
)

func main() {
	size := flag.Int("bytes", 10_000_000, "size of the log, at most")
	seed := flag.Uint64("seed", 1, "the same seed gives the same log")
	flag.Parse()

	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(map[string]string{"log": accesslog.Generate(*size, *seed)}); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
