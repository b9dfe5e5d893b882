package tool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/tool"
)

type paged struct {
	Page int `json:"page" enum:"1,2,3"`
}

type searchArgs struct {
	paged
	Order   string   `json:"order" enum:"asc, desc" jsonschema:"the order of the rows"`
	Regions []string `json:"regions,omitempty" enum:"north,south"`
	Unit    *string  `json:"unit,omitempty" enum:"kg,lb"`
	Share   float64  `json:"share,omitempty" enum:"0.5,1"`
	Within  struct {
		Kind string `json:"kind" enum:"a,b"`
	} `json:"within,omitzero"`
	Named map[string]paged `json:"named,omitempty"`
	Plain string           `json:"-"`
}

func TestEnums(t *testing.T) {
	s, err := tool.SchemaOf[searchArgs]()
	require.NoError(t, err)
	assert.Equal(t, `{:page 1|2|3 :order "asc"|"desc" :regions ["north"|"south"]? :unit "kg"|"lb"|nil? :share 0.5|1? `+
		`:within {:kind "a"|"b"}? :named {string {:page 1|2|3}}?}`, s.String())
	for text, message := range map[string]string{
		`{"page":1,"order":"asc"}`: "",
		`{"page":3,"order":"desc","regions":["south","north"],"unit":"kg","share":0.5,"within":{"kind":"b"},"named":{"x":{"page":2}}}`: "",
		`{"page":1,"order":"asc","unit":null}`:              "",
		`{"page":4,"order":"asc"}`:                          ":page: got 4, want 1|2|3",
		`{"page":1,"order":"up"}`:                           `:order: got the string "up", want "asc"|"desc"`,
		`{"page":1,"order":"asc","regions":["east"]}`:       `:regions`,
		`{"page":1,"order":"asc","named":{"x":{"page":7}}}`: `:named`,
		`{"page":1,"order":"asc","within":{"kind":"c"}}`:    `:within`,
	} {
		err := s.Check(json.RawMessage(text), nil)
		if message == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, message, text)
		}
	}
	assert.Contains(t, string(s.JSON()), `"description":"the order of the rows"`)
}

func TestWrongEnums(t *testing.T) {
	type flag struct {
		X bool `json:"x" enum:"true"`
	}
	type empty struct {
		X string `json:"x" enum:"a,,b"`
	}
	type number struct {
		X []int `json:"x" enum:"1,b"`
	}
	type hidden struct {
		X string `json:"-" enum:"a"`
	}
	for name, err := range map[string]error{
		"flag":   second(tool.SchemaOf[flag]()),
		"empty":  second(tool.SchemaOf[empty]()),
		"number": second(tool.SchemaOf[[]number]()),
		"hidden": second(tool.SchemaOf[hidden]()),
	} {
		assert.ErrorContains(t, err, name+".X: the tag enum:", name)
	}
	bad := tool.New("bad", "Has a wrong tag.", func(context.Context, flag) (int, error) { return 0, nil })
	assert.ErrorContains(t, new(tool.Registry).Add(bad), "want a field of strings or numbers, got one of kind bool")
}

func second(_ *tool.Schema, err error) error { return err }
