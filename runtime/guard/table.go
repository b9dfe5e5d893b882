// This file defines the table of the locks that somebody holds.

package guard

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

// table finds locks by the hash of their host and the host. It is a hash table with
// chains instead of a map because a lock is looked up with one hash, which has chosen
// the shard too, and taken out without another look: with a map of Go an acquisition
// and its release hash the name five times, and take twice the time.
type table struct {
	buckets []*lock // a power of two of them
	length  int
	kept    *lock // for use; bounded, so that hosts that are not in use take no room
	spare   int
}

const (
	minBuckets = 8
	maxSpare   = 4 // of a shard: about as many as run at once
)

func (t *table) bucket(hash uint64) **lock {
	return &t.buckets[hash/shards&uint64(len(t.buckets)-1)]
}

// find gives the lock of a host, nil if nobody holds it.
func (t *table) find(hash uint64, host string) *lock {
	if t.length == 0 {
		return nil
	}
	l := *t.bucket(hash)
	for l != nil && (l.hash != hash || l.host != host) {
		l = l.next
	}
	return l
}

// add puts in a lock for a host that has none.
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
