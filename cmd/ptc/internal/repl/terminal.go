// This file defines the Editor of terminals.

package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/chzyer/readline"
)

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return readline.IsTerminal(int(f.Fd())) }

// Width returns the width of the terminal that the process writes to, 80 if that is not
// known. The line editor divides by widths, so there is a least one.
func Width() int {
	switch w := readline.GetScreenWidth(); {
	case w <= 0:
		return 80
	default:
		return max(w, minWidth)
	}
}

const minWidth = 24

// Height returns the height of the terminal that the process writes to, 24 if that is not
// known.
func Height() int {
	_, height, err := readline.GetSize(int(os.Stdout.Fd()))
	if err != nil || height <= 0 {
		return 24
	}
	return height
}

// Terminal is an Editor with a history and completion.
type Terminal struct {
	line     *readline.Instance
	mode     *mode
	stop     io.Closer // of the input
	history  *History
	warn     func(error)
	complete func(before string) (string, []string)
	pasting  atomic.Bool
	edit     atomic.Pointer[edit]
	more     atomic.Pointer[string] // the last entry of a list of candidates; nil if there was none
}

// edit changes the line, for a key that the line editor does not know.
type edit func(line []rune, pos int) []rune

// The escapes by which a terminal marks pasted text.
const (
	markPastes = "\x1b[?2004h"
	leaveMarks = "\x1b[?2004l"
)

// NewTerminal returns the editor of the terminal that the process reads from. warn is called once if the
// history can't be written, with the reason.
func NewTerminal(h *History, warn func(error)) (*Terminal, error) {
	m, err := newMode()
	if err != nil {
		return nil, err
	}
	in := readline.NewCancelableStdin(readline.Stdin)
	t := &Terminal{mode: m, stop: in, history: h, warn: warn}
	t.line, err = readline.NewEx(&readline.Config{
		AutoComplete:           t,
		Painter:                painter{},
		HistoryLimit:           maxEntries + 2, // with the line that is edited
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		EOFPrompt:              "\n",
		FuncGetWidth:           Width,
		FuncIsTerminal:         func() bool { return true },
		FuncMakeRaw:            m.edit,
		FuncExitRaw:            m.run,
		FuncFilterInputRune:    t.filter,
		Listener:               readline.FuncListener(t.change),
		Stdin:                  io.NopCloser(&keys{in: in}),
	})
	if err != nil {
		return nil, err
	}
	fmt.Fprint(t.line.Stdout(), markPastes)
	return t, nil
}

// ReadLine implements Editor.
func (t *Terminal) ReadLine(ctx context.Context, prompt, indent string) (string, error) {
	stop := context.AfterFunc(ctx, func() { t.stop.Close() })
	defer stop()
	t.load()
	t.line.SetPrompt(prompt)
	if t.pasting.Load() {
		indent = "" // pasted text has its own indentation
	}
	if err := t.mode.edit(); err != nil { // before the prompt says that keys are taken
		return "", err
	}
	line, err := t.line.ReadlineWithDefault(indent)
	if errors.Is(err, readline.ErrInterrupt) {
		return "", ErrInterrupted
	}
	line = t.withoutMore(line)
	t.more.Store(nil)
	return line, err
}

// load passes the history to the line editor. The editor's own history has lines instead of forms, and does
// not reliably keep a line that was edited after going back to it.
func (t *Terminal) load() {
	t.line.ResetHistory()
	for _, entry := range t.history.entries {
		t.line.SaveHistory(entry)
	}
	if len(t.history.entries) == 0 {
		t.line.SaveHistory("") // the editor's search fails without any entry
	}
}

// Remember implements Editor.
func (t *Terminal) Remember(entry string) {
	if err := t.history.Add(entry); err != nil && t.warn != nil {
		t.warn(err)
		t.warn = nil
	}
}

// Complete implements Editor.
func (t *Terminal) Complete(f func(before string) (string, []string)) { t.complete = f }

// Close restores the terminal.
func (t *Terminal) Close() error {
	fmt.Fprint(t.line.Stdout(), leaveMarks)
	t.stop.Close()
	return errors.Join(t.line.Close(), t.mode.restore())
}

// nothing is a key without effect.
const nothing = readline.CharBell

// filter takes the keys that the line editor does not know, or would take for something
// else. The goroutine of the editor calls it.
func (t *Terminal) filter(c rune) (rune, bool) {
	switch {
	case c == pasteBegins, c == pasteEnds:
		t.pasting.Store(c == pasteBegins)
		return nothing, true
	case c == deleteKey:
		t.apply(deleteAt)
		return nothing, true
	case c == readline.CharCtrlZ: // the editor would stop the process that has started this one, too
		t.mode.suspend()
		t.apply(func(line []rune, _ int) []rune { return line })
		return nothing, true
	}
	return c, true
}

func (t *Terminal) apply(e edit) { t.edit.Store(&e) }

// change is called by the line editor after each key. The editor reads line and pos one after the other. After the
// key that ends a line, ReadLine may begin the next one in between, so pos may be beyond the end of line.
func (t *Terminal) change(line []rune, pos int, _ rune) ([]rune, int, bool) {
	pos = min(pos, len(line))
	if e := t.edit.Swap(nil); e != nil {
		line = (*e)(line, pos)
		return line, min(pos, len(line)), true
	}
	if before := t.withoutMore(string(line[:pos])); len(before) < len(string(line[:pos])) {
		return append([]rune(before), line[pos:]...), len([]rune(before)), true
	}
	return nil, 0, false
}

func deleteAt(line []rune, pos int) []rune {
	if pos < len(line) {
		line = append(line[:pos], line[pos+1:]...)
	}
	return line
}

// maxCandidates bounds the list of a completion: nobody reads a longer one.
const maxCandidates = 47

// listed returns how many candidates a list has room for: it is at most half as high as the
// terminal, as one that makes the screen scroll could not be taken away again.
func listed(candidates []string, width, height int) int {
	longest := 0
	for _, c := range candidates {
		longest = max(longest, readline.Runes{}.WidthAll([]rune(c)))
	}
	columns := max((width-1)/(longest+1), 1)
	return min(maxCandidates, max(columns*(height/2)-1, 1)) // and how many more there are
}

// Do implements readline.AutoCompleter: it returns the possible continuations, and how much of them is already
// before the cursor.
func (t *Terminal) Do(line []rune, pos int) (rest [][]rune, length int) {
	if t.complete == nil {
		return nil, 0
	}
	word, candidates := t.complete(string(line[:pos]))
	if len(candidates) == 0 {
		return nil, 0
	}
	// If they continue alike, only the common part is completed.
	first, last := candidates[0], candidates[len(candidates)-1]
	if common := commonPrefix(first, last); len(common) > len(word) && len(candidates) > 1 {
		return [][]rune{[]rune(common[len(word):])}, len([]rune(word))
	}
	narrow := candidates
	if len(candidates) > 1 {
		room := Width() - 4 // a column must be narrower than the terminal
		narrow = slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return len(c) > room })
	}
	for _, c := range narrow[:min(len(narrow), listed(narrow, Width(), Height()))] {
		rest = append(rest, []rune(strings.TrimPrefix(c, word)))
	}
	if more := len(candidates) - len(rest); more > 0 && len(rest) > 0 {
		// Only the list can be shown; after the word it reads as the names that begin with it.
		text := fmt.Sprintf("… %d more", more)
		t.more.Store(&text)
		rest = append(rest, []rune(text))
	}
	return rest, len([]rune(word))
}

// withoutMore removes the count of unlisted candidates from a line: it can be chosen from the list like a
// candidate.
func (t *Terminal) withoutMore(line string) string {
	if more := t.more.Load(); more != nil {
		return strings.Replace(line, *more, "", 1)
	}
	return line
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.ToValidUTF8(a[:n], "")
}

// painter corrects how far the line editor moves the cursor back.
type painter struct{}

// Paint implements readline.Painter. The editor moves one column back for each character after the cursor; some
// are wider.
func (painter) Paint(line []rune, pos int) []rune {
	behind := line[min(pos, len(line)):]
	wider := readline.Runes{}.WidthAll(behind) - len(behind)
	if wider <= 0 {
		return line
	}
	return append(append([]rune(nil), line...), []rune(strings.Repeat("\b", wider))...)
}
