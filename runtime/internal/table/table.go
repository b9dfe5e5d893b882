// Package table has a hash table for what comes and goes all the time: executions that
// are put in when they begin and taken out when they have ended.
//
// A map of Go hashes a name when it is looked for, put in, looked for again and taken
// out, and draws a new seed whenever it has become empty. Here whoever puts something in
// has looked for it, and knows its place; so a name is hashed twice on its way. The
// table has open addressing: what is put in needs no memory but its slot.
package table

import (
	"hash/maphash"
	"iter"
)

// Key is a name and its hash, which is never 0. It is made before any lock is taken.
type Key struct {
	Hash uint64
	Name string
}

// KeyOf gives the key of a name. Keys of one table have the same seed.
func KeyOf(seed maphash.Seed, name string) Key {
	return Key{maphash.String(seed, name) | 1<<63, name}
}

// Table finds a value by its key.
type Table[V any] struct {
	slots  []slot[V] // a power of two of them
	length int
}

// slot is a place in the table. It is free if its hash is 0.
type slot[V any] struct {
	Key
	value V
}

const (
	minSlots = 8
	// keepSlots is how many slots stay when what was in them has gone: making them again
	// would cost more than the 4 KB that they hold.
	keepSlots = 128
)

// New gives a table without values.
func New[V any]() Table[V] { return Table[V]{slots: make([]slot[V], minSlots)} }

// Len gives the number of values.
func (t *Table[V]) Len() int { return t.length }

// Find gives the place of a key, and says whether it is there: otherwise the place is
// the free one where it belongs. A place is good until something is put in or removed.
func (t *Table[V]) Find(k Key) (place int, found bool) {
	mask := len(t.slots) - 1
	place = int(k.Hash) & mask
	for t.slots[place].Hash != 0 {
		if t.slots[place].Key == k {
			return place, true
		}
		place = (place + 1) & mask
	}
	return place, false
}

// Get gives the value of a key, or the zero value.
func (t *Table[V]) Get(k Key) V {
	place, _ := t.Find(k)
	return *t.At(place)
}

// At gives the value at a place.
func (t *Table[V]) At(place int) *V { return &t.slots[place].value }

// Put fills a free place. Some are always left, since they are where searches end.
func (t *Table[V]) Put(place int, k Key, v V) {
	t.slots[place] = slot[V]{k, v}
	if t.length++; t.length > len(t.slots)/4*3 {
		t.resize(2 * len(t.slots))
	}
}

// Remove frees a place. What stands behind it because it was taken then moves up, or no
// search would find it any more.
func (t *Table[V]) Remove(place int) {
	mask := len(t.slots) - 1
	for i := (place + 1) & mask; t.slots[i].Hash != 0; i = (i + 1) & mask {
		if first := int(t.slots[i].Hash); (i-first)&mask >= (i-place)&mask {
			t.slots[place] = t.slots[i]
			place = i
		}
	}
	t.slots[place] = slot[V]{}
	if t.length--; t.length < len(t.slots)/8 && len(t.slots) > keepSlots {
		t.resize(len(t.slots) / 2)
	}
}

func (t *Table[V]) resize(slots int) {
	old := t.slots
	t.slots = make([]slot[V], slots)
	for _, s := range old {
		if s.Hash != 0 {
			place, _ := t.Find(s.Key)
			t.slots[place] = s
		}
	}
}

// All gives the values, in no order.
func (t *Table[V]) All() iter.Seq[V] {
	return func(yield func(V) bool) {
		for i := range t.slots {
			if s := &t.slots[i]; s.Hash != 0 && !yield(s.value) {
				return
			}
		}
	}
}
