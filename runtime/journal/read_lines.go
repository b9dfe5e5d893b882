// This file reads the lines of a journal.

package journal

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// wire has the fields of all lines.
type wire struct {
	T       string            `json:"t"`
	V       int64             `json:"v"`
	Key     string            `json:"key"`
	Run     string            `json:"run"`
	Start   string            `json:"start"`
	Program string            `json:"program"`
	Source  string            `json:"source"`
	Seed    uint64            `json:"seed"`
	Data    json.RawMessage   `json:"data"`
	Options json.RawMessage   `json:"options"`
	Tools   map[string]string `json:"tools"`
	ID      string            `json:"id"`
	Attempt int               `json:"attempt"`
	Kind    effect.Kind       `json:"kind"`
	Name    string            `json:"name"`
	Class   string            `json:"class"`
	Node    string            `json:"node"`
	Worker  int               `json:"worker"`
	At      int64             `json:"at"`
	Waits   []wireWait        `json:"waits"`
	Args    json.RawMessage   `json:"args"`
	Hidden  *string           `json:"hidden"`
	Sealed  *string           `json:"sealed"`
	Took    int64             `json:"took"`
	As      string            `json:"as"`
	Value   *string           `json:"value"`
	Token   string            `json:"token"`
	Place   string            `json:"place"`
	How     json.RawMessage   `json:"how"`
	Result  json.RawMessage   `json:"result"`
	Error   json.RawMessage   `json:"error"`
}

// wireWait is an effect.Wait in a line.
type wireWait struct {
	For  effect.WaitKind `json:"for"`
	Key  string          `json:"key"`
	At   int64           `json:"at"`
	Took int64           `json:"took"`
}

// take takes a line, without its newline.
func (r *reader) take(text []byte) error {
	body, sum, mac, ok := parts(text)
	if !ok || !r.rec.seal.sums(body, sum) {
		return r.damage("its checksum does not match the lines up to it: a line was changed, removed or added")
	}
	var w wire
	if err := json.Unmarshal(text, &w); err != nil {
		return r.damage("%v", err)
	}
	if err := r.authenticate(&w, body, mac); err != nil {
		return err
	}
	return r.accept(&w)
}

// accept adds a line to the recording.
func (r *reader) accept(w *wire) error {
	switch {
	case r.line == 1 && w.T != "run":
		return r.damage("a journal begins with a line of type run, got %q", cut(w.T, 0))
	case r.rec.Final != nil:
		return r.damage("there is more after the end of the run")
	case r.rec.Stopped != nil && w.T != "resume":
		return r.damage("a run that was stopped continues")
	}
	switch w.T {
	case "run":
		return r.header(w)
	case "announce":
		return r.announce(w)
	case "suspend":
		return r.suspend(w)
	case "begin":
		return r.begin(w)
	case "skip":
		return r.skip(w)
	case "end":
		return r.end(w)
	case "withdraw":
		return r.withdraw(w)
	case "settle":
		return r.settle(w)
	case "resume":
		r.rec.Resumed, r.rec.Stopped = append(r.rec.Resumed, r.time(w.At)), nil
		return nil
	case "stop":
		if r.rec.Stopped = w.How; w.How == nil {
			return r.damage("it does not say how the run was stopped")
		}
		return nil
	case "secret":
		if r.rec.secrets = append(r.rec.secrets, orEmpty(w.Hidden)); w.Hidden == nil {
			return r.damage("it has no secret")
		}
		return nil
	case "final":
		return r.final(w)
	}
	return r.damage("it is of the unknown type %q", cut(w.T, 0))
}

func (r *reader) header(w *wire) error {
	if r.line != 1 {
		return r.damage("a second header")
	}
	if w.V != Version {
		return r.damage("the format has version %d, this reads %d", w.V, Version)
	}
	start, err := time.Parse(timeLayout, w.Start)
	if err != nil {
		return r.damage("the start %q is not a time, want one as in 2026-03-01T12:00:00Z", cut(w.Start, 0))
	}
	r.rec.Key = w.Key
	r.rec.Header = Header{Run: w.Run, Program: w.Program, Source: w.Source, Seed: w.Seed, Tools: w.Tools, Start: start,
		Data: orNil(w.Data), Options: orNil(w.Options)}
	return nil
}

// effect returns the entry of a line that begins or announces an effect.
func (r *reader) effect(w *wire) (e Entry, err error) {
	var class effect.Class
	if class.UnmarshalText([]byte(w.Class)) != nil {
		return e, r.damage("effect %s has class %q", cut(w.ID, 0), cut(w.Class, 0))
	}
	e = Entry{Effect: effect.Effect{ID: w.ID, Kind: w.Kind, Name: w.Name, Class: class, Args: orNil(w.Args),
		Hidden: w.hides(), Worker: w.Worker},
		Node: w.Node, Attempt: w.Attempt, Session: len(r.rec.Resumed), Start: r.time(w.At)}
	if err := check(&e.Effect); err != nil {
		return e, r.damage("%v", err)
	}
	return e, nil
}

// enter adds the entry of an effect that the recording did not have.
func (r *reader) enter(e Entry) error {
	if len(r.rec.Entries) >= r.effects {
		return r.damage("there are more than %d effects", r.effects)
	}
	r.rec.byID[e.ID] = len(r.rec.Entries)
	r.rec.Entries = append(r.rec.Entries, e)
	return nil
}

// waits adds the waits of a line to its entry.
func (r *reader) waits(w *wire, e *Entry) error {
	for _, wait := range w.Waits {
		switch {
		case !slices.Contains(effect.WaitKinds[:], wait.For):
			return r.damage("effect %s has waited for %q, want one of %v", w.ID, cut(string(wait.For), 0), effect.WaitKinds)
		case wait.Took < 0:
			return r.damage("effect %s has waited %d ns", w.ID, wait.Took)
		case len(w.Waits) > len(effect.WaitKinds):
			return r.damage("effect %s has waited %d times, want one time for each of %v at most",
				w.ID, len(w.Waits), effect.WaitKinds)
		}
		e.Waits = append(e.Waits, effect.Wait{Kind: wait.For, Key: wait.Key,
			Start: r.time(wait.At), Duration: time.Duration(wait.Took)})
	}
	return nil
}

func (r *reader) begin(w *wire) error {
	e, err := r.effect(w)
	if err != nil {
		return err
	}
	if err := r.waits(w, &e); err != nil {
		return err
	}
	i, again := r.rec.byID[w.ID]
	if !again {
		if w.Attempt != 1 {
			return r.damage("effect %s begins with attempt %d", w.ID, w.Attempt)
		}
		return r.enter(e)
	}
	last := &r.rec.Entries[i]
	switch {
	case last.Done || last.Attempt > 0 && last.Session == e.Session || w.Attempt != last.Attempt+1 ||
		last.Pends == effect.PendingOutcome:
		return r.damage("effect %s is begun a second time", w.ID)
	case r.rec.inDoubt(last):
		return r.damage("effect %s is begun again while it is in doubt", w.ID)
	case !sameAgain(&last.Effect, &e.Effect):
		return r.damage("effect %s is begun again as another one", w.ID)
	}
	e.approvedAs(last)
	*last = e
	return nil
}

// open returns the entry of an effect that is begun and not ended.
func (r *reader) open(id string) (*Entry, error) {
	i, ok := r.rec.byID[id]
	if !ok || r.rec.Entries[i].Done || r.rec.Entries[i].Withdrawn {
		return nil, r.damage("effect %s is not under way", cut(id, 0))
	}
	return &r.rec.Entries[i], nil
}

// openOrSettled is open, and also returns an effect that was suspended and settled, which may continue.
func (r *reader) openOrSettled(id string) (*Entry, error) {
	if i, ok := r.rec.byID[id]; ok && r.rec.Entries[i].replaceable {
		return &r.rec.Entries[i], nil
	}
	return r.open(id)
}

func (r *reader) end(w *wire) error {
	e, err := r.openOrSettled(w.ID)
	switch {
	case err != nil:
		return err
	case e.Session != len(r.rec.Resumed) || e.Attempt == 0:
		return r.damage("effect %s is ended by another run than began it", w.ID)
	case w.Took < 0:
		return r.damage("effect %s took %d ns", w.ID, w.Took)
	}
	e.Done, e.Duration, e.Pends, e.replaceable = true, time.Duration(w.Took), "", false
	e.Outcome, err = r.outcome(w)
	return err
}

func (r *reader) withdraw(w *wire) error {
	e, err := r.open(w.ID)
	switch {
	case err != nil:
		return err
	case e.Session != len(r.rec.Resumed) || e.Attempt == 0 || e.Pends != "":
		return r.damage("effect %s is withdrawn by another run than began it", w.ID)
	}
	e.Withdrawn = true
	return nil
}

// outcome wants one of result and error.
func (r *reader) outcome(w *wire) (effect.Record, error) {
	if (w.Result == nil) == (w.Error == nil) {
		return effect.Record{}, r.damage("effect %s wants a result or an error", w.ID)
	}
	return effect.Record{Result: w.Result, Error: w.Error, Hidden: w.hides()}, nil
}

func (r *reader) final(w *wire) error {
	if (w.Value == nil) == (w.Error == nil) {
		return r.damage("the run wants a value or an error")
	}
	r.rec.Final = &Final{Error: w.Error, Hidden: w.hides()}
	if w.Value != nil {
		r.rec.Final.Value = *w.Value
	}
	return nil
}

// time returns the time at nanoseconds after the start of the run.
func (r *reader) time(at int64) time.Time { return r.rec.Header.Start.Add(time.Duration(at)) }

// orNil undoes orNull.
func orNil(text json.RawMessage) json.RawMessage {
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	return text
}
