// This file defines hints: what a tool declares of how it may run beside others.

package guard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is a set of guards. They combine: HostExclusive|RateLimited takes both.
type Kind uint8

// The kinds.
const (
	// FullyParallel needs no guard.
	FullyParallel Kind = 0
	// RateLimited takes a token of a bucket before it begins.
	RateLimited Kind = 1 << (iota - 1)
	// HostExclusive has a host to itself.
	HostExclusive
	// GlobalExclusive is the only one of its kind in the whole Set.
	GlobalExclusive
)

var kinds = [...]struct {
	kind Kind
	name string
}{{GlobalExclusive, "global-exclusive"}, {HostExclusive, "host-exclusive"}, {RateLimited, "rate-limited"}}

// String names the guards in the order in which they are taken.
func (k Kind) String() string {
	if k == FullyParallel {
		return "fully-parallel"
	}
	var names []string
	for _, e := range kinds {
		if k&e.kind != 0 {
			names = append(names, e.name)
			k &^= e.kind
		}
	}
	if k != 0 {
		names = append(names, fmt.Sprintf("unknown(%d)", uint8(k)))
	}
	return strings.Join(names, ", ")
}

// Hint is what a tool declares: which guards its calls need. It is data: it can be
// compared, copied and kept for as long as one likes. The zero Hint is
// FullyParallel.
type Hint struct {
	Kind Kind
	// Key, PerSecond and Burst describe the token bucket of RateLimited: its name, by
	// which hints share it, the tokens that it gets each second, and how many it holds
	// at most.
	Key       string
	PerSecond float64
	Burst     int
}

// The bounds of a rate. A thousand million tokens a second is one each tick of the
// clock; a thousand million of them is more than a bucket can give in a run; a token
// in thirty years is as good as none, and waits that are longer do not fit a
// time.Duration by much.
const (
	MaxPerSecond = 1e9
	MinPerSecond = 1e-9
	MaxBurst     = 1_000_000_000
)

// OrDefault returns the hint with what a rate leaves out: the name as its Key, and as its Burst the tokens
// of one second, at least 1. A hint that is not RateLimited stays as it is.
func (h Hint) OrDefault(name string) Hint {
	if h.Kind&RateLimited == 0 {
		return h
	}
	if h.Key == "" {
		h.Key = name
	}
	if h.Burst == 0 && h.PerSecond > 0 {
		h.Burst = int(min(max(1, math.Ceil(h.PerSecond)), MaxBurst))
	}
	return h
}

// String gives the hint in short, such as `host-exclusive, rate-limited "search" 10/s
// burst 20`.
func (h Hint) String() string {
	if h.Kind&RateLimited == 0 {
		return h.Kind.String()
	}
	return h.Kind.String() + " " + quote(h.Key) + " " + h.rate()
}

// rate gives the two numbers of the bucket.
func (h *Hint) rate() string {
	return strconv.FormatFloat(h.PerSecond, 'g', -1, 64) + "/s burst " + strconv.Itoa(h.Burst)
}

// Validate says what is wrong with a hint, with an *Error, if anything is. A registry
// of tools asks when a tool is declared; Acquire asks for what it is about to use.
func (h Hint) Validate() error { return h.validate() }

func (h *Hint) validate() error {
	if unknown := h.Kind &^ (RateLimited | HostExclusive | GlobalExclusive); unknown != 0 {
		return invalid("got the hint %s, want a combination of RateLimited, HostExclusive and GlobalExclusive", h.Kind)
	}
	if h.Kind&RateLimited != 0 {
		return h.validateRate()
	}
	if h.Key != "" || h.PerSecond != 0 || h.Burst != 0 {
		return invalid("got a rate (%s %s) in a hint that is %s, want one that is RateLimited", quote(h.Key), h.rate(), h.Kind)
	}
	return nil
}

func (h *Hint) validateRate() error {
	if err := validName("rate limit", "key", h.Key); err != nil {
		return err
	}
	switch {
	case math.IsNaN(h.PerSecond) || h.PerSecond < MinPerSecond || h.PerSecond > MaxPerSecond:
		return invalid("rate limit %s: got %g tokens a second, want %g to %g", quote(h.Key), h.PerSecond, MinPerSecond, MaxPerSecond)
	case h.Burst < 1 || h.Burst > MaxBurst:
		return invalid("rate limit %s: got a burst of %d, want 1 to %d", quote(h.Key), h.Burst, MaxBurst)
	}
	return nil
}

// MaxName is the most bytes of a host or a key. Names of hosts have up to 253.
const MaxName = 1024

func validName(of, part, name string) error {
	if name == "" || len(name) > MaxName {
		return invalid("%s: got a %s of %d bytes, want 1 to %d", of, part, len(name), MaxName)
	}
	return nil
}
