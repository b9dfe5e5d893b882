// Package limits defines the bounds of a run: their names, defaults and reasons (Limits), and the
// Meter that measures an evaluation: its memory account, its steps and its deadline.
//
// The memory account is independent of Go's collector. Every allocation made for a program is
// charged before it happens, with the size that the allocator returns for it. A charge that would
// exceed the cap is refused: the account unwinds to the machine (a panic with Refused, recovered in
// the run loop), which marks the live objects, credits the rest and runs the instruction again.
package limits

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// Limits are the bounds of one run. A zero field takes its default. No field can be switched off.
type Limits struct {
	SourceBytes  int           `json:"sourceBytes,omitzero"`  // bytes of source text
	Nesting      int           `json:"nesting,omitzero"`      // depth of nested forms
	Timeout      time.Duration `json:"timeout,omitzero"`      // run time; in JSON a string such as "30s"
	Steps        int64         `json:"steps,omitzero"`        // calls, jumps back and units of builtin work
	Memory       int64         `json:"memory,omitzero"`       // bytes live in the main evaluation
	WorkerMemory int64         `json:"workerMemory,omitzero"` // bytes live in each parallel worker
	Workers      int           `json:"workers,omitzero"`      // parallel workers alive at once
	Depth        int           `json:"depth,omitzero"`        // call frames
	Calls        int           `json:"calls,omitzero"`        // tool calls
	ToolCalls    int           `json:"toolCalls,omitzero"`    // calls of one tool
	Arguments    int           `json:"arguments,omitzero"`    // bytes of the arguments of a call, as JSON
	CallResult   int           `json:"callResult,omitzero"`   // bytes of the result of a call, as JSON
	OutputBytes  int           `json:"outputBytes,omitzero"`  // bytes printed
	ResultBytes  int           `json:"resultBytes,omitzero"`  // bytes of the rendered result
}

// plain has the fields of Limits, and not its methods.
type plain Limits

// MarshalJSON implements json.Marshaler.
func (l Limits) MarshalJSON() ([]byte, error) {
	out := struct {
		plain
		Timeout string `json:"timeout,omitzero"`
	}{plain: plain(l)}
	if l.Timeout != 0 {
		out.Timeout = l.Timeout.String()
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *Limits) UnmarshalJSON(text []byte) error {
	in := struct {
		*plain
		Timeout json.RawMessage `json:"timeout"`
	}{plain: (*plain)(l)}
	if err := json.Unmarshal(text, &in); err != nil || in.Timeout == nil {
		return err
	}
	var timeout string
	err := json.Unmarshal(in.Timeout, &timeout)
	if err == nil {
		l.Timeout, err = time.ParseDuration(timeout)
	}
	if err != nil {
		return fmt.Errorf(`limits: timeout is %.50s, want a time such as "30s"`, in.Timeout)
	}
	return nil
}

// Default returns the default of every bound. The reasons: 1 MB of source and 512 levels hold any
// program that a person writes. 30 s is the patience of a tool pipeline. A thousand million steps
// take about 10 s of one processor. 256 MB and 8 workers of 64 MB fit a small container. A task
// should not pass more than 4 MB to a tool, or get more than 16 MB from it, in one call.
func Default() Limits {
	return Limits{
		SourceBytes:  1 << 20,
		Nesting:      512,
		Timeout:      30 * time.Second,
		Steps:        1_000_000_000,
		Memory:       256 << 20,
		WorkerMemory: 64 << 20,
		Workers:      8,
		Depth:        100_000,
		Calls:        10_000,
		ToolCalls:    10_000,
		Arguments:    4 << 20,
		CallResult:   16 << 20,
		OutputBytes:  1 << 20,
		ResultBytes:  16 << 20,
	}
}

// MinMemory is the smallest reasonable cap: the machine's own stack and the largest single block of
// a small program fit below it.
const MinMemory = 256 << 10

// OrDefault returns the limits with each zero field replaced by its default.
func (l Limits) OrDefault() Limits { return l.Or(Default()) }

// Or returns the limits with each zero field replaced by that of other.
func (l Limits) Or(other Limits) Limits {
	fill(&l.SourceBytes, other.SourceBytes)
	fill(&l.Nesting, other.Nesting)
	fill(&l.Timeout, other.Timeout)
	fill(&l.Steps, other.Steps)
	fill(&l.Memory, other.Memory)
	fill(&l.WorkerMemory, other.WorkerMemory)
	fill(&l.Workers, other.Workers)
	fill(&l.Depth, other.Depth)
	fill(&l.Calls, other.Calls)
	fill(&l.ToolCalls, other.ToolCalls)
	fill(&l.Arguments, other.Arguments)
	fill(&l.CallResult, other.CallResult)
	fill(&l.OutputBytes, other.OutputBytes)
	fill(&l.ResultBytes, other.ResultBytes)
	return l
}

// Within returns the limits, with each bound reduced to that of most if it is wider. Neither may
// have zero fields.
func (l Limits) Within(most Limits) Limits {
	return Limits{
		SourceBytes:  min(l.SourceBytes, most.SourceBytes),
		Nesting:      min(l.Nesting, most.Nesting),
		Timeout:      min(l.Timeout, most.Timeout),
		Steps:        min(l.Steps, most.Steps),
		Memory:       min(l.Memory, most.Memory),
		WorkerMemory: min(l.WorkerMemory, most.WorkerMemory),
		Workers:      min(l.Workers, most.Workers),
		Depth:        min(l.Depth, most.Depth),
		Calls:        min(l.Calls, most.Calls),
		ToolCalls:    min(l.ToolCalls, most.ToolCalls),
		Arguments:    min(l.Arguments, most.Arguments),
		CallResult:   min(l.CallResult, most.CallResult),
		OutputBytes:  min(l.OutputBytes, most.OutputBytes),
		ResultBytes:  min(l.ResultBytes, most.ResultBytes),
	}
}

func fill[T comparable](field *T, other T) {
	var zero T
	if *field == zero {
		*field = other
	}
}

// Most returns the widest value of each bound. The reasons: positions in source have 32 bits. Forms
// nested deeper than a million take too long to print. 100 years and a terabyte are beyond any machine, and
// their sums and doubles fit 64 bits. So do 2^61 steps, although a replay may take twice as many. A worker
// is a goroutine, and a million of them take gigabytes. Depth and calls are counted in 32 bits on some
// machines.
func Most() Limits {
	return Limits{
		SourceBytes:  1 << 30,
		Nesting:      1 << 20,
		Timeout:      100 * 365 * 24 * time.Hour,
		Steps:        1 << 61,
		Memory:       mostBytes,
		WorkerMemory: mostBytes,
		Workers:      1 << 20,
		Depth:        1 << 30,
		Calls:        1 << 30,
		ToolCalls:    1 << 30,
		Arguments:    min(mostBytes, math.MaxInt),
		CallResult:   min(mostBytes, math.MaxInt),
		OutputBytes:  min(mostBytes, math.MaxInt),
		ResultBytes:  min(mostBytes, math.MaxInt),
	}
}

const mostBytes = 1 << 40

// bound is the value of a field with its name.
type bound struct {
	name string
	n    int64
}

// shown returns the value as people write it.
func (b bound) shown() any {
	if b.name == timeoutBound {
		return time.Duration(b.n)
	}
	return b.n
}

// bounds returns the fields in order.
func (l Limits) bounds() []bound {
	return []bound{{"source bytes", int64(l.SourceBytes)}, {"nesting", int64(l.Nesting)}, {timeoutBound, int64(l.Timeout)},
		{"steps", l.Steps}, {memoryBound, l.Memory}, {workerMemoryBound, l.WorkerMemory}, {"workers", int64(l.Workers)},
		{"depth", int64(l.Depth)}, {"calls", int64(l.Calls)}, {"calls of a tool", int64(l.ToolCalls)},
		{"argument bytes", int64(l.Arguments)}, {"call result bytes", int64(l.CallResult)},
		{"output limit", int64(l.OutputBytes)}, {"result limit", int64(l.ResultBytes)}}
}

const (
	timeoutBound      = "timeout"
	memoryBound       = "memory"
	workerMemoryBound = "worker memory"
)

// Exceeds returns an error that lists the fields that are wider than those of most, nil if none is. A zero field asks
// for nothing.
func (l Limits) Exceeds(most Limits) error {
	var wrong []string
	other := most.bounds()
	for i, f := range l.bounds() {
		if f.n > other[i].n {
			wrong = append(wrong, fmt.Sprintf("%s is %v, want at most %v", f.name, f.shown(), other[i].shown()))
		}
	}
	if wrong == nil {
		return nil
	}
	return errors.New("limits: " + strings.Join(wrong, "; "))
}

// Validate returns an error for limits that are negative, too small to run anything, or wider than
// those of Most. It lists all of them.
func (l Limits) Validate() error {
	var wrong []string
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	most := Most().bounds()
	for i, f := range l.bounds() {
		switch {
		case f.n == 0:
		case (f.name == memoryBound || f.name == workerMemoryBound) && f.n < MinMemory:
			add("%s is %d bytes, want at least %d (0 takes the default)", f.name, f.n, MinMemory)
		case f.n < 0:
			add("%s is %d, want a number above 0 (0 takes the default)", f.name, f.n)
		case f.n > most[i].n:
			add("%s is %d, want at most %d", f.name, f.n, most[i].n)
		}
	}
	if wrong == nil {
		return nil
	}
	return errors.New("limits: " + strings.Join(wrong, "; "))
}
