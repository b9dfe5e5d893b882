// This file defines how failed attempts to sign in are bounded.

package access

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The bounds of failed attempts from one address: ten at once, then one in six seconds.
//
// A valid token passes even then. Nobody can guess 256 bits, so the bound protects the audit log from a
// flood, not the tokens; a bound on valid tokens would let one client lock out the others behind the same
// address.
const (
	attemptsBurst = 10
	attemptsEvery = 6 * time.Second
	attemptsKept  = 10_000 // addresses, at some 200 bytes
)

// attempts counts failed attempts by address.
type attempts struct {
	mu sync.Mutex
	by map[netip.Prefix]*failures
}

type failures struct {
	bucket *rate.Limiter
	last   time.Time
	missed int // attempts that were not reported
}

// failed counts one failed attempt. It returns the time after which the address may try again, or 0, and the number
// of attempts since the last one for which it returned 0.
func (a *attempts) failed(from netip.Prefix, now time.Time) (wait time.Duration, missed int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = make(map[netip.Prefix]*failures)
	}
	f := a.by[from]
	if f == nil {
		if len(a.by) >= attemptsKept {
			a.forget(now)
		}
		f = &failures{bucket: rate.NewLimiter(rate.Every(attemptsEvery), attemptsBurst)}
		a.by[from] = f
	}
	f.last = now
	if !f.bucket.AllowN(now, 1) {
		f.missed++
		return attemptsEvery, 0
	}
	missed, f.missed = f.missed, 0
	return 0, missed
}

// forget removes the addresses whose buckets are full again, and all if there are none: an attacker with so many
// addresses is not bounded by address.
func (a *attempts) forget(now time.Time) {
	for from, f := range a.by {
		if now.Sub(f.last) > attemptsBurst*attemptsEvery {
			delete(a.by, from)
		}
	}
	if len(a.by) >= attemptsKept {
		clear(a.by)
	}
}

// network returns the address of a client, or for IPv6 its /64 network, because a client usually has all
// addresses of it.
func network(r *http.Request) netip.Prefix {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	addr = addr.Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits)
	return p
}
