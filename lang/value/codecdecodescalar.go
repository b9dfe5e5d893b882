// This file defines how Decoder reads numbers, names and patterns.

package value

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/jregex"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/runtime/limits"
)

func (d *Decoder) float() Value {
	b := d.take(8)
	if b == nil {
		return Nil
	}
	f := math.Float64frombits(binary.BigEndian.Uint64(b))
	if f != f && math.Float64bits(f) != canonicalNaN {
		d.fail("NaN is not canonical")
	}
	return Float(f)
}

// big reads an integer.
func (d *Decoder) big() *big.Int {
	head := d.uint(num.MaxBits / 4)
	b := d.take(head / 2)
	if len(b) > 0 && b[0] == 0 || head == 1 {
		d.fail("integer is not canonical")
	}
	if d.err != nil {
		return num.One
	}
	const wordBytes = bits.UintSize / 8
	n := (len(b) + wordBytes - 1) / wordBytes
	d.t.Need(sizeBigInt + sizeBigHeader + limits.BytesSize(n*wordBytes))
	words := make([]big.Word, n)
	for i := range b {
		words[i/wordBytes] |= big.Word(b[len(b)-1-i]) << (8 * (i % wordBytes))
	}
	x := new(big.Int).SetBits(words)
	if head&1 != 0 {
		x.Neg(x)
	}
	return x
}

// ratio reads a ratio, which must be in lowest terms.
func (d *Decoder) ratio() Value {
	t := d.t
	a, b := d.big(), d.big()
	if d.err != nil || b.Sign() <= 0 || a.Sign() == 0 {
		d.fail("ratio is not canonical")
		return Nil
	}
	size := bigSize(a) + bigSize(b)
	t.Charge(size)
	t.workGCD(a, b)
	s := t.scratch(a.BitLen() + b.BitLen())
	s.Set(a, b)
	if s.D.Cmp(b) != 0 || b.IsInt64() && b.Int64() == 1 {
		d.fail("ratio is not canonical")
		return Nil
	}
	v := t.ratioOf(s)
	t.Credit(size)
	return v
}

// name reads a name and returns its number.
func (d *Decoder) name() int {
	if i := d.uint(math.MaxInt32); i > len(d.names.list) {
		d.fail("name %d, want at most %d", i, len(d.names.list))
		return 0
	} else if i > 0 {
		return i - 1
	}
	ns, name := d.text(), d.text()
	if len(ns)+len(name) > maxName {
		d.fail("name too long")
	}
	if d.err != nil {
		return 0
	}
	d.t.Work(int64(len(ns)+len(name)) / 16)
	hash := symbolHash(ns, name)
	if d.names.find(ns, name, hash) >= 0 {
		d.fail("name written twice")
		return 0
	}
	return d.names.add(ns, name, hash, d.charge)
}

// word reads a name without a namespace.
func (d *Decoder) word() string {
	i := d.name()
	if d.err != nil {
		return ""
	}
	n := &d.names.list[i]
	if n.ns != "" {
		d.fail("got a name with a namespace, want one without")
		return ""
	}
	if n.text == "" && n.name != "" {
		d.charge(limits.BytesSize(len(n.name)))
		n.text = strings.Clone(n.name)
	}
	return n.text
}

// keyword reads a keyword. Equal ones are one object.
func (d *Decoder) keyword() Value {
	i := d.name()
	if d.err != nil {
		return Nil
	}
	return d.keywordAt(i)
}

// keywordAt returns the keyword with the i-th name.
func (d *Decoder) keywordAt(i int) Value {
	n := &d.names.list[i]
	if n.keyword.h == nil {
		d.t.Charge(sizeKeywordOf(n.ns, n.name))
		n.keyword = d.t.keyword(strings.Clone(n.ns), strings.Clone(n.name))
	}
	return n.keyword
}

// regex reads a pattern and compiles it, as re-pattern does.
func (d *Decoder) regex() Value {
	t := d.t
	i := d.newSame()
	text, other := d.text(), d.uint(1) == 1
	source := text
	if other {
		if source = d.text(); source == text {
			d.fail("source of a pattern is not canonical")
		}
	}
	if d.err != nil {
		return Nil
	}
	t.Work(int64(min(len(text), jregex.DefaultLimits.PatternBytes)) * 20)
	parsing := jregex.ParseBytes(text, jregex.DefaultLimits) + limits.BytesSize(len(text)) + limits.BytesSize(len(source))
	t.Charge(parsing)
	p, err := jregex.Parse(strings.Clone(text), jregex.DefaultLimits)
	if err != nil {
		d.fail("pattern: %v", err)
		return Nil
	}
	compiling := p.CompileBytes()
	t.Charge(compiling)
	re, err := p.Compile()
	if err != nil {
		d.fail("pattern: %v", err)
		return Nil
	}
	t.Credit(parsing + compiling)
	v := t.Regex(re, re.HeldBytes())
	if other {
		v.AsRegex().Source = strings.Clone(source)
	}
	return d.setSame(i, v)
}

// newSame reserves the number of a value that is equal to itself only.
func (d *Decoder) newSame() int {
	if len(d.same) == cap(d.same) {
		size := max(2*cap(d.same), fewNames)
		d.charge(ValsSize(size))
		same := make([]Value, len(d.same), size)
		copy(same, d.same)
		d.same = same
	}
	d.same = append(d.same, Nil)
	return len(d.same) - 1
}

func (d *Decoder) setSame(i int, v Value) Value {
	d.same[i] = v
	return v
}
