// This file defines the shares of tenants and tokens.

package access

import (
	"fmt"
	"math"
)

// A Share bounds the resources that a tenant, or one of its tokens, may use at a time. A bound of 0 adds
// nothing to the bounds of the service and, for a token, of its tenant, which always apply.
type Share struct {
	Running   int     `json:"running,omitempty"`    // runs that are under way
	Queued    int     `json:"queued,omitempty"`     // runs that wait to begin
	Memory    int64   `json:"memory,omitempty"`     // bytes, the sum of the bounds of the running runs
	Calls     int     `json:"calls,omitempty"`      // tool calls of one run
	PerSecond float64 `json:"per_second,omitempty"` // submissions per second
	Burst     int     `json:"burst,omitempty"`      // submissions at a time; default: the number of one second
}

// check returns the first error of a share.
func (s Share) check() error {
	for _, b := range []struct {
		name string
		got  float64
	}{
		{"running", float64(s.Running)}, {"queued", float64(s.Queued)}, {"memory", float64(s.Memory)},
		{"calls", float64(s.Calls)}, {"per second", s.PerSecond}, {"burst", float64(s.Burst)},
	} {
		if !(b.got >= 0) || math.IsInf(b.got, 1) {
			return fmt.Errorf("got %v as the share %q, want a number of at least 0", b.got, b.name)
		}
	}
	if s.Burst > 0 && s.PerSecond == 0 {
		return fmt.Errorf("got a burst of %d submissions without a number per second, want both", s.Burst)
	}
	return nil
}
