package store_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	cluster "github.com/ptc-lang/ptc/cluster/internal/store"
	"github.com/ptc-lang/ptc/cluster/seal"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/storetest"
)

// masters encrypts with master keys.
type masters struct{ *seal.Sealer }

func at(place string) seal.Place { return seal.Place{Kind: seal.Run, Owner: "all", ID: place} }

func (m masters) Seal(place string, data []byte) ([]byte, error) {
	return m.Sealer.Seal(at(place), data)
}
func (m masters) Open(place string, data []byte) ([]byte, error) {
	return m.Sealer.Open(at(place), data)
}

func mastersOf(t *testing.T, keys ...seal.Key) masters {
	s, err := seal.New(keys, time.Hour)
	require.NoError(t, err)
	return masters{s}
}

// TestReseal changes the master key of a store with runs and documents, small and large, and one run that has not
// ended. Without the old key, only that run can't be read; and when it has ended, nothing needs the old key.
func TestReseal(t *testing.T) {
	e, b, old, fresh := member(), newBoxes(), seal.NewKey(), seal.NewKey()
	one := open(t, e, b, cluster.Options{Seal: mastersOf(t, old)})
	large := strings.Repeat("(secret)", 30_000)
	begin := func(source string) string {
		run := storetest.Submitted()
		run.Source = source
		id := storetest.Create(t, one, run).ID
		storetest.Become(t, one, id, store.Running)
		p, err := one.Journal(t.Context(), id)
		require.NoError(t, err)
		j, err := p.Create(t.Context(), journal.Header{Source: source}, journal.Options{})
		require.NoError(t, err)
		require.NoError(t, j.Close())
		return id
	}
	end := func(s *cluster.Store, id, prints string) {
		_, err := s.Update(t.Context(), id, func(r *store.Run) error {
			r.State, r.Prints = store.Succeeded, prints
			return nil
		})
		require.NoError(t, err)
	}
	small, big, live := begin("1"), begin(large), begin("2")
	end(one, small, "x")
	end(one, big, large)
	for i, body := range []string{`"one"`, `"` + large + `"`, `"three"`, `"` + large + `4"`} {
		_, err := one.Put(t.Context(), store.Document{Kind: store.Programs, Name: "p", Body: json.RawMessage(body), Version: i + 1})
		require.NoError(t, err)
	}

	m := mastersOf(t, fresh, old)
	two := open(t, e, b, cluster.Options{Seal: m})
	left, err := two.Reseal(t.Context(), m)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Positive(t, left[old.ID()], "the log of a run that has not ended")
	again, err := two.Reseal(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, left, again)

	read := func(s *cluster.Store, ids ...string) {
		for _, id := range ids {
			run, err := s.Get(t.Context(), id)
			require.NoError(t, err)
			p, err := s.Journal(t.Context(), id)
			require.NoError(t, err)
			r, err := p.Open(t.Context())
			require.NoError(t, err)
			text, err := io.ReadAll(r)
			require.NoError(t, err)
			require.NoError(t, r.Close())
			assert.Contains(t, string(text), run.Source)
		}
		for i := range 4 {
			d, err := s.Document(t.Context(), store.Programs, "p", i+1)
			require.NoError(t, err, "version %d", i+1)
			assert.Greater(t, len(d.Body), 4)
		}
		results, err := s.Results(t.Context(), "", 10)
		require.NoError(t, err)
		assert.Len(t, results, len(ids))
	}
	three := open(t, e, b, cluster.Options{Seal: mastersOf(t, fresh)})
	read(three, small, big)
	p, err := three.Journal(t.Context(), live)
	require.NoError(t, err)
	_, err = p.Open(t.Context())
	require.ErrorContains(t, err, "was encrypted with the key "+old.ID())

	end(two, live, "z")
	left, err = two.Reseal(t.Context(), m)
	require.NoError(t, err)
	assert.Empty(t, left)
	read(three, small, big, live)
}

// TestResealDamaged changes the master key of a store with damaged documents, and a run whose blob is gone. All else is
// encrypted again, and no node is told to have a key that does not exist.
func TestResealDamaged(t *testing.T) {
	e, b, old, fresh := member(), newBoxes(), seal.NewKey(), seal.NewKey()
	one := open(t, e, b, cluster.Options{Seal: mastersOf(t, old)})
	large := strings.Repeat("(secret)", 30_000)
	var ids []string
	for range 3 {
		run := storetest.Submitted()
		run.Source = large
		ids = append(ids, storetest.Create(t, one, run).ID)
	}
	for _, name := range []string{"a", "b", "c"} {
		_, err := one.Put(t.Context(), store.Document{Kind: store.Programs, Name: name, Body: json.RawMessage(`"x"`), Version: 1})
		require.NoError(t, err)
	}
	lost := b.owners["run/"+ids[0]][0]
	blob := b.all[lost]
	delete(b.all, lost)
	page, err := e.List(t.Context(), engine.Query{Prefix: "head/"})
	require.NoError(t, err)
	require.Len(t, page.Entries, 3, "a, b and c")
	page.Entries[0].Value[1] = 0 // it is not encrypted, and has no key
	page.Entries[1].Value[7]++   // of a key that nobody has
	for _, x := range page.Entries {
		_, err := e.Apply(t.Context(), nil, engine.Put(x.Key, x.Value))
		require.NoError(t, err)
	}

	m := mastersOf(t, fresh, old)
	two := open(t, e, b, cluster.Options{Seal: m})
	_, err = two.Reseal(t.Context(), m)
	require.ErrorContains(t, err, "run/"+ids[0])
	three := open(t, e, b, cluster.Options{Seal: mastersOf(t, fresh)})
	for _, id := range ids[1:] {
		run, err := three.Get(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, large, run.Source)
	}
	_, err = three.Document(t.Context(), store.Programs, "c", 1)
	require.NoError(t, err)
	b.all[lost] = blob // the node that has it is back
	left, err := two.Reseal(t.Context(), m)
	require.NoError(t, err)
	assert.Empty(t, left, "no key helps with what is damaged")
}
