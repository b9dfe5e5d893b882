// This file defines the policies that an operator lays down for calls of tools.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/policy/ledger"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/tools/grant"
)

// readPolicies reads the policies of a run, and the file that keeps their counts.
func (f *execution) readPolicies(ctx context.Context, s streams) (err error) {
	if f.queue, err = f.policies(ctx, s); err != nil || f.stateFile == "" {
		return err
	}
	e, ok := f.queue.(*queue.Enforcer)
	if !ok || f.policyFile == "" {
		return errors.New("--policy-state keeps the counts of policies: name their file with --policy")
	}
	kept := ledger.New(f.stateFile)
	if err := kept.Update(ctx, func(queue.Records) error { return nil }); err != nil { // now, and not at the first call
		return err
	}
	e.Keep(kept)
	f.counts = e
	return nil
}

// endPolicies returns the unused reservations of the run to the file.
func (f *execution) endPolicies(s streams) {
	if f.counts == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	if err := f.counts.Settle(ctx); err != nil {
		report(s.err, fmt.Errorf("calls that were reserved stay counted: %w", err))
	}
}

// settleTime is how long the end of a run may wait for the file of the policies' counts.
const settleTime = 5 * time.Second

// policies reads the file of policies; without one there is no policy. The grants get its hints.
func (v *settings) policies(ctx context.Context, s streams) (effect.Queues, error) {
	var p queue.Policies
	standard := queue.Options{Length: queue.DefaultLength, Wait: queue.DefaultWait}
	switch file := v.policyFile; {
	case file != "":
		text, err := readInput(ctx, file, s, policy.MaxSize)
		if err == nil {
			p, err = policy.Parse(file, string(text))
		}
		if err == nil && len(p.Approve.Tools) > 0 {
			err = policy.CheckTools(file, string(text), grant.ToolNames())
		}
		if err == nil && bytes.Contains(text, []byte("hints")) {
			err = v.policyHints(file, string(text))
		}
		if err != nil {
			return nil, err
		}
	case v.queueBounds == queue.Options{} || v.queueBounds == standard:
		return nil, nil
	}
	return queue.NewEnforcer(p, queue.New(v.queueBounds))
}

// policyHints adds the hints of a file of policies to the grants.
func (v *settings) policyHints(file, text string) error {
	rules, err := policy.Hints(file, text)
	if err != nil {
		return err
	}
	if err := v.grants.AddHints(rules...); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
