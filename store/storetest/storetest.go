// Package storetest tests implementations of store.Store.
package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

// Run runs all tests. Each opens its own store, which is empty, and which open closes at the end of the test.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, group := range []map[string]func(*testing.T, store.Store){runs, updates, lists, ends, documents, together} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, open(t))
			})
		}
	}
}

// Submitted returns a run that can be created. Each call returns an equal one, with its own maps.
func Submitted() store.Run {
	return store.Run{State: store.Queued, Tenant: "north", By: "ada", Submission: store.Submission{Program: "deploy@3",
		Name: "deploy.ptc", Source: "(tool/deploy data/hosts)", Data: json.RawMessage(`{"hosts":["a","b"]}`),
		Labels: map[string]string{"env": "prod", "team": "web"}, Priority: effect.HighPriority}}
}

// Create creates a run.
func Create(t testing.TB, s store.Store, run store.Run) store.Run {
	t.Helper()
	kept, created, err := s.Create(t.Context(), run)
	require.NoError(t, err)
	require.True(t, created)
	return kept
}

// Become changes the state of a run, by way of Running if it has to be.
func Become(t testing.TB, s store.Store, id string, state store.State) store.Run {
	t.Helper()
	run, err := s.Get(t.Context(), id)
	require.NoError(t, err)
	if run.State != state && !run.State.May(state) {
		Become(t, s, id, store.Running)
	}
	run, err = s.Update(t.Context(), id, func(r *store.Run) error {
		r.State = state
		switch state {
		case store.Succeeded:
			r.Value, r.Text = json.RawMessage(`{"n":1}`), `{:n 1}`
		case store.Failed:
			r.Error = json.RawMessage(`{"code":"tool-failed","message":"host b is down","frames":[]}`)
		}
		return nil
	})
	require.NoError(t, err)
	return run
}

// All returns the runs that a query selects, from all pages.
func All(t testing.TB, s store.Store, q store.Query) (runs []store.Run) {
	t.Helper()
	for {
		page, err := s.List(t.Context(), q)
		require.NoError(t, err)
		runs = append(runs, page.Runs...)
		if page.Next == "" {
			return runs
		}
		require.NotEmpty(t, page.Runs)
		q.After = page.Next
	}
}

// Contents is everything that a store shows: two stores with equal contents can't be told apart.
type Contents struct {
	Runs      map[string]store.Run // by id, whole
	Lists     map[string][]string  // ids by query
	Counts    map[string]map[store.State]int
	Keys      map[string]string // of idempotence: the ids of their runs
	Damaged   []string
	Documents []store.Document
}

// Read returns the contents of a store.
func Read(t testing.TB, s store.Store) Contents {
	t.Helper()
	c := Contents{Runs: map[string]store.Run{}, Lists: map[string][]string{}, Counts: map[string]map[store.State]int{},
		Keys: map[string]string{}}
	tenants := map[string]bool{"": true}
	for _, brief := range All(t, s, store.Query{}) {
		run, err := s.Get(t.Context(), brief.ID)
		require.NoError(t, err)
		require.Equal(t, run.Brief(), brief)
		c.Runs[run.ID], tenants[run.Tenant] = run, true
		if run.Key != "" {
			again, created, err := s.Create(t.Context(), store.Run{State: store.Queued, Tenant: run.Tenant,
				Submission: run.Submission, Digest: run.Digest})
			require.NoError(t, err)
			require.False(t, created)
			c.Keys[run.Tenant+" "+run.Key] = again.ID
		}
	}
	for name, q := range queries(c.Runs) {
		for _, run := range All(t, s, q) {
			c.Lists[name] = append(c.Lists[name], run.ID)
		}
		require.Equal(t, model(c.Runs, q), c.Lists[name], name)
	}
	for tenant := range tenants {
		n, err := s.Count(t.Context(), tenant)
		require.NoError(t, err)
		c.Counts[tenant] = n
	}
	damaged, err := s.Damaged(t.Context())
	require.NoError(t, err)
	for _, d := range damaged {
		c.Damaged = append(c.Damaged, d.ID)
	}
	for _, kind := range []store.Kind{store.Programs, store.Schedules, store.Policies, store.Quotas} {
		docs, err := s.Documents(t.Context(), kind, "", store.MaxLimit)
		require.NoError(t, err)
		c.Documents = append(c.Documents, docs...)
	}
	return c
}

// queries returns queries of all kinds about runs, by a name.
func queries(runs map[string]store.Run) map[string]store.Query {
	all := map[string]store.Query{"all": {Limit: 7}, "oldest": {Oldest: true, Limit: 7}}
	add := func(q store.Query) { all[fmt.Sprintf("%+v", q)] = q }
	for _, state := range store.States() {
		add(store.Query{States: []store.State{state}})
	}
	add(store.Query{States: []store.State{store.Queued, store.Failed}, Oldest: true, Limit: 2})
	for _, r := range sample(runs) {
		name, _, _ := strings.Cut(r.Program, "@")
		for _, q := range []store.Query{{Program: r.Program}, {Program: name}, {Tenant: r.Tenant}, {Labels: r.Labels},
			{Tenant: r.Tenant, States: []store.State{r.State}}, {Since: r.Created}, {Until: r.Created},
			{Since: r.Created.Add(time.Microsecond), Oldest: true},
			{Program: name, Tenant: r.Tenant, Labels: r.Labels, States: []store.State{r.State, store.Queued}, Limit: 1},
			{Program: name, Labels: r.Labels, Oldest: true, Until: r.Created.Add(time.Millisecond), Limit: 2}} {
			add(q)
		}
	}
	return all
}

// sample returns some of the runs, not too many for all queries about each.
func sample(runs map[string]store.Run) (some []store.Run) {
	ids := make([]string, 0, len(runs))
	for id := range runs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i := 0; i < len(ids); i += max(1, len(ids)/5) {
		some = append(some, runs[ids[i]])
	}
	return some
}

// model returns the ids that a query selects.
func model(runs map[string]store.Run, q store.Query) (ids []string) {
	for id, r := range runs {
		if q.Has(&r) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if !q.Oldest {
		slices.Reverse(ids)
	}
	return ids
}

// ended is a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
