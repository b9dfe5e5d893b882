package journal_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// call makes an effect.
func call(id string, class effect.Class, args string) effect.Effect {
	return effect.Effect{ID: id, Kind: effect.KindCall, Name: "search", Class: class, Args: []byte(args)}
}

func ok(result string) effect.Record { return effect.Record{Result: []byte(result)} }

// do makes an effect begin and end.
func do(t testing.TB, j *journal.Journal, e effect.Effect, o effect.Record) {
	t.Helper()
	_, todo, err := j.Begin(context.Background(), e)
	require.NoError(t, err)
	require.True(t, todo)
	require.NoError(t, j.End(e.ID, o))
}

// ticking is a clock that continues by a millisecond with each look at it.
func ticking() func() time.Time {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Millisecond)
		return at
	}
}

func TestMemory(t *testing.T) {
	j := journal.New(journal.Options{Now: ticking()})
	do(t, j, call("0#1", effect.ReadOnly, `{"q":1}`), ok(`[1]`))
	do(t, j, effect.Effect{ID: "0#2", Kind: effect.KindTime, Class: effect.ReadOnly}, ok(`"12:00"`))
	do(t, j, call("0.1.3#1", effect.Write, `{"q":2}`), effect.Record{Error: []byte(`{"code":"unavailable"}`)})
	_, _, err := j.Begin(context.Background(), call("0.1.4#1", effect.Write, `{}`))
	require.NoError(t, err)

	all := j.Entries()
	require.Len(t, all, 4)
	require.Equal(t, "0#1", all[0].ID)
	require.Equal(t, time.Millisecond, all[0].Duration)
	require.True(t, all[0].Done)
	require.Equal(t, 1, all[0].Attempt)
	require.True(t, all[2].Outcome.Failed())
	require.False(t, all[3].Done)
	require.Len(t, j.Calls(), 3)
	require.Equal(t, journal.Stats{Begun: 4, Ended: 3, Failed: 1}, j.Stats())
	require.Len(t, j.InDoubt(), 1)
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
	require.NoError(t, j.Close())
	require.NoError(t, j.Close())
}

// TestMistakes: the mistakes of a caller are errors, and change nothing.
func TestMistakes(t *testing.T) {
	j := journal.New(journal.Options{})
	for _, id := range []string{"", "0", "#1", "0#", "0#x", "0.#1", ".0#1", "0..1#1", "00#1", "0#01", "0#1#2", "-1#1", "0#2147483648",
		strings.Repeat("0.", effect.MaxID) + "0#1"} {
		_, _, err := j.Begin(context.Background(), call(id, effect.ReadOnly, `{}`))
		require.ErrorContains(t, err, "is not the id of an effect", "%q", id)
		require.Less(t, len(err.Error()), 400)
	}
	for _, e := range []effect.Effect{
		{ID: "0#1", Kind: "guess", Class: effect.Write},
		{ID: "0#1", Kind: effect.KindCall, Class: 3}, // no class
		{ID: "0#1", Kind: effect.KindCall, Class: effect.Write, Name: "\xff"},
	} {
		_, _, err := j.Begin(context.Background(), e)
		require.Error(t, err)
	}
	require.ErrorContains(t, j.End("0#1", ok("1")), "was not begun")
	_, _, err := j.Begin(context.Background(), call("0#2147483647", effect.ReadOnly, `{}`))
	require.NoError(t, err)
	_, _, err = j.Begin(context.Background(), call("0#2147483647", effect.ReadOnly, `{}`))
	require.ErrorContains(t, err, "begun a second time")
	require.NoError(t, j.Close())
	_, _, err = j.Begin(context.Background(), call("0#3", effect.ReadOnly, `{}`))
	require.ErrorIs(t, err, journal.ErrClosed)
	require.ErrorIs(t, j.End("0#2147483647", ok("1")), journal.ErrClosed)
	require.ErrorIs(t, j.Finish(journal.Final{}), journal.ErrClosed)
}

// TestBounds: beyond the bytes hashes stay, beyond the entries only counts.
func TestBounds(t *testing.T) {
	j := journal.New(journal.Options{Entries: 3, Bytes: 1000})
	args := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 580))
	for i := range 5 {
		do(t, j, call(fmt.Sprintf("0#%d", i), effect.ReadOnly, args), ok(`"short"`))
	}
	all := j.Entries()
	require.Len(t, all, 3)
	require.Equal(t, args, string(all[0].Args))
	require.False(t, all[0].ArgsHashed)
	require.True(t, all[1].ArgsHashed)
	require.Regexp(t, `^"sha256:[0-9a-f]{64}"$`, string(all[1].Args))
	require.Equal(t, all[1].Args, all[2].Args, "the same arguments have the same hash")
	require.Equal(t, `"short"`, string(all[2].Outcome.Result), "what is not longer than a hash stays")
	require.False(t, all[2].OutcomeHashed)
	require.Equal(t, journal.Stats{Begun: 5, Ended: 5, Dropped: 2, Hashed: 2}, j.Stats())

	j = journal.New(journal.Options{Bytes: 1000})
	do(t, j, call("0#1", effect.ReadOnly, `{}`), ok(args))
	do(t, j, call("0#2", effect.ReadOnly, `{}`), effect.Record{Error: []byte(args)})
	all = j.Entries()
	require.False(t, all[0].OutcomeHashed)
	require.True(t, all[1].OutcomeHashed)
	require.True(t, all[1].Outcome.Failed())
	require.EqualValues(t, 1, j.Stats().Hashed)
}

// TestManyEntries: effects that end late, and in another order, are found at their beginnings, and effects
// that are not kept can be ended too.
func TestManyEntries(t *testing.T) {
	const kept, n = 500, 600
	j := journal.New(journal.Options{Entries: kept})
	id := func(i int) string { return fmt.Sprintf("0#%d", i) }
	for i := range n {
		_, do, err := j.Begin(context.Background(), call(id(i), effect.Write, fmt.Sprint(i)))
		require.NoError(t, err)
		require.True(t, do)
	}
	require.Len(t, j.InDoubt(), n)
	_, _, err := j.Begin(context.Background(), call(id(n-1), effect.Write, "0"))
	require.ErrorContains(t, err, "is begun a second time")
	for i := range n {
		i = i * 7 % n
		require.NoError(t, j.End(id(i), ok(fmt.Sprint(-i))))
		require.ErrorContains(t, j.End(id(i), ok("0")), "was not begun")
	}
	require.Empty(t, j.InDoubt())
	all := j.Entries()
	require.Len(t, all, kept)
	for i, e := range all {
		got := []string{e.ID, string(e.Args), string(e.Outcome.Result)}
		require.Equal(t, []string{id(i), fmt.Sprint(i), fmt.Sprint(-i)}, got)
	}
	require.Equal(t, journal.Stats{Begun: n, Ended: n, Dropped: n - kept}, j.Stats())
}

func TestKey(t *testing.T) {
	a, b := journal.New(journal.Options{}), journal.New(journal.Options{})
	require.Equal(t, a.Key("0#1"), a.Key("0#1"))
	require.NotEqual(t, a.Key("0#1"), a.Key("0#2"))
	require.NotEqual(t, a.Key("0#1"), b.Key("0#1"), "two runs never have the same key")
	require.Regexp(t, `^[A-Z2-7]{26}/0#1$`, a.Key("0#1"))
}
