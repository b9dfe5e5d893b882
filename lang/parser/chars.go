// This file defines the classes of characters: white space, characters that end a symbol or a
// number, and characters that are invalid outside strings and comments.

package parser

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
)

// class is a set of bits: the roles that a byte can have in source text.
type class uint8

const (
	space     class = 1 << iota // white space, commas included
	endsName                    // ends a symbol or keyword: white space and terminating macro characters
	endsDigit                   // ends a number: white space and all macro characters
	odd                         // refused: a control character, or a character that EDN does not use
	wide                        // first byte of a character beyond ASCII
)

// Clojure's macro characters. #, ' and % may stand inside a symbol.
const (
	macros         = "\";^@`~()[]{}\\"
	innerMacros    = "#'%"
	ednMacros      = "\";^()[]{}\\"
	ednInnerMacros = "#"
	ednRefused     = "@`~"
)

// clojureClasses and ednClasses map each byte to its class.
var (
	clojureClasses = byteClasses(macros, innerMacros, "")
	ednClasses     = byteClasses(ednMacros, ednInnerMacros, ednRefused)
)

func byteClasses(ends, inner, refused string) *[256]class {
	var table [256]class
	for c := range table {
		switch {
		case c == ',' || javaSpace(rune(c)):
			table[c] = space | endsName | endsDigit
		case c < ' ' || c == 0x7f:
			table[c] = odd
		case c >= 0x80:
			table[c] = wide
		}
	}
	for _, c := range ends {
		table[c] |= endsName | endsDigit
	}
	for _, c := range inner {
		table[c] |= endsDigit
	}
	for _, c := range refused {
		table[c] = odd
	}
	return &table
}

// javaSpace is Character.isWhitespace, for ASCII and beyond.
func javaSpace(r rune) bool {
	if r < 0x80 {
		return r == ' ' || r >= '\t' && r <= '\r' || r >= 0x1c && r <= 0x1f
	}
	return r != 0xa0 && r != 0x2007 && r != 0x202f && unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp)
}

// lookalikes maps characters that word processors insert to the ASCII characters they replace.
// Clojure accepts them as parts of symbols, which is never intended.
var lookalikes = sync.OnceValue(func() map[rune]string {
	return map[rune]string{
		'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '«': `"`, '»': `"`, '＂': `"`, '‘': "'", '’': "'",
		'（': "(", '）': ")", '［': "[", '］': "]", '｛': "{", '｝': "}", '【': "[", '】': "]",
		0xa0: "a space", 0x2007: "a space", 0x202f: "a space",
	}
})

// oddRune checks a character outside strings and comments. It returns ok if the character is valid,
// else a message and a hint.
func oddRune(r rune) (message, hint string, ok bool) {
	if ascii, found := lookalikes()[r]; found {
		if len(ascii) == 1 {
			return fmt.Sprintf("odd character %q (U+%04X)", r, r), "write " + ascii, false
		}
		return fmt.Sprintf("odd character: no-break space (U+%04X)", r), "write " + ascii, false
	}
	if strings.ContainsRune(ednRefused, r) {
		return fmt.Sprintf("%c has no meaning in EDN", r), "EDN is data; read-string reads code", false
	}
	if r < 0x80 || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp) {
		return fmt.Sprintf("odd character: U+%04X, which is invisible", r),
			"remove it, or write it in a string with an escape like \\u0041", false
	}
	return "", "", true
}
