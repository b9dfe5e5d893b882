package seal

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// key returns a master key that is the same in each run of the tests.
func key(b byte) (k Key) {
	for i := range k {
		k[i] = b + byte(i)
	}
	return k
}

func sealer(t testing.TB, keys ...Key) *Sealer {
	t.Helper()
	s, err := New(keys, Period)
	require.NoError(t, err)
	return s
}

var place = Place{Run, "01J0000000000000000000000A", "7"}

func TestSealOpen(t *testing.T) {
	s := sealer(t, key(1))
	for _, message := range []string{"", "x", "the secret of the run", strings.Repeat("long ", 100_000)} {
		sealed, err := s.Seal(place, []byte(message))
		require.NoError(t, err)
		assert.Len(t, sealed, len(message)+Overhead)
		if len(message) > 10 {
			assert.NotContains(t, string(sealed), message[:10])
		}
		opened, err := s.Open(place, sealed)
		require.NoError(t, err)
		assert.Equal(t, message, string(opened))
	}
}

// TestPlaces tries to open a message at other places; some have the same texts in another order.
func TestPlaces(t *testing.T) {
	s := sealer(t, key(1))
	sealed, err := s.Seal(Place{Run, "ab", "cd"}, []byte("message"))
	require.NoError(t, err)
	for _, p := range []Place{{Host, "ab", "cd"}, {Run, "ac", "cd"}, {Run, "ab", "ce"}, {Run, "a", "bcd"}, {Run, "abc", "d"},
		{Run, "abcd", ""}, {"runab", "", "cd"}, {Run, "cd", "ab"}, {}} {
		_, err := s.Open(p, sealed)
		require.ErrorIs(t, err, ErrDamaged, "%+v", p)
	}
}

// TestDamage changes each bit of a message, and its length.
func TestDamage(t *testing.T) {
	s := sealer(t, key(1))
	sealed, err := s.Seal(place, []byte("a message"))
	require.NoError(t, err)
	for i := range len(sealed) * 8 {
		changed := bytes.Clone(sealed)
		changed[i/8] ^= 1 << (i % 8)
		_, err := s.Open(place, changed)
		if i/8 >= 1 && i/8 < 1+idSize {
			require.ErrorIs(t, err, ErrKey, "bit %d", i)
		} else {
			require.ErrorIs(t, err, ErrDamaged, "bit %d", i)
		}
	}
	for n := range len(sealed) {
		_, err := s.Open(place, sealed[:n])
		require.ErrorIs(t, err, ErrDamaged, "%d bytes", n)
	}
	_, err = s.Open(place, append(sealed, 0))
	require.ErrorIs(t, err, ErrDamaged)
}

func TestWrongKey(t *testing.T) {
	sealed, err := sealer(t, key(1)).Seal(place, []byte("a message"))
	require.NoError(t, err)
	_, err = sealer(t, key(2), key(3)).Open(place, sealed)
	require.ErrorIs(t, err, ErrKey)
	require.ErrorContains(t, err, "encrypted with the key "+key(1).ID())
	require.ErrorContains(t, err, key(2).ID()+" "+key(3).ID())
	// A key with the id of another one, which nobody can make, would not help.
	forged := sealer(t, key(2))
	forged.masters[0].id = key(1).id()
	_, err = forged.Open(place, sealed)
	require.ErrorIs(t, err, ErrDamaged)
}

// TestEpochs lets days pass: the keys change, and old messages stay readable, also with another period now.
func TestEpochs(t *testing.T) {
	s := sealer(t, key(1))
	now := time.Date(2026, 3, 4, 23, 59, 59, 0, time.UTC)
	s.now = func() time.Time { return now }
	salt := [saltSize]byte{1}
	epochs := map[string]bool{}
	keys := map[string]bool{}
	var all [][]byte
	for range 5 {
		sealed, err := s.Seal(place, []byte("a message"))
		require.NoError(t, err)
		all = append(all, sealed)
		epoch := sealed[1+idSize : 1+idSize+4]
		epochs[string(epoch)] = true
		same, err := s.seal(place, []byte("a message"), uint32(epoch[2])<<8|uint32(epoch[3]), salt)
		require.NoError(t, err)
		keys[string(same[header:])] = true
		now = now.Add(24 * time.Hour)
	}
	assert.Len(t, epochs, 5)
	assert.Len(t, keys, 5)
	again, err := New([]Key{key(1)}, time.Hour)
	require.NoError(t, err)
	for _, sealed := range all {
		opened, err := again.Open(place, sealed)
		require.NoError(t, err)
		assert.Equal(t, "a message", string(opened))
	}
}

// TestMasters replaces the master key.
func TestMasters(t *testing.T) {
	before := sealer(t, key(1))
	old, err := before.Seal(place, []byte("a message"))
	require.NoError(t, err)
	assert.False(t, before.Old(old))
	both := sealer(t, key(2), key(1))
	opened, err := both.Open(place, old)
	require.NoError(t, err)
	assert.Equal(t, "a message", string(opened))
	assert.True(t, both.Old(old))
	fresh, err := both.Rewrap(place, old)
	require.NoError(t, err)
	assert.False(t, both.Old(fresh))
	same, err := both.Rewrap(place, fresh)
	require.NoError(t, err)
	assert.Equal(t, fresh, same)
	_, err = both.Rewrap(Place{Run, "another", "7"}, old)
	require.ErrorIs(t, err, ErrDamaged)
	after := sealer(t, key(2))
	opened, err = after.Open(place, fresh)
	require.NoError(t, err)
	assert.Equal(t, "a message", string(opened))
	_, err = after.Open(place, old)
	require.ErrorIs(t, err, ErrKey)
	assert.False(t, after.Old(old))
}

// TestGolden opens messages of earlier releases; an independent implementation in Python has made the same
// bytes. A change of these messages is a change of the format, and needs a new version.
func TestGolden(t *testing.T) {
	salt := [saltSize]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	for _, c := range []struct {
		place   Place
		message string
		epoch   uint32
		sealed  string
	}{
		{Place{Run, "01J0000000000000000000000A", "7"}, "a message", 20516,
			"01600474372557cdd400005024000102030405060708090a0b0c0d0e0f441edca0a6b86d648b2e003a9e23d7518a37a18fcead6b2fc4"},
		{Place{Host, "web-1", "os.kernel"}, "", 0,
			"01600474372557cdd400000000000102030405060708090a0b0c0d0e0f69e313d131a1de257fe219f2ecd0f286"},
	} {
		s := sealer(t, key(1))
		sealed, err := s.seal(c.place, []byte(c.message), c.epoch, salt)
		require.NoError(t, err)
		assert.Equal(t, c.sealed, hex.EncodeToString(sealed))
		want, err := hex.DecodeString(c.sealed)
		require.NoError(t, err)
		opened, err := s.Open(c.place, want)
		require.NoError(t, err)
		assert.Equal(t, c.message, string(opened))
	}
}

// TestFresh checks that no two messages have the same salt or the same bytes.
func TestFresh(t *testing.T) {
	s := sealer(t, key(1))
	salts := map[string]bool{}
	for range 10_000 {
		sealed, err := s.Seal(place, nil)
		require.NoError(t, err)
		salts[string(sealed[header-saltSize:header])] = true
	}
	assert.Len(t, salts, 10_000)
}

// TestCiphers requires another key and nonce for each owner, epoch and salt.
func TestCiphers(t *testing.T) {
	s := sealer(t, key(1))
	seen := map[string]bool{}
	n := 0
	for _, p := range []Place{{Run, "a", "1"}, {Run, "b", "1"}, {Host, "a", "1"}, {Run, "ab", "1"}} {
		for _, epoch := range []uint32{0, 1, 1 << 31} {
			for _, salt := range []string{"0123456789abcdef", "0123456789abcdeg"} { // also with the key of before
				c, nonce, err := s.cipher(&s.masters[0], p, epoch, []byte(salt))
				require.NoError(t, err)
				seen[string(nonce)+string(c.Seal(nil, make([]byte, 12), []byte("zero"), nil))] = true
				n++
			}
		}
	}
	assert.Len(t, seen, n)
}

// TestStolenDirectory looks for the contents of records in all files of a directory.
func TestStolenDirectory(t *testing.T) {
	dir := t.TempDir()
	s := sealer(t, NewKey())
	secrets := []string{"password=hunter2", "BEGIN OPENSSH PRIVATE KEY", "10.1.2.3"}
	for i, secret := range secrets {
		p := Place{Host, "web-1", string(rune('a' + i))}
		sealed, err := s.Seal(p, []byte(strings.Repeat(secret, 100)))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, p.ID), sealed, 0o600))
	}
	thief := sealer(t, NewKey())
	for i, secret := range secrets {
		p := Place{Host, "web-1", string(rune('a' + i))}
		text, err := os.ReadFile(filepath.Join(dir, p.ID))
		require.NoError(t, err)
		for n := 4; n <= len(secret); n++ {
			assert.NotContains(t, string(text), secret[:n])
		}
		_, err = thief.Open(p, text)
		require.ErrorIs(t, err, ErrKey)
		opened, err := s.Open(p, text)
		require.NoError(t, err)
		assert.Equal(t, strings.Repeat(secret, 100), string(opened))
	}
}

func TestNewRefuses(t *testing.T) {
	_, err := New(nil, Period)
	require.ErrorContains(t, err, "no master key")
	_, err = New([]Key{key(1), key(2), key(1)}, Period)
	require.ErrorContains(t, err, "is there twice")
	_, err = New([]Key{key(1)}, 1500*time.Millisecond)
	require.ErrorContains(t, err, "want whole seconds")
}

func TestKeyFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "master.key")
	k := NewKey()
	require.NoError(t, WriteKey(file, k))
	require.Error(t, WriteKey(file, k))
	got, err := ReadKey(file)
	require.NoError(t, err)
	assert.Equal(t, k, got)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		require.NoError(t, os.Chmod(file, 0o604))
		_, err = ReadKey(file)
		require.ErrorContains(t, err, "its mode is 0604: run chmod 600")
		require.NoError(t, os.Chmod(file, 0o600))
	}
	for _, bad := range []string{"", "abc", strings.Repeat("0", 64), strings.Repeat("g", 64), strings.Repeat("ab", 33)} {
		require.NoError(t, os.WriteFile(file, []byte(bad), 0o600))
		_, err = ReadKey(file)
		require.ErrorContains(t, err, "the master key in "+file)
		if bad != "" {
			require.NotContains(t, err.Error(), bad+`"`)
		}
	}
	_, err = ReadKey(file + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestCommandKey(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	k := NewKey()
	text := hex.EncodeToString(k[:])
	got, err := CommandKey(t.Context(), []string{"sh", "-c", "echo " + text})
	require.NoError(t, err)
	assert.Equal(t, k, got)
	for _, words := range [][]string{{"sh", "-c", "echo " + text + "; exit 3"}, {"sh", "-c", "echo " + text[1:]},
		{"sh", "-c", "yes " + text + " | head -c 10000000"}, {"/does/not/exist"}, nil} {
		_, err := CommandKey(t.Context(), words)
		require.ErrorContains(t, err, "the ")
		require.NotContains(t, err.Error(), text[1:])
	}
}

// FuzzOpen opens any bytes: an error or the message that was encrypted, and no panic.
func FuzzOpen(f *testing.F) {
	s := sealer(f, key(1), key(2))
	good, err := s.seal(place, []byte("a message"), 20516, [saltSize]byte{1}) // the same one in each process
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte{})
	f.Add(good[:header])
	f.Fuzz(func(t *testing.T, sealed []byte) {
		message, err := s.Open(place, sealed)
		if err == nil && !bytes.Equal(sealed, good) {
			t.Errorf("it opens as %q", message)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	s := sealer(b, key(1))
	message := make([]byte, 200)
	for b.Loop() {
		sealed, err := s.Seal(place, message)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Open(place, sealed); err != nil {
			b.Fatal(err)
		}
	}
}
