// This file defines how symbols and keywords are read.

package parser

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// nameSlots is the size of the table of names, a power of two.
const nameSlots = 256

// nameEntry caches the value of a token, so that the string and hash of a repeated name are made
// once. A later name may take its slot.
type nameEntry struct {
	text string
	v    value.Value // a keyword, nil, true, false, or the first symbol of the name
}

func (r *reader) nameSlot(text string) *nameEntry {
	h := uint32(2166136261) // FNV-1a
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return &r.kit.names[(h^h>>16)%nameSlots]
}

// symbol reads a symbol, nil, true or false.
func (r *reader) symbol(text string, start int) value.Value {
	if r.fn != nil && text[0] == '%' {
		return r.arg(text, start)
	}
	e := r.nameSlot(text)
	if e.text == text {
		if e.v.IsSymbol() {
			return r.t.SymbolAt(e.v.AsSymbol(), r.file.Pos(start))
		}
		return e.v
	}
	v := r.newSymbol(text, start)
	if r.err == nil {
		*e = nameEntry{text, v}
	}
	return v
}

func (r *reader) newSymbol(text string, start int) value.Value {
	switch text {
	case "nil":
		return value.Nil
	case "true":
		return value.True
	case "false":
		return value.False
	}
	ns, name, ok := splitSymbol(text)
	if !ok {
		r.failName(text, start)
		return value.Nil
	}
	v := r.t.Symbol(r.copyName(ns), r.copyName(name))
	v.AsSymbol().Pos = r.file.Pos(start)
	return v
}

// keyword reads a keyword, ::name and ::alias/name included.
func (r *reader) keyword(text string, start int) value.Value {
	e := r.nameSlot(text)
	if e.text == text {
		return e.v
	}
	ns, name, ok := splitKeyword(text)
	if !ok || r.opts.Edn && strings.HasPrefix(text, "::") {
		r.failName(text, start)
		return value.Nil
	}
	if strings.HasPrefix(text, "::") {
		if ns == "" {
			ns = r.currentNS()
		} else if full, known := r.opts.Aliases[ns]; known {
			ns = full
		} else {
			r.failAlias(ns, start, start+len(text))
			return value.Nil
		}
	} else {
		ns = r.copyName(ns)
	}
	v := r.t.Keyword(ns, r.copyName(name))
	*e = nameEntry{text, v}
	return v
}

// copyName returns a copy of a part of the source, because a name must not keep the whole source
// alive. The copy is charged here, before it is made, and by each symbol and keyword that shares
// it.
func (r *reader) copyName(s string) string {
	r.t.Charge(limits.BytesSize(len(s)))
	return strings.Clone(s)
}

func (r *reader) currentNS() string {
	if r.opts.NS == "" {
		return "user"
	}
	return r.opts.NS
}

// splitSymbol checks a symbol against Clojure's pattern and splits it at its first slash. The
// pattern is (ns/)?(/|name): name contains no slash, and neither it nor ns begins with a digit.
func splitSymbol(s string) (ns, name string, ok bool) {
	if !matchName(s) || strings.Contains(s[1:], "::") {
		return "", "", false
	}
	if i := strings.IndexByte(s, '/'); i >= 0 && len(s) > 1 {
		return s[:i], s[i+1:], true
	}
	return "", s, true
}

// splitKeyword is splitSymbol for a keyword. For ::name it returns name. Clojure's pattern may
// match the colon as part of the name, which lets the name begin with a digit: :1 and :1/a are
// keywords.
func splitKeyword(s string) (ns, name string, ok bool) {
	if !matchName(s[1:]) && !matchName(s) || strings.Contains(s[1:], "::") {
		return "", "", false
	}
	rest := strings.TrimPrefix(s[1:], ":")
	if i := strings.IndexByte(rest, '/'); i >= 0 && len(rest) > 1 {
		return rest[:i], rest[i+1:], true
	}
	return "", rest, true
}

// matchName reports whether s, the part after the colon of a keyword if there is one, matches
// Clojure's pattern and passes the tests that Clojure applies after it.
func matchName(s string) bool {
	if s == "/" {
		return true
	}
	if s == "" || s[0] == '/' || isDigit(s[0]) || s[len(s)-1] == ':' {
		return false
	}
	slash := strings.LastIndexByte(s, '/')
	if slash < 0 {
		return true
	}
	if slash == len(s)-1 { // the name / in a namespace: ns//
		slash--
		if slash < 1 || s[slash] != '/' {
			return false
		}
	} else if isDigit(s[slash+1]) {
		return false
	}
	return s[slash-1] != ':'
}
