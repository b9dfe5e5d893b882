// This file writes the log of a run as an ordinary journal.

package dist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/ptc-lang/ptc/runtime/journal"
)

// Export writes the records of a log, in their order, as the journal of a file: one with the effects of the run that
// count, whichever node had them. Its lines are authenticated by the key of the run. An effect that was begun several
// times is so in the journal too, after a line that says that the run was resumed. An error of the sequence is
// returned.
func Export(w io.Writer, records iter.Seq2[[]byte, error], key journal.Key) error {
	e := &export{st: NewState(), effects: map[string]*exported{}}
	at := Position(0)
	for data, err := range records {
		if err != nil {
			return err
		}
		at++
		if err := e.take(at, data); err != nil {
			return err
		}
	}
	if e.st.header == nil {
		return fmt.Errorf("dist: the log has no header: the run was interrupted before it began")
	}
	return journal.Export(w, e.lines(key), key)
}

// export collects the lines of a journal.
type export struct {
	st      *State
	order   []*exported
	effects map[string]*exported // by id
	secrets [][]byte
	final   []byte
	lives   int // the most of an effect
}

// exported is an effect in a journal. A journal has the lines of a life before those of the next life of any effect,
// with a line between them that says that the run was resumed.
type exported struct {
	lives [][]line
}

// line is a record of a journal.
type line struct {
	kind string
	text []byte
}

// take takes the next record of the log.
func (e *export) take(at Position, data []byte) error {
	r, err := Decode(data)
	if err != nil {
		return err
	}
	var doubted bool
	if k := e.st.effects[r.ID]; k != nil {
		doubted = k.InDoubt()
	}
	counts, err := e.st.Apply(at, r)
	if err != nil || !counts {
		return err
	}
	switch r.Kind {
	case Begin, End, Settle:
		x := e.effects[r.ID]
		if x == nil {
			x = &exported{}
			e.effects[r.ID] = x
			e.order = append(e.order, x)
		}
		for i, text := range bytes.Split(r.Line, []byte("\n")) {
			x.add(line{r.parsed[i].Type, text}, doubted)
		}
		e.lives = max(e.lives, len(x.lives))
	case Secret:
		e.secrets = append(e.secrets, r.Line)
	case Final:
		e.final = r.Line
	}
	return nil
}

// add adds a line. doubted reports that the effect is in doubt before it.
func (x *exported) add(l line, doubted bool) {
	last := len(x.lives) - 1
	has := func(kind string) bool {
		return last >= 0 && slices.ContainsFunc(x.lives[last], func(l line) bool { return l.kind == kind })
	}
	switch l.kind {
	case "begin", "skip", "announce":
		if last < 0 || has("begin") || l.kind == "announce" && has(l.kind) {
			x.lives = append(x.lives, nil)
			last++
		}
	case "settle":
		if doubted { // which is settled after the process has ended that began it
			x.lives = append(x.lives, nil)
			last++
		}
	case "end":
		if last > 0 && !has("begin") { // the late end of a write that was settled in the meantime: it has the truth
			x.lives = x.lives[:last]
			last--
		}
	}
	x.lives[last] = append(x.lives[last], l)
}

// lines returns the lines of the journal, in their order.
func (e *export) lines(key journal.Key) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		header, err := journal.HeaderRecord(e.st.header, key)
		if !yield(header, err) {
			return
		}
		for _, s := range e.secrets {
			if !yield(s, nil) {
				return
			}
		}
		for life := range e.lives {
			if life > 0 && !yield(resumed(e.order, life, key), nil) {
				return
			}
			for _, x := range e.order {
				if life >= len(x.lives) {
					continue
				}
				for _, l := range x.lives[life] {
					if !yield(l.text, nil) {
						return
					}
				}
			}
		}
		if e.final != nil {
			yield(e.final, nil)
		}
	}
}

// resumed returns the line before the lines of a life, with the first of their times.
func resumed(all []*exported, life int, key journal.Key) []byte {
	first := int64(-1)
	for _, x := range all {
		if life >= len(x.lives) {
			continue
		}
		var has struct {
			At int64 `json:"at"`
		}
		if json.Unmarshal(x.lives[life][0].text, &has) == nil && has.At > 0 && (first < 0 || has.At < first) {
			first = has.At
		}
	}
	return journal.ResumeRecord(max(first, 0), key)
}
