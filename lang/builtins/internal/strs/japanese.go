// This file defines the Japanese charsets Shift_JIS, EUC-JP and ISO-2022-JP, which have the characters of JIS X 0208 in
// 94 rows of 94 cells.

package strs

import (
	"bytes"
	"compress/flate"
	_ "embed" // for the table
	"io"
	"slices"
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/value"
)

// jisDeltas is the table of JIS X 0208 as Java's EUC-JP decodes it, rows 1 to 8 and 16 to 84: the difference of each
// cell from the one before it, 0 for an empty one, first the high bytes and then the low bytes of all. Compression by
// deflate makes 9.7 KB of 14.5.
//
//go:embed jisx0208.deflate
var jisDeltas []byte

const (
	jisRow   = 94          // cells of a row
	jisCells = 77 * jisRow // of the table

	jisIndexBits = 13       // of an index of a cell
	kanaFirst    = '\uff61' // the first katakana of half width, which is the byte a1
	kanaLast     = '\uff9f' // the last one, df
	yen          = '\u00a5' // Java writes it as a backslash
	overline     = '\u203e' // and this one as a tilde
)

// jis is the table in both directions.
type jis struct {
	cells [jisCells]uint16
	chars []int32 // the characters, shifted, with their indices in cells; sorted
}

var jisTable = sync.OnceValue(func() *jis {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(jisDeltas)))
	if err != nil || len(raw) != 2*jisCells {
		panic("strs: the table of JIS X 0208 is damaged")
	}
	t, at := &jis{}, uint16(0)
	for i := range t.cells {
		at += uint16(raw[i])<<8 | uint16(raw[jisCells+i])
		if t.cells[i] = at; at != 0 {
			t.chars = append(t.chars, int32(at)<<jisIndexBits|int32(i))
		}
	}
	slices.Sort(t.chars)
	return t
})

// char returns the character of a row and a cell, which count from 1; U+FFFD if there is none.
func (t *jis) char(row, cell int) rune {
	switch {
	case row > 8 && row < 16:
		return utf8.RuneError
	case row > 8:
		row -= 7
	}
	if i := (row-1)*jisRow + cell - 1; row > 0 && cell > 0 && cell <= jisRow && i < jisCells && t.cells[i] != 0 {
		return rune(t.cells[i])
	}
	return utf8.RuneError
}

// place returns the row and the cell of a character.
func (t *jis) place(r rune) (row, cell int, ok bool) {
	i := sort.Search(len(t.chars), func(i int) bool { return t.chars[i]>>jisIndexBits >= r })
	if i == len(t.chars) || t.chars[i]>>jisIndexBits != r {
		return 0, 0, false
	}
	at := int(t.chars[i] & (1<<jisIndexBits - 1))
	if row, cell = at/jisRow+1, at%jisRow+1; row > 8 {
		row += 7
	}
	return row, cell, true
}

// isJapanese reports whether a charset is one of this file.
func isJapanese(charset string) bool {
	return charset == "Shift_JIS" || charset == "EUC-JP" || charset == "ISO-2022-JP"
}

// encodeJapanese writes the bytes of a string in a Japanese charset.
func encodeJapanese(t *value.Task, b *value.Buf, s, charset string) {
	table, mode := jisTable(), byte(modeASCII)
	for i, r := range s {
		if i&0xfff < 4 {
			t.Work(64)
		}
		if charset == "ISO-2022-JP" {
			mode = encode2022(table, b, r, mode)
			continue
		}
		row, cell, ok := table.place(r)
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case r == yen:
			b.WriteByte('\\')
		case r == overline:
			b.WriteByte('~')
		case r >= kanaFirst && r <= kanaLast:
			if charset == "EUC-JP" {
				b.WriteByte(0x8e)
			}
			b.WriteByte(byte(r - kanaFirst + 0xa1))
		case !ok:
			b.WriteByte('?')
		case charset == "EUC-JP":
			b.Write([]byte{byte(0xa0 + row), byte(0xa0 + cell)})
		default:
			b.Write(shifted(row, cell))
		}
	}
	if mode != modeASCII {
		b.WriteString("\x1b(B")
	}
	t.Work(int64(len(s)) / 4)
}

// shifted returns the two bytes of a cell in Shift_JIS: two rows share a first byte.
func shifted(row, cell int) []byte {
	first, second := (row-1)/2+0x81, cell+0x9e
	if first > 0x9f {
		first += 0x40
	}
	if row%2 == 1 {
		if second = cell + 0x3f; second >= 0x7f {
			second++
		}
	}
	return []byte{byte(first), byte(second)}
}

// The modes of ISO-2022-JP: the last byte of the sequence that begins each.
const (
	modeASCII = 'B'
	modeRoman = 'J' // ASCII with a yen sign and an overline
	modeKana  = 'I'
	modeJIS   = 'b' // written as $B
)

// encode2022 writes a character in ISO-2022-JP. It returns the new mode.
func encode2022(table *jis, b *value.Buf, r rune, mode byte) byte {
	want, text := byte(modeJIS), []byte(nil)
	row, cell, ok := table.place(r)
	switch {
	case r < utf8.RuneSelf:
		want, text = modeASCII, []byte{byte(r)}
	case r == yen:
		want, text = modeRoman, []byte{'\\'}
	case r == overline:
		want, text = modeRoman, []byte{'~'}
	case r >= kanaFirst && r <= kanaLast:
		want, text = modeKana, []byte{byte(r - kanaFirst + 0x21)}
	case ok:
		text = []byte{byte(0x20 + row), byte(0x20 + cell)}
	default:
		text = []byte{0x21, 0x29} // Java's replacement: a question mark of full width
	}
	if want != mode {
		switch want {
		case modeJIS:
			b.WriteString("\x1b$B")
		default:
			b.Write([]byte{0x1b, '(', want})
		}
	}
	b.Write(text)
	return want
}

// decodeJapanese writes the string of bytes in a Japanese charset. Bytes that are no character become U+FFFD.
func decodeJapanese(t *value.Task, b *value.Buf, p, charset string) {
	table, mode := jisTable(), byte(modeASCII)
	for i := 0; len(p) > 0; i++ {
		if i&0xfff == 0 {
			t.Work(64)
		}
		var r rune
		var n int
		switch charset {
		case "ISO-2022-JP":
			if next, size := escape2022(p); size > 0 {
				mode, p = next, p[size:]
				continue
			}
			r, n = decode2022(table, p, mode)
		case "EUC-JP":
			r, n = decodeEUC(table, p)
		default:
			r, n = decodeShifted(table, p)
		}
		b.WriteRune(r)
		p = p[n:]
	}
}

// escape2022 returns the mode that an escape sequence at the start of p begins, and the length of the sequence.
func escape2022(p string) (mode byte, size int) {
	for _, e := range []struct {
		text string
		mode byte
	}{{"\x1b(B", modeASCII}, {"\x1b(J", modeRoman}, {"\x1b(I", modeKana}, {"\x1b$B", modeJIS}, {"\x1b$@", modeJIS}} {
		if len(p) >= len(e.text) && p[:len(e.text)] == e.text {
			return e.mode, len(e.text)
		}
	}
	return 0, 0
}

func decode2022(table *jis, p string, mode byte) (r rune, n int) {
	switch c := p[0]; {
	case c >= utf8.RuneSelf:
		return utf8.RuneError, 1
	case mode == modeRoman && c == '\\':
		return yen, 1
	case mode == modeRoman && c == '~':
		return overline, 1
	case mode == modeKana && c > 0x20 && c < 0x60:
		return rune(c) - 0x21 + kanaFirst, 1
	case c == 0x1b:
		return utf8.RuneError, min(2, len(p))
	case mode == modeJIS && len(p) > 1:
		return table.char(int(c)-0x20, int(p[1])-0x20), 2
	case mode == modeJIS:
		return utf8.RuneError, 1
	default:
		return rune(c), 1
	}
}

func decodeEUC(table *jis, p string) (r rune, n int) {
	switch c := p[0]; {
	case c < utf8.RuneSelf:
		return rune(c), 1
	case c == 0x8f: // of JIS X 0212, which is not in the table
		return utf8.RuneError, min(3, len(p))
	case len(p) < 2:
		return utf8.RuneError, 1
	case c == 0x8e && p[1] >= 0xa1 && p[1] <= 0xdf:
		return rune(p[1]) - 0xa1 + kanaFirst, 2
	default:
		return table.char(int(c)-0xa0, int(p[1])-0xa0), 2
	}
}

func decodeShifted(table *jis, p string) (r rune, n int) {
	switch c := p[0]; {
	case c < utf8.RuneSelf:
		return rune(c), 1
	case c >= 0xa1 && c <= 0xdf:
		return rune(c) - 0xa1 + kanaFirst, 1
	case len(p) < 2 || !leads(c):
		return utf8.RuneError, 1
	default:
		if r = table.char(unshifted(c, p[1])); r == utf8.RuneError && (p[1] < utf8.RuneSelf || leads(p[1]) ||
			p[1] >= 0xa1 && p[1] <= 0xdf) {
			return r, 1 // the second byte begins another character
		}
		return r, 2
	}
}

// leads reports whether a byte of Shift_JIS is the first one of two rows that are not empty.
func leads(c byte) bool {
	return c > 0x80 && c <= 0x84 || c >= 0x88 && c <= 0x9f || c >= 0xe0 && c <= 0xea
}

// unshifted returns the row and the cell of two bytes of Shift_JIS; the row is 0 if there are none.
func unshifted(first, second byte) (row, cell int) {
	row = 2*(int(first)-0x81) + 1
	if first > 0x9f {
		row -= 0x80
	}
	switch {
	case second < 0x40 || second == 0x7f || second > 0xfc:
		return 0, 0
	case second >= 0x9f:
		return row + 1, int(second) - 0x9e
	case second > 0x7f:
		return row, int(second) - 0x40
	}
	return row, int(second) - 0x3f
}
