// This file defines how deep parallel operations nest, and how long that makes the names
// of effects.

package eval

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// wantNestable refuses an operation that lies too deep in others, or in which an effect would have
// an id that no journal takes. To hash a longer id instead would cost what makes ids useful: a
// journal reads from them which effects lie in an element that was not needed.
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

// maxNesting bounds how deep operations nest, since each level takes some kilobytes of Go
// stack where Do's own goroutine runs its elements.
const maxNesting = 5000

// effectDigits is what the number of an effect takes in its id.
const effectDigits = len("#2147483647")

// pathBytes returns the length of path.
func (m *Evaluation) pathBytes() int {
	if m.op == nil {
		return 1
	}
	return m.op.named + digits(uint64(m.index))
}

// digits counts those of a number.
func digits(n uint64) int {
	count := 1
	for ; n >= 10; n /= 10 {
		count++
	}
	return count
}
