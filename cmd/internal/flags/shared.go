// This file defines the flags that the commands share.

package flags

import (
	"errors"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/tools/grant"
)

// Limits returns the flags of the bounds of a run, sorted by name. None can be switched off, so none takes 0.
func Limits(to *limits.Limits) []Spec {
	standard := limits.Default()
	initial, all := bounds(&standard), bounds(to)
	for i := range all {
		all[i].Group, all[i].Initial = GroupLimits, initial[i].To.String()
	}
	return all
}

func bounds(to *limits.Limits) []Spec {
	most := limits.Most()
	return []Spec{
		{Name: "argument-bytes", Value: "SIZE", Text: "maximum size of the JSON arguments of one tool call",
			To: Size(&to.Arguments, 1, most.Arguments)},
		{Name: "call-result-bytes", Value: "SIZE", Text: "maximum size of the JSON result of one tool call",
			To: Size(&to.CallResult, 1, most.CallResult)},
		{Name: "calls", Value: "N", Text: "maximum number of tool calls", To: Count(&to.Calls, most.Calls)},
		{Name: "depth", Value: "N", Text: "maximum depth of nested calls", To: Count(&to.Depth, most.Depth)},
		{Name: "memory", Value: "SIZE", Text: "maximum live memory of the main evaluation",
			To: Size(&to.Memory, limits.MinMemory, most.Memory)},
		{Name: "output-limit", Value: "SIZE", Text: "maximum size of the printed value",
			To: Size(&to.ResultBytes, 1, most.ResultBytes)},
		{Name: "print-limit", Value: "SIZE", Text: "maximum output of the program; further output is dropped",
			To: Size(&to.OutputBytes, 1, most.OutputBytes)},
		{Name: "steps", Value: "N", Text: "maximum number of steps: calls, backward jumps, units of builtin work",
			To: Count(&to.Steps, most.Steps)},
		{Name: "timeout", Value: "TIME", Text: "maximum time of the run", To: Duration(&to.Timeout, most.Timeout)},
		{Name: "tool-calls", Value: "N", Text: "maximum number of calls of one tool",
			To: Count(&to.ToolCalls, most.ToolCalls)},
		{Name: "worker-memory", Value: "SIZE", Text: "maximum live memory of each parallel worker",
			To: Size(&to.WorkerMemory, limits.MinMemory, most.WorkerMemory)},
		{Name: "workers", Value: "N", Text: "maximum number of parallel workers alive at once",
			To: Count(&to.Workers, most.Workers)},
	}
}

// Grants returns a flag for each kind of grant.
func Grants(to *grant.Set) []Spec {
	var all []Spec
	for _, k := range grant.Kinds() {
		all = append(all, Spec{Name: k.Flag(), Value: k.Value, Text: k.Doc, Repeats: k.Value != "", Group: GroupGrants,
			To: setter(func(value string) error {
				if k.Value == "" && value != "true" {
					return errors.New("want no value: leave the flag out to grant nothing")
				}
				return to.Grant(k.Key, value, "")
			})})
	}
	return all
}

// OnFullFail is the word for ptc.OnFullFail on the command line and in a journal.
const OnFullFail = "fail"

// OnFull returns the flag for the action of a parallel operation that finds no free slot.
func OnFull(to *string) Spec {
	return Spec{Name: "on-full", Value: "ACTION", Initial: "inline", Choices: []string{"inline", OnFullFail},
		Text: "action of a parallel operation that finds no free slot: run inline, in its caller's slot, or fail",
		To:   Word(to)}
}

// Approval returns the flag for the calls that are made only if they are approved.
func Approval(to *effect.Approvals) Spec {
	return Spec{Name: "approval", Value: "TOOL", Repeats: true, Group: GroupGrants,
		Text: "make each call of a tool wait for an approval; write stands for all that change something",
		To: Func(func(text string) error {
			a, err := effect.ParseApprovals(strings.Split(text, ","))
			if err == nil {
				err = knownNames(a)
			}
			*to = to.And(a)
			return err
		})}
}

// knownNames returns an error for a tool that does not exist.
func knownNames(a effect.Approvals) error {
	for _, name := range a.Tools {
		if err := grant.KnownName(name); err != nil {
			return err
		}
	}
	return nil
}

// PolicyState returns the flag for the file with the counts of the policies.
func PolicyState(file *string) Spec {
	return Spec{Name: "policy-state", Value: "FILE", To: File(file),
		Text: "file that keeps how much of the rates and quotas of --policy is used, for other and later runs that name it"}
}

// Policy returns the flag for the file of policies.
func Policy(file *string) Spec {
	return Spec{Name: "policy", Value: "FILE", Text: "policies of the operator for tool calls, YAML or JSON",
		To: File(file)}
}

// Queues returns the flags of the bounds of queues.
func Queues(to *queue.Options) []Spec {
	return []Spec{
		{Name: "queue-length", Value: "N", Initial: strconv.Itoa(queue.DefaultLength), Group: GroupLimits,
			Text: "maximum number of calls that wait in the queue of one tool", To: Count(&to.Length, maxQueue)},
		{Name: "queue-wait", Value: "TIME", Initial: diag.Duration(queue.DefaultWait), Group: GroupLimits,
			Text: "maximum time that a call waits in the queue of its tool", To: Duration(&to.Wait, limits.Most().Timeout)},
	}
}

// maxQueue bounds the length of a queue: a waiter takes some 3 KB with its goroutine.
const maxQueue = 1_000_000
