// This file defines how a schema that is read keeps the order of its properties.

package tool

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// keepOrder notes in which order the text of a schema has its properties: reading it into
// maps loses that. Signatures show it, in messages too, and a journal keeps schemas as
// text: a replay must have the same messages.
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

// keepOrderOf does so for schemas by name, and returns the names in their order.
func keepOrderOf(schemas map[string]*jsonschema.Schema, text json.RawMessage) (names []string) {
	for _, m := range members(text) {
		if s := schemas[m.name]; s != nil && !slices.Contains(names, m.name) {
			names = append(names, m.name)
			keepOrder(s, m.value)
		}
	}
	return names
}

// keepOrderOfAll does so for a list of schemas.
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

// members returns those of an object in their order; none if text is no object.
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
