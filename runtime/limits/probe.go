//go:build probe

// This file defines the probe, by which a test compares the account with the heap.
// It is compiled with the tag probe only: a charge is too frequent an event for a
// hook that may be nil.

package limits

const probing = true

// Probe is called after each granted charge, before the allocation. A test sets it
// while nothing runs.
var Probe func(m *Meter)

func probe(m *Meter) {
	if Probe != nil {
		Probe(m)
	}
}
