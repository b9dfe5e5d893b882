// This file defines the flags of the bounds of a run, and the forms of their values.

package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// limitFlags returns the flags of the bounds, sorted by name. None can be switched off, so none takes 0.
func limitFlags() []flagSpec {
	most := limits.Most()
	all := []flagSpec{
		{name: "argument-bytes", value: "SIZE", text: "maximum size of the JSON arguments of one tool call",
			target: func(v *settings) flagValue { return byteSize[int]{&v.limits.Arguments, 1, most.Arguments} }},
		{name: "call-result-bytes", value: "SIZE", text: "maximum size of the JSON result of one tool call",
			target: func(v *settings) flagValue { return byteSize[int]{&v.limits.CallResult, 1, most.CallResult} }},
		{name: "calls", value: "N", text: "maximum number of tool calls",
			target: func(v *settings) flagValue { return count[int]{&v.limits.Calls, most.Calls} }},
		{name: "depth", value: "N", text: "maximum depth of nested calls",
			target: func(v *settings) flagValue { return count[int]{&v.limits.Depth, most.Depth} }},
		{name: "memory", value: "SIZE", text: "maximum live memory of the main evaluation",
			target: func(v *settings) flagValue {
				return byteSize[int64]{&v.limits.Memory, limits.MinMemory, most.Memory}
			}},
		{name: "output-limit", value: "SIZE", text: "maximum size of the printed value",
			target: func(v *settings) flagValue { return byteSize[int]{&v.limits.ResultBytes, 1, most.ResultBytes} }},
		{name: "print-limit", value: "SIZE", text: "maximum output of the program; further output is dropped",
			target: func(v *settings) flagValue { return byteSize[int]{&v.limits.OutputBytes, 1, most.OutputBytes} }},
		{name: "steps", value: "N", text: "maximum number of steps: calls, jumps back, units of builtin work",
			target: func(v *settings) flagValue { return count[int64]{&v.limits.Steps, most.Steps} }},
		{name: "timeout", value: "TIME", text: "maximum time of the run",
			target: func(v *settings) flagValue { return duration{&v.limits.Timeout, most.Timeout} }},
		{name: "tool-calls", value: "N", text: "maximum number of calls of one tool",
			target: func(v *settings) flagValue { return count[int]{&v.limits.ToolCalls, most.ToolCalls} }},
		{name: "worker-memory", value: "SIZE", text: "maximum live memory of each parallel worker",
			target: func(v *settings) flagValue {
				return byteSize[int64]{&v.limits.WorkerMemory, limits.MinMemory, most.WorkerMemory}
			}},
		{name: "workers", value: "N", text: "maximum number of parallel workers alive at once",
			target: func(v *settings) flagValue { return count[int]{&v.limits.Workers, most.Workers} }},
	}
	standard := settings{limits: limits.Default()}
	for i := range all {
		all[i].group, all[i].initial = groupLimits, all[i].target(&standard).String()
	}
	return all
}

// duration is a flag value such as 30s.
type duration struct {
	d    *time.Duration
	most time.Duration
}

func (v duration) String() string {
	return diag.Duration(*v.d)
}

func (v duration) Set(s string) error {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil && isTime(s), d > v.most:
		return errors.New("want a time up to " + diag.Duration(v.most))
	case err != nil || d <= 0:
		return errors.New("want a time above 0 such as 500ms, 30s or 5m")
	}
	*v.d = d
	return nil
}

// isTime reports whether a string is a duration, even one that overflows Go's type.
func isTime(s string) bool {
	zeros := strings.Map(func(c rune) rune {
		if c >= '1' && c <= '9' {
			return '0'
		}
		return c
	}, s)
	_, err := time.ParseDuration(zeros)
	return err == nil && !strings.HasPrefix(s, "-")
}

// count is a flag value such as 8 or 1_000_000.
type count[T int | int64] struct {
	n    *T
	most T
}

func (v count[T]) String() string {
	return strconv.FormatInt(int64(*v.n), 10)
}

func (v count[T]) Set(s string) error {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	if errors.Is(err, strconv.ErrRange) && n > 0 || n > int64(v.most) {
		return fmt.Errorf("want a whole number up to %d", v.most)
	}
	if err != nil || n <= 0 {
		return errors.New("want a whole number above 0")
	}
	*v.n = T(n)
	return nil
}

// byteSize is a flag value such as 64MB; KB, MB and GB are powers of 1024.
type byteSize[T int | int64] struct {
	n     *T
	least int64
	most  T
}

var sizeUnits = []string{"B", "KB", "MB", "GB"}

func (v byteSize[T]) String() string {
	return sizeText(int64(*v.n))
}

// sizeText returns a size in the largest unit that divides it.
func sizeText(n int64) string {
	unit := 0
	for unit+1 < len(sizeUnits) && n > 0 && n%1024 == 0 {
		n /= 1024
		unit++
	}
	return strconv.FormatInt(n, 10) + sizeUnits[unit]
}

func (v byteSize[T]) Set(s string) error {
	digits := strings.TrimRight(strings.ToUpper(s), "KMGIB")
	unit := strings.ReplaceAll(strings.ToUpper(s)[len(digits):], "I", "") // KiB is KB
	if unit == "" || unit != "B" && !strings.HasSuffix(unit, "B") {
		unit += "B"
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, "_", ""), 10, 64)
	shift := 10 * slices.Index(sizeUnits, unit)
	switch {
	case (err == nil || errors.Is(err, strconv.ErrRange)) && shift >= 0 && n > int64(v.most)>>shift:
		return errors.New("want a size up to " + sizeText(int64(v.most)))
	case err != nil || n <= 0 || shift < 0:
		return errors.New("want a size above 0 such as 500KB, 64MB or 2GB")
	case n<<shift < v.least:
		return errors.New("want at least " + sizeText(v.least))
	}
	*v.n = T(n << shift)
	return nil
}

// seed is a flag value for the seed of the random numbers.
type seed struct{ n *uint64 }

func (v seed) String() string { return strconv.FormatUint(*v.n, 10) }

func (v seed) Set(s string) error {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return fmt.Errorf("want a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	*v.n = n
	return nil
}
