// This file defines the layout: one walk over the items that writes them with
// their white space. It keeps open brackets on its own stack.

package format

import (
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
)

// frame is an open bracket, or a prefix that waits for its form.
type frame struct {
	prefix  bool
	waits   int  // forms that a prefix still waits for
	discard bool // the prefix #_

	list  bool // a call; other brackets are aligned under their first form
	open  int  // the item that opened it
	base  int  // the column of ( in a list
	inner int  // the column after the opening bracket
	rule  rule
	data  bool    // a list whose first form can't be called
	forms int     // forms begun and complete so far
	arg   int     // the column of form 1
	first [4]bool // whether form i begins its line
	table int     // the key of the columns of its forms
}

// layout is one walk.
type layout struct {
	items     []item
	most      int // bytes of text
	out       strings.Builder
	col       int  // in code points
	inString  bool // the line began in a string
	leads     bool // the form that began last is the first of its line in its bracket
	paragraph int  // the item that began the top-level forms since the last blank line
	frames    []frame

	columns *columns // the aligned forms
	ends    []int    // where each item in a column would begin without it
}

// maxWalks bounds the walks. Each walk moves the columns to the places that the previous one computed, only
// to the right, so that they settle, mostly after two walks, in the leftmost consistent places. A source
// that needs more loses its columns: a table with very many of them, or one so badly indented that columns
// depend on each other in a cycle.
const maxWalks = 64

// layOut returns the text of the items.
func layOut(items []item, most int) (string, *diag.Error) {
	cols := newColumns(items)
	for n := 1; ; n++ {
		l := &layout{items: items, most: most, columns: cols, ends: make([]int, len(items))}
		fits := l.walk()
		switch {
		case cols.inUse() && (!fits || n == maxWalks):
			cols.drop()
		case !fits:
			return "", diag.New(diag.SourceTooLarge, token.Span{},
				"formatted, the source would take more than the %d bytes that a source may have", most).
				WithHint("break the long lines: forms are indented to the columns of what they are in")
		case !cols.adjust(l.ends):
			return l.out.String(), nil
		}
	}
}

// walk writes all items; false if there is too much of it.
func (l *layout) walk() bool {
	for i := range l.items {
		it := &l.items[i]
		l.separate(i, it)
		if it.kind != parser.Close && it.kind != comment {
			l.begin(i, it)
		}
		switch it.kind {
		case parser.Open:
			l.write(it.text)
			l.push(i, it)
		case parser.Close:
			l.frames = l.frames[:len(l.frames)-1]
			l.write(it.text)
			l.deliver()
		case parser.Prefix:
			l.write(it.text)
			l.pushPrefix(it)
		case parser.Atom:
			l.write(it.text)
			l.deliver()
		default:
			l.write(it.text)
		}
		if l.out.Len() > l.most {
			return false
		}
	}
	if l.out.Len() > 0 {
		l.out.WriteByte('\n')
	}
	return true
}

// write writes the text of an item.
func (l *layout) write(text string) {
	l.out.WriteString(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		l.col, l.inString = 0, true
		text = text[i+1:]
	}
	l.col += utf8.RuneCountInString(text)
}

func (l *layout) blanks(n int) {
	// No line of a text that fits is longer, so a cut line is refused.
	n = min(n, l.most+1)
	l.out.WriteString(strings.Repeat(" ", n))
	l.col += n
}

// newline ends the line, with a blank line if there were some.
func (l *layout) newline(breaks int) {
	l.out.WriteByte('\n')
	if breaks > 1 {
		l.out.WriteByte('\n')
	}
	l.col, l.inString = 0, false
}

// separate writes the white space before item i.
func (l *layout) separate(i int, it *item) {
	if i == 0 {
		return
	}
	prev := &l.items[i-1]
	switch {
	case prev.kind == comment && it.kind == parser.Close:
		l.newline(1)
		l.indent()
	case prev.kind == comment:
		l.breakLine(i, it.breaks)
	case it.kind == parser.Close:
		if it.commas > 1 { // (map f ,,,) shows where a threaded form goes
			l.blanks(1)
			l.write(strings.Repeat(",", it.commas))
		}
	case prev.kind == parser.Open, l.inPrefix():
		switch {
		case it.breaks > 0 && (it.kind == comment || l.inPrefix()):
			l.breakLine(i, 1)
		case it.kind == comment:
			l.toComment(i, it)
		case prev.kind != parser.Open:
			l.blanks(glue(prev, it))
		}
	default:
		l.commas(it)
		switch {
		case it.breaks > 0:
			l.breakLine(i, it.breaks)
		case it.kind == comment:
			l.toComment(i, it)
		default:
			l.blanks(1)
		}
	}
}

// commas writes the commas before an item: one after the form before it, several
// where they stand.
func (l *layout) commas(it *item) {
	if it.commas > 1 {
		l.blanks(1)
	}
	l.write(strings.Repeat(",", it.commas))
}

// breakLine begins a line for item i.
func (l *layout) breakLine(i, breaks int) {
	l.newline(breaks)
	if to, ok := l.columns.comment(i); ok {
		l.blanks(to)
		return
	}
	l.indent()
}

// toComment writes the blanks before a comment on the line of other forms.
func (l *layout) toComment(i int, it *item) {
	l.ends[i] = l.col
	if to, ok := l.columns.comment(i); ok {
		l.blanks(max(1, to-l.col))
		return
	}
	l.blanks(max(1, it.blanks))
}

// glue returns the blanks between a prefix, or its complete forms, and the next form.
func glue(prev, it *item) int {
	switch {
	case prev.kind != parser.Prefix: // the metadata before its form
		return 1
	case prev.text == "~" && strings.HasPrefix(it.text, "@"): // not ~@
		return 1
	case prev.text == "#_":
		return min(1, it.blanks)
	case isTag(prev.text):
		return 1
	}
	return 0
}

// isTag reports whether a prefix is a tag such as #inst.
func isTag(text string) bool {
	return len(text) > 1 && text[0] == '#' && !strings.ContainsRune("'^_?:", rune(text[1]))
}

func (l *layout) inPrefix() bool { return len(l.frames) > 0 && l.frames[len(l.frames)-1].prefix }

// bracket returns the innermost open bracket among frames, or nil.
func bracket(frames []frame) (f *frame, outer []frame) {
	for i := len(frames) - 1; i >= 0; i-- {
		if !frames[i].prefix {
			return &frames[i], frames[:i]
		}
	}
	return nil, nil
}

// begin notes where a form of the innermost bracket begins, and moves it into its
// column.
func (l *layout) begin(i int, it *item) {
	if l.inPrefix() {
		return
	}
	starts := i == 0 || it.breaks > 0 && l.items[i-1].kind != parser.Open || l.items[i-1].kind == comment
	if len(l.frames) == 0 {
		if it.breaks > 1 || i == 0 {
			l.paragraph = i
		}
		l.leads = starts
		return
	}
	f := &l.frames[len(l.frames)-1]
	l.leads = starts || f.forms == 0
	// Form 1 of a list stands in no column: other lines are aligned under it.
	if !starts && !l.inString && (f.forms > 1 || f.forms > 0 && !f.list) {
		l.ends[i] = l.col
		l.blanks(l.columns.form(i, it, f.table))
	}
	if it.text != "#_" {
		f.note(it, starts, l.col)
	}
}

// note notes the next form of a bracket.
func (f *frame) note(it *item, starts bool, col int) {
	if f.forms < len(f.first) {
		f.first[f.forms] = starts
	}
	switch f.forms {
	case 0:
		if it.kind == parser.Atom {
			f.rule = ruleOf(it.text)
			f.data = strings.ContainsRune(`"\0123456789+-`, rune(it.text[0])) && !isName(it.text)
		}
	case 1:
		f.arg = col
	}
}

// isName reports whether an atom that begins with a sign is a symbol.
func isName(text string) bool {
	return (text[0] == '+' || text[0] == '-') && (len(text) == 1 || text[1] < '0' || text[1] > '9')
}

// push opens the bracket of item i.
func (l *layout) push(i int, it *item) {
	f := frame{open: i, inner: l.col, base: l.col - 1, table: l.table(i), rule: rules[entry.IndentCall]}
	f.list = it.text == "(" || it.text == "#("
	if i > 0 && strings.HasPrefix(l.items[i-1].text, "#?") && l.items[i-1].kind == parser.Prefix {
		f.list = false // a reader conditional is pairs
	}
	l.frames = append(l.frames, f)
}

// table returns the key of the columns of the bracket of item i: the enclosing bracket if this one begins a
// line there, so that the rows of a table share columns.
func (l *layout) table(i int) int {
	switch p, _ := bracket(l.frames); {
	case !l.leads:
		return i
	case p == nil:
		return -1 - l.paragraph
	default:
		return p.open
	}
}

func (l *layout) pushPrefix(it *item) {
	f := frame{prefix: true, waits: 1, discard: it.text == "#_"}
	if it.text == "^" || it.text == "#^" {
		f.waits = 2
	}
	l.frames = append(l.frames, f)
}

// deliver counts a complete form.
func (l *layout) deliver() {
	for n := len(l.frames); n > 0; n = len(l.frames) {
		f := &l.frames[n-1]
		if !f.prefix {
			f.forms++
			return
		}
		if f.waits--; f.waits > 0 {
			return
		}
		l.frames = l.frames[:n-1]
		if f.discard {
			return
		}
	}
}

// indent writes the blanks before a form that begins a line.
func (l *layout) indent() {
	f, outer := bracket(l.frames)
	switch {
	case f == nil:
	case !f.list, f.forms == 0, f.data:
		l.blanks(f.inner)
	case f.rule.body, isMethod(outer),
		f.rule.block >= 0 && f.forms > f.rule.block && (f.forms == f.rule.block+1 || f.first[f.rule.block+1]):
		l.blanks(f.base + 2)
	case f.forms == 1:
		l.blanks(f.inner)
	default:
		l.blanks(f.arg)
	}
}

// isMethod reports whether a list in these brackets is a method of a type, or a
// function of letfn.
func isMethod(outer []frame) bool {
	p, rest := bracket(outer)
	if p == nil {
		return false
	}
	if p.list {
		return p.rule.inner == 1
	}
	f, _ := bracket(rest)
	return f != nil && f.list && f.rule.inner == 2 && f.forms == 1
}
