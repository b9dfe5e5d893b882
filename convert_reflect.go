// This file defines how Go values of any type become values of the language.

package ptc

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// reflected converts a value of a type. It is long on purpose: one case per form.
func (c *importer) reflected(v reflect.Value, of *goType, depth int) (value.Value, error) {
	switch of.form {
	case formDynamic:
		if v.IsNil() {
			return value.Nil, nil
		}
		return c.value(v.Interface(), depth)
	case formPointer:
		switch {
		case v.IsNil():
			return value.Nil, nil
		case depth >= maxDepth:
			return value.Nil, tooDeep()
		}
		return c.reflected(v.Elem(), of.elem, depth+1)
	case formBool:
		return value.Bool(v.Bool()), nil
	case formInt:
		return value.Int(v.Int()), nil
	case formUint:
		if u := v.Uint(); int64(u) < 0 {
			return c.t.BigInt(new(big.Int).SetUint64(u)), nil
		}
		return value.Int(int64(v.Uint())), nil
	case formFloat32:
		return c.float(widened(float32(v.Float())))
	case formFloat64:
		return c.float(v.Float())
	case formString:
		return c.text(v.String())
	case formNumber:
		return c.number(json.Number(v.String()))
	case formRaw:
		return c.raw(v.Bytes(), depth)
	case formBigInt:
		if !v.CanInterface() { // an embedded one, under an alias
			return value.Nil, badMethod("a Go value", of.t, "MarshalJSON", errors.New("the field is not exported"))
		}
		return c.bigInt(addressable(v).Addr().Interface().(*big.Int))
	case formBytes:
		return c.base64(v.Bytes())
	case formList:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return value.Nil, nil
		}
		return c.list(v.Len(), depth, func(i int) (value.Value, error) { return c.reflected(v.Index(i), of.elem, depth+1) })
	case formAnys:
		if of.t != anysType {
			v = v.Convert(anysType) // which allocates
		}
		return c.anys(v.Interface().(map[string]any), depth)
	case formMap:
		return c.entries(v, of, depth)
	case formStruct:
		return c.object(v, of, depth)
	case formNone:
		return value.Nil, noData(of.t)
	}
	return c.marshalled(v, of, depth)
}

// noData returns the error of a value whose type is no data.
func noData(t reflect.Type) error {
	if t.Kind() == reflect.Map {
		return &misfit{got: "a Go " + t.String(), want: "keys that are strings, integers or have MarshalText",
			hint: "make a map[string]any of it"}
	}
	return &misfit{got: "a Go " + t.String(), want: "data",
		hint: "leave it out, for a field with the tag `json:\"-\"`, or pass what it stands for"}
}

// widened returns the float64 of the shortest decimal for f, which encoding/json writes: 0.1 is 0.1.
func widened(f float32) float64 {
	const exact = 1 << 24 // whole numbers below are the same in both
	if wide := float64(f); wide == float64(int32(wide)) && wide < exact && wide > -exact {
		return wide
	}
	wide, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	return wide
}

func (c *importer) base64(b []byte) (value.Value, error) {
	if b == nil {
		return value.Nil, nil
	}
	n := base64.StdEncoding.EncodedLen(len(b))
	size := limits.BytesSize(n)
	c.t.Charge(size)
	defer c.t.Credit(size)
	c.t.Work(int64(n) / 8)
	return c.known.String(base64.StdEncoding.EncodeToString(b)), nil
}

// object makes a map of the fields of a struct.
func (c *importer) object(v reflect.Value, of *goType, depth int) (value.Value, error) {
	if depth >= maxDepth {
		return value.Nil, tooDeep()
	}
	var block [2 * value.MaxRecord]value.Value
	kvs, keys := block[:0], c.keysOf(of)
	if n := 2 * len(of.members); n > len(block) {
		kvs = c.t.Vals(n)[:0]
		defer c.t.CreditVals(n)
	}
	c.t.Work(int64(len(of.members)))
	for i := range of.members {
		m := &of.members[i]
		x, present := m.member(v)
		if !present || m.omitEmpty && isEmpty(x) {
			continue
		}
		omitted, err := m.omits(x)
		if omitted {
			continue
		}
		var part value.Value
		switch {
		case err != nil:
		case m.quoted:
			part, err = c.quoted(x, m.typ)
		default:
			part, err = c.reflected(x, m.typ, depth+1)
		}
		if err != nil {
			return value.Nil, within(err, m.name)
		}
		kvs = append(kvs, keys[i], part) // within the capacity
	}
	return c.known.Map(kvs), nil
}

// omits reports whether omitzero leaves a field out.
func (m *goMember) omits(x reflect.Value) (omitted bool, err error) {
	if m.zero == nil {
		return false, nil
	}
	if failed := ofHost(func() { omitted = m.zero(x) }); failed != nil {
		return false, &misfit{got: "a Go value of type " + m.typ.t.String(), want: "an answer from its IsZero", err: failed}
	}
	return omitted, nil
}

// keysOf returns the keys of the members of a struct.
func (c *importer) keysOf(of *goType) []value.Value {
	keys, ok := c.keys[of]
	if !ok {
		if c.keys == nil {
			c.keys = map[*goType][]value.Value{}
		}
		c.t.Charge(limits.ObjectSize(len(of.members) * wordsBytes))
		keys = make([]value.Value, len(of.members))
		for i, m := range of.members {
			keys[i] = c.known.Key(m.name)
		}
		c.keys[of] = keys
	}
	return keys
}

// maxEscaped is the most bytes that encoding/json writes for a byte of a string: \u0000.
const maxEscaped = 6

// quoted converts a field with the option string: it becomes a string with the JSON of the number, bool or string.
func (c *importer) quoted(v reflect.Value, of *goType) (value.Value, error) {
	if of.form == formPointer {
		if v.IsNil() {
			return value.Nil, nil
		}
		v, of = v.Elem(), of.elem
	}
	switch of.form {
	case formJSON, formPointerJSON, formText, formPointerText: // which ignore the option
		return c.marshalled(v, of, 0)
	}
	if v.Kind() == reflect.String {
		size := limits.BytesSize(v.Len() * maxEscaped)
		c.t.Charge(size)
		defer c.t.Credit(size)
		c.t.Work(int64(v.Len()) / 8)
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return value.Nil, &misfit{got: "a Go " + of.t.String(), want: "JSON", err: err}
	}
	return c.text(string(text))
}

// entry is one of a Go map.
type entry struct {
	name string
	val  reflect.Value
}

// entries makes a map of a Go map, in the order of its keys.
func (c *importer) entries(v reflect.Value, of *goType, depth int) (value.Value, error) {
	switch {
	case v.IsNil():
		return value.Nil, nil
	case depth >= maxDepth:
		return value.Nil, tooDeep()
	}
	copied := limits.ObjectSize(int(v.Type().Elem().Size())) // MapIter.Value copies each value to the heap
	table := limits.ObjectSize(v.Len()*int(unsafe.Sizeof(entry{}))) + int64(v.Len())*copied
	c.t.Charge(table)
	defer c.t.Credit(table)
	all := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		c.t.Work(4)
		name, err := c.nameOf(it.Key())
		if err != nil {
			return value.Nil, err
		}
		all = append(all, entry{name, it.Value()})
	}
	slices.SortFunc(all, func(a, b entry) int {
		c.t.Work(4)
		return value.CompareText(c.t, a.name, b.name)
	})
	var block [2 * value.MaxRecord]value.Value
	kvs, out := block[:0], value.Nil
	if 2*len(all) > len(block) {
		out = c.t.Transient(value.EmptyMap)
	}
	for i, e := range all {
		if i > 0 && e.name == all[i-1].name {
			return value.Nil, &misfit{got: "two keys whose text is " + quoted(e.name), want: "keys of different texts"}
		}
		x, err := c.reflected(e.val, of.elem, depth+1)
		switch {
		case err != nil:
			return value.Nil, within(err, e.name)
		case out.IsNil():
			kvs = append(kvs, c.key(e.name), x)
		default:
			c.t.TAssoc(out, c.key(e.name), x)
		}
	}
	if out.IsNil() {
		return c.known.Map(kvs), nil
	}
	return c.t.Persistent(out), nil
}

// nameOf returns the name that a key of a Go map becomes.
func (c *importer) nameOf(k reflect.Value) (string, error) {
	if k.Kind() == reflect.String {
		return k.String(), nil
	}
	if k.Type().Implements(textMarshaler) {
		if k.Kind() == reflect.Pointer && k.IsNil() {
			return "", nil
		}
		text, err := ofMethod(k.Interface().(encoding.TextMarshaler).MarshalText)
		if err != nil {
			return "", badMethod("the key", k.Type(), "MarshalText", err)
		}
		return string(text), nil
	}
	if k.CanInt() {
		return strconv.FormatInt(k.Int(), 10), nil
	}
	return strconv.FormatUint(k.Uint(), 10), nil
}

// marshalled converts a value by one of its methods. How much the method allocates is unknown.
func (c *importer) marshalled(v reflect.Value, of *goType, depth int) (value.Value, error) {
	method := "MarshalJSON"
	if of.form == formText || of.form == formPointerText {
		method = "MarshalText"
	}
	if !v.CanInterface() {
		return value.Nil, badMethod("a Go value", of.t, method, errors.New("the field is not exported"))
	}
	if of.form == formPointerJSON || of.form == formPointerText {
		v = addressable(v).Addr()
	}
	if method == "MarshalText" {
		text, err := ofMethod(v.Interface().(encoding.TextMarshaler).MarshalText)
		if err != nil {
			return value.Nil, badMethod("a Go value", of.t, method, err)
		}
		return c.text(string(text))
	}
	text, err := ofMethod(v.Interface().(json.Marshaler).MarshalJSON)
	if err == nil {
		size := limits.BytesSize(cap(text))
		c.t.Charge(size)
		defer c.t.Credit(size)
		var x value.Value
		if x, err = c.reader().Value(text, depth); err == nil {
			return x, nil
		}
	}
	return value.Nil, badMethod("a Go value", of.t, method, err)
}

func badMethod(what string, t reflect.Type, method string, err error) error {
	want := "text"
	if strings.HasSuffix(method, "JSON") {
		want = "JSON"
	}
	return &misfit{got: what + " of type " + t.String(), want: want + " from its " + method, err: err}
}

// ofMethod returns the outcome of a method of the host. An error whose text can't be had, such as a nil pointer, is
// that of a panic.
func ofMethod(method func() ([]byte, error)) (text []byte, err error) {
	failed := ofHost(func() {
		if text, err = method(); err != nil {
			_ = err.Error()
		}
	})
	if failed != nil {
		return nil, failed
	}
	return text, err
}

// ofHost calls a function of the host. A panic is an error.
func ofHost(call func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panicked: %s", secret.Show(r))
		}
	}()
	call()
	return nil
}
