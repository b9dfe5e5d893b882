// This file defines charsets, and the conversions between strings and arrays of bytes.

package strs

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// Charset is the class of charsets. The only slot is the name.
var Charset = &value.JavaClass{Name: "java.nio.charset.Charset", Data: true,
	Text: func(_ *value.Task, b *value.Buf, v value.Value) { b.WriteString(v.AsJava().Vals[0].AsString().S) },
	Hash: func(t *value.Task, v value.Value) int32 { return value.JavaHash(t, v.AsJava().Vals[0]) }}

// charsetName returns the name of the charset that has a name or alias, "" if there is none.
func charsetName(name string) string {
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "unicode-1-1-utf-8":
		return "UTF-8"
	case "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "us", "646", "cp367", "ibm367":
		return "US-ASCII"
	case "iso-8859-1", "latin1", "iso8859_1", "iso8859-1", "iso_8859-1", "8859_1", "l1", "cp819", "ibm819":
		return "ISO-8859-1"
	case "utf-16", "utf16", "utf_16", "unicode":
		return "UTF-16"
	case "utf-16be", "utf_16be", "unicodebigunmarked", "x-utf-16be", "iso-10646-ucs-2":
		return "UTF-16BE"
	case "utf-16le", "utf_16le", "unicodelittleunmarked", "x-utf-16le":
		return "UTF-16LE"
	case "shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis":
		return "Shift_JIS"
	case "euc-jp", "euc_jp", "eucjp", "eucjis", "x-euc-jp", "x-eucjp", "cseucpkdfmtjapanese",
		"extended_unix_code_packed_format_for_japanese":
		return "EUC-JP"
	case "iso-2022-jp", "iso2022jp", "jis", "jis_encoding", "csjisencoding", "csiso2022jp":
		return "ISO-2022-JP"
	}
	return ""
}

// CharsetNamed returns the name of the charset that a string names or an object is.
func CharsetNamed(t *value.Task, v value.Value, what string) string {
	if v.ClassIs(Charset) {
		return v.AsJava().Vals[0].AsString().S
	}
	name := charsetName(entry.WantText(t, v, what))
	if name == "" {
		t.FailClass("java.io.UnsupportedEncodingException", diag.IllegalArgument, "%s", v.AsString().S)
	}
	return name
}

// NewCharset is Charset/forName.
func NewCharset(t *value.Task, a []value.Value) value.Value {
	if a[0].IsNil() {
		t.FailClass("java.lang.IllegalArgumentException", diag.IllegalArgument, "Null charset name")
	}
	text := entry.WantText(t, a[0], "Charset/forName")
	name := charsetName(text)
	if name == "" {
		class := "java.nio.charset.UnsupportedCharsetException"
		if text == "" || strings.ContainsFunc(text, func(r rune) bool {
			return r > 127 || !isAlnum(byte(r)) && !strings.ContainsRune("-+.:_", r)
		}) {
			class = "java.nio.charset.IllegalCharsetNameException"
		}
		t.FailClass(class, diag.IllegalArgument, "%s", text)
	}
	return t.JavaOf(Charset, t.CopyString(name))
}

func isAlnum(c byte) bool { return c >= '0' && c <= '9' || c|32 >= 'a' && c|32 <= 'z' }

// IsCharset reports whether a name is that of a charset.
func IsCharset(name string) bool { return charsetName(name) != "" }

// EncodeTo writes the bytes of a string in a charset.
func EncodeTo(t *value.Task, b *value.Buf, s, charset string) {
	if charset == "UTF-16" && s != "" {
		b.Write([]byte{0xfe, 0xff})
	}
	if charset == "UTF-8" {
		b.WriteString(s)
		return
	}
	if isJapanese(charset) {
		encodeJapanese(t, b, s, charset)
		return
	}
	for i, r := range s {
		if i&0xfff < 4 {
			t.Work(1)
		}
		switch charset {
		case "US-ASCII", "ISO-8859-1":
			if r > 127 && (charset == "US-ASCII" || r > 255) {
				r = '?'
			}
			b.WriteByte(byte(r))
		default:
			var room [2]uint16
			for _, u := range utf16.AppendRune(room[:0], r) {
				if charset == "UTF-16LE" {
					b.Write([]byte{byte(u), byte(u >> 8)})
				} else {
					b.Write([]byte{byte(u >> 8), byte(u)})
				}
			}
		}
	}
	t.Work(int64(len(s)) / 4)
}

// Decode returns the string of bytes in a charset.
func Decode(t *value.Task, p, charset string) value.Value {
	t.Work(int64(len(p)) / 8)
	b := t.Buf()
	switch charset {
	case "UTF-8":
		if utf8.ValidString(p) {
			b.WriteString(p)
			return b.Value()
		}
		decodeInvalid(b, p)
	case "US-ASCII", "ISO-8859-1":
		for i := range len(p) {
			if i&0xfff == 0 {
				t.Work(1)
			}
			r := rune(p[i])
			if r > 127 && charset == "US-ASCII" {
				r = utf8.RuneError
			}
			b.WriteRune(r)
		}
	case "UTF-16", "UTF-16BE", "UTF-16LE":
		decode16(b, p, charset)
	default:
		decodeJapanese(t, b, p, charset)
	}
	return b.Value()
}

// decodeInvalid writes invalid UTF-8 as Java does: one replacement character for each part that begins a sequence.
func decodeInvalid(b *value.Buf, p string) {
	for len(p) > 0 {
		r, n := utf8.DecodeRuneInString(p)
		if r == utf8.RuneError && n == 1 {
			for n = 1; n < len(p) && n < 4 && beginsRune(p[:n+1]); n++ {
			}
		}
		b.WriteRune(r)
		p = p[n:]
	}
}

// beginsRune reports whether bytes are the beginning of a character in UTF-8.
func beginsRune(p string) bool {
	if p[len(p)-1]&0xc0 != 0x80 {
		return false
	}
	var room [4]byte
	for _, fill := range [...]byte{0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf} { // the bounds of the second byte
		q := append(room[:0], p...)
		for len(q) < 4 {
			q = append(q, fill)
			if r, n := utf8.DecodeRune(q); r != utf8.RuneError && n == len(q) {
				return true
			}
		}
	}
	return false
}

func decode16(b *value.Buf, p, charset string) {
	little := charset == "UTF-16LE"
	if charset == "UTF-16" && len(p) > 1 {
		if mark := [2]byte{p[0], p[1]}; mark == [2]byte{0xff, 0xfe} {
			little, p = true, p[2:]
		} else if mark == [2]byte{0xfe, 0xff} {
			p = p[2:]
		}
	}
	unit := func(i int) rune {
		if little {
			return rune(p[i]) | rune(p[i+1])<<8
		}
		return rune(p[i])<<8 | rune(p[i+1])
	}
	for i := 0; i < len(p); i += 2 {
		if i+1 == len(p) {
			b.WriteRune(utf8.RuneError)
			return
		}
		r := unit(i)
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+3 < len(p) {
				low = unit(i + 2)
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 2
			}
		}
		b.WriteRune(r)
	}
}

// ByteArray returns an array of the bytes of a string.
func ByteArray(t *value.Task, p string) value.Value {
	blocks := t.Blocks(len(p))
	for from, block := range blocks.All() {
		t.Work(int64(len(block)) / 4)
		for i := range block {
			block[i] = value.Int(int64(int8(p[from+i])))
		}
	}
	return t.Array(value.ElemByte, blocks)
}

// CharArray returns an array of the characters of a string.
func CharArray(t *value.Task, s value.Value) value.Value {
	blocks := t.Blocks(t.Length(s.AsString()))
	it := t.Iter(s)
	for _, block := range blocks.All() {
		t.Work(int64(len(block)) / 4)
		for i := range block {
			block[i], _ = it.Next()
		}
	}
	return t.Array(value.ElemChar, blocks)
}

// BytesOf returns the bytes of an array, or of a vector of integers, as a string that is charged to the program.
func BytesOf(t *value.Task, v value.Value, what string) string {
	switch {
	case v.IsNil():
		t.Fail(diag.NilValue, "%s: got nil, want an array of bytes", what)
	case !v.Is(value.Kinds(value.KindArray, value.KindVector)) || v.Kind() == value.KindArray &&
		v.AsArray().Elem != value.ElemByte:
		t.FailHint(diag.WrongType, "(.getBytes s) returns the bytes of a string, byte-array those of numbers",
			"%s: got %s, want an array of bytes", what, value.Describe(t, v))
	}
	b := t.Buf()
	t.Each(v, func(x value.Value) bool {
		if !x.IsInt() {
			t.Fail(diag.IllegalArgument, "%s: got %s, want bytes", what, value.Describe(t, x))
		}
		b.WriteByte(byte(x.AsInt()))
		return true
	})
	return b.Value().AsString().S
}

func getBytes(t *value.Task, a []value.Value) value.Value {
	charset := "UTF-8"
	if len(a) == 2 {
		charset = CharsetNamed(t, a[1], "getBytes")
	}
	b := t.Buf()
	EncodeTo(t, b, a[0].AsString().S, charset)
	return ByteArray(t, b.Value().AsString().S)
}

// StringOfParts is the constructor of String with several arguments: bytes or characters, a start and a length, and a
// charset.
func StringOfParts(t *value.Task, a []value.Value) value.Value {
	charset := "UTF-8"
	if len(a)%2 == 0 {
		charset = CharsetNamed(t, a[len(a)-1], "String")
	}
	if a[0].Kind() == value.KindArray && a[0].AsArray().Elem == value.ElemChar {
		s := NewString(t, a[0])
		return sliced(t, a, func(from, n int64) value.Value { return Substring(t, s, from, from+n) },
			int64(t.Length(s.AsString())))
	}
	p := BytesOf(t, a[0], "String")
	return sliced(t, a, func(from, n int64) value.Value { return Decode(t, p[from:from+n], charset) }, int64(len(p)))
}

// sliced returns a part of length n at most: the start and the length are the second and third argument, if there are.
func sliced(t *value.Task, a []value.Value, part func(from, n int64) value.Value, n int64) value.Value {
	if len(a) < 3 {
		return part(0, n)
	}
	from, length := value.ToInt(t, a[1]), value.ToInt(t, a[2])
	if from < 0 || length < 0 || from+length > n {
		t.FailClass("java.lang.StringIndexOutOfBoundsException", diag.OutOfRange, "offset %d, count %d, length %d", from,
			length, n)
	}
	return part(from, length)
}
