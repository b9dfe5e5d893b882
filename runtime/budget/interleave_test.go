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
	wrong bool   // it also releases when it holds nothing
	seen  uint32 // where it looked
	free  bool
}

type place uint8

const (
	outside place = iota
	looked        // in TryAcquire, before the claim
	caught        // in a Release too many, before it is taken back
)

// model is a budget with the actors around it, and what a budget whose operations took
// no time would have come to.
type model struct {
	*Budget
	actors []actor
	count  int // acquisitions less releases, those caught aside
	seed   uint64

	granted, refused, catches int
}

// step does one atomic operation of the actor.
func (m *model) step(t *testing.T, a *actor, r *rand.Rand) {
	switch {
	case a.at == looked:
		if a.at = outside; !a.free {
			m.refused++
		} else if m.claim(a.seen) {
			a.holds = true
			m.granted++
			m.count++
		}
	case a.at == caught:
		m.takeBack()
		a.at = outside
	case a.holds || a.wrong && r.IntN(4) == 0:
		a.holds = false
		if held := m.count; m.giveBack() != (held > 0) {
			m.fail(t, "a release of %d slots: caught is %t", held, held > 0)
		} else if held > 0 {
			m.count--
		} else {
			m.catches++
			a.at = caught
		}
	default:
		a.seen, a.free = m.look()
		a.at = looked
		if !a.free && m.count < m.Capacity() && m.between(caught) == 0 {
			m.fail(t, "refused")
		}
	}
	if m.count > m.Capacity() {
		m.fail(t, "a slot too many")
	}
	if counted := int(int32(m.held.Load())); counted != m.count-m.between(caught) || max(counted, 0) != m.Held() {
		m.fail(t, "%d counted", counted)
	}
}

func (m *model) fail(t *testing.T, what string, args ...any) {
	require.Failf(t, "inconsistent", "seed %d, %d slots held of %d: "+what, append([]any{m.seed, m.count, m.capacity}, args...)...)
}

// between counts the actors at a place.
func (m *model) between(at place) (n int) {
	for i := range m.actors {
		if m.actors[i].at == at {
			n++
		}
	}
	return n
}

// interleave runs thousands of schedules of some actors, wrong of which are.
func interleave(t *testing.T, wrong int) (granted, refused, catches int) {
	for seed := range uint64(4_000) {
		r := rand.New(rand.NewPCG(seed, uint64(wrong)))
		m := &model{Budget: New(1 + r.IntN(3)), actors: make([]actor, 2+r.IntN(4)), seed: seed}
		for i := range wrong {
			m.actors[i].wrong = true
		}
		for range 200 {
			m.step(t, &m.actors[r.IntN(len(m.actors))], r)
		}
		for i := range m.actors {
			for a := &m.actors[i]; a.at != outside || a.holds && !a.wrong; {
				m.step(t, a, r)
			}
		}
		require.Equal(t, m.count, m.Held(), "seed %d: slots held at the end", seed)
		granted, refused, catches = granted+m.granted, refused+m.refused, catches+m.catches
	}
	return granted, refused, catches
}

// TestInterleavings: however the operations follow each other, no more slots are held
// than there are, none is refused while one is free, and the budget counts what the
// actors hold.
func TestInterleavings(t *testing.T) {
	granted, refused, catches := interleave(t, 0)
	require.Positive(t, granted)
	require.Positive(t, refused)
	require.Zero(t, catches)
}

// TestWrongRelease: two actors release what they do not hold. When nobody holds a slot
// that is caught, and changes nothing; when somebody does, that slot is what they give
// back, and no budget that only counts could tell.
func TestWrongRelease(t *testing.T) {
	granted, _, catches := interleave(t, 2)
	require.Positive(t, granted)
	require.Positive(t, catches)
}
