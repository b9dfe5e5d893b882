// This file defines the tests of documents.

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

	"github.com/ptc-lang/ptc/store"
)

var documents = map[string]func(*testing.T, store.Store){
	"Document":         testDocument,
	"DocumentConflict": testDocumentConflict,
	"DocumentRemoved":  testDocumentRemoved,
	"DocumentNames":    testDocumentNames,
	"DocumentKeep":     testDocumentKeep,
	"DocumentInvalid":  testDocumentInvalid,
	"DocumentPages":    testDocumentPages,
}

func put(t testing.TB, s store.Store, kind store.Kind, name, body string) store.Document {
	t.Helper()
	doc, err := s.Put(t.Context(), store.Document{Kind: kind, Name: name, By: "ada", Body: json.RawMessage(body)})
	require.NoError(t, err)
	return doc
}

func testDocument(t *testing.T, s store.Store) {
	_, err := s.Document(t.Context(), store.Programs, "deploy", 0)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = s.Versions(t.Context(), store.Programs, "deploy")
	require.ErrorIs(t, err, store.ErrNotFound)
	before := time.Now()
	one := put(t, s, store.Programs, "deploy", ` {"source": "(<1>)"} `)
	require.Equal(t, 1, one.Version)
	require.False(t, one.Created.Before(before.Round(0)))
	require.Equal(t, `{"source":"(<1>)"}`, string(one.Body))
	two := put(t, s, store.Programs, "deploy", `{"source":"(2)"}`)
	require.Equal(t, 2, two.Version)
	for version, want := range map[int]store.Document{0: two, 1: one, 2: two} {
		got, err := s.Document(t.Context(), store.Programs, "deploy", version)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, version := range []int{3, -1} {
		_, err = s.Document(t.Context(), store.Programs, "deploy", version)
		require.ErrorIs(t, err, store.ErrNotFound)
	}
	_, err = s.Document(t.Context(), store.Schedules, "deploy", 0)
	require.ErrorIs(t, err, store.ErrNotFound, "another kind")
	versions, err := s.Versions(t.Context(), store.Programs, "deploy")
	require.NoError(t, err)
	one.Body, two.Body = nil, nil
	require.Equal(t, []store.Document{two, one}, versions)
}

func testDocumentConflict(t *testing.T, s store.Store) {
	doc := store.Document{Kind: store.Policies, Name: "main", Body: json.RawMessage(`1`)}
	for _, c := range []struct {
		version int
		ok      bool
	}{{2, false}, {1, true}, {1, false}, {3, false}, {2, true}, {0, true}, {3, false}, {4, true}} {
		doc.Version = c.version
		_, err := s.Put(t.Context(), doc)
		if c.ok {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, store.ErrConflict)
		}
	}
}

// testDocumentRemoved: a number that runs refer to never means another program.
func testDocumentRemoved(t *testing.T, s store.Store) {
	require.ErrorIs(t, s.Remove(t.Context(), store.Programs, "p"), store.ErrNotFound)
	last := 0
	for range 2 {
		put(t, s, store.Programs, "p", `1`)
		doc := put(t, s, store.Programs, "p", `2`)
		require.Greater(t, doc.Version, last+1)
		last = doc.Version
		require.NoError(t, s.Remove(t.Context(), store.Programs, "p"))
		for version := range last + 2 {
			_, err := s.Document(t.Context(), store.Programs, "p", version)
			require.ErrorIs(t, err, store.ErrNotFound)
		}
		_, err := s.Versions(t.Context(), store.Programs, "p")
		require.ErrorIs(t, err, store.ErrNotFound)
		docs, err := s.Documents(t.Context(), store.Programs, "", 0)
		require.NoError(t, err)
		require.Empty(t, docs)
		require.ErrorIs(t, s.Remove(t.Context(), store.Programs, "p"), store.ErrNotFound)
	}
	put(t, s, store.Programs, "p", `3`)
	versions, err := s.Versions(t.Context(), store.Programs, "p")
	require.NoError(t, err)
	require.Len(t, versions, 1)
}

// testDocumentNames: any name is a name, and no two are one.
func testDocumentNames(t *testing.T, s store.Store) {
	all := []string{"a", "A", "ä", "..", ".", "a/b", "a%2fb", "%", "a b", "con", `\`, "a.json", "1", "-", "😀",
		strings.Repeat("/", 80)}
	for i, name := range all {
		put(t, s, store.Programs, name, fmt.Sprint(i))
	}
	for i, name := range all {
		doc, err := s.Document(t.Context(), store.Programs, name, 0)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), string(doc.Body))
		require.Equal(t, name, doc.Name)
	}
	docs, err := s.Documents(t.Context(), store.Programs, "", 0)
	require.NoError(t, err)
	var got []string
	for _, d := range docs {
		got = append(got, d.Name)
	}
	slices.Sort(all)
	require.Equal(t, all, got)
}

// testDocumentKeep: kinds that change all the time keep few versions.
func testDocumentKeep(t *testing.T, s store.Store) {
	for _, kind := range []store.Kind{store.Programs, store.Schedules, store.Quotas, "other"} {
		for i := range 25 {
			put(t, s, kind, "x", fmt.Sprint(i))
		}
		want := kind.Keep()
		if want == 0 {
			want = 25
		}
		versions, err := s.Versions(t.Context(), kind, "x")
		require.NoError(t, err)
		require.Len(t, versions, want, kind)
		require.Equal(t, 25, versions[0].Version)
		doc, err := s.Document(t.Context(), kind, "x", 0)
		require.NoError(t, err)
		require.Equal(t, "24", string(doc.Body))
	}
}

func testDocumentInvalid(t *testing.T, s store.Store) {
	good := store.Document{Kind: store.Programs, Name: "a", Body: json.RawMessage(`1`)}
	for name, spoil := range map[string]func(*store.Document){
		"no kind":   func(d *store.Document) { d.Kind = "" },
		"kind":      func(d *store.Document) { d.Kind = "../x" },
		"no name":   func(d *store.Document) { d.Name = "" },
		"long":      func(d *store.Document) { d.Name = strings.Repeat("x", 81) },
		"control":   func(d *store.Document) { d.Name = "a\x00" },
		"utf-8":     func(d *store.Document) { d.Name = "\xff" },
		"a version": func(d *store.Document) { d.Name = "a@1" },
		"negative":  func(d *store.Document) { d.Version = -1 },
		"no body":   func(d *store.Document) { d.Body = nil },
		"body":      func(d *store.Document) { d.Body = json.RawMessage(`{`) },
		"too large": func(d *store.Document) { d.Body = json.RawMessage(`"` + strings.Repeat("x", store.MaxDocument) + `"`) },
	} {
		doc := good
		spoil(&doc)
		_, err := s.Put(t.Context(), doc)
		require.ErrorIs(t, err, store.ErrInvalid, name)
	}
	for _, kind := range []store.Kind{"", "..", "A", "a/b"} {
		_, err := s.Documents(t.Context(), kind, "", 0)
		require.ErrorIs(t, err, store.ErrInvalid)
		require.ErrorIs(t, s.Remove(t.Context(), kind, "a"), store.ErrInvalid)
		_, err = s.Document(t.Context(), kind, "a", 0)
		require.ErrorIs(t, err, store.ErrInvalid)
		_, err = s.Versions(t.Context(), kind, "a")
		require.ErrorIs(t, err, store.ErrInvalid)
	}
	_, err := s.Documents(t.Context(), store.Programs, "", store.MaxLimit+1)
	require.ErrorIs(t, err, store.ErrInvalid)
}

func testDocumentPages(t *testing.T, s store.Store) {
	docs, err := s.Documents(t.Context(), "none", "", 0)
	require.NoError(t, err)
	require.Equal(t, []store.Document{}, docs)
	for i := range 7 {
		put(t, s, store.Schedules, fmt.Sprint("s", i), `1`)
		put(t, s, store.Schedules, fmt.Sprint("s", i), `2`)
	}
	var got []string
	for after := ""; ; {
		docs, err := s.Documents(t.Context(), store.Schedules, after, 3)
		require.NoError(t, err)
		for _, d := range docs {
			require.Equal(t, 2, d.Version)
			require.Equal(t, `2`, string(d.Body))
			got = append(got, d.Name)
		}
		if len(docs) < 3 {
			break
		}
		after = docs[2].Name
	}
	require.Equal(t, []string{"s0", "s1", "s2", "s3", "s4", "s5", "s6"}, got)
}

// calls returns the errors of all methods but Close.
func calls(ctx context.Context, s store.Store, id string) map[string]error {
	errs := map[string]error{}
	_, _, errs["Create"] = s.Create(ctx, Submitted())
	_, errs["Get"] = s.Get(ctx, id)
	_, errs["Update"] = s.Update(ctx, id, func(*store.Run) error { return nil })
	_, errs["List"] = s.List(ctx, store.Query{})
	_, errs["Count"] = s.Count(ctx, "")
	_, errs["Journal"] = s.Journal(ctx, id)
	errs["Delete"] = s.Delete(ctx, id)
	_, errs["Expire"] = s.Expire(ctx, store.Retention{Count: 1}, time.Now())
	_, errs["Damaged"] = s.Damaged(ctx)
	_, errs["Put"] = s.Put(ctx, store.Document{Kind: store.Programs, Name: "a", Body: json.RawMessage(`1`)})
	_, errs["Document"] = s.Document(ctx, store.Programs, "a", 0)
	_, errs["Documents"] = s.Documents(ctx, store.Programs, "", 0)
	_, errs["Versions"] = s.Versions(ctx, store.Programs, "a")
	errs["Remove"] = s.Remove(ctx, store.Programs, "a")
	return errs
}
