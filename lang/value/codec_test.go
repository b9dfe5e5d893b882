// This file tests the codec: the bytes of a table of values, bytes that are refused, random values
// and random bytes.

package value

import (
	"bytes"
	"encoding/hex"

	"math"
	"math/big"

	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/token"
)

// codecFixture is a collFixture whose record type and source file have names.
type codecFixture struct {
	*collFixture
	names CodecNames
	file  *token.File
}

func newCodecFixture() *codecFixture {
	f := &codecFixture{collFixture: newFixture(), file: token.NewFile("main.ptc", "(throw x)")}
	typ := f.record.AsRecord().Type
	f.names = CodecNames{
		Record: func(name string) *RecordType {
			if name == typ.Name {
				return typ
			}
			return nil
		},
		File: func(name string) *token.File {
			if name == f.file.Name {
				return f.file
			}
			return nil
		},
	}
	return f
}

func (f *codecFixture) encode(v Value) ([]byte, error) {
	e := Encoder{Task: f.Task, Names: f.names}
	return e.Encode(nil, v)
}

func (f *codecFixture) decode(b []byte) (Value, error) {
	d := Decoder{Task: f.Task, Names: f.names}
	return d.Decode(b)
}

func bigOf(s string) *big.Int {
	n, _ := new(big.Int).SetString(s, 10)
	return n
}

// regexOf reads a pattern from its encoding.
func (f *codecFixture) regexOf(source string) Value {
	v, err := f.decode(append([]byte{CodecVersion, byte(tagRegex), byte(len(source))}, source+"\x00"...))
	if err != nil {
		panic(err)
	}
	return v
}

// golden returns values of every kind and the bytes of their encodings in hexadecimal.
func (f *codecFixture) golden() []struct {
	v    Value
	want string
} {
	re := f.regexOf("a+")
	failed := &Exception{Header: f.header(KindException), Code: diag.IllegalArgument, Class: "C", Msg: f.String("m"),
		Data: f.m, Hint: "h", Span: token.Span{File: f.file, Start: 1, End: 8},
		Way: &Way{Tool: true, Frames: []diag.Frame{{Function: "g"}}, Elements: []diag.Element{{Operation: "pmap",
			Span: token.Span{File: f.file, Start: 0, End: 9}, Index: 3, Text: "x", Completed: -1, Of: 4}}}}
	conj := func(v Value, xs ...Value) Value {
		for _, x := range xs {
			v = f.Conj(v, x)
		}
		return v
	}
	return []struct {
		v    Value
		want string
	}{
		{Nil,
			"0100"},
		{False,
			"0101"},
		{True,
			"0102"},
		{Int(0),
			"010300"},
		{Int(-1),
			"010301"},
		{Int(math.MaxInt64),
			"0103feffffffffffffffff01"},
		{Int(math.MinInt64),
			"0103ffffffffffffffffff01"},
		{Float(1.5),
			"01043ff8000000000000"},
		{Float(math.Copysign(0, -1)),
			"01048000000000000000"},
		{Float(math.Inf(-1)),
			"0104fff0000000000000"},
		{Float(math.Float64frombits(0xfff0000000000001)),
			"01047ff8000000000000"},
		{Char('é'),
			"0105e901"},
		{f.BigInt(big.NewInt(0)),
			"010600"},
		{f.BigInt(bigOf("-18446744073709551616")),
			"010613010000000000000000"},
		{f.BigInteger(big.NewInt(7)),
			"01070207"},
		{f.ratio(big.NewRat(-1, 3)),
			"010803010203"},
		{f.Decimal(num.NewDecimal(big.NewInt(150), 2)),
			"0109040296"},
		{f.String(""),
			"010a00"},
		{f.String("héllo\xff"),
			"010a0768c3a96c6c6fff"},
		{f.Keyword("", "a"),
			"010b00000161"},
		{f.Keyword("n.s", "a"),
			"010b00036e2e730161"},
		{f.with(f.Symbol("n", "s")),
			"01261b00010000016d03020c00016e0173"},
		{f.UUID([16]byte{15: 1}),
			"010d00000000000000000000000000000001"},
		{f.Inst(-1),
			"010e01"},
		{re,
			"010f02612b00"},
		{EmptyList,
			"011000"},
		{f.with(EmptyList),
			"01261b00010000016d03021000"},
		{f.List(Int(1), f.a),
			"01100203020b00000161"},
		{conj(f.with(f.List(Int(2))), Int(1)),
			"01261b00010000016d03021101010302051b0103020101030400"},
		{f.Cons(Int(1), f.List(Int(2), Int(3))),
			"011102030201020304030600"},
		{f.RealisedLazy(f.with(f.ChunkCons(f.Chunk(ints(2)), f.RealisedLazy(Nil)))),
			"011104051b00010000016d03020302030003020400"},
		{f.Cons(Int(1), f.RealisedLazy(f.Vector(Int(2)))),
			"0111020302040617010304"},
		{f.Next(f.Range(3, 9, 2)),
			"01120a120401"},
		{f.Next(f.Vector(ints(3)...)),
			"0113010203020304"},
		{f.vecSeq(f.SubVec(f.ints(40).AsVector(), 6, 40).AsVector(), 30, 1),
			"011304040348034a034c034e"},
		{f.Next(f.RSeq(f.Vector(ints(3)...))),
			"01140203000302"},
		{f.Next(f.Seq(f.String("abc"))),
			"0115026263"},
		{f.Next(f.MapSeqOf(f.m, SeqVals, false)),
			"011602011b0002000001610000016203020304"},
		{f.MapSeqOf(f.sorted, SeqEntries, true),
			"011604001d0303020b0000016103040b0000016203060b00000163"},
		{EmptyVector,
			"011700"},
		{f.with(EmptyVector),
			"01261b00010000016d03021700"},
		{f.with(f.Vector(Int(1), Nil)),
			"01261b00010000016d03021702030200"},
		{f.Entry(f.a, Int(1)),
			"01190b000001610302"},
		{EmptyMap,
			"011a00"},
		{f.with(EmptyMap),
			"01261b00010000016d03021a00"},
		{f.Vector(f.m, f.MapOf(f.b, Int(3), f.a, Int(4)), f.m),
			"0117031b00020000016100000162030203041b00020201030603081b0103020304"},
		{f.MapOf(Nil, f.a, Int(1), f.b),
			"011a02000b0000016103020b00000162"},
		{f.HashMapOf([]Value{Nil, Int(0), f.a, Int(1), f.b, Int(2), f.String("Aa"), Int(3), f.String("BB"), Int(4)}),
			"011c050003000a02416103060a02424203080b0000016203040b000001610302"},
		{f.MapDissoc(f.HashMapOf([]Value{f.a, Nil}), f.a),
			"011c00"},
		{f.sorted,
			"011d0303020b0000016103040b0000016203060b00000163"},
		{f.SortedMapOf(Nil, nil),
			"011d00"},
		{EmptySet,
			"011e00"},
		{f.SetOf(Nil, f.a, f.b, Int(1)),
			"011e040003020b000001620b00000161"},
		{f.SortedSetOf(Nil, []Value{Int(2), Float(1), Nil}),
			"011f0300043ff00000000000000304"},
		{f.with(f.MapAssoc(f.record, f.c, Int(3))),
			"01261b00010000016d030220000006757365722e5202030203041b0001000001630306"},
		{EmptyQueue,
			"01210000"},
		{f.queue(3),
			"012110010300170203020304"},
		{f.queuePop(f.queue(3).asQueue()),
			"01211300020302030400"},
		{f.Tagged(f.Symbol("", "x"), Int(1)),
			"01220c000001780302"},
		{f.Reduced(Nil),
			"012300"},
		{Value{h: &failed.Header},
			"0124000010696c6c6567616c2d617267756d656e740000014300000168010000086d61696e2e70746301080a016d" +
				"1b0002000001610000016203020304000101000001670001000004706d6170010400090601080178"},
		{f.Vector(re, re, f.regexOf("a+")),
			"0117030f02612b0025000f02612b00"},
	}
}

func TestCodecGolden(tt *testing.T) {
	f := newCodecFixture()
	for i, c := range f.golden() {
		b, err := f.encode(c.v)
		if err != nil {
			tt.Errorf("%s: %v", Show(f.Task, c.v), err)
			continue
		}
		if got := hex.EncodeToString(b); got != c.want {
			tt.Errorf("%d: %s: got %s, want %s", i, Show(f.Task, c.v), got, c.want)
		}
		f.roundTrip(tt, c.v)
	}
}

// roundTrip encodes and decodes v, and compares.
func (f *codecFixture) roundTrip(tt testing.TB, v Value) {
	tt.Helper()
	b, err := f.encode(v)
	if err != nil {
		tt.Fatalf("%s: %v", Show(f.Task, v), err)
	}
	w, err := f.decode(b)
	if err != nil {
		tt.Fatalf("%s: %v", Show(f.Task, v), err)
	}
	if v.Kind() != w.Kind() || Show(f.Task, v) != Show(f.Task, w) || Hash(f.Task, v) != Hash(f.Task, w) ||
		Show(f.Task, MetaOf(v)) != Show(f.Task, MetaOf(w)) {
		tt.Errorf("%s, decoded %s", Show(f.Task, v), Show(f.Task, w))
	}
	if again, err := f.encode(w); err != nil || !bytes.Equal(again, b) {
		tt.Errorf("%s: encoded %x, then %x, %v", Show(f.Task, v), b, again, err)
	}
}
