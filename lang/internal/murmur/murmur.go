// Package murmur computes the hashes of Clojure values that do not depend on the value
// representation: Murmur3 (x86, 32 bit, seed 0) as in clojure.lang.Murmur3, Java's String.hashCode
// and Util.hashCombine.
//
// The functions do not allocate. Strings are Go UTF-8 strings. Java hashes their UTF-16 code units,
// which the functions derive as they go. A byte that is not valid UTF-8 counts as U+FFFD, as in a
// Go range loop.
package murmur

// This file defines Murmur3 over fixed-width integers, collections and UTF-16 code units, and the
// functions that combine hashes.

import (
	"math/bits"
	"unicode/utf8"
)

const (
	c1 = 0xcc9e2d51
	c2 = 0x1b873593
	// golden is 2^32 divided by the golden ratio. HashCombine and HashKeyword add it.
	golden = 0x9e3779b9
)

// Seeds of the running hash before the first element of a collection. The final hash is
// MixCollHash(running, count).
const (
	OrderedSeed   int32 = 1 // lists, vectors, sequences
	UnorderedSeed int32 = 0 // sets, maps
)

func mixK1(k uint32) uint32 {
	return bits.RotateLeft32(k*c1, 15) * c2
}

func mixH1(h, k uint32) uint32 {
	return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
}

func fmix(h, length uint32) int32 {
	h ^= length
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	h ^= h >> 16
	return int32(h)
}

// HashInt is Murmur3.hashInt. The hash of 0 is 0.
func HashInt(x int32) int32 {
	if x == 0 {
		return 0
	}
	return fmix(mixH1(0, mixK1(uint32(x))), 4)
}

// HashLong is Murmur3.hashLong, the hash of every integer in the range of a Java long. The hash of
// 0 is 0.
func HashLong(x int64) int32 {
	if x == 0 {
		return 0
	}
	h := mixH1(0, mixK1(uint32(x)))
	h = mixH1(h, mixK1(uint32(uint64(x)>>32)))
	return fmix(h, 8)
}

// HashUnencodedChars is Murmur3.hashUnencodedChars over the UTF-16 code units of s.
func HashUnencodedChars(s string) int32 {
	var h, low, n uint32 // low holds the first unit of an incomplete pair
	put := func(unit uint32) {
		if n&1 == 0 {
			low = unit
		} else {
			h = mixH1(h, mixK1(low|unit<<16))
		}
		n++
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			put(uint32(c))
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r < 0x10000 {
			put(uint32(r))
			continue
		}
		hi, lo := surrogates(r)
		put(hi)
		put(lo)
	}
	if n&1 == 1 {
		h ^= mixK1(low)
	}
	return fmix(h, 2*n)
}

// MixCollHash is Murmur3.mixCollHash: it finishes the running hash of a
// collection of count elements.
func MixCollHash(hash int32, count int) int32 {
	return fmix(mixH1(0, mixK1(uint32(hash))), uint32(count))
}

// HashOrderedStep adds the hash of the next element to the running hash of an
// ordered collection, which starts at OrderedSeed.
func HashOrderedStep(running, element int32) int32 {
	return 31*running + element
}

// HashUnorderedStep adds the hash of an element to the running hash of an
// unordered collection, which starts at UnorderedSeed. The hash of a map
// entry is that of the vector [key value].
func HashUnorderedStep(running, element int32) int32 {
	return running + element
}

// HashEntry is the hash of a map entry, which is the hash of the vector [key value].
func HashEntry(key, value int32) int32 {
	h := HashOrderedStep(HashOrderedStep(OrderedSeed, key), value)
	return MixCollHash(h, 2)
}

// HashCombine is clojure.lang.Util.hashCombine.
func HashCombine(seed, hash int32) int32 {
	return seed ^ (hash + goldenInt32 + seed<<6 + seed>>2)
}

// goldenInt32 is golden as Java's (signed) int.
const goldenInt32 = golden - 1<<32
