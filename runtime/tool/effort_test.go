package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTooHard has values with which the schemas of a schema would be matched so often that
// it would take years, and values that are as deep or as large and are not.
func TestTooHard(t *testing.T) {
	nested := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	doubling := `{"$ref":"#/$defs/0","$defs":{"40":{"type":"integer"}`
	for i := range 40 {
		doubling += fmt.Sprintf(`,"%d":{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]}`, i, i+1, i+1)
	}
	doubling += "}}"
	const (
		twoWays = `{"anyOf":[{"type":"object","required":["k"],"properties":{"k":{"$ref":"#"}}},{"type":"object","properties":{"k":{"$ref":"#"}}},{"type":"integer"}]}`
		lists   = `{"oneOf":[{"items":{"$ref":"#"}},{"prefixItems":[{"$ref":"#"}]},{"type":"integer"}]}`
		maps    = `{"allOf":[{"additionalProperties":{"$ref":"#"}},{"patternProperties":{"":{"$ref":"#"}}}],"type":["object","integer"]}`
		oneWay  = `{"type":["object","integer"],"properties":{"k":{"$ref":"#"}},"additionalProperties":{"$ref":"#"}}`
		shared  = `{"items":{"properties":{"from":{"$ref":"#/$defs/place"},"to":{"$ref":"#/$defs/place"}}},"$defs":{"place":{"properties":{"city":{"type":"string"}}}}}`
	)
	for name, c := range map[string]struct {
		schema, value string
		hard          bool
	}{
		"two ways":              {twoWays, nested(`{"k":`, `"x"`, "}", 60), true},
		"two ways, to no end":   {twoWays, nested(`{"k":`, `1`, "}", 60), true},
		"two ways, not deep":    {twoWays, nested(`{"k":`, `1`, "}", 8), false},
		"two ways, in a list":   {`{"items":{"$ref":"#/$defs/n"},"$defs":{"n":` + strings.ReplaceAll(twoWays, "#", "#/$defs/n") + `}}`, "[" + strings.Repeat(nested(`{"k":`, `1`, "}", 2)+",", 20000) + "1]", false},
		"elements":              {lists, nested("[", "1", "]", 60), true},
		"entries":               {maps, nested(`{"k":`, "1", "}", 60), true},
		"without going deeper":  {doubling, "1", true},
		"one way, deep":         {oneWay, nested(`{"k":{"l":`, "1", "}}", 250), false},
		"shared, not recursive": {shared, "[" + strings.Repeat(`{"from":{"city":"a"},"to":{"city":"b"}},`, 50000) + "{}]", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ParseSchema(json.RawMessage(c.schema))
			require.NoError(t, err)
			if err = s.Check(json.RawMessage(c.value), nil); c.hard {
				assert.ErrorContains(t, err, "more often than there is time for")
			} else {
				assert.NoError(t, err)
			}
		})
	}
	plain, err := ParseSchema(json.RawMessage(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"items":{"type":"integer"}}]}}}`))
	require.NoError(t, err)
	assert.Nil(t, plain.shape, "a schema without references costs nothing more")
}
