// This file derives from JSON Schemas what Check knows about inputs and about the results of tools.

package ptc

import (
	"encoding/json"
	"slices"

	"github.com/ptc-lang/ptc/lang/lint"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// shapeSchema has the fields of a JSON Schema from which a shape is made.
type shapeSchema struct {
	Ref        string                     `json:"$ref"`
	Type       json.RawMessage            `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	More       json.RawMessage            `json:"additionalProperties"`
	Items      json.RawMessage            `json:"items"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
	OneOf      []json.RawMessage          `json:"oneOf"`
	AllOf      []json.RawMessage          `json:"allOf"`
	Patterns   json.RawMessage            `json:"patternProperties"`
}

// maxShapeDepth bounds the levels of a shape.
const maxShapeDepth = 8

// shapeOf returns the shape that a schema describes; nil if it describes none, or several.
func shapeOf(s *tool.Schema) *lint.Shape {
	if s == nil {
		return nil
	}
	return readShape(s.JSON(), 0)
}

func readShape(text json.RawMessage, depth int) *lint.Shape {
	var s shapeSchema
	if depth > maxShapeDepth || len(text) == 0 || json.Unmarshal(text, &s) != nil {
		return nil
	}
	for _, of := range [][]json.RawMessage{s.AnyOf, s.OneOf} {
		if len(of) == 2 && s.Properties == nil && s.Items == nil {
			for i, one := range of {
				if isNull(one) {
					return readShape(of[1-i], depth)
				}
			}
		}
	}
	if s.Ref != "" || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil || s.Patterns != nil {
		return nil
	}
	shape := &lint.Shape{Type: typeIn(s.Type), Items: readShape(s.Items, depth+1)}
	if s.Properties == nil {
		if shape.Values = readShape(s.More, depth+1); shape.Values == nil && shape.Items == nil && shape.Type == "" {
			return nil
		}
		return shape
	}
	shape.Fields = make(map[string]*lint.Shape, len(s.Properties))
	for name, p := range s.Properties {
		shape.Fields[name] = readShape(p, depth+1)
	}
	return shape
}

// typeIn returns the one type in a list of types, besides null; "" if there are several.
func typeIn(text json.RawMessage) string {
	var one string
	var several []string
	if json.Unmarshal(text, &one) == nil {
		return one
	}
	_ = json.Unmarshal(text, &several)
	several = slices.DeleteFunc(several, func(t string) bool { return t == "null" })
	if len(several) == 1 {
		return several[0]
	}
	return ""
}

// isNull reports whether a schema is that of null alone.
func isNull(text json.RawMessage) bool {
	var s struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(text, &s) == nil && s.Type == "null"
}

// inputShapes returns the shapes of the inputs; nil if their keys are strings.
func inputShapes(opts *Options) map[string]*lint.Shape {
	if opts.StringKeys || len(opts.DataShapes) == 0 {
		return nil
	}
	all := make(map[string]*lint.Shape)
	for name, s := range opts.DataShapes {
		if shape := shapeOf(s); shape != nil {
			all[name] = shape
		}
	}
	return all
}
