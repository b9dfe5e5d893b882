// This file defines the identity hashes of objects that are only equal to themselves.

package value

import (
	"math"

	"github.com/ptc-lang/ptc/lang/internal/murmur"
)

// identities numbers the objects that an evaluation makes. A hash comes from the number and from the place of the
// evaluation in the program, and not from an address, so that it is the same in every run, replay and replica. It is
// kept in the bits of the Value.
type identities struct {
	base uint64
	made uint64
}

// Identify begins the numbers of an evaluation. base identifies its place in the program.
func (t *Task) Identify(base uint64) { t.identities = identities{base: base} }

// IdentityBase returns the base of the evaluation.
func (t *Task) IdentityBase() uint64 { return t.identities.base }

// newIdentity returns an object that was just made as a value with an identity hash.
func (t *Task) newIdentity(h *Header) Value {
	t.identities.made++
	return Value{h: h, bits: uint64(murmur.HashLong(int64(t.identities.base+t.identities.made)) & math.MaxInt32)}
}

// IdentityHash returns the result of System/identityHashCode: for a value that can be equal to other objects
// it is the value's hash, because such objects have no identity here.
func IdentityHash(t *Task, v Value) int32 {
	if v.Is(identified) {
		return objectHash(t, v)
	}
	return javaHash(t, v)
}

// identified are the kinds whose values have an identity hash.
var identified = boxes | Kinds(KindAtom, KindRef, KindFuture, KindVolatile, KindArray, KindObject, KindJava)
