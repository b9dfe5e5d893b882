// This file tests the decoder with bytes that are not an encoded value.

package value

import (
	"bytes"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// malformed are bytes that are refused, in hexadecimal, and a part of the reason.
var malformed = []struct{ data, want string }{
	{"", "unexpected end"},
	{"0200", "version 2"},
	{"01", "unexpected end"},
	{"0100ff", "1 bytes follow"},
	{"017f", "unknown tag 0x7f"},
	{"0103", "unexpected end"},
	{"010380", "unexpected end"},
	{"01038000", "too many bytes"},
	{"0103ffffffffffffffffff7f", "too many bytes"},
	{"01047ff8000000000001", "NaN"},
	{"0105808044", "at most 1114111"},
	{"010601", "not canonical"},
	{"01060400ff", "not canonical"},
	{"0106ffffffff0f", "at most 32768"},
	{"01080202020 4", "lowest"},
	{"010802020202", "ratio is not canonical"},
	{"010800020203", "not canonical"},
	{"0108020402 06", "lowest"},
	{"010980808080100201", "32 bits"},
	{"010a05616263", "5 bytes announced, 3 left"},
	{"010affffffff0f", "at most 2147483647"},
	{"010b01", "name 1, want at most 0"},
	{"0117020b000001610b00000161", "name written twice"},
	{"010f015b00", "pattern"},
	{"010f01610101 61", "source of a pattern"},
	{"0110ffffff7f", "announced"},
	{"0117ffffff7f", "announced"},
	{"011703000000ff", "1 bytes follow"},
	{"011aff7f00", "announced"},
	{"011cff7f00", "announced"},
	{"0117041704170403030303", "announced"},
	{"011100", "sequence is not canonical"},
	{"01110101030200", "sequence is not canonical"},
	{"01110617 00", "sequence without cells"},
	{"011107", "unknown segment 7"},
	{"0111020302061000ff", "bytes follow"},
	{"01110203020600", "rest of a sequence"},
	{"011102000602", "rest of a sequence"},
	{"011102030206110203020 0", "rest of a sequence"},
	{"011103000 0", "chunk of 0"},
	{"0111051a0004 00", "metadata of a cell"},
	{"01110203020500", "metadata of a cell"},
	{"01110203020 51a0000", "metadata without a cell"},
	{"0111010103020203020 0", "continues with other cells"},
	{"0112020204 20", "at most 31"},
	{"011202020400", "range without elements"},
	{"01120204000 0", "range without elements"},
	{"01130000", "empty vector"},
	{"011500", "empty string"},
	{"0116001a0000", "wrong kind"},
	{"011600011a00", "begins after the end"},
	{"011604001a010302030 2", "wrong kind"},
	{"0118000 0", "subvec without an offset"},
	{"01180500", "subvec without values"},
	{"011a0203020003020 0", "duplicate key"},
	{"011a010b000001610302", "not canonical"},
	{"011b01", "at most 0"},
	{"011b0000", "map without keys"},
	{"011b000200000161 01", "duplicate key"},
	{"01170 21b0001000001610302 1b0001010302", "keys written twice"},
	{"011e0203020 302", "duplicate key"},
	{"011e02030200", "nil is not the first"},
	{"011e030b000001610b000001620302", "order of their hashes"},
	{"011f0203040302", "not in order"},
	{"011f020302 0302", "not in order"},
	{"011f021a001b00", "has no order"},
	{"011f0203020a0161", "not in order"},
	{"011f012000000675736572 2e5202030203040 0", "record among the keys"},
	{"01200000 0675736572 2e58 0203020304 00", "not known here"},
	{"0120000006757365722e520203020304 1a00", "further entries"},
	{"0120000006757365722e520203020304 1b0001000001610302", "field of a record"},
	{"012103020 0", "parts of a queue"},
	{"01220302 0302", "want a symbol"},
	{"012500", "does not precede"},
	{"01232500", "does not precede"},
	{"0126030 21700", "metadata is a integer"},
	{"01261a000302", "has no metadata"},
	{"01261a00261a001700", "unknown tag 0x26"},
}

func TestCodecMalformed(tt *testing.T) {
	f := newCodecFixture()
	for _, c := range malformed {
		text := strings.ReplaceAll(c.data, " ", "")
		data, err := hex.DecodeString(text)
		if err != nil {
			tt.Fatal(c.data, err)
		}
		_, err = f.decode(data)
		want := strings.Replace(c.want, "lowest", "ratio is not canonical", 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			tt.Errorf("%s: got %v, want %s", c.data, err, c.want)
		}
	}
}

// TestCodecCut decodes every prefix of the golden bytes, and the bytes with one more.
func TestCodecCut(tt *testing.T) {
	f := newCodecFixture()
	for _, c := range f.golden() {
		data, _ := hex.DecodeString(c.want)
		for n := range data {
			if v, err := f.decode(data[:n]); err == nil {
				tt.Errorf("%s: %d of %d bytes decode to %s", c.want, n, len(data), Show(f.Task, v))
			}
		}
		if _, err := f.decode(append(data, 0)); err == nil {
			tt.Errorf("%s: another byte is not refused", c.want)
		}
	}
}

// TestCodecNesting encodes values at and above the maximum depth.
func TestCodecNesting(tt *testing.T) {
	f := newCodecFixture()
	nested := map[string]func(v Value) Value{
		"vector":   func(v Value) Value { return f.Vector(v) },
		"list":     func(v Value) Value { return f.List(v) },
		"cons":     func(v Value) Value { return f.Cons(v, Nil) },
		"set":      func(v Value) Value { return f.SetOf(v) },
		"hash map": func(v Value) Value { return f.HashMapOf([]Value{v, Nil}) },
		"sorted":   func(v Value) Value { return f.SortedMapOf(Nil, []Value{Int(1), v}) },
		"record":   func(v Value) Value { return f.Record(f.record.AsRecord().Type, []Value{v, Nil}, Nil) },
		"metadata": func(v Value) Value { return WithMeta(f.Task, EmptyVector, f.MapOf(f.a, v)) },
	}
	for name, wrap := range nested {
		v := Nil
		depth := 1 // of nil
		for ; depth < maxCodecDepth-1; depth++ {
			v = wrap(v)
			if name == "metadata" {
				depth++
			}
		}
		b, err := f.encode(v)
		if err != nil {
			tt.Errorf("%s: %v", name, err)
			continue
		}
		w, err := f.decode(b)
		if err != nil {
			tt.Errorf("%s: %v", name, err)
		}
		if again, err := f.encode(w); err != nil || !bytes.Equal(again, b) {
			tt.Errorf("%s: encodes otherwise: %v", name, err)
		}
		for range 3 {
			v = wrap(v)
		}
		if _, err := f.encode(v); err == nil || !strings.Contains(err.Error(), "nested deeper than 1999 levels") {
			tt.Errorf("%s, nested deeper: %v", name, err)
		}
	}
	deep := append([]byte{CodecVersion}, bytes.Repeat([]byte{byte(tagVector), 1}, 1<<20)...)
	if _, err := f.decode(append(deep, 0)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		tt.Errorf("a million vectors: %v", err)
	}
}

// TestCodecLimit checks that the encoder stops at its limit, and its charges until then.
func TestCodecLimit(tt *testing.T) {
	f := newCodecFixture()
	v := f.String("0123456789")
	for range 30 { // 2^30 strings
		v = f.Vector(v, v)
	}
	before := f.Used()
	_, err := f.encode(v)
	if r, ok := err.(*Refused); !ok || r.Limit != CodecLimit || f.Used() != before {
		tt.Errorf("got %v, %d bytes stay charged", err, f.Used()-before)
	}
	e := Encoder{Limit: 13}
	if b, err := e.Encode([]byte("x"), f.String("0123456789")); err != nil || len(b) != 14 {
		tt.Errorf("a value of the maximum size: %q, %v", b, err)
	}
	if b, err := e.Encode([]byte("x"), f.String("0123456789a")); err == nil || string(b) != "x" {
		tt.Errorf("a value above the maximum size: %q, %v", b, err)
	}
	for n := 1; n < 40; n++ { // the last part of a value exceeds the limit
		v := f.Vector(Int(1), f.m, Float(1), f.a)
		if b, err := (&Encoder{Limit: n}).Encode(nil, v); len(b) > n || (err == nil) != (n >= 31) {
			tt.Errorf("limit %d: %d bytes, %v", n, len(b), err)
		}
	}
}

// randomValue returns a value whose kinds, order and metadata are random.
func (f *codecFixture) randomValue(r *rand.Rand, depth int) Value {
	kind := r.IntN(26)
	if depth == 0 {
		kind = r.IntN(10)
	}
	some := func() []Value {
		xs := make([]Value, r.IntN(12))
		for i := range xs {
			xs[i] = f.randomValue(r, depth-1)
		}
		return xs
	}
	pairs := func() (kvs []Value) {
		for _, k := range some() {
			kvs = append(kvs, k, f.randomValue(r, depth-1))
		}
		return kvs
	}
	switch kind {
	case 0:
		return Int(int64(r.Uint64()) >> r.IntN(64))
	case 1:
		return Float(float64(r.IntN(9)) / 4)
	case 2:
		return f.Keyword("", string(rune('a'+r.IntN(12))))
	case 3:
		return f.String(strings.Repeat("ab", r.IntN(60)))
	case 4:
		return f.Symbol("n", string(rune('a'+r.IntN(12))))
	case 5:
		return Char(rune(r.IntN(300)))
	case 6:
		return Nil
	case 7:
		return Bool(r.IntN(2) == 0)
	case 8:
		return f.String([]string{"Aa", "BB", "AaAa", "BBBB", "AaBB", "BBAa"}[r.IntN(6)]) // equal hashes
	case 9:
		return f.Inst(int64(r.IntN(100)))
	case 10, 11:
		return f.Vector(some()...)
	case 12:
		return f.List(some()...)
	case 13:
		return f.MapOf(pairs()...)
	case 14:
		return f.HashMapOf(pairs())
	case 15:
		m := f.HashMapOf(pairs())
		for it := NewMapIter(m); it.Next(); {
			if r.IntN(2) == 0 {
				m = f.MapDissoc(m, it.Key)
			}
		}
		return m
	case 16:
		return f.SetOf(some()...)
	case 17:
		xs := ints(r.IntN(40))
		r.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
		return f.SortedSetOf(Nil, xs)
	case 18:
		rest := Value(f.randomValue(r, depth-1))
		if !rest.Is(Seqs) {
			rest = Nil
		}
		return f.Cons(f.randomValue(r, depth-1), rest)
	case 19:
		return f.RealisedLazy(f.Seq(f.Vector(some()...)))
	case 20:
		return f.Rest(f.Vector(some()...))
	case 21:
		return f.Next(f.MapOf(pairs()...))
	case 22:
		return f.Record(f.record.AsRecord().Type, []Value{f.randomValue(r, depth-1), Nil}, Nil)
	case 23:
		v := f.randomValue(r, depth-1)
		if v.Is(metaKinds) {
			return WithMeta(f.Task, v, f.MapOf(f.a, f.randomValue(r, depth-1)))
		}
		return v
	case 24:
		return f.Entry(f.randomValue(r, depth-1), f.randomValue(r, depth-1))
	}
	xs := some()
	n := len(xs)
	if n > 0 {
		n = r.IntN(n)
	}
	return f.SubVec(f.vecConj(f.vec100.AsVector(), f.Vector(xs...)).AsVector(), n, 90+n)
}

func TestCodecRandom(tt *testing.T) {
	for seed := range uint64(testlevel.Size(150, 500)) {
		f := newCodecFixture()
		v := f.randomValue(rand.New(rand.NewPCG(seed, 1)), 5)
		if f.roundTrip(tt, v); tt.Failed() {
			tt.Fatalf("seed %d", seed)
		}
	}
}

// FuzzDecodeValue decodes any bytes. A decoded value encodes to the same bytes, and the account grows only
// with the bytes.
func FuzzDecodeValue(ff *testing.F) {
	f := newCodecFixture()
	for _, c := range f.golden() {
		data, _ := hex.DecodeString(c.want)
		ff.Add(data)
	}
	for _, c := range malformed {
		data, _ := hex.DecodeString(strings.ReplaceAll(c.data, " ", ""))
		ff.Add(data)
	}
	ff.Fuzz(func(tt *testing.T, data []byte) {
		if err := decodeAny(data); err != nil {
			tt.Errorf("%x: %v", data, err)
		}
	})
}

// TestCodecFlips changes bytes of the encodings of random values.
func TestCodecFlips(tt *testing.T) {
	for seed := range uint64(*codecFlips) {
		r := rand.New(rand.NewPCG(seed, 2))
		f := newCodecFixture()
		data, err := f.encode(f.randomValue(r, 4))
		if err != nil {
			tt.Fatal(seed, err)
		}
		for range 20 {
			changed := bytes.Clone(data)
			for range 1 + r.IntN(3) {
				changed[r.IntN(len(changed))] = byte(r.IntN(1 << (1 + r.IntN(8))))
			}
			if n := r.IntN(len(data)); r.IntN(4) == 0 { // a part elsewhere
				copy(changed[r.IntN(len(data)):], data[n:])
			}
			if err := decodeAny(changed); err != nil {
				tt.Fatalf("seed %d: %x: %v", seed, changed, err)
			}
		}
	}
}

var codecFlips = flag.Int("codec.flips", 100, "the number of random values of which bytes are changed")

// decodeAny decodes bytes, and encodes the value. It returns an error if the bytes differ, if
// the account grows by more than the bytes allow, or if the decoder panics for another reason than
// a full account.
func decodeAny(data []byte) (err error) {
	f := newCodecFixture()
	f.Start(context.Background(), 64<<20, 1<<40, testTimeout)
	used := f.Used()
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(limits.Refused); !ok || !bytes.Contains(data, []byte{byte(tagRegex)}) {
				err = fmt.Errorf("panic: %v", r)
			}
		}
	}()
	v, err := f.decode(data)
	if grown := f.Used() - used; !bytes.Contains(data, []byte{byte(tagRegex)}) && grown > 8<<10+400*int64(len(data)) {
		return fmt.Errorf("%d bytes charged", grown)
	}
	if err != nil {
		return nil
	}
	e := Encoder{Task: f.Task, Names: f.names, Limit: 1 << 30}
	again, err := e.Encode(nil, v)
	if err != nil || !bytes.Equal(again, data) {
		return fmt.Errorf("encodes to %x, %v", again, err)
	}
	return nil
}
