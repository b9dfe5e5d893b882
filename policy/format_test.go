package policy_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/runtime/queue"
)

func TestFormat(t *testing.T) {
	const text = `global:
  concurrency: 100
packs:
  aws:
    concurrency: 4
    quota: {calls: 10000, window: 24h}
actions:
  aws.ec2_start:
    rate: {calls: 10, per: 1m, burst: 2}
  "yes":
    quota: {calls: 1, window: 1ns}
`
	p, err := policy.Parse("p.yaml", text)
	require.NoError(t, err)
	require.Equal(t, text, policy.Format(p))
	require.Empty(t, policy.Format(queue.Policies{Actions: map[string]queue.Policy{"a": {}}}))
}

// roundTrip checks that valid policies are the same after they were written and read.
func roundTrip(t *testing.T, p queue.Policies) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(p.Actions)), maps.Keys(p.Packs))
	if p.Check() != nil || slices.ContainsFunc(names, func(name string) bool { return !utf8.ValidString(name) }) {
		return
	}
	back, err := policy.Parse("p.yaml", policy.Format(p))
	require.NoError(t, err, policy.Format(p))
	require.Equal(t, policy.Format(p), policy.Format(back))
	require.Equal(t, p.Global, back.Global)
	for name, want := range p.Actions {
		require.Equal(t, want, back.Actions[name], "%q", name)
	}
	for name, want := range p.Packs {
		require.Equal(t, want, back.Packs[name], "%q", name)
	}
}

func TestFormatRoundTrip(t *testing.T) {
	names := []string{"a", "a.b", "on", "null", "1", "1e3", "~", "x: y", "#", "a-b.c_d", "é", "\"", "'", "{}", "-", "a\\b", "true.x", "<>&",
		"\u2028", "\U0001F600", "!tag", "*a", "&a", "%", "@", "`", "a.null", "1.5", "x\u00a0", "...", "---"}
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		random := func() (p queue.Policy) {
			if r.IntN(2) == 0 {
				p.Concurrency = r.IntN(1000)
			}
			if r.IntN(2) == 0 {
				p.Rate = queue.Rate{Calls: 1 + r.IntN(1000), Per: time.Duration(1 + r.Int64N(1<<(10+r.IntN(50)))), Burst: r.IntN(5)}
			}
			if r.IntN(2) == 0 {
				p.Quota = queue.Quota{Calls: 1 + r.IntN(1000), Window: time.Duration(1 + r.Int64N(1<<(10+r.IntN(50))))}
			}
			return p
		}
		p := queue.Policies{Global: random(), Packs: map[string]queue.Policy{}, Actions: map[string]queue.Policy{}}
		for range r.IntN(6) {
			p.Packs[names[r.IntN(len(names))]] = random()
			p.Actions[names[r.IntN(len(names))]+[]string{"", ".x"}[r.IntN(2)]] = random()
		}
		roundTrip(t, p)
	}
}

func FuzzFormat(f *testing.F) {
	f.Add("aws.ec2_start", "aws", 3, int64(time.Minute))
	f.Fuzz(func(t *testing.T, action, pack string, n int, d int64) {
		own := queue.Policy{Concurrency: n, Quota: queue.Quota{Calls: n, Window: time.Duration(d)}}
		roundTrip(t, queue.Policies{Packs: map[string]queue.Policy{pack: own}, Actions: map[string]queue.Policy{action: own}})
	})
}
