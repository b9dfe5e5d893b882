package jregex

// This file defines \p{…}: POSIX classes, Unicode categories, scripts and properties, the methods
// of java.lang.Character, and the common blocks.

import (
	"strings"
	"sync"
	"unicode"
)

// property parses \p or \P. The cursor is at the letter.
func (p *parser) property() set {
	negate := p.at(p.cursor) == 'P'
	name := ""
	if c := p.next(); c != '{' {
		name = string(p.read())
	} else {
		p.cursor++
		start := p.cursor
		for p.at(p.cursor) != '}' {
			if p.cursor >= p.n {
				p.syntax("Unclosed character family")
				return nil
			}
			p.cursor++
		}
		name = string(p.pat[start:p.cursor])
		p.cursor++
		if name == "" {
			p.syntax("Empty character family")
			return nil
		}
	}
	s, known := p.family(name)
	if !known {
		if p.err == nil {
			p.syntax("Unknown character property name {" + name + "}")
		}
		return nil
	}
	if negate {
		s = s.negate()
	}
	if s == nil {
		s = set{} // nil would mean to escape's callers that there is no set
	}
	return p.weigh(s)
}

// family returns the set for the name in \p{name}.
func (p *parser) family(name string) (s set, known bool) {
	anyCase := p.has(flagCase)
	if key, value, ok := strings.Cut(name, "="); ok {
		switch strings.ToLower(key) {
		case "sc", "script":
			return script(value)
		case "blk", "block":
			return p.block(value)
		case "gc", "general_category":
			return category(value, anyCase)
		}
		return nil, false
	}
	if rest, ok := strings.CutPrefix(name, "In"); ok {
		return p.block(rest)
	}
	if rest, ok := strings.CutPrefix(name, "Is"); ok {
		if s, ok := unicodeProperty(strings.ToUpper(rest), anyCase); ok {
			return s, true
		}
		if s, ok := category(rest, anyCase); ok {
			return s, true
		}
		return script(rest)
	}
	if p.has(flagUnicode) {
		if s := posixUnicode(strings.ToUpper(name), anyCase); s != nil {
			return s, true
		}
	}
	if rest, ok := strings.CutPrefix(name, "java"); ok {
		if s := javaMethod(rest, anyCase); s != nil {
			return s, true
		}
		if rest == "Mirrored" {
			p.unsupported("property", `\p{javaMirrored}`)
		}
		return nil, false
	}
	return category(name, anyCase)
}

// posixASCII holds the POSIX classes and a few of Java's own names.
var posixASCII = sync.OnceValue(func() map[string]set {
	return map[string]set{
		"ASCII":  rangeOf(0, 0x7f),
		"Alnum":  normalize([]span{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}),
		"Alpha":  normalize([]span{{'A', 'Z'}, {'a', 'z'}}),
		"Blank":  chars(" \t"),
		"Cntrl":  normalize([]span{{0, 0x1f}, {0x7f, 0x7f}}),
		"Digit":  asciiDigit,
		"Graph":  rangeOf(0x21, 0x7e),
		"Lower":  rangeOf('a', 'z'),
		"Print":  rangeOf(0x20, 0x7e),
		"Punct":  normalize([]span{{0x21, 0x2f}, {0x3a, 0x40}, {0x5b, 0x60}, {0x7b, 0x7e}}),
		"Space":  asciiSpace,
		"Upper":  rangeOf('A', 'Z'),
		"XDigit": normalize([]span{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}),
		"L1":     rangeOf(0, 0xff),
		"all":    rangeOf(0, unicode.MaxRune),
	}
})

// categories maps each one-letter category to its two-letter categories.
var categories = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"L": {"Lu", "Ll", "Lt", "Lm", "Lo"}, "M": {"Mn", "Mc", "Me"}, "N": {"Nd", "Nl", "No"},
		"Z": {"Zs", "Zl", "Zp"}, "C": {"Cc", "Cf", "Co", "Cs", "Cn"}, "S": {"Sm", "Sc", "Sk", "So"},
		"P":  {"Pd", "Ps", "Pe", "Pc", "Po", "Pi", "Pf"},
		"LC": {"Lu", "Ll", "Lt"}, "LD": {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"},
	}
})

// category returns a general category or a POSIX class. If case is ignored, upper, lower and title
// case are the same category.
func category(name string, anyCase bool) (s set, known bool) {
	if s, ok := posixASCII()[name]; ok {
		if anyCase && (name == "Lower" || name == "Upper") {
			return posixASCII()["Alpha"], true
		}
		return s, true
	}
	if anyCase && (name == "Lu" || name == "Ll" || name == "Lt") {
		name = "LC"
	}
	if parts, ok := categories()[name]; ok {
		var all []set
		for _, part := range parts {
			s, _ := category(part, false)
			all = append(all, s)
		}
		return union(all...), true
	}
	if name == "Cn" {
		return unassigned(), true
	}
	if t, ok := unicode.Categories[name]; ok && len(name) == 2 {
		return table(t), true
	}
	return nil, false
}

func unassigned() set {
	return table(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z,
		unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs).negate()
}

func lowercase() set  { return table(unicode.Ll, unicode.Other_Lowercase) }
func uppercase() set  { return table(unicode.Lu, unicode.Other_Uppercase) }
func alphabetic() set { return table(unicode.L, unicode.Nl, unicode.Other_Alphabetic) }

// letterCase returns s, or all of upper, lower and title case.
func letterCase(s set, anyCase bool) set {
	if anyCase {
		return union(lowercase(), uppercase(), table(unicode.Lt))
	}
	return s
}

func whiteSpace() set { return union(table(unicode.Z), rangeOf('\t', '\r'), single(0x85)) }

func unicodeWord() set {
	return union(alphabetic(), table(unicode.M, unicode.Nd, unicode.Pc), rangeOf(0x200c, 0x200d))
}

// posixUnicode returns a POSIX class as Unicode's Technical Standard 18 defines it, or nil. Names
// are in upper case.
func posixUnicode(name string, anyCase bool) set {
	graph := func() set {
		return union(table(unicode.Z, unicode.Cc, unicode.Cs), unassigned()).negate()
	}
	blank := func() set { return union(table(unicode.Zs), single('\t')) }
	switch name {
	case "ALPHA":
		return alphabetic()
	case "LOWER":
		return letterCase(lowercase(), anyCase)
	case "UPPER":
		return letterCase(uppercase(), anyCase)
	case "SPACE":
		return whiteSpace()
	case "PUNCT":
		return table(unicode.P)
	case "XDIGIT":
		return union(table(unicode.Nd, unicode.Hex_Digit))
	case "ALNUM":
		return union(alphabetic(), table(unicode.Nd))
	case "CNTRL":
		return table(unicode.Cc)
	case "DIGIT":
		return table(unicode.Nd)
	case "BLANK":
		return blank()
	case "GRAPH":
		return graph()
	case "PRINT":
		return union(graph(), blank()).minus(table(unicode.Cc))
	}
	return nil
}

// unicodeProperty returns the set of \p{IsName}. The name is in upper case.
func unicodeProperty(name string, anyCase bool) (s set, known bool) {
	switch name {
	case "ALPHABETIC":
		return alphabetic(), true
	case "ASSIGNED":
		return unassigned().negate(), true
	case "CONTROL":
		return table(unicode.Cc), true
	case "HEXDIGIT", "HEX_DIGIT":
		return posixUnicode("XDIGIT", false), true
	case "IDEOGRAPHIC":
		return table(unicode.Ideographic), true
	case "JOINCONTROL", "JOIN_CONTROL":
		return rangeOf(0x200c, 0x200d), true
	case "LETTER":
		return table(unicode.L), true
	case "LOWERCASE":
		return letterCase(lowercase(), anyCase), true
	case "UPPERCASE":
		return letterCase(uppercase(), anyCase), true
	case "TITLECASE":
		return letterCase(table(unicode.Lt), anyCase), true
	case "NONCHARACTERCODEPOINT", "NONCHARACTER_CODE_POINT":
		return table(unicode.Noncharacter_Code_Point), true
	case "PUNCTUATION":
		return table(unicode.P), true
	case "WHITESPACE", "WHITE_SPACE":
		return whiteSpace(), true
	case "WORD":
		return unicodeWord(), true
	}
	s = posixUnicode(name, anyCase)
	return s, s != nil
}

// javaMethod returns the set for which Character.is<name> is true, or nil.
func javaMethod(name string, anyCase bool) set {
	ignorable := func() set {
		return union(normalize([]span{{0, 8}, {0x0e, 0x1b}, {0x7f, 0x9f}}), table(unicode.Cf))
	}
	switch name {
	case "LowerCase":
		return letterCase(lowercase(), anyCase)
	case "UpperCase":
		return letterCase(uppercase(), anyCase)
	case "TitleCase":
		return letterCase(table(unicode.Lt), anyCase)
	case "Alphabetic":
		return alphabetic()
	case "Ideographic":
		return table(unicode.Ideographic)
	case "Digit":
		return table(unicode.Nd)
	case "Defined":
		return unassigned().negate()
	case "Letter":
		return table(unicode.L)
	case "LetterOrDigit":
		return table(unicode.L, unicode.Nd)
	case "JavaIdentifierStart":
		return table(unicode.L, unicode.Nl, unicode.Sc, unicode.Pc)
	case "JavaIdentifierPart":
		return union(table(unicode.L, unicode.Nl, unicode.Sc, unicode.Pc, unicode.Nd, unicode.Mc, unicode.Mn), ignorable())
	case "UnicodeIdentifierStart":
		return table(unicode.L, unicode.Nl, unicode.Other_ID_Start)
	case "UnicodeIdentifierPart":
		return union(table(unicode.L, unicode.Nl, unicode.Pc, unicode.Nd, unicode.Mc, unicode.Mn,
			unicode.Other_ID_Start, unicode.Other_ID_Continue), ignorable())
	case "IdentifierIgnorable":
		return ignorable()
	case "SpaceChar":
		return table(unicode.Z)
	case "Whitespace":
		return union(table(unicode.Z).minus(chars("\u00a0\u2007\u202f")), normalize([]span{{'\t', '\r'}, {0x1c, 0x1f}}))
	case "ISOControl":
		return normalize([]span{{0, 0x1f}, {0x7f, 0x9f}})
	}
	return nil
}

// scriptCodes maps the ISO 15924 codes of common scripts to the scripts.
var scriptCodes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"ARAB": "Arabic", "ARMN": "Armenian", "BENG": "Bengali", "CYRL": "Cyrillic", "DEVA": "Devanagari",
		"ETHI": "Ethiopic", "GEOR": "Georgian", "GREK": "Greek", "HANG": "Hangul", "HANI": "Han", "HEBR": "Hebrew",
		"HIRA": "Hiragana", "KANA": "Katakana", "LATN": "Latin", "TAML": "Tamil", "THAI": "Thai", "ZYYY": "Common",
	}
})

func script(name string) (s set, known bool) {
	name = strings.ToUpper(name)
	if full, ok := scriptCodes()[name]; ok {
		return table(unicode.Scripts[full]), true
	}
	for full, t := range unicode.Scripts {
		if strings.ToUpper(full) == name {
			return table(t), true
		}
	}
	return nil, false
}

// blocks holds the blocks that patterns commonly use; package unicode has none. Names are in upper
// case, without spaces, hyphens and underscores.
var blocks = sync.OnceValue(func() map[string]set {
	return map[string]set{
		"BASICLATIN": rangeOf(0, 0x7f), "LATIN1SUPPLEMENT": rangeOf(0x80, 0xff),
		"LATINEXTENDEDA": rangeOf(0x100, 0x17f), "LATINEXTENDEDB": rangeOf(0x180, 0x24f),
		"COMBININGDIACRITICALMARKS": rangeOf(0x300, 0x36f), "GREEK": rangeOf(0x370, 0x3ff),
		"GREEKANDCOPTIC": rangeOf(0x370, 0x3ff), "CYRILLIC": rangeOf(0x400, 0x4ff), "HEBREW": rangeOf(0x590, 0x5ff),
		"ARABIC": rangeOf(0x600, 0x6ff), "DEVANAGARI": rangeOf(0x900, 0x97f), "THAI": rangeOf(0xe00, 0xe7f),
		"GENERALPUNCTUATION": rangeOf(0x2000, 0x206f), "CURRENCYSYMBOLS": rangeOf(0x20a0, 0x20cf),
		"ARROWS": rangeOf(0x2190, 0x21ff), "MATHEMATICALOPERATORS": rangeOf(0x2200, 0x22ff),
		"BOXDRAWING": rangeOf(0x2500, 0x257f), "CJKSYMBOLSANDPUNCTUATION": rangeOf(0x3000, 0x303f),
		"HIRAGANA": rangeOf(0x3040, 0x309f), "KATAKANA": rangeOf(0x30a0, 0x30ff),
		"CJKUNIFIEDIDEOGRAPHS": rangeOf(0x4e00, 0x9fff), "HANGULSYLLABLES": rangeOf(0xac00, 0xd7af),
		"PRIVATEUSEAREA": rangeOf(0xe000, 0xf8ff), "HALFWIDTHANDFULLWIDTHFORMS": rangeOf(0xff00, 0xffef),
		"EMOTICONS": rangeOf(0x1f600, 0x1f64f),
	}
})

func (p *parser) block(name string) (s set, known bool) {
	key := strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' || r == '-' {
			return -1
		}
		return unicode.ToUpper(r)
	}, name)
	if s, ok := blocks()[key]; ok {
		return s, true
	}
	p.unsupported("Unicode block", `\p{In`+name+`}`)
	return nil, false
}
