package journal

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

var (
	ownKey     = Key(bytes.Repeat([]byte{1}, KeyBytes))
	foreignKey = Key(bytes.Repeat([]byte{2}, KeyBytes))
)

// hiding makes an effect whose arguments contain the word hidden, which is replaced if it is a known secret.
func hiding(id, args string, known bool) effect.Effect {
	e := effect.Effect{ID: id, Kind: effect.KindCall, Name: "send", Class: effect.ReadOnly, Args: []byte(args)}
	if known {
		e.Args = []byte(strings.ReplaceAll(args, "hidden", "[secret]"))
		e.Hidden = effect.Hide([]byte(args), e.Args)
	}
	return e
}

// written makes a journal with a key, and reads it.
func written(t *testing.T, key Key, write func(j *Journal)) (*Recording, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal")
	j, err := Create(path, Header{}, Options{Key: key})
	require.NoError(t, err)
	write(j)
	require.NoError(t, j.Close())
	rec, err := ReadFile(path, key)
	require.NoError(t, err)
	return rec, path
}

// TestHiddenArguments compares arguments with a secret that was known when they were recorded, or when they
// are replayed, or both: which one depends on timing, but the outcome must not.
func TestHiddenArguments(t *testing.T) {
	for _, recorded := range []bool{true, false} {
		for _, actual := range []bool{true, false} {
			rec, path := written(t, ownKey, func(j *Journal) {
				_, _, err := j.Begin(context.Background(), hiding("0#1", `"a hidden b"`, recorded))
				require.NoError(t, err)
				require.NoError(t, j.End("0#1", effect.Record{}))
				for _, e := range j.Entries() {
					require.Nil(t, e.Hidden, "the journal keeps it in memory")
				}
			})
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, !recorded, bytes.Contains(text, []byte("a hidden b")))

			_, do, err := Replay(rec).Begin(context.Background(), hiding("0#1", `"a hidden b"`, actual))
			require.True(t, !do && err == nil, "%v", err)
			_, done, err := Replay(rec).Recall(t.Context(), hiding("0#1", `"a hidden b"`, actual))
			require.True(t, done && err == nil, "%v", err)
			for _, other := range []string{`"a hidden c"`, `"a hid b"`, `"a [secret] b"`, `"a  b"`} {
				var d *Divergence
				_, _, err = Replay(rec).Begin(context.Background(), hiding("0#1", other, actual))
				require.ErrorAs(t, err, &d, other)
				if recorded && actual {
					require.NotContains(t, d.Error(), "hidden")
				}
				require.Nil(t, d.Actual.Hidden)
			}
		}
	}
}

// TestHiddenOtherSecret has arguments that differ in nothing but the secret.
func TestHiddenOtherSecret(t *testing.T) {
	rec, path := written(t, ownKey, func(j *Journal) {
		_, _, err := j.Begin(context.Background(), hiding("0#1", `"hidden"`, true))
		require.NoError(t, err)
		require.NoError(t, j.End("0#1", effect.Record{}))
	})
	other := hiding("0#1", `"hidden"`, true)
	other.Hidden.Clear = []byte(`"another"`)
	_, _, err := Replay(rec).Begin(context.Background(), other)
	require.ErrorContains(t, err, `got call send "[secret]", with another secret`)
	rec, err = ReadFile(path) // without the key nobody can tell
	require.NoError(t, err)
	_, _, err = Replay(rec).Begin(context.Background(), other)
	require.NoError(t, err)
}

// TestHiddenAgain begins an effect again when other secrets of it are known: the file can still be read.
func TestHiddenAgain(t *testing.T) {
	for _, known := range []bool{true, false} {
		_, path := written(t, ownKey, func(j *Journal) {
			_, _, err := j.Begin(context.Background(), hiding("0#1", `"hidden"`, known))
			require.NoError(t, err)
		})
		j, _, err := Resume(path, nil, Options{Key: ownKey})
		require.NoError(t, err)
		_, do, err := j.Begin(context.Background(), hiding("0#1", `"hidden"`, !known))
		require.True(t, do && err == nil, "%v", err)
		require.NoError(t, j.Close())
		_, err = ReadFile(path, ownKey)
		require.NoError(t, err)
	}
}

// TestHiddenOutcomes checks that with the key, outcomes are recalled byte for byte with their hidden parts.
func TestHiddenOutcomes(t *testing.T) {
	long := `{"token":"hidden","pad":"` + strings.Repeat("x", 100_000) + `"}`
	for i, clear := range []string{`"hidden"`, `{"token":"hidden","n":1.50}`, `"hidden   "`, `[]`, long} {
		rec, path := written(t, ownKey, func(j *Journal) {
			_, _, err := j.Begin(context.Background(), hiding("0#1", `1`, false))
			require.NoError(t, err)
			o := effect.Record{Result: []byte(`"[secret]"`), Hidden: effect.Hide([]byte(clear), []byte(`"[secret]"`))}
			if i%2 == 1 {
				o.Result, o.Error = nil, o.Result
			}
			require.NoError(t, j.End("0#1", o))
			require.Nil(t, j.Entries()[0].Outcome.Hidden)
		})
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), "hidden\"}")
		j := Replay(rec)
		o, _, err := j.Begin(context.Background(), hiding("0#1", `1`, false))
		require.NoError(t, err)
		require.Equal(t, clear, string(*o.Payload()))
		require.Equal(t, i%2 == 1, o.Failed())
		require.Equal(t, `"[secret]"`, string(*j.Entries()[0].Outcome.Payload()))

		for _, keys := range [][]Key{nil, {foreignKey}, {nil, foreignKey}} {
			rec, err := ReadFile(path, keys...)
			require.NoError(t, err)
			var w *Withheld
			_, _, err = Replay(rec).Begin(context.Background(), hiding("0#1", `1`, false))
			require.ErrorAs(t, err, &w)
		}
	}
}

// TestHiddenEnd compares the ends of runs.
func TestHiddenEnd(t *testing.T) {
	end := func(value string, known bool) Final {
		e := hiding("0#1", value, known)
		return Final{Value: string(e.Args), Hidden: e.Hidden}
	}
	for _, recorded := range []bool{true, false} {
		for _, actual := range []bool{true, false} {
			rec, _ := written(t, ownKey, func(j *Journal) { require.NoError(t, j.Finish(end("a hidden b", recorded))) })
			require.NoError(t, Replay(rec).Finish(end("a hidden b", actual)))
			require.Error(t, Replay(rec).Finish(end("a hidden c", actual)))
			require.Error(t, Replay(rec).Finish(Final{Error: []byte("a hidden b")}))
		}
	}
}

// TestSecretLines checks that replays and resumed runs know the secrets of the run, and that none is
// written after its end.
func TestSecretLines(t *testing.T) {
	const one, two, late = "first secret   ", "second secret", "too late"
	known := func(j *Journal) (known []string) {
		for _, secret := range []string{one, two, late} {
			if j.Secrets().Text(secret) != secret {
				known = append(known, secret)
			}
		}
		return known
	}
	rec, path := written(t, ownKey, func(j *Journal) {
		j.Secrets().Meet(one)
		require.NoError(t, j.Stop([]byte(`{"bound":"steps"}`)))
		j.Secrets().Meet(late)
	})
	assert.Equal(t, []string{one}, known(Replay(rec)))
	j, _, err := Resume(path, nil, Options{Key: ownKey})
	require.NoError(t, err)
	assert.Equal(t, []string{one}, known(j))
	j.Secrets().Meet(two)
	require.NoError(t, j.Finish(Final{Value: "1"}))
	j.Secrets().Meet(late)
	require.NoError(t, j.Close())
	rec, err = ReadFile(path, ownKey)
	require.NoError(t, err)
	assert.Equal(t, []string{one, two}, known(Replay(rec)))
	rec, err = ReadFile(path, foreignKey)
	require.NoError(t, err)
	assert.Empty(t, known(Replay(rec)))

	rec, path = written(t, nil, func(j *Journal) { j.Secrets().Meet(one) })
	assert.Empty(t, known(Replay(rec)))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 1, bytes.Count(text, []byte("\n")), "without a key nothing is written")
}

// TestHiddenTogether has runs under one key tell nothing of each other: the same secret has another
// text in each, and in each place.
func TestHiddenTogether(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		rec, _ := written(t, ownKey, func(j *Journal) {
			for _, id := range []string{"0#1", "0#2"} {
				_, _, err := j.Begin(context.Background(), hiding(id, `"hidden"`, true))
				require.NoError(t, err)
				require.NoError(t, j.End(id, effect.Record{Result: []byte(`"[secret]"`), Hidden: &effect.Hidden{Clear: []byte(`"hidden"`)}}))
			}
		})
		for _, e := range rec.Entries {
			for _, sealed := range []string{e.Hidden.Sealed, e.Outcome.Hidden.Sealed} {
				require.False(t, seen[sealed])
				seen[sealed] = true
			}
		}
	}
}

func TestBadKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	_, err := Create(path, Header{}, Options{Key: Key("short")})
	require.ErrorContains(t, err, "the key has 5 bytes, want 32 random ones")
	_, _, err = Resume(path, nil, Options{Key: Key("short")})
	require.ErrorContains(t, err, "the key has 5 bytes, want 32 random ones")
}

// BenchmarkHidden measures the cost of a short text with replaced secrets.
func BenchmarkHidden(b *testing.B) {
	v, text := newVault(ownKey, "run"), []byte(`{"headers":{"authorization":"Bearer s3cr3t-token"}}`)
	b.Run("arguments", func(b *testing.B) {
		for b.Loop() {
			v.mark("0.1.7#3", text)
		}
	})
	b.Run("outcome", func(b *testing.B) {
		for b.Loop() {
			v.seal("0.1.7#3", text)
		}
	})
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			newVault(ownKey, "run")
		}
	})
}
