// This file defines the tests of single runs.

package storetest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
)

var runs = map[string]func(*testing.T, store.Store){
	"Create":        testCreate,
	"CreateInvalid": testCreateInvalid,
	"Key":           testKey,
	"Digest":        testDigest,
	"GetNothing":    testGetNothing,
	"Hostile":       testHostile,
	"Large":         testLarge,
	"Spaces":        testSpaces,
}

// testCreate: a new run has the fields of its submission, and those that the store sets.
func testCreate(t *testing.T, s store.Store) {
	before := time.Now().Truncate(time.Millisecond)
	kept := Create(t, s, Submitted())
	require.True(t, store.ValidID(kept.ID))
	require.False(t, kept.Created.Before(before) || kept.Created.After(time.Now()), kept.Created)
	require.EqualValues(t, 1, kept.Revision)

	want := Submitted()
	want.ID, want.Created, want.Updated, want.Revision = kept.ID, kept.Created, kept.Created, 1
	want.Digest = want.Sum()
	require.Equal(t, want, kept)
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)

	started := Submitted()
	started.State = store.Running
	kept = Create(t, s, started)
	require.Equal(t, kept.Created, kept.Started)
}

func testCreateInvalid(t *testing.T, s store.Store) {
	long := strings.Repeat("x", 257)
	for name, spoil := range map[string]func(*store.Run){
		"no state":        func(r *store.Run) { r.State = "" },
		"final":           func(r *store.Run) { r.State = store.Succeeded },
		"parked":          func(r *store.Run) { r.State = store.Parked },
		"no tenant":       func(r *store.Run) { r.Tenant = "" },
		"tenant":          func(r *store.Run) { r.Tenant = "a\x00b" },
		"long program":    func(r *store.Run) { r.Program = long },
		"key with a line": func(r *store.Run) { r.Key = "a\nb" },
		"priority":        func(r *store.Run) { r.Priority = 2 },
		"long key":        func(r *store.Run) { r.Key = long },
		"label":           func(r *store.Run) { r.Labels = map[string]string{"a": "\xff"} },
		"label's name":    func(r *store.Run) { r.Labels = map[string]string{"": "a"} },
		"many labels": func(r *store.Run) {
			for i := range 40 {
				r.Labels[strings.Repeat("x", i+1)] = ""
			}
		},
		"data":   func(r *store.Run) { r.Data = json.RawMessage(`{"a":`) },
		"source": func(r *store.Run) { r.Source = "(\xff)" },
	} {
		run := Submitted()
		spoil(&run)
		_, created, err := s.Create(t.Context(), run)
		require.ErrorIs(t, err, store.ErrInvalid, name)
		require.False(t, created)
	}
	require.Empty(t, All(t, s, store.Query{}))
}

// testKey: a submission that is repeated is not run twice.
func testKey(t *testing.T, s store.Store) {
	run := Submitted()
	run.Key = "order 7"
	first := Create(t, s, run)
	again, created, err := s.Create(t.Context(), run)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first, again)

	done := Become(t, s, first.ID, store.Succeeded)
	again, created, err = s.Create(t.Context(), run)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, done, again, "the run as it is now")

	other := Submitted()
	other.Key, other.Source = "order 7", "(other)"
	_, created, err = s.Create(t.Context(), other)
	require.ErrorIs(t, err, store.ErrKeyReused)
	require.False(t, created)

	other.Tenant = "south"
	require.NotEqual(t, first.ID, Create(t, s, other).ID, "another tenant")
	for range 2 { // without a key each is new
		Create(t, s, Submitted())
	}
	require.Len(t, All(t, s, store.Query{}), 4)

	require.NoError(t, s.Delete(t.Context(), first.ID))
	again, created, err = s.Create(t.Context(), run)
	require.NoError(t, err)
	require.True(t, created, "a key is known as long as its run")
	require.NotEqual(t, first.ID, again.ID)
}

// testDigest: a server that completes a submission compares the submission that it received.
func testDigest(t *testing.T, s store.Store) {
	run := Submitted()
	run.Key, run.Digest = "k", "of the request"
	first := Create(t, s, run)
	run.Program = "deploy@4" // the latest version is another one now
	again, created, err := s.Create(t.Context(), run)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first, again)
	run.Digest = "of another request"
	_, _, err = s.Create(t.Context(), run)
	require.ErrorIs(t, err, store.ErrKeyReused)
}

func testGetNothing(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	for _, id := range []string{"", ".", "..", "../runs/" + kept.ID, kept.ID + "/", strings.ToUpper(kept.ID), kept.ID[1:],
		"zzzzzzzzzzzzzzzzzzzzzzzzzz", "00000000000000000000000000", "run.json",
		strings.Repeat("0", 100_000), kept.ID + "\x00"} {
		_, err := s.Get(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound, "%.50q", id)
		_, err = s.Update(t.Context(), id, func(*store.Run) error { return errors.New("called") })
		require.ErrorIs(t, err, store.ErrNotFound, "%.50q", id)
		_, err = s.Journal(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound, "%.50q", id)
		require.ErrorIs(t, s.Delete(t.Context(), id), store.ErrNotFound, "%.50q", id)
	}
}

// testHostile: all text comes back as it was.
func testHostile(t *testing.T, s store.Store) {
	const text = "</script><!-- \u2028 'ä' \"\\ \t\r\n 😀 %s \u00a0 @@ &lt;"
	run := Submitted()
	run.Source = text
	run.Data = json.RawMessage(`{"</script>&":"\u2028\ud83d\ude00","n":1e400,"big":123456789012345678901234567890}`)
	run.Program, run.Name, run.By = "../../x@1 %2f", `C:\con`, "<b>"
	run.Labels = map[string]string{"a=b": "c=d", "a": "b=c=d", "😀": "", "@": "@", " ": " "}
	run.Key, run.Tenant = "../..", "."
	kept := Create(t, s, run)
	kept, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
		r.State, r.Prints, r.Text, r.Reason = store.Running, text+"\x00\x1b[31m", text, text
		return nil
	})
	require.NoError(t, err)
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.Equal(t, kept, got)
	require.Equal(t, run.Submission, got.Submission)
	require.Equal(t, text+"\x00\x1b[31m", got.Prints)
	for _, q := range []store.Query{{Labels: map[string]string{"a=b": "c=d"}}, {Labels: map[string]string{"😀": ""}},
		{Program: "../../x"}, {Program: "../../x@1 %2f"}, {Tenant: "."}, {Labels: map[string]string{" ": " ", "@": "@"}}} {
		require.Len(t, All(t, s, q), 1, "%+v", q)
	}
	for _, q := range []store.Query{{Labels: map[string]string{"a": "b"}}, {Labels: map[string]string{"a": "c=d"}},
		{Tenant: ".."}, {Program: "../../x@1"}, {Program: "../"}} {
		require.Empty(t, All(t, s, q), "%+v", q)
	}
}

// testLarge: 16 MB are kept, and no list has them.
func testLarge(t *testing.T, s store.Store) {
	size := 16 << 20
	if testing.Short() {
		size = 1 << 20
	}
	large := json.RawMessage(`["` + strings.Repeat("<x>é", size/5) + `"]`)
	run := Submitted()
	run.Data, run.Source = json.RawMessage(`"`+strings.Repeat("d", size/8)+`"`), strings.Repeat("; source\n", 1<<20/9)
	kept := Create(t, s, run)
	Become(t, s, kept.ID, store.Running)
	done, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
		require.Equal(t, run.Source, r.Source)
		require.Equal(t, len(run.Data), len(r.Data))
		r.State, r.Value, r.Text, r.Prints = store.Succeeded, large, run.Source, run.Source
		return nil
	})
	require.NoError(t, err)
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.True(t, string(got.Data) == string(run.Data) && string(got.Value) == string(large))
	require.True(t, got.Source == run.Source && got.Prints == run.Source && got.Text == run.Source)
	require.Equal(t, done.Revision, got.Revision)
	brief := All(t, s, store.Query{})[0]
	require.Equal(t, got.Brief(), brief)
	text, err := json.Marshal(brief)
	require.NoError(t, err)
	require.Less(t, len(text), 2000)
}

// testSpaces: a method returns the same run as Get does later, however the JSON was written.
func testSpaces(t *testing.T, s store.Store) {
	run := Submitted()
	run.Data = json.RawMessage(" { \"a\" : [ 1 , \"<\" ] }\n")
	run.Labels = map[string]string{}
	kept := Create(t, s, run)
	require.Equal(t, `{"a":[1,"<"]}`, string(kept.Data))
	wake := time.Now().In(time.FixedZone("east", 3600))
	kept, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
		r.State, r.Wake, r.Usage, r.Prints = store.Running, wake, json.RawMessage("{ }"), "a\xffb"
		return nil
	})
	require.NoError(t, err)
	require.True(t, kept.Wake.Equal(wake))
	require.Equal(t, "a\uFFFDb", kept.Prints)
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.Equal(t, kept, got)
}
