// This file defines key, by which actions and executions are found.

package queue

import "hash/maphash"

// key is the name of an action or an execution, and its hash, which is never 0. A name
// is hashed once, before any lock is taken.
type key struct {
	hash uint64
	name string
}

func (s *Set) key(name string) key { return key{maphash.String(s.seed, name) | 1<<63, name} }
