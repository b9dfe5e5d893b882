package jsontype_test

import (
	"encoding/json"
	"testing"

	"github.com/ptc-lang/ptc/internal/jsontype"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"null": "null", "true": "boolean", `"a"`: "string", "1": "integer", "-2e3": "integer", "1.0": "integer",
		"1.5": "number", "[]": "array", "{}": "object",
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if got := jsontype.Of(v); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got := jsontype.Of(json.Number("1")); got != "number" {
		t.Errorf("a json.Number: got %s", got)
	}
}
