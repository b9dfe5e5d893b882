// This file defines Show, which formats a value for messages.

package value

import (
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/internal/num"
)

// Bounds of a shown value: one line of a message.
const (
	showRunes    = 80
	showString   = 40 // code points of a string in the value
	showElements = 5
	showDepth    = 4
	showBits     = 256  // of a number; longer ones are shown by their size
	showHops     = 1000 // of lazy sequences that refer to others
)

// textWriter is the interface that a Buf and a shower share.
type textWriter interface {
	WriteString(s string)
	WriteByte(c byte) error
	Write(p []byte) (int, error)
}

// Show returns a short string that shows v in messages: about the output of pr, limited to 80 code points,
// 4 levels and 5 elements of each level, with … for omitted parts. It realises nothing, charges nothing and
// never fails.
func Show(_ *Task, v Value) string {
	var s shower
	s.show(v, 0)
	return string(s.b)
}

// shower holds the output so far.
type shower struct {
	b     []byte
	runes int
	full  bool
}

// WriteString writes as much of text as fits.
func (s *shower) WriteString(text string) {
	for _, r := range text {
		if s.full {
			return
		}
		if s.runes == showRunes-1 {
			s.full, r = true, '…'
		}
		s.b = utf8.AppendRune(s.b, r)
		s.runes++
	}
}

// WriteByte writes an ASCII byte, if it fits.
func (s *shower) WriteByte(c byte) error {
	s.WriteString(string(rune(c)))
	return nil
}

// Write writes as much of p as fits.
func (s *shower) Write(p []byte) (int, error) {
	s.WriteString(string(p))
	return len(p), nil
}

// show writes v. It is long on purpose: one case per kind.
func (s *shower) show(v Value, depth int) {
	var a [64]byte
	switch v.Kind() {
	case KindNil:
		s.WriteString("nil")
	case KindBool:
		s.WriteString(strconv.FormatBool(v.AsBool()))
	case KindInt:
		s.Write(strconv.AppendInt(a[:0], v.AsInt(), 10))
	case KindFloat:
		s.Write(num.AppendDouble(a[:0], v.AsFloat()))
	case KindBigInt:
		suffix := "N"
		if v.AsBigInt().IsJava() {
			suffix = ""
		}
		s.number(v.AsBigInt().N, suffix)
	case KindRatio:
		s.number(v.AsRatio().R.Num(), "/")
		s.number(v.AsRatio().R.Denom(), "")
	case KindDecimal:
		if d := v.AsDecimal().D; d.BitLen() <= showBits {
			s.WriteString(d.String() + "M")
		} else {
			s.number(d.Unscaled(), "M")
		}
	case KindChar:
		s.WriteByte('\\')
		if name, ok := charNames[v.AsChar()]; ok {
			s.WriteString(name)
		} else {
			s.WriteString(string(v.AsChar()))
		}
	case KindString:
		s.string(v.AsString().S)
	case KindKeyword:
		s.WriteByte(':')
		writeName(s, v.AsKeyword().NS, v.AsKeyword().Name)
	case KindSymbol:
		writeName(s, v.AsSymbol().NS, v.AsSymbol().Name)
	case KindRecord:
		s.WriteByte('#')
		s.WriteString(v.AsRecord().Type.Name)
		s.collection(v, "{", "}", depth)
	case KindArrayMap, KindHashMap, KindSortedMap:
		s.collection(v, "{", "}", depth)
	case KindHashSet, KindSortedSet:
		s.collection(v, "#{", "}", depth)
	case KindVector, KindMapEntry:
		s.collection(v, "[", "]", depth)
	case KindRegex:
		s.WriteByte('#')
		s.string(v.AsRegex().Source)
	case KindUUID:
		s.WriteString("#uuid ")
		writeUUID(s, &v.AsUUID().B)
	case KindInst:
		s.WriteString("#inst ")
		writeInst(s, v.AsInst().Millis)
	case KindVar:
		s.WriteString("#'")
		writeName(s, v.AsVar().Sym.NS, v.AsVar().Sym.Name)
	case KindType:
		s.WriteString(v.AsType().Name)
	case KindTagged:
		s.WriteString(v.asTagged().prefix())
		if !v.asTagged().conditional() {
			s.below(v.asTagged().Tag, depth)
			s.WriteByte(' ')
		}
		s.below(v.asTagged().Form, depth)
	case KindException:
		s.WriteString("#error[" + v.AsException().Class + " ")
		s.below(v.AsException().Msg, depth)
		s.WriteByte(']')
	default:
		if v.Is(sequential) {
			s.collection(v, "(", ")", depth)
			return
		}
		s.object(v)
	}
}

func (s *shower) object(v Value) {
	s.WriteString("#object[")
	switch v.h.kind {
	case KindFn:
		writeFnName(s, v.AsFn().Code)
	case KindNative:
		writeNativeName(s, v.AsNative().Name)
	default:
		s.WriteString(ClassName(v))
	}
	s.WriteByte(']')
}

// number writes an integer, or the size of a very large one.
func (s *shower) number(n *big.Int, suffix string) {
	if n.BitLen() <= showBits {
		s.WriteString(n.String() + suffix)
		return
	}
	s.WriteString("<" + strconv.Itoa(n.BitLen()) + " bits>" + suffix)
}

func (s *shower) string(text string) {
	s.WriteByte('"')
	n := 0
	for _, r := range text {
		if n == showString {
			s.WriteString("…")
			break
		}
		n++
		if r < utf8.RuneSelf && escapes[r] != 0 {
			s.WriteByte('\\')
			r = rune(escapes[r])
		}
		s.WriteString(string(r))
	}
	s.WriteByte('"')
}

// below shows a part of a value.
func (s *shower) below(v Value, depth int) {
	if depth+1 >= showDepth && v.Is(Colls|1<<KindTagged|1<<KindException) {
		s.WriteString("…")
		return
	}
	s.show(v, depth+1)
}

func (s *shower) collection(v Value, open, end string, depth int) {
	s.WriteString(open)
	n := 0
	item := func() bool {
		if n > 0 {
			s.WriteString(" ")
		}
		n++
		if n > showElements {
			s.WriteString("…")
		}
		return n <= showElements && !s.full
	}
	if v.Is(Maps | Sets) {
		s.entries(v, depth, item)
	} else {
		s.elements(v, depth, item)
	}
	s.WriteString(end)
}

func (s *shower) entries(v Value, depth int, item func() bool) {
	set := v.Is(Sets)
	for it := NewMapIter(v); it.Next() && item(); {
		s.below(it.Key, depth)
		if !set {
			s.WriteByte(' ')
			s.below(it.Val, depth)
		}
	}
}

// elements shows the realised elements of a sequence. It calls item before each,
// and stops if that returns false.
func (s *shower) elements(v Value, depth int, item func() bool) {
	for hops := 0; v.h != nil && !s.full; {
		switch v.h.kind {
		case KindList, KindCons:
			c := v.AsCons()
			if c.kind == KindList && c.Count == 0 || !item() {
				return
			}
			s.below(c.First, depth)
			v = Of(c.Rest)
		case KindChunkedCons:
			c := v.AsChunkedCons()
			for _, x := range c.Chunk.Vals[c.Off:c.End] {
				if !item() {
					return
				}
				s.below(x, depth)
			}
			v = Of(c.Rest)
		case KindLazy:
			l := v.AsLazy()
			if hops++; l.Fn != nil || hops > showHops {
				if item() {
					s.WriteString("…")
				}
				return
			}
			v = Of(l.Seq)
		case KindQueue:
			q := v.asQueue()
			s.elements(Of(q.Front), depth, item)
			v = Of(q.Rear)
		default:
			s.indexed(v, depth, item)
			return
		}
	}
}

// indexed shows a sequence whose elements are accessed by index.
func (s *shower) indexed(v Value, depth int, item func() bool) {
	switch v.h.kind {
	case KindVector, KindMapEntry:
		for i := 0; i < VecCount(v) && item(); i++ {
			s.below(VecAt(v, i), depth)
		}
	case KindVecSeq:
		q := v.AsVecSeq()
		for i := q.Index; i >= 0 && i < q.Vec.Count && item(); i += q.Step {
			s.below(VecNth(q.Vec, int(i)), depth)
		}
	case KindRange:
		r := v.AsRange()
		for i, n := int64(0), rangeCount(r); i < n && item(); i++ {
			s.show(Int(r.Start+i*r.Step), depth)
		}
	case KindStrSeq:
		q := v.asStrSeq()
		for _, r := range q.Str.S[q.Off:] {
			if !item() {
				return
			}
			s.show(Char(r), depth)
		}
	case KindMapSeq:
		s.mapSeq(v.AsMapSeq(), depth, item)
	}
}

func (s *shower) mapSeq(q *MapSeq, depth int, item func() bool) {
	coll := Of(q.Coll)
	n := collCount(coll)
	for i := int(q.Index); i < n && item(); i++ {
		at := i
		if q.Desc {
			at = n - 1 - i
		}
		k, v := EntryAt(coll, at)
		switch {
		case coll.Is(Sets) || q.Mode == SeqKeys:
			s.below(k, depth)
		case q.Mode == SeqVals:
			s.below(v, depth)
		default:
			s.WriteByte('[')
			s.below(k, depth)
			s.WriteByte(' ')
			s.below(v, depth)
			s.WriteByte(']')
		}
	}
}
