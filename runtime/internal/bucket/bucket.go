// Package bucket is a token bucket in whole numbers. The rate limits of package guard and the rates of
// package queue are buckets.
package bucket

import (
	"math"
	"math/bits"
	"time"
)

// Rate is the speed at which tokens flow in: Parts parts of a token each nanosecond, where Whole parts are a token.
// Both are below 1<<63 and above 0.
type Rate struct{ Parts, Whole uint64 }

// PerSecond returns the rate of r tokens in a second, 1e-9 <= r <= 1e9. It is exact if r has at most nine
// decimals. Otherwise it is as exact as a float64.
func PerSecond(r float64) Rate {
	for tens := 1.0; tens <= 1e9; tens *= 10 {
		if n := math.Round(r * tens); n/tens == r && n < 1<<53 {
			return Rate{uint64(n), uint64(tens) * uint64(time.Second)}
		}
	}
	whole := float64(time.Second) / r
	_, exponent := math.Frexp(whole)
	shift := 62 - exponent
	return Rate{1 << shift, uint64(math.Ldexp(whole, shift))}
}

// Bucket holds tokens up to its burst, and parts of the next one. Nothing is rounded, however long it
// runs. It has no lock. Times are those of one clock of the caller.
type Bucket struct {
	rate   Rate
	burst  int
	tokens int
	parts  uint64
	at     time.Duration // when it held that; in the future after StartAt
}

// New returns a full bucket. burst is at least 1.
func New(r Rate, burst int, now time.Duration) Bucket {
	return Bucket{rate: r, burst: burst, tokens: burst, at: now}
}

// Restored returns a bucket with the State of an earlier one. It holds no more than its burst, whatever the state.
func Restored(r Rate, burst, tokens int, parts uint64, at time.Duration) Bucket {
	b := Bucket{rate: r, burst: burst, tokens: min(max(tokens, 0), burst), parts: parts, at: at}
	if b.tokens == burst || parts >= r.Whole {
		b.parts = 0
	}
	return b
}

// State returns the contents of the bucket, its tokens and the parts of the next one, and their time.
func (b *Bucket) State() (tokens int, parts uint64, at time.Duration) { return b.tokens, b.parts, b.at }

// Resize changes the burst. The bucket loses the tokens that no longer fit.
func (b *Bucket) Resize(burst int, now time.Duration) {
	b.fill(now)
	b.burst = burst
	b.Put(0)
}

// Put returns tokens to the bucket, as many as fit.
func (b *Bucket) Put(n int) {
	if b.tokens += n; b.tokens >= b.burst {
		b.tokens, b.parts = b.burst, 0
	}
}

// StartAt empties the bucket until a time at which it holds one token.
func (b *Bucket) StartAt(at time.Duration) { b.tokens, b.parts, b.at = 1, 0, at }

// Take takes a token, which the bucket must have: Wait has returned 0.
func (b *Bucket) Take() { b.tokens-- }

// Whole returns the number of whole tokens that the bucket holds.
func (b *Bucket) Whole(now time.Duration) int {
	b.fill(now)
	return b.tokens
}

// Tokens returns how many tokens the bucket holds, with the part of the next one.
func (b *Bucket) Tokens(now time.Duration) float64 {
	b.fill(now)
	return float64(b.tokens) + float64(b.parts)/float64(b.rate.Whole)
}

// Full reports whether the bucket holds its burst.
func (b *Bucket) Full(now time.Duration) bool {
	b.fill(now)
	return b.tokens == b.burst
}

// Wait returns the time until n tokens have flowed in, at most maxWait. n may exceed the capacity of the
// bucket.
func (b *Bucket) Wait(now time.Duration, n int) time.Duration {
	b.fill(now)
	early := max(0, b.at-now)
	if b.tokens >= n {
		return early
	}
	hi, lo := bits.Mul64(uint64(n-b.tokens), b.rate.Whole)
	lo, borrow := bits.Sub64(lo, b.parts, 0)
	lo, borrow2 := bits.Sub64(lo, 1, 0) // to round up
	hi -= borrow + borrow2
	if hi >= b.rate.Parts {
		return maxWait
	}
	ns, _ := bits.Div64(hi, lo, b.rate.Parts)
	return min(time.Duration(min(ns, uint64(maxWait)-1))+1+early, maxWait)
}

// maxWait is the longest wait, some 146 years.
const maxWait = time.Duration(1 << 62)

// fill adds the inflow until now.
func (b *Bucket) fill(now time.Duration) {
	if now <= b.at {
		return
	}
	hi, lo := bits.Mul64(uint64(now-b.at), b.rate.Parts)
	lo, carry := bits.Add64(lo, b.parts, 0)
	hi += carry
	b.at = now
	if hi >= b.rate.Whole {
		b.tokens, b.parts = b.burst, 0
		return
	}
	more, parts := bits.Div64(hi, lo, b.rate.Whole)
	if more >= uint64(b.burst-b.tokens) {
		b.tokens, b.parts = b.burst, 0
		return
	}
	b.tokens, b.parts = b.tokens+int(more), parts
}
