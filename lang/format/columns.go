// This file defines columns: forms and trailing comments that the author has set
// under each other.

package format

import "strings"

// columns are the columns of a source.
type columns struct {
	known    bool // the forms' columns are known: the first walk is over
	settled  bool // and final
	sets     map[columnKey]*column
	list     []*column // the valid ones
	pad      []int     // of each form in a column, the further blanks before it
	comments []*column
	at       map[int]int // where the comments in columns begin
}

// columnKey names a column of forms: their table, and where the source has them.
type columnKey struct{ table, col int }

// column is a set of items that begin in one column.
type column struct {
	items []int
	wide  bool // an item is set off by more than one blank
	gap   int  // of comments, the fewest blanks before one
}

func newColumns(items []item) *columns {
	c := &columns{sets: make(map[columnKey]*column), pad: make([]int, len(items)), at: make(map[int]int)}
	c.findComments(items)
	return c
}

// form returns the further blanks before form i of a table.
func (c *columns) form(i int, it *item, table int) int {
	if c.known {
		return c.pad[i]
	}
	p := columnKey{table, it.col}
	s := c.sets[p]
	if s == nil {
		s = &column{}
		c.sets[p] = s
	}
	s.items = append(s.items, i)
	s.wide = s.wide || it.blanks > 1
	return 0
}

// comment returns the column of comment i, if it is in one.
func (c *columns) comment(i int) (column int, ok bool) {
	column, ok = c.at[i]
	return column, ok
}

// adjust moves the columns after a walk; ends says where each item would begin
// without them. It returns false when nothing moved.
func (c *columns) adjust(ends []int) bool {
	if !c.known {
		c.choose()
	}
	if c.settled {
		return false
	}
	moved := false
	for _, s := range c.list {
		to := 0
		for _, i := range s.items {
			to = max(to, ends[i])
		}
		for _, i := range s.items {
			if n := to - ends[i]; c.pad[i] != n {
				c.pad[i], moved = n, true
			}
		}
	}
	if moved {
		return true
	}
	c.settled = true
	return c.settleComments(ends)
}

// choose keeps the columns in which at least one of several forms is set off by more than a blank: in
// others the alignment is accidental.
func (c *columns) choose() {
	c.known = true
	for _, s := range c.sets {
		if s.wide && len(s.items) > 1 {
			c.list = append(c.list, s)
		}
	}
	c.sets = nil
}

// inUse reports whether there are columns of forms.
func (c *columns) inUse() bool { return len(c.list) > 0 }

// drop abandons them.
func (c *columns) drop() {
	c.list = nil
	clear(c.pad)
	c.settled = false
	clear(c.at)
}

// findComments finds the comments that begin in the same column on successive lines. A comment on a
// separate line continues the comment above it if it begins with as many semicolons.
func (c *columns) findComments(items []item) {
	var run *column
	last := -1
	for i := range items {
		it := &items[i]
		if it.kind != comment {
			continue
		}
		loose := i > 0 && it.breaks == 0 && items[i-1].kind != comment
		follows := last >= 0 && items[last].line+1 == it.line && items[last].col == it.col
		last = i
		switch {
		case follows && run != nil && (loose || semicolons(it.text) == semicolons(items[i-1].text)):
		case loose:
			run = &column{gap: max(1, it.blanks)}
			c.comments = append(c.comments, run)
		default:
			run = nil
			continue
		}
		run.items = append(run.items, i)
		if loose {
			run.gap = min(run.gap, max(1, it.blanks))
		}
	}
}

func semicolons(text string) int { return len(text) - len(strings.TrimLeft(text, ";")) }

// settleComments puts the comments after the longest of their lines.
func (c *columns) settleComments(ends []int) bool {
	for _, s := range c.comments {
		if len(s.items) == 1 {
			continue
		}
		to := 0
		for _, i := range s.items {
			to = max(to, ends[i]+s.gap)
		}
		for _, i := range s.items {
			c.at[i] = to
		}
	}
	return len(c.at) > 0
}
