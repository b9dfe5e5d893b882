// This file defines the tests of lists.

package storetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
)

var lists = map[string]func(*testing.T, store.Store){
	"List":        testList,
	"Pages":       testPages,
	"Moving":      testMoving,
	"ListFollows": testListFollows,
	"Brief":       testBrief,
	"BadQueries":  testBadQueries,
	"Count":       testCount,
	"RandomRuns":  testRandomRuns,
}

func testList(t *testing.T, s store.Store) {
	page, err := s.List(t.Context(), store.Query{})
	require.NoError(t, err)
	require.Equal(t, store.Page{Runs: []store.Run{}}, page, "an empty list is [] in JSON")
	var ids []string
	for range 5 {
		ids = append([]string{Create(t, s, Submitted()).ID}, ids...)
	}
	var got []string
	for _, r := range All(t, s, store.Query{}) {
		got = append(got, r.ID)
	}
	require.Equal(t, ids, got, "the newest first")
}

func testPages(t *testing.T, s store.Store) {
	for range 10 {
		Create(t, s, Submitted())
	}
	for _, q := range []store.Query{{}, {Oldest: true}, {Tenant: "north", Labels: map[string]string{"env": "prod"}}} {
		whole := All(t, s, q)
		require.Len(t, whole, 10)
		for limit := 1; limit <= 11; limit++ {
			q.Limit = limit
			require.Equal(t, whole, All(t, s, q))
			page, err := s.List(t.Context(), q)
			require.NoError(t, err)
			require.Len(t, page.Runs, min(limit, 10))
			require.Equal(t, limit >= 10, page.Next == "", "no empty page follows")
		}
	}
	for range 95 {
		Create(t, s, Submitted())
	}
	page, err := s.List(t.Context(), store.Query{})
	require.NoError(t, err)
	require.Len(t, page.Runs, store.DefaultLimit)
}

// testMoving: runs that come and go between two pages move no other one.
func testMoving(t *testing.T, s store.Store) {
	var ids []string
	for range 9 {
		ids = append([]string{Create(t, s, Submitted()).ID}, ids...)
	}
	var got []string
	q := store.Query{Limit: 3}
	for {
		page, err := s.List(t.Context(), q)
		require.NoError(t, err)
		for _, r := range page.Runs {
			got = append(got, r.ID)
		}
		if page.Next == "" {
			break
		}
		q.After = page.Next
		Create(t, s, Submitted())
		Become(t, s, page.Next, store.Cancelled)
		require.NoError(t, s.Delete(t.Context(), page.Next), "the run that the next page follows")
	}
	require.Equal(t, ids, got)
}

func testListFollows(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	in := func(state store.State) int {
		return len(All(t, s, store.Query{States: []store.State{state}}))
	}
	require.Equal(t, 1, in(store.Queued))
	for _, state := range []store.State{store.Running, store.Waiting, store.Parked, store.Running, store.InDoubt,
		store.Failed} {
		run := Become(t, s, kept.ID, state)
		for _, other := range store.States() {
			require.Equal(t, other == state, in(other) == 1, "%s, listed as %s", state, other)
		}
		require.Equal(t, []store.Run{run.Brief()}, All(t, s, store.Query{States: []store.State{state}, Tenant: "north"}))
	}
}

func testBrief(t *testing.T, s store.Store) {
	run := Create(t, s, Submitted())
	Become(t, s, run.ID, store.Running)
	done, err := s.Update(t.Context(), run.ID, func(r *store.Run) error {
		r.State, r.Prints, r.Text = store.Failed, "printed", "rendered"
		r.Error = []byte(`{"code":"tool-failed","message":"` + strings.Repeat("ä", 1000) + `","frames":[{"function":"f"}]}`)
		return nil
	})
	require.NoError(t, err)
	brief := All(t, s, store.Query{})[0]
	require.Equal(t, done.Brief(), brief)
	require.Empty(t, brief.Source+string(brief.Data)+brief.Prints+brief.Text)
	require.Contains(t, string(brief.Error), `{"code":"tool-failed","message":"ä`)
	require.Less(t, len(brief.Error), 400)
	require.Equal(t, done.Labels, brief.Labels)
	require.Equal(t, done.Ended, brief.Ended)
}

func testBadQueries(t *testing.T, s store.Store) {
	Create(t, s, Submitted())
	many := make(map[string]string) // more than a run may have
	for i := range 33 {
		many[strings.Repeat("l", i+1)] = "v"
	}
	for _, q := range []store.Query{{States: []store.State{"done"}}, {States: []store.State{""}}, {Limit: -1},
		{Limit: 1001}, {After: "x"}, {After: strings.Repeat("0", 27)}, {Labels: many},
		{States: append(store.States(), store.Queued)}} {
		_, err := s.List(t.Context(), q)
		require.ErrorIs(t, err, store.ErrInvalid, "%+v", q)
	}
	for _, q := range []store.Query{{Tenant: "nobody"}, {Program: "\x00"}, {Labels: map[string]string{"\xff": "\x00"}},
		{Tenant: "nort"}, {Since: time.Now().AddDate(1, 0, 0)}, {Until: time.Unix(0, 0)},
		{Until: time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)}, {Since: time.Date(30_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Program: strings.Repeat("x", 100_000)}} {
		require.Empty(t, All(t, s, q), "%.100v", q)
	}
	for _, q := range []store.Query{{Until: time.Date(30_000, 1, 1, 0, 0, 0, 0, time.UTC)}, {Since: time.Unix(-1, 0)}} {
		require.Len(t, All(t, s, q), 1, "%+v", q)
	}
}

func testCount(t *testing.T, s store.Store) {
	count := func(tenant string) map[store.State]int {
		n, err := s.Count(t.Context(), tenant)
		require.NoError(t, err)
		return n
	}
	require.Empty(t, count(""))
	other := Submitted()
	other.Tenant = "northern"
	id := Create(t, s, Submitted()).ID
	Create(t, s, Submitted())
	Create(t, s, other)
	require.Equal(t, 3, count("")[store.Queued])
	require.Equal(t, 2, count("north")[store.Queued])
	require.Empty(t, count("nobody"))
	Become(t, s, id, store.Succeeded)
	require.Equal(t, 1, count("north")[store.Queued])
	require.Equal(t, 1, count("north")[store.Succeeded])
	require.NoError(t, s.Delete(t.Context(), id))
	require.Zero(t, count("north")[store.Succeeded])
}

// testRandomRuns compares all kinds of lists with a model.
func testRandomRuns(t *testing.T, s store.Store) {
	Fill(t, s, rand.New(rand.NewPCG(1, 2)), 60)
	c := Read(t, s)
	require.Len(t, c.Runs, 60)
}

// Fill creates random runs in all states.
func Fill(t testing.TB, s store.Store, random *rand.Rand, n int) {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for i := range n {
		run := Submitted()
		run.Tenant, run.Program = pick("north", "south", "so"), pick("deploy@1", "deploy@2", "dep", "clean@1", "")
		run.Labels = nil
		if random.IntN(3) > 0 {
			run.Labels = map[string]string{"env": pick("prod", "test", ""), pick("a", "team"): pick("web", "db")}
		}
		if random.IntN(3) == 0 {
			run.Key = fmt.Sprint("key ", i)
		}
		if random.IntN(10) == 0 {
			run.Source = strings.Repeat("; long\n", 10_000)
		}
		kept := Create(t, s, run)
		if state := store.State(pick(names(store.States())...)); state != store.Queued {
			Become(t, s, kept.ID, state)
		}
	}
}

func names(states []store.State) (names []string) {
	for _, s := range states {
		names = append(names, string(s))
	}
	return names
}
