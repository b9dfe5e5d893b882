// This file defines the JSON decoder. It decodes directly to values and charges each: decoding to
// Go's types first would take 9 to 45 times the size of the input.

package jsonio

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// maxDepth bounds the nesting of JSON, which the decoder follows on the Go
// stack.
const maxDepth = effect.MaxNesting

// Decode reads one JSON text. With keywords, the keys of objects become keywords. The error has
// the mistake and its position.
func Decode(t *value.Task, data []byte, keywords bool) (value.Value, error) {
	return newDecoder(t, data, keywords).document()
}

// Reader reads JSON texts that are parts of one input. They share keys and short strings. A number that no
// float can hold is an error, because JSON can't hold the infinity that it would become.
type Reader struct{ d decoder }

// NewReader returns a reader. With keywords, the keys of objects become keywords.
func NewReader(t *value.Task, keywords bool) *Reader {
	return &Reader{decoder{t: t, keywords: keywords, finite: true, known: value.NewInterner(t, keywords)}}
}

// Value reads a text as Decode does. The text is nested in depth collections of the input.
func (r *Reader) Value(data []byte, depth int) (value.Value, error) {
	r.d.data, r.d.pos, r.d.depth, r.d.vals = data, 0, depth, r.d.vals[:0]
	v, err := r.d.document()
	r.d.data = nil
	return v, err
}

// DecodeDecimals is Decode with decimals for numbers with a fraction.
func DecodeDecimals(t *value.Task, data []byte, keywords bool) (value.Value, error) {
	d := newDecoder(t, data, keywords)
	d.decimals = true
	return d.document()
}

// decoder is the state of decoding a text.
type decoder struct {
	t        *value.Task
	data     []byte
	pos      int
	depth    int
	keywords bool
	decimals bool // numbers with a fraction become decimals
	finite   bool // a number that no float can hold is an error, and infinite otherwise
	known    value.Interner
	vals     []value.Value // the elements of the collections being read
}

func newDecoder(t *value.Task, data []byte, keywords bool) *decoder {
	return &decoder{t: t, data: data, keywords: keywords, known: value.NewInterner(t, keywords)}
}

// syntaxError is an error at a byte of the text.
type syntaxError struct{ err error }

func (d *decoder) fail(format string, args ...any) {
	panic(syntaxError{fmt.Errorf("JSON error at byte %d: "+format, append([]any{d.pos}, args...)...)})
}

func (d *decoder) document() (v value.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			err = e.err
		}
	}()
	if !ValidText(d.t, unsafe.String(unsafe.SliceData(d.data), len(d.data))) {
		return value.Nil, errors.New("JSON error: the text is not valid UTF-8")
	}
	v = d.value()
	if d.space(); d.pos < len(d.data) {
		d.fail("unexpected %s after the value", d.here())
	}
	return v, nil
}

// ValidText reports whether text is UTF-8. It polls in the meantime.
func ValidText(t *value.Task, text string) bool {
	for text != "" {
		n := value.TextPiece(text)
		t.Work(int64(n) / 64)
		if !utf8.ValidString(text[:n]) {
			return false
		}
		text = text[n:]
	}
	return true
}

// here describes the next character.
func (d *decoder) here() string {
	if d.pos >= len(d.data) {
		return "end of text"
	}
	r, _ := utf8.DecodeRune(d.data[d.pos:])
	return strconv.QuoteRune(r)
}

func (d *decoder) space() {
	for start := d.pos; d.pos < len(d.data); {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			if d.pos++; (d.pos-start)&15 == 0 {
				d.t.Work(1)
			}
		default:
			return
		}
	}
}

// value reads any value.
func (d *decoder) value() value.Value {
	d.t.Work(4)
	d.space()
	if d.pos >= len(d.data) {
		d.fail("unexpected end of text")
	}
	switch c := d.data[d.pos]; {
	case c == '"':
		return d.string()
	case c == '{':
		return d.object()
	case c == '[':
		return d.array()
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	}
	switch {
	case d.word("true"):
		return value.True
	case d.word("false"):
		return value.False
	case d.word("null"):
		return value.Nil
	}
	d.fail("unexpected %s, want a value", d.here())
	return value.Nil
}

func (d *decoder) word(w string) bool {
	if len(d.data)-d.pos < len(w) || string(d.data[d.pos:d.pos+len(w)]) != w {
		return false
	}
	d.pos += len(w)
	return true
}

// push adds an element to the collection that is being read.
func (d *decoder) push(v value.Value) {
	if len(d.vals) == cap(d.vals) {
		n := max(2*cap(d.vals), 64)
		vals := d.t.Vals(n)[:len(d.vals)]
		d.t.CopyVals(vals, d.vals)
		d.t.CreditVals(cap(d.vals))
		d.vals = vals
	}
	d.vals = append(d.vals, v) // within the capacity
}

// pop returns the elements pushed since start, which are valid until the next push.
func (d *decoder) pop(start int) []value.Value {
	vals := d.vals[start:]
	d.vals = d.vals[:start]
	return vals
}

func (d *decoder) enter() {
	d.depth++
	if d.depth > maxDepth {
		d.fail("nested deeper than %d levels", maxDepth)
	}
	d.pos++
}

// more reports whether another element follows in a collection that ends with end;
// first is true before the first one.
func (d *decoder) more(end byte, first bool) bool {
	d.space()
	if d.pos < len(d.data) && d.data[d.pos] == end {
		d.pos++
		d.depth--
		return false
	}
	if first {
		return true
	}
	if d.pos >= len(d.data) || d.data[d.pos] != ',' {
		d.fail("unexpected %s, want , or %c", d.here(), end)
	}
	d.pos++
	return true
}

func (d *decoder) array() value.Value {
	d.enter()
	start := len(d.vals)
	var long *value.ValBuf
	for d.more(']', long == nil && len(d.vals) == start) {
		if len(d.vals)-start == pending {
			long = d.spill(long, start)
		}
		d.push(d.value())
	}
	if long == nil {
		return d.t.Vector(d.pop(start)...)
	}
	return d.spill(long, start).Vector()
}

// pending is the maximum number of elements of a collection in the block that it shares with the
// collections around it, so that the block stays below value.BlockVals.
const pending = value.BlockVals / maxDepth

// spill moves the elements of an array since start to a separate block.
func (d *decoder) spill(long *value.ValBuf, start int) *value.ValBuf {
	if long == nil {
		long = d.t.ValBuf()
	}
	for _, v := range d.pop(start) {
		long.Add(v)
	}
	return long
}

// spillEntries moves the keys and values of an object since start to a map.
func (d *decoder) spillEntries(large value.Value, start int) value.Value {
	if large.IsNil() {
		large = d.t.Transient(value.EmptyMap)
	}
	kvs := d.pop(start)
	for i := 0; i < len(kvs); i += 2 {
		d.t.TAssoc(large, kvs[i], kvs[i+1])
	}
	return large
}

func (d *decoder) object() value.Value {
	d.enter()
	start := len(d.vals)
	large := value.Nil
	for d.more('}', large.IsNil() && len(d.vals) == start) {
		if len(d.vals)-start == pending {
			large = d.spillEntries(large, start)
		}
		d.space()
		if d.pos >= len(d.data) || d.data[d.pos] != '"' {
			d.fail(`unexpected %s, want a key in "`, d.here())
		}
		d.push(d.key())
		d.space()
		if d.pos >= len(d.data) || d.data[d.pos] != ':' {
			d.fail("unexpected %s, want :", d.here())
		}
		d.pos++
		d.push(d.value())
	}
	if large.IsNil() {
		return d.known.Map(d.pop(start))
	}
	return d.t.Persistent(d.spillEntries(large, start))
}

// key reads a key. Equal keys without escapes become the same value.
func (d *decoder) key() value.Value {
	raw, plain := d.scan()
	if plain {
		return d.known.Key(unsafe.String(unsafe.SliceData(raw), len(raw)))
	}
	s := d.unescape(raw)
	if d.keywords {
		return d.t.KeywordOf(s.AsString().S)
	}
	return s
}
