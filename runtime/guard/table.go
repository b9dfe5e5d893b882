// This file defines the table of the locks that somebody holds.

package guard

import "hash/maphash"

// lock is a host's lock, or the global one. What a queue needs is in it, so that it
// is one object of 80 bytes.
type lock struct {
	next   *lock // in its bucket, or among those kept for use
	hash   uint64
	host   string // "" for the global lock
	holder *Owner // nil if it is free
	ticket uint64 // of the holder; 0 if it is free
	queue         // of those who wait
}

// table finds the lock of a host. It is a hash table with chains instead of a map,
// because a lock is found and taken out again with one hash of its host: with a map of
// Go it would take three or four, and an acquisition twice the time.
type table struct {
	seed    maphash.Seed
	buckets []*lock // a power of two of them
	length  int
	kept    *lock // for use; bounded, so that hosts that are not in use take no room
	spare   int
}

const (
	minBuckets = 8
	maxSpare   = 16 // about as many locks as change hands at once
)

func (t *table) hash(host string) uint64 { return maphash.String(t.seed, host) }

func (t *table) bucket(hash uint64) **lock { return &t.buckets[hash&uint64(len(t.buckets)-1)] }

// get gives the lock of a host. If it has none, because nobody holds it, one is put in.
func (t *table) get(hash uint64, host string) *lock {
	if t.length > 0 {
		for l := *t.bucket(hash); l != nil; l = l.next {
			if l.hash == hash && l.host == host {
				return l
			}
		}
	}
	return t.add(hash, host)
}

// add puts in a lock.
func (t *table) add(hash uint64, host string) *lock {
	if t.length == len(t.buckets) {
		t.resize(max(minBuckets, 2*len(t.buckets)))
	}
	l := t.kept
	if l == nil {
		l = new(lock)
	} else {
		t.kept = l.next
		t.spare--
	}
	l.hash, l.host = hash, host
	b := t.bucket(hash)
	l.next, *b = *b, l
	t.length++
	return l
}

// remove takes a lock out.
func (t *table) remove(l *lock) {
	b := t.bucket(l.hash)
	for *b != l {
		b = &(*b).next
	}
	*b = l.next
	l.host, l.next = "", nil
	if t.length--; t.length < len(t.buckets)/4 && len(t.buckets) > minBuckets {
		t.resize(len(t.buckets) / 2)
	}
	if t.spare < maxSpare {
		l.next, t.kept = t.kept, l
		t.spare++
	}
}

func (t *table) resize(buckets int) {
	old := t.buckets
	t.buckets = make([]*lock, buckets)
	for _, l := range old {
		for l != nil {
			next := l.next
			b := t.bucket(l.hash)
			l.next, *b = *b, l
			l = next
		}
	}
}

// all calls f with each lock.
func (t *table) all(f func(*lock)) {
	for _, l := range t.buckets {
		for ; l != nil; l = l.next {
			f(l)
		}
	}
}
