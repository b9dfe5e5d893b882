// This file defines the protocols of Clojure's own namespaces. A protocol of the library is a constant, which all runs
// share. The extensions that a program makes are in a protocol of the run.

package builtins

import (
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

// libraryProtocols are the protocols by namespace. The functions in late/ with the names of their methods
// call the result of protocolMethod, and otherwise behave like Clojure's own extensions.
var libraryProtocols = sync.OnceValue(func() map[string]map[string]value.Value {
	object, _ := jclass.Class(jclass.ObjectClass)
	all := value.ConstMap(value.Nil, value.EmptyMap, object, value.EmptyMap)
	objects := value.ConstMap(object, value.EmptyMap)
	protocol := func(ns, name string, impls value.Value, viaMeta bool, methods ...string) value.Value {
		kvs := make([]value.Value, 0, 2*len(methods)+2)
		for _, m := range methods {
			kvs = append(kvs, value.ConstKeyword(m), value.Nil)
		}
		if viaMeta {
			kvs = append(kvs, viaMetaKey, value.True)
		}
		return value.ConstProtocol(ns+"/"+name, value.ConstMap(kvs...), impls)
	}
	core, data, reducers := "clojure.core.protocols", "clojure.data", "clojure.core.reducers"
	return map[string]map[string]value.Value{
		core: {
			"CollReduce":     protocol(core, "CollReduce", all, false, "coll-reduce"),
			"IKVReduce":      protocol(core, "IKVReduce", all, false, "kv-reduce"),
			"InternalReduce": protocol(core, "InternalReduce", all, false, "internal-reduce"),
			"Datafiable":     protocol(core, "Datafiable", all, true, "datafy"),
			"Navigable":      protocol(core, "Navigable", objects, true, "nav"),
		},
		data: {
			"EqualityPartition": protocol(data, "EqualityPartition", all, false, "equality-partition"),
			"Diff":              protocol(data, "Diff", all, false, "diff-similar"),
		},
		reducers: {"CollFold": protocol(reducers, "CollFold", all, false, "coll-fold")},
	}
})

var libraryNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%protocol-method", Args: "protocol method:keyword x", Private: true,
		Cost: entry.Constant, Fn: protocolMethod,
		Doc: "Returns the program's function for a method of a protocol of the library, nil if it has none for x."},
}

// protocolMethod returns nil for a method that only the library implements.
func protocolMethod(t *value.Task, a []value.Value) value.Value {
	f, _ := implementation(t, a[0].AsProtocol(), a[1], a[2])
	return f
}

// ownProtocol returns the protocol that has the extensions of a run: for a protocol of the library a copy
// in a cell of the run, for any other protocol itself. It is nil if the run has none.
func ownProtocol(t *value.Task, p *value.Protocol) *value.Protocol {
	if !p.Library() {
		return p
	}
	x := t.Host.Cell(p.Name).AsAtom().Val
	if x.IsNil() {
		return nil
	}
	return x.AsProtocol()
}

// extensible returns the protocol that extensions of p belong to. It makes that of a protocol of the library.
func extensible(t *value.Task, p *value.Protocol) *value.Protocol {
	own := ownProtocol(t, p)
	if own == nil {
		cell := t.Host.Cell(p.Name)
		t.Owns(cell, "protocol")
		cell.AsAtom().Val = t.Protocol(p.Name, p.Sigs)
		own = cell.AsAtom().Val.AsProtocol()
	}
	t.Owns(value.Of(&own.Header), "protocol")
	return own
}

// implementsLibrary returns the methods of a protocol of the library in the definition of a type that names the
// interface of the protocol instead, nil if there are none.
func implementsLibrary(t *value.Task, typ *value.RecordType, p *value.Protocol) value.Value {
	if !p.Library() || typ.Impls.IsNil() {
		return value.Nil
	}
	class := strings.ReplaceAll(p.Name, "/", ".")
	for it := value.NewMapIter(typ.Impls); it.Next(); {
		t.Work(1)
		if it.Key.Kind() == value.KindType && it.Key.AsType().Name == class {
			return it.Val
		}
	}
	return value.Nil
}
