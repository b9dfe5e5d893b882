// This file defines the profile of a run, which has each element of its parallel operations.

package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
)

// maxProfiled is the maximum number of elements in a profile, the first ones: a trace draws no more.
const maxProfiled = 20_000

// profile collects the elements of a run. A journal does not have them, because they are no effects, and a program
// that computes may have millions. A nil profile collects nothing.
type profile struct {
	file  *os.File
	began time.Time

	mu       sync.Mutex
	names    map[string]string // of the operations under way, by their IDs
	elements []journal.Entry
}

// newProfile returns the profile that is written to a file, and has the options of the run collect it; nil if path
// is "".
func newProfile(path string, given *ptc.RunOptions) (*profile, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path) // before the run, whose work would be lost for a wrong path
	if err != nil {
		return nil, err
	}
	p := &profile{file: f, began: time.Now(), names: make(map[string]string)}
	given.Observer = (&effect.Observer{Operation: p.operation, Element: p.element}).Also(given.Observer)
	return p, nil
}

func (p *profile) operation(op effect.Operation) (ended func(diag.Code)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names[op.ID] = op.Name
	return func(diag.Code) {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.names, op.ID)
	}
}

func (p *profile) element(e effect.Element) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.elements) == maxProfiled {
		return
	}
	of := journal.Entry{Start: e.Start, Duration: e.Duration, Done: true, Attempt: 1,
		Effect: effect.Effect{ID: e.Operation + "." + strconv.Itoa(e.Index), Kind: effect.KindElement,
			Name: p.names[e.Operation], Class: effect.ReadOnly, Worker: e.Worker}}
	if e.Failed {
		of.Outcome = effect.Outcome{Failure: &effect.Failure{Kind: diag.Failed, Code: effect.CodeFailed,
			Message: "the element failed"}}.Record()
	}
	p.elements = append(p.elements, of)
}

// write writes the profile of a run that has ended: in the trace-event format if the name of the file ends in .json,
// and otherwise as a page.
func (p *profile) write(name, source string, res *ptc.Result, failure error) error {
	if p == nil {
		return nil
	}
	rec := &journal.Recording{Header: journal.Header{Program: name, Source: source, Start: p.began},
		Final: &journal.Final{Value: "A profile does not keep the value."}}
	if res != nil {
		rec.Entries = append(p.elements, res.Calls...)
	}
	slices.SortStableFunc(rec.Entries, func(a, b journal.Entry) int { return a.Start.Compare(b.Start) })
	if e := (*ptc.Error)(nil); errors.As(failure, &e) {
		text, err := json.Marshal(e)
		if err != nil {
			return errors.Join(err, p.file.Close())
		}
		rec.Final = &journal.Final{Error: text}
	}
	draw := trace.HTML
	if strings.HasSuffix(p.file.Name(), ".json") {
		draw = trace.Chrome
	}
	return errors.Join(buffered(p.file, func(w io.Writer) error { return draw(w, rec) }), p.file.Close())
}
