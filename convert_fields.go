// This file defines which fields of a Go struct a conversion takes, and under which names: those of encoding/json.

package ptc

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// goField is a field of a struct that is a member of its object.
type goField struct {
	name      string
	index     []int // the way from the struct, through embedded ones
	declared  reflect.Type
	tagged    bool // the name comes from the tag
	omitEmpty bool
	omitZero  bool
	quoted    bool // the number, bool or string becomes a string that has its JSON
}

// embedding is a struct type whose fields belong to an outer struct.
type embedding struct {
	t     reflect.Type
	index []int
	twice bool // it is embedded more than once at its depth, so its fields are ambiguous
}

// fieldsOf returns the fields of a struct in their order. Among fields of one name the least deep wins; at one depth,
// the one with a tag. If several are left, none of them is a member, and neither is a deeper one.
func fieldsOf(t reflect.Type) []goField {
	decided := map[string]bool{}
	seen := map[reflect.Type]bool{t: true}
	var fields []goField
	for level := []embedding{{t: t}}; len(level) > 0; {
		found := map[string][]goField{}
		var deeper []embedding
		for _, e := range level {
			deeper = e.collect(found, deeper)
		}
		for name, rivals := range found {
			if f, ok := winner(rivals); ok && !decided[name] {
				fields = append(fields, f)
			}
		}
		for name := range maps.Keys(found) {
			decided[name] = true
		}
		level = slices.DeleteFunc(deeper, func(e embedding) bool { return seen[e.t] })
		for _, e := range level {
			seen[e.t] = true
		}
	}
	slices.SortFunc(fields, func(a, b goField) int { return slices.Compare(a.index, b.index) })
	return fields
}

// winner returns the field that hides the others of its name and depth.
func winner(rivals []goField) (f goField, ok bool) {
	tagged := slices.DeleteFunc(slices.Clone(rivals), func(f goField) bool { return !f.tagged })
	if len(tagged) > 0 {
		rivals = tagged
	}
	return rivals[0], len(rivals) == 1
}

// collect adds the fields of e to found, by their names, and the structs that e embeds to deeper.
func (e embedding) collect(found map[string][]goField, deeper []embedding) []embedding {
	for i := range e.t.NumField() {
		sf := e.t.Field(i)
		tag := sf.Tag.Get("json")
		if !visible(sf) || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		index := append(slices.Clip(e.index), i)
		target := sf.Type // without the pointer
		if target.Name() == "" && target.Kind() == reflect.Pointer {
			target = target.Elem()
		}
		tagged := validName(name)
		if !tagged && sf.Anonymous && target.Kind() == reflect.Struct {
			if at := slices.IndexFunc(deeper, func(d embedding) bool { return d.t == target }); at >= 0 {
				deeper[at].twice = true
			} else {
				deeper = append(deeper, embedding{t: target, index: index})
			}
			continue
		}
		if !tagged {
			name = sf.Name
		}
		has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
		f := goField{name: name, index: index, declared: sf.Type, tagged: tagged, omitEmpty: has("omitempty"),
			omitZero: has("omitzero"), quoted: has("string") && scalar(target.Kind())}
		found[name] = append(found[name], f)
		if e.twice {
			found[name] = append(found[name], f)
		}
	}
	return deeper
}

// visible reports whether a field can be a member, or embeds a struct whose fields can.
func visible(sf reflect.StructField) bool {
	if sf.IsExported() || !sf.Anonymous {
		return sf.IsExported()
	}
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// validName reports whether a tag can name a member.
func validName(name string) bool {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	}
	return name != "" && strings.IndexFunc(name, odd) < 0
}

// scalar reports whether the option string has an effect on a kind.
func scalar(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}

// isZeroer is the interface that the option omitzero uses.
type isZeroer interface{ IsZero() bool }

var isZeroerType = reflect.TypeFor[isZeroer]()

// zeroTest returns the test of the option omitzero for a type.
func zeroTest(t reflect.Type) func(v reflect.Value) bool {
	ask := func(v reflect.Value) bool { return v.Interface().(isZeroer).IsZero() }
	switch {
	case t.Kind() == reflect.Interface && t.Implements(isZeroerType):
		return func(v reflect.Value) bool {
			return v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() || ask(v)
		}
	case t.Kind() == reflect.Pointer && t.Implements(isZeroerType):
		return func(v reflect.Value) bool { return v.IsNil() || ask(v) }
	case t.Implements(isZeroerType):
		return ask
	case reflect.PointerTo(t).Implements(isZeroerType):
		return func(v reflect.Value) bool { return ask(addressable(v).Addr()) }
	}
	return reflect.Value.IsZero
}

// addressable returns v, or a copy of it whose address can be taken.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	p := reflect.New(v.Type()).Elem()
	p.Set(v)
	return p
}

// isEmpty is the test of the option omitempty.
func isEmpty(v reflect.Value) bool {
	switch k := v.Kind(); {
	case k == reflect.Array, k == reflect.Map, k == reflect.Slice, k == reflect.String:
		return v.Len() == 0
	case scalar(k), k == reflect.Interface, k == reflect.Pointer:
		return v.IsZero()
	}
	return false
}

// member returns the value of a field, which is absent below an embedded nil pointer.
func (f *goField) member(v reflect.Value) (x reflect.Value, present bool) {
	if len(f.index) == 1 {
		return v.Field(f.index[0]), true
	}
	for i, at := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return x, false
			}
			v = v.Elem()
		}
		v = v.Field(at)
	}
	return v, true
}
