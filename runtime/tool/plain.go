// This file defines how values are compared with plain schemas: those of most tools.

package tool

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// nothing is the library's form of "additionalProperties": false.
var nothing = &jsonschema.Schema{Not: &jsonschema.Schema{}}

// plain reports whether a schema has only keywords that matches knows. The library decides by
// reflection: for an object of one integer that takes 16,000 instructions, and matches takes 900.
func plain(s *jsonschema.Schema) bool {
	rest := *s
	rest.Title, rest.Description, rest.Default, rest.Examples, rest.Format, rest.PropertyOrder = "", "", nil, nil, "", nil
	rest.Type, rest.Properties, rest.Required, rest.AdditionalProperties, rest.Items = "", nil, nil, nil, nil
	if len(s.Types) > 0 {
		rest.Types = nil
	}
	if len(s.Enum) > 0 {
		rest.Enum = nil
	}
	is := reflect.ValueOf(rest).IsZero()
	_ = children(s, func(field string, child *jsonschema.Schema) error { // there is no error
		is = is && (field == "AdditionalProperties" && reflect.DeepEqual(child, nothing) || plain(child))
		return nil
	})
	return is
}

// matches reports whether a decoded value matches a plain schema.
func matches(s *jsonschema.Schema, v any) bool {
	if !hasType(s, v) || !inEnum(s, v) {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		return matchesObject(s, v)
	case []any:
		if s.Items == nil {
			return true
		}
		for _, item := range v {
			if !matches(s.Items, item) {
				return false
			}
		}
	}
	return true
}

func matchesObject(s *jsonschema.Schema, v map[string]any) bool {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return false
		}
	}
	for name, item := range v {
		sub := s.Properties[name]
		if sub == nil {
			sub = s.AdditionalProperties
		}
		if sub != nil && (sub.Not != nil || !matches(sub, item)) {
			return false
		}
	}
	return true
}
