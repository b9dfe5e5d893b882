// This file defines Schema, the shape of a tool's arguments or result, and its short
// notation.

package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a JSON Schema (draft 2020-12 or 7), ready to check values. It is immutable. Nothing matches the zero
// Schema.
type Schema struct {
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
	plain    bool   // matches decides; otherwise the library does
	shape    *shape // nil if the time of a check is proportional to the size of the value
}

// SchemaOf infers the schema of a Go type, by its json tags. A tag `jsonschema:"…"` on a field describes it, and a tag
// `enum:"a,b,c"` lists the values that it, or each of its elements, may have: strings or numbers. A json.RawMessage may
// be any JSON.
func SchemaOf[T any]() (*Schema, error) {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {}, // any JSON, not the list of numbers that a slice of bytes would be
	}})
	if err == nil {
		err = enums(reflect.TypeFor[T](), s)
	}
	if err != nil {
		var zero T
		return nil, fmt.Errorf("there is no schema for %T: %w", zero, err)
	}
	return newSchema(s)
}

// ParseSchema reads a schema.
func ParseSchema(text json.RawMessage) (*Schema, error) {
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("the schema is not one: %w", err)
	}
	keepOrder(s, text)
	return newSchema(s)
}

func newSchema(s *jsonschema.Schema) (*Schema, error) {
	if err := sound(s); err != nil {
		return nil, fmt.Errorf("the schema can't be used: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema can't be resolved: %w", err)
	}
	return &Schema{s, resolved, plain(s), shapeOf(s)}, nil
}

// JSON returns the schema as JSON.
func (s *Schema) JSON() json.RawMessage {
	if s == nil || s.root == nil {
		return json.RawMessage("true")
	}
	text, err := json.Marshal(s.root)
	if err != nil { // it has been read or inferred
		return json.RawMessage("true")
	}
	return text
}

// object reports whether only objects match.
func (s *Schema) object() bool { return s != nil && s.root.Type == "object" }

// requires reports whether a field is required and is a string.
func (s *Schema) requires(field string) bool {
	if s == nil || s.root == nil {
		return false
	}
	p := deref(s.root, s.root.Properties[field])
	return p != nil && p.Type == "string" && slices.Contains(s.root.Required, field)
}

// fields returns the names of all properties, and those of the required ones.
func (s *Schema) fields() (all, required []string) {
	all = propertyNames(s.root)
	for _, name := range all {
		if slices.Contains(s.root.Required, name) {
			required = append(required, name)
		}
	}
	return all, required
}

// propertyNames returns the properties of an object: in the order of their declaration if
// it is known.
func propertyNames(s *jsonschema.Schema) []string {
	names := slices.DeleteFunc(slices.Clone(s.PropertyOrder), func(n string) bool { return s.Properties[n] == nil })
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// String returns the schema in short: {:query string :limit int?}. A ? follows an optional field,
// and | separates alternatives.
func (s *Schema) String() string { return newNotation(s.root).of(s.root, 0) }

// Brief returns the schema in short, in at most most bytes. Ellipses replace as many lower levels
// as necessary.
func (s *Schema) Brief(most int) string {
	for hidden := range shownDepth + 1 {
		n := &notation{root: s.root, hidden: hidden, room: most}
		if text := n.of(s.root, 0); n.room >= 0 && len(text) <= most {
			return text
		}
	}
	return "…"
}

// notation writes schemas in short.
type notation struct {
	root   *jsonschema.Schema
	hidden int // levels that are not shown of shownDepth
	// room is how many more bytes are written, about; below 0 an ellipsis replaces all parts. References can make a
	// small schema a text of gigabytes.
	room int
}

func newNotation(root *jsonschema.Schema) *notation { return &notation{root: root, room: shownBytes} }

// The bounds of a notation. An ellipsis replaces parts beyond them.
const (
	shownDepth = 5
	shownNames = 24
	shownEnum  = 8
	shownBytes = 16 << 10
)

var shortTypes = map[string]string{"integer": "int", "boolean": "bool", "null": "nil"}

func (n *notation) of(s *jsonschema.Schema, depth int) string {
	s = deref(n.root, s)
	n.room-- // no part is shorter
	switch {
	case s == nil || n.room < 0 || depth > shownDepth-n.hidden && !scalar(s):
		return "…"
	case s.Const != nil:
		return literal(*s.Const)
	case len(s.Enum) > 0:
		return n.enum(s.Enum)
	case len(s.AnyOf) > 0:
		return n.either(s.AnyOf, depth)
	case len(s.OneOf) > 0:
		return n.either(s.OneOf, depth)
	case s.Type != "":
		return n.typed(s, s.Type, depth)
	case len(s.Types) > 0:
		var parts []string
		for _, t := range s.Types {
			if t == "null" && slices.Contains(s.Types, "array") {
				continue // an empty slice of Go: nil and () mean nearly the same to a program
			}
			parts = append(parts, n.typed(s, t, depth))
		}
		slices.SortStableFunc(parts, func(a, b string) int { return lastNil(a) - lastNil(b) })
		return strings.Join(parts, "|")
	}
	return "any"
}

// scalar reports whether a schema has a single type without parts.
func scalar(s *jsonschema.Schema) bool {
	switch s.Type {
	case "string", "integer", "number", "boolean", "null":
		return s.Const == nil && len(s.Enum) == 0 && len(s.AnyOf) == 0 && len(s.OneOf) == 0
	}
	return false
}

func lastNil(s string) int {
	if s == "nil" {
		return 1
	}
	return 0
}

func (n *notation) typed(s *jsonschema.Schema, t string, depth int) string {
	switch t {
	case "object":
		return n.object(s, depth)
	case "array":
		if s.Items == nil {
			return "[any]"
		}
		return "[" + n.of(s.Items, depth+1) + "]"
	}
	if short, ok := shortTypes[t]; ok {
		return short
	}
	return t
}

func (n *notation) object(s *jsonschema.Schema, depth int) string {
	var parts []string
	for i, name := range propertyNames(s) {
		if i == shownNames {
			parts = append(parts, "…")
			break
		}
		n.room -= len(name)
		part := key(name) + " " + n.of(s.Properties[name], depth+1)
		if !slices.Contains(s.Required, name) {
			part += "?"
		}
		parts = append(parts, part)
	}
	if more := s.AdditionalProperties; more != nil && !closed(s) {
		parts = append(parts, "string "+n.of(more, depth+1))
	} else if more == nil && len(parts) == 0 {
		parts = append(parts, "string any")
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func (n *notation) enum(values []any) string {
	var parts []string
	for i, v := range values {
		if i == shownEnum {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, literal(v))
	}
	return strings.Join(parts, "|")
}

func (n *notation) either(schemas []*jsonschema.Schema, depth int) string {
	var parts []string
	for _, s := range schemas {
		if part := n.of(s, depth+1); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "|")
}

// deref follows references to other parts of the schema; nil if one leads nowhere.
func deref(root, s *jsonschema.Schema) *jsonschema.Schema {
	for range shownDepth {
		if s == nil || s.Ref == "" {
			return s
		}
		s = referred(root, s.Ref)
	}
	return nil
}

// referred returns the target of a reference, nil if the reference is not supported.
func referred(root *jsonschema.Schema, ref string) *jsonschema.Schema {
	if ref == "#" {
		return root
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return root.Defs[name]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return root.Definitions[name]
	}
	return nil
}

// closed reports whether an object may have only the named properties.
func closed(s *jsonschema.Schema) bool {
	more := s.AdditionalProperties
	return more != nil && more.Not != nil && more.Type == "" && len(more.Types) == 0
}

// key writes the name of a property as a program does.
func key(name string) string {
	hidden := func(c rune) bool { return c == ' ' || !unicode.IsPrint(c) }
	if name == "" || strings.ContainsAny(name, ",;\"'`~@^()[]{}\\/#:") || strings.ContainsFunc(name, hidden) {
		return strconv.Quote(name)
	}
	return ":" + name
}

// literal writes a value of a schema. Characters that a reader would not see are escaped.
func literal(v any) string {
	if v == nil {
		return "nil"
	}
	text, err := encoded(v)
	if err != nil {
		return "…"
	}
	var b strings.Builder
	for _, c := range string(text) {
		if unicode.IsPrint(c) {
			b.WriteRune(c)
			continue
		}
		for _, unit := range utf16.Encode([]rune{c}) { // of a string: nothing else has such characters
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}
