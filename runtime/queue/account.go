// This file defines account, the record of one meter in a ledger.

package queue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/internal/bucket"
)

// account is the record of a meter during an Update. Times are those of the ledger.
type account struct {
	meter  *meter
	now    time.Duration
	record accountRecord
	bucket bucket.Bucket // of the rate; its burst excludes reserved calls
	share  share         // the reservation
}

// accountRecord is an account in the ledger.
type accountRecord struct {
	Rate *rateRecord `json:"rate,omitempty"`
	// Calls are the times of the latest calls, rounded up, with their numbers.
	Calls []countAt `json:"calls,omitempty"`
}

// rateRecord is a bucket. Held tokens are taken out of it, and may be used until a time: until then they reduce
// the burst, because the bucket would otherwise fill up again before the calls are made.
type rateRecord struct {
	Calls  int           `json:"calls"`
	Per    time.Duration `json:"per"`
	Tokens int           `json:"tokens"`
	Parts  uint64        `json:"parts,omitempty"` // of the next token, of which Per are a token
	At     time.Duration `json:"at"`
	Held   []countAt     `json:"held,omitempty"`
}

// countAt is a number of calls and their time.
type countAt struct {
	At time.Duration `json:"at"`
	N  int           `json:"n"`
}

const (
	// slots is the number of groups into which the calls of a quota's window are put, which bounds a record.
	slots = 256
	// shortest is the least time for which a reservation may be used, because a write to a disk takes some
	// milliseconds.
	shortest = 20 * time.Millisecond
	// longest is the longest time for which the calls of a rate are reserved.
	longest = time.Hour
	// blocks is the fraction of a policy's allowance that may be reserved at a time.
	blocks = 16
)

// recordName returns the name of a meter's record.
func (m *meter) recordName() string { return strings.TrimSpace(string(m.level) + " " + m.name) }

// openAccount reads the account of a meter, and returns to it the reservation that was not used.
func openAccount(r Records, m *meter, now time.Duration, unused share) (*account, error) {
	a := &account{meter: m, now: now}
	if data := r.Get(m.recordName()); data != nil {
		if err := json.Unmarshal(data, &a.record); err != nil {
			return nil, fmt.Errorf("the record of %s is damaged: %w", m.recordName(), err)
		}
		if a.impossible() {
			return nil, fmt.Errorf("the record of %s is damaged: it has numbers or times that no process has recorded",
				m.recordName())
		}
	}
	a.openRate()
	a.openQuota()
	a.giveBack(unused)
	a.share = share{block: unused.block}
	if unused.credit > 0 { // the block was too large for the time
		a.share.block = 0
	}
	return a, nil
}

// impossible reports whether the record can't be that of an account.
func (a *account) impossible() bool {
	if rec := a.record.Rate; rec != nil {
		if rec.Tokens < 0 || rec.At < 0 || rec.At > a.now || wrong(rec.Held, a.now+longest) {
			return true
		}
	}
	// A window may have been replaced by a shorter one, but not by one of a thousand years.
	return wrong(a.record.Calls, math.MaxInt64/2)
}

// openRate makes the bucket as of now. A rate that was changed keeps whole tokens.
func (a *account) openRate() {
	rate, rec := a.meter.rate, a.record.Rate
	if rate == (Rate{}) {
		a.record.Rate = nil
		return
	}
	if rec == nil {
		rec = &rateRecord{Tokens: rate.Burst, At: a.now}
		a.record.Rate = rec
	}
	parts := rec.Parts
	if rec.Calls != rate.Calls || rec.Per != rate.Per {
		parts = 0
	}
	a.bucket = bucket.Restored(rate.flow(), max(rate.Burst-total(rec.Held), 0), rec.Tokens, parts, rec.At)
	for len(rec.Held) > 0 && rec.Held[0].At <= a.now {
		at := rec.Held[0].At
		rec.Held = rec.Held[1:]
		a.bucket.Resize(max(rate.Burst-total(rec.Held), 0), max(at, rec.At))
	}
}

// openQuota drops the calls that are a window ago.
func (a *account) openQuota() {
	if a.meter.log == nil {
		a.record.Calls = nil
		return
	}
	window := a.meter.log.quota.Window
	calls := a.record.Calls
	for len(calls) > 0 && a.now-calls[0].At >= window {
		calls = calls[1:]
	}
	a.record.Calls = calls
}

// wrong reports whether counts can't have been recorded before now: they are at most some time ahead.
func wrong(list []countAt, latest time.Duration) bool {
	return !slices.IsSortedFunc(list, func(a, b countAt) int { return cmp.Compare(a.At, b.At) }) ||
		slices.ContainsFunc(list, func(c countAt) bool { return c.N <= 0 || c.N > MaxQuota || c.At < 0 || c.At > latest })
}

func total(list []countAt) int {
	n := 0
	for _, c := range list {
		n += c.N
	}
	return n
}

// slotOf returns the length of a group of a quota's calls.
func slotOf(window time.Duration) time.Duration { return max(window/slots, shortest) }

// refusal returns the violation of a call, nil if there is none.
func (a *account) refusal() *Violation {
	var v *Violation
	if rec := a.record.Rate; rec != nil && a.bucket.Whole(a.now) == 0 {
		wait := a.bucket.Wait(a.now, 1)
		if total(rec.Held) >= a.meter.rate.Burst { // it has no room for a token before
			wait += rec.Held[0].At - a.now
		}
		v = a.meter.ofRate(wait)
	}
	if log := a.meter.log; log != nil {
		left := total(a.record.Calls) - log.quota.Calls
		for _, c := range a.record.Calls {
			if left < 0 {
				break
			}
			if left -= c.N; left < 0 {
				v = longer(v, a.meter.ofQuota(c.At+log.quota.Window-a.now))
			}
		}
	}
	return v
}

// reserve takes a block of calls, and uses one of them, which is made now. No policy refuses the call.
func (a *account) reserve() {
	m, rec := a.meter, a.record.Rate
	most, free := MaxQuota, MaxQuota
	until := longest // from now on
	if rec != nil {
		most, free = min(m.rate.Burst, m.rate.Calls), a.bucket.Whole(a.now)
	}
	if m.log != nil {
		q := m.log.quota
		most, free = min(most, q.Calls), min(free, q.Calls-total(a.record.Calls))
	}
	n := min(max(min(2*a.share.block, most/blocks), 1), free)
	a.share.block = n
	if rec != nil {
		a.share.rate = a.now + min(max(m.rate.Per, shortest), longest)
		until = min(until, a.share.rate-a.now)
		a.bucket.Put(-n)
		rec.Held = count(rec.Held, a.share.rate, n-1)
		a.bucket.Resize(max(m.rate.Burst-total(rec.Held), 0), a.now)
	}
	if m.log != nil {
		slot := slotOf(m.log.quota.Window)
		a.share.quota = (a.now/slot + 2) * slot
		until = min(until, a.share.quota-a.now)
		a.record.Calls = count(a.record.Calls, (a.now/slot+1)*slot, 1)
		a.record.Calls = count(a.record.Calls, a.share.quota, n-1)
	}
	a.share.credit = n - 1
	a.share.until = until
}

// giveBack returns the calls that a reservation has not used. Those of a rate are lost if the time of the reservation
// is over: the bucket may have filled up without them, and others may have used all of it.
func (a *account) giveBack(s share) {
	if s.credit == 0 {
		return
	}
	if rec := a.record.Rate; rec != nil && s.rate > a.now {
		rec.Held = count(rec.Held, s.rate, -s.credit)
		a.bucket.Resize(max(a.meter.rate.Burst-total(rec.Held), 0), a.now)
		a.bucket.Put(s.credit)
	}
	if a.meter.log != nil && s.quota > 0 {
		a.record.Calls = count(a.record.Calls, s.quota, -s.credit)
	}
}

// count adds to the number at a time. A time that is not there is added, unless n is below 0.
func count(list []countAt, at time.Duration, n int) []countAt {
	i, found := slices.BinarySearchFunc(list, at,
		func(c countAt, at time.Duration) int { return cmp.Compare(c.At, at) })
	switch {
	case found && list[i].N+n > 0:
		list[i].N += n
	case found:
		return slices.Delete(list, i, i+1)
	case n > 0:
		return slices.Insert(list, i, countAt{at, n})
	}
	return list
}

// put writes the account.
func (a *account) put(r Records) error {
	if rec := a.record.Rate; rec != nil {
		rec.Calls, rec.Per = a.meter.rate.Calls, a.meter.rate.Per
		rec.Tokens, rec.Parts, rec.At = a.bucket.State()
	}
	return put(r, a.meter.recordName(), a.record)
}
