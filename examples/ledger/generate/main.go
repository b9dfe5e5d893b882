// Command generate makes the databases that examples/ledger/reconcile.ptc compares.
package main

import (
	"flag"
	"log"

	"github.com/ptc-lang/ptc/examples/internal/ledger"
)

func main() {
	dir := flag.String("dir", ".", "the folder for shop.db and ledger.db, which must not be there")
	orders := flag.Int("orders", 20_000, "how many orders")
	seed := flag.Uint64("seed", 1, "of the random numbers")
	flag.Parse()
	if err := ledger.Generate(*dir, *orders, *seed); err != nil {
		log.Fatal(err)
	}
}
