// This file defines a token, its text and its form in the file.

package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Token lets its owner in. The text of a token is known only to its owner.
type Token struct {
	ID      string     `json:"id"` // the public part of the text
	Who                // name, tenant and role
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty"` // nil: it does not
	Share   Share      `json:"share,omitzero"`    // the resources it may use at a time
	Hash    string     `json:"hash,omitempty"`    // SHA-256 of the text, in hexadecimal digits
}

// The text of a token is ptc_ID_SECRET. The prefix lets scanners find tokens in texts where they
// should not be.
const (
	prefix    = "ptc_"
	idLen     = 8  // characters for 40 bits: few enough to type
	secretLen = 52 // characters for 256 bits
	textLen   = len(prefix) + idLen + 1 + secretLen
)

// digits has no characters that are escaped anywhere, and no capitals.
var digits = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// ErrUnknown is the error of a text that is no token of the list.
var ErrUnknown = errors.New("the token is unknown or was revoked")

// An ExpiredError is the error of a token whose time has passed.
type ExpiredError struct {
	Name    string
	Expired time.Time
}

func (e *ExpiredError) Error() string {
	return fmt.Sprintf("the token %s expired at %s", e.Name, e.Expired.UTC().Format(time.RFC3339))
}

// newText returns the text of a new token. crypto/rand does not fail.
func newText() string {
	random := make([]byte, 5+32)
	rand.Read(random)
	return prefix + digits.EncodeToString(random[:5]) + "_" + digits.EncodeToString(random[5:])
}

// idOf returns the public part of the text of a token; ok is false if the text has another form.
func idOf(text string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || len(text) != textLen || rest[idLen] != '_' {
		return "", false
	}
	for i, c := range []byte(rest) {
		if i != idLen && (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return "", false
		}
	}
	return rest[:idLen], true
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// matches reports whether a text is that of the token, in a time that does not depend on where they differ.
func (t *Token) matches(text string) bool {
	return subtle.ConstantTimeCompare([]byte(hash(text)), []byte(t.Hash)) == 1
}

// current returns an error if the token has expired.
func (t *Token) current(now time.Time) error {
	if t.Expires != nil && !now.Before(*t.Expires) {
		return &ExpiredError{t.Name, *t.Expires}
	}
	return nil
}

// check returns the first error of a token of a file.
func (t *Token) check() error {
	if id, ok := idOf(prefix + t.ID + "_" + strings.Repeat("a", secretLen)); !ok || id != t.ID {
		return fmt.Errorf("got the id %q, want %d letters and digits", t.ID, idLen)
	}
	if err := t.Who.check(); err != nil {
		return err
	}
	if sum, err := hex.DecodeString(t.Hash); err != nil || len(sum) != sha256.Size || t.Hash != hex.EncodeToString(sum) {
		return errors.New("the hash is not a SHA-256 in small hexadecimal digits")
	}
	return t.Share.check()
}
