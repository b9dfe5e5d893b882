// This file defines how rates and quotas outlive a process, and hold for several of them.

package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Ledger keeps the usage of rates and quotas by calls, for this process, for concurrent processes and for
// later ones. Package policy/ledger has one in a file.
//
// An Enforcer that keeps its counts in a ledger reserves calls in blocks, and a call that a reservation covers
// does not touch the ledger. A block is one call at first, and doubles while blocks are used up, to a
// sixteenth of the policy's allowance. The reservation of a process that is killed stays used: so there are
// never more calls than the policies allow, and at most a sixteenth of them is lost.
//
// For that price a quota is less exact: a call counts for up to 1/128 of the window longer than without a
// ledger, at least for 20 ms. Setting the clock of the machine back, or ahead while a process counts, does not
// make calls count for a shorter time. If it is set ahead while none counts, that time has passed.
type Ledger interface {
	// Update calls change with the records, which nobody else changes in the meantime. If change returns nil,
	// Update returns when the records that it has put are durable. After an error nothing has changed.
	Update(ctx context.Context, change func(Records) error) error
}

// Records are the records of a Ledger during an Update.
type Records interface {
	Get(name string) []byte         // nil if there is none
	Put(name string, record []byte) // a JSON value
}

// Keep has all later calls count in a ledger, which has the counts of earlier processes too. It is called
// before the first call. The caller must call Settle at the end.
func (e *Enforcer) Keep(l Ledger) {
	start := time.Now()
	e.KeepBy(l, func() (wall, elapsed time.Duration) {
		now := time.Now()
		return time.Duration(now.UnixNano()), now.Sub(start)
	})
}

// KeepBy is Keep with the clocks that count the calls. wall is the time that the users of the ledger share, since any
// moment; elapsed is the monotonic time of the process.
func (e *Enforcer) KeepBy(l Ledger, clocks func() (wall, elapsed time.Duration)) {
	e.keeper.Store(&keeper{ledger: l, clocks: clocks})
}

// Settle returns unused reservations to the ledger. Later calls reserve again. Without a ledger it does
// nothing.
func (e *Enforcer) Settle(ctx context.Context) error {
	if k := e.keeper.Load(); k != nil {
		return k.settle(ctx, e.current().meters())
	}
	return nil
}

// Uncounted is the error of a call that could not be counted, because the ledger failed. So it must not be
// made.
type Uncounted struct {
	Action string
	Err    error // of the ledger, or of the context that ended the wait for it
}

// Code returns diag.PolicyViolation.
func (e *Uncounted) Code() diag.Code { return diag.PolicyViolation }

func (e *Uncounted) Error() string { return e.Action + ": " + e.reason() }

func (e *Uncounted) reason() string {
	return fmt.Sprintf("the call can't be counted for the policies: %v", e.Err)
}

// Unwrap returns the error of the ledger.
func (e *Uncounted) Unwrap() error { return e.Err }

// Failure returns the failure that the error is to a program.
func (e *Uncounted) Failure() *effect.Failure {
	return &effect.Failure{Kind: e.Code(), Code: string(e.Code()), Message: e.reason(), Retryable: true,
		Hint: "the operator has to repair the file of the policies' state"}
}

// keeper counts calls in a ledger.
type keeper struct {
	ledger Ledger
	clocks func() (wall, elapsed time.Duration) // the second one is monotonic

	mu    sync.Mutex // held during an Update
	clock clock
}

// share is the reservation of a meter in the ledger. The mutex of the meter guards it.
type share struct {
	credit      int           // calls that are reserved and not used
	until       time.Duration // the end of the reservation, by the clock of the process
	block       int           // the size of the last reservation
	rate, quota time.Duration // its ends in the ledger
}

// admit counts a call that a policy does not refuse.
func (k *keeper) admit(ctx context.Context, action string, b *bound) error {
	if b.spend(k.elapsed()) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if b.spend(k.elapsed()) { // another call has reserved enough in the meantime
		return nil
	}
	v, err := k.update(ctx, b.meters, func(all []*account) (v *Violation) {
		for _, a := range all {
			v = longer(v, a.refusal())
		}
		if v != nil {
			return v
		}
		for _, a := range all {
			a.reserve()
		}
		return nil
	})
	switch {
	case err != nil:
		return &Uncounted{Action: action, Err: err}
	case v != nil:
		v.Action = action
		return v
	}
	return nil
}

// settle returns the reservations of meters.
func (k *keeper) settle(ctx context.Context, meters []*meter) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var open []*meter
	for _, m := range meters {
		m.mu.Lock()
		if m.share.credit > 0 {
			open = append(open, m)
		}
		m.mu.Unlock()
	}
	if len(open) == 0 {
		return nil
	}
	_, err := k.update(ctx, open, func([]*account) *Violation { return nil })
	return err
}

// update reads the accounts of meters, returns their reservations to them, changes the accounts and writes them. If
// change returns a violation, the accounts and the reservations stay as they were. The meters have no credit
// in the meantime. The caller holds mu.
func (k *keeper) update(ctx context.Context, meters []*meter, change func([]*account) *Violation) (*Violation, error) {
	before := make([]share, len(meters))
	for i, m := range meters {
		m.mu.Lock()
		before[i] = m.share
		m.share.credit = 0
		m.mu.Unlock()
	}
	shares := slices.Clone(before)
	clock := k.clock
	var refused *Violation
	err := k.ledger.Update(ctx, func(r Records) error {
		now, moved, err := clock.read(r, k.clocks)
		if err != nil {
			return err
		}
		all := make([]*account, len(meters))
		for i, m := range meters {
			if all[i], err = openAccount(r, m, now, before[i]); err != nil {
				return err
			}
		}
		if refused = change(all); refused != nil {
			if moved {
				return nil
			}
			return refused // so that a refusal needs no write
		}
		for i, a := range all {
			if err := a.put(r); err != nil {
				return err
			}
			shares[i] = a.share
			shares[i].until += clock.elapsed
		}
		return nil
	})
	if refused != nil && errors.Is(err, refused) {
		err = nil
	}
	if err == nil {
		k.clock = clock
	}
	if err != nil || refused != nil {
		shares = before
	}
	for i, m := range meters {
		m.mu.Lock()
		m.share = shares[i]
		m.mu.Unlock()
	}
	return refused, err
}

// elapsed returns the monotonic clock of the process.
func (k *keeper) elapsed() time.Duration {
	_, elapsed := k.clocks()
	return elapsed
}

// spend uses a reserved call of each meter. It reports whether all had one; if not, it uses none.
func (b *bound) spend(now time.Duration) bool {
	b.lock()
	defer b.unlock()
	for _, m := range b.meters {
		if m.share.credit == 0 || now > m.share.until {
			return false
		}
	}
	for _, m := range b.meters {
		m.share.credit--
	}
	return true
}
