// This file defines continuations, which name a run that a later request continues with.

package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/ptc-lang/ptc/runtime/journal"
)

// continuation names a run to its owner, until it expires.
type continuation struct {
	Run     string    `json:"run"`
	Owner   string    `json:"owner"`
	Expires time.Time `json:"expires"`
	// Journal is the name of its journal; "" if it has none.
	Journal string `json:"journal,omitempty"`
	// Asked are the ids of the effects of a form, in the order of its fields: a form that is sent twice does
	// not decide about effects that its person has not seen.
	Asked []string `json:"asked,omitempty"`
}

// sealer signs continuations.
type sealer struct{ key []byte }

// newSealer returns a sealer whose key is derived from the key of the journals, so that continuations
// outlive the process; without such a key it makes a random one.
func newSealer(k journal.Key) sealer {
	if len(k) == 0 {
		return sealer{[]byte(rand.Text())}
	}
	h := hmac.New(sha256.New, k)
	h.Write([]byte("ptc mcp continuation"))
	return sealer{h.Sum(nil)}
}

func (s sealer) sign(text []byte) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write(text)
	return h.Sum(nil)
}

// write returns a continuation as a text.
func (s sealer) write(c continuation) string {
	text, err := json.Marshal(c)
	if err != nil { // it has JSON
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(s.sign(text), text...))
}

// errContinuation is the error of a continuation that is not one of the caller.
var errContinuation = errors.New("the continuation is not one of this server for this caller: pass the text that the " +
	"answer had, unchanged, or run the program again")

// read returns the continuation of a text.
func (s sealer) read(text, owner string) (c continuation, err error) {
	all, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(all) < sha256.Size || !hmac.Equal(all[:sha256.Size], s.sign(all[sha256.Size:])) {
		return c, errContinuation
	}
	if err := json.Unmarshal(all[sha256.Size:], &c); err != nil || c.Owner != owner {
		return c, errContinuation
	}
	if time.Now().After(c.Expires) {
		return c, errors.New("the continuation has expired: run the program again")
	}
	return c, nil
}
