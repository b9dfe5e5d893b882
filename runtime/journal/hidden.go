// This file hides secrets in a journal. The journal has enough of them to replay a run that has
// computed with them, and nothing that reveals them without the key.

package journal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// vault hides the secrets of one run under one key. The nil vault has none.
type vault struct {
	tag  string // identifies the key, so that a text of another key does not count as forged
	mac  []byte
	aead cipher.AEAD
}

// The sizes of the keys and authenticators that are derived from a key.
const (
	tagBytes  = 4
	markBytes = 16 // of an authenticator: other arguments with the same one can't be found
)

// newVault derives the vault of a run. Two runs have nothing in common, so it does not show whether
// they had the same secret.
func newVault(key Key, run string) *vault {
	if len(key) == 0 {
		return nil
	}
	keys, err := hkdf.Key(sha256.New, key, []byte(run), "ptc journal: secrets", 2*KeyBytes+tagBytes)
	if err != nil { // not of so few bytes
		panic(err)
	}
	block, err := aes.NewCipher(keys[:KeyBytes])
	if err != nil { // not with so many bytes
		panic(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil { // not with AES
		panic(err)
	}
	return &vault{tag: hex.EncodeToString(keys[2*KeyBytes:]), mac: keys[KeyBytes : 2*KeyBytes], aead: aead}
}

// mark returns an authenticator of a text under a label, the id of an effect. The same text under
// another label has another one.
func (v *vault) mark(label string, text []byte) string {
	if v == nil {
		return ""
	}
	h := hmac.New(sha256.New, v.mac)
	h.Write([]byte(label))
	h.Write([]byte{0})
	h.Write(text)
	return v.tag + hex.EncodeToString(h.Sum(nil)[:markBytes])
}

// padding is the multiple to which the length of a text is rounded up, so that the length reveals
// less of a secret.
const padding = 64

// seal encrypts a text under a label. Spaces follow the text; no JSON text ends with them.
func (v *vault) seal(label string, text []byte) string {
	if v == nil {
		return ""
	}
	padded := make([]byte, 0, len(text)+padding)
	padded = append(padded, text...)
	for len(padded)%padding != 0 {
		padded = append(padded, ' ')
	}
	return v.tag + base64.RawStdEncoding.EncodeToString(v.aead.Seal(nil, nil, padded, []byte(label)))
}

// open decrypts a text. It fails if this vault did not seal the text under this label.
func (v *vault) open(label, sealed string) ([]byte, error) {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(sealed, v.tag))
	if err == nil {
		text, err = v.aead.Open(nil, nil, text, []byte(label))
	}
	return bytes.TrimRight(text, " "), err
}

// vaults are those of the keys that a journal has; the first one seals.
type vaults []*vault

func newVaults(run string, keys ...Key) vaults {
	var all vaults
	for _, k := range keys {
		if v := newVault(k, run); v != nil {
			all = append(all, v)
		}
	}
	return all
}

// sealing returns the vault that seals, nil if there is none.
func (all vaults) sealing() *vault {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// of returns the vault that has sealed a text, nil if it is missing.
func (all vaults) of(sealed string) *vault {
	for _, v := range all {
		if strings.HasPrefix(sealed, v.tag) {
			return v
		}
	}
	return nil
}

// same reports whether a recorded text equals the text of this run. Both are without their secrets, which
// are in the Hidden. The secrets that were known when a text was recorded, and so the visible text, can
// depend on timing. So same compares the whole texts if it can.
func (all vaults) same(label string, recorded []byte, h *effect.Hidden, actual []byte, hides *effect.Hidden) bool {
	if h == nil {
		return bytes.Equal(orNull(recorded), orNull(hides.Whole(actual)))
	}
	if v := all.of(h.Sealed); v != nil {
		return h.Sealed == v.mark(label, hides.Whole(actual))
	}
	return bytes.Equal(orNull(recorded), orNull(actual))
}

// opened returns the outcome of a recorded effect with its secrets. An outcome without secrets, or
// whose secrets are not in the file, is returned as it was recorded.
func (all vaults) opened(r *Entry) (effect.Record, error) {
	h := r.Outcome.Hidden
	switch {
	case !r.Done || h == nil:
		return r.Outcome, nil
	case h.Clear != nil: // settled by this run
		return recordOf(r.Outcome.Failed(), h.Clear), nil
	case h.Sealed == "":
		return r.Outcome, nil
	}
	v := all.of(h.Sealed)
	if v == nil {
		return effect.Record{}, &Withheld{r.ID, fmt.Sprintf(
			"the outcome of effect %s, %s, has secrets, and the key that they are sealed with was not given",
			r.ID, cut(describe(&r.Effect), 0)),
			"give the key of the recorded run (--journal-key FILE, or journal.ReadFile and journal.Options.Key)"}
	}
	text, err := v.open(r.ID, h.Sealed)
	if err == nil && !json.Valid(text) {
		err = errors.New("the text is not JSON")
	}
	if err != nil {
		return effect.Record{}, &Withheld{r.ID, fmt.Sprintf(
			"the secrets in the outcome of effect %s can't be opened: %v", r.ID, err),
			"the file was changed: use a copy of it from before"}
	}
	return recordOf(r.Outcome.Failed(), text), nil
}

func recordOf(failed bool, text []byte) effect.Record {
	if failed {
		return effect.Record{Error: text}
	}
	return effect.Record{Result: text}
}

// secretLabel and finalLabel are the labels of texts that belong to no effect.
const (
	secretLabel = "secret"
	finalLabel  = "final"
)

// sameAgain reports whether an effect that begins again equals the earlier one. Different parts of
// its arguments may be hidden, depending on the secrets that were known each time.
func sameAgain(e, f *effect.Effect) bool {
	return e.Kind == f.Kind && e.Name == f.Name &&
		(e.Hidden != nil || f.Hidden != nil || bytes.Equal(orNull(e.Args), orNull(f.Args)))
}

// hides returns the Hidden of a line, nil if the line hides nothing.
func (w *wire) hides() *effect.Hidden {
	if w.Hidden == nil {
		return nil
	}
	return &effect.Hidden{Sealed: *w.Hidden}
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Secrets returns the secrets that the run has met, or an earlier one had. The journal replaces
// them in arguments and outcomes.
func (j *Journal) Secrets() *secret.Set {
	j.ready()
	return j.secrets
}

// hide returns a text without the secrets of the run, and its Hidden. h is the Hidden that the text
// already has.
func (j *Journal) hide(text json.RawMessage, h *effect.Hidden) (json.RawMessage, *effect.Hidden) {
	shown := j.Secrets().JSON(text)
	if h == nil {
		h = effect.Hide(text, shown)
	}
	return shown, h
}

// learned records a secret that the run has met, encrypted, so that a replay can replace it in its
// output. Without a file and a key it does nothing. The next effect returns an error of the write.
func (j *Journal) learned(text string) {
	v := j.vaults.sealing()
	if v == nil || j.log == nil && j.shared == nil {
		return
	}
	quoted, err := json.Marshal(text)
	if err != nil { // there is no such string
		return
	}
	if j.shared != nil {
		j.shared.Learned(secretLine(v.seal(secretLabel, quoted)))
		return
	}
	j.mu.Lock() // while the line is appended: none may follow the end of the run
	defer j.mu.Unlock()
	if j.closed || j.stopped {
		return
	}
	_ = j.write(secretLine(v.seal(secretLabel, quoted)), false)
}

// addRecorded adds the secrets that an earlier run has recorded and whose key the journal has.
func (j *Journal) addRecorded() {
	for _, sealed := range j.doubted.secrets {
		if text, ok := j.vaults.secret(sealed); ok {
			j.secrets.Add(text)
		}
	}
}

// secret opens a secret of the run; ok is false if the key is missing.
func (all vaults) secret(sealed string) (text string, ok bool) {
	v := all.of(sealed)
	if v == nil {
		return "", false
	}
	quoted, err := v.open(secretLabel, sealed)
	if err != nil || json.Unmarshal(quoted, &text) != nil {
		return "", false
	}
	return text, true
}
