package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/store"
)

// TestJSON has the JSON of a run, which is the API's.
func TestJSON(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	run := store.Run{ID: "06cnkf2e4w0000000000000000", State: store.Parked, Tenant: "north", By: "ada",
		Submission: store.Submission{Program: "deploy@3", Name: "deploy.ptc", Source: "(f)", Data: []byte(`{"a":1}`),
			Limits: limits.Limits{Timeout: time.Second, Workers: 2}, Labels: map[string]string{"env": "prod"}, Key: "k",
			Priority: effect.LowPriority},
		Digest: "d", Created: at, Updated: at, Started: at, Attempts: 1, Wake: at.Add(time.Hour), Reason: "sleeps",
		Result: store.Result{Value: []byte(`[1]`), Text: "[1]", Error: []byte(`{}`), Prints: "p", Usage: []byte(`{}`)}, Revision: 3}
	text, err := json.Marshal(run)
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"06cnkf2e4w0000000000000000","state":"parked","tenant":"north","by":"ada","program":"deploy@3",
		"name":"deploy.ptc","source":"(f)","data":{"a":1},"limits":{"workers":2,"timeout":"1s"},"labels":{"env":"prod"},"key":"k","priority":"low",
		"digest":"d","created":"2030-01-02T03:04:05.006Z","updated":"2030-01-02T03:04:05.006Z","started":"2030-01-02T03:04:05.006Z",
		"attempts":1,"wake":"2030-01-02T04:04:05.006Z","reason":"sleeps","value":[1],"text":"[1]","error":{},"prints":"p","usage":{},
		"revision":3}`, string(text))
	var back store.Run
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, run, back)
	text, err = json.Marshal(store.Run{})
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"","state":"","tenant":"","created":"0001-01-01T00:00:00Z","updated":"0001-01-01T00:00:00Z","revision":0}`,
		string(text))
}

func TestStates(t *testing.T) {
	var final []store.State
	reached := map[store.State]bool{store.Queued: true}
	for _, s := range store.States() {
		require.True(t, s.Valid())
		if s.Final() {
			final = append(final, s)
		}
		require.Equal(t, !s.Final(), s.May(s))
		for _, next := range store.States() {
			if s != next && s.May(next) {
				reached[next] = true
				require.False(t, s.Final())
			}
		}
		require.False(t, s.May("") || s.May("done") || store.State("").May(s))
		if !s.Final() {
			require.True(t, s.May(store.Cancelled) && s.May(store.Failed), "a run that has not ended can be ended")
		}
	}
	require.Equal(t, []store.State{store.Succeeded, store.Failed, store.Cancelled, store.Poisoned}, final)
	require.Len(t, reached, len(store.States()))
	for _, s := range []store.State{"", "done", "QUEUED"} {
		require.False(t, s.Valid() || s.Final() || s.May(s))
	}
}

// TestIDs: ids are ordered by time, and by their making within a millisecond and when the clock is set back.
func TestIDs(t *testing.T) {
	var ids store.IDs
	at := time.Date(2026, 11, 23, 9, 0, 0, 123_456_789, time.UTC)
	last := ""
	for i := range 3000 {
		now := at.Add(time.Duration(i/1000) * time.Millisecond)
		if i%7 == 0 {
			now = now.Add(-time.Hour)
		}
		id := ids.Next(now)
		require.Greater(t, id, last)
		require.Len(t, id, 26)
		require.True(t, store.ValidID(id))
		last = id
	}
	got, err := store.IDTime(last)
	require.NoError(t, err)
	require.Equal(t, at.Add(2*time.Millisecond).Truncate(time.Millisecond), got)

	var other store.IDs
	require.NotEqual(t, other.Next(at)[10:], new(store.IDs).Next(at)[10:], "those of two machines differ")
	other.After(last)
	require.Greater(t, other.Next(at.Add(-time.Hour)), last)
	third := new(store.IDs)
	third.After(other.Next(at))
	require.NotEqual(t, third.Next(at), other.Next(at), "two machines that know the same last id")
	other.After("nothing")
	other.After(new(store.IDs).Next(at.Add(-time.Hour)))
	require.Greater(t, other.Next(at), last)
	for _, id := range []string{"", strings.ToUpper(last), last[1:], last + "0", last[:25] + "!", last[:25] + "\n", "\n" + last[1:], last[:25] + "z"} {
		require.False(t, store.ValidID(id), "%q", id)
		_, err := store.IDTime(id)
		require.ErrorIs(t, err, store.ErrInvalid)
	}
}

func TestIDsConcurrent(t *testing.T) {
	var ids store.IDs
	var wg sync.WaitGroup
	lists := make([][]string, 4)
	for i := range lists {
		wg.Go(func() {
			for range 500 {
				lists[i] = append(lists[i], ids.Next(time.Now()))
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, list := range lists {
		require.True(t, slices.IsSorted(list))
		for _, id := range list {
			require.False(t, seen[id])
			seen[id] = true
		}
	}
}

// TestFirstID: it separates the ids of a time from those of the times before.
func TestFirstID(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 0, 0, 123_000_000, time.UTC)
	for _, c := range []struct {
		bound time.Time
		in    bool
	}{{at, true}, {at.Add(-1), true}, {at.Add(1), false}, {at.Add(time.Millisecond), false}, {time.Unix(-5, 0), true},
		{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), true}, {time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC), false}} {
		require.Equal(t, c.in, new(store.IDs).Next(at) >= store.FirstID(c.bound), c.bound)
		require.Equal(t, c.in, !at.Before(c.bound), "as the times themselves")
		require.True(t, store.ValidID(store.FirstID(c.bound)))
	}
}

// TestSum: submissions with a difference have different sums.
func TestSum(t *testing.T) {
	base := store.Submission{Program: "p@1", Name: "p", Source: "(f)", Data: []byte(`{"a": 1}`), Labels: map[string]string{"a": "b", "c": "d"}, Key: "k"}
	same := base
	same.Data, same.Labels = []byte(`{"a":1}`), map[string]string{"c": "d", "a": "b"}
	require.Equal(t, base.Sum(), same.Sum())
	sums := map[string]bool{base.Sum(): true}
	for _, change := range []func(*store.Submission){
		func(s *store.Submission) { s.Program = "p@2" }, func(s *store.Submission) { s.Name = "q" },
		func(s *store.Submission) { s.Source = "(g)" }, func(s *store.Submission) { s.Data = []byte(`{"a":2}`) },
		func(s *store.Submission) { s.Limits.Steps = 1 }, func(s *store.Submission) { s.Labels = nil },
		func(s *store.Submission) { s.Key = "l" }, func(s *store.Submission) { s.Source, s.Data = "", nil },
	} {
		other := base
		change(&other)
		require.False(t, sums[other.Sum()], other)
		sums[other.Sum()] = true
	}
}

func TestBriefError(t *testing.T) {
	for whole, want := range map[string]string{
		``: ``, `null`: `{"code":"","message":""}`, `7`: ``, `{"code":"a","message":"<b>","hint":"c"}`: `{"code":"a","message":"<b>"}`,
		`{"code":"a","message":"` + strings.Repeat("x", 299) + `ää"}`: `{"code":"a","message":"` + strings.Repeat("x", 299) + `…"}`,
	} {
		require.Equal(t, want, string(store.Run{Result: store.Result{Error: []byte(whole)}}.Brief().Error))
	}
}

func TestHas(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	run := store.Run{State: store.Queued, Tenant: "north", Created: at,
		Submission: store.Submission{Program: "deploy@3", Labels: map[string]string{"a": "b", "empty": ""}}}
	for _, c := range []struct {
		q   store.Query
		has bool
	}{
		{store.Query{}, true},
		{store.Query{States: []store.State{store.Failed, store.Queued}}, true},
		{store.Query{States: []store.State{store.Failed}}, false},
		{store.Query{Program: "deploy"}, true}, {store.Query{Program: "deploy@3"}, true}, {store.Query{Program: "deploy@"}, false},
		{store.Query{Program: "deploy@4"}, false}, {store.Query{Program: "dep"}, false},
		{store.Query{Labels: map[string]string{"a": "b", "empty": ""}}, true}, {store.Query{Labels: map[string]string{"a": ""}}, false},
		{store.Query{Labels: map[string]string{"none": ""}}, false},
		{store.Query{Tenant: "north"}, true}, {store.Query{Tenant: "south"}, false},
		{store.Query{Since: at}, true}, {store.Query{Since: at.Add(1)}, false},
		{store.Query{Until: at}, false}, {store.Query{Until: at.Add(1)}, true},
	} {
		require.Equal(t, c.has, c.q.Has(&run), "%+v", c.q)
	}
}

func TestError(t *testing.T) {
	err := fmt.Errorf("it: %w", store.ErrDamaged.With("%s: %w", "run.json", fs.ErrNotExist))
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.False(t, errors.Is(err, store.ErrNotFound))
	require.Equal(t, "it: store: run.json: file does not exist", err.Error())
	var e *store.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "damaged", e.Code)
}

// TestCodes: the codes are API, and each is another one.
func TestCodes(t *testing.T) {
	var codes []string
	for _, e := range []*store.Error{store.ErrNotFound, store.ErrDamaged, store.ErrKeyReused, store.ErrTransition,
		store.ErrEnded, store.ErrNotEnded, store.ErrInvalid, store.ErrConflict, store.ErrInUse, store.ErrClosed} {
		codes = append(codes, e.Code)
	}
	require.Equal(t, []string{"not-found", "damaged", "key-reused", "wrong-state", "run-ended", "run-not-ended", "invalid",
		"version-conflict", "in-use", "closed"}, codes)
}
