// This file defines the As functions, which return the object of a value.

package value

// Each As function returns a value as the Go object of its kind. The caller has checked the kind.
// The functions check it again, because a wrong kind would read memory as the wrong type: they turn
// such a bug into an internal error of the run instead of a crash of the process.

//go:noinline
func badKind() { panic("value: an object was taken for one of another kind") }

// AsString returns v as a string.
func (v Value) AsString() *String {
	if v.Kind() != KindString {
		badKind()
	}
	return as[String](v)
}

// AsKeyword returns v as a keyword.
func (v Value) AsKeyword() *Keyword {
	if v.Kind() != KindKeyword {
		badKind()
	}
	return as[Keyword](v)
}

// AsSymbol returns v as a symbol.
func (v Value) AsSymbol() *Symbol {
	if v.Kind() != KindSymbol {
		badKind()
	}
	return as[Symbol](v)
}

// AsCons returns v as a list or cons cell.
func (v Value) AsCons() *Cons {
	if v.Kind() != KindList && v.Kind() != KindCons {
		badKind()
	}
	return as[Cons](v)
}

// AsFn returns v as a compiled function.
func (v Value) AsFn() *Fn {
	if v.Kind() != KindFn {
		badKind()
	}
	return as[Fn](v)
}

// AsNative returns v as a builtin.
func (v Value) AsNative() *Native {
	if v.Kind() != KindNative {
		badKind()
	}
	return as[Native](v)
}

// AsVector returns v as a vector (KindVector).
func (v Value) AsVector() *Vector {
	if v.Kind() != KindVector {
		badKind()
	}
	return as[Vector](v)
}

// AsEntry returns v as a map entry.
func (v Value) AsEntry() *MapEntry {
	if v.Kind() != KindMapEntry {
		badKind()
	}
	return as[MapEntry](v)
}

// AsLazy returns v as a lazy sequence.
func (v Value) AsLazy() *Lazy {
	if v.Kind() != KindLazy {
		badKind()
	}
	return as[Lazy](v)
}

// AsChunkedCons returns v as a chunked sequence.
func (v Value) AsChunkedCons() *ChunkedCons {
	if v.Kind() != KindChunkedCons {
		badKind()
	}
	return as[ChunkedCons](v)
}

// AsRange returns v as a range.
func (v Value) AsRange() *Range {
	if v.Kind() != KindRange {
		badKind()
	}
	return as[Range](v)
}

// AsVecSeq returns v as the sequence of a vector.
func (v Value) AsVecSeq() *VecSeq {
	if v.Kind() != KindVecSeq {
		badKind()
	}
	return as[VecSeq](v)
}

// asStrSeq returns v as the sequence of a string.
func (v Value) asStrSeq() *StrSeq {
	if v.Kind() != KindStrSeq {
		badKind()
	}
	return as[StrSeq](v)
}

// AsMapSeq returns v as the sequence of a map or set.
func (v Value) AsMapSeq() *MapSeq {
	if v.Kind() != KindMapSeq {
		badKind()
	}
	return as[MapSeq](v)
}

// AsBigInt returns v as a big integer.
func (v Value) AsBigInt() *BigInt {
	if v.Kind() != KindBigInt {
		badKind()
	}
	return as[BigInt](v)
}

// AsRatio returns v as a ratio.
func (v Value) AsRatio() *Ratio {
	if v.Kind() != KindRatio {
		badKind()
	}
	return as[Ratio](v)
}

// AsDecimal returns v as a decimal.
func (v Value) AsDecimal() *Decimal {
	if v.Kind() != KindDecimal {
		badKind()
	}
	return as[Decimal](v)
}

// AsVar returns v as a var.
func (v Value) AsVar() *Var {
	if v.Kind() != KindVar {
		badKind()
	}
	return as[Var](v)
}

// AsAtom returns v as an atom, or a ref or future as one.
func (v Value) AsAtom() *Atom {
	if k := v.Kind(); k != KindAtom && k != KindRef && k != KindFuture {
		badKind()
	}
	return as[Atom](v)
}

// AsVolatile returns v as a volatile.
func (v Value) AsVolatile() *Volatile {
	if v.Kind() != KindVolatile {
		badKind()
	}
	return as[Volatile](v)
}

// AsDelay returns v as a delay.
func (v Value) AsDelay() *Delay {
	if v.Kind() != KindDelay {
		badKind()
	}
	return as[Delay](v)
}

// AsReduced returns v as a reduced result.
func (v Value) AsReduced() *Reduced {
	if v.Kind() != KindReduced {
		badKind()
	}
	return as[Reduced](v)
}

// AsRegex returns v as a pattern.
func (v Value) AsRegex() *Regex {
	if v.Kind() != KindRegex {
		badKind()
	}
	return as[Regex](v)
}

// AsUUID returns v as a UUID.
func (v Value) AsUUID() *UUID {
	if v.Kind() != KindUUID {
		badKind()
	}
	return as[UUID](v)
}

// AsInst returns v as an instant.
func (v Value) AsInst() *Inst {
	if v.Kind() != KindInst {
		badKind()
	}
	return as[Inst](v)
}

// AsException returns v as an exception.
func (v Value) AsException() *Exception {
	if v.Kind() != KindException {
		badKind()
	}
	return as[Exception](v)
}

// AsType returns v as a record type or class.
func (v Value) AsType() *RecordType {
	if v.Kind() != KindType {
		badKind()
	}
	return as[RecordType](v)
}

// AsRecord returns v as a record.
func (v Value) AsRecord() *Record {
	if v.Kind() != KindRecord {
		badKind()
	}
	return as[Record](v)
}

// asQueue returns v as a queue.
func (v Value) asQueue() *Queue {
	if v.Kind() != KindQueue {
		badKind()
	}
	return as[Queue](v)
}

// AsMultiFn returns v as a multimethod.
func (v Value) AsMultiFn() *MultiFn {
	if v.Kind() != KindMultiFn {
		badKind()
	}
	return as[MultiFn](v)
}

// AsProtocol returns v as a protocol.
func (v Value) AsProtocol() *Protocol {
	if v.Kind() != KindProtocol {
		badKind()
	}
	return as[Protocol](v)
}

// AsProtocolFn returns v as a protocol method.
func (v Value) AsProtocolFn() *ProtocolFn {
	if v.Kind() != KindProtocolFn {
		badKind()
	}
	return as[ProtocolFn](v)
}

// AsNamespace returns v as a namespace.
func (v Value) AsNamespace() *Namespace {
	if v.Kind() != KindNamespace {
		badKind()
	}
	return as[Namespace](v)
}

// asTagged returns v as a tagged literal.
func (v Value) asTagged() *Tagged {
	if v.Kind() != KindTagged {
		badKind()
	}
	return as[Tagged](v)
}

// AsBox returns v as a box, string builder, matcher or iterator.
func (v Value) AsBox() *Box {
	if !v.Is(boxes) {
		badKind()
	}
	return as[Box](v)
}

// AsChunk returns v as a chunk.
func (v Value) AsChunk() *Chunk {
	if v.Kind() != KindChunk {
		badKind()
	}
	return as[Chunk](v)
}
