// This file runs the atomic operations of a Budget in many orders.

package budget

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// actor is a goroutine of the model: its place in TryAcquire or Release.
type actor struct {
	at    place
	holds bool
	seen  uint64 // what its Release has loaded
	wrong bool   // it also releases when it holds nothing
}

type place uint8

const (
	outside place = iota
	claimed
	refused
	releasing
)

// step does one atomic operation of the actor. It says whether a slot was refused
// to it or a wrong release caught.
func (a *actor) step(b *Budget, r *rand.Rand) (caught bool) {
	switch {
	case a.at == claimed:
		b.hold()
		a.at, a.holds = outside, true
	case a.at == refused:
		b.takeBack()
		a.at = outside
	case a.at == releasing:
		return a.release(b)
	case a.holds || a.wrong && r.IntN(4) == 0:
		a.seen = b.state.Load()
		a.at = releasing
	case b.claim():
		a.at = claimed
	default:
		a.at = refused
	}
	return false
}

func (a *actor) release(b *Budget) (caught bool) {
	defer func() {
		if recover() != nil {
			a.at, caught = outside, true
		}
	}()
	if !b.release(a.seen) {
		a.seen = b.state.Load()
		return false
	}
	a.at, a.holds = outside, false
	return false
}

// TestInterleavings: however the operations follow each other, no more slots are
// held than there are, and what the budget counts is what the actors hold.
func TestInterleavings(t *testing.T) {
	for seed := range uint64(4_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := New(1 + r.IntN(3))
		actors := make([]actor, 2+r.IntN(4))
		for range 200 {
			actors[r.IntN(len(actors))].step(b, r)
			requireConsistent(t, b, actors, seed)
		}
	}
}

func requireConsistent(t *testing.T, b *Budget, actors []actor, seed uint64) {
	held, claims := 0, 0
	for i := range actors {
		if actors[i].holds {
			held++
		}
		if actors[i].holds || actors[i].at == claimed || actors[i].at == refused {
			claims++
		}
	}
	if held > b.Capacity() || held != b.Held() || uint32(claims) != uint32(b.state.Load()) {
		require.Failf(t, "inconsistent", "seed %d: %d slots held of %d, %d counted; %d claims, %d counted",
			seed, held, b.Capacity(), b.Held(), claims, uint32(b.state.Load()))
	}
}

// TestWrongRelease: one actor releases what it does not hold. If nobody holds a
// slot it is caught; if somebody does, that slot is what it gives back, and no
// budget that only counts could tell. Never is a claim lost that stood for nothing:
// once all are outside, claims and slots are the same number.
func TestWrongRelease(t *testing.T) {
	caught := 0
	for seed := range uint64(4_000) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := New(1 + r.IntN(2))
		actors := make([]actor, 3)
		actors[0].wrong = true
		for range 60 {
			if actors[r.IntN(len(actors))].step(b, r) {
				caught++
			}
			require.LessOrEqual(t, b.Held(), b.Capacity(), "seed %d", seed)
		}
		for i := range actors {
			for actors[i].at != outside {
				actors[i].step(b, r)
			}
		}
		require.Equal(t, b.Held(), int(uint32(b.state.Load())), "seed %d: slots held and claims", seed)
	}
	require.Positive(t, caught)
}
