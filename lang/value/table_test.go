package value

// This file compares equality, hashing, order and printing with tables recorded on JVM Clojure, and
// defines a small reader for their values: EDN, with tags for values that have no literal (#lazy [1
// 2], #queue [1], #smap {1 2}, …).

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

type tableReader struct {
	t    *Task
	text string
}

func readTable(t *Task, text string) Value {
	r := &tableReader{t, text}
	return r.value()
}

func (r *tableReader) space() { r.text = strings.TrimLeft(r.text, " ,") }

// value reads the next value.
func (r *tableReader) value() Value {
	r.space()
	switch c := r.text[0]; {
	case c == '(':
		return r.t.List(r.items(')')...)
	case c == '[':
		return r.t.Vector(r.items(']')...)
	case c == '{':
		return r.t.MapOf(r.items('}')...)
	case c == '"':
		return r.str()
	case c == '\\':
		return r.char()
	case strings.HasPrefix(r.text, "#{"):
		r.text = r.text[1:]
		return r.t.SetOf(r.items('}')...)
	case strings.HasPrefix(r.text, "##"):
		v, _ := literal(r.t, r.word())
		return v
	case c == '#':
		r.text = r.text[1:]
		return r.tagged(r.word(), r.value())
	}
	w := r.word()
	if v, ok := literal(r.t, w); ok {
		return v
	}
	return r.t.Symbol(SplitName(w))
}

func (r *tableReader) items(end byte) (items []Value) {
	r.text = r.text[1:]
	for r.space(); r.text[0] != end; r.space() {
		items = append(items, r.value())
	}
	r.text = r.text[1:]
	return items
}

func (r *tableReader) word() string {
	n := strings.IndexAny(r.text, " ()[]{}\",")
	if n < 0 {
		n = len(r.text)
	}
	w := r.text[:n]
	r.text = r.text[n:]
	return w
}

func (r *tableReader) str() Value {
	var b strings.Builder
	i := 1
	for ; r.text[i] != '"'; i++ {
		c := r.text[i]
		if c == '\\' {
			i++
			c = r.text[i]
			if at := strings.IndexByte(`ntrbf`, c); at >= 0 {
				c = "\n\t\r\b\f"[at]
			}
		}
		b.WriteByte(c)
	}
	r.text = r.text[i+1:]
	return r.t.CopyString(b.String())
}

func (r *tableReader) char() Value {
	_, n := utf8.DecodeRuneInString(r.text[1:])
	w := r.text[1 : 1+n]
	r.text = r.text[1+n:]
	w += r.word()
	for c, name := range charNames {
		if w == name {
			return Char(c)
		}
	}
	if len(w) == 5 && w[0] == 'u' {
		n, _ := strconv.ParseUint(w[1:], 16, 16)
		return Char(rune(n))
	}
	c, _ := utf8.DecodeRuneInString(w)
	return Char(c)
}

var pointType = &RecordType{Header: Header{kind: KindType}, Name: "user.P",
	Fields: []Value{ConstKeyword("x"), ConstKeyword("y")}}

// tagged returns the value of a tag.
func (r *tableReader) tagged(tag string, v Value) Value {
	t := r.t
	orEmpty := func(s Value) Value {
		if s.IsNil() {
			return EmptyList
		}
		return s
	}
	switch tag {
	case "lazy":
		return t.RealisedLazy(t.Seq(v))
	case "seq":
		return orEmpty(t.Seq(v))
	case "rest":
		return orEmpty(t.Rest(t.Cons(Int(0), t.Seq(v))))
	case "cons":
		if t.Seq(v).IsNil() {
			return EmptyList
		}
		return t.Cons(t.First(v), t.Next(v))
	case "queue":
		q := EmptyQueue
		t.Each(v, func(x Value) bool { q = t.Conj(q, x); return true })
		return q
	case "smap":
		return t.SortedMapOf(Nil, r.flat(v))
	case "hmap":
		return t.HashMapOf(r.flat(v))
	case "sset":
		return t.SortedSetOf(Nil, t.ToVals(v))
	case "rec":
		rec := Of(&(&Record{Header: t.header(KindRecord), Type: pointType, Vals: make([]Value, 2)}).Header)
		for it := NewMapIter(v); it.Next(); {
			rec = t.MapAssoc(rec, it.Key, it.Val)
		}
		return rec
	case "entry":
		return t.Entry(VecAt(v, 0), VecAt(v, 1))
	case "range":
		return orEmpty(t.Range(VecAt(v, 0).AsInt(), VecAt(v, 1).AsInt(), VecAt(v, 2).AsInt()))
	case "rseq":
		return orEmpty(t.RSeq(v))
	case "keys":
		return orEmpty(t.MapSeqOf(v, SeqKeys, false))
	case "vals":
		return orEmpty(t.MapSeqOf(v, SeqVals, false))
	case "entries", "str":
		return orEmpty(t.Seq(v))
	case "tagged":
		return t.Tagged(VecAt(v, 0), VecAt(v, 1))
	case "meta":
		return WithMeta(t, VecAt(v, 1), VecAt(v, 0))
	case "uuid":
		u, _ := t.UUIDFrom(v.AsString().S)
		return u
	case "inst":
		i, err := t.InstFrom(v.AsString().S)
		if err != nil {
			panic(err)
		}
		return i
	}
	panic("unknown tag " + tag)
}

func (r *tableReader) flat(m Value) (kvs []Value) {
	for it := NewMapIter(m); it.Next(); {
		kvs = append(kvs, it.Key, it.Val)
	}
	return kvs
}

var unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")

// table returns the fields of the lines of a file in testdata.
func table(tb testing.TB, name string) (lines [][]string) {
	file, err := os.Open("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		if line := s.Text(); !strings.HasPrefix(line, "#!") {
			fields := strings.Split(line, "\t")
			for i, f := range fields {
				fields[i] = unescape.Replace(f)
			}
			lines = append(lines, fields)
		}
	}
	return lines
}

func TestValuesOracle(tt *testing.T) {
	for _, f := range table(tt, "values.tsv") {
		t := oracleTask(tt)
		v := readTable(t, f[0])
		pr := f[2]
		text := func(s string) string {
			if s == "^" {
				return pr
			}
			return s
		}
		b := t.Buf()
		t.PrintTo(b, v, false)
		for _, c := range [...]struct{ what, got, want string }{
			{"hash", fmt.Sprint(int32(Hash(t, v))), f[1]},
			{"pr-str", t.PrStr(v).AsString().S, pr},
			{"print-str", b.String(), text(f[3])},
			{"str", t.Str(v).AsString().S, text(f[4])},
			{"hashCode", fmt.Sprint(javaHash(t, v)), f[5]},
			{"hash again", fmt.Sprint(int32(Hash(t, v))), f[1]},
		} {
			if c.got != c.want && c.want != "~" {
				tt.Errorf("%s of %s: got %s, want %s", c.what, f[0], c.got, c.want)
			}
		}
		if n := utf8.RuneCountInString(Show(t, v)); n > showRunes {
			tt.Errorf("Show of %s has %d code points", f[0], n)
		}
	}
}

// outcome returns the result of f, or ! if it throws a ClassCastException.
func outcome(t *Task, f func() string) (s string) {
	class, _ := thrown(t, func() { s = f() })
	switch class {
	case "":
		return s
	case "java.lang.ClassCastException":
		return "!"
	}
	return "?"
}

func equalSign(t *Task, a, b Value) string {
	return outcome(t, func() string {
		if Equal(t, a, b) {
			return "="
		}
		return "."
	})
}

func TestMatrixOracle(tt *testing.T) {
	t := oracleTask(tt)
	lines := table(tt, "matrix.tsv")
	values := make([]Value, len(lines))
	for i, f := range lines {
		values[i] = readTable(t, f[0])
	}
	for i, f := range lines {
		var equal string
		var order []string
		for _, v := range values {
			equal += equalSign(t, values[i], v)
			order = append(order, outcome(t, func() string { return strconv.Itoa(Compare(t, values[i], v)) }))
		}
		want := unpack(f[2])
		for j := range values {
			if equal[j] != f[1][j] {
				tt.Errorf("(= %s %s): got %c, want %c", f[0], lines[j][0], equal[j], f[1][j])
			}
			if order[j] != want[j] {
				tt.Errorf("(compare %s %s): got %s, want %s", f[0], lines[j][0], order[j], want[j])
			}
		}
	}
}

// unpack expands n*k to k times n.
func unpack(s string) (out []string) {
	for _, f := range strings.Fields(s) {
		result, times, _ := strings.Cut(f, "*")
		k := 1
		if times != "" {
			k, _ = strconv.Atoi(times)
		}
		for ; k > 0; k-- {
			out = append(out, result)
		}
	}
	return out
}

func TestPairsOracle(tt *testing.T) {
	for _, f := range table(tt, "pairs.tsv") {
		t := oracleTask(tt)
		a, b := readTable(t, f[0]), readTable(t, f[1])
		if got := equalSign(t, a, b) + equalSign(t, b, a); got != f[2] {
			tt.Errorf("%s and %s: got %s, want %s", f[0], f[1], got, f[2])
		}
		if f[2] == "==" && Hash(t, a) != Hash(t, b) && !strings.Contains(f[0], "#rec") {
			tt.Errorf("%s and %s are = but have different hashes", f[0], f[1])
		}
	}
}
