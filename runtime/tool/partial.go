// This file checks partly known arguments: those in the text of a program.

package tool

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// Unknown is a value that is not known yet, in the arguments of CheckPartial.
type Unknown struct{}

// MarshalJSON returns the string that messages show.
func (Unknown) MarshalJSON() ([]byte, error) { return []byte(`"…"`), nil }

// CheckPartial checks arguments, decoded from JSON, some of which may be Unknown.
// It returns nil if they may match the schema.
func (t *Tool) CheckPartial(args map[string]any) *Mismatch {
	s := t.args
	if s == nil { // of the zero Tool
		return nil
	}
	if !partial(args) {
		text, err := json.Marshal(args)
		if err != nil {
			return nil
		}
		m, _ := s.Check(text, t.secrets).(*Mismatch)
		return m
	}
	if m := s.tooHard(args, nil); m != nil {
		return m
	}
	return (&explainer{notation: *newNotation(s.root), secrets: t.secrets}).explain(s.root, args, nil)
}

// partial reports whether any part of a value is not known.
func partial(v any) bool {
	switch v := v.(type) {
	case Unknown:
		return true
	case map[string]any:
		for _, x := range v {
			if partial(x) {
				return true
			}
		}
	case []any:
		for _, x := range v {
			if partial(x) {
				return true
			}
		}
	}
	return false
}

// decided reports whether enough of a value is known to compare it with a schema that lists or
// bounds values.
func decided(s *jsonschema.Schema, v any) bool {
	return s.Const == nil && len(s.Enum) == 0 || !partial(v)
}
