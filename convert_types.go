// This file defines the facts about a Go type that conversions use.

package ptc

import (
	"encoding"
	"encoding/json"
	"math/big"
	"reflect"
	"sync"
)

// goTypes has the Go types that the conversions of a program or a session have met, so that each is analysed once. The
// zero value is ready for use, by any number of goroutines.
type goTypes struct {
	ready sync.Map // *goType by reflect.Type; all types that it refers to are complete
	mu    sync.Mutex
	made  map[reflect.Type]*goType // includes incomplete types, because types may be recursive
}

// goType is a Go type as conversions see it. It is immutable once it is ready.
type goType struct {
	t       reflect.Type
	form    goForm
	elem    *goType    // of a pointer, list or map
	members []goMember // of a struct
}

// goMember is a field of a struct.
type goMember struct {
	goField
	typ  *goType
	zero func(v reflect.Value) bool // reports whether omitzero leaves the field out; nil without it
}

// goForm is the kind of PTC value that a value of a Go type becomes.
type goForm uint8

const (
	formNone    goForm = iota // nothing: the type is no data
	formDynamic               // an interface: its dynamic value
	formPointer               // the value it points to
	formBool
	formInt
	formUint
	formFloat32
	formFloat64
	formString
	formNumber // json.Number
	formRaw    // json.RawMessage
	formBigInt // big.Int
	formBytes  // a string in base64
	formList   // a slice or an array
	formAnys   // a map with strings as keys and any as values
	formMap    // any other map
	formStruct
	formJSON        // the result of MarshalJSON
	formPointerJSON // the result of MarshalJSON of its pointer
	formText        // the result of MarshalText
	formPointerText // the result of MarshalText of its pointer
)

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	stringType    = reflect.TypeFor[string]()
	anyType       = reflect.TypeFor[any]()
	anysType      = reflect.TypeFor[map[string]any]()
)

// of returns a type that is ready.
func (g *goTypes) of(t reflect.Type) *goType {
	if known, ok := g.ready.Load(t); ok {
		return known.(*goType)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.made == nil {
		g.made = map[reflect.Type]*goType{}
	}
	gt := g.make(t)
	g.ready.Store(t, gt) // complete, as no make is under way
	return gt
}

// make analyses a type and the types it refers to.
func (g *goTypes) make(t reflect.Type) *goType {
	if known := g.made[t]; known != nil {
		return known
	}
	gt := &goType{t: t, form: formOf(t)}
	g.made[t] = gt
	switch gt.form {
	case formPointer, formList, formMap:
		gt.elem = g.make(t.Elem())
	case formStruct:
		for _, f := range fieldsOf(t) {
			m := goMember{goField: f, typ: g.make(f.declared)}
			if f.omitZero {
				m.zero = zeroTest(f.declared)
			}
			gt.members = append(gt.members, m)
		}
	}
	return gt
}

// formOf returns the form of a type. Methods come before kinds, as in encoding/json.
func formOf(t reflect.Type) goForm {
	switch t {
	case reflect.TypeFor[json.Number]():
		return formNumber
	case reflect.TypeFor[json.RawMessage]():
		return formRaw
	case reflect.TypeFor[big.Int]():
		return formBigInt
	}
	switch p := reflect.PointerTo(t); {
	case t.Kind() == reflect.Pointer:
		return formPointer
	case t.Kind() == reflect.Interface:
		return formDynamic
	case t.Implements(marshaler):
		return formJSON
	case p.Implements(marshaler):
		return formPointerJSON
	case t.Implements(textMarshaler):
		return formText
	case p.Implements(textMarshaler):
		return formPointerText
	}
	return formOfKind(t)
}

// formOfKind returns the form of a type without methods that matter.
func formOfKind(t reflect.Type) goForm {
	switch k := t.Kind(); {
	case k == reflect.Bool:
		return formBool
	case k >= reflect.Int && k <= reflect.Int64:
		return formInt
	case k >= reflect.Uint && k <= reflect.Uintptr:
		return formUint
	case k == reflect.Float32:
		return formFloat32
	case k == reflect.Float64:
		return formFloat64
	case k == reflect.String:
		return formString
	case k == reflect.Slice && isByte(t.Elem()):
		return formBytes
	case k == reflect.Slice, k == reflect.Array:
		return formList
	case k == reflect.Map && t.Key() == stringType && t.Elem() == anyType:
		return formAnys
	case k == reflect.Map && isKey(t.Key()):
		return formMap
	case k == reflect.Struct:
		return formStruct
	}
	return formNone
}

// isByte reports whether slices of a type become base64.
func isByte(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t.Kind() == reflect.Uint8 && !p.Implements(marshaler) && !p.Implements(textMarshaler)
}

// isKey reports whether values of a type can be keys.
func isKey(t reflect.Type) bool {
	k := t.Kind()
	return k == reflect.String || k >= reflect.Int && k <= reflect.Uintptr || t.Implements(textMarshaler)
}
