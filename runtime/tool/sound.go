// This file refuses unsound schemas. The library follows references on the Go stack, and a
// reference that leads back to itself on the same value would end the process.

package tool

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// sameValue are the fields of a schema whose schemas are matched with the same value.
var sameValue = map[string]bool{"AllOf": true, "AnyOf": true, "OneOf": true, "Not": true, "If": true,
	"Then": true, "Else": true,
	"DependentSchemas": true, "DependencySchemas": true}

// sound returns an error for an unsound schema.
func sound(root *jsonschema.Schema) error {
	w := &soundness{root, make(map[*jsonschema.Schema]bool), make(map[*jsonschema.Schema]bool)}
	var all func(s *jsonschema.Schema) error
	all = func(s *jsonschema.Schema) error {
		if w.seen[s] {
			return nil
		}
		w.seen[s] = true
		if err := w.walk(s); err != nil {
			return err
		}
		return children(s, func(_ string, child *jsonschema.Schema) error { return all(child) })
	}
	return all(root)
}

// soundness walks a schema.
type soundness struct {
	root *jsonschema.Schema
	seen map[*jsonschema.Schema]bool
	open map[*jsonschema.Schema]bool // true while the schemas for the same value are walked, then false
}

// walk follows the schemas that are matched with the same value as s.
func (w *soundness) walk(s *jsonschema.Schema) error {
	if open, walked := w.open[s]; open {
		return errors.New("a reference leads back to itself without going into a part of the value")
	} else if walked {
		return nil
	}
	w.open[s] = true
	defer func() { w.open[s] = false }()
	if err := w.follow(s); err != nil {
		return err
	}
	return children(s, func(field string, child *jsonschema.Schema) error {
		if !sameValue[field] {
			return nil
		}
		return w.walk(child)
	})
}

// follow walks the target of a reference.
func (w *soundness) follow(s *jsonschema.Schema) error {
	if s.DynamicRef != "" {
		return fmt.Errorf("$dynamicRef %q is not supported", s.DynamicRef)
	}
	if s.Ref == "" {
		return nil
	}
	to := referred(w.root, s.Ref)
	if to == nil {
		return fmt.Errorf("$ref %q: want #, #/$defs/NAME or #/definitions/NAME, of a schema that there is", s.Ref)
	}
	return w.walk(to)
}

// children returns the schemas in a schema, with the names of the fields they are in.
func children(s *jsonschema.Schema, visit func(field string, child *jsonschema.Schema) error) error {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		var all []*jsonschema.Schema
		switch x := v.Field(i).Interface().(type) {
		case *jsonschema.Schema:
			all = []*jsonschema.Schema{x}
		case []*jsonschema.Schema:
			all = x
		case map[string]*jsonschema.Schema:
			for _, child := range x {
				all = append(all, child)
			}
		}
		for _, child := range all {
			if child == nil {
				continue
			}
			if err := visit(v.Type().Field(i).Name, child); err != nil {
				return err
			}
		}
	}
	return nil
}
