// This file checks values against a schema, and describes mismatches.

package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ptc-lang/ptc/internal/jsontype"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// Mismatch describes the part of a value that does not match its schema.
type Mismatch struct {
	Path string // as get-in takes it: "[:items 3 :price]"; "" for the whole
	Got  string
	Want string
	Hint string // "" if there is none
	// Steps are the path as a list, of names and indexes.
	Steps []any
	// Key is the key in Got, if the schema forbids it, and Instead is the key that was probably
	// meant.
	Key, Instead string
}

func (m *Mismatch) Error() string {
	at := ""
	if m.Path != "" {
		at = m.Path + ": "
	}
	return at + "got " + m.Got + ", want " + m.Want
}

// Check checks a JSON text. The error is a *Mismatch if the text is JSON. It does not show the
// values of the fields in secrets.
func (s *Schema) Check(text json.RawMessage, secrets []string) error {
	if s.resolved == nil {
		return errors.New("got the zero Schema, want one of SchemaOf or ParseSchema")
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		if large := (*json.UnmarshalTypeError)(nil); errors.As(err, &large) { // whose text has the number
			return &Mismatch{Got: "a number beyond 1.8e308", Want: s.String()}
		}
		return fmt.Errorf("not JSON: %w", err)
	}
	if m := s.tooHard(v, text); m != nil {
		return m
	}
	if s.plain && matches(s.root, v) || !s.plain && s.resolved.Validate(v) == nil {
		return nil
	}
	// The library decides, but its message would show the whole value.
	x := &explainer{notation: *newNotation(s.root), secrets: secrets}
	if m := x.explain(s.root, v, nil); m != nil {
		return m
	}
	return &Mismatch{Got: x.shown(v, nil), Want: s.String()}
}

// CheckSize returns a bound on the bytes that Check, or decoding into Go's types, takes for
// a text.
func CheckSize(text string) int64 {
	return checkSize(len(text), strings.Count(text, ",")+strings.Count(text, "[")+strings.Count(text, "{"))
}

// partsOf returns a bound on the parts of a JSON text.
func partsOf(text json.RawMessage) int {
	return bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
}

func checkSize(length, marks int) int64 { return int64(marks+1)*partSize + 2*int64(length) }

// partSize is the maximum size of an element or entry, including growth: an entry of a
// map[string]any, doubled.
const partSize = 192

// explainer finds the part of a value that does not match.
type explainer struct {
	notation
	secrets []string
}

// explain returns the first part that it finds not to match, nil if it finds none.
func (x *explainer) explain(s *jsonschema.Schema, v any, path []any) *Mismatch {
	if s = deref(x.root, s); s == nil || v == (any)(Unknown{}) {
		return nil
	}
	if !hasType(s, v) || !inEnum(s, v) || outOfBounds(s, v) || x.noneOf(s.AnyOf, v) || x.noneOf(s.OneOf, v) {
		return &Mismatch{Path: pathText(path), Steps: slices.Clone(path), Got: x.shown(v, path), Want: x.wanted(s)}
	}
	switch v := v.(type) {
	case map[string]any:
		return x.explainObject(s, v, path)
	case []any:
		for i, item := range v {
			if s.Items == nil {
				break
			}
			if m := x.explain(s.Items, item, append(path, i)); m != nil {
				return m
			}
		}
	}
	return nil
}

func (x *explainer) explainObject(s *jsonschema.Schema, v map[string]any, path []any) *Mismatch {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if _, known := s.Properties[name]; !known && closed(s) && len(s.PatternProperties) == 0 {
			m := &Mismatch{Path: pathText(path), Steps: slices.Clone(path),
				Got: "the unknown key " + key(name), Want: x.object(s, 0), Key: name}
			if best, ok := diag.Suggest(name, maps.Keys(s.Properties)); ok {
				m.Hint, m.Instead = "did you mean "+key(best)+"?", best
			} else if only, ok := missingKey(s, v); ok && x.explain(s.Properties[only], v[name], append(path, only)) == nil {
				m.Hint, m.Instead = "did you mean "+key(only)+", which is missing?", only
			}
			return m
		}
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return &Mismatch{Path: pathText(append(path, name)), Steps: append(slices.Clone(path), name),
				Got: "nothing", Want: x.wanted(s.Properties[name])}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		sub := s.Properties[name]
		if sub == nil && !closed(s) {
			sub = s.AdditionalProperties
		}
		if sub == nil {
			continue
		}
		if m := x.explain(sub, v[name], append(path, name)); m != nil {
			return m
		}
	}
	return nil
}

// missingKey returns the only required key that an object does not have.
func missingKey(s *jsonschema.Schema, v map[string]any) (only string, ok bool) {
	for _, name := range s.Required {
		if _, has := v[name]; has {
			continue
		}
		if ok {
			return "", false
		}
		only, ok = name, true
	}
	return only, ok
}

// wanted describes the values that match a schema, with its bounds.
func (x *explainer) wanted(s *jsonschema.Schema) string {
	if s == nil {
		return "any value"
	}
	return x.of(s, 1) + bounds(deref(x.root, s))
}

func hasType(s *jsonschema.Schema, v any) bool {
	if s.Type == "" && len(s.Types) == 0 {
		return true
	}
	is := func(t string) bool {
		return s.Type == t || s.Type == "" && slices.Contains(s.Types, t)
	}
	t := jsontype.Of(v)
	return is(t) || t == "integer" && is("number")
}

func inEnum(s *jsonschema.Schema, v any) bool {
	if !decided(s, v) {
		return true
	}
	if s.Const != nil && !jsonschema.Equal(*s.Const, v) {
		return false
	}
	return len(s.Enum) == 0 || slices.ContainsFunc(s.Enum, func(e any) bool { return jsonschema.Equal(e, v) })
}

// noneOf reports whether explain finds that a value matches none of some alternatives.
func (x *explainer) noneOf(alternatives []*jsonschema.Schema, v any) bool {
	matches := func(s *jsonschema.Schema) bool { return x.explain(s, v, nil) == nil }
	return len(alternatives) > 0 && !slices.ContainsFunc(alternatives, matches)
}

// outOfBounds reports whether a number or string is not within the bounds of its schema.
func outOfBounds(s *jsonschema.Schema, v any) bool {
	only := &jsonschema.Schema{Minimum: s.Minimum, Maximum: s.Maximum, ExclusiveMinimum: s.ExclusiveMinimum,
		ExclusiveMaximum: s.ExclusiveMaximum, MultipleOf: s.MultipleOf, MinLength: s.MinLength, MaxLength: s.MaxLength,
		Pattern: s.Pattern, MinItems: s.MinItems, MaxItems: s.MaxItems}
	resolved, err := only.Resolve(nil)
	return err == nil && resolved.Validate(v) != nil
}

// bounds writes the bounds of a schema.
func bounds(s *jsonschema.Schema) string {
	if s == nil {
		return ""
	}
	var parts []string
	add := func(text string, n *float64) {
		if n != nil {
			parts = append(parts, text+" "+strconv.FormatFloat(*n, 'g', -1, 64))
		}
	}
	count := func(text, of string, n *int) {
		if n != nil {
			parts = append(parts, fmt.Sprintf("%s %d %s", text, *n, of))
		}
	}
	add("at least", s.Minimum)
	add("above", s.ExclusiveMinimum)
	add("at most", s.Maximum)
	add("below", s.ExclusiveMaximum)
	add("a multiple of", s.MultipleOf)
	count("at least", "characters", s.MinLength)
	count("at most", "characters", s.MaxLength)
	count("at least", "items", s.MinItems)
	count("at most", "items", s.MaxItems)
	if s.Pattern != "" {
		parts = append(parts, "matching "+strconv.Quote(s.Pattern))
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}

// notShown replaces a secret in a message.
const notShown = "a value that is not shown"

// maxShown bounds the print of a value, in bytes.
const maxShown = 80

// shown prints a value for a message, unless it is, or holds, a secret.
func (x *explainer) shown(v any, path []any) string {
	for _, step := range path {
		if name, ok := step.(string); ok && secret.IsField(x.secrets, name) {
			return notShown
		}
	}
	text, err := encoded(secret.RedactValue(v, x.secrets))
	if err != nil {
		return "a value"
	}
	if len(text) > maxShown {
		text = append(bytes.ToValidUTF8(text[:maxShown], nil), "…"...)
	}
	switch jsontype.Of(v) {
	case "null":
		return "nil"
	case "string":
		return "the string " + string(text)
	case "array":
		return "the list " + string(text)
	case "object":
		return "the map " + string(text)
	}
	return string(text)
}

// pathText writes a path as get-in takes it, one step without brackets.
func pathText(path []any) string {
	var steps []string
	for _, step := range path {
		if name, ok := step.(string); ok {
			steps = append(steps, key(name))
		} else {
			steps = append(steps, fmt.Sprint(step))
		}
	}
	switch len(steps) {
	case 0:
		return ""
	case 1:
		return steps[0]
	}
	return "[" + strings.Join(steps, " ") + "]"
}
