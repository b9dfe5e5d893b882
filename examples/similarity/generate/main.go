// Command generate writes the input of the similarity example to standard output: a JSON object with
// "documents", a list of texts, and "threshold", how alike two have to be to be named.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/ptc-lang/ptc/examples/internal/documents"
)

func main() {
	n := flag.Int("documents", 2000, "how many documents")
	seed := flag.Uint64("seed", 1, "the same seed gives the same documents")
	flag.Parse()

	if err := json.NewEncoder(os.Stdout).Encode(documents.Input(*n, *seed)); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
