// This file makes values of many Go types for tests of conversions.

package ptc_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// pointerJSON and pointerText marshal themselves by methods of their pointers, valueJSON by one of its value.
type (
	pointerJSON struct{ N int }
	pointerText struct{ N int }
	valueJSON   struct{ N int }
)

func (p *pointerJSON) MarshalJSON() ([]byte, error) {
	if p == nil { // in an interface
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, `{"json":[%d]}`, p.N), nil
}

func (p *pointerText) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "text %d", p.N), nil }
func (v valueJSON) MarshalJSON() ([]byte, error)    { return fmt.Appendf(nil, `[%d]`, v.N), nil }

// zeroAtSeven has its own IsZero.
type zeroAtSeven int

func (z zeroAtSeven) IsZero() bool { return z == 7 }

// zeroPointer has it by its pointer.
type zeroPointer struct{ N int }

func (z *zeroPointer) IsZero() bool { return z.N == 1 }

// textKey is a key that marshals itself.
type textKey struct{ N int }

func (k textKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "k%d", k.N), nil }

// The types below are embedded in others: with tags, without, behind pointers, several times, and not exported.
type (
	Base struct {
		A int `json:"a"`
		B string
		X any `json:"x,omitempty"`
	}
	hidden struct {
		A   int `json:"A"`
		Own float64
		_   int
	}
	Deep struct {
		Base
		*hidden
		C []int `json:"c"`
	}
	Other struct {
		*Base `json:",omitempty"`
		B     int
	}
	Named   int
	hidden2 int
	Loop    struct {
		*Loop
		Z int
	}
	Both struct {
		Base
		Other
	}
	Tagged struct {
		Base    `json:"base"`
		*hidden `json:"hid"`
		Named
		hidden2
	}
	Rival1 struct{ Q, R int }
	Rival2 struct {
		Q int
		R int `json:"R"`
	}
	Rivals struct {
		Rival1
		Rival2
	}
	Twice struct {
		Deep
		*Other
		Rivals
		Tagged `json:"-"`
		Named  `json:"named,string"`
	}
	Marshals struct {
		time.Time
		N int
	}
	Error struct{ error }
)

var _ = Tagged{}.hidden2 // which nothing else uses

// structShapes are Go types whose visible fields are hard to tell.
var structShapes = append(typesOf(
	new(Base), new(hidden), new(Deep), new(Other), new(Loop), new(Both), new(Tagged), new(Rivals),
	new(Twice), new(Marshals), new(order), new(Error)),
	ints(`json:"B"`, ``, `json:"c"`, `json:"c"`, `json:"-,"`, `json:"a\"b"`, `json:"é/漢 !#"`, `json:",string,omitempty"`,
		`json:"i, omitempty"`, `json:j`, `not a tag`, `json:"-"`))

// typesOf returns the types that pointers point to.
func typesOf(pointers ...any) []reflect.Type {
	types := make([]reflect.Type, len(pointers))
	for i, p := range pointers {
		types[i] = reflect.TypeOf(p).Elem()
	}
	return types
}

// ints returns a struct of integers with tags.
func ints(tags ...string) reflect.Type {
	fields := make([]reflect.StructField, len(tags))
	for i, tag := range tags {
		name := string(rune('A' + i))
		fields[i] = reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag)}
	}
	return reflect.StructOf(fields)
}

// leaves are types of fields.
var leaves = typesOf(
	new(int), new(int8), new(uint64), new(uintptr), new(float64), new(float32), new(bool), new(string),
	new([]int), new([3]byte), new([0]int), new([]byte), new(map[string]int), new(map[int]float64),
	new(map[textKey]any), new(*int), new(**string), new(any), new(time.Time), new(*time.Time), new(time.Duration),
	new(pointerJSON), new(*pointerJSON), new(pointerText), new(valueJSON), new([]pointerJSON),
	new([2]pointerText), new(zeroAtSeven), new(zeroPointer), new(json.Number), new(json.RawMessage), new(big.Int),
	new(*big.Int), new(Named), new(map[string]any), new([]any), new(json.Marshaler), new(level), new(struct{}),
	new(fmt.Stringer))

// inInterfaces are types of values in interfaces. encoding/json ignores methods of pointers there.
var inInterfaces = append(slices.DeleteFunc(slices.Clone(leaves), func(t reflect.Type) bool {
	return slices.Contains(typesOf(new(pointerJSON), new(pointerText), new([2]pointerText), new(big.Int)), t)
}), typesOf(new(Base), new(*Twice))...)

var tags = []string{"", "", "", "a", "b", "A", "-", "-,", ",omitempty", "a,omitempty", ",string", "b,string,omitempty",
	",omitzero", "c,omitzero", "c,omitempty,omitzero", "é", "a b", `q\"`, "a,unknown", ",omitempty ", "p/q"}

// anyStruct returns a struct type with fields of any kind and tag, some of them embedded.
func anyStruct(r *rand.Rand, depth int) reflect.Type {
	fields := make([]reflect.StructField, r.IntN(12))
	for i := range fields {
		f := reflect.StructField{Name: string(rune('A' + i)), Type: leaves[r.IntN(len(leaves))]}
		if depth > 0 && r.IntN(4) == 0 {
			f.Type, f.Anonymous = anyStruct(r, depth-1), r.IntN(2) == 0
			if r.IntN(3) == 0 {
				f.Type = reflect.PointerTo(f.Type)
			}
		}
		f.Tag = reflect.StructTag(`json:"` + tags[r.IntN(len(tags))] + `"`)
		fields[i] = f
	}
	return reflect.StructOf(fields)
}

// fill sets a value and its parts, each to zero or not.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if !v.CanSet() || r.IntN(4) == 0 || depth == 0 {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *json.Number:
		*x = []json.Number{"", "1", "1.0", "-0", "1e3", "123456789012345678901234567890"}[r.IntN(6)]
		return
	case *json.RawMessage:
		*x = json.RawMessage([]string{"null", `{"b":[1.0, 2],"a":null}`, "  7 ", `"\u00e9"`}[r.IntN(4)])
		return
	case *big.Int:
		x.Lsh(big.NewInt(int64(r.IntN(5)-2)), uint(r.IntN(100)))
		return
	case *time.Time:
		*x = time.Unix(r.Int64N(1e10), r.Int64N(1e9)).UTC()
		return
	case *json.Marshaler:
		*x = []json.Marshaler{valueJSON{1}, &pointerJSON{2}, (*pointerJSON)(nil)}[r.IntN(3)]
		return
	case *level:
		*x = level(r.IntN(2))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{1, 7, -1, math.MaxInt8}[r.IntN(4)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(r.Uint64() >> (uint(r.IntN(2)) * 58))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{2, 2.5, 1e21, 1e-7, math.Copysign(0, -1), 0.1, 1 << 30, math.MaxFloat32}[r.IntN(8)])
	case reflect.String:
		v.SetString([]string{"x", "<&>\u2028", "\xff", "2", strings.Repeat("long ", 20)}[r.IntN(5)])
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(14) {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			if key.Kind() == reflect.Struct {
				key.Field(0).SetInt(r.Int64N(20))
			} else {
				fill(r, key, depth-1)
			}
			if key.Kind() == reflect.String {
				key.SetString(string(rune('a' + r.IntN(20))))
			}
			fill(r, elem, depth-1)
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), depth-1)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			x := reflect.New(inInterfaces[r.IntN(len(inInterfaces))]).Elem()
			fill(r, x, depth-1)
			v.Set(x)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i), depth-1)
		}
	}
}

// goValues returns pointers to values of many Go types.
func goValues(t *testing.T, n int) []any {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var values []any
	for i := range n {
		var typ reflect.Type
		switch {
		case i%4 == 0:
			typ = structShapes[i/4%len(structShapes)]
		case i%4 == 1:
			typ = leaves[i/4%len(leaves)]
		default:
			typ = anyStruct(r, 2)
		}
		v := reflect.New(typ)
		fill(r, v.Elem(), 6)
		values = append(values, v.Interface())
	}
	return values
}
