package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve"
)

// document is an OpenAPI document.
type document struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct {
		Schemas map[string]json.RawMessage
	}
}

type operation struct {
	OperationID string
	Summary     string
	Responses   map[string]struct {
		Description string
		Content     map[string]struct{ Schema json.RawMessage }
	}
}

// documents are the documents that read has read, by their text, and resolved are their schemas that have been
// resolved. Most tests have the same ones, and resolving a schema takes longer than most tests.
var documents, resolved sync.Map

// schemaKey is the key of a schema in resolved.
type schemaKey struct {
	of   *document
	text string
}

// read returns a document. It wants its references to be of schemas that are there.
func read(t *testing.T, text []byte) *document {
	t.Helper()
	if d, ok := documents.Load(string(text)); ok {
		return d.(*document)
	}
	d := new(document)
	require.NoError(t, json.Unmarshal(text, d))
	first, _ := documents.LoadOrStore(string(text), d)
	return first.(*document)
}

// schema returns a schema of the document, with all others as its definitions.
func (d *document) schema(t *testing.T, text json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	key := schemaKey{d, string(text)}
	if s, ok := resolved.Load(key); ok {
		return s.(*jsonschema.Resolved)
	}
	defs := make(map[string]json.RawMessage)
	for name, s := range d.Components.Schemas {
		defs[name] = bytes.ReplaceAll(s, []byte("#/components/schemas/"), []byte("#/$defs/"))
	}
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")), &s))
	s.Defs = make(map[string]*jsonschema.Schema)
	for name, def := range defs {
		var one jsonschema.Schema
		require.NoError(t, json.Unmarshal(def, &one), name)
		s.Defs[name] = &one
	}
	r, err := s.Resolve(nil)
	require.NoError(t, err)
	resolved.Store(key, r)
	return r
}

// operation returns the operation of a request; nil if the document has none.
func (d *document) operation(method, path string) *operation {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for pattern, methods := range d.Paths {
		of := strings.Split(pattern, "/")
		same := len(of) == len(parts)
		for i := 0; same && i < len(of); i++ {
			same = of[i] == parts[i] || strings.HasPrefix(of[i], "{")
		}
		if op, ok := methods[strings.ToLower(method)]; same && ok {
			return &op
		}
	}
	return nil
}

// check wants a response to be one that the document has.
func (d *document) check(t *testing.T, method, path string, resp *http.Response, body []byte) {
	t.Helper()
	op := d.operation(method, path)
	if op == nil {
		return
	}
	of, ok := op.Responses[fmt.Sprint(resp.StatusCode)]
	if !ok {
		of, ok = op.Responses["default"]
	}
	require.True(t, ok, "%s %s: the document has no response %d", method, path, resp.StatusCode)
	if len(of.Content) == 0 {
		require.Empty(t, body, "%s %s", method, path)
		return
	}
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	content, ok := of.Content[media]
	require.True(t, ok, "%s %s: the document has no %s of %d", method, path, media, resp.StatusCode)
	if !strings.HasSuffix(media, "json") {
		return
	}
	var v any
	require.NoError(t, json.Unmarshal(body, &v))
	require.NoError(t, d.schema(t, content.Schema).Validate(v), "%s %s: %s", method, path, body)
}

// TestDocument requires the OpenAPI document to be whole: schemas that resolve, and operations that are described.
func TestDocument(t *testing.T) {
	f := newFixture(t, serve.Options{})
	assert.Equal(t, "3.1.0", f.doc.OpenAPI)
	ids := make(map[string]bool)
	for path, methods := range f.doc.Paths {
		for method, op := range methods {
			what := method + " " + path
			assert.NotEmpty(t, op.Summary, what)
			assert.False(t, op.OperationID == "" || ids[op.OperationID], what)
			ids[op.OperationID] = true
			assert.NotEmpty(t, op.Responses["default"].Content["application/problem+json"], what)
			for status, r := range op.Responses {
				assert.NotEmpty(t, r.Description, "%s %s", what, status)
				for _, c := range r.Content {
					f.doc.schema(t, c.Schema)
				}
			}
		}
	}
	assert.Greater(t, len(ids), 10)
	assert.NotContains(t, f.doc.Components.Schemas, "ErrorDetail")
	code, _, text := f.do("GET", "/openapi.json", "")
	assert.Equal(t, 200, code)
	assert.Equal(t, f.doc.Components.Schemas, read(t, text).Components.Schemas)
}
