// Command durable compares ptcd with River, a queue of durable jobs in PostgreSQL. Each client submits jobs one after
// the other, and each submission is on the disk before the next one. The jobs do nothing. It prints, for each number of
// clients, the submissions a second, their latency, and the jobs a second from the first submission to the last end.
//
//	durable -ptcd PROGRAM -dir DIR                      # an empty directory
//	durable -postgres 'postgres://bench@127.0.0.1:5432/bench'
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var (
	jobs     = flag.Int("jobs", 2000, "jobs of a measurement")
	program  = flag.String("ptcd", "", "the program ptcd")
	dir      = flag.String("dir", "", "an empty directory for ptcd")
	postgres = flag.String("postgres", "", "the URL of an empty database for River")
)

// peer runs durable jobs.
type peer interface {
	name() string
	// submit returns when a job is durable.
	submit(ctx context.Context, n int) error
	// ended returns when all submitted jobs have ended.
	ended(ctx context.Context) error
	close(ctx context.Context)
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	ctx := context.Background()
	var peers []peer
	if *program != "" {
		p, err := startPTC(*program, *dir)
		if err != nil {
			log.Fatal(err)
		}
		peers = append(peers, p)
	}
	if *postgres != "" {
		p, err := startRiver(ctx, *postgres)
		if err != nil {
			log.Fatal(err)
		}
		peers = append(peers, p)
	}
	fmt.Println("peer   clients  submissions/s     p50     p99  jobs/s")
	for _, clients := range []int{1, 8, 32} {
		for _, p := range peers {
			if err := measure(ctx, p, clients); err != nil {
				log.Fatalf("%s: %v", p.name(), err)
			}
		}
	}
	for _, p := range peers {
		p.close(ctx)
	}
}

// measure has clients submit jobs, and prints a line.
func measure(ctx context.Context, p peer, clients int) error {
	each := *jobs / clients
	times := make([]time.Duration, clients*each)
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	begin := time.Now()
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				n := c*each + i
				before := time.Now()
				if err := p.submit(ctx, n); err != nil {
					failed.Store(&err)
					return
				}
				times[n] = time.Since(before)
			}
		})
	}
	wg.Wait()
	submitted := time.Since(begin)
	if err := failed.Load(); err != nil {
		return *err
	}
	if err := p.ended(ctx); err != nil {
		return err
	}
	ended := time.Since(begin)
	slices.Sort(times)
	rate := func(d time.Duration) float64 { return float64(len(times)) / d.Seconds() }
	fmt.Printf("%-6s %7d %14.0f %7s %7s %7.0f\n", p.name(), clients, rate(submitted), short(times[len(times)/2]),
		short(times[len(times)*99/100]), rate(ended))
	return nil
}

func short(d time.Duration) string { return fmt.Sprintf("%.1fms", float64(d.Microseconds())/1000) }
