// This file counts and logs guards.

package watch

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// guardKey names a guard.
type guardKey struct {
	kind effect.WaitKind
	key  string
}

// guardUse is the use of one guard, or of several.
type guardUse struct {
	effect.GuardUsage
	owner   string // of the first that has taken it
	several bool   // others have taken it, too
}

// WatchGuards returns guards that count and log, and are g otherwise.
func (w *Run) WatchGuards(g effect.Guards) effect.Guards { return &guards{g, w} }

// guards are the guards of a run.
type guards struct {
	effect.Guards
	of *Run
}

// Acquire implements effect.Guards.
func (g *guards) Acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	if r == nil || r.Hint.Kind == effect.FullyParallel {
		return g.Guards.Acquire(ctx, r)
	}
	w, before := g.of, len(r.Waits)
	if w.follows() {
		ctx = effect.WithBegun(ctx, func(b effect.Begun) { w.begun(r, b) })
	}
	h, err := g.Guards.Acquire(ctx, r)
	uses := w.acquired(r, r.Waits[min(before, len(r.Waits)):], err)
	if err != nil || h == nil || h == effect.Unguarded {
		return h, err
	}
	taken := &held{Held: h, of: w, uses: uses, since: time.Since(w.start)}
	if w.log != nil {
		lock := *r // without its rate, which is not held
		lock.Hint, lock.Waits = effect.Hint{Kind: r.Hint.Kind &^ effect.RateLimited}, nil
		taken.r = &lock
	}
	return taken, nil
}

// Pause implements effect.Guards.
func (g *guards) Pause(key string, until time.Time) error {
	err := g.Guards.Pause(key, until)
	if err == nil {
		g.of.slowed(key)
		g.of.tell("rate limit paused", slog.String("rate", key), slog.Duration("for", time.Until(until)))
	}
	return err
}

// Slow implements effect.Guards.
func (g *guards) Slow(key string, perSecond float64, until time.Time) error {
	err := g.Guards.Slow(key, perSecond, until)
	if err == nil {
		g.of.slowed(key)
		g.of.tell("rate limit slowed", slog.String("rate", key), slog.Float64("per_second", perSecond),
			slog.Duration("for", time.Until(until)))
	}
	return err
}

// slowed counts that a rate limit was paused or slowed.
func (w *Run) slowed(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.use(effect.WaitToken, key).Slowed++
}

// acquired counts, logs and reports a request that is over, with its waits. It returns the uses of the locks that
// were taken.
func (w *Run) acquired(r *effect.GuardRequest, waits []effect.Wait, err error) (uses [2]*guardUse) {
	uses = w.count(r, waits, err)
	if w.log != nil {
		w.tellAcquired(r, waits, err)
	}
	w.ended(r.ID, waits...)
	return uses
}

// tellAcquired logs the same.
func (w *Run) tellAcquired(r *effect.GuardRequest, waits []effect.Wait, err error) {
	for _, wait := range waits {
		w.tellEnded(wait, who(r)...)
	}
	keys, n := kinds(r)
	for _, k := range keys[:n] {
		if err != nil {
			w.tell("guard refused", append(who(r), guardAttrs(k.kind, k.key, slog.String("error", err.Error()))...)...)
			return
		}
		event := "guard taken"
		if k.kind == effect.WaitToken {
			event = "token taken"
		}
		w.tell(event, append(who(r), guardAttrs(k.kind, k.key)...)...)
	}
}

func (w *Run) count(r *effect.GuardRequest, waits []effect.Wait, err error) (uses [2]*guardUse) {
	w.mu.Lock()
	defer w.mu.Unlock()
	keys, n := kinds(r)
	for i, k := range keys[:n] {
		u := w.use(k.kind, k.key)
		if k.kind == effect.WaitToken {
			u.PerSecond = r.Hint.PerSecond
		} else {
			uses[i] = u
		}
		if err != nil { // of one of them, but it is not known which
			u.Refused++
			continue
		}
		u.Taken++
		if name := ownerOf(r); u.Taken == 1 {
			u.owner = strings.Clone(name)
		} else if name != u.owner {
			u.several = true
		}
	}
	for _, wait := range waits {
		u := w.use(wait.Kind, wait.Key)
		waited(&u.Waits, &u.Wait, &u.Longest, wait.Duration)
	}
	return uses
}

// kinds returns the guards of a request, in the order in which they are taken.
func kinds(r *effect.GuardRequest) (all [3]guardKey, n int) {
	if r.Hint.Kind&effect.GlobalExclusive != 0 {
		all[n] = guardKey{kind: effect.WaitGlobal}
		n++
	}
	if r.Hint.Kind&effect.HostExclusive != 0 {
		all[n] = guardKey{effect.WaitHost, r.Host}
		n++
	}
	if r.Hint.Kind&effect.RateLimited != 0 {
		all[n] = guardKey{effect.WaitToken, r.Hint.Key}
		n++
	}
	return all, n
}

// use returns the use of a guard. The caller holds mu.
func (w *Run) use(kind effect.WaitKind, key string) *guardUse {
	k := guardKey{kind, key}
	if u := w.guards[k]; u != nil {
		return u
	}
	if len(w.guards) >= maxKeys {
		return w.other(kind)
	}
	if w.guards == nil {
		w.guards = make(map[guardKey]*guardUse)
	}
	k.key = strings.Clone(key) // it may be part of a long string
	u := &guardUse{GuardUsage: effect.GuardUsage{Kind: kind, Key: k.key}}
	w.guards[k] = u
	return u
}

// other returns the use of the guards of a kind beyond maxKeys. The caller holds mu.
func (w *Run) other(kind effect.WaitKind) *guardUse {
	u := &w.others[kindOf(kind)]
	if *u == nil {
		*u = &guardUse{GuardUsage: effect.GuardUsage{Kind: kind, Others: 1}}
	}
	return *u
}

// held is guards that a run holds.
type held struct {
	effect.Held
	of    *Run
	uses  [2]*guardUse         // of the locks; nil for none
	r     *effect.GuardRequest // without its rate; nil if nothing is logged
	since time.Duration
}

// Release implements effect.Held.
func (h *held) Release() error {
	d := time.Since(h.of.start) - h.since
	h.count(d)
	err := h.Held.Release()
	if h.r != nil {
		h.tell(d, err)
	}
	return err
}

// count counts for how long the guards were held.
func (h *held) count(d time.Duration) {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	for _, u := range h.uses {
		if u != nil {
			u.Held += d
		}
	}
}

// tell logs that the guards were released.
func (h *held) tell(d time.Duration, err error) {
	keys, n := kinds(h.r)
	for _, k := range keys[:n] {
		attrs := append(who(h.r), guardAttrs(k.kind, k.key, slog.Duration("held", d))...)
		if err != nil {
			attrs = append(attrs, slog.String("error", err.Error()))
		}
		h.of.tell("guard released", attrs...)
	}
}
