// This file bounds the nesting of parallel operations, and thereby the length of the ids of
// effects.

package eval

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// wantNestable refuses an operation that is nested too deeply, or in which the id of an effect
// would be too long for a journal. Longer ids could be hashed, but then a journal could not read
// from them which effects belong to an element that was not needed.
func (m *Evaluation) wantNestable(op *operation) {
	const flatten = "collect first what is to be done, and have one operation do it"
	if op.nesting > maxNesting {
		m.FailHint(diag.NestingTooDeep, flatten, "%s: parallel operations nested deeper than %d levels", op.Name, maxNesting)
	}
	op.named = m.pathBytes() + len("..") + digits(m.operations+1)
	if longest := op.named + digits(uint64(op.n)) + effectDigits; longest > effect.MaxID && m.opts.Journal != nil {
		m.FailHint(diag.NestingTooDeep, flatten,
			"%s: parallel operations nested %d deep: an effect in there would have a name of %d bytes, and it may have %d",
			op.Name, op.nesting+1, longest, effect.MaxID)
	}
}

// maxNesting bounds the nesting of operations, because each level takes some kilobytes of Go's
// stack if the goroutine of Do runs its elements.
const maxNesting = 5000

// effectDigits is the maximum length of the number of an effect in its id.
const effectDigits = len("#2147483647")

// pathBytes returns the length of path.
func (m *Evaluation) pathBytes() int {
	if m.op == nil {
		return 1
	}
	return m.op.named + digits(uint64(m.index))
}

// digits returns the number of decimal digits of n.
func digits(n uint64) int {
	count := 1
	for ; n >= 10; n /= 10 {
		count++
	}
	return count
}
