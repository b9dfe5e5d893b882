// This file defines meter, which counts the calls that a policy bounds.

package queue

import (
	"fmt"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/internal/bucket"
)

// meter applies a policy's rate and quota to calls. Its times count from the making of its
// enforcer.
type meter struct {
	level Level
	name  string

	mu     sync.Mutex
	rate   Rate // its Burst is above 0; the zero Rate if there is none
	bucket bucket.Bucket
	log    *log // nil if there is no quota
	share  share
}

// flow returns the speed of the bucket of a rate.
func (r Rate) flow() bucket.Rate { return bucket.Rate{Parts: uint64(r.Calls), Whole: uint64(r.Per)} }

// newMeter returns the meter of a policy, nil if nothing is counted.
func newMeter(level Level, name string, p Policy) *meter {
	m := &meter{level: level, name: name}
	if p.Rate != (Rate{}) {
		m.rate = p.Rate
		if m.rate.Burst == 0 {
			m.rate.Burst = m.rate.Calls
		}
		m.bucket = bucket.New(m.rate.flow(), m.rate.Burst, 0)
	}
	if p.Quota != (Quota{}) {
		m.log = &log{quota: p.Quota}
	}
	if m.rate == (Rate{}) && m.log == nil {
		return nil
	}
	return m
}

// bounds describes the rate and the quota.
func (m *meter) bounds() []string {
	shared := map[Level]string{OfPack: "with all of " + m.name + " ", Global: "with all tools "}[m.level]
	var parts []string
	if m.rate != (Rate{}) {
		parts = append(parts, fmt.Sprintf("%s%s in %s",
			shared, diag.Counted(m.rate.Calls, "call"), diag.Duration(m.rate.Per)))
	}
	if m.log != nil {
		parts = append(parts, fmt.Sprintf("%s%s in any %s",
			shared, diag.Counted(m.log.quota.Calls, "call"), diag.Duration(m.log.quota.Window)))
	}
	return parts
}

// refusal returns the violation of a call now, nil if there is none. If there are two violations, it
// returns the longer one. The caller holds mu.
func (m *meter) refusal(now time.Duration) *Violation {
	var v *Violation
	if m.rate != (Rate{}) {
		v = m.ofRate(m.bucket.Wait(now, 1))
	}
	if m.log != nil {
		v = longer(v, m.ofQuota(m.log.wait(now)))
	}
	return v
}

// ofRate returns the violation of the rate that lasts for a time, nil for 0.
func (m *meter) ofRate(wait time.Duration) *Violation {
	if wait <= 0 {
		return nil
	}
	r := m.rate
	return &Violation{Level: m.level, Name: m.name, Kind: OfRate, Calls: r.Calls, Window: r.Per, Burst: r.Burst,
		RetryAfter: wait}
}

// ofQuota returns the violation of the quota that lasts for a time, nil for 0.
func (m *meter) ofQuota(wait time.Duration) *Violation {
	if wait <= 0 {
		return nil
	}
	q := m.log.quota
	return &Violation{Level: m.level, Name: m.name, Kind: OfQuota, Calls: q.Calls, Window: q.Window, RetryAfter: wait}
}

// longer returns the violation that lasts longer, a if they last equally long. Both may be nil.
func longer(a, b *Violation) *Violation {
	if a == nil || b != nil && b.RetryAfter > a.RetryAfter {
		return b
	}
	return a
}

// count counts a call that refusal did not refuse. The caller has held mu since refusal.
func (m *meter) count(now time.Duration) {
	if m.rate != (Rate{}) {
		m.bucket.Take()
	}
	if m.log != nil {
		m.log.add(now)
	}
}

// log has the times of the latest calls, as many as the quota allows in its window. A call may be
// made if there are fewer times, or if the oldest one is at least a window ago.
type log struct {
	quota Quota
	times []time.Duration // a ring when it has as many as the quota allows
	next  int             // the oldest of a ring
}

func (l *log) wait(now time.Duration) time.Duration {
	if len(l.times) < l.quota.Calls {
		return 0
	}
	return l.quota.Window - (now - l.times[l.next])
}

func (l *log) add(now time.Duration) {
	if len(l.times) < l.quota.Calls {
		l.times = append(l.times, now)
		return
	}
	l.times[l.next] = now
	if l.next++; l.next == len(l.times) {
		l.next = 0
	}
}
