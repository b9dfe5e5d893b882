// This file defines who may submit and start runs.

package access

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Refusal is the error of a submission for which an owner's share has no room.
type Refusal struct {
	Owner string // "the tenant NAME" or "NAME"
	Bound string // of the share: queued, memory, per second
	Max   string
	After time.Duration // when to try again; 0: it never fits
}

func (e *Refusal) Error() string {
	again := "lower the limits of the run, or ask an operator to raise the share"
	if e.After > 0 {
		again = "try again in " + Seconds(e.After) + " s"
	}
	return fmt.Sprintf("the share of %s is used up (%s: %s); %s", e.Owner, e.Bound, e.Max, again)
}

// queueAgain is when a client tries again that found its part of the queue full: a run takes about that long.
const queueAgain = time.Second

// Use is the usage of the runs of a tenant, or of one identity of it.
type Use struct {
	Running, Queued int
	Memory          int64 // bytes, the sum of the bounds of the running runs
}

// Asking is a run that asks for a part of the shares, with the present usage.
type Asking struct {
	Tenant, By string // By is the name of the identity that submitted the run
	Memory     int64  // the bound of the run, in bytes
	OfTenant   Use
	Own        Use // of the identity
}

// Shares decides how much tenants and identities may use. It is safe for concurrent use. The engine counts their
// usage. Each method takes some microseconds. The bounds of the whole service are not its business.
type Shares struct {
	tokens func(name string) Share

	mu      sync.Mutex
	tenants map[string]Share
	rest    Share
	buckets map[bucket]*rate.Limiter // of submissions; there is one for each tenant and token with a rate
}

// bucket names the submissions of a tenant, or of an identity of it.
type bucket struct {
	tenant, by string
	whole      bool // the tenant, with all its identities
}

// level is a share with its usage.
type level struct {
	of    bucket
	share Share
	used  Use
}

func (l level) String() string {
	if l.of.whole {
		return "the tenant " + l.of.tenant
	}
	return l.of.by
}

// NewShares returns the shares of a service. The share of a tenant is its entry in tenants, or else rest;
// tokens returns the share of an identity, by its name: Tokens.Share.
func NewShares(tenants map[string]Share, rest Share, tokens func(name string) Share) (*Shares, error) {
	s := &Shares{tokens: tokens, buckets: make(map[bucket]*rate.Limiter)}
	return s, s.Replace(tenants, rest)
}

// Replace replaces the shares of tenants. They hold for all later decisions; runs that have started continue.
func (s *Shares) Replace(tenants map[string]Share, rest Share) error {
	if err := rest.check(); err != nil {
		return fmt.Errorf("the share of other tenants: %w", err)
	}
	for tenant, share := range tenants {
		if err := share.check(); err != nil {
			return fmt.Errorf("the share of the tenant %s: %w", tenant, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tenants, s.rest = maps.Clone(tenants), rest
	return nil
}

// ofTenant returns the share of a tenant.
func (s *Shares) ofTenant(name string) Share {
	s.mu.Lock()
	defer s.mu.Unlock()
	if share, ok := s.tenants[name]; ok {
		return share
	}
	return s.rest
}

// levels returns the shares that bound a run.
func (s *Shares) levels(a Asking) [2]level {
	tenant := s.ofTenant(a.Tenant)
	var own Share
	if s.tokens != nil {
		own = s.tokens(a.By)
	}
	return [2]level{
		{bucket{tenant: a.Tenant, whole: true}, tenant, a.OfTenant},
		{bucket{tenant: a.Tenant, by: a.By}, own, a.Own},
	}
}

// Calls returns the bound of the tool calls of a run: most, or a lower one of its shares.
func (s *Shares) Calls(tenant, by string, most int) int {
	for _, l := range s.levels(Asking{Tenant: tenant, By: by}) {
		if l.share.Calls > 0 {
			most = min(most, l.share.Calls)
		}
	}
	return most
}

// Bounded reports whether Start may refuse runs of a submitter because of others.
func (s *Shares) Bounded(tenant, by string) bool {
	for _, l := range s.levels(Asking{Tenant: tenant, By: by}) {
		if l.share.Running > 0 || l.share.Memory > 0 {
			return true
		}
	}
	return false
}

// Submit returns a *Refusal if a run must not be submitted now. Otherwise the submission counts for the rates.
func (s *Shares) Submit(a Asking) error {
	levels := s.levels(a)
	for _, l := range levels {
		switch {
		case l.share.Memory > 0 && a.Memory > l.share.Memory:
			return &Refusal{l.String(), "memory", fmt.Sprintf("%d of %d bytes", a.Memory, l.share.Memory), 0}
		case l.share.Queued > 0 && l.used.Queued >= l.share.Queued:
			return &Refusal{l.String(), "queued", fmt.Sprintf("%d runs", l.share.Queued), queueAgain}
		}
	}
	return s.spend(levels, time.Now())
}

// spend takes a submission from the rates of all levels, or of none.
func (s *Shares) spend(levels [2]level, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken []*rate.Reservation
	for _, l := range levels {
		if l.share.PerSecond == 0 {
			delete(s.buckets, l.of)
			continue
		}
		r := s.limiter(l).ReserveN(now, 1)
		taken = append(taken, r)
		wait := r.DelayFrom(now)
		if wait == 0 {
			continue
		}
		for _, r := range taken {
			r.CancelAt(now)
		}
		return &Refusal{l.String(), "per second", fmt.Sprint(l.share.PerSecond), wait}
	}
	return nil
}

// limiter returns the bucket of a level, whose share may have changed since the last submission.
func (s *Shares) limiter(l level) *rate.Limiter {
	limit := rate.Limit(l.share.PerSecond)
	burst := cmp.Or(l.share.Burst, max(1, int(math.Ceil(min(l.share.PerSecond, math.MaxInt32)))))
	b := s.buckets[l.of]
	if b == nil {
		b = rate.NewLimiter(limit, burst)
		s.buckets[l.of] = b
	}
	if b.Limit() != limit || b.Burst() != burst {
		b.SetLimit(limit)
		b.SetBurst(burst)
	}
	return b
}

// Start reports whether a queued run may start. If not, it stays queued, and the next one in the queue may be of a
// tenant with room.
func (s *Shares) Start(a Asking) bool {
	for _, l := range s.levels(a) {
		if l.share.Running > 0 && l.used.Running >= l.share.Running {
			return false
		}
		// A run alone always starts: the share may have been lowered since its submission.
		if l.share.Memory > 0 && l.used.Running > 0 && a.Memory > l.share.Memory-l.used.Memory {
			return false
		}
	}
	return true
}
