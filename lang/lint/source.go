// This file defines source: the brackets of a text, their parts, and where a form of the
// tree stands in it.

package lint

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// place is a stretch of the text: bytes start to end.
type place struct{ start, end int }

// source is a text with its tokens.
type source struct {
	file   *token.File
	tokens []parser.Token
	match  []int          // of an Open token the index of its Close token
	within []int          // of each token the index of the Open token around it, -1 at the top
	words  map[string]int // the last token with a text
}

// newSource cuts a text; it returns nil if that can't be read.
func newSource(file *token.File) *source {
	tokens, err := parser.Tokens(file, limits.Limits{})
	if err != nil {
		return nil
	}
	s := &source{file: file, tokens: tokens, match: make([]int, len(tokens)), within: make([]int, len(tokens)),
		words: make(map[string]int)}
	open := []int{-1}
	for i, t := range tokens {
		if t.Kind == parser.Close {
			s.match[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		s.within[i] = open[len(open)-1]
		switch t.Kind {
		case parser.Open:
			open = append(open, i)
		case parser.Atom:
			s.words[s.word(i)] = i
		}
	}
	return s
}

func (s *source) text(p place) string { return s.file.Source[p.start:p.end] }

// place returns the place of token i.
func (s *source) place(i int) place { return place{s.tokens[i].Start, s.tokens[i].End} }

// word returns the text of token i.
func (s *source) word(i int) string { return s.text(s.place(i)) }

// at returns the index of the token that begins at an offset, -1 if none does.
func (s *source) at(off int) int {
	i, ok := slices.BinarySearchFunc(s.tokens, off, func(t parser.Token, off int) int { return t.Start - off })
	if !ok {
		return -1
	}
	return i
}

// index returns the token at a position of the tree.
func (s *source) index(p token.Pos) int {
	if p == 0 || !s.file.Contains(p) {
		return -1
	}
	return s.at(s.file.Offset(p))
}

// after returns the index of the token after the form that begins with token i: a prefix
// belongs to the form it stands before, and metadata is a form of its own.
func (s *source) after(i int) int {
	for forms := 1; forms > 0 && i < len(s.tokens); forms-- {
		switch s.tokens[i].Kind {
		case parser.Open:
			i = s.match[i]
		case parser.Prefix:
			forms++ // the form after it
			if c := s.word(i); c == "^" || c == "#^" {
				forms++
			}
		}
		i++
	}
	return i
}

// whole returns the place of the form that begins with token i.
func (s *source) whole(i int) place {
	return place{s.tokens[i].Start, s.tokens[s.after(i)-1].End}
}

// parts returns the forms in the brackets that open with token i, without those that #_
// drops.
func (s *source) parts(i int) []int {
	var parts []int
	for j := i + 1; j < s.match[i]; j = s.after(j) {
		if s.word(j) != "#_" {
			parts = append(parts, j)
		}
	}
	return parts
}

// symbol returns the place of a symbol that stands in the text as it is in the tree.
func (s *source) symbol(form value.Value) (place, bool) {
	if !form.IsSymbol() {
		return place{}, false
	}
	sym := form.AsSymbol()
	name := sym.Name
	if sym.NS != "" {
		name = sym.NS + "/" + sym.Name
	}
	i := s.index(sym.Pos)
	if i < 0 || s.word(i) != name {
		return place{}, false
	}
	return s.place(i), true
}

// written returns the opening bracket of a form that the program has itself, with its head
// in front; -1 if it is made. A step of a threading macro is written, though it lacks an
// argument.
func (s *source) written(n *compile.Node) int {
	items, ok := value.RealisedItems(n.Form)
	if !n.Form.Is(lists) || !ok || len(items) == 0 {
		return -1
	}
	open := s.index(n.Pos)
	if open < 0 || s.tokens[open].Kind != parser.Open {
		return -1
	}
	head, ok := s.symbol(items[0])
	if !ok || s.tokens[open+1].Start != head.start {
		return -1
	}
	return open
}

// verbatim is like written, for a form that has in the text all the parts that it has in
// the tree.
func (s *source) verbatim(n *compile.Node) int {
	open := s.written(n)
	if open < 0 {
		return -1
	}
	if items, _ := value.RealisedItems(n.Form); len(s.parts(open)) != len(items) {
		return -1
	}
	return open
}

// parted is like verbatim, and also finds the bracket of #(…), whose parts are those of the call, but which is more
// than the call.
func (s *source) parted(n *compile.Node) int {
	if open := s.verbatim(n); open >= 0 {
		return open
	}
	items, ok := value.RealisedItems(n.Form)
	if !ok || !n.Form.Is(lists) || len(items) == 0 || n.Pos < 2 {
		return -1
	}
	open := s.index(n.Pos - 1)
	if open < 0 || s.word(open) != "#(" || len(s.parts(open)) != len(items) {
		return -1
	}
	return open
}

var lists = value.Kinds(value.KindList, value.KindCons, value.KindChunkedCons, value.KindLazy)
