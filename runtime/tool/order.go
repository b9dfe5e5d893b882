// This file keeps the order of the properties of a schema that is read.

package tool

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// keepOrder records the order of the properties in the text of a schema, which decoding into maps
// loses. Signatures and messages show this order. A journal keeps schemas as text, so a replay has
// the same messages.
func keepOrder(s *jsonschema.Schema, text json.RawMessage) {
	for _, m := range members(text) {
		switch m.name {
		case "properties":
			s.PropertyOrder = keepOrderOf(s.Properties, m.value)
		case "$defs":
			keepOrderOf(s.Defs, m.value)
		case "definitions":
			keepOrderOf(s.Definitions, m.value)
		case "items":
			if s.Items != nil {
				keepOrder(s.Items, m.value)
			}
		case "additionalProperties":
			if s.AdditionalProperties != nil {
				keepOrder(s.AdditionalProperties, m.value)
			}
		case "anyOf":
			keepOrderOfAll(s.AnyOf, m.value)
		case "oneOf":
			keepOrderOfAll(s.OneOf, m.value)
		}
	}
}

// keepOrderOf does the same for schemas by name, and returns the names in their order.
func keepOrderOf(schemas map[string]*jsonschema.Schema, text json.RawMessage) (names []string) {
	for _, m := range members(text) {
		if s := schemas[m.name]; s != nil && !slices.Contains(names, m.name) {
			names = append(names, m.name)
			keepOrder(s, m.value)
		}
	}
	return names
}

// keepOrderOfAll does the same for a list of schemas.
func keepOrderOfAll(schemas []*jsonschema.Schema, text json.RawMessage) {
	var texts []json.RawMessage
	if json.Unmarshal(text, &texts) != nil || len(texts) != len(schemas) {
		return
	}
	for i, s := range schemas {
		keepOrder(s, texts[i])
	}
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object in their order; none if text is not an object.
func members(text json.RawMessage) (all []member) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return all
		}
		all = append(all, member{name.(string), value})
	}
	return all
}
