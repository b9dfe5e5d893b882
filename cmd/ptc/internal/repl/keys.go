// This file defines how keys are read that the line editor does not know.

package repl

import (
	"io"
	"strings"
)

// These characters stand for keys that the line editor has no code for. Unicode reserves them for use inside
// programs.
const (
	pasteBegins rune = 0xfdd0
	pasteEnds   rune = 0xfdd1
	deleteKey   rune = 0xfdd2 // the editor takes it for Ctrl-D, which ends a session
)

// The marks around pasted text.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// keyCodes maps the sequences that terminals send to the keys that the editor knows.
var keyCodes = map[string]string{
	pasteBegin:  string(pasteBegins),
	pasteEnd:    string(pasteEnds),
	"\x1b[3~":   string(deleteKey),
	"\x1b[1~":   "\x01",  // Home, in tmux and on the console
	"\x1b[4~":   "\x05",  // End
	"\x1b[7~":   "\x01",  // Home, in rxvt
	"\x1b[8~":   "\x05",  // End
	"\x1b[1;5C": "\x1bf", // Ctrl-Right: a word on
	"\x1b[1;5D": "\x1bb", // Ctrl-Left
	"\x1b[1;3C": "\x1bf", // Alt-Right
	"\x1b[1;3D": "\x1bb", // Alt-Left
}

// longestKey is above the length of each of keyCodes.
const longestKey = 12

// keys is the input of a terminal in which the codes of keys are replaced. Keys are removed from pasted text:
// the editor would stop reading at some, such as Ctrl-C, and obey others.
type keys struct {
	in      io.Reader
	held    string // the beginning of a code, perhaps
	out     string // bytes that were not passed on yet
	pasting bool
}

func (k *keys) Read(p []byte) (int, error) {
	for k.out == "" {
		chunk := make([]byte, 1024)
		n, err := k.in.Read(chunk)
		k.take(k.held + string(chunk[:n]))
		if err != nil {
			k.out += k.held
			k.held = ""
			if k.out == "" {
				return 0, err
			}
		}
	}
	n := copy(p, k.out)
	k.out = k.out[n:]
	return n, nil
}

// take moves a text to out, except for an end that may be the beginning of a code.
func (k *keys) take(text string) {
	var b strings.Builder
	b.WriteString(k.out)
	k.held = ""
	for text != "" {
		at := strings.IndexByte(text, '\x1b')
		if at < 0 {
			at = len(text)
		}
		k.text(&b, text[:at])
		text = text[at:]
		code, whole := findCode(text)
		switch {
		case text == "":
		case whole && (!k.pasting || code == pasteEnd):
			b.WriteString(keyCodes[code])
			k.pasting = code == pasteBegin
			text = text[len(code):]
		case code != "" && !whole:
			k.held = text
			text = ""
		default:
			k.text(&b, text[:1])
			text = text[1:]
		}
	}
	k.out = b.String()
}

// text moves a text without codes to out; it removes keys from pasted text. It works on bytes, because the text
// may end in the middle of a character.
func (k *keys) text(b *strings.Builder, text string) {
	if !k.pasting {
		b.WriteString(text)
		return
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\t':
			b.WriteByte(' ') // which completes nothing
		case c >= ' ' && c != 0x7f, c == '\r', c == '\n':
			b.WriteByte(c)
		}
	}
}

// findCode returns the code that a text begins with, or a code that begins with the text, or "".
func findCode(text string) (code string, whole bool) {
	for n := min(longestKey, len(text)); n > 0; n-- {
		if _, ok := keyCodes[text[:n]]; ok {
			return text[:n], true
		}
	}
	for code := range keyCodes {
		if strings.HasPrefix(code, text) {
			return code, false
		}
	}
	return "", false
}
