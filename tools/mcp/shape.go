// This file defines shapes, which describe results without a schema.

package mcp

import (
	"maps"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/internal/jsontype"
)

// The bounds of a shape.
const (
	shapeDepth  = 6
	shapeFields = 32  // of one object; one with more is taken for a map with any keys
	shapeItems  = 100 // of a list that are looked at
	shapeNodes  = 1000
)

// shape describes values. It is the union of all values that it has seen. The zero shape has seen none.
type shape struct {
	Types []string `json:"types,omitempty"` // of JSON Schema, sorted; with number there is no integer
	// Fields are those of objects. Map is that of all fields, if there are too many, or their names are data.
	Fields  map[string]*field `json:"fields,omitempty"`
	Objects int               `json:"objects,omitempty"`
	Map     *shape            `json:"map,omitempty"`
	Items   *shape            `json:"items,omitempty"` // of arrays; nil if none has one
}

// field is a field of objects.
type field struct {
	Shape *shape `json:"shape"`
	Seen  int    `json:"seen"` // the objects that have it
}

// add adds a decoded value to the shape.
func (s *shape) add(v any, depth int) {
	s.addType(jsontype.Of(v))
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v[:min(len(v), shapeItems)] {
			if s.Items == nil {
				s.Items = &shape{}
			}
			s.Items.add(item, depth-1)
		}
	case map[string]any:
		s.addObject(v, depth)
	}
}

func (s *shape) addObject(v map[string]any, depth int) {
	s.Objects++
	for name, part := range v {
		if s.Map == nil && (!isFieldName(name) || s.Fields[name] == nil && len(s.Fields) >= shapeFields) {
			s.asMap()
		}
		if s.Map != nil {
			s.Map.add(part, depth-1)
			continue
		}
		f := s.Fields[name]
		if f == nil {
			if s.Fields == nil {
				s.Fields = make(map[string]*field)
			}
			f = &field{Shape: &shape{}}
			s.Fields[name] = f
		}
		f.Seen++
		f.Shape.add(part, depth-1)
	}
}

// asMap makes the fields of the shape those of a map.
func (s *shape) asMap() {
	s.Map = &shape{}
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		s.Map.merge(s.Fields[name].Shape)
	}
	s.Fields = nil
}

// merge adds the values of another shape, which must not be used afterwards.
func (s *shape) merge(o *shape) {
	for _, t := range o.Types {
		s.addType(t)
	}
	s.Objects += o.Objects
	if o.Items != nil {
		if s.Items == nil {
			s.Items = &shape{}
		}
		s.Items.merge(o.Items)
	}
	if o.Map != nil && s.Map == nil {
		s.asMap()
	}
	if s.Map != nil && o.Map == nil {
		o.asMap()
	}
	if s.Map != nil {
		s.Map.merge(o.Map)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(o.Fields)) {
		if s.Fields == nil {
			s.Fields = make(map[string]*field)
		}
		if f := s.Fields[name]; f != nil {
			f.Seen += o.Fields[name].Seen
			f.Shape.merge(o.Fields[name].Shape)
			continue
		}
		s.Fields[name] = o.Fields[name]
	}
	if len(s.Fields) > shapeFields {
		s.asMap()
	}
}

func (s *shape) addType(t string) {
	if t == "integer" && slices.Contains(s.Types, "number") {
		return
	}
	if t == "number" {
		s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "integer" })
	}
	if i, found := slices.BinarySearch(s.Types, t); !found {
		s.Types = slices.Insert(s.Types, i, t)
	}
}

// nodes returns the number of the parts of a shape.
func (s *shape) nodes() int {
	if s == nil {
		return 0
	}
	n := 1 + s.Map.nodes() + s.Items.nodes()
	for _, f := range s.Fields {
		n += f.Shape.nodes()
	}
	return n
}

// schema returns a JSON Schema of the values that the shape has seen.
func (s *shape) schema() map[string]any {
	out := make(map[string]any)
	if len(s.Types) == 1 {
		out["type"] = s.Types[0]
	} else if len(s.Types) > 1 {
		out["type"] = s.Types
	}
	if s.Items != nil {
		out["items"] = s.Items.schema()
	}
	if s.Map != nil {
		out["additionalProperties"] = s.Map.schema()
	}
	if len(s.Fields) > 0 {
		props, required := make(map[string]any), []string{}
		for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
			props[name] = s.Fields[name].Shape.schema()
			if s.Fields[name].Seen == s.Objects {
				required = append(required, name)
			}
		}
		out["properties"], out["required"] = props, required
	}
	return out
}

// isFieldName reports whether a key is the name of a field, and not data such as an address.
func isFieldName(name string) bool {
	if name == "" || len(name) > maxKey {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r > 'z' || !isLetter(byte(r)) && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' && r != '$'
	})
}
