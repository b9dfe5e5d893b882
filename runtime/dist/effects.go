// This file decides which effects of its evaluation a node performs, and which it takes from the log.

package dist

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// shared implements journal.Shared.
type shared struct{ *Node }

// Enter implements journal.Shared.
func (n shared) Enter(ctx context.Context, id string) (*journal.Entry, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	path, _ := cutID(id)
	for {
		if n.over != nil {
			return nil, false, n.over
		}
		e := n.st.effects[id]
		mine := n.st.owner(path) == n.opts.Name
		switch {
		case e != nil && e.Done:
			entry := e.Entry
			return &entry, mine, nil
		case n.st.unneeded(path): // its beginning would never count
			return nil, false, &journal.Divergence{Text: "effect " + id + " is one of an element that is not needed"}
		case e != nil && mine:
			entry := e.Entry
			return &entry, true, nil
		case mine:
			return nil, true, nil
		case n.st.finished(path):
			return nil, false, &journal.Divergence{Text: "the evaluation has ended without an effect " + id}
		}
		if err := n.waitAt(ctx, path); err != nil {
			return nil, false, err
		}
	}
}

// Await implements effect.Replicas.
func (n shared) Await(ctx context.Context, id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	path, _ := cutID(id)
	for n.over == nil {
		e := n.st.effects[id]
		if e != nil && e.Done || n.st.owner(path) == n.opts.Name || n.st.finished(path) ||
			n.st.unneeded(path) || n.waitAt(ctx, path) != nil {
			return
		}
	}
}

// Begin implements journal.Shared. A write happens only when this node has read its own beginning back, and is still
// the owner: in the meantime, another node may have declared it dead and begun the write itself. An effect
// without a change need not wait, because its end is complete; but the choice among elements must, because
// the effects of the elements come before its end.
func (n shared) Begin(_ context.Context, e *effect.Effect, record []byte) (may bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over != nil {
		return false, n.over
	}
	if e.Class == effect.ReadOnly && !(e.Kind == effect.KindChoice && e.Args == nil) {
		n.begun[e.ID] = record
		return true, nil
	}
	path, _ := cutID(e.ID)
	asked := time.Now()
	// The end of the caller's context is that of a scope or an element. It must not leave a beginning without an end,
	// which would be a write in doubt.
	counts, err := n.append(n.ctx, &Record{Kind: Begin, ID: e.ID, Line: record})
	if err != nil || !counts || !n.st.holds(readBack) {
		return err == nil && !n.st.holds(readBack), err
	}
	k := n.st.effects[e.ID]
	switch {
	case k.node != n.opts.Name || k.Done || n.st.owner(path) != n.opts.Name:
		return false, nil
	case time.Since(asked) > n.opts.Lease:
		// The machine was stopped, or the log could not be reached: others may hold this node for dead without its
		// knowledge. It takes the beginning back, and finds out.
		_, err := n.append(n.ctx, &Record{Kind: End, ID: e.ID, Line: []byte(`{"t":"withdraw","id":"` + e.ID + `"}`)})
		return false, err
	}
	return true, nil
}

// Append implements journal.Shared.
func (n shared) Append(id string, record []byte, durable bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	line := record
	if before := n.begun[id]; before != nil {
		delete(n.begun, id)
		line = append(append(slices.Clip(before), '\n'), record...)
	}
	r := &Record{Kind: End, ID: id, Line: line}
	if !durable {
		// The write has happened, whichever node decides now: its end is appended even if this node has to begin again.
		if err := n.room(); err != nil && n.over != ErrRestart {
			return err
		}
		n.enqueue(r, nil)
		return nil
	}
	n.pends[id] = true
	counts, err := n.append(n.ctx, r)
	if err == nil && !counts {
		err = n.restart("a record of effect %s does not count", id)
	}
	return err
}

// Pends implements journal.Shared. A write in doubt is not shown to anybody while a call of its dead node may still be
// under way: who looks at the world then, and finds nothing, would have it done twice. No limit counts that time, which
// Options.Grace bounds: the run would have ended before anybody could settle the write.
func (n shared) Pends(ctx context.Context, id string, by effect.Rester) error {
	if by != nil && n.mayBeUnderWay(id) {
		by.Rest() // nothing here ends the wait
		defer by.Wake()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	path, _ := cutID(id)
	for n.st.holds(retryAfterGrace) {
		e := n.st.effects[id]
		switch {
		case n.over != nil:
			return n.over
		case e == nil || e.Done:
			return effect.ErrSettled // by the late end of the call
		case n.st.unneeded(path) || n.st.owner(path) != n.opts.Name:
			return &journal.Divergence{Text: "effect " + id + " is one of an element that is not needed"}
		}
		left := n.grace(e)
		if left <= 0 {
			break
		}
		if ctx.Err() != nil {
			return nil // nobody needs it any more
		}
		// Not context.WithTimeout: it relies on an earlier deadline of ctx, and that moves while the evaluation rests.
		grace, cancel := context.WithCancel(ctx)
		over := time.AfterFunc(left, cancel)
		_ = n.wait(grace) // its end is the reason to look again
		over.Stop()
		cancel()
	}
	n.pends[id] = true
	n.changed()
	return nil
}

// grace returns for how long a call of an effect may still be under way on a node that is dead. The caller holds mu.
func (n *Node) grace(e *known) time.Duration {
	if !e.InDoubt() || n.st.nodes[e.node] == gone {
		return 0
	}
	if n.deaths[e.node].IsZero() { // it died by a halt
		n.deaths[e.node] = time.Now()
	}
	return time.Until(n.deaths[e.node].Add(n.opts.Grace))
}

// mayBeUnderWay reports whether Pends has to wait.
func (n *Node) mayBeUnderWay(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.st.effects[id]
	return n.over == nil && e != nil && !e.Done && n.grace(e) > 0
}

// Settle implements journal.Shared.
func (n shared) Settle(id string, record []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.pends, id)
	if e := n.st.effects[id]; e != nil && e.Done {
		return effect.ErrSettled // by the late end of the call
	}
	counts, err := n.append(n.ctx, &Record{Kind: Settle, ID: id, Line: record})
	if err == nil && !counts {
		err = effect.ErrSettled
	}
	return err
}

// Learned implements journal.Shared.
func (n shared) Learned(record []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over == nil {
		n.enqueue(&Record{Kind: Secret, Line: record}, nil)
	}
}

// Secrets implements journal.Shared.
func (n shared) Secrets(f func(sealed string)) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.secret = f
	return slices.Clone(n.st.secrets)
}

// Finish implements journal.Shared.
func (n shared) Finish(record []byte) (*journal.Final, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.over == nil && n.st.final == nil {
		if n.st.leader == n.opts.Name {
			if _, err := n.append(n.ctx, &Record{Kind: Final, Line: record}); err != nil {
				return nil, err
			}
			continue
		}
		if err := n.wait(n.ctx); err != nil {
			return nil, err
		}
	}
	if n.over != nil { // also if the run has ended: this evaluation may be past a choice, and end otherwise
		return nil, n.over
	}
	n.finished = true
	return n.st.final, nil
}

// Halt implements effect.Replicas. Nobody hears of the end of a run by a bound before all nodes can know it.
func (n shared) Halt(failure []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over != nil {
		return n.over
	}
	if n.st.leader != n.opts.Name {
		return fmt.Errorf("%w: its end is not that of the run", ErrRestart)
	}
	n.halting = true
	parks := false
	if bound, err := diag.Decode(failure, nil); err == nil && bound != nil {
		parks = bound.Code == diag.Parked || bound.Code == diag.InDoubt
	}
	halt := &Record{Kind: Halt, Text: string(failure), Alone: parks && n.opts.ParkAlone}
	counts, err := n.append(n.ctx, halt)
	if err == nil && !counts {
		err = n.restart("the end by a bound does not count")
	}
	if err == nil {
		n.end(ErrHalted, "")
	}
	return err
}

// Differs implements journal.Shared.
func (n shared) Differs(recorded, actual *effect.Effect) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.restart("effect %s is %s %s %.200s in the log, %s %s %.200s here", actual.ID, recorded.Kind, recorded.Name,
		recorded.Args, actual.Kind, actual.Name, actual.Args)
}

// Look implements journal.Shared.
func (n shared) Look(id string, f func(e *journal.Entry)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e := n.st.effects[id]; e != nil {
		f(&e.Entry)
		return
	}
	f(nil)
}

// Ahead implements journal.Shared. It notes how far an evaluation that this node follows was told: if its owner makes a
// choice there later, this node may be past it.
func (n shared) Ahead(path string, number int, operation uint64) (a effect.Ahead) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.st.owner(path) != n.opts.Name {
		n.foreseen[path] = number
	} else {
		delete(n.foreseen, path)
	}
	p := n.st.past[path]
	if p.effect > number {
		if e := n.st.effects[fmt.Sprintf("%s#%d", path, number+1)]; e != nil && e.ID != "" {
			next := e.Effect
			a.Next = &next
		}
	}
	a.Known = p.effect > number || p.operation > operation || n.st.final != nil
	return a
}

// Had implements journal.Shared.
func (n shared) Had(operation string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.st.had[operation]
}

// Calls implements journal.Shared.
func (n shared) Calls() (all []journal.Entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.st.effects {
		if e.Kind == effect.KindCall {
			all = append(all, e.Entry)
		}
	}
	slices.SortFunc(all, func(a, b journal.Entry) int {
		if c := a.Start.Compare(b.Start); c != 0 {
			return c
		}
		return effect.CompareIDs(a.ID, b.ID)
	})
	return all
}

// Follows implements effect.Replicas.
func (n shared) Follows(path string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.st.owner(path) != n.opts.Name
}

// OnSettled implements effect.Replicas.
func (n shared) OnSettled(f func(id string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.settled = f
}

// Borrow implements effect.Replicas.
func (n shared) Borrow(path string) effect.Held {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.borrowed[path]++
	return &borrowed{Held: effect.Unguarded, node: n.Node, path: path}
}

// borrowed is a guard that another node holds.
type borrowed struct {
	effect.Held
	node *Node
	path string
}

// Release implements effect.Held.
func (b *borrowed) Release() error {
	b.node.mu.Lock()
	defer b.node.mu.Unlock()
	if b.node.borrowed[b.path]--; b.node.borrowed[b.path] == 0 {
		delete(b.node.borrowed, b.path)
	}
	return nil
}

// reactEnd handles the end of an effect on another node. The caller holds mu.
func (n *Node) reactEnd(r *Record) {
	if f := n.settled; f != nil && r.parsed[0].Type == "end" { // perhaps the late one of a write in doubt
		n.later = append(n.later, func() { f(r.ID) })
	}
	first := &r.parsed[0]
	if first.Entry.Kind != effect.KindChoice || first.Entry.Args == nil || !n.st.holds(restartWhenAhead) {
		return
	}
	// A bound has ended a scope there, or there was no slot.
	path, number := cutID(r.ID)
	if seen, ok := n.foreseen[path]; ok && seen == number-1 {
		n.end(ErrRestart, "it is past the choice "+r.ID)
	}
}
