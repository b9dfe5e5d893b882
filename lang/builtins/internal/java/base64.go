// This file defines Base64, charsets and the codes of URLs.

package java

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// The classes of Base64. The slots are the kind, "", "url" or "mime"; an encoder has two more, whether it pads, the
// length of a line and its separator.
var (
	Encoder = &value.JavaClass{Name: "java.util.Base64$Encoder"}
	Decoder = &value.JavaClass{Name: "java.util.Base64$Decoder"}
)

const (
	codecKind = iota
	codecPads
	codecLine
	codecSeparator
)

// encoding returns the alphabet of a kind.
func encodingOf(kind string) *base64.Encoding {
	if kind == "url" {
		return base64.URLEncoding
	}
	return base64.StdEncoding
}

// encode64 returns the text of bytes in Base64.
func encode64(t *value.Task, a []value.Value, what string) value.Value {
	s := a[0].AsJava().Vals
	text := strs.BytesOf(t, a[1], what)
	enc := encodingOf(s[codecKind].AsString().S)
	if !s[codecPads].AsBool() {
		enc = enc.WithPadding(base64.NoPadding)
	}
	n := enc.EncodedLen(len(text))
	out := t.StringOf(n, func(p []byte) {
		const piece = 48 << 10 // whole groups, so that only the last piece is padded
		for from := 0; from < len(text); from += piece {
			part := text[from:min(from+piece, len(text))]
			t.Work(int64(len(part)) / 16)
			enc.Encode(p[from/3*4:], unsafe.Slice(unsafe.StringData(part), len(part)))
		}
	})
	line := int(s[codecLine].AsInt())
	if line == 0 || n <= line {
		return out
	}
	b, rest := t.Buf(), out.AsString().S
	for len(rest) > line {
		b.WriteString(rest[:line])
		b.WriteString(s[codecSeparator].AsString().S)
		rest = rest[line:]
	}
	b.WriteString(rest)
	return b.Value()
}

// decode64 returns the bytes of a text in Base64, with the errors of Java.
func decode64(t *value.Task, a []value.Value) value.Value {
	text := a[1]
	if text.IsNil() {
		t.Fail(diag.NilValue, "decode: got nil, want a string or an array of bytes")
	}
	src := ""
	if text.IsString() {
		src = text.AsString().S
	} else {
		src = strs.BytesOf(t, text, "decode")
	}
	kind := a[0].AsJava().Vals[codecKind].AsString().S
	digits := "+/"
	if kind == "url" {
		digits = "-_"
	}
	b := t.Buf()
	fail := func(message string) { t.Fail(diag.IllegalArgument, "%s", message) }
	bits, shift := uint32(0), 18
	for i := 0; i < len(src); i++ {
		c := src[i]
		if i&0xfff == 0 {
			t.Work(0x200)
		}
		if c == '=' {
			if shift >= 12 || shift == 6 && (i+1 == len(src) || src[i+1] != '=') {
				fail("Input byte array has wrong 4-byte ending unit")
			}
			end := i + 1
			if shift == 6 {
				end++
			}
			finish64(b, bits, shift)
			for ; end < len(src); end++ {
				if kind != "mime" || digit64(src[end], digits) >= 0 {
					fail(fmt.Sprintf("Input byte array has incorrect ending byte at %d", end))
				}
			}
			return strs.ByteArray(t, b.Value().AsString().S)
		}
		d := digit64(c, digits)
		if d < 0 {
			if kind == "mime" {
				continue
			}
			fail("Illegal base64 character " + fmt.Sprintf("%x", int32(int8(c))))
		}
		bits |= uint32(d) << shift
		if shift -= 6; shift < 0 {
			b.Write([]byte{byte(bits >> 16), byte(bits >> 8), byte(bits)})
			bits, shift = 0, 18
		}
	}
	if shift == 12 {
		fail("Last unit does not have enough valid bits")
	}
	finish64(b, bits, shift)
	return strs.ByteArray(t, b.Value().AsString().S)
}

// finish64 writes the bytes of a last group of two or three digits.
func finish64(b *value.Buf, bits uint32, shift int) {
	switch shift {
	case 6:
		b.WriteByte(byte(bits >> 16))
	case 0:
		b.Write([]byte{byte(bits >> 16), byte(bits >> 8)})
	}
}

func digit64(c byte, last string) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	}
	if i := strings.IndexByte(last, c); i >= 0 {
		return 62 + i
	}
	return -1
}

func codecMethods() []methods {
	return []methods{{[]*value.JavaClass{Encoder}, []method{
		{"encodeToString", "bytes", entry.PerByte, "Returns the string of bytes in Base64.",
			`(.encodeToString (java.util.Base64/getEncoder) (.getBytes "abc")) => "YWJj"`,
			func(t *value.Task, a []value.Value) value.Value { return encode64(t, a, "encodeToString") }},
		{"encode", "bytes", entry.PerByte, "Returns the bytes of bytes in Base64.",
			`(String. (.encode (java.util.Base64/getEncoder) (.getBytes "abc"))) => "YWJj"`,
			func(t *value.Task, a []value.Value) value.Value {
				return strs.ByteArray(t, encode64(t, a, "encode").AsString().S)
			}},
		{"withoutPadding", "", entry.Constant, "Returns an encoder that writes no = at the end.",
			`(.encodeToString (.withoutPadding (java.util.Base64/getEncoder)) (.getBytes "a")) => "YQ"`,
			func(t *value.Task, a []value.Value) value.Value {
				s := a[0].AsJava().Vals
				return t.JavaOf(Encoder, s[codecKind], value.False, s[codecLine], s[codecSeparator])
			}},
	}}, {[]*value.JavaClass{Decoder}, []method{
		{"decode", "text", entry.PerByte, "Returns the bytes of a string, or of bytes, in Base64.",
			`(String. (.decode (java.util.Base64/getDecoder) "YWJj")) => "abc"`, decode64},
	}}, {[]*value.JavaClass{strs.Charset}, []method{
		{"name", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return a[0].AsJava().Vals[0]
		}},
		{"displayName", "", entry.Constant, "Returns the name of a charset.",
			`(.displayName java.nio.charset.StandardCharsets/UTF_8) => "UTF-8"`,
			func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[0] }},
	}}}
}

func codecStatics() []entry.Entry {
	crlf := value.ConstString("\r\n")
	encoder := func(name, kind, example string, line int64) entry.Entry {
		args, what := "", "Returns an encoder of Base64"
		if kind == "mime" {
			args = "| length separator"
		}
		return entry.StaticMethod("Base64", name, args, entry.PerByte, what+map[string]string{"": ".", "url": " for URLs.",
			"mime": " in lines, of 76 characters if no length is given."}[kind], example,
			func(t *value.Task, a []value.Value) value.Value {
				n, separator := value.Int(line), crlf
				if len(a) == 2 {
					n = value.Int(max(value.ToInt(t, a[0]), 0) / 4 * 4)
					text := strs.BytesOf(t, a[1], "getMimeEncoder")
					for i := range len(text) {
						if digit64(text[i], "+/") >= 0 {
							t.Fail(diag.IllegalArgument, "Illegal base64 line separator character 0x%x", text[i])
						}
					}
					separator = t.CopyString(text)
				}
				return t.JavaOf(Encoder, value.ConstString(kind), value.True, n, separator)
			})
	}
	decoder := func(name, kind, example string) entry.Entry {
		return entry.StaticMethod("Base64", name, "", entry.Constant, "Returns a decoder of Base64"+
			map[string]string{"": ".", "url": " for URLs.", "mime": " that skips other characters."}[kind], example,
			func(t *value.Task, _ []value.Value) value.Value { return t.JavaOf(Decoder, value.ConstString(kind)) })
	}
	return []entry.Entry{
		encoder("getEncoder", "", `(.encodeToString (java.util.Base64/getEncoder) (.getBytes "a")) => "YQ=="`, 0),
		encoder("getUrlEncoder", "url", `(.encodeToString (java.util.Base64/getUrlEncoder) (byte-array [-1 -2])) => "__4="`,
			0),
		encoder("getMimeEncoder", "mime", `(.encodeToString (java.util.Base64/getMimeEncoder) (.getBytes "a")) => "YQ=="`,
			76),
		decoder("getDecoder", "", `(vec (.decode (java.util.Base64/getDecoder) "YQ==")) => [97]`),
		decoder("getUrlDecoder", "url", `(vec (.decode (java.util.Base64/getUrlDecoder) "__4")) => [-1 -2]`),
		decoder("getMimeDecoder", "mime", `(vec (.decode (java.util.Base64/getMimeDecoder) "YQ\r\n==")) => [97]`),
		entry.StaticMethod("Charset", "forName", "name", entry.Constant, "Returns the charset of a name: UTF-8, US-ASCII, "+
			"ISO-8859-1 or one of UTF-16.", `(str (java.nio.charset.Charset/forName "latin1")) => "ISO-8859-1"`,
			strs.NewCharset),
		entry.StaticMethod("Charset", "defaultCharset", "", entry.Constant, "Returns UTF-8.",
			`(str (java.nio.charset.Charset/defaultCharset)) => "UTF-8"`, func(t *value.Task, _ []value.Value) value.Value {
				return t.JavaOf(strs.Charset, value.ConstString("UTF-8"))
			}),
		entry.StaticMethod("Charset", "isSupported", "name", entry.Constant, "Returns true if there is a charset of a name.",
			`(java.nio.charset.Charset/isSupported "nope") => false`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(strs.IsCharset(entry.WantText(t, a[0], "isSupported")))
			}),
		entry.PureStatic("URLEncoder", "encode", "s | s charset", entry.PerByte, "Returns a string as a form encodes it: "+
			"spaces as +, other bytes in hexadecimal.", `(java.net.URLEncoder/encode "a b&c" "UTF-8") => "a+b%26c"`, encodeURL),
		entry.PureStatic("URLDecoder", "decode", "s | s charset", entry.PerByte, "Returns the string that a form encodes.",
			`(java.net.URLDecoder/decode "a+b%26c" "UTF-8") => "a b&c"`, decodeURL),
	}
}

func charsetArg(t *value.Task, a []value.Value, what string) string {
	if len(a) == 2 {
		return strs.CharsetNamed(t, a[1], what)
	}
	return "UTF-8"
}

const hexDigits = "0123456789ABCDEF"

func isURLSafe(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.*", c)
}

func encodeURL(t *value.Task, a []value.Value) value.Value {
	text, charset := entry.WantText(t, a[0], "URLEncoder/encode"), charsetArg(t, a, "URLEncoder/encode")
	t.Work(int64(len(text)) / 8)
	b := t.Buf()
	for i := 0; i < len(text); {
		n := strings.IndexFunc(text[i:], func(c rune) bool { return !isURLSafe(c) && c != ' ' })
		if n < 0 {
			n = len(text) - i
		}
		writeSpaced(b, text[i:i+n])
		i += n
		n = strings.IndexFunc(text[i:], func(c rune) bool { return isURLSafe(c) || c == ' ' })
		if n < 0 {
			n = len(text) - i
		}
		if n > 0 {
			out := t.Buf()
			strs.EncodeTo(t, out, text[i:i+n], charset)
			encoded := out.Value().AsString().S
			for j := range len(encoded) {
				b.Write([]byte{'%', hexDigits[encoded[j]>>4], hexDigits[encoded[j]&15]})
			}
		}
		i += n
	}
	return b.Value()
}

func writeSpaced(b *value.Buf, s string) {
	for s != "" {
		n := strings.IndexByte(s, ' ')
		if n < 0 {
			b.WriteString(s)
			return
		}
		b.WriteString(s[:n])
		b.WriteByte('+')
		s = s[n+1:]
	}
}

func decodeURL(t *value.Task, a []value.Value) value.Value {
	text, charset := entry.WantText(t, a[0], "URLDecoder/decode"), charsetArg(t, a, "URLDecoder/decode")
	t.Work(int64(len(text)) / 8)
	b := t.Buf()
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '+':
			b.WriteByte(' ')
			i++
		case '%':
			out := t.Buf()
			for ; i < len(text) && text[i] == '%'; i += 3 {
				out.WriteByte(hexByte(t, text, i))
			}
			b.WriteString(strs.Decode(t, out.Value().AsString().S, charset).AsString().S)
		default:
			n := strings.IndexAny(text[i:], "+%")
			if n < 0 {
				n = len(text) - i
			}
			b.WriteString(text[i : i+n])
			i += n
		}
	}
	return b.Value()
}

// hexByte returns the byte of %xx at an index.
func hexByte(t *value.Task, text string, i int) byte {
	if i+2 >= len(text) {
		t.Fail(diag.IllegalArgument, "URLDecoder: Incomplete trailing escape (%%) pattern")
	}
	var n byte
	for _, c := range []byte(text[i+1 : i+3]) {
		d := strings.IndexByte(hexDigits, c&^(' '*(c>>6)))
		if d < 0 {
			t.Fail(diag.IllegalArgument, `URLDecoder: Illegal hex characters in escape (%%) pattern - For input string: "%s"`,
				text[i+1:i+3])
		}
		n = n<<4 | byte(d)
	}
	return n
}
