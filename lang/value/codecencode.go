// This file defines Encoder, which writes values.

package value

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Encoder writes values as canonical bytes. The zero value is ready to use. It may be used for many
// values, one after another, but not by several goroutines concurrently.
type Encoder struct {
	Names CodecNames
	// Limit is the maximum number of bytes of a value; 0 means CodecLimit.
	Limit int
	// Task is the evaluation that the values belong to, or nil. The work and the memory of encoding
	// are charged to it, and lazy sequences that only it has computed are found.
	Task *Task

	b       []byte
	own     bool // b was allocated here
	start   int  // length of the caller's bytes
	charged int64
	depth   int
	sorted  int // inside keys of so many sorted collections
	names   codecNames
	shapes  codecNames
	same    map[*Header]int
}

// Encode returns the bytes of dst followed by the encoded v. The result has at most CodecLimit
// more bytes. The error is a *Refused: v contains a part that is not data, or is too large.
func Encode(dst []byte, v Value) ([]byte, error) {
	var e Encoder
	return e.Encode(dst, v)
}

// Encode returns the bytes of dst followed by the encoded v. The error is a *Refused: v contains a
// part that is not data, or is too large. Encode takes time in proportion to the bytes.
//
// Memory is charged to the Task while Encode runs. Afterwards it belongs to the caller.
func (e *Encoder) Encode(dst []byte, v Value) ([]byte, error) {
	e.b, e.own, e.start, e.charged, e.depth, e.sorted = dst, false, len(dst), 0, 0, 0
	e.names, e.shapes, e.same = codecNames{}, codecNames{}, nil
	e.bytes(CodecVersion)
	err := e.value(v)
	if err == nil {
		err = e.fits(0)
	}
	b := e.b
	e.b, e.names, e.shapes, e.same = nil, codecNames{}, codecNames{}, nil
	if e.Task != nil {
		e.Task.Credit(e.charged)
	}
	if err != nil {
		return dst, err
	}
	return b, nil
}

// charge charges memory to the task.
func (e *Encoder) charge(n int64) {
	if e.Task != nil {
		e.Task.Charge(n)
		e.charged += n
	}
}

// room makes room for n more bytes.
func (e *Encoder) room(n int) {
	if n <= cap(e.b)-len(e.b) {
		return
	}
	size := limits.BytesSize(max(2*(cap(e.b)-e.start), len(e.b)-e.start+n, firstBytes) + e.start)
	e.charge(size)
	b := Bytes(int(size))[:len(e.b)]
	copy(b, e.b)
	if e.own && e.Task != nil {
		old := limits.BytesSize(cap(e.b))
		e.Task.Credit(old)
		e.charged -= old
	}
	e.b, e.own = b, true
}

func (e *Encoder) bytes(b ...byte) {
	e.room(len(b))
	e.b = append(e.b, b...)
}

func (e *Encoder) tag(t codecTag) { e.bytes(byte(t)) }

func (e *Encoder) uint(n int) {
	e.room(binary.MaxVarintLen64)
	e.b = binary.AppendUvarint(e.b, uint64(n))
}

func (e *Encoder) int(n int64) {
	e.room(binary.MaxVarintLen64)
	e.b = binary.AppendVarint(e.b, n)
}

// text writes a string. It writes nothing if that would exceed the limit.
func (e *Encoder) text(s string) error {
	e.uint(len(s))
	if err := e.fits(len(s)); err != nil {
		return err
	}
	e.room(len(s))
	n := len(e.b)
	e.b = e.b[:n+len(s)]
	if e.Task != nil {
		e.Task.Work(int64(len(s)) >> 8)
		e.Task.CopyBytes(e.b[n:], s)
	} else {
		copy(e.b[n:], s)
	}
	return nil
}

// fits returns an error if n more bytes exceed the limit.
func (e *Encoder) fits(n int) error {
	limit := e.Limit
	if limit == 0 {
		limit = CodecLimit
	}
	if len(e.b)-e.start+n > limit {
		return &Refused{Limit: limit}
	}
	return nil
}

// name writes a name or, if it was written before, its number.
func (e *Encoder) name(ns, name string, hash uint32) (i int, err error) {
	if i = e.names.find(ns, name, hash); i >= 0 {
		e.uint(i + 1)
		return i, nil
	}
	i = e.names.add(ns, name, hash, e.charge)
	e.uint(0)
	if err = e.text(ns); err == nil {
		err = e.text(name)
	}
	return i, err
}

// word writes a name that is no keyword or symbol.
func (e *Encoder) word(s string) error {
	_, err := e.name("", s, symbolHash("", s))
	return err
}

// big writes an integer: its length and sign, and its bytes, the highest first.
func (e *Encoder) big(n *big.Int) error {
	size := (n.BitLen() + 7) / 8
	if n.BitLen() > num.MaxBits {
		return &Refused{Kind: "number of more than " + strconv.Itoa(num.MaxBits) + " bits"}
	}
	head := 2 * size
	if n.Sign() < 0 {
		head++
	}
	e.uint(head)
	if err := e.fits(size); err != nil {
		return err
	}
	e.room(size)
	end := len(e.b) + size
	n.FillBytes(e.b[len(e.b):end])
	e.b = e.b[:end]
	return nil
}

// at adds a step to the path of a refusal.
func at(err error, step func() string) error {
	if r, ok := err.(*Refused); ok {
		return r.in(step())
	}
	return err
}

// value writes v.
func (e *Encoder) value(v Value) error {
	if e.Task != nil {
		e.Task.Work(1)
	}
	if err := e.fits(0); err != nil {
		return err
	}
	if e.depth++; e.depth > maxCodecDepth {
		return &Refused{Kind: "value nested deeper than " + strconv.Itoa(maxCodecDepth) + " levels"}
	}
	err := e.plain(v)
	e.depth--
	return err
}

// plain is value for the common kinds. It is long on purpose: one case per kind.
func (e *Encoder) plain(v Value) error {
	switch v.Kind() {
	case KindNil:
		e.tag(tagNil)
	case KindBool:
		e.tag(tagFalse + codecTag(v.bits))
	case KindInt:
		e.tag(tagInt)
		e.int(v.AsInt())
	case KindFloat:
		e.tag(tagFloat)
		e.room(8)
		e.b = binary.BigEndian.AppendUint64(e.b, floatBits(v.AsFloat()))
	case KindChar:
		e.tag(tagChar)
		e.uint(int(v.AsChar()))
	case KindString:
		e.tag(tagString)
		return e.text(v.AsString().S)
	case KindKeyword:
		k := v.AsKeyword()
		e.tag(tagKeyword)
		_, err := e.name(k.NS, k.Name, k.hash-keywordHash)
		return err
	case KindBigInt, KindRatio, KindDecimal, KindUUID, KindInst:
		return e.scalar(v)
	case KindVector:
		return e.vector(v)
	case KindArrayMap, KindHashMap, KindSortedMap, KindRecord:
		return e.mapping(v)
	case KindHashSet, KindSortedSet:
		return e.set(v)
	case KindList, KindCons, KindChunkedCons, KindLazy:
		if err := e.meta(v); err != nil {
			return err
		}
		return e.seq(v)
	case KindRange, KindVecSeq, KindStrSeq, KindMapSeq, KindQueue:
		return e.view(v)
	default:
		return e.rare(v)
	}
	return nil
}

// floatBits returns the bits of a double, with the same pattern for every NaN.
func floatBits(f float64) uint64 {
	if f != f {
		return canonicalNaN
	}
	return math.Float64bits(f)
}

// canonicalNaN is the NaN of Java's Double.doubleToLongBits.
const canonicalNaN = 0x7ff8000000000000

// scalar is value for the numbers and literals that are objects.
func (e *Encoder) scalar(v Value) error {
	switch v.Kind() {
	case KindBigInt:
		if v.AsBigInt().IsJava() {
			e.tag(tagBigInteger)
		} else {
			e.tag(tagBigInt)
		}
		return e.big(v.AsBigInt().N)
	case KindRatio:
		e.tag(tagRatio)
		if err := e.big(v.AsRatio().R.Num()); err != nil {
			return err
		}
		return e.big(v.AsRatio().R.Denom())
	case KindDecimal:
		e.tag(tagDecimal)
		e.int(int64(v.AsDecimal().D.Scale()))
		return e.big(v.AsDecimal().D.Unscaled())
	case KindUUID:
		e.tag(tagUUID)
		b := v.AsUUID().B
		e.bytes(b[:]...)
	default:
		e.tag(tagInst)
		e.int(v.AsInst().Millis)
	}
	return nil
}

// rare is value for the kinds that are rare in data, and refuses kinds that are not data.
func (e *Encoder) rare(v Value) error {
	if v.Is(sameKinds) {
		if i, ok := e.same[v.h]; ok {
			e.tag(tagSame)
			e.uint(i)
			return nil
		}
		e.charge(localCopySize)
		if e.same == nil {
			e.same = make(map[*Header]int)
		}
		e.same[v.h] = len(e.same)
	}
	switch v.Kind() {
	case KindSymbol:
		s := v.AsSymbol()
		if err := e.meta(v); err != nil {
			return err
		}
		e.tag(tagSymbol)
		_, err := e.name(s.NS, s.Name, s.hash)
		return err
	case KindMapEntry:
		e.tag(tagEntry)
		if err := e.value(v.AsEntry().Key); err != nil {
			return at(err, func() string { return "0" })
		}
		if err := e.value(v.AsEntry().Val); err != nil {
			return at(err, func() string { return "1" })
		}
		return nil
	case KindRegex:
		return e.regex(v.AsRegex())
	case KindTagged:
		g := v.asTagged()
		e.tag(tagTagged)
		if err := e.value(g.Tag); err != nil {
			return err
		}
		return e.value(g.Form)
	case KindReduced:
		e.tag(tagReduced)
		return e.value(v.AsReduced().Val)
	case KindException:
		return e.exception(v.AsException())
	case KindJava:
		return &Refused{Kind: v.AsJava().Class.Name}
	}
	return &Refused{Kind: KindName(v.Kind())}
}

// regex writes a pattern: its flags are part of the text that was compiled, but not of its source.
func (e *Encoder) regex(r *Regex) error {
	e.tag(tagRegex)
	if err := e.text(r.RE.String()); err != nil {
		return err
	}
	if r.Source == r.RE.String() {
		e.bytes(0)
		return nil
	}
	e.bytes(1)
	return e.text(r.Source)
}

// meta writes the metadata of v, if it has any.
func (e *Encoder) meta(v Value) error {
	m := MetaOf(v)
	if m.h == nil {
		return nil
	}
	e.tag(tagMeta)
	return at(e.value(m), func() string { return "metadata" })
}
