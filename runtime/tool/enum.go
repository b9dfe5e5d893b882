// This file defines the enum tag of struct fields, with which a Go type declares the values that a
// field may have.

package tool

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// enums sets the enum of the fields of a type that have the tag `enum:"a,b,c"`, in the schema of the type.
func enums(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return enums(t.Elem(), s.Items)
	case reflect.Map:
		return enums(t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			if err := enumOf(field, s.Properties[propertyOf(field)]); err != nil {
				return fmt.Errorf("%s.%s: %w", t, field.Name, err)
			}
		}
	}
	return nil
}

// enumOf sets the enum of one field. s is nil for a field without its own schema, such as an embedded one.
func enumOf(field reflect.StructField, s *jsonschema.Schema) error {
	tag, ok := field.Tag.Lookup("enum")
	switch {
	case s == nil && ok:
		return fmt.Errorf("the tag enum:%q is on a field that is not in the JSON", tag)
	case s == nil:
		return nil
	case !ok:
		return enums(field.Type, s)
	}
	t, null := field.Type, false
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Pointer {
		null = t.Kind() == reflect.Pointer
		if t = t.Elem(); !null {
			s = s.Items
		}
	}
	for word := range strings.SplitSeq(tag, ",") {
		v, err := enumValue(t.Kind(), strings.TrimSpace(word))
		if err != nil {
			return fmt.Errorf("the tag enum:%q: %w", tag, err)
		}
		s.Enum = append(s.Enum, v)
	}
	if null {
		s.Enum = append(s.Enum, nil)
	}
	return nil
}

// enumValue reads one value of a tag.
func enumValue(kind reflect.Kind, word string) (any, error) {
	switch {
	case word == "":
		return nil, fmt.Errorf("got an empty value")
	case kind == reflect.String:
		return word, nil
	case reflect.Int <= kind && kind <= reflect.Uintptr:
		return strconv.ParseInt(word, 10, 64)
	case kind == reflect.Float32, kind == reflect.Float64:
		return strconv.ParseFloat(word, 64)
	}
	return nil, fmt.Errorf("want a field of strings or numbers, got one of kind %s", kind)
}

// propertyOf returns the name of a field in JSON; "" if it has none.
func propertyOf(field reflect.StructField) string {
	name, _, options := strings.Cut(field.Tag.Get("json"), ",")
	switch {
	case !field.IsExported(), field.Anonymous, name == "-" && !options:
		return ""
	case name == "":
		return field.Name
	}
	return name
}
