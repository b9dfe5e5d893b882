// This file defines Decode, which stores a result in a Go variable.

package ptc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// Decode stores the value in the variable that v points to, as json.Unmarshal does with its JSON: by the json tags
// of structs. A whole float, such as 2.0, also fits a variable of an integer type that has its value.
//
// The errors are those of JSON, one of code illegal-argument if v is not a pointer to a variable, and one of code
// wrong-type, with the path, for a value that does not fit. Then the parts that fit are stored, as by json.Unmarshal.
// A panic of a method of the variable, such as UnmarshalJSON, is an error of code host-failed.
func (r *Result) Decode(v any) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return diag.New(diag.IllegalArgument, token.Span{}, "Decode: got %s, want a pointer to a variable", goKind(v)).
			WithHint("pass &x")
	}
	into := &target{t: p.Type()}
	text, err := r.text(func(t *value.Task, b *value.Buf) {
		jsonio.WriteTyped(t, b, r.val, func(steps []value.Value) bool { return into.isInteger(t, steps) })
	})
	if err != nil {
		return err
	}
	var bad *diag.Error
	panicked := byHost("a method of the Go variable", func() {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			bad = undecodable(text, err)
		}
	})
	switch {
	case panicked != nil:
		return panicked
	case bad != nil:
		return bad
	}
	return nil
}

// goKind describes an argument that is not a pointer to a variable.
func goKind(v any) string {
	switch {
	case v == nil:
		return "nil"
	case reflect.TypeOf(v).Kind() == reflect.Pointer:
		return "a nil " + reflect.TypeOf(v).String()
	}
	return "a Go " + reflect.TypeOf(v).String()
}

// undecodable returns the error of a JSON text that does not fit a Go variable.
func undecodable(text string, err error) *diag.Error {
	e := &diag.Error{Code: diag.WrongType, Message: "the result does not fit the Go variable: " + err.Error(), Err: err}
	bad := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &bad) {
		return e
	}
	got := "a JSON " + bad.Value
	if n, ok := strings.CutPrefix(bad.Value, "number "); ok && strings.Trim(n, "+-.0123456789eE") == "" {
		got = "the " + bad.Value
	} else if ok {
		got = "the key " + quoted(n)
	}
	at := ""
	if p := pathIn(text, bad.Offset); p.steps > 0 {
		at = " at " + p.String()
	}
	e.Message = fmt.Sprintf("the result does not fit the Go variable: got %s%s, want a Go %s", got, at, bad.Type)
	return e.WithHint("return another value, or decode into a type that holds it, such as float64 or any")
}

// pathIn returns the path of the value that ends, or of the collection that begins, at an offset in a JSON text.
func pathIn(text string, offset int64) *path {
	var way []any // the member or element being read, in each open collection
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for key := false; ; {
		token, err := d.Token()
		if err != nil {
			break
		}
		delim, _ := token.(json.Delim)
		if n := len(way) - 1; n >= 0 && delim != ']' && delim != '}' {
			switch step := way[n].(type) {
			case int:
				way[n] = step + 1
			case string:
				if key = !key; key {
					way[n] = token.(string)
				}
			}
		}
		switch {
		case d.InputOffset() >= offset:
			return pathOf(way)
		case delim == '[':
			way, key = append(way, -1), false
		case delim == '{':
			way, key = append(way, ""), false
		case delim != 0:
			way, key = way[:len(way)-1], false
		}
	}
	return pathOf(way)
}

func pathOf(way []any) *path {
	p := &path{}
	for _, step := range way {
		p.add(step)
	}
	return p
}

// target is a Go type that a part of a result is decoded into.
type target struct {
	t       reflect.Type
	known   bool // the fields below are set
	integer bool
	elem    *target            // of a list or map; nil for others
	fields  []goField          // of a struct
	members map[string]*target // of a struct, by the keys that have been met; nil for others
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// isInteger reports whether the part at a path is decoded into an integer.
func (g *target) isInteger(t *value.Task, steps []value.Value) bool {
	for _, step := range steps {
		g.find()
		switch {
		case g.elem != nil:
			g = g.elem
		case g.members != nil:
			if g = g.member(jsonio.KeyText(t, step)); g == nil {
				return false
			}
		default:
			return false
		}
	}
	g.find()
	return g.integer
}

// find looks into the type. One that decodes itself is none of those known.
func (g *target) find() {
	if g.known {
		return
	}
	g.known = true
	t := g.t
	for t.Kind() == reflect.Pointer && !t.Implements(unmarshaler) {
		t = t.Elem()
	}
	if t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
		return
	}
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uintptr:
		g.integer = true
	case k == reflect.Slice, k == reflect.Array, k == reflect.Map:
		g.elem = &target{t: t.Elem()}
	case k == reflect.Struct:
		g.fields, g.members = fieldsOf(t), map[string]*target{}
	}
}

// member returns the field for a key: the field of that name, or else the first field whose name equals the
// key except for case. It returns nil if there is none, or if the field is decoded from a string.
func (g *target) member(key string) *target {
	if m := g.members[key]; m != nil {
		return m
	}
	at := slices.IndexFunc(g.fields, func(f goField) bool { return f.name == key })
	if at < 0 {
		at = slices.IndexFunc(g.fields, func(f goField) bool { return strings.EqualFold(f.name, key) })
	}
	if at < 0 || g.fields[at].quoted {
		return nil
	}
	m := &target{t: g.fields[at].declared}
	g.members[key] = m
	return m
}
