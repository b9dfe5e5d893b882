package tool

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

// TestPlainSchemas: matches decides as the library does, for random schemas and values.
func TestPlainSchemas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	matched := 0
	const n = 1000
	for range n {
		s := plainSchema(r, 3)
		if !plain(s) {
			t.Fatalf("not plain: %s", text(t, s))
		}
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		for range 5 {
			v := plainValue(r, s, 3)
			want := resolved.Validate(v) == nil
			if matches(s, v) != want { // the texts are made only for a failure: they take longer than the rest
				t.Fatalf("got %t, want %t, schema %s\nvalue %s", !want, want, text(t, s), text(t, v))
			}
			if want {
				matched++
			}
		}
	}
	require.Greater(t, matched, n)
	require.Less(t, matched, 4*n)
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

var (
	plainTypes = []string{"null", "boolean", "integer", "number", "string", "array", "object"}
	plainNames = []string{"a", "b", "c"}
	plainAtoms = []any{nil, true, false, 0.0, -3.0, 1e300, 0.5, "", "a", "1"}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func plainSchema(r *rand.Rand, depth int) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	switch r.IntN(5) {
	case 0:
	case 1:
		s.Types = []string{pick(r, plainTypes), pick(r, plainTypes)}
	default:
		s.Type = pick(r, plainTypes)
	}
	if depth == 0 {
		s.Type = pick(r, plainTypes[:5])
		s.Types = nil
	} else if r.IntN(2) == 0 {
		s.Type, s.Types = "object", nil
	}
	if r.IntN(10) == 0 {
		s.Enum = []any{pick(r, plainAtoms), pick(r, plainAtoms), []any{1.0}}
	}
	if depth == 0 {
		return s
	}
	for _, name := range plainNames {
		if r.IntN(2) == 0 {
			if s.Properties == nil {
				s.Properties = map[string]*jsonschema.Schema{}
			}
			s.Properties[name] = plainSchema(r, depth-1)
		}
		if r.IntN(4) == 0 {
			s.Required = append(s.Required, name)
		}
	}
	switch r.IntN(4) {
	case 0:
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	case 1:
		s.AdditionalProperties = plainSchema(r, depth-1)
	}
	if r.IntN(3) == 0 {
		s.Items = plainSchema(r, depth-1)
	}
	return s
}

// plainValue returns a value that is likely to match.
func plainValue(r *rand.Rand, s *jsonschema.Schema, depth int) any {
	want := s.Type
	if want == "" || r.IntN(20) == 0 {
		want = pick(r, plainTypes)
	}
	switch {
	case len(s.Enum) > 0 && r.IntN(2) == 0:
		return pick(r, s.Enum)
	case want == "array" && depth > 0:
		all := []any{}
		for range r.IntN(3) {
			if s.Items != nil {
				all = append(all, plainValue(r, s.Items, depth-1))
			} else {
				all = append(all, pick(r, plainAtoms))
			}
		}
		return all
	case want == "object" && depth > 0:
		all := map[string]any{}
		for _, name := range append(plainNames, "d") {
			sub := s.Properties[name]
			if sub == nil && s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
				sub = s.AdditionalProperties
			}
			switch {
			case r.IntN(10) == 0 || sub == nil && r.IntN(3) > 0:
			case sub != nil:
				all[name] = plainValue(r, sub, depth-1)
			default:
				all[name] = pick(r, plainAtoms)
			}
		}
		return all
	}
	for range 10 {
		if v := pick(r, plainAtoms); hasType(&jsonschema.Schema{Type: want}, v) {
			return v
		}
	}
	return pick(r, plainAtoms)
}

// TestNotPlain: a schema with any other keyword is the library's to decide, wherever the keyword is.
func TestNotPlain(t *testing.T) {
	for _, keyword := range []string{
		`"const": null`, `"enum": []`, `"minimum": 0`, `"maximum": 0`, `"exclusiveMinimum": 0`, `"exclusiveMaximum": 0`,
		`"multipleOf": 2`, `"minLength": 0`, `"maxLength": 1`, `"pattern": "a"`, `"minItems": 0`, `"maxItems": 1`,
		`"uniqueItems": true`, `"contains": {}`, `"prefixItems": [{}]`, `"minProperties": 0`, `"maxProperties": 1`,
		`"dependentRequired": {}`, `"patternProperties": {}`, `"propertyNames": {}`, `"unevaluatedProperties": false`,
		`"unevaluatedItems": false`, `"allOf": [{}]`, `"anyOf": [{}]`, `"oneOf": [{}]`, `"not": {}`, `"if": {}`,
		`"dependentSchemas": {}`, `"$ref": "#"`, `"$schema": "http://json-schema.org/draft-07/schema#"`, `"$defs": {}`,
		`"additionalProperties": {"not": {"type": "string"}}`,
	} {
		for _, at := range []string{`{%}`, `{"properties": {"a": {%}}}`, `{"items": {%}}`, `{"additionalProperties": {%}}`} {
			var s jsonschema.Schema
			given := []byte(strings.Replace(at, "%", keyword, 1))
			require.NoError(t, json.Unmarshal(given, &s), string(given))
			if at == `{"additionalProperties": {%}}` && keyword == `"not": {}` {
				require.True(t, plain(&s)) // it is false
				continue
			}
			require.False(t, plain(&s), string(given))
		}
	}
}
