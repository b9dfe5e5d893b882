package jregex

// This file defines compiled patterns.

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Regexp is a compiled Java pattern, safe for use by many goroutines.
type Regexp struct {
	pattern      string
	names        []string // by group
	instructions int
	find         *program
	next, full   func() (*program, error) // compiled when first used
}

// program is a form of a pattern with its compiled text.
type program struct {
	form
	re       *regexp.Regexp
	prefix   string // every match begins with it
	complete bool   // and is nothing else
}

// Compile compiles a pattern of java.util.regex.Pattern. The error is an *Error.
// It allocates at most CompileBytes(limits.Instructions).
func Compile(pattern string, limits Limits) (*Regexp, error) {
	if len(pattern) > limits.PatternBytes {
		return nil, limitError("pattern", len(pattern), "bytes", limits.PatternBytes)
	}
	if !utf8.ValidString(pattern) {
		return nil, &Error{Syntax, "pattern is not valid UTF-8", -1}
	}
	root, p, err := parsePattern(pattern)
	if err != nil {
		return nil, err
	}
	re := &Regexp{pattern: pattern, names: p.names}
	f := write(root, p.groups, variantFind)
	if n := f.spans / spansPerInstruction; n > limits.Instructions {
		return nil, limitError("pattern", n, "instructions", limits.Instructions)
	}
	tree, err := syntax.Parse(f.text, syntax.Perl)
	if err != nil {
		return nil, parseError(err)
	}
	n := programSize(tree) + 2
	if n > int64(limits.Instructions) {
		return nil, limitError("pattern", int(n), "instructions", limits.Instructions)
	}
	re.instructions = int(n)
	if re.find, err = f.compile(); err != nil {
		return nil, err
	}
	later := func(v variant) func() (*program, error) {
		return sync.OnceValues(func() (*program, error) {
			f := write(root, p.groups, v)
			return f.compile()
		})
	}
	re.next, re.full = later(variantNext), later(variantFull)
	return re, nil
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

// parseError explains what regexp/syntax refuses though it was written for it:
// only sizes are left.
func parseError(err error) error {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		switch e.Code {
		case syntax.ErrInvalidRepeatSize:
			return &Error{Limit, "counts that multiply to more than 1000 are not supported in {n,m}", -1}
		case syntax.ErrNestingDepth:
			return &Error{Limit, "pattern is nested too deeply", -1}
		case syntax.ErrLarge:
			return &Error{Limit, "pattern is too large", -1}
		}
	}
	return &Error{Unsupported, "pattern cannot be expressed: " + err.Error(), -1}
}

// String returns the pattern as it was given.
func (re *Regexp) String() string { return re.pattern }

// Instructions returns the size of the compiled pattern, for CompileBytes.
func (re *Regexp) Instructions() int { return re.instructions }

// GroupCount returns the number of capturing groups.
func (re *Regexp) GroupCount() int { return len(re.names) - 1 }

// GroupName returns the name of a group, "" if it has none.
func (re *Regexp) GroupName(group int) string { return re.names[group] }

// GroupIndex finds a group by its name.
func (re *Regexp) GroupIndex(name string) (group int, ok bool) {
	for i, n := range re.names {
		if n == name && i > 0 && name != "" {
			return i, true
		}
	}
	return 0, false
}

// MatchBytes bounds what one search allocates, in bytes.
func (re *Regexp) MatchBytes() int64 {
	groups := len(re.names) + len(re.find.ends) + len(re.find.begins) + 1
	return 64*int64(groups) + 512
}
