// This file defines which traces are recorded, and whether they are passed on.

package otlp

import (
	"cmp"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/telemetry/internal/collector"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// sampler decides which traces are recorded.
type sampler struct {
	parent bool   // the parent decides, if there is one
	below  uint64 // the traces whose last eight bytes, halved, are below are recorded
}

// all is the bound of a sampler that records all traces.
const all = 1 << 63

// records reports whether a trace is recorded.
func (s sampler) records(trace traceID, parent *spans.Context) bool {
	if s.parent && parent != nil {
		return parent.Sampled
	}
	return binary.BigEndian.Uint64(trace[8:])>>1 < s.below
}

// samplerOf returns the sampler of OTEL_TRACES_SAMPLER.
func samplerOf(e *collector.Environment) (s sampler) {
	const name = "OTEL_TRACES_SAMPLER"
	kind := cmp.Or(e.Get(name), "parentbased_always_on")
	rest, based := strings.CutPrefix(kind, "parentbased_")
	s.parent = based
	switch rest {
	case "always_on":
		s.below = all
	case "always_off":
	case "traceidratio":
		s.below = uint64(ratio(e) * all)
	default:
		e.Fail(name, "got %.40q, want always_on, always_off, traceidratio, or one of them after parentbased_", kind)
	}
	return s
}

// ratio returns the part of the traces that OTEL_TRACES_SAMPLER_ARG has recorded.
func ratio(e *collector.Environment) float64 {
	const name = "OTEL_TRACES_SAMPLER_ARG"
	text := cmp.Or(e.Get(name), "1")
	r, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(r) || r < 0 || r > 1 {
		e.Fail(name, "got %.40q, want a number from 0 to 1", text)
		return 0
	}
	return r
}

// propagates reports whether calls pass their traces on: OTEL_PROPAGATORS has tracecontext, as it does by default.
// Other propagators are ignored, since a list of all that a fleet uses is common.
func propagates(e *collector.Environment) bool {
	for p := range strings.SplitSeq(cmp.Or(e.Get("OTEL_PROPAGATORS"), "tracecontext"), ",") {
		if strings.TrimSpace(p) == "tracecontext" {
			return true
		}
	}
	return false
}
