package jregex

// This file defines sets of code points.

import (
	"slices"
	"unicode"
)

// set is a sorted list of disjoint, non-adjacent ranges. Operations return new sets.
type set []span

type span struct{ lo, hi rune }

func single(r rune) set { return set{{r, r}} }

func rangeOf(lo, hi rune) set { return set{{lo, hi}} }

// chars returns the set of the characters of a string.
func chars(s string) set {
	var b []span
	for _, r := range s {
		b = append(b, span{r, r})
	}
	return normalize(b)
}

// normalize sorts and merges ranges, in place.
func normalize(s []span) set {
	slices.SortFunc(s, func(a, b span) int { return int(a.lo) - int(b.lo) })
	out := s[:0]
	for _, r := range s {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
		} else {
			out = append(out, r)
		}
	}
	return out
}

func union(sets ...set) set {
	var all []span
	for _, s := range sets {
		all = append(all, s...)
	}
	return normalize(all)
}

func (s set) negate() set {
	out := make(set, 0, len(s)+1)
	next := rune(0)
	for _, r := range s {
		if r.lo > next {
			out = append(out, span{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

func (s set) intersect(t set) set {
	var out set
	for i, j := 0, 0; i < len(s) && j < len(t); {
		lo, hi := max(s[i].lo, t[j].lo), min(s[i].hi, t[j].hi)
		if lo <= hi {
			out = append(out, span{lo, hi})
		}
		if s[i].hi < t[j].hi {
			i++
		} else {
			j++
		}
	}
	return out
}

func (s set) minus(t set) set { return s.intersect(t.negate()) }

func (s set) contains(r rune) bool {
	_, ok := slices.BinarySearchFunc(s, r, func(x span, r rune) int {
		switch {
		case x.hi < r:
			return -1
		case x.lo > r:
			return 1
		}
		return 0
	})
	return ok
}

// table converts tables of package unicode to a set.
func table(tables ...*unicode.RangeTable) set {
	var out []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			out = append(out, span{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return normalize(out)
}

// foldASCII adds the other case of the ASCII letters of s.
func foldASCII(s set) set {
	out := slices.Clone(s)
	for c := rune('a'); c <= 'z'; c++ {
		if upper := c - 'a' + 'A'; s.contains(c) || s.contains(upper) {
			out = append(out, span{c, c}, span{upper, upper})
		}
	}
	return normalize(out)
}

// foldUnicode adds every code point whose upper case, or the lower case of that, is in s. This is
// Java's UNICODE_CASE.
func foldUnicode(s set) set {
	out := slices.Clone(s)
	for _, cr := range unicode.CaseRanges {
		for r := rune(cr.Lo); r <= rune(cr.Hi); r++ {
			upper := unicode.ToUpper(r)
			if s.contains(upper) || s.contains(unicode.ToLower(upper)) {
				out = append(out, span{r, r})
			}
		}
	}
	return normalize(out)
}
