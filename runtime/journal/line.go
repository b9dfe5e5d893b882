// This file defines how the lines of a journal are written.

package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// line is a JSON object that is being built, without its closing brace. Package json is not used,
// because it may change the bytes of the payloads.
type line []byte

func newLine(of string) line { return append(make(line, 0, 256), `{"t":"`+of+`"`...) }

func (l line) field(name string) line {
	l = append(l, ',', '"')
	l = append(l, name...)
	return append(l, '"', ':')
}

func (l line) number(name string, n int64) line {
	return strconv.AppendInt(l.field(name), n, 10)
}

func (l line) text(name, s string) line {
	quoted, _ := json.Marshal(s) // a string cannot fail
	return append(l.field(name), quoted...)
}

// key adds the name of a key, if there is one.
func (l line) key(id string) line {
	if id == "" {
		return l
	}
	return l.text("key", id)
}

// raw adds a checked JSON text.
func (l line) raw(name string, text []byte) line {
	return append(l.field(name), orNull(text)...)
}

// hidden adds the sealed text of secrets, if there are any.
func (l line) hidden(text *string) line {
	if text == nil {
		return l
	}
	return l.text("hidden", *text)
}

// outcome adds result or error.
func (l line) outcome(o effect.Record) line {
	if o.Failed() {
		return l.raw("error", o.Error)
	}
	return l.raw("result", o.Result)
}

// end returns the record.
func (l line) end() []byte { return append(l, '}') }

// checkPayload refuses payloads that would make the file unreadable.
func checkPayload(what string, text []byte) error {
	switch {
	case text == nil:
		return nil
	case bytes.ContainsAny(text, "\n\r"):
		return fmt.Errorf("journal: %s: got several lines, want JSON on one line", what)
	case !json.Valid(text):
		return fmt.Errorf("journal: %s: got text that is not JSON: %s", what, cut(string(text), 0))
	}
	return nil
}

func orNull(text []byte) []byte {
	if text == nil {
		return []byte("null")
	}
	return text
}

// beginLine is written before an effect happens. Its arguments were checked.
func beginLine(e *Entry, args []byte, c *clock, hidden *string) []byte {
	return newLine("begin").entry(e, args, c, hidden).end()
}

// entry adds the members of an effect. Its arguments may have been replaced by their hash in e.
func (l line) entry(e *Entry, args []byte, c *clock, hidden *string) line {
	l = l.text("id", e.ID).number("attempt", int64(e.Attempt)).text("kind", string(e.Kind)).text("name", e.Name).
		text("class", e.Class.String()).worker(e.Node, e.Worker).number("at", int64(e.Start.Sub(c.start)))
	if len(e.Waits) > 0 {
		l = l.waits(e.Waits, c)
	}
	return l.raw("args", args).hidden(hidden)
}

// worker adds the worker of an effect, and its node if it has a name.
func (l line) worker(node string, worker int) line {
	if node != "" {
		l = l.text("node", node)
	}
	return l.number("worker", int64(worker))
}

// waits adds the waits before an effect.
func (l line) waits(waits []effect.Wait, c *clock) line {
	l = l.field("waits")
	sep := byte('[')
	for _, w := range waits {
		l = append(append(append(append(l, sep), `{"for":"`...), w.Kind...), '"')
		l = l.text("key", w.Key).number("at", int64(c.at(w.Start))).number("took", int64(w.Duration))
		l, sep = append(l, '}'), ','
	}
	return append(l, ']')
}

// endLine is written when it has happened.
func endLine(id string, took int64, o effect.Record, hidden *string) ([]byte, error) {
	if err := checkPayload("the outcome of effect "+id, *o.Payload()); err != nil {
		return nil, err
	}
	return newLine("end").text("id", id).number("took", took).outcome(o).hidden(hidden).end(), nil
}

// withdrawLine is written when it has not happened and never will.
func withdrawLine(id string) []byte { return newLine("withdraw").text("id", id).end() }

// headerLine is the first of a file. key names the key of the lines, "" for none.
func headerLine(h *Header, key string) ([]byte, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	tools, err := json.Marshal(h.Tools)
	if err != nil {
		return nil, err
	}
	return newLine("run").number("v", Version).key(key).text("run", h.Run).text("start", h.Start.UTC().Format(timeLayout)).
		text("program", h.Program).text("source", h.Source).raw("seed", strconv.AppendUint(nil, h.Seed, 10)).
		raw("data", h.Data).raw("options", h.Options).raw("tools", tools).end(), nil
}

func (h *Header) check() error {
	for _, text := range []string{h.Run, h.Program, h.Source} {
		if !utf8.ValidString(text) {
			return errors.New("journal: the program or its name is not UTF-8")
		}
	}
	return errors.Join(checkPayload("the input", h.Data), checkPayload("the options", h.Options))
}

// resumeLine is written when a run is resumed. key names the key of the lines from it on.
func resumeLine(at int64, key string) []byte {
	return newLine("resume").number("at", at).key(key).end()
}

// stopLine is written when a bound has stopped the run.
func stopLine(how []byte) []byte { return newLine("stop").raw("how", how).end() }

// secretLine is written when the run has met a secret.
func secretLine(sealed string) []byte { return newLine("secret").hidden(&sealed).end() }

// finalLine is the last of a run that has ended.
func finalLine(f Final, hidden *string) ([]byte, error) {
	if f.Error == nil {
		if !utf8.ValidString(f.Value) {
			return nil, errors.New("journal: the value of the run is not UTF-8")
		}
		return newLine("final").text("value", f.Value).hidden(hidden).end(), nil
	}
	if err := checkPayload("the error of the run", f.Error); err != nil {
		return nil, err
	}
	return newLine("final").raw("error", f.Error).hidden(hidden).end(), nil
}

// trimUTF8 drops the halves of characters that a cut has left.
func trimUTF8(s string) string { return strings.ToValidUTF8(s, "") }
