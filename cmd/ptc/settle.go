// This file defines the settlements that ptc resume takes from its command line.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/ask"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// allWord means all calls that wait for an approval and are not settled otherwise.
const allWord = "all"

// maxSettleFile bounds the file of settlements.
const maxSettleFile = 64 << 20

// settleFlags returns the flags for settlements.
func settleFlags(v *settings) []flags.Spec {
	return []flags.Spec{
		{Name: "approve", Value: "ID", Repeats: true,
			Text: "approve a call, by its ID, or all calls that wait for it, by the tool or by all; several with commas",
			To:   flags.Func(v.approveCalls)},
		{Name: "refuse", Value: "ID=REASON", Repeats: true,
			Text: "refuse a call, or all calls that wait for an approval, as in --approve", To: flags.Func(v.refuse)},
		{Name: "answer", Value: "ID=JSON", Repeats: true, Text: "answer a question", To: flags.Func(v.answer)},
		{Name: "settle", Value: "ID=OUTCOME", Repeats: true,
			Text: "settle a write in doubt, or all of a tool: retry, done, done:RESULT or failed:ERROR (JSON)",
			To:   flags.Func(v.settle)},
		{Name: "settle-file", Value: "FILE", Text: "read settlements from a file, as a JSON array or one object in each " +
			"line, see spec/pending.md; - is standard input", To: flags.File(&v.settleFile)},
	}
}

func (v *settings) approveCalls(text string) error {
	for _, id := range strings.Split(text, ",") {
		if id == "" || strings.Contains(id, "=") {
			return errors.New("want the ids of calls, the names of tools, or all")
		}
		v.settled = append(v.settled, effect.Settlement{ID: id, As: effect.Approve})
	}
	return nil
}

func (v *settings) refuse(text string) error {
	id, reason, _ := strings.Cut(text, "=")
	if id == "" {
		return errors.New("want ID=REASON, with the id of a call, the name of a tool, or all")
	}
	v.settled = append(v.settled, effect.Settlement{ID: id, As: effect.Refuse, Reason: reason})
	return nil
}

func (v *settings) answer(text string) error {
	id, answer, ok := strings.Cut(text, "=")
	if !ok || id == "" || !json.Valid([]byte(answer)) {
		return errors.New(`want ID=JSON, such as '0#1="yes"'`)
	}
	v.settled = append(v.settled, effect.Settlement{ID: id, As: effect.Done, Result: json.RawMessage(answer)})
	return nil
}

// settle enters the settlement of a pending effect, ID=HOW.
func (v *settings) settle(text string) error {
	settlement, err := effect.ParseSettlement(text)
	if err != nil {
		return err
	}
	v.settled = append(v.settled, settlement)
	return nil
}

// readSettlements adds the settlements of the file.
func (f *invocation) readSettlements(ctx context.Context, s streams) error {
	if f.settleFile == "" {
		return nil
	}
	text, err := readInput(ctx, f.settleFile, s, maxSettleFile)
	if err != nil {
		return fmt.Errorf("--settle-file: %w", err)
	}
	read, err := settlementsIn(f.settleFile, text)
	f.settled = append(f.settled, read...)
	return err
}

// settlementsIn reads settlements. The error has all mistakes.
func settlementsIn(name string, text []byte) (all []effect.Settlement, err error) {
	var wrong []string
	one := func(place string, raw []byte) {
		s, err := decodeSettlement(raw)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", place, err))
			return
		}
		all = append(all, s)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if jsonKind(text) == "an array" {
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("--settle-file %s: %w", jsonPlace(name, text, err), err)
		}
		for i, raw := range list {
			one(fmt.Sprintf("settlement %d", i+1), raw)
		}
	} else {
		for i, line := range bytes.Split(text, []byte("\n")) {
			if len(bytes.TrimSpace(line)) > 0 {
				one(fmt.Sprintf("line %d", i+1), line)
			}
		}
	}
	return all, mistakes("--settle-file "+name, wrong)
}

func decodeSettlement(raw []byte) (s effect.Settlement, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, fmt.Errorf(`got %.100q, want an object such as {"id": "0#1", "as": "approve"}: %w`, raw, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("got more than one value: %.100q", raw)
	}
	if s.ID == "" {
		return s, fmt.Errorf("got no id: %.100q", raw)
	}
	return s, s.Verdict()
}

// maxMistakes is the number of mistakes that a message lists.
const maxMistakes = 20

// mistakes returns an error with all mistakes; nil if there are none.
func mistakes(what string, wrong []string) error {
	switch n := len(wrong); {
	case n == 0:
		return nil
	case n == 1:
		return fmt.Errorf("%s: %s", what, wrong[0])
	case n > maxMistakes:
		wrong = append(slices.Clone(wrong[:maxMistakes]), fmt.Sprintf("… and %d more", n-maxMistakes))
	}
	return fmt.Errorf("%s:\n  %s", what, strings.Join(wrong, "\n  "))
}

// settleFrom reads the settlements, and checks them against the journal.
func (f *execution) settleFrom(ctx context.Context, name string, key journal.Key, s streams) error {
	if err := f.readSettlements(ctx, s); err != nil || len(f.settled) == 0 {
		return err
	}
	rec, err := journal.ReadFile(name, key)
	if err != nil {
		return ofJournal(name, err)
	}
	if rec.Final != nil {
		return nil // journal.Resume reports it
	}
	var r recorded
	if err := json.Unmarshal(rec.Header.Options, &r); err != nil {
		return fmt.Errorf("%s: the journal's options can't be read: %w", name, err)
	}
	return inFile(name, f.checkSettlements(ctx, rec, r))
}

// checkSettlements has the settlements name single effects of the journal, and checks all before anything is changed.
func (f *execution) checkSettlements(ctx context.Context, rec *journal.Recording, r recorded) error {
	tools, err := standIns(ctx, r.Tools)
	if err == nil {
		f.settled, err = fitting(rec.Pending(), f.settled, tools)
	}
	return err
}

// fitting returns settlements as those of single effects that are pending. Results are checked with the tools that are
// known.
func fitting(pending []effect.Pending, given []effect.Settlement, tools *tool.Registry) ([]effect.Settlement, error) {
	c := settling{pending: pending, chosen: map[string]effect.Settlement{}, own: map[string]bool{}}
	for _, s := range given {
		c.add(s)
	}
	var checked []effect.Settlement
	for i := range c.pending {
		p := &c.pending[i]
		s, settled := c.chosen[p.ID]
		if !settled {
			continue
		}
		var known effect.Tool
		if t := tools.Lookup(p.Tool); t != nil {
			known = t
		}
		if err := p.Fit(s, known, 0); err != nil {
			c.wrong = append(c.wrong, err.Error())
		}
		checked = append(checked, s)
	}
	if err := mistakes("nothing is settled", c.wrong); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, waitsFor(c.pending))
	}
	return checked, nil
}

// settling assigns settlements to the effects of a journal.
type settling struct {
	pending []effect.Pending
	chosen  map[string]effect.Settlement // by ids
	own     map[string]bool              // the effects that a settlement names by the id
	all     bool                         // a settlement names all
	wrong   []string
}

// add enters a settlement. One of a single effect takes precedence over that of a tool, and that over one of all.
func (c *settling) add(s effect.Settlement) {
	if s.ID == allWord {
		c.addAll(s)
		return
	}
	found := false
	for _, p := range c.pending {
		if !s.Names(p) {
			continue
		}
		found = true
		single := s.ID == p.ID
		switch {
		case single && c.own[p.ID]:
			c.wrong = append(c.wrong, fmt.Sprintf("effect %s is settled twice", p.ID))
		case single || !c.own[p.ID]:
			c.own[p.ID] = single
			one := s
			one.ID = p.ID
			c.chosen[p.ID] = one
		}
	}
	if !found {
		c.wrong = append(c.wrong,
			fmt.Sprintf("%.100q: no effect of this id or tool is pending that %s settles", s.ID, diag.Visible(string(s.As))))
	}
}

// addAll settles the calls that wait for an approval and have no settlement; later settlements take precedence.
func (c *settling) addAll(s effect.Settlement) {
	if c.all {
		c.wrong = append(c.wrong, "all calls are settled twice")
	}
	c.all = true
	found := false
	for _, p := range c.pending {
		if p.Kind != effect.PendingApproval {
			continue
		}
		found = true
		if _, settled := c.chosen[p.ID]; !settled {
			one := s
			one.ID = p.ID
			c.chosen[p.ID] = one
		}
	}
	if !found {
		c.wrong = append(c.wrong, "all: no call waits for an approval")
	}
}

// waitsFor returns the effects that can be settled.
func waitsFor(all []effect.Pending) string {
	if len(all) == 0 {
		return "the run waits for nothing"
	}
	var b strings.Builder
	ask.Table(&b, all)
	return strings.TrimSuffix("the run waits for:\n"+b.String(), "\n")
}
