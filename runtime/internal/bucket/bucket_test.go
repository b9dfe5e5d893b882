package bucket

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// model is a bucket in rational numbers.
type model struct {
	rate, tokens, burst *big.Rat
	at                  time.Duration
}

func (m *model) fill(now time.Duration) {
	if now <= m.at {
		return
	}
	m.tokens.Add(m.tokens, new(big.Rat).Mul(m.rate, big.NewRat(int64(now-m.at), 1)))
	if m.at = now; m.tokens.Cmp(m.burst) > 0 {
		m.tokens.Set(m.burst)
	}
}

// TestAgainstModel: at every moment the bucket has exactly the contents of the model, and a wait is the
// shortest possible, to the nanosecond.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		rate := Rate{1 + r.Uint64N(1<<r.IntN(62)), 1 + r.Uint64N(1<<r.IntN(62))}
		burst := 1 + r.IntN(20)
		ratio := new(big.Rat).SetFrac(new(big.Int).SetUint64(rate.Parts), new(big.Int).SetUint64(rate.Whole))
		m := &model{ratio, big.NewRat(int64(burst), 1), big.NewRat(int64(burst), 1), 0}
		b := New(rate, burst, 0)
		now := time.Duration(0)
		for range 200 {
			now += time.Duration(r.Int64N(1 << r.IntN(50)))
			m.fill(now)
			tokens, _ := m.tokens.Float64()
			require.InDelta(t, tokens, b.Tokens(now), 1e-9, "seed %d", seed)
			require.Equal(t, m.tokens.Cmp(m.burst) == 0, b.Full(now), "seed %d", seed)
			n := 1 + r.IntN(3)
			wait := b.Wait(now, n)
			if wait < maxWait/2 {
				requireShortest(t, fmt.Sprint("seed ", seed), m, now, n, wait)
			}
			if b.Wait(now, 1) == 0 {
				b.Take()
				m.tokens.Sub(m.tokens, big.NewRat(1, 1))
			}
			if r.IntN(20) == 0 {
				at := now + time.Duration(r.Int64N(1000))
				b.StartAt(at)
				m.tokens.SetInt64(1)
				m.at = at
			}
		}
	}
}

// requireShortest checks a wait for n tokens, which may be more than the burst.
func requireShortest(t *testing.T, name string, m *model, now time.Duration, n int, wait time.Duration) {
	t.Helper()
	after := func(wait time.Duration) *big.Rat {
		flown := max(0, now+wait-max(m.at, now))
		return new(big.Rat).Add(m.tokens, new(big.Rat).Mul(m.rate, big.NewRat(int64(flown), 1)))
	}
	want := big.NewRat(int64(n), 1)
	require.GreaterOrEqual(t, after(wait).Cmp(want), 0, name)
	require.GreaterOrEqual(t, now+wait, m.at, name)
	if wait > 0 && now+wait-1 >= m.at {
		require.Negative(t, after(wait-1).Cmp(want), name)
	}
}

// TestPerSecond: rates with few decimals are exact, and others as exact as their float64.
func TestPerSecond(t *testing.T) {
	for _, r := range []float64{1e-9, 0.000000007, 0.1, 0.07, 0.5, 1, 2.5, 10, 1e6, 123456.789, 1e9} {
		got := PerSecond(r)
		ratio := new(big.Rat).SetFrac(new(big.Int).SetUint64(got.Parts), new(big.Int).SetUint64(got.Whole))
		want, _ := new(big.Rat).SetString(big.NewFloat(r).Text('g', 15))
		require.Zero(t, ratio.Mul(ratio, big.NewRat(int64(time.Second), 1)).Cmp(want), r)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		want := math.Exp(math.Log(1e-9) + r.Float64()*math.Log(1e18))
		got := PerSecond(want)
		require.Less(t, got.Parts, uint64(1)<<63)
		require.Less(t, got.Whole, uint64(1)<<63)
		require.InEpsilon(t, want, float64(got.Parts)/float64(got.Whole)*1e9, 1e-12)
	}
}

// TestLongestWait: a wait of more than the clock can count is cut.
func TestLongestWait(t *testing.T) {
	b := New(PerSecond(1e-9), 1, 0)
	b.Take()
	require.Equal(t, time.Duration(1e18), b.Wait(0, 1))
	require.Equal(t, maxWait, b.Wait(0, math.MaxInt32))
}
