// This file defines samples: values that are likely to match a schema, for examples. The caller checks them
// against the schema.

package prompt

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// schema has the fields of a JSON Schema that a sample uses.
type schema struct {
	Type       any               `json:"type"` // a name, or a list of names
	Const      any               `json:"const"`
	Enum       []any             `json:"enum"`
	Examples   []any             `json:"examples"`
	Default    any               `json:"default"`
	Format     string            `json:"format"`
	Minimum    *float64          `json:"minimum"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	AnyOf      []schema          `json:"anyOf"`
	OneOf      []schema          `json:"oneOf"`
}

// UnmarshalJSON reads a schema that is true or false as one that says nothing.
func (s *schema) UnmarshalJSON(text []byte) error {
	type plain schema // without this method
	if string(text) == "true" || string(text) == "false" {
		return nil
	}
	return json.Unmarshal(text, (*plain)(s))
}

// sample returns the n-th of several values, counted from 1, for a property called name.
func (s *schema) sample(name string, n int) any {
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[(n-1)%len(s.Enum)]
	case len(s.Examples) >= n:
		return s.Examples[n-1]
	case s.Default != nil:
		return s.Default
	case len(s.AnyOf) > 0:
		return s.AnyOf[0].sample(name, n)
	case len(s.OneOf) > 0:
		return s.OneOf[0].sample(name, n)
	}
	switch s.typeName() {
	case "object":
		return s.object(n)
	case "array":
		if s.Items == nil {
			return []any{}
		}
		return []any{s.Items.sample(name, n)}
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum + float64(n-1)
		}
		return float64(n)
	case "boolean":
		return true
	case "null":
		return nil
	}
	return s.text(name, n)
}

// object returns a value for each property that is required.
func (s *schema) object(n int) any {
	m := make(map[string]any)
	for _, name := range s.Required {
		p := s.Properties[name]
		m[name] = p.sample(name, n)
	}
	return m
}

func (s *schema) text(name string, n int) string {
	switch {
	case s.Format == "uri" || name == "url" || name == "uri":
		return fmt.Sprintf("https://example.com/%d", n)
	case s.Format == "date":
		return fmt.Sprintf("2026-01-%02d", n)
	case s.Format == "date-time":
		return fmt.Sprintf("2026-01-%02dT00:00:00Z", n)
	case name == "":
		name = "text"
	}
	return fmt.Sprintf("%s-%d", name, n)
}

// typeName returns the first type that is not null.
func (s *schema) typeName() string {
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		for _, name := range t {
			if text, ok := name.(string); ok && text != "null" {
				return text
			}
		}
	}
	return ""
}

// literal writes a value of JSON as a program does.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return stringLiteral(v)
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, literal(x))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			name := stringLiteral(k)
			if plainKey(k) {
				name = ":" + k
			}
			parts = append(parts, name+" "+literal(v[k]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	}
	return "nil"
}

// plainKey reports whether a name can be written as a keyword.
func plainKey(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
}

// stringLiteral writes a text: JSON has the escapes of the language, and no others that a
// text of a schema needs.
func stringLiteral(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
