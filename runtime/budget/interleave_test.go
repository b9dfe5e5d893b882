// This file runs the atomic operations of a Budget in many orders.

package budget

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// actor is a goroutine of the model, with its place in TryAcquire or Release.
type actor struct {
	at    place
	holds bool
	wrong bool   // whether it also releases when it holds nothing
	seen  uint32 // the count that it read
	free  bool
}

type place uint8

const (
	outside place = iota
	looked        // in TryAcquire, before the claim
	caught        // in a surplus Release, before it is undone
)

// model is a budget with its actors, and the state of a budget whose operations take no time.
type model struct {
	*Budget
	actors []actor
	count  int // acquisitions minus releases, without surplus ones
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
	require.Failf(t, "inconsistent", "seed %d, %d slots held of %d: "+what,
		append([]any{m.seed, m.count, m.capacity}, args...)...)
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

// interleave runs thousands of schedules of some actors. wrong of them also release slots that they
// do not hold.
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

// TestInterleavings checks that in every order of the operations, no more slots are held than
// exist, none is refused while one is free, and the budget counts the slots that the actors hold.
func TestInterleavings(t *testing.T) {
	granted, refused, catches := interleave(t, 0)
	require.Positive(t, granted)
	require.Positive(t, refused)
	require.Zero(t, catches)
}

// TestWrongRelease has two actors release slots that they do not hold. If nobody holds a slot, the
// release is detected and changes nothing. If somebody does, the release returns that slot, which a
// budget that only counts cannot detect.
func TestWrongRelease(t *testing.T) {
	granted, _, catches := interleave(t, 2)
	require.Positive(t, granted)
	require.Positive(t, catches)
}
