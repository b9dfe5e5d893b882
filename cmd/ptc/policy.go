// This file defines the policies that an operator lays down for calls of tools.

package main

import (
	"context"

	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// policyFlag returns the flag for the file of policies.
func policyFlag() flagSpec {
	return flagSpec{name: "policy", value: "FILE", text: "policies of the operator for tool calls, YAML or JSON",
		target: func(v *settings) flagValue { return fileName{&v.policyFile} }}
}

// policies reads a file of policies; without one there is no policy.
func policies(ctx context.Context, file string, s streams) (effect.Queues, error) {
	if file == "" {
		return nil, nil
	}
	text, err := readInput(ctx, file, s, policy.MaxSize)
	if err != nil {
		return nil, err
	}
	p, err := policy.Parse(file, string(text))
	if err != nil {
		return nil, err
	}
	return queue.NewEnforcer(p, queue.New(queue.Options{}))
}
