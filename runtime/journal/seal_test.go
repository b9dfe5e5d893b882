package journal

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

var (
	testKey  = Key(bytes.Repeat([]byte{7}, KeyBytes))
	otherKey = Key(bytes.Repeat([]byte{8}, KeyBytes))
)

// eightLines returns the lines of a journal with three effects that ended.
func eightLines(t *testing.T, key Key) [][]byte {
	t.Helper()
	d := &disk{}
	j, err := record(d, Header{Run: "R"}, Options{Key: key})
	require.NoError(t, err)
	for i := range 3 {
		id := fmt.Sprintf("0#%d", i)
		_, _, err := j.Begin(context.Background(), effectOf(id, effect.Write))
		require.NoError(t, err)
		require.NoError(t, j.End(id, effect.Record{}))
	}
	require.NoError(t, j.Finish(Final{Value: "1"}))
	require.NoError(t, j.Close())
	lines := slices.Collect(bytes.Lines(d.text))
	require.Len(t, lines, 8)
	return lines
}

func joined(lines ...[]byte) []byte { return bytes.Join(lines, nil) }

// TestChain changes a journal in ways that leave each line intact. With and without a key, the first line
// that does not continue the chain is an error.
func TestChain(t *testing.T) {
	for _, key := range []Key{nil, testKey} {
		l := eightLines(t, key)
		for _, c := range []struct {
			name string
			text []byte
			line int // of the damage
		}{
			{"a pair of lines is missing", joined(append(slices.Clone(l[:3]), l[5:]...)...), 4},
			{"all pairs are missing", joined(l[0], l[7]), 2},
			{"a line is missing", joined(append(slices.Clone(l[:4]), l[5:]...)...), 5},
			{"pairs are swapped", joined(l[0], l[3], l[4], l[1], l[2], l[5], l[6], l[7]), 2},
			{"a pair is doubled", joined(l[0], l[1], l[2], l[1], l[2]), 4},
			{"a line is cut in the middle", joined(l[0], l[1], l[2][:20], []byte("\n"), l[3]), 3},
			{"a line of another journal", joined(l[0], eightLines(t, otherKey)[1], l[2]), 2},
			{"a line is written again", joined(l[0], bytes.Replace(l[1], []byte(`"args":1`), []byte(`"args":2`), 1), l[2]), 2},
		} {
			rec, err := Read(bytes.NewReader(c.text), testKey)
			var d *Damage
			require.ErrorAs(t, err, &d, "%s: %+v", c.name, rec)
			assert.Equal(t, c.line, d.Line, c.name)
		}
		for n := 1; n <= len(l); n++ { // the end may be missing: a crash leaves that too
			rec, err := Read(bytes.NewReader(joined(l[:n]...)), testKey)
			require.NoError(t, err)
			require.Equal(t, key != nil, rec.Authentic)
		}
	}
}

// TestForged has lines with sound checksums, written without the key.
func TestForged(t *testing.T) {
	genuine := eightLines(t, testKey)
	forge := func(key Key, lines ...[]byte) []byte { return sealedLines(key, lines...) }
	header := []byte(`{"t":"run","v":1,"run":"R","start":"2026-03-01T12:00:00Z","program":"p",` +
		`"source":"(evil)","seed":1,"data":null,"options":null,"tools":null`)
	named := bytes.Replace(header, []byte(`"v":1`), []byte(`"v":1,"key":"`+testKey.ID()+`"`), 1)
	resumed := []byte(`{"t":"resume","at":9`)

	t.Run("without an authenticator", func(t *testing.T) {
		rec, err := Read(bytes.NewReader(forge(nil, header)), testKey)
		require.NoError(t, err)
		require.False(t, rec.Authentic)
		require.Empty(t, rec.Key)
	})
	t.Run("with another key", func(t *testing.T) {
		other := bytes.Replace(header, []byte(`"v":1`), []byte(`"v":1,"key":"`+otherKey.ID()+`"`), 1)
		rec, err := Read(bytes.NewReader(forge(otherKey, other)), testKey)
		require.NoError(t, err)
		require.False(t, rec.Authentic)
		require.Equal(t, otherKey.ID(), rec.Key)
	})
	for name, text := range map[string][]byte{
		"with the name of the key":           forge(otherKey, named),
		"with the name and no authenticator": forge(nil, named),
		"with an authenticator and no name":  forge(testKey, header),
		"a line is added without authenticator": joined(genuine[0], sealedAfter(t, genuine[:1],
			[]byte(`{"t":"stop","how":1`))),
	} {
		_, err := Read(bytes.NewReader(text), testKey)
		var d *Damage
		require.ErrorAs(t, err, &d, name)
	}
	t.Run("what is added is resumed without a key", func(t *testing.T) {
		text := joined(genuine[0], sealedAfter(t, genuine[:1], resumed))
		rec, err := Read(bytes.NewReader(text), testKey)
		require.NoError(t, err)
		require.False(t, rec.Authentic, "the file goes on without the key")
	})
}

// sealedAfter returns lines sealed after others, without a key.
func sealedAfter(t *testing.T, before [][]byte, open ...[]byte) []byte {
	t.Helper()
	rec, err := Read(bytes.NewReader(joined(before...)))
	require.NoError(t, err)
	s, b := rec.seal, []byte(nil)
	s.use("", nil)
	for _, l := range open {
		s.add(l, s.digest(l))
		b = append(s.appendTo(append(b, l...)), '\n')
	}
	return b
}

// TestEveryFlippedBitUnderAKey: with the key no bit can be changed, those of authenticators
// included.
func TestEveryFlippedBitUnderAKey(t *testing.T) {
	text := joined(eightLines(t, testKey)...)
	for i := range len(text) - 1 {
		damaged := bytes.Clone(text)
		damaged[i] ^= 1 << (i % 8)
		rec, err := Read(bytes.NewReader(damaged), testKey)
		if err == nil {
			require.False(t, rec.Authentic, "byte %d", i)
		}
	}
}

// TestResumeUnderAKey makes the chain continue in a resumed run under the same key, and begin
// again under another one.
func TestResumeUnderAKey(t *testing.T) {
	for _, c := range []struct {
		created, resumed Key
		authentic        bool
	}{{testKey, testKey, true}, {testKey, otherKey, false}, {otherKey, testKey, false}, {nil, testKey, false}, {testKey,
		nil, false}} {
		path := filepath.Join(t.TempDir(), "run.journal")
		j, err := Create(path, Header{Run: "R"}, Options{Key: c.created})
		require.NoError(t, err)
		require.NoError(t, j.Close())
		for range 2 {
			j, _, err = Resume(path, nil, Options{Key: c.resumed})
			require.NoError(t, err)
			require.NoError(t, j.Close())
		}
		for _, keys := range [][]Key{{testKey}, {otherKey}, {otherKey, testKey}, nil} {
			rec, err := ReadFile(path, keys...)
			require.NoError(t, err)
			require.Len(t, rec.Resumed, 2)
			has := slices.ContainsFunc(keys, func(k Key) bool { return k.ID() == testKey.ID() })
			require.Equal(t, c.authentic && has, rec.Authentic)
		}
	}
}

// TestAcceptKnowsWhetherItIsAuthentic: the file is unchanged when its requests are refused.
func TestAcceptKnowsWhetherItIsAuthentic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := Create(path, Header{Run: "R"}, Options{Key: testKey})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	for _, c := range []struct {
		key       Key
		authentic bool
	}{{testKey, true}, {otherKey, false}, {nil, false}} {
		_, _, err := Resume(path, nil, Options{Key: c.key, Accept: func(rec *Recording) error {
			require.Equal(t, c.authentic, rec.Authentic)
			return errDisk
		}})
		require.ErrorIs(t, err, errDisk)
	}
	rec, err := ReadFile(path, testKey)
	require.NoError(t, err)
	require.Empty(t, rec.Resumed)
}

func TestKeys(t *testing.T) {
	require.Empty(t, Key(nil).ID())
	require.Len(t, testKey.ID(), 16)
	require.NotContains(t, testKey.ID(), strings.Repeat("07", 4))
	for _, bad := range []Key{{}, {1}, make(Key, KeyBytes+1)} {
		_, err := Create(filepath.Join(t.TempDir(), "j"), Header{}, Options{Key: bad})
		require.ErrorContains(t, err, "want 32 random ones")
		_, _, err = Resume("none", nil, Options{Key: bad})
		require.ErrorContains(t, err, "want 32 random ones")
	}
}
