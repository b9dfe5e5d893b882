// This file bounds the work of checking a value. With a schema that refers to itself in several
// ways, the work can double with each level of the value.

package tool

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// shape describes, for one schema, the schemas that are matched with each part of a value.
type shape struct {
	same     []*shape          // with the value itself
	named    map[string]*shape // with an entry of an object
	others   []*shape          // with each entry that is not in named
	entries  []*shape          // with each entry, or its key
	elements []*shape          // with each element of an array
}

// elementFields are the fields of a schema whose schemas are matched with elements.
var elementFields = map[string]bool{"Items": true, "ItemsArray": true, "PrefixItems": true,
	"AdditionalItems": true, "Contains": true, "UnevaluatedItems": true}

// unmatched are those whose schemas are matched with nothing where they stand.
var unmatched = map[string]bool{"Defs": true, "Definitions": true, "ContentSchema": true, "Properties": true}

// shapeOf returns the shape of a schema that is sound; nil if no schema of it is matched from
// more than one schema, so that each part of a value is checked once by each.
func shapeOf(root *jsonschema.Schema) *shape {
	known := make(map[*jsonschema.Schema]*shape)
	shared := false
	var of func(s *jsonschema.Schema) *shape
	of = func(s *jsonschema.Schema) *shape {
		if got := known[s]; got != nil {
			shared = true
			return got
		}
		out := &shape{named: make(map[string]*shape)}
		known[s] = out
		if s.Ref != "" {
			out.same = append(out.same, of(referred(root, s.Ref)))
		}
		for name, child := range s.Properties {
			if child != nil {
				out.named[name] = of(child)
			}
		}
		_ = children(s, func(field string, child *jsonschema.Schema) error { // there is no error
			switch {
			case unmatched[field]:
			case sameValue[field]:
				out.same = append(out.same, of(child))
			case elementFields[field]:
				out.elements = append(out.elements, of(child))
			case field == "AdditionalProperties" || field == "UnevaluatedProperties":
				out.others = append(out.others, of(child))
			default:
				out.entries = append(out.entries, of(child))
			}
			return nil
		})
		return out
	}
	if top := of(root); shared {
		return top
	}
	return nil
}

// exceeds counts the schemas that are matched with parts of a value, if none is left out,
// and reports whether there are more than left.
func (s *shape) exceeds(v any, left *int) bool {
	if *left--; *left < 0 {
		return true
	}
	if anyExceeds(s.same, v, left) {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			own := s.others
			if named := s.named[name]; named != nil {
				own = []*shape{named}
			}
			if anyExceeds(own, x, left) || anyExceeds(s.entries, x, left) {
				return true
			}
		}
	case []any:
		for _, x := range v {
			if anyExceeds(s.elements, x, left) {
				return true
			}
		}
	}
	return false
}

func anyExceeds(shapes []*shape, v any, left *int) bool {
	for _, s := range shapes {
		if s.exceeds(v, left) {
			return true
		}
	}
	return false
}

// How many schemas may be matched with the parts of a value: a second's work, and more for
// a value of more parts.
const (
	maxMatches     = 100_000
	matchesPerPart = 20
)

// tooHard returns an error if to check a value could take very long. text is its JSON, nil if there is none.
func (s *Schema) tooHard(v any, text json.RawMessage) *Mismatch {
	if s.shape == nil {
		return nil
	}
	left := maxMatches + matchesPerPart*partsOf(text)
	if !s.shape.exceeds(v, &left) {
		return nil
	}
	return &Mismatch{Got: "a value with which schemas are to be matched more often than there is time for",
		Want: s.String(), Hint: "nest it less deeply"}
}
