// This file defines meter, which counts the calls that a policy bounds.

package queue

import (
	"fmt"
	"math/bits"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

// meter holds a policy's rate and quota to the calls that are made. Times are counted
// from when its enforcer was made.
type meter struct {
	level Level
	name  string

	mu     sync.Mutex
	bucket *bucket // nil if there is no rate
	log    *log    // nil if there is no quota
}

// newMeter gives the meter of a policy, nil if there is nothing to be counted.
func newMeter(level Level, name string, p Policy) *meter {
	m := &meter{level: level, name: name}
	if p.Rate != (Rate{}) {
		m.bucket = newBucket(p.Rate)
	}
	if p.Quota != (Quota{}) {
		m.log = &log{quota: p.Quota}
	}
	if m.bucket == nil && m.log == nil {
		return nil
	}
	return m
}

// bounds tells of the rate and the quota.
func (m *meter) bounds() []string {
	shared := map[Level]string{OfPack: "with all of " + m.name + " ", Global: "with all tools "}[m.level]
	var parts []string
	if m.bucket != nil {
		parts = append(parts, fmt.Sprintf("%s%s in %s", shared, diag.Counted(m.bucket.rate.Calls, "call"), diag.Duration(m.bucket.rate.Per)))
	}
	if m.log != nil {
		parts = append(parts, fmt.Sprintf("%s%s in any %s", shared, diag.Counted(m.log.quota.Calls, "call"), diag.Duration(m.log.quota.Window)))
	}
	return parts
}

// refusal gives what stands against a call now: nil, or the violation that lasts
// longer if there are two. The caller holds mu.
func (m *meter) refusal(now time.Duration) *Violation {
	var v *Violation
	if m.bucket != nil {
		if wait := m.bucket.wait(now); wait > 0 {
			r := m.bucket.rate
			v = &Violation{Level: m.level, Name: m.name, Kind: OfRate, Calls: r.Calls, Window: r.Per, Burst: r.Burst, RetryAfter: wait}
		}
	}
	if m.log != nil {
		if wait := m.log.wait(now); wait > 0 && (v == nil || wait > v.RetryAfter) {
			q := m.log.quota
			v = &Violation{Level: m.level, Name: m.name, Kind: OfQuota, Calls: q.Calls, Window: q.Window, RetryAfter: wait}
		}
	}
	return v
}

// count counts a call against which nothing stands. The caller holds mu, and has since
// it asked for the refusal.
func (m *meter) count(now time.Duration) {
	if m.bucket != nil {
		m.bucket.tokens--
	}
	if m.log != nil {
		m.log.add(now)
	}
}

// bucket is a token bucket in whole numbers: what it holds is tokens, and parts of the
// next one, of which rate.Per nanoseconds make a whole. A nanosecond brings rate.Calls
// parts, so nothing is ever rounded, however long it runs.
type bucket struct {
	rate   Rate
	tokens int
	parts  uint64
	at     time.Duration // when it held that
}

func newBucket(r Rate) *bucket {
	if r.Burst == 0 {
		r.Burst = r.Calls
	}
	return &bucket{rate: r, tokens: r.Burst}
}

// wait fills the bucket up to now, and gives how long it is until it has a token.
func (b *bucket) wait(now time.Duration) time.Duration {
	b.fill(now)
	if b.tokens > 0 {
		return 0
	}
	calls, missing := uint64(b.rate.Calls), uint64(b.rate.Per)-b.parts
	return time.Duration((missing-1)/calls + 1)
}

func (b *bucket) fill(now time.Duration) {
	hi, lo := bits.Mul64(uint64(now-b.at), uint64(b.rate.Calls))
	lo, carry := bits.Add64(lo, b.parts, 0)
	hi += carry
	b.at = now
	full := uint64(b.rate.Burst - b.tokens) // this many tokens more
	if hi >= uint64(b.rate.Per) {
		b.tokens, b.parts = b.rate.Burst, 0
		return
	}
	more, parts := bits.Div64(hi, lo, uint64(b.rate.Per))
	if more >= full {
		b.tokens, b.parts = b.rate.Burst, 0
		return
	}
	b.tokens, b.parts = b.tokens+int(more), parts
}

// log has the times of the latest calls, as many as the quota allows in its window. A
// call may be made when there have been fewer, or when the oldest of them is as long
// ago as the window.
type log struct {
	quota Quota
	times []time.Duration // once there are as many as the quota allows, a ring
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
