// This file defines the ids of runs.

package store

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"sync"
	"time"
)

// IDs makes the ids of runs. An id has 26 characters: a time in milliseconds, and 80 bits that are random. So ids are
// ordered by time, and those of several machines differ. The zero IDs is ready, and safe for concurrent use.
type IDs struct {
	mu   sync.Mutex
	last [16]byte
}

// idDigits are in the order of bytes, so the order of ids is that of their bits. They lack i, l, o and u, which look
// like others or make words. All letters are small: two ids are two folders on any file system.
const idDigits = "0123456789abcdefghjkmnpqrstvwxyz"

var idText = base32.NewEncoding(idDigits).WithPadding(base32.NoPadding)

// idSize is the length of an id: 16 bytes as digits of 5 bits.
const idSize = 26

// Next returns an id for a time. Each id is greater than the previous ones, and than the ids passed to
// After: if the clock is set back, or several ids are made in one millisecond, it adds a random number to
// the previous id. So several machines that know the same last id make different ones.
func (g *IDs) Next(now time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(now.UnixMilli())<<16)
	rand.Read(b[6:]) // never fails
	g.mu.Lock()
	defer g.mu.Unlock()
	if string(b[:6]) <= string(g.last[:6]) {
		step := 1 + uint64(binary.BigEndian.Uint32(b[6:])) // the random bits have room for 2^48 of these
		b = g.last
		low := binary.BigEndian.Uint64(b[8:])
		binary.BigEndian.PutUint64(b[8:], low+step)
		if low+step < low {
			binary.BigEndian.PutUint64(b[:8], binary.BigEndian.Uint64(b[:8])+1)
		}
	}
	g.last = b
	return idText.EncodeToString(b[:])
}

// After makes later ids greater than one that was made before, by another process. An invalid id is ignored.
func (g *IDs) After(id string) {
	b, err := idText.DecodeString(id)
	if err != nil || len(b) != len(g.last) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if string(b) > string(g.last[:]) {
		g.last = [16]byte(b)
	}
}

// ValidID reports whether id can be that of a run.
func ValidID(id string) bool {
	b, err := idText.DecodeString(id)
	return err == nil && len(id) == idSize && idText.EncodeToString(b) == id // the last digit has 3 bits
}

// IDTime returns the time of an id, in UTC.
func IDTime(id string) (time.Time, error) {
	if !ValidID(id) {
		return time.Time{}, ErrInvalid.With("got the id %.100q, want one of a run", id)
	}
	b, _ := idText.DecodeString(id) // valid
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b) >> 16)).UTC(), nil
}

// FirstID returns an id that is greater than those of earlier times and not greater than those of the time and later
// ones, to find runs by time.
func FirstID(at time.Time) string {
	var b [16]byte
	ms := at.Add(time.Millisecond - 1).UnixMilli() // up: the run of a millisecond is before the rest of it
	ms = min(max(ms, 0), 1<<48-1)                  // the range of times in ids
	binary.BigEndian.PutUint64(b[:], uint64(ms)<<16)
	return idText.EncodeToString(b[:])
}
