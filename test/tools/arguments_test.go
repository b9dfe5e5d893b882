package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestArguments passes values of all kinds to a tool: each arrives unchanged, or the call is refused with
// the place of the unsuitable part.
func TestArguments(t *testing.T) {
	got := ""
	schema := json.RawMessage(`{"type":"object","properties":{"v":{}},"required":["v"]}`)
	sink := tool.Dynamic("sink", "Takes a value.", schema, nil, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
		got = string(args)
		return nil, nil
	})
	reg, err := tool.NewRegistry(sink)
	require.NoError(t, err)
	huge := "1" + strings.Repeat("0", 308)
	for _, c := range []struct{ value, json, refused string }{
		{`nil`, `null`, ""},
		{`true`, `true`, ""},
		{`9223372036854775807`, `9223372036854775807`, ""},
		{`-9223372036854775808`, `-9223372036854775808`, ""},
		{`123456789012345678901234567890N`, `123456789012345678901234567890`, ""},
		{`9007199254740993`, `9007199254740993`, ""},
		{huge, huge, ""},
		{huge + "0", "", "argument :v: got a bigint, want one up to 1.8e308"},
		{`1e308`, `1.0E308`, ""},
		{`-0.0`, `-0.0`, ""},
		{`5e-324`, `4.9E-324`, ""},
		{`0.1M`, `0.1`, ""},
		{`1.50M`, `1.50`, ""},
		{`123456789.123456789123456789M`, `123456789.123456789123456789`, ""},
		{`1e400M`, "", "argument :v: got a decimal, want one up to 1.8e308"},
		{`1/2`, `0.5`, ""},
		{`1/3`, "", "argument :v: got a ratio, want one that a double represents exactly"},
		{`##NaN`, "", "argument :v: got a double, want one that is finite: JSON has neither NaN nor infinities"},
		{`[1 {:a [##Inf]}]`, "", "argument [:v 1 :a 0]: got a double, want one that is finite"},
		{`\a`, `"a"`, ""},
		{`\λ`, `"λ"`, ""},
		{`(char 0xd800)`, "", "argument :v: got a character, want a whole one"},
		{`"λ\u0000\n\"\\"`, `"λ\u0000\n\"\\"`, ""},
		{`"😀"`, `"😀"`, ""},
		{`:k`, `"k"`, ""},
		{`{"key" {(char 0xd800) 1}}`, "", `argument [:v "key"]: got a character, want a whole one`},
		{`:ns/k`, `"ns/k"`, ""},
		{`'sym`, `"sym"`, ""},
		{`#{1}`, `[1]`, ""},
		{`(sorted-set 3 1 2)`, `[1,2,3]`, ""},
		{`'(1 (2))`, `[1,[2]]`, ""},
		{`(map inc (range 3))`, `[1,2,3]`, ""},
		{`{:b 1 "a" 2 'c 3 4 5}`, `{"4":5,"a":2,"b":1,"c":3}`, ""},
		{`{:a 1 "a" 2}`, "", `argument :v: got the key "a" twice in a map`},
		{`{1 1 "1" 2}`, "", `got the key "1" twice`},
		{`{:x {nil 1}}`, "", `argument [:v :x]: got nil, want a string, keyword or number as the key of a map`},
		{`{[1 2] 1}`, "", `got a vector, want a string, keyword or number as the key`},
		{`(sorted-map :b 1 :a 2)`, `{"a":2,"b":1}`, ""},
		{`(do (defrecord R [x y]) (->R 1 [2]))`, `{"x":1,"y":[2]}`, ""},
		{`#inst "2026-03-01T12:00:00.5Z"`, `"2026-03-01T12:00:00.500Z"`, ""},
		{`#uuid "00000000-0000-0000-0000-00000000000a"`, `"00000000-0000-0000-0000-00000000000a"`, ""},
		{`[1 inc]`, "", "argument [:v 1]: got a function, want data"},
		{`{:f (fn [x] x)}`, "", "want data"},
		{`(atom 1)`, "", "argument :v: got an atom, want data"},
		{`(delay 1)`, "", "want data"},
		{`#"re"`, "", "want data"},
		{`(ex-info "x" {})`, "", "want data"},
		{`(transient [])`, "", "want data"},
		{`(byte-array 2)`, "", "want data"},
		{`(range)`, "", "the arguments have more bytes than those of a call may have, 10000"},
		{`(repeatedly (fn [] (repeat 7)))`, "", "the arguments have more bytes"},
		{`(reduce (fn [x _] [x]) 1 (range 600))`, "", "nested deeper than 512 levels"},
	} {
		got = ""
		_, err := ptc.Run(context.Background(), `(let [v `+c.value+`] (tool/sink {:v v}))`, ptc.Options{Tools: reg, Limits: ptc.Limits{Arguments: 10_000}})
		if c.refused == "" {
			if assert.NoError(t, err, c.value) {
				assert.Equal(t, `{"v":`+c.json+`}`, got, c.value)
			}
			continue
		}
		var e *ptc.Error
		if assert.ErrorAs(t, err, &e, c.value) {
			assert.Contains(t, e.Message, c.refused, c.value)
			expected := []diag.Code{diag.IllegalArgument, diag.ToolFailed, diag.ArgumentTooLarge, diag.NestingTooDeep}
			assert.Contains(t, expected, e.Code)
			assert.Empty(t, got, c.value)
		}
	}
}
