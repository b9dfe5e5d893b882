// This file detects texts that would take the parser too long.

package policy

import (
	"fmt"
	"slices"

	yamltoken "github.com/goccy/go-yaml/token"

	"github.com/ptc-lang/ptc/internal/yamltext"
)

const (
	// maxWork bounds the sum of the squares of the numbers of entries of all mappings without
	// braces, because the parser calls itself for each entry. It allows one mapping of MaxEntries,
	// and a tenth more for the mappings in its entries.
	maxWork = MaxEntries * MaxEntries * 11 / 10
	// maxPaths bounds the total bytes of the paths of all entries, which the parser builds.
	maxPaths = 64 << 20
	// maxOdd is the number of tokens that policies do not use, such as the dash of a list or a name
	// without a value. For each of them the parser moves all following tokens.
	maxOdd = 100
)

// tooMuch returns the token at which the text exceeds the work that the parser may do, and the
// reason. It returns nil if the text does not exceed it. The parser is fast for the tokens of
// policies, and quadratic for many others.
func tooMuch(tokens yamltoken.Tokens) (*yamltoken.Token, string) {
	tokens = slices.DeleteFunc(slices.Clone(tokens),
		func(t *yamltoken.Token) bool { return t.Type == yamltoken.CommentType })
	c := cost{levels: []level{{}}}
	for i, t := range tokens {
		var before, after *yamltoken.Token
		if i > 0 {
			before = tokens[i-1]
		}
		if i+1 < len(tokens) {
			after = tokens[i+1]
		}
		c.add(before, t, after)
		switch {
		case len(c.levels) > yamltext.MaxNesting+1:
			return t, fmt.Sprintf("nested deeper than %d levels", yamltext.MaxNesting)
		case c.work > maxWork:
			return t, fmt.Sprintf("too many entries: want at most %d in a mapping", MaxEntries)
		case c.paths > maxPaths:
			return t, fmt.Sprintf("too many entries below long names: a name usually has about %d bytes", usualName)
		case c.odd > maxOdd:
			return t, fmt.Sprintf("got %d elements that policies do not use, such as lists or names without a value", c.odd)
		}
	}
	return nil, ""
}

// usualName is the approximate length of a tool's name.
const usualName = 100

// cost counts the parser's work for the tokens so far.
type cost struct {
	levels           []level // open mappings, innermost last; the first surrounds all
	work, paths, odd int
}

// level is an open mapping.
type level struct {
	braces  bool
	column  int // of its names, if it has no braces
	entries int
	path    int // total bytes of the names on the path to it
	name    int // bytes of its last name
}

func (c *cost) top() *level { return &c.levels[len(c.levels)-1] }

func (c *cost) push(l level) {
	l.path = c.top().path + c.top().name
	c.levels = append(c.levels, l)
}

// add counts a token, given its neighbours. before and after may be nil.
func (c *cost) add(before, t, after *yamltoken.Token) {
	switch t.Type {
	case yamltoken.MappingStartType:
		c.note(before == nil || before.Type == yamltoken.MappingValueType)
		c.push(level{braces: true})
	case yamltoken.MappingEndType:
		c.close()
	case yamltoken.CollectEntryType:
		c.note(before != nil && before.Type != yamltoken.CollectEntryType && before.Type != yamltoken.MappingStartType)
	case yamltoken.MappingValueType:
		c.note(isScalar(before))
		if before != nil {
			c.name(before)
			c.note(hasValue(before, after))
		}
	default:
		of := before != nil && before.Type == yamltoken.MappingValueType
		c.note(isScalar(t) && (of || after != nil && after.Type == yamltoken.MappingValueType))
	}
}

// note counts a token that policies do not have.
func (c *cost) note(fits bool) {
	if !fits {
		c.odd++
	}
}

// name counts an entry of a mapping.
func (c *cost) name(t *yamltoken.Token) {
	if !c.top().braces {
		for len(c.levels) > 1 && !c.top().braces && c.top().column > t.Position.Column {
			c.levels = c.levels[:len(c.levels)-1]
		}
		if top := c.top(); len(c.levels) == 1 || top.column < t.Position.Column {
			c.push(level{column: t.Position.Column})
		}
	}
	top := c.top()
	top.entries++
	top.name = len(t.Value)
	c.paths += top.path + top.name
	if !top.braces {
		c.work += 2*top.entries - 1 // in total, the square of the number of entries
	}
}

// close ends the innermost mapping in braces.
func (c *cost) close() {
	for i, l := range slices.Backward(c.levels) {
		if l.braces {
			c.levels = c.levels[:i]
			return
		}
	}
}

// hasValue reports whether the token after a name and its colon belongs to the value.
func hasValue(name, after *yamltoken.Token) bool {
	switch {
	case after == nil:
		return false
	case after.Type == yamltoken.CollectEntryType || after.Type == yamltoken.MappingEndType ||
		after.Type == yamltoken.SequenceEndType:
		return false
	}
	return after.Position.Line == name.Position.Line || after.Position.Column > name.Position.Column
}

// isScalar reports whether a token is a name, a number or another scalar.
func isScalar(t *yamltoken.Token) bool {
	if t == nil {
		return false
	}
	switch t.Type {
	case yamltoken.StringType, yamltoken.SingleQuoteType, yamltoken.DoubleQuoteType, yamltoken.NullType,
		yamltoken.BoolType,
		yamltoken.IntegerType, yamltoken.BinaryIntegerType, yamltoken.OctetIntegerType, yamltoken.HexIntegerType,
		yamltoken.FloatType, yamltoken.InfinityType, yamltoken.NanType:
		return true
	}
	return false
}
