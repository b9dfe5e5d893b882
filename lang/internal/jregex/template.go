package jregex

// This file defines the replacement strings of Matcher.appendReplacement: $1, ${name} and \ before a
// literal character.

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Template is a parsed replacement.
type Template []TemplatePiece

// TemplatePiece is literal text, or a group if Group is not negative.
type TemplatePiece struct {
	Literal string
	Group   int
}

// TemplateBytes bounds the bytes that ParseTemplate allocates.
func TemplateBytes(replacement string) int64 {
	return 128 + int64(len(replacement)) + 96*int64(1+strings.Count(replacement, "$")+strings.Count(replacement, `\`))
}

// ParseTemplate parses a replacement for matches of re. The error is an *Error with Java's message.
// Java reports it at the first replacement, and not at all if there is nothing to replace, so parse
// the replacement at the first match.
func ParseTemplate(replacement string, re *Regexp) (Template, error) {
	t := make(Template, 0, 1+2*strings.Count(replacement, "$")+strings.Count(replacement, `\`))
	literal := func(s string) {
		if s != "" {
			t = append(t, TemplatePiece{s, -1})
		}
	}
	for rest := replacement; rest != ""; {
		i := strings.IndexAny(rest, `\$`)
		if i < 0 {
			literal(rest)
			break
		}
		literal(rest[:i])
		c := rest[i]
		rest = rest[i+1:]
		if c == '\\' {
			if rest == "" {
				return nil, templateError("character to be escaped is missing")
			}
			_, size := utf8.DecodeRuneInString(rest)
			literal(rest[:size])
			rest = rest[size:]
			continue
		}
		group, size, err := reference(rest, re)
		if err != nil {
			return nil, err
		}
		t = append(t, TemplatePiece{"", group})
		rest = rest[size:]
	}
	return t, nil
}

// reference parses the part after a $.
func reference(s string, re *Regexp) (group, size int, err error) {
	switch {
	case s == "":
		return 0, 0, templateError("Illegal group reference: group index is missing")
	case s[0] == '{':
		return namedReference(s, re)
	case !isDigit(rune(s[0])):
		return 0, 0, templateError("Illegal group reference")
	}
	group = int(s[0] - '0')
	if group > re.GroupCount() {
		return 0, 0, templateError("No group " + strconv.Itoa(group))
	}
	// Further digits count as long as there is such a group: $12 may be $1 and 2.
	for size = 1; size < len(s) && isDigit(rune(s[size])); size++ {
		longer := group*10 + int(s[size]-'0')
		if longer > re.GroupCount() {
			break
		}
		group = longer
	}
	return group, size, nil
}

func namedReference(s string, re *Regexp) (group, size int, err error) {
	end := 1
	for end < len(s) && isAlnum(rune(s[end])) {
		end++
	}
	name := s[1:end]
	switch {
	case name == "":
		return 0, 0, templateError("named capturing group is missing trailing '}'")
	case end == len(s) || s[end] != '}':
		return 0, 0, templateError("named capturing group is missing trailing '}'")
	case isDigit(rune(name[0])):
		return 0, 0, templateError("capturing group name {" + name + "} starts with digit character")
	}
	group, ok := re.GroupIndex(name)
	if !ok {
		return 0, 0, templateError("No group with name {" + name + "}")
	}
	return group, end + 1, nil
}

func templateError(message string) error { return &Error{Syntax, message, -1} }

// Len returns the length in bytes of the replacement of the match at loc.
func (t Template) Len(loc []int) int64 {
	var n int64
	for _, p := range t {
		if p.Group < 0 {
			n += int64(len(p.Literal))
		} else if from := loc[2*p.Group]; from >= 0 {
			n += int64(loc[2*p.Group+1] - from)
		}
	}
	return n
}

// Append appends the replacement of the match of s at loc to dst: Len(loc) bytes.
func (t Template) Append(dst []byte, s string, loc []int) []byte {
	for _, p := range t {
		if p.Group < 0 {
			dst = append(dst, p.Literal...)
		} else if from := loc[2*p.Group]; from >= 0 {
			dst = append(dst, s[from:loc[2*p.Group+1]]...)
		}
	}
	return dst
}

// Replace passes the parts of s with its matches replaced to emit, in order: the text between
// matches, and the pieces of the replacement. With first, it replaces only the first match. It
// reports whether there was a match; if not, it has not called emit. The error is that of emit,
// poll or ParseTemplate. Each match allocates at most re.MatchBytes in addition to the allocations
// of emit, and the first one TemplateBytes(replacement).
func Replace(re *Regexp, s, replacement string, first bool, poll Poll,
	emit func(part string) error) (replaced bool, err error) {
	var t Template
	from := 0
	sc := re.Scan(s, poll)
	for {
		loc, err := sc.Next()
		if err != nil {
			return replaced, err
		}
		if loc == nil {
			break
		}
		if !replaced {
			if t, err = ParseTemplate(replacement, re); err != nil {
				return false, err
			}
			replaced = true
		}
		if err := emit(s[from:loc[0]]); err != nil {
			return true, err
		}
		for _, p := range t {
			part := p.Literal
			if p.Group >= 0 {
				if part = ""; loc[2*p.Group] >= 0 {
					part = s[loc[2*p.Group]:loc[2*p.Group+1]]
				}
			}
			if err := emit(part); err != nil {
				return true, err
			}
		}
		from = loc[1]
		if first {
			break
		}
	}
	if !replaced {
		return false, nil
	}
	return true, emit(s[from:])
}

// QuoteReplacement is Matcher.quoteReplacement, clojure.string's re-quote-replacement. It allocates
// at most 2×len(s) bytes.
func QuoteReplacement(s string) string {
	if !strings.ContainsAny(s, `\$`) {
		return s
	}
	return strings.NewReplacer(`\`, `\\`, `$`, `\$`).Replace(s)
}
