// This file defines how the lines of a file are sealed, and how a seal is checked.

package journal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
)

// KeyBytes is the length of a Key.
const KeyBytes = 32

// Key is the secret that authenticates the lines of a file and encrypts its secrets: KeyBytes
// random bytes, which no journal contains. A journal without a Key has checksums, which detect
// damage, and no authenticators, which detect lines that were written without the Key.
type Key []byte

// ID returns the public name of the key, which the file carries; "" without a key.
func (k Key) ID() string {
	if len(k) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte("ptc journal key"))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// check refuses a key that is too short to be a secret. An empty one that is not nil is a key that the host
// failed to read.
func (k Key) check() error {
	if k != nil && len(k) != KeyBytes {
		return fmt.Errorf("journal: the key has %d bytes, want %d random ones", len(k), KeyBytes)
	}
	return nil
}

// The seal of a line is its end: the checksum and, with a key, the authenticator. Both cover the
// line and, through the previous value, all lines before it.
const (
	sumField = `,"sum":"`
	macField = `","mac":"`
	sealTail = `"}`
	macBytes = 16 // of HMAC-SHA256: 128 bits can't be forged

	sumBytes  = len(sumField) + 2*crc32.Size + len(sealTail)
	sealBytes = sumBytes + len(macField) + 2*macBytes
)

// seal is the state of the seals of a file after the lines so far. The zero value is that of an
// empty file without a key.
type seal struct {
	sum  uint32
	id   string    // of the key of the last line; "" for none
	mac  hash.Hash // nil without a key, or without the key that id names
	last [sha256.Size]byte
}

// use sets the key of the following lines. With the same key the chain continues.
func (s *seal) use(id string, key Key) {
	if id == s.id && s.mac != nil {
		return
	}
	*s = seal{sum: s.sum, id: id}
	if id != "" && len(key) > 0 {
		s.mac = hmac.New(sha256.New, key)
	}
}

// digest returns the digest of a line for its authenticator. It changes nothing, and takes most of
// the time for a long line.
func (s *seal) digest(body []byte) (d [sha256.Size]byte) {
	if s.mac != nil {
		d = sha256.Sum256(body)
	}
	return d
}

// add adds a line with its digest to the state.
func (s *seal) add(body []byte, digest [sha256.Size]byte) {
	s.addSum(body)
	s.authenticate(digest)
}

// addSum adds a line to the checksum. Package crc32 makes the table on first use.
func (s *seal) addSum(body []byte) {
	s.sum = crc32.Update(s.sum, crc32.MakeTable(crc32.Castagnoli), body)
}

// authenticate adds a line to the authenticator.
func (s *seal) authenticate(digest [sha256.Size]byte) {
	if s.mac == nil {
		return
	}
	s.mac.Reset()
	s.mac.Write(s.last[:])
	s.mac.Write(digest[:])
	s.mac.Sum(s.last[:0])
}

// sums adds a line to the checksum, and reports whether the result is sum.
func (s *seal) sums(body, sum []byte) bool {
	s.addSum(body)
	return string(s.appendSum(nil)) == string(sum)
}

func (s *seal) appendSum(b []byte) []byte {
	return hex.AppendEncode(b, []byte{byte(s.sum >> 24), byte(s.sum >> 16), byte(s.sum >> 8), byte(s.sum)})
}

func (s *seal) appendMac(b []byte) []byte { return hex.AppendEncode(b, s.last[:macBytes]) }

// appendTo appends the end of the line that was added last, without a newline.
func (s *seal) appendTo(b []byte) []byte {
	b = s.appendSum(append(b, sumField...))
	if s.mac != nil {
		b = s.appendMac(append(b, macField...))
	}
	return append(b, sealTail...)
}

// parts splits a line, without its newline, into the sealed body, the checksum and the authenticator, which
// is nil if there is none. ok is false if the line has no seal.
func parts(l []byte) (body, sum, mac []byte, ok bool) {
	for _, size := range []int{sealBytes, sumBytes} {
		if len(l) < size {
			continue
		}
		body, sum = l[:len(l)-size], l[len(l)-size+len(sumField):]
		sum, mac = sum[:2*crc32.Size], nil
		if size == sealBytes {
			mac = l[len(l)-len(sealTail)-2*macBytes : len(l)-len(sealTail)]
		}
		if sealed(body, sum, mac, l) {
			return body, sum, mac, true
		}
	}
	return nil, nil, nil, false
}

// sealed reports whether a line consists of the parts.
func sealed(body, sum, mac, l []byte) bool {
	want := append(append(make([]byte, 0, sealBytes), sumField...), sum...)
	if mac != nil {
		want = append(append(want, macField...), mac...)
	}
	want = append(want, sealTail...)
	return string(l[len(body):]) == string(want) && isHex(sum) && isHex(mac)
}

// isHex reports whether a text is hexadecimal, in the lower case of the format.
func isHex(text []byte) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// authenticate checks the authenticator of a line if the reader has the key. The first line, and
// each line that resumes the run, name the key of the lines from there on.
func (r *reader) authenticate(w *wire, body, mac []byte) error {
	s := &r.rec.seal
	if r.line == 1 || w.T == "resume" {
		s.use(w.Key, r.key(w.Key))
		r.rec.Authentic = s.mac != nil && (r.line == 1 || r.rec.Authentic && w.Key == r.rec.Key)
	}
	s.authenticate(s.digest(body))
	switch {
	case mac == nil && s.id != "":
		return r.damage("it has no authenticator although the file names key %s", cut(s.id, 0))
	case mac != nil && s.id == "":
		return r.damage("it has an authenticator although the file names no key")
	case s.mac != nil && !hmac.Equal(mac, s.appendMac(nil)):
		return r.damage("its authenticator does not match key %s: someone without the key wrote it", s.id)
	}
	return nil
}

// key returns the key of a name, nil if the reader does not have it.
func (r *reader) key(id string) Key {
	for _, k := range r.rec.keys {
		if id != "" && k.ID() == id {
			return k
		}
	}
	return nil
}
