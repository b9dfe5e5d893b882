package jregex

// This file defines compiled patterns.

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Regexp is a compiled Java pattern. It is safe for concurrent use.
type Regexp struct {
	pattern      string
	names        []string // by group
	instructions int
	onepass      *onepass   // set if the pattern is one-pass; the programs are not needed then
	back         *backtrack // set if the pattern needs backtracking; the programs are not needed then either
	find         *program
	// The other forms are compiled on first use: to continue a search, to match the whole string,
	// and the first two forms for strings with \r\n.
	next, full, crlfFind, crlfNext lazyProgram
}

type lazyProgram func() (*program, error)

// program is a form of a pattern with its compiled regexp.
type program struct {
	form
	re       *regexp.Regexp
	prefix   string // every match begins with it
	complete bool   // every match equals prefix
}

// Pattern is a parsed pattern. Its size is known, but it is not compiled yet.
type Pattern struct {
	text         string
	names        []string
	root         *node
	form         form
	back         *backtrack
	instructions int
}

// Parse parses a pattern of java.util.regex.Pattern. The error is an *Error. Parse allocates at
// most ParseBytes(pattern, limits).
func Parse(pattern string, limits Limits) (*Pattern, error) {
	if len(pattern) > limits.PatternBytes {
		return nil, limitError("pattern", len(pattern), "bytes", limits.PatternBytes)
	}
	if !utf8.ValidString(pattern) {
		return nil, &Error{Syntax, "pattern is not valid UTF-8", -1}
	}
	root, p, err := parsePattern(pattern, spansPerInstruction*limits.Instructions)
	if err != nil {
		return nil, err
	}
	if p.backtracks {
		return parsedBacktrack(pattern, p, root, limits)
	}
	f := write(root, p.groups, variantFind, false)
	if n := f.spans / spansPerInstruction; n > limits.Instructions {
		return nil, limitError("pattern", n, "instructions", limits.Instructions)
	}
	tree, err := syntax.Parse(f.text, syntax.Perl)
	if e, ok := errors.AsType[*syntax.Error](err); ok && e.Code == syntax.ErrInvalidRepeatSize {
		return parsedBacktrack(pattern, p, root, limits) // counts that multiply to more than maxRepeat
	}
	if err != nil {
		return nil, parseError(err)
	}
	n := programSize(tree) + 2
	if n > int64(limits.Instructions) {
		return nil, limitError("pattern", int(n), "instructions", limits.Instructions)
	}
	return &Pattern{text: pattern, names: p.names, root: root, form: f, instructions: int(n)}, nil
}

// Instructions returns the size that the compiled pattern will have.
func (p *Pattern) Instructions() int { return p.instructions }

// Compile compiles a parsed pattern. The error is an *Error. Compile allocates at most
// p.CompileBytes(), a part of it when the Regexp is first used.
func (p *Pattern) Compile() (*Regexp, error) {
	re := &Regexp{pattern: p.text, names: p.names, instructions: p.instructions, back: p.back}
	if re.back != nil {
		return re, nil
	}
	if re.onepass = onepassOf(p.root, len(p.names)-1); re.onepass != nil {
		return re, nil
	}
	if err := re.compile(p); err != nil {
		return nil, err
	}
	return re, nil
}

// compile builds the programs of a pattern.
func (re *Regexp) compile(p *Pattern) (err error) {
	if re.find, err = p.form.compile(); err != nil {
		return err
	}
	root, groups := p.root, len(p.names)-1
	later := func(v variant, crlf bool) lazyProgram {
		return sync.OnceValues(func() (*program, error) {
			f := write(root, groups, v, crlf)
			return f.compile()
		})
	}
	re.next, re.full = later(variantNext, false), later(variantFull, false)
	re.crlfFind, re.crlfNext = later(variantFind, true), later(variantNext, true)
	return nil
}

// Compile is Parse and Pattern.Compile in one step. It allocates at most
// CompileBytes(len(pattern), limits.Instructions).
func Compile(pattern string, limits Limits) (*Regexp, error) {
	p, err := Parse(pattern, limits)
	if err != nil {
		return nil, err
	}
	return p.Compile()
}

func (f *form) compile() (*program, error) {
	re, err := regexp.Compile(f.text)
	if err != nil {
		return nil, parseError(err)
	}
	p := &program{form: *f, re: re}
	p.prefix, p.complete = re.LiteralPrefix()
	return p, nil
}

func limitError(what string, n int, unit string, limit int) error {
	return &Error{Limit, what + " of " + strconv.Itoa(n) + " " + unit + " exceeds the limit of " + strconv.Itoa(limit), -1}
}

// crlf reports whether s needs the form for strings with \r\n: whether it ends in \r\n or, if the
// pattern tests each line, whether all lines do. It takes time in proportion to s, so a Scanner
// calls it once.
func (re *Regexp) crlf(s string) bool {
	if re.onepass != nil || re.back != nil || len(re.find.ends) == 0 {
		return false
	}
	ends := re.find.ends
	if !slices.ContainsFunc(ends, func(e end) bool { return e.multi }) {
		return strings.HasSuffix(s, "\r\n")
	}
	found := false
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			return found
		}
		if i == 0 || s[i-1] != '\r' {
			return false
		}
		found = true
		s = s[i+1:]
	}
}

// choose returns the program for searching s from pos on.
func (re *Regexp) choose(pos int, crlf bool) (*program, error) {
	again := re.find.context && pos > 0
	switch {
	case again && crlf:
		return re.crlfNext()
	case again:
		return re.next()
	case crlf:
		return re.crlfFind()
	}
	return re.find, nil
}

// parseError converts an error of regexp/syntax. Since the pattern was written for it, only errors
// about sizes are possible.
func parseError(err error) error {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		switch e.Code {
		case syntax.ErrNestingDepth:
			return &Error{Limit, "pattern is nested too deeply", -1}
		case syntax.ErrLarge:
			return &Error{Limit, "pattern is too large", -1}
		}
	}
	return &Error{Unsupported, "pattern cannot be expressed: " + err.Error(), -1}
}

// String returns the source of the pattern.
func (re *Regexp) String() string { return re.pattern }

// Instructions returns the size of the compiled pattern.
func (re *Regexp) Instructions() int { return re.instructions }

// GroupCount returns the number of capturing groups.
func (re *Regexp) GroupCount() int { return len(re.names) - 1 }

// GroupName returns the name of a group, or "" if it has none.
func (re *Regexp) GroupName(group int) string { return re.names[group] }

// GroupIndex returns the group with a name.
func (re *Regexp) GroupIndex(name string) (group int, ok bool) {
	for i, n := range re.names {
		if n == name && i > 0 && name != "" {
			return i, true
		}
	}
	return 0, false
}

// MatchBytes bounds the bytes that one search allocates for its result. See StateBytes for the
// search itself.
func (re *Regexp) MatchBytes() int64 {
	if re.back != nil {
		return re.back.machineBytes() + 16*re.captures()
	}
	if re.onepass != nil {
		return 16*re.captures() + 16
	}
	return 64*re.captures() + 512
}

// StateBytes bounds the working memory of a search, in bytes. Package regexp keeps the groups of up
// to one attempt for each instruction, or 32 KB of backtracking state. This memory comes from pools
// that the process shares, so charge it once while searching, not for each match.
func (re *Regexp) StateBytes() int64 {
	if re.onepass != nil || re.back != nil {
		return 0
	}
	return 40<<10 + int64(re.instructions)*(16*re.captures()+128)
}

// captures returns the largest number of groups of a program.
func (re *Regexp) captures() int64 {
	if re.onepass != nil || re.back != nil {
		return int64(len(re.names))
	}
	return int64(len(re.names) + len(re.find.ends) + len(re.find.begins) + 1)
}
