package access

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newShares(t *testing.T, tenant, own Share) *Shares {
	t.Helper()
	s, err := NewShares(map[string]Share{"acme": tenant}, Share{}, func(name string) Share {
		if name == "ci" {
			return own
		}
		return Share{}
	})
	require.NoError(t, err)
	return s
}

// refused returns the bound that refuses a submission, or "".
func refused(t *testing.T, s *Shares, a Asking) string {
	t.Helper()
	err := s.Submit(a)
	if err == nil {
		return ""
	}
	var r *Refusal
	require.True(t, errors.As(err, &r), "%v", err)
	return r.Owner + ": " + r.Bound
}

func TestSharesOfQueueAndMemory(t *testing.T) {
	s := newShares(t, Share{Queued: 3, Memory: 100, Running: 2, Calls: 50}, Share{Queued: 1, Calls: 20})
	a := Asking{Tenant: "acme", By: "ci", Memory: 60}
	assert.Empty(t, refused(t, s, a))
	a.Own.Queued = 1
	assert.Equal(t, "ci: queued", refused(t, s, a))
	a.By, a.Own.Queued = "ann", 2
	assert.Empty(t, refused(t, s, a), "the share of ci is not that of ann")
	a.OfTenant.Queued = 3
	assert.Equal(t, "the tenant acme: queued", refused(t, s, a))
	a.Tenant = "other"
	assert.Empty(t, refused(t, s, a), "a tenant without a share")

	a = Asking{Tenant: "acme", By: "ann", Memory: 101}
	err := s.Submit(a)
	assert.EqualError(t, err,
		"the share of the tenant acme is used up (memory: 101 of 100 bytes); lower the limits of the run, or ask an operator to raise the share")
	assert.True(t, s.Start(a), "a run that was submitted under a larger share starts when it is alone")
	a.Memory = 60
	a.OfTenant = Use{Running: 1, Memory: 40}
	assert.True(t, s.Start(a))
	a.OfTenant = Use{Running: 1, Memory: 41}
	assert.False(t, s.Start(a))
	a.OfTenant = Use{Running: 2, Memory: 0}
	assert.False(t, s.Start(a))
	a.Tenant = "other"
	assert.True(t, s.Start(a))

	assert.Equal(t, 20, s.Calls("acme", "ci", 1000))
	assert.Equal(t, 50, s.Calls("acme", "ann", 1000))
	assert.Equal(t, 7, s.Calls("acme", "ci", 7), "a share never raises a bound")
	assert.Equal(t, 1000, s.Calls("other", "ann", 1000))
}

func TestSharesOfRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := Share{PerSecond: 1, Burst: 2}
		s, err := NewShares(nil, Share{PerSecond: 4}, func(string) Share { return own })
		require.NoError(t, err)
		a := Asking{Tenant: "acme", By: "ci"}
		assert.Empty(t, refused(t, s, a))
		assert.Empty(t, refused(t, s, a))
		assert.Equal(t, "ci: per second", refused(t, s, a))
		var r *Refusal
		require.ErrorAs(t, s.Submit(a), &r)
		assert.Equal(t, time.Second, r.After)
		assert.ErrorContains(t, r, "try again in 1 s")

		a.By = "ann"
		assert.Empty(t, refused(t, s, a), "what was refused took nothing from the tenant")
		assert.Empty(t, refused(t, s, a))
		assert.Equal(t, "the tenant acme: per second", refused(t, s, a))
		time.Sleep(time.Second)
		assert.Empty(t, refused(t, s, a))

		own = Share{PerSecond: 100, Burst: 100} // the token has a new share
		a = Asking{Tenant: "b", By: "ci"}
		for range 4 {
			assert.Empty(t, refused(t, s, a))
		}
		assert.Equal(t, "the tenant b: per second", refused(t, s, a))
		own = Share{}
		time.Sleep(time.Second)
		assert.Empty(t, refused(t, s, a))
		assert.NotContains(t, s.buckets, bucket{tenant: "b", by: "ci"})
	})
}

func TestSharesRefuseNonsense(t *testing.T) {
	_, err := NewShares(nil, Share{Queued: -1}, nil)
	assert.ErrorContains(t, err, "the share of other tenants: got -1")
	_, err = NewShares(map[string]Share{"a": {Burst: 1}}, Share{}, nil)
	assert.ErrorContains(t, err, "the share of the tenant a: got a burst")
}

func TestAttemptsByNetwork(t *testing.T) {
	var a attempts
	now := time.Now()
	for i := range attemptsKept + 5 {
		a.failed(prefixOf(t, i), now)
	}
	assert.LessOrEqual(t, len(a.by), attemptsKept)

	from := prefixOf(t, 1)
	for range attemptsBurst * 2 {
		a.failed(from, now)
	}
	wait, _ := a.failed(from, now)
	assert.Equal(t, attemptsEvery, wait)
	wait, missed := a.failed(from, now.Add(attemptsEvery))
	assert.Zero(t, wait)
	assert.Positive(t, missed)
}
