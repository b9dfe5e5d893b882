package guard_test

import (
	"context"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

func ExampleSet_Acquire() {
	set := guard.NewSet(guard.Options{})
	update := effect.Hint{Kind: effect.HostExclusive} // the declaration of a package manager
	main := guard.NewOwner(nil, "main")

	held, err := set.Acquire(context.Background(), &effect.GuardRequest{Hint: update, Host: "db1", Owner: main})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer held.Release()

	// A worker of main would wait for main, which waits for the worker.
	worker := guard.NewOwner(main, "main.0")
	_, err = set.Acquire(context.Background(), &effect.GuardRequest{Hint: update, Host: "db1", Owner: worker})
	fmt.Println(err)
	// Output:
	// guard-held: host "db1": evaluation main.0 requests it, but evaluation main holds it and waits for main.0 to end
}

func ExampleHint_String() {
	fmt.Println(effect.Hint{})
	fmt.Println(effect.Hint{Kind: effect.HostExclusive | effect.RateLimited, Key: "search", PerSecond: 10, Burst: 20})
	// Output:
	// fully-parallel
	// host-exclusive, rate-limited "search" 10/s burst 20
}

func ExampleSet_Pause() {
	set := guard.NewSet(guard.Options{})
	search := effect.Hint{Kind: effect.RateLimited, Key: "search", PerSecond: 100, Burst: 100}

	// The service answered: retry after 30 seconds.
	if err := set.Pause(search.Key, time.Now().Add(30*time.Second)); err != nil {
		fmt.Println(err)
		return
	}

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := set.Acquire(ctx, &effect.GuardRequest{Hint: search})
	fmt.Println(err != nil, ctx.Err()) // immediately: 5 seconds are not enough
	// Output:
	// true <nil>
}

func ExampleSet_Stats() {
	set := guard.NewSet(guard.Options{})
	for _, host := range []string{"web1", "web2", "db1"} {
		request := &effect.GuardRequest{Hint: effect.Hint{Kind: effect.HostExclusive}, Host: host, Owner: guard.NewOwner(nil, "update "+host)}
		if _, err := set.Acquire(context.Background(), request); err != nil {
			fmt.Println(err)
		}
	}
	stats := set.Stats(2)
	fmt.Println(stats.Held, "held")
	for _, h := range stats.Hosts {
		fmt.Printf("%s by %q, %d waiting\n", h.Host, h.Holder, h.Waiting)
	}
	// Output:
	// 3 held
	// db1 by "update db1", 0 waiting
	// web1 by "update web1", 0 waiting
}
