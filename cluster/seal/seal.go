// Package seal encrypts the data of a cluster at rest: the records of runs, and facts of hosts.
//
//   - Keys: the master keys, read from files or a command.
//   - Sealer: encrypts and decrypts with keys that are derived from a master key.
//   - Place: the place where a ciphertext belongs. It can be opened only there.
//
// # Keys
//
// A key is derived by HKDF-SHA256 from the master key, with the kind and the name of its owner, a run or a host, and
// the epoch as the info. An epoch is the number of a period of 24 hours since 1970, or of another length;
// so the keys of new data change each period without any action, and the keys of old data can be derived
// again. The envelope names the master key, by a number that is derived from it, and the epoch.
//
// The master key changes when another one becomes the first of Keys. Old data stays readable while its master key is
// one of the further ones; Rewrap encrypts it again.
//
// # Nonces
//
// The cipher is AES-256-GCM, which loses its secrecy and its integrity if two messages have one key and one nonce.
// Each message has a salt of 16 random bytes in its envelope. A key and the nonce for this message alone are derived
// from the key of the owner and the epoch, with HKDF-SHA256 and the salt. Two messages share key and nonce only if
// they share owner, epoch and salt: with 2^48 messages of one owner in one period, the probability is below 2^-32.
// Random nonces of 12 bytes under the key of the owner would reach that at 2^32 messages, and a counter can't be kept
// on several nodes that write for one run.
//
// # Places
//
// The place is authenticated with the message: a ciphertext that is moved to another run, another record or another
// field can't be opened. It does not protect from one that is put back to its own place; the chains of package
// cluster/internal/runlog do.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Place is where a ciphertext belongs.
type Place struct {
	Kind  string // of the owner: Run or Host
	Owner string // the id of the run, or the name of the host
	ID    string // of the record, the fact or the field within it
}

// The kinds of owners.
const (
	Run  = "run"
	Host = "host"
)

// Period is how long the keys for new data are used, by default.
const Period = 24 * time.Hour

// The errors of Open, found with errors.Is.
var (
	// ErrKey: the message was encrypted with a master key that is not there.
	ErrKey = errors.New("seal: the master key is not there")
	// ErrDamaged: the message was changed, or belongs to another place.
	ErrDamaged = errors.New("seal: the message was changed, or belongs to another place")
)

// The form of an envelope: version, id of the master key, epoch, salt, ciphertext with its tag.
const (
	version  = 1
	idSize   = 8
	saltSize = 16
	header   = 1 + idSize + 4 + saltSize
	tagSize  = 16
	// Overhead is how many bytes a message grows by.
	Overhead = header + tagSize
)

// Sealer encrypts with the first master key, or the one of Use, and decrypts with all. Any number of goroutines may use
// it at once.
type Sealer struct {
	masters []master
	used    atomic.Int32 // the index of the one for new data
	period  time.Duration
	now     func() time.Time

	mu     sync.Mutex
	owners map[ownerKey][]byte // the keys that were derived last
}

// ownerKey names the key of an owner.
type ownerKey struct {
	master      *master
	kind, owner string
	epoch       uint32
}

// maxOwners bounds the keys that are kept. Deriving one takes some microseconds.
const maxOwners = 1000

// master is a master key with the number that names it.
type master struct {
	key Key
	id  [idSize]byte
}

// Key is a master key.
type Key [32]byte

// ID returns the number that names the key, in hexadecimal digits. The key can't be computed from it.
func (k Key) ID() string { return fmt.Sprintf("%x", k.id()) }

func (k Key) id() (id [idSize]byte) {
	m := hmac.New(sha256.New, k[:])
	m.Write([]byte("ptc seal key id 1"))
	copy(id[:], m.Sum(nil))
	return id
}

// New returns a sealer whose keys for new data are those of the first master key, and change each period, a whole
// number of seconds. Data of the further master keys can be opened.
func New(keys []Key, period time.Duration) (*Sealer, error) {
	if len(keys) == 0 {
		return nil, errors.New("seal: there is no master key")
	}
	if period < time.Second || period%time.Second != 0 {
		return nil, fmt.Errorf("seal: the period of keys is %v, want whole seconds, at least 1", period)
	}
	s := &Sealer{period: period, now: time.Now}
	for _, k := range keys {
		if slices.ContainsFunc(s.masters, func(m master) bool { return m.key == k }) {
			return nil, fmt.Errorf("seal: the master key %s is there twice", k.ID())
		}
		s.masters = append(s.masters, master{k, k.id()})
	}
	return s, nil
}

// Seal encrypts a message for a place. The result has Overhead more bytes.
func (s *Sealer) Seal(p Place, message []byte) ([]byte, error) {
	var salt [saltSize]byte
	rand.Read(salt[:])
	epoch := uint32(s.now().Unix() / int64(s.period/time.Second))
	return s.seal(p, message, epoch, salt)
}

func (s *Sealer) seal(p Place, message []byte, epoch uint32, salt [saltSize]byte) ([]byte, error) {
	m := s.current()
	out := make([]byte, 0, len(message)+Overhead)
	out = append(out, version)
	out = append(out, m.id[:]...)
	out = binary.BigEndian.AppendUint32(out, epoch)
	out = append(out, salt[:]...)
	c, nonce, err := s.cipher(m, p, epoch, salt[:])
	if err != nil {
		return nil, err
	}
	return c.Seal(out, nonce, message, p.bind(out)), nil
}

// Open decrypts a message of a place.
func (s *Sealer) Open(p Place, sealed []byte) ([]byte, error) {
	m, err := s.master(sealed)
	if err != nil {
		return nil, err
	}
	head := sealed[:header]
	epoch := binary.BigEndian.Uint32(head[1+idSize:])
	c, nonce, err := s.cipher(m, p, epoch, head[1+idSize+4:])
	if err != nil {
		return nil, err
	}
	message, err := c.Open(nil, nonce, sealed[header:], p.bind(head))
	if err != nil {
		return nil, fmt.Errorf("%w: %s %q, %q", ErrDamaged, p.Kind, p.Owner, p.ID)
	}
	return message, nil
}

// master returns the master key of a message.
func (s *Sealer) master(sealed []byte) (*master, error) {
	switch {
	case len(sealed) < Overhead:
		return nil, fmt.Errorf("%w: it has %d bytes, want at least %d", ErrDamaged, len(sealed), Overhead)
	case sealed[0] != version:
		return nil, fmt.Errorf("%w: it has the version %d, want %d", ErrDamaged, sealed[0], version)
	}
	id := [idSize]byte(sealed[1:])
	for i := range s.masters {
		if s.masters[i].id == id {
			return &s.masters[i], nil
		}
	}
	return nil, fmt.Errorf("%w: the message was encrypted with the key %x, and there are %s: add its file to "+
		"security.encryption.old_master_keys", ErrKey, id, s.ids())
}

// ids lists the numbers of the master keys.
func (s *Sealer) ids() []string {
	var all []string
	for _, m := range s.masters {
		all = append(all, m.key.ID())
	}
	return all
}

func (s *Sealer) current() *master { return &s.masters[s.used.Load()] }

// Current returns the number of the master key of new data.
func (s *Sealer) Current() string { return s.current().key.ID() }

// IDs returns the numbers of all master keys, in the order of New.
func (s *Sealer) IDs() []string { return s.ids() }

// Use has new data encrypted with the master key of a number, if there is one.
func (s *Sealer) Use(id string) {
	if i := slices.Index(s.ids(), id); i >= 0 {
		s.used.Store(int32(i))
	}
}

// Of returns the number of the master key of a message, "" if it is none. The key need not be there.
func (s *Sealer) Of(sealed []byte) string {
	if len(sealed) < Overhead || sealed[0] != version {
		return ""
	}
	return fmt.Sprintf("%x", sealed[1:1+idSize])
}

// Old reports whether a message was encrypted with another master key than that of new data. Rewrap encrypts it again.
func (s *Sealer) Old(sealed []byte) bool {
	m, err := s.master(sealed)
	return err == nil && m != s.current()
}

// Rewrap returns a message of a place, encrypted with the master key of new data. It returns the same bytes if it is
// already.
func (s *Sealer) Rewrap(p Place, sealed []byte) ([]byte, error) {
	message, err := s.Open(p, sealed)
	if err != nil || !s.Old(sealed) {
		return sealed, err
	}
	return s.Seal(p, message)
}

// cipher returns the cipher and the nonce of one message.
func (s *Sealer) cipher(m *master, p Place, epoch uint32, salt []byte) (cipher.AEAD, []byte, error) {
	owner, err := s.owner(ownerKey{m, p.Kind, p.Owner, epoch}, p)
	if err != nil {
		return nil, nil, err
	}
	both, err := hkdf.Key(sha256.New, owner, salt, "ptc seal message 1", 32+12)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(both[:32])
	if err != nil {
		return nil, nil, err
	}
	c, err := cipher.NewGCM(block)
	return c, both[32:], err
}

// owner returns the key of an owner in an epoch.
func (s *Sealer) owner(k ownerKey, p Place) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key := s.owners[k]; key != nil {
		return key, nil
	}
	key, err := hkdf.Key(sha256.New, k.master.key[:], nil, string(p.info(k.epoch)), 32)
	if err != nil {
		return nil, err
	}
	if len(s.owners) >= maxOwners || s.owners == nil {
		s.owners = make(map[ownerKey][]byte)
	}
	s.owners[k] = key
	return key, nil
}

// info names the key of an owner in an epoch.
func (p Place) info(epoch uint32) []byte {
	b := append([]byte("ptc seal owner 1"), 0)
	b = appendText(b, p.Kind)
	b = appendText(b, p.Owner)
	return binary.BigEndian.AppendUint32(b, epoch)
}

// bind returns the data that is authenticated with a message: its header and its place.
func (p Place) bind(head []byte) []byte {
	b := appendText(nil, string(head))
	b = appendText(b, p.Kind)
	b = appendText(b, p.Owner)
	return appendText(b, p.ID)
}

// appendText appends a text after its length, so that different lists of texts have different encodings.
func appendText(b []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(text))), text...)
}
