// This file defines the As functions, by which a value is seen as its object.

package value

// The As functions see a value as its object. The caller has checked the kind; they
// check again, because a wrong one would read memory as what it is not: such a bug
// becomes an internal error of the run instead of a fault of the process.

//go:noinline
func badKind() { panic("value: an object was taken for one of another kind") }

// AsString sees a string.
func (v Value) AsString() *String {
	if v.Kind() != KindString {
		badKind()
	}
	return as[String](v)
}

// AsKeyword sees a keyword.
func (v Value) AsKeyword() *Keyword {
	if v.Kind() != KindKeyword {
		badKind()
	}
	return as[Keyword](v)
}

// AsSymbol sees a symbol.
func (v Value) AsSymbol() *Symbol {
	if v.Kind() != KindSymbol {
		badKind()
	}
	return as[Symbol](v)
}

// AsCons sees a list or cons cell.
func (v Value) AsCons() *Cons {
	if v.Kind() != KindList && v.Kind() != KindCons {
		badKind()
	}
	return as[Cons](v)
}

// AsFn sees a compiled function.
func (v Value) AsFn() *Fn {
	if v.Kind() != KindFn {
		badKind()
	}
	return as[Fn](v)
}

// AsNative sees a builtin.
func (v Value) AsNative() *Native {
	if v.Kind() != KindNative {
		badKind()
	}
	return as[Native](v)
}

// AsVector sees a vector (KindVector).
func (v Value) AsVector() *Vector {
	if v.Kind() != KindVector {
		badKind()
	}
	return as[Vector](v)
}

// AsEntry sees a map entry.
func (v Value) AsEntry() *MapEntry {
	if v.Kind() != KindMapEntry {
		badKind()
	}
	return as[MapEntry](v)
}

// AsLazy sees a lazy sequence.
func (v Value) AsLazy() *Lazy {
	if v.Kind() != KindLazy {
		badKind()
	}
	return as[Lazy](v)
}

// AsChunkedCons sees a chunked sequence.
func (v Value) AsChunkedCons() *ChunkedCons {
	if v.Kind() != KindChunkedCons {
		badKind()
	}
	return as[ChunkedCons](v)
}

// AsRange sees a range.
func (v Value) AsRange() *Range {
	if v.Kind() != KindRange {
		badKind()
	}
	return as[Range](v)
}

// AsVecSeq sees the sequence of a vector.
func (v Value) AsVecSeq() *VecSeq {
	if v.Kind() != KindVecSeq {
		badKind()
	}
	return as[VecSeq](v)
}

// AsStrSeq sees the sequence of a string.
func (v Value) AsStrSeq() *StrSeq {
	if v.Kind() != KindStrSeq {
		badKind()
	}
	return as[StrSeq](v)
}

// AsMapSeq sees the sequence of a map or set.
func (v Value) AsMapSeq() *MapSeq {
	if v.Kind() != KindMapSeq {
		badKind()
	}
	return as[MapSeq](v)
}

// AsBigInt sees a big integer.
func (v Value) AsBigInt() *BigInt {
	if v.Kind() != KindBigInt {
		badKind()
	}
	return as[BigInt](v)
}

// AsRatio sees a ratio.
func (v Value) AsRatio() *Ratio {
	if v.Kind() != KindRatio {
		badKind()
	}
	return as[Ratio](v)
}

// AsDecimal sees a decimal.
func (v Value) AsDecimal() *Decimal {
	if v.Kind() != KindDecimal {
		badKind()
	}
	return as[Decimal](v)
}

// AsVar sees a var.
func (v Value) AsVar() *Var {
	if v.Kind() != KindVar {
		badKind()
	}
	return as[Var](v)
}

// AsAtom sees an atom, or a ref as one.
func (v Value) AsAtom() *Atom {
	if k := v.Kind(); k != KindAtom && k != KindRef {
		badKind()
	}
	return as[Atom](v)
}

// AsVolatile sees a volatile.
func (v Value) AsVolatile() *Volatile {
	if v.Kind() != KindVolatile {
		badKind()
	}
	return as[Volatile](v)
}

// AsDelay sees a delay.
func (v Value) AsDelay() *Delay {
	if v.Kind() != KindDelay {
		badKind()
	}
	return as[Delay](v)
}

// AsReduced sees a reduced result.
func (v Value) AsReduced() *Reduced {
	if v.Kind() != KindReduced {
		badKind()
	}
	return as[Reduced](v)
}

// AsRegex sees a pattern.
func (v Value) AsRegex() *Regex {
	if v.Kind() != KindRegex {
		badKind()
	}
	return as[Regex](v)
}

// AsUUID sees a UUID.
func (v Value) AsUUID() *UUID {
	if v.Kind() != KindUUID {
		badKind()
	}
	return as[UUID](v)
}

// AsInst sees an instant.
func (v Value) AsInst() *Inst {
	if v.Kind() != KindInst {
		badKind()
	}
	return as[Inst](v)
}

// AsException sees an exception.
func (v Value) AsException() *Exception {
	if v.Kind() != KindException {
		badKind()
	}
	return as[Exception](v)
}

// AsType sees a record type or class.
func (v Value) AsType() *RecordType {
	if v.Kind() != KindType {
		badKind()
	}
	return as[RecordType](v)
}

// AsRecord sees a record.
func (v Value) AsRecord() *Record {
	if v.Kind() != KindRecord {
		badKind()
	}
	return as[Record](v)
}

// AsQueue sees a queue.
func (v Value) AsQueue() *Queue {
	if v.Kind() != KindQueue {
		badKind()
	}
	return as[Queue](v)
}

// AsMultiFn sees a multimethod.
func (v Value) AsMultiFn() *MultiFn {
	if v.Kind() != KindMultiFn {
		badKind()
	}
	return as[MultiFn](v)
}

// AsProtocol sees a protocol.
func (v Value) AsProtocol() *Protocol {
	if v.Kind() != KindProtocol {
		badKind()
	}
	return as[Protocol](v)
}

// AsProtocolFn sees a protocol method.
func (v Value) AsProtocolFn() *ProtocolFn {
	if v.Kind() != KindProtocolFn {
		badKind()
	}
	return as[ProtocolFn](v)
}

// AsNamespace sees a namespace.
func (v Value) AsNamespace() *Namespace {
	if v.Kind() != KindNamespace {
		badKind()
	}
	return as[Namespace](v)
}

// AsTagged sees a tagged literal.
func (v Value) AsTagged() *Tagged {
	if v.Kind() != KindTagged {
		badKind()
	}
	return as[Tagged](v)
}

// AsBox sees a box, string builder, matcher or iterator.
func (v Value) AsBox() *Box {
	if !v.Is(boxes) {
		badKind()
	}
	return as[Box](v)
}

// AsChunk sees a chunk.
func (v Value) AsChunk() *Chunk {
	if v.Kind() != KindChunk {
		badKind()
	}
	return as[Chunk](v)
}
