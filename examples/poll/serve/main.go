// Command serve starts the web service that examples/poll asks.
package main

import (
	"flag"
	"log"
	"net/http"

	"github.com/ptc-lang/ptc/examples/internal/service"
)

func main() {
	address := flag.String("address", "localhost:8080", "where it listens")
	items := flag.Int("items", 1000, "how many items there are")
	perSecond := flag.Float64("rate", 500, "requests a second that are answered")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*address, service.New(*items, *perSecond, 1)))
}
