// This file defines Interner, by which equal keys and short texts of one input
// become one object.

package value

import (
	"strings"
	"unsafe"
)

// Interner remembers recent keys and short texts of an input. Records have the
// same keys, and many of their texts are of few values: a department, a status, a
// day. One object for all of them takes less memory, and is hashed once. Of texts
// that share a place in the table the last one counts, so that the table stays
// small however large the input is, and what is charged depends on the input only.
type Interner struct {
	t        *Task
	keywords bool
	keys     [internedKeys]Value
	copied   int
	texts    *[internedTexts]Value
}

const (
	internedKeys  = 64
	internedTexts = 256
	// maxInterned is the length of the longest text that is remembered: longer ones
	// are seldom equal.
	maxInterned = 32
	// internAfter is how many texts are copied before texts are remembered: a small
	// input does not need the table.
	internAfter = 32
)

var (
	sizeInterner = objectSize[Interner]()
	sizeTexts    = objectSize[[internedTexts]Value]()
)

// Interner makes an interner whose keys are keywords or strings.
func (t *Task) Interner(keywords bool) *Interner {
	t.Charge(sizeInterner)
	return &Interner{t: t, keywords: keywords}
}

// textHash gives a hash for the tables of an interner.
func textHash(s string) uint32 {
	h := uint32(len(s))
	for i := range len(s) {
		h = h*31 + uint32(s[i])
	}
	return h
}

// Key gives the key that a text stands for. The text is copied.
func (n *Interner) Key(text string) Value {
	slot := &n.keys[textHash(text)%internedKeys]
	if n.isKey(*slot, text) {
		return *slot
	}
	*slot = n.newKey(text)
	return *slot
}

func (n *Interner) newKey(text string) Value {
	if n.keywords {
		ns, name := SplitName(text)
		n.t.Charge(sizeKeywordOf(ns, name))
		return n.t.keyword(strings.Clone(ns), strings.Clone(name))
	}
	return n.t.CopyString(text)
}

func (n *Interner) isKey(v Value, text string) bool {
	switch {
	case v.IsString():
		return v.AsString().S == text
	case v.IsKeyword():
		k := v.AsKeyword()
		if k.NS == "" {
			return k.Name == text
		}
		return len(text) == len(k.NS)+1+len(k.Name) && text[:len(k.NS)] == k.NS && text[len(k.NS)+1:] == k.Name
	}
	return false
}

// String gives a string of a text, which is copied.
func (n *Interner) String(text string) Value {
	if len(text) > maxInterned {
		return n.t.CopyString(text)
	}
	if n.texts == nil {
		if n.copied++; n.copied <= internAfter {
			return n.t.CopyString(text)
		}
		n.t.Charge(sizeTexts)
		n.texts = new([internedTexts]Value)
	}
	slot := &n.texts[textHash(text)%internedTexts]
	if slot.h == nil || pointer[String](slot.h).S != text {
		*slot = n.t.CopyString(text)
	}
	return *slot
}

// Bytes is String of bytes, which are copied.
func (n *Interner) Bytes(text []byte) Value {
	return n.String(unsafe.String(unsafe.SliceData(text), len(text)))
}
