// This file defines Decoder, which reads encoded values. It trusts nothing: every count is compared
// with the bytes that are left before memory is charged, and memory is charged before it is
// allocated.

package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Decoder reads values. It may be used for many values, one after another, but not by several goroutines
// concurrently.
type Decoder struct {
	Names CodecNames
	// Task is the evaluation that the values are made for. All their memory is charged to it.
	Task *Task

	t       *Task
	all     int
	b       []byte // the bytes that are left
	owed    int    // values that collections begun have promised and that are not begun
	depth   int
	sorted  int // inside keys of so many sorted collections
	err     *Malformed
	charged int64 // temporary memory
	names   codecNames
	shapes  codecNames
	keys    []Shape // of shapes
	same    []Value
}

// Decode returns the value that data encodes, charged to t. It fails as Decoder.Decode does.
func Decode(t *Task, data []byte) (Value, error) {
	d := Decoder{Task: t}
	return d.Decode(data)
}

// Decode returns the value that data encodes. The error is a *Malformed: data is not exactly one
// encoded value, or refers to a record type or file that Names does not find. Decode keeps no
// reference to data, which must not change before it returns. A refused charge unwinds, as in a
// builtin.
func (d *Decoder) Decode(data []byte) (Value, error) {
	*d = Decoder{Names: d.Names, Task: d.Task, t: d.Task, all: len(data), b: data, owed: 1}
	if v := d.byte(); v != CodecVersion {
		d.fail("version %d, want %d", v, CodecVersion)
	}
	v := d.value()
	if len(d.b) > 0 {
		d.fail("%d bytes follow the value", len(d.b))
	}
	err := d.err
	d.t.Credit(d.charged)
	*d = Decoder{Names: d.Names, Task: d.Task}
	if err != nil {
		return Nil, err
	}
	return v, nil
}

// charge charges memory that is only used while the value is read.
func (d *Decoder) charge(n int64) {
	d.t.Charge(n)
	d.charged += n
}

// fail records the first error. Nothing is read after it.
func (d *Decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = &Malformed{Offset: d.all - len(d.b), Reason: fmt.Sprintf(format, args...)}
	}
	d.b = nil
}

func (d *Decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail("unexpected end")
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

// varint reads an unsigned number in as few bytes as possible.
func (d *Decoder) varint() uint64 {
	n, k := binary.Uvarint(d.b)
	switch {
	case k == 0:
		d.fail("unexpected end")
		return 0
	case k < 0 || k > 1 && d.b[k-1] == 0:
		d.fail("number in too many bytes")
		return 0
	}
	d.b = d.b[k:]
	return n
}

// uint reads a number up to most.
func (d *Decoder) uint(most int) int {
	n := d.varint()
	if n > uint64(most) {
		d.fail("got %d, want at most %d", n, most)
		return 0
	}
	return int(n)
}

func (d *Decoder) int() int64 {
	n := d.varint()
	return int64(n>>1) ^ -int64(n&1)
}

// take returns the next n bytes.
func (d *Decoder) take(n int) []byte {
	if n > len(d.b) {
		d.fail("%d bytes announced, %d left", n, len(d.b))
		return nil
	}
	s := d.b[:n:n]
	d.b = d.b[n:]
	return s
}

// text returns the bytes of a string, which belong to the data.
func (d *Decoder) text() string {
	b := d.take(d.uint(math.MaxInt32))
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// count reads the number of elements of a collection, each of so many values, and promises them.
func (d *Decoder) count(values int) int {
	n := d.uint(maxCount)
	if n > len(d.b) || !d.promise(n*values) {
		d.fail("%d elements announced, %d bytes left", n, len(d.b))
		return 0
	}
	return n
}

// promise notes that n more values follow. Each takes a byte at least, so the allocations of all
// collections for values that are not read yet are bounded by the bytes left.
func (d *Decoder) promise(n int) bool {
	if n > len(d.b)-d.owed {
		d.fail("%d values announced, %d bytes left", n, len(d.b)-d.owed)
		return false
	}
	d.owed += n
	return true
}

// next reads a value that was not promised.
func (d *Decoder) next() Value {
	if !d.promise(1) {
		return Nil
	}
	return d.value()
}

// value reads a promised value.
func (d *Decoder) value() Value {
	d.owed--
	if d.err != nil {
		return Nil
	}
	d.t.Work(1)
	if d.depth++; d.depth > maxCodecDepth {
		d.fail("nested deeper than %d levels", maxCodecDepth)
		return Nil
	}
	tag := codecTag(d.byte())
	var v Value
	if tag == tagMeta {
		v = d.withMeta()
	} else {
		v = d.body(tag)
	}
	d.depth--
	if d.err != nil {
		return Nil
	}
	return v
}

// withMeta reads metadata and the value that has it.
func (d *Decoder) withMeta() Value {
	meta := d.next()
	if !meta.Is(Maps) {
		d.fail("metadata is a %s, want a map", KindName(meta.Kind()))
		return Nil
	}
	v := d.body(codecTag(d.byte()))
	if d.err != nil {
		return Nil
	}
	if !v.Is(metaKinds) {
		d.fail("a %s has no metadata", KindName(v.Kind()))
		return Nil
	}
	switch v.h {
	case EmptyList.h, EmptyVector.h, EmptyMap.h, EmptySet.h, EmptyQueue.h:
		return WithMeta(d.t, v, meta)
	}
	*metaField(v.h) = meta.h // of an object that nobody else has yet
	return v
}

// body reads the rest of a value after its tag. It is long on purpose: one case per tag.
func (d *Decoder) body(tag codecTag) Value {
	t := d.t
	switch tag {
	case tagNil:
		return Nil
	case tagFalse:
		return False
	case tagTrue:
		return True
	case tagInt:
		return Int(d.int())
	case tagFloat:
		return d.float()
	case tagChar:
		return Char(rune(d.uint(utf8.MaxRune)))
	case tagBigInt, tagBigInteger:
		n := d.big()
		v := t.BigInt(n)
		if tag == tagBigInteger {
			v.h.flags = flagJava
		}
		return v
	case tagRatio:
		return d.ratio()
	case tagDecimal:
		scale := d.int()
		if int64(int32(scale)) != scale {
			d.fail("scale %d, want 32 bits", scale)
		}
		return t.Decimal(num.NewDecimal(d.big(), int32(scale)))
	case tagString:
		return t.CopyString(d.text())
	case tagKeyword:
		return d.keyword()
	case tagSymbol:
		i := d.name()
		if d.err != nil {
			return Nil
		}
		n := d.names.list[i]
		t.Charge(sizeSymbol + limits.BytesSize(len(n.ns)) + limits.BytesSize(len(n.name)))
		return t.newSymbol(strings.Clone(n.ns), strings.Clone(n.name))
	case tagUUID:
		if b := d.take(16); b != nil {
			return t.UUID([16]byte(b))
		}
	case tagInst:
		return t.Inst(d.int())
	case tagRegex:
		return d.regex()
	case tagList, tagSeq, tagRange, tagVecSeq, tagVecRSeq, tagStrSeq, tagMapSeq, tagQueue:
		return d.sequence(tag)
	case tagVector, tagSubvec, tagEntry, tagArrayMap, tagShape, tagHashMap, tagSortedMap, tagHashSet, tagSortedSet,
		tagRecord:
		return d.collection(tag)
	case tagTagged:
		name, form := d.next(), d.next()
		if !name.IsSymbol() && name.Kind() != KindBool {
			d.fail("tag of a literal is a %s, want a symbol", KindName(name.Kind()))
		}
		return t.Tagged(name, form)
	case tagReduced:
		i := d.newSame()
		return d.setSame(i, t.Reduced(d.next()))
	case tagException:
		return d.exception()
	case tagSame:
		if i := d.uint(math.MaxInt32); i < len(d.same) && d.same[i].h != nil {
			return d.same[i]
		}
		d.fail("reference to a value that does not precede it")
	default:
		d.fail("unknown tag 0x%02x", byte(tag))
	}
	return Nil
}
