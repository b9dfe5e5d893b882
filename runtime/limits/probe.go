//go:build probe

// This file defines the probe, with which tests compare the account with the heap and the polls
// with the work. It is compiled with the tag probe only, because a charge is too frequent for a
// hook that may be nil.

package limits

const probing = true

// Probe is called after each granted charge of n bytes, before the allocation. A test sets it while
// nothing runs.
var Probe func(m *Meter, n int64)

// ProbeWork is called before each n units of a builtin's work are accounted for.
var ProbeWork func(m *Meter, n int64)

// ProbePoll is called when a meter looks at the clock and the context.
var ProbePoll func(m *Meter)

// ProbeHolds is called with the bytes held by a waiting evaluation when another one has added to
// them, and with 0 when an evaluation has ended. The evaluation that adds calls it.
var ProbeHolds func(m *Meter, n int64)

// ProbeMark is called after each mark. loose is the value before the mark: the bytes of the cycle
// whose class is unknown.
var ProbeMark func(m *Meter, loose int64)

func probeMark(m *Meter, loose int64) {
	if ProbeMark != nil {
		ProbeMark(m, loose)
	}
}

func probeHolds(m *Meter, n int64) {
	if ProbeHolds != nil {
		ProbeHolds(m, n)
	}
}

func probePoll(m *Meter) {
	if ProbePoll != nil {
		ProbePoll(m)
	}
}

func probe(m *Meter, n int64) {
	if Probe != nil {
		Probe(m, n)
	}
}

func probeWork(m *Meter, n int64) {
	if ProbeWork != nil {
		ProbeWork(m, n)
	}
}
