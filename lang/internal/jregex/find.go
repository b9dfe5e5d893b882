package jregex

// This file defines searching: one match, a match of the whole string, and all matches. The order
// of the matches, and the empty ones among them, are those of Java's Matcher.find.

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Poll is called during a search with the work done since the last call, in steps of one
// instruction on one code point (5 to 20 ns), and with the bytes that the search is about to
// allocate in addition to MatchBytes, or has released if the number is negative. If it returns an
// error, the search ends and returns the error.
type Poll func(steps, bytes int64) error

// directSteps is the maximum work between two polls: about 2 ms.
const directSteps = 1 << 17

// Find searches s from byte pos on, as Matcher.find does after an earlier match: ^ and \b see the
// character before pos. It appends the byte indices of the match and of each group to dst, start
// and end, with -1 for groups that took no part, and returns the result. It returns nil if there is
// no match. The error is that of poll, which may be nil. Find allocates at most MatchBytes plus the
// capacity that dst lacks.
func (re *Regexp) Find(dst []int, s string, pos int, poll Poll) ([]int, error) {
	return re.findIn(dst, s, pos, re.crlf(s), poll)
}

func (re *Regexp) findIn(dst []int, s string, pos int, crlf bool, poll Poll) ([]int, error) {
	if re.onepass != nil {
		return re.onepass.find(dst, s, pos, false, poll)
	}
	if re.back != nil {
		return newMachine(re.back, s, poll).find(dst, pos, false)
	}
	for {
		loc, err := re.search(dst, s, pos, crlf, poll)
		if loc == nil || err != nil || loc[len(dst)] >= 0 {
			return loc, err
		}
		// Java would not have made the match that begins at ^loc: continue after it.
		pos = stepOver(s, ^loc[len(dst)])
		if pos > len(s) {
			return nil, nil
		}
	}
}

// Literal returns the string that the pattern matches, and whether the pattern matches exactly one
// non-empty string and has no groups.
func (re *Regexp) Literal() (text string, ok bool) {
	if w := re.onepass; w != nil && len(w.items) == 1 && len(re.names) == 1 && !w.anchored {
		return w.items[0].text, w.items[0].text != ""
	}
	return "", false
}

// search is Find, except that a match that must be skipped is returned with the complement of its
// start.
func (re *Regexp) search(dst []int, s string, pos int, crlf bool, poll Poll) ([]int, error) {
	if prefix := re.find.prefix; prefix != "" {
		i := strings.Index(s[pos:], prefix)
		if i < 0 {
			return nil, nil
		}
		pos += i
		if re.find.complete && len(re.names) == 1 && len(re.find.ends) == 0 {
			return append(dst, pos, pos+len(prefix)), nil
		}
	}
	p, err := re.choose(pos, crlf)
	if err != nil {
		return nil, err
	}
	start := pos
	if p.context && pos > 0 {
		_, size := utf8.DecodeLastRuneInString(s[:pos])
		start -= size
	}
	m, err := p.run(s[start:], re.instructions, poll)
	if m == nil || err != nil {
		return nil, err
	}
	return p.translate(dst, m, s, start), nil
}

// FullMatch matches the whole of s, as Matcher.matches does. It returns the same slice as Find.
func (re *Regexp) FullMatch(dst []int, s string, poll Poll) ([]int, error) {
	if re.onepass != nil {
		return re.onepass.find(dst, s, 0, true, poll)
	}
	if re.back != nil {
		return newMachine(re.back, s, poll).find(dst, 0, true)
	}
	p, err := re.full()
	if err != nil {
		return nil, err
	}
	m, err := p.run(s, re.instructions, poll)
	if m == nil || err != nil {
		return nil, err
	}
	if loc := p.translate(dst, m, s, 0); loc[len(dst)] >= 0 {
		return loc, nil
	}
	return nil, nil
}

// translate converts the groups of a program to those of the pattern.
func (p *program) translate(dst, m []int, s string, offset int) []int {
	end := len(s)
	rejected := false
	for _, e := range p.ends {
		if at := m[2*e.group]; at >= 0 {
			at += offset
			end = min(end, at)
			// No line ends between \r and \n.
			rejected = rejected || !e.unix && at > 0 && at < len(s) && s[at-1] == '\r' && s[at] == '\n'
		}
	}
	for _, g := range p.begins {
		// Java's (?m)^ does not match at the end of the string.
		rejected = rejected || m[2*g]+offset == len(s) && m[2*g] >= 0
	}
	for _, g := range p.groups {
		from, to := m[2*g], m[2*g+1]
		if from >= 0 {
			from, to = min(from+offset, end), min(to+offset, end)
		}
		dst = append(dst, from, to)
	}
	if rejected {
		dst[len(dst)-2*len(p.groups)] = ^dst[len(dst)-2*len(p.groups)]
	}
	return dst
}

// run matches a string. It polls if the match may take long.
func (p *program) run(s string, instructions int, poll Poll) ([]int, error) {
	if poll == nil || int64(len(s))*int64(instructions) <= directSteps {
		m := p.re.FindStringSubmatchIndex(s)
		if m == nil || poll == nil {
			return m, nil
		}
		return m, poll(int64(m[1]+1)*int64(instructions), 0)
	}
	r := &pollReader{s: s, every: max(1, directSteps/instructions), steps: int64(instructions), poll: poll}
	m := p.re.FindReaderSubmatchIndex(r)
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// pollReader passes a string to the matcher. The matcher takes an error for the end of the input,
// so it stops soon after one.
type pollReader struct {
	s     string
	every int   // code points between polls
	count int   // code points since the last poll
	steps int64 // steps for each code point
	poll  Poll
	err   error
}

// ReadRune implements io.RuneReader.
func (r *pollReader) ReadRune() (c rune, size int, err error) {
	if r.count++; r.count >= r.every {
		if r.err == nil {
			r.err = r.poll(int64(r.count)*r.steps, 0)
		}
		r.count = 0
	}
	if r.err != nil {
		return 0, 0, r.err
	}
	if r.s == "" {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRuneInString(r.s)
	r.s = r.s[size:]
	return c, size, nil
}

// stepOver returns the position after the code point at pos. If there is none, the position is
// beyond the string.
func stepOver(s string, pos int) int {
	if pos >= len(s) {
		return len(s) + 1
	}
	_, size := utf8.DecodeRuneInString(s[pos:])
	return pos + size
}

// Scanner finds the matches of a pattern in a string one after another, including the empty ones
// that Matcher.find finds: re-seq of #"a*" in "baac" returns "" "aa" "" "".
type Scanner struct {
	re   *Regexp
	s    string
	pos  int
	loc  []int
	crlf bool
	poll Poll
	m    *machine // if the pattern needs backtracking
}

// Scan returns a Scanner over s. poll may be nil.
func (re *Regexp) Scan(s string, poll Poll) Scanner {
	sc := Scanner{re: re, s: s, crlf: re.crlf(s), poll: poll}
	if re.back != nil {
		sc.m = newMachine(re.back, s, poll)
	}
	return sc
}

// Next returns the next match as Find does, or nil after the last. The next call reuses the slice.
// Each call allocates at most MatchBytes.
func (sc *Scanner) Next() ([]int, error) {
	if sc.pos > len(sc.s) {
		return nil, nil
	}
	loc, err := sc.search()
	if loc == nil || err != nil {
		sc.pos = len(sc.s) + 1
		return nil, err
	}
	sc.loc = loc
	sc.pos = loc[1]
	if loc[0] == loc[1] {
		sc.pos = stepOver(sc.s, loc[1])
	}
	return loc, nil
}

func (sc *Scanner) search() ([]int, error) {
	if sc.m != nil {
		return sc.m.find(sc.loc[:0], sc.pos, false)
	}
	return sc.re.findIn(sc.loc[:0], sc.s, sc.pos, sc.crlf, sc.poll)
}
