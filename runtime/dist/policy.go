// This file defines which operations are shared.

package dist

// Policy bounds the sharing of operations. It is in the first record of a log, because all nodes must agree on it.
type Policy struct {
	// Elements is the least number of elements of an operation that is shared; 0 shares none.
	Elements int
	// Unit is the maximum number of elements that a node claims at a time; 0 is DefaultUnit.
	Unit int
	// Computing has operations shared that only compute, too. A node computes most elements sooner than it takes their
	// values from the log.
	Computing bool
}

// The defaults of a Policy. Sharing an element takes some tens of microseconds, so it pays where elements wait.
const (
	DefaultElements = 8
	DefaultUnit     = 50
)

// maxElements is the most elements of an operation that is shared. It bounds the memory that a record can take: some
// tens of bytes for each element that it says an operation has.
const maxElements = 1 << 20

// perNode is the number of units into which an operation is divided at least, so that nodes end at about the same time.
const perNode = 16

// unit returns the number of elements of a unit, 0 if an operation is not shared.
func (p Policy) unit(elements int) int {
	if p.Elements < 1 || elements < max(p.Elements, 2) || elements > maxElements {
		return 0
	}
	most := p.Unit
	if most < 1 {
		most = DefaultUnit
	}
	return max(1, min(most, elements/perNode))
}
