// Command shop serves the web service of package examples/internal/shop, for trying tools.
//
//	go run ./examples/shop -addr localhost:18077
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/ptc-lang/ptc/examples/internal/shop"
)

func main() {
	addr := flag.String("addr", "localhost:18077", "where to listen")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the shop is open at http://%s\n", *addr)
	log.Fatal(http.Serve(l, shop.New()))
}
