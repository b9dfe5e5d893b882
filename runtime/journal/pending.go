// This file defines pending effects in a journal: how they are announced, suspended and settled.

package journal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Pending returns the effects that an interrupted run has left pending or in doubt, by their ids.
func (r *Recording) Pending() []effect.Pending {
	var all []effect.Pending
	for i := range r.Entries {
		if e := &r.Entries[i]; r.pends(e) {
			all = append(all, e.pending())
		}
	}
	slices.SortFunc(all, func(a, b effect.Pending) int { return effect.CompareIDs(a.ID, b.ID) })
	return all
}

func (r *Recording) pends(e *Entry) bool { return r.Final == nil && e.Pends != "" || r.inDoubt(e) }

// pending returns the effect of an entry that is pending or in doubt.
func (e *Entry) pending() effect.Pending {
	kind := e.Pends
	if kind == "" {
		kind = effect.PendingDoubt
	}
	p := effect.PendingOf(e.Effect, kind, e.Start)
	p.Token, p.Place = e.Token, e.Place
	return p
}

// named returns the settlements of a list as settlements of single effects. Each must fit an effect of the
// recording. If several name an effect by its tool, the last one applies.
func (r *Recording) named(settle []effect.Settlement) (all []effect.Settlement, err error) {
	single, ofTools, err := apart(settle)
	if err != nil {
		return nil, err
	}
	pending := r.Pending()
	used := make([]bool, len(settle))
	for i := range pending {
		p := &pending[i]
		chosen, settled := single[p.ID]
		if settled {
			used[chosen] = true
		}
		for _, n := range ofTools {
			if !settle[n].Names(*p) {
				continue
			}
			if used[n] = true; !settled {
				chosen, settled = n, true
			}
		}
		if !settled {
			continue
		}
		s := settle[chosen]
		s.ID = p.ID
		if err := p.Fit(s, nil, 0); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		all = append(all, s)
	}
	if n := slices.Index(used, false); n >= 0 {
		return nil, fmt.Errorf("journal: %s is neither pending nor in doubt, so it can't be settled with %q; pending are: %s",
			cut(settle[n].ID, 0), settle[n].As, idsOf(pending))
	}
	return all, nil
}

// apart returns the indexes of the settlements of single effects, by their ids, and of those of tools, the last one
// first.
func apart(settle []effect.Settlement) (single map[string]int, ofTools []int, err error) {
	single = make(map[string]int, len(settle))
	for n := range settle {
		if settle[n].OfTool() {
			ofTools = append(ofTools, n)
			continue
		}
		if _, twice := single[settle[n].ID]; twice {
			return nil, nil, fmt.Errorf("journal: effect %s is settled twice", cut(settle[n].ID, 0))
		}
		single[settle[n].ID] = n
	}
	slices.Reverse(ofTools)
	return single, ofTools, nil
}

func idsOf(pending []effect.Pending) string {
	if len(pending) == 0 {
		return "none"
	}
	var ids string
	for i := range pending {
		if i == 20 {
			return ids + ", …"
		}
		if i > 0 {
			ids += ", "
		}
		ids += pending[i].ID + " (" + string(pending[i].Kind) + ")"
	}
	return ids
}

// Given returns the settlements that Resume was called with, each of one effect. The run applies them before anything
// else happens: it knows the tools whose results they may be.
func (j *Journal) Given() []effect.Settlement { return j.given }

// LeftPending returns the effects that the earlier run has left pending or in doubt, by their ids; none if there is
// no earlier run, or if this is a replay.
func (j *Journal) LeftPending() (left []effect.Pending) {
	if j.shared != nil { // it shows the settlements that the run reaches
		for _, s := range j.given {
			if p, ok := j.pendingShared(s.ID); ok {
				left = append(left, p)
			}
		}
		return left
	}
	if j.doubted == nil || j.replay {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.doubted.Pending()
}

// Pending returns the effect of an id that the earlier run has left pending or in doubt, unless it is settled.
func (j *Journal) Pending(id string) (p effect.Pending, ok bool) {
	if j.shared != nil {
		return j.pendingShared(id)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.earlier[id]; r != nil && j.doubted.pends(r.entry) {
		return r.entry.pending(), true
	}
	return effect.Pending{}, false
}

// Approved reports whether a call was approved, by this run or an earlier one.
func (j *Journal) Approved(id string) bool {
	if j.shared != nil {
		return j.approvedShared(id)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.earlier[id]; r != nil && r.entry.Approved {
		return true
	}
	e := j.open[id]
	return e != nil && e.Approved
}

// Announce records that an effect is pending before it begins. See effect.Journal.
func (j *Journal) Announce(ctx context.Context, e effect.Effect, kind effect.PendingKind,
	place string, by effect.Rester) (left bool, err error) {
	if j.shared != nil {
		return false, j.announceShared(ctx, e, kind, place, by)
	}
	var hides *effect.Hidden
	e.Args, hides = j.hide(e.Args, e.Hidden)
	if err := j.check(&e); err != nil {
		return false, err
	}
	e.Hidden = nil
	at := j.clock.elapsed()
	entry := Entry{Effect: e, Session: j.session, Start: j.clock.start.Add(at), Pends: kind, Place: place}
	entry.announce(entry.Start, entry.Session)
	entry.Args, entry.ArgsHashed = j.fit(e.Args)
	if left, err = j.announce(&entry, &e, hides); left || err != nil || j.log == nil {
		return left, err
	}
	return false, j.write(announceLine(&e, j.node, int64(at), place, j.marked(e.ID, hides)), true)
}

// announce keeps the entry of an effect, unless the earlier run has left it pending.
func (j *Journal) announce(entry *Entry, e *effect.Effect, hides *effect.Hidden) (left bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return false, ErrClosed
	}
	r := j.earlier[e.ID]
	switch {
	case r == nil && j.replay:
		return false, j.unrecorded(clone(e))
	case r == nil:
		if err := j.isNew(e.ID, j.open[e.ID] != nil); err != nil {
			return false, err
		}
		j.open[e.ID] = j.keep(entry)
		return false, nil
	case !j.same(&r.entry.Effect, e, hides):
		return false, differs(&r.entry.Effect, clone(e))
	case r.entry.Done || r.entry.Approved && entry.Pends == effect.PendingApproval:
		return false, effect.ErrSettled
	case j.replay:
		return false, j.cutShort(r, clone(e))
	}
	r.reached = true
	switch p := r.entry.pending(); {
	case j.doubted.pends(r.entry) && p.Kind == entry.Pends:
		return true, nil
	case j.doubted.pends(r.entry) || !announces(entry.Pends):
		return false, effect.ErrSettled
	}
	r.entry.Pends, r.entry.Place = entry.Pends, entry.Place
	r.entry.announce(entry.Start, entry.Session)
	return false, nil
}

// announces reports whether an effect that is pending for a reason has not begun.
func announces(kind effect.PendingKind) bool {
	return kind == effect.PendingApproval || kind == effect.PendingQuestion
}

// Suspend records that an effect which has begun ends later. See effect.Journal.
func (j *Journal) Suspend(id, token, place string) error {
	j.mu.Lock()
	e := j.open[id]
	switch {
	case j.closed:
		j.mu.Unlock()
		return ErrClosed
	case e == nil || e.Attempt == 0 || e.Pends != "":
		j.mu.Unlock()
		return fmt.Errorf("journal: effect %s is suspended and not under way", cut(id, 0))
	}
	if e.replaceable {
		j.reopened(e)
	}
	e.suspend(token, place)
	j.mu.Unlock()
	if j.shared != nil {
		return j.shared.Append(id, suspendLine(id, token, place, int64(j.clock.elapsed())), true)
	}
	if j.log == nil {
		return nil
	}
	return j.write(suspendLine(id, token, place, int64(j.clock.elapsed())), true)
}

// reopened takes an effect that was settled, and is not at its end, out of the counts. The caller holds mu.
func (j *Journal) reopened(e *Entry) {
	j.stats.Ended--
	if e.Outcome.Failed() {
		j.stats.Failed--
	}
}

// suspend makes the entry of an effect one that ends later. Its call may have been settled, and made again.
func (e *Entry) suspend(token, place string) {
	e.Pends, e.Token, e.Place = effect.PendingOutcome, token, place
	e.Done, e.Outcome, e.OutcomeHashed, e.replaceable = false, effect.Record{}, false, false
}

// Settle records the settlement of a pending effect. See effect.Journal. The caller ensures that the effect does not
// end in the meantime.
func (j *Journal) Settle(id string, as effect.Verdict, r effect.Record) error {
	if j.shared != nil {
		return j.settleShared(id, as, r)
	}
	var hides *effect.Hidden
	payload := r.Payload()
	*payload, hides = j.hide(*payload, r.Hidden)
	r.Hidden = nil
	j.mu.Lock()
	e, err := j.settled(id)
	j.mu.Unlock()
	if err != nil {
		return err
	}
	at := j.clock.elapsed()
	sealed := j.sealed(id, hides)
	if j.log != nil {
		text, err := settleLine(id, as, int64(at), r, sealed)
		if err == nil {
			err = j.write(text, true)
		}
		if err != nil {
			return err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	o, hashed := r, false
	if e == j.open[id] { // the run takes the outcome of any other entry from there, so that one is complete
		o, hashed = j.fitOutcome(r)
	}
	if sealed != nil {
		o.Hidden = &effect.Hidden{Sealed: *sealed}
		if e != j.open[id] { // the effect may still come, and the run has the outcome
			o.Hidden.Clear = hides.Clear
		}
	}
	doubted := e.Pends == ""
	if e.settle(as, o, j.session); e.Done {
		if e.OutcomeHashed = hashed; !doubted { // nobody knows when a write in doubt has ended
			e.Duration = j.took(e, at)
		}
		if e == j.open[id] { // an earlier one counts when it is recalled
			j.ended(o)
			if !e.replaceable {
				delete(j.open, id)
			}
		}
	}
	return nil
}

// settled returns the entry of an effect that is pending or in doubt. The caller holds mu.
func (j *Journal) settled(id string) (*Entry, error) {
	if j.closed {
		return nil, ErrClosed
	}
	if e := j.open[id]; e != nil && e.Pends != "" {
		return e, nil
	}
	if r := j.earlier[id]; r != nil && j.doubted.pends(r.entry) {
		return r.entry, nil
	}
	return nil, fmt.Errorf("journal: effect %s is neither pending nor in doubt", cut(id, 0))
}

// approvedAs makes the entry of a call that begins one that was approved, if the earlier entry is.
func (e *Entry) approvedAs(earlier *Entry) {
	e.Approved, e.Place = earlier.Approved, earlier.Place
	e.Announced, e.AnnouncedIn = earlier.Announced, earlier.AnnouncedIn
}

// announce notes that the entry waits for an approval from now on.
func (e *Entry) announce(at time.Time, session int) {
	if e.Pends == effect.PendingApproval {
		e.Announced, e.AnnouncedIn = at, session
	}
}

// settle changes the entry of a pending effect by a settlement.
func (e *Entry) settle(as effect.Verdict, o effect.Record, session int) {
	suspended := e.Pends == effect.PendingOutcome
	e.Pends = ""
	switch as {
	case effect.Approve:
		e.Approved = true
	case effect.Retry:
		e.Withdrawn = true
	default:
		e.Done, e.Outcome = true, o
		if !o.Failed() {
			e.Outcome.Result = orNull(o.Result)
		}
		e.replaceable = suspended && e.Session == session
	}
}

// announceLine is written when an effect is pending that has not begun. Its arguments were checked.
func announceLine(e *effect.Effect, node string, at int64, place string, hidden *string) []byte {
	return newLine("announce").text("id", e.ID).text("kind", string(e.Kind)).text("name", e.Name).
		text("class", e.Class.String()).worker(node, e.Worker).number("at", at).text("place", place).
		raw("args", e.Args).hidden(hidden).end()
}

// suspendLine is written when an effect that has begun ends later.
func suspendLine(id, token, place string, at int64) []byte {
	return newLine("suspend").text("id", id).number("at", at).text("token", token).text("place", place).end()
}

// settleLine is written when an effect is settled that was pending or in doubt.
func settleLine(id string, as effect.Verdict, at int64, o effect.Record, hidden *string) ([]byte, error) {
	if as == effect.Failed { // as the line has the error
		as = effect.Done
	}
	l := newLine("settle").text("id", id).text("as", string(as)).number("at", at)
	if as == effect.Approve || as == effect.Retry {
		return l.end(), nil
	}
	if err := checkPayload("the settlement of effect "+id, *o.Payload()); err != nil {
		return nil, err
	}
	return l.outcome(o).hidden(hidden).end(), nil
}
