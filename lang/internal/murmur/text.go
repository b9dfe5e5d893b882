package murmur

// This file defines the hashes of strings: Java's String.hashCode and the hashes of Clojure
// strings, symbols, keywords, characters and booleans.

import "unicode/utf8"

// surrogates splits a rune above U+FFFF into its UTF-16 code units.
func surrogates(r rune) (hi, lo uint32) {
	r -= 0x10000
	return uint32(0xd800 + r>>10), uint32(0xdc00 + r&0x3ff)
}

// JavaStringHash is String.hashCode: s[0]*31^(n-1) + … + s[n-1] over UTF-16 code units.
func JavaStringHash(s string) int32 { return JavaStringHashFrom(0, s) }

// JavaStringHashFrom is the String.hashCode of a string that ends in s. before is the
// String.hashCode of the part before s.
func JavaStringHashFrom(before int32, s string) int32 {
	h := uint32(before)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			h = 31*h + uint32(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r < 0x10000 {
			h = 31*h + uint32(r)
			continue
		}
		hi, lo := surrogates(r)
		h = 31*(31*h+hi) + lo
	}
	return int32(h)
}

// HashString is the hash of a Clojure string.
func HashString(s string) int32 {
	return HashInt(JavaStringHash(s))
}

// HashSymbol is the hash of a Clojure symbol. ns is "" if the symbol has no namespace.
func HashSymbol(ns, name string) int32 {
	return HashCombine(HashUnencodedChars(name), JavaStringHash(ns))
}

// HashKeyword is the hash of a Clojure keyword. ns is "" if the keyword has no namespace.
func HashKeyword(ns, name string) int32 {
	return HashSymbol(ns, name) + goldenInt32
}

// HashBool is the hash of a boolean, Java's Boolean.hashCode.
func HashBool(b bool) int32 {
	if b {
		return 1231
	}
	return 1237
}

// HashChar is the hash of a character. For characters of one UTF-16 code unit it is
// Character.hashCode, which is the unit itself. A character above U+FFFF has no counterpart in
// Java; its hash is its code point.
func HashChar(r rune) int32 {
	return r
}
