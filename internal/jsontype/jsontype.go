// Package jsontype names the types of decoded JSON in the terms of JSON Schema.
package jsontype

import (
	"encoding/json"
	"math"
)

// Of returns the type of a value that encoding/json has decoded into an any: "null", "boolean", "string", "integer" for
// a float without a fraction, "number", "array" or "object". A json.Number is a "number".
func Of(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case float64:
		if _, fraction := math.Modf(v); fraction == 0 {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
