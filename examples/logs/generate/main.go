// Command generate writes the input of the logs example to standard output: a JSON object whose one key,
// "logs", holds the access logs of several hosts.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/ptc-lang/ptc/examples/internal/accesslog"
)

func main() {
	logs := flag.Int("logs", 10, "how many logs; the n-th is of seed n")
	size := flag.Int("bytes", 10_000_000, "size of each log, at most")
	flag.Parse()

	texts := make([]string, max(*logs, 0))
	for i := range texts {
		texts[i] = accesslog.Generate(*size, uint64(i+1))
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(map[string][]string{"logs": texts}); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
