// This file defines the constructors of record types, records, protocols and
// multimethods.

package value

import "github.com/ptc-lang/ptc/runtime/limits"

// RecordType returns the type of records with the given fields, keywords in a block from Vals.
// impls maps protocols, and the class Object, to maps from method keyword to function.
func (t *Task) RecordType(name string, fields []Value, impls Value) Value {
	t.Charge(sizeRecordType + limits.BytesSize(len(name)))
	typ := &RecordType{Header: t.header(KindType), Name: string(append([]byte(nil), name...)), Fields: fields,
		Impls: impls}
	if !impls.IsNil() {
		typ.methods, typ.own = t.methodsOf(impls)
	}
	return Value{h: &typ.Header}
}

// methodsOf returns the methods of all protocols and interfaces of a type, and of its interfaces and the protocols of
// the library alone.
func (t *Task) methodsOf(impls Value) (all, own Value) {
	for it := NewMapIter(impls); it.Next(); {
		if MapCount(it.Val) == 0 {
			continue
		}
		all = t.addMethods(all, it.Val)
		if it.Key.Kind() == KindType || it.Key.Kind() == KindProtocol && it.Key.AsProtocol().Library() {
			own = t.addMethods(own, it.Val)
		}
	}
	return all, own
}

// addMethods returns the methods of two maps. If both have one of a name, that of the first is taken.
func (t *Task) addMethods(methods, more Value) Value {
	if methods.IsNil() {
		return more
	}
	for it := NewMapIter(more); it.Next(); {
		t.Work(1)
		if _, ok := t.MapGet(methods, it.Key); !ok {
			methods = t.MapAssoc(methods, it.Key, it.Val)
		}
	}
	return methods
}

// Record returns a record with the values of its fields, a block from Vals. ext is a map of further
// entries, or nil.
func (t *Task) Record(typ *RecordType, vals []Value, ext Value) Value {
	t.Charge(sizeRecord)
	return Value{h: &(&Record{Header: t.header(KindRecord), Type: typ, Vals: vals, Ext: ext.h}).Header}
}

// Protocol returns a protocol without implementations. name is "ns/Name", part of a string that the
// program holds.
func (t *Task) Protocol(name string, sigs Value) Value {
	t.Charge(sizeProtocol)
	return Value{h: &(&Protocol{Header: t.header(KindProtocol), Name: name, Sigs: sigs, Impls: EmptyMap}).Header}
}

// ConstProtocol returns a protocol of the library, which belongs to no evaluation. impls has the types that the library
// extends it to.
func ConstProtocol(name string, sigs, impls Value) Value {
	return Value{h: &(&Protocol{Header: Header{kind: KindProtocol}, Name: name, Sigs: sigs, Impls: impls}).Header}
}

// Library reports whether a protocol is one of the library.
func (p *Protocol) Library() bool { return p.owner == 0 }

// ProtocolFn returns the function of a method of a protocol.
func (t *Task) ProtocolFn(p *Protocol, method Value) Value {
	t.Charge(sizeProtocolFn)
	return Value{h: &(&ProtocolFn{Header: t.header(KindProtocolFn), Protocol: p, Method: method}).Header}
}

// MultiFn returns a multimethod without methods. name is part of a string that the program holds.
// hierarchy is an atom, a var, or nil for the global one.
func (t *Task) MultiFn(name string, dispatch, def, hierarchy Value) Value {
	t.Charge(sizeMultiFn)
	return Value{h: &(&MultiFn{Header: t.header(KindMultiFn), Name: name, Dispatch: dispatch, Default: def,
		Hierarchy: hierarchy,
		Methods:   EmptyMap, Prefers: EmptyMap}).Header}
}
