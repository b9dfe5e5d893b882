package queue_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

func Example() {
	set := queue.New(queue.Options{})
	ctx := context.Background()
	_ = set.EnqueueAndWait(ctx, "aws.ec2_start", "run1/0#1", 1, nil) // at most one at once

	done := make(chan struct{})
	waits := make(chan struct{})
	go func() {
		defer close(done)
		_ = set.EnqueueAndWait(ctx, "aws.ec2_start", "run1/0#2", 1, func(wait func()) {
			close(waits) // here a scheduler would give the processor to others
			wait()
		})
		fmt.Println("the second one has started")
		set.Complete("aws.ec2_start", "run1/0#2")
	}()
	<-waits
	s := set.Stats("aws.ec2_start")
	fmt.Println(s.Active, "under way,", s.Waiting, "waiting")
	set.Complete("aws.ec2_start", "run1/0#1")
	<-done
	// Output:
	// 1 under way, 1 waiting
	// the second one has started
}

func ExampleSet_Cancel() {
	set := queue.New(queue.Options{})
	ctx := context.Background()
	_ = set.EnqueueAndWait(ctx, "deploy", "run1/0#1", 1, nil)
	var waiters sync.WaitGroup
	for _, execution := range []string{"run2/0#1", "run3/0#1", "run4/0#1"} {
		waits := make(chan struct{})
		waiters.Go(func() {
			err := set.EnqueueAndWait(ctx, "deploy", execution, 1, func(wait func()) {
				close(waits)
				wait()
			})
			if cancelled := (*queue.Cancelled)(nil); !errors.As(err, &cancelled) {
				fmt.Println(execution, "was not cancelled:", err)
			}
		})
		<-waits
	}
	s := set.Stats("deploy")
	fmt.Println(s.Active, "under way of", s.Limit, "and", s.Waiting, "waiting")
	fmt.Println(set.Cancel("deploy", "run3/0#1"), set.Cancel("deploy", "run1/0#1")) // the second one is under way
	fmt.Println(set.Clear("deploy"), "cleared,", set.ClearAll(), "of other actions")
	waiters.Wait()
	s = set.Stats("deploy")
	fmt.Println(s.Active, "under way,", s.Waiting, "waiting,", s.Cancelled, "cancelled")
	// Output:
	// 1 under way of 1 and 3 waiting
	// true false
	// 2 cleared, 0 of other actions
	// 1 under way, 0 waiting, 3 cancelled
}

func ExampleEnforcer() {
	enforcer, err := queue.NewEnforcer(queue.Policies{
		Global:  queue.Policy{Concurrency: 100},
		Packs:   map[string]queue.Policy{"aws": {Concurrency: 4, Quota: queue.Quota{Calls: 2, Window: 24 * time.Hour}}},
		Actions: map[string]queue.Policy{"aws.ec2_start": {Concurrency: 1}},
	}, queue.New(queue.Options{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	start, stop, list := enforcer.Action("aws.ec2_start"), enforcer.Action("aws.ec2_stop"), enforcer.Action("aws.ec2_list")
	fmt.Println(start.Bounds())

	call := func(action effect.Action, execution string) error {
		ctx := context.Background()
		if err := action.Admit(ctx); err != nil {
			return err
		}
		if _, err := action.Start(ctx, &effect.Execution{Name: execution}); err != nil {
			return err
		}
		defer action.Leave(execution, effect.Succeeded)
		return nil // here is the call
	}
	fmt.Println(call(start, "run1/0#1"), call(stop, "run1/0#2"))
	var v *queue.Violation
	if errors.As(call(list, "run1/0#3"), &v) {
		fmt.Println(v.Level, v.Name, v.Kind, v.Calls, v.Window)
	}
	// Output:
	// at most 1 at once, with all of aws 2 calls in any 24h
	// <nil> <nil>
	// pack aws quota 2 24h0m0s
}

func ExamplePolicies_Check() {
	p := queue.Policies{Actions: map[string]queue.Policy{"aws.ec2..start": {Rate: queue.Rate{Calls: 10}}}}
	for _, problem := range p.Check() {
		fmt.Println(problem)
	}
	// Output:
	// actions: aws.ec2..start: the name of an action, or a part of it, is empty or has blanks in it
	// actions: aws.ec2..start: rate: per: got 0s, want a time above 0
}
