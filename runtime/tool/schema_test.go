package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

type address struct {
	Street string   `json:"street"`
	Tags   []string `json:"tags,omitempty"`
}

type order struct {
	ID      int64              `json:"id"`
	Price   float64            `json:"price"`
	Paid    bool               `json:"paid,omitempty"`
	To      *address           `json:"to,omitempty"`
	Lines   []address          `json:"lines"`
	Extra   map[string]float64 `json:"extra,omitempty"`
	Created time.Time          `json:"created,omitzero"`
	Any     any                `json:"any,omitempty"`
}

func TestNotation(t *testing.T) {
	s, err := SchemaOf[order]()
	require.NoError(t, err)
	assert.Equal(t, `{:id int :price number :paid bool? :to {:street string :tags [string]?}|nil? :lines [{:street string :tags [string]?}] :extra {string number}? :created string? :any any?}`, s.String())
	for text, want := range map[string]string{
		`true`:                                "any",
		`{"type":"string"}`:                   "string",
		`{"type":["string","null"]}`:          "string|nil",
		`{"enum":["a",1,null]}`:               `"a"|1|nil`,
		`{"const":3}`:                         `3`,
		`{"enum":["<",">=","&"]}`:             `"<"|">="|"&"`,
		"{\"const\":\"a\u202eb\U000e0041é\"}": `"a\u202eb\udb40\udc41é"`,
		`{"anyOf":[{"type":"integer"},{"type":"integer"},{"type":"array"}]}`: "int|[any]",
		`{"type":"object"}`: "{string any}",
		`{"type":"object","additionalProperties":false}`:                                                      "{}",
		`{"type":"object","properties":{"a b":{"type":"null"}},"required":["a b"]}`:                           `{"a b" nil}`,
		`{"$ref":"#/$defs/x","$defs":{"x":{"type":"boolean"}}}`:                                               "bool",
		`{"type":"array","items":{"$ref":"#"}}`:                                                               "[[[[[[…]]]]]]",
		`{"type":"object","properties":{"n":{"$ref":"#"}}}`:                                                   "{:n {:n {:n {:n {:n {:n …?}?}?}?}?}?}",
		`{"enum":["` + strings.Repeat(`x","`, 9) + `y"]}`:                                                     strings.Repeat(`"x"|`, 8) + "…",
		`{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"integer"}},"required":["a","b"]}`: "{:b int :a int}",
	} {
		s, err := ParseSchema(json.RawMessage(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, s.String(), text)
	}
	_, err = ParseSchema(json.RawMessage(`{"type":`))
	require.ErrorContains(t, err, "the schema is not one")
	_, err = SchemaOf[chan int]()
	require.ErrorContains(t, err, "there is no schema for chan int")
}

// TestSchemaAsText requires a schema that was written and read again to be shown as before.
// TestSchemaOfRawMessages: a json.RawMessage is any JSON, in arguments and in results.
func TestSchemaOfRawMessages(t *testing.T) {
	type facts struct {
		Value json.RawMessage            `json:"value"`
		Facts map[string]json.RawMessage `json:"facts"`
	}
	echo := func(_ context.Context, in facts) (facts, error) { return in, nil }
	tl := New("echo", "Returns its arguments.", echo)
	assert.Equal(t, "echo {:value any :facts {string any}} -> {:value any :facts {string any}}", tl.Signature())
	s, err := SchemaOf[facts]()
	require.NoError(t, err)
	for _, value := range []string{`{"a":1}`, `"x"`, `[1,"b"]`, `null`} {
		mismatch := s.Check(json.RawMessage(`{"value":`+value+`,"facts":{"os":`+value+`}}`), nil)
		assert.NoError(t, mismatch, value)
	}
}

func TestSchemaAsText(t *testing.T) {
	inferred, err := SchemaOf[order]()
	require.NoError(t, err)
	for _, text := range []string{
		string(inferred.JSON()),
		`{"type":"object","properties":{"z":{"anyOf":[{"type":"object","properties":{"y":{},"x":{}}},{"type":"null"}]},"a":{}}}`,
		`{"oneOf":[{"type":"object","properties":{"y":{},"x":{}}}]}`,
		`{"type":"object","additionalProperties":{"type":"object","properties":{"y":{},"x":{}}}}`,
		`{"type":"array","items":{"$ref":"#/$defs/d"},"$defs":{"d":{"type":"object","properties":{"y":{},"x":{}}}}}`,
		`{"type":"array","items":{"$ref":"#/definitions/d"},"definitions":{"d":{"type":"object","properties":{"y":{},"x":{}}}}}`,
		`{"type":"object","properties":{"y":{},"x":{},"y":{"type":"null"}}}`,
	} {
		s, err := ParseSchema(json.RawMessage(text))
		require.NoError(t, err, text)
		again, err := ParseSchema(s.JSON())
		require.NoError(t, err, text)
		assert.Equal(t, s.String(), again.String(), text)
		assert.NotContains(t, s.String(), ":x any? :y any?", text)
	}
	again, err := ParseSchema(inferred.JSON())
	require.NoError(t, err)
	assert.Equal(t, inferred.String(), again.String())
}

func TestMismatches(t *testing.T) {
	s, err := ParseSchema(json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name"],"properties":{
		"name":{"type":"string","minLength":2,"pattern":"^[a-z]+$"},
		"n":{"type":"integer","minimum":1,"maximum":10},
		"mode":{"enum":["fast","slow"]},
		"token":{"type":"string"},
		"items":{"type":"array","maxItems":3,"items":{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}},
		"odd":{"not":{"type":"string"}},
		"either":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`))
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{"name":"ab"}`: "",
		`{"name":"ab","n":10,"mode":"slow","items":[{"price":1}],"either":"x"}`: "",
		`[]`:                           "got the list [], want {:name string :n int? :mode \"fast\"|\"slow\"? :token string? :items [{:price number}]? :odd any? :either string|int?}",
		`{}`:                           ":name: got nothing, want string, at least 2 characters, matching \"^[a-z]+$\"",
		`{"name":"a"}`:                 `:name: got the string "a", want string, at least 2 characters, matching "^[a-z]+$"`,
		`{"name":1}`:                   `:name: got 1, want string, at least 2 characters, matching "^[a-z]+$"`,
		`{"name":"ab","n":11}`:         `:n: got 11, want int, at least 1, at most 10`,
		`{"name":"ab","n":1.5}`:        `:n: got 1.5, want int, at least 1, at most 10`,
		`{"name":"ab","mode":"quick"}`: `:mode: got the string "quick", want "fast"|"slow"`,
		`{"name":"ab","items":[{"price":1},{"price":"2"}]}`: `[:items 1 :price]: got the string "2", want number`,
		`{"name":"ab","items":[{}]}`:                        `[:items 0 :price]: got nothing, want number`,
		`{"name":"ab","items":[{},{},{},{}]}`:               `:items: got the list [{},{},{},{}], want [{:price number}], at most 3 items`,
		`{"name":"ab","token":5}`:                           `:token: got a value that is not shown, want string`,
		`{"name":"ab","nam":"x"}`:                           `got the unknown key :nam, want {:name string :n int? :mode "fast"|"slow"? :token string? :items [{:price number}]? :odd any? :either string|int?}`,
		`{"name":"ab","either":true}`:                       `:either: got true, want string|int`,
	} {
		err := s.Check(json.RawMessage(text), []string{"token"})
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		if assert.Error(t, err, text) {
			assert.Equal(t, want, err.Error(), text)
		}
	}
	var m *Mismatch
	require.ErrorAs(t, s.Check(json.RawMessage(`{"name":"ab","nam":"x"}`), nil), &m)
	assert.Equal(t, "did you mean :name?", m.Hint)
	require.ErrorContains(t, s.Check(json.RawMessage(`{"name":"ab","odd":"secret","token":"hidden"}`), []string{"token"}), `[secret]`)
	require.ErrorContains(t, s.Check(json.RawMessage(`{"name"`), nil), "not JSON")
}

// TestEndlessSchemas has references that would be followed forever.
func TestEndlessSchemas(t *testing.T) {
	for text, want := range map[string]string{
		`{"anyOf":[{"$ref":"#"}]}`: "leads back to itself",
		`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"if":{"$ref":"#/$defs/a"}}}}`: "leads back to itself",
		`{"$ref":"#"}`:         "leads back to itself",
		`{"$ref":"#/items/0"}`: `$ref "#/items/0": want #`,
		`{"$dynamicRef":"#x"}`: "is not supported",
		`{"items":{"$ref":"#"},"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/a"}},{"$ref":"#/$defs/b"}]},"b":{}}}`: "",
	} {
		_, err := ParseSchema(json.RawMessage(text))
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.ErrorContains(t, err, want, text)
	}
}

// FuzzCheck checks that the description of a mismatch agrees with the library, and is bounded.
func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":"x"}`)
	f.Add(`{"type":"array","items":{"$ref":"#"}}`, `[[[1]]]`)
	f.Add(`{"anyOf":[{"type":"string"},{"minimum":3}]}`, `2`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := ParseSchema(json.RawMessage(schema))
		if err != nil {
			return
		}
		if len(s.String()) > 1<<20 {
			t.Skip("a large schema")
		}
		if err := s.Check(json.RawMessage(value), nil); err != nil && err.Error() == "" {
			t.Error("nothing is said of a mismatch")
		}
	})
}

func TestRegistry(t *testing.T) {
	ok := func(name string, opts ...Option) *Tool {
		return New(name, "", func(context.Context, struct {
			A string `json:"a"`
			B int    `json:"b,omitempty"`
		}) (int, error) {
			return 0, nil
		}, opts...)
	}
	r, err := NewRegistry(ok("b.x"), ok("a"))
	require.NoError(t, err)
	r.Withhold("c", "grant it")
	r.Withhold("a", "it is granted")
	assert.Equal(t, map[string]string{"c": "grant it"}, r.Withheld())
	assert.Equal(t, []*Tool{r.Lookup("a"), r.Lookup("b.x")}, r.All())
	assert.Equal(t, "a", r.Lookup("a").Sole())
	assert.Equal(t, "a {:a string :b int?} -> int", r.Lookup("a").Signature())
	require.NoError(t, r.Add(ok("c")))
	assert.Empty(t, r.Withheld())
	for _, test := range []struct {
		tool *Tool
		want string
	}{
		{ok("a"), "tool a: there is one of this name already"},
		{ok("no good"), "a name is letters, digits"},
		{ok("x..y"), "a name is letters, digits"},
		{ok(strings.Repeat("x", 101)), "up to 100 characters"},
		{ok("neg", Concurrency(-1)), "want numbers above 0"},
		{New("list", "", func(context.Context, []int) (int, error) { return 0, nil }), "want an object"},
		{New("chan", "", func(context.Context, struct{}) (chan int, error) { return nil, nil }), "there is no schema"},
		{Dynamic("bad", "", json.RawMessage(`{`), nil, nil), "tool bad: the schema is not one"},
	} {
		assert.ErrorContains(t, r.Add(test.tool), test.want)
	}
	var none *Registry
	assert.Empty(t, none.All())
	assert.Nil(t, none.Lookup("a"))
}

func TestCheckSize(t *testing.T) {
	text := "[" + strings.Repeat(`{"a":1,"b":"x"},`, 1000) + "1]"
	const times = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		var v any
		require.NoError(t, json.Unmarshal([]byte(text), &v))
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, int64(after.TotalAlloc-before.TotalAlloc), times*CheckSize(text))
}

func TestTraits(t *testing.T) {
	none := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	args := json.RawMessage(`{"type":"object","properties":{"host":{"type":"string"}},"required":["host"]}`)
	for want, opts := range map[string][]Option{
		"":          nil,
		"read-only": {ReadOnly()},
		"idempotent, host-exclusive, at most 4 at once, 100 calls a run, 5s a call": {Idempotent(), Hint(effect.Hint{Kind: effect.HostExclusive}),
			Concurrency(4), MaxCalls(100), Timeout(5 * time.Second)},
	} {
		if got := Dynamic("t", "", args, nil, none, opts...).Traits(""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "aws.ec2_start", "A-1", "done?", "x.y!", "a.1", strings.Repeat("a", maxName)} {
		if !validName(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for _, name := range []string{"", "1a", "_a", "a.", ".a", "a..b", "a b", "a/b", "é", "aé", "a?b", "?", "a??", "a.?", "a\x00", "a{", "a@b", strings.Repeat("a", maxName+1)} {
		if validName(name) {
			t.Errorf("%q is taken for a name", name)
		}
	}
}

// TestBriefOfReferences has a small schema whose references make its notation a text of gigabytes.
func TestBriefOfReferences(t *testing.T) {
	var props []string
	for i := range shownNames {
		props = append(props, fmt.Sprintf(`"property-%d": {"$ref": "#"}`, i))
	}
	s, err := ParseSchema(json.RawMessage(`{"type": "object", "properties": {` + strings.Join(props, ",") + `}}`))
	require.NoError(t, err)
	assert.Less(t, len(s.String()), 4*shownBytes)
	assert.LessOrEqual(t, len(s.Brief(300)), 300)
	bounded := Dynamic("a", "A.", s.JSON(), s.JSON(), nil, Brief(300))
	assert.LessOrEqual(t, len(bounded.Signature()), len("a  -> ")+2*300)
	assert.Equal(t, "a {} -> {:id int}?", Dynamic("a", "A.", json.RawMessage(`{"type": "object", "additionalProperties": false}`), nil, nil,
		Seen("{:id int}?")).Signature())
}
