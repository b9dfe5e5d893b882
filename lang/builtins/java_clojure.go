// This file defines the static methods and constructors of Clojure's own classes, which libraries call.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/colls"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

// clojureStatics are the static methods of RT, Util and others: functions of clojure.core under other names.
func clojureStatics() []entry.Entry {
	return []entry.Entry{
		static("Util", "equiv", "x y", "Returns true if two values are equal, as = does.",
			`(clojure.lang.Util/equiv 1 1) => true`, equal),
		static("Util", "equals", "x y", "Returns true if two values are equal, as Java's equals does.",
			`(clojure.lang.Util/equals 1 1.0) => false`, nilEquals),
		static("Util", "identical", "x y", "Returns true if two values are the same.",
			`(clojure.lang.Util/identical :a :a) => true`, identical),
		static("Util", "hash", "x", "Returns Java's hash of a value, 0 for nil.", `(clojure.lang.Util/hash nil) => 0`,
			nilHash),
		static("Util", "hasheq", "x", "Returns the hash of a value, as hash does.",
			`(= (clojure.lang.Util/hasheq :a) (hash :a)) => true`, hash),
		static("Util", "compare", "x y", "Compares two values, as compare does.",
			`(clojure.lang.Util/compare 1 2) => -1`, compare),
		static("Util", "isInteger", "x", "Returns true for an integer of up to 64 bits or a bigint.",
			`(clojure.lang.Util/isInteger 1.5) => false`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(a[0].Is(value.Kinds(value.KindInt, value.KindBigInt)))
			}),
		static("RT", "seq", "coll", "Returns the sequence of a collection, as seq does.",
			`(clojure.lang.RT/seq [1]) => (1)`, entry.Unary((*value.Task).SeqView)),
		static("RT", "first", "coll", "Returns the first element, as first does.", `(clojure.lang.RT/first [1 2]) => 1`,
			entry.Unary((*value.Task).First)),
		static("RT", "next", "coll", "Returns the sequence after the first element, as next does.",
			`(clojure.lang.RT/next [1 2]) => (2)`, func(t *value.Task, a []value.Value) value.Value {
				return t.NextView(a[0])
			}),
		static("RT", "more", "coll", "Returns the elements after the first, as rest does.",
			`(clojure.lang.RT/more [1]) => ()`, entry.Unary((*value.Task).Rest)),
		static("RT", "count", "coll", "Returns the number of elements, as count does.",
			`(clojure.lang.RT/count [1 2]) => 2`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(t.Count(a[0])))
			}),
		static("RT", "get", "of k | of k not-found", "Returns the value of a key, as get does.",
			`(clojure.lang.RT/get {:a 1} :a) => 1`, func(t *value.Task, a []value.Value) value.Value {
				return t.Get(a[0], a[1], third(a))
			}),
		static("RT", "nth", "coll n:int | coll n:int not-found", "Returns the element at an index, as nth does.",
			`(clojure.lang.RT/nth [1 2] 1) => 2`, func(t *value.Task, a []value.Value) value.Value {
				x, ok := t.Nth(a[0], int(a[1].AsInt()))
				switch {
				case ok:
					return x
				case len(a) == 2 && !a[0].IsNil():
					t.Fail(diag.OutOfRange, "nth: index %d is out of range", a[1].AsInt())
				}
				return third(a)
			}),
		static("RT", "printString", "x", "Returns the printed form of a value, as pr-str does.",
			`(clojure.lang.RT/printString "a") => "\"a\""`, entry.Unary((*value.Task).PrStr)),
		static("RT", "conj", "coll x", "Adds an element, as conj does.", `(clojure.lang.RT/conj [1] 2) => [1 2]`,
			entry.Binary((*value.Task).Conj)),
		static("RT", "cons", "x coll", "Returns a sequence with x before the elements, as cons does.",
			`(clojure.lang.RT/cons 1 [2]) => (1 2)`, func(t *value.Task, a []value.Value) value.Value {
				return t.Cons(a[0], t.SeqView(a[1]))
			}),
		static("RT", "assoc", "m k v", "Sets the value of a key, as assoc does.",
			`(clojure.lang.RT/assoc {} :a 1) => {:a 1}`, func(t *value.Task, a []value.Value) value.Value {
				return t.Assoc(a[0], a[1], a[2])
			}),
		static("RT", "booleanCast", "x", "Returns false for nil and false, true for other values.",
			`(clojure.lang.RT/booleanCast nil) => false`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(a[0].Truthy())
			}),
		static("RT", "boundedLength", "list limit:int", "Returns the number of elements, at most one more than a limit.",
			`(clojure.lang.RT/boundedLength [1 2 3] 1) => 2`, boundedLength),
		static("RT", "keys", "coll", "Returns the keys of a map, or of a sequence of entries.",
			`(clojure.lang.RT/keys {:a 1}) => (:a)`, coreFn("keys")),
		static("RT", "vals", "coll", "Returns the values of a map, or of a sequence of entries.",
			`(clojure.lang.RT/vals {:a 1}) => (1)`, coreFn("vals")),
		static("Class", "forName", "name:string | name:string initialize loader", "Returns the class with a name.",
			`(Class/forName "java.lang.String") => java.lang.String`, classForName),
		static("System", "getProperty", "key:string | key:string default",
			"Returns the value of a key that System/setProperty has set, or the separator of lines, files or paths; for other "+
				"keys the default, or nil.",
			`(System/getProperty "file.separator") => "/"`, systemProperty),
		static("System", "setProperty", "key:string val:string",
			"Sets the value of a key for System/getProperty in this run. Returns the old value, or nil.",
			`(do (System/setProperty "a" "1") (System/getProperty "a")) => "1"`,
			func(t *value.Task, a []value.Value) value.Value { return changeProperty(t, a[0], a[1]) }),
		static("System", "clearProperty", "key:string", "Removes a key of System/getProperty. Returns the old value, or nil.",
			`(do (System/setProperty "a" "1") (System/clearProperty "a")) => "1"`,
			func(t *value.Task, a []value.Value) value.Value { return changeProperty(t, a[0], value.Nil) }),
		static("APersistentMap", "mapHash", "m", "Returns Java's hash of a map.",
			`(= (clojure.lang.APersistentMap/mapHash {:a 1}) (.hashCode {:a 1})) => true`, mapHash(value.JavaHash)),
		static("APersistentMap", "mapHasheq", "m", "Returns the hash of a map.",
			`(= (clojure.lang.APersistentMap/mapHasheq {:a 1}) (hash {:a 1})) => true`, hashUnordered),
		static("Murmur3", "hashOrdered", "coll", "Returns the hash of a sequential collection of the elements.",
			`(= (clojure.lang.Murmur3/hashOrdered [1]) (hash [1])) => true`, hashOrdered),
		static("Murmur3", "hashUnordered", "coll", "Returns the hash of a set of the elements.",
			`(= (clojure.lang.Murmur3/hashUnordered [1]) (hash #{1})) => true`, hashUnordered),
		static("Murmur3", "mixCollHash", "hash:int count:int", "Mixes the hash of elements with their number.",
			`(= (clojure.lang.Murmur3/mixCollHash 1 1) (mix-collection-hash 1 1)) => true`, mixHash),
		static("Murmur3", "hashLong", "n:int", "Returns the hash of an integer.",
			`(= (clojure.lang.Murmur3/hashLong 5) (hash 5)) => true`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(murmur.HashLong(a[0].AsInt())))
			}),
		static("new", "SeqIterator", "coll", "Returns an iterator over a sequence.",
			`(.next (clojure.lang.SeqIterator. (seq [1]))) => 1`, func(t *value.Task, a []value.Value) value.Value {
				return t.Iterator(t.Seq(a[0]))
			}),
		static("new", "Cons", "x coll", "Returns a sequence with x before the elements.",
			`(clojure.lang.Cons. 1 '(2)) => (1 2)`, func(t *value.Task, a []value.Value) value.Value {
				return t.Cons(a[0], t.SeqView(a[1]))
			}),
		static("new", "Reduced", "x", "Returns a value that ends a reduction, as reduced does.",
			`(deref (clojure.lang.Reduced. 1)) => 1`, entry.Unary((*value.Task).Reduced)),
		static("PersistentVector", "create", "coll:seqable", "Returns a vector of the elements.",
			`(clojure.lang.PersistentVector/create [1 2]) => [1 2]`, func(t *value.Task, a []value.Value) value.Value {
				return t.Vector(t.ToVals(a[0])...)
			}),
		static("PersistentHashSet", "createWithCheck", "coll:seqable",
			"Returns a set of the elements, which must be distinct.",
			`(clojure.lang.PersistentHashSet/createWithCheck [1]) => #{1}`, func(t *value.Task, a []value.Value) value.Value {
				set := value.EmptySet
				t.Each(a[0], func(x value.Value) bool {
					if _, dup := t.SetGet(set, x); dup {
						t.Fail(diag.IllegalArgument, "Duplicate key: %s", value.Show(t, x))
					}
					set = t.Conj(set, x)
					return true
				})
				return set
			}),
		static("PersistentList", "create", "coll:seqable", "Returns a list of the elements.",
			`(clojure.lang.PersistentList/create [1 2]) => (1 2)`, func(t *value.Task, a []value.Value) value.Value {
				return t.List(t.ToVals(a[0])...)
			}),
		static("BigInt", "fromBigInteger", "n", "Returns an integer as a bigint.",
			`(clojure.lang.BigInt/fromBigInteger (biginteger 1)) => 1N`, entry.Unary(value.BigIntOf)),
		static("Numbers", "reduceBigInt", "n", "Returns an integer as one of 64 bits, if it fits.",
			`(clojure.lang.Numbers/reduceBigInt 1N) => 1`, func(t *value.Task, a []value.Value) value.Value {
				if a[0].Kind() == value.KindBigInt && a[0].AsBigInt().N.IsInt64() {
					return value.Int(a[0].AsBigInt().N.Int64())
				}
				return a[0]
			}),
		static("RT", "baseLoader", "", "Returns nil: a program loads no classes.", `(clojure.lang.RT/baseLoader) => nil`,
			func(*value.Task, []value.Value) value.Value { return value.Nil }),
		static("PersistentHashSet", "create", "coll:seqable", "Returns a set of the elements.",
			`(clojure.lang.PersistentHashSet/create [1]) => #{1}`, func(t *value.Task, a []value.Value) value.Value {
				set := t.Transient(value.EmptySet)
				t.Each(a[0], func(x value.Value) bool {
					t.TConj(set, x)
					return true
				})
				return t.Persistent(set)
			}),
		entry.Method("comparator", "", colls.SortedKinds, entry.Constant,
			"Returns the comparator of a sorted collection.", `(.compare (.comparator (sorted-set)) 1 2) => -1`,
			func(_ *value.Task, a []value.Value) value.Value {
				if cmp := value.ComparatorOf(a[0]); !cmp.IsNil() {
					return cmp
				}
				return defaultComparator
			}),
	}
}

// defaultComparator is the comparator of sorted collections that were made without one.
var defaultComparator = value.ConstNative(value.Native{Name: "compare", Min: 2, Max: 2, Fn: compare})

// static makes the entry of a static method whose cost grows with its arguments.
func static(class, name, args, doc, example string, fn value.NativeFunc) entry.Entry {
	return entry.StaticMethod(class, name, args, entry.Walks, doc, example, fn)
}

// coreFn makes a function that calls one of clojure.core.
func coreFn(name string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		return loaded.Load().lookup(entry.CoreNS, name).Fn(t, a)
	}
}

func classForName(t *value.Task, a []value.Value) value.Value {
	name := a[0].AsString().S
	if class, ok := jclass.Class(name); ok && class.AsType().Name == name {
		return class
	}
	t.FailClass("java.lang.ClassNotFoundException", diag.IllegalArgument, "%s", name)
	return value.Nil
}

// systemProperties are those that a program has set or, with nil as their value, removed.
func systemProperties(t *value.Task) value.Value { return t.Host.Cell("java.lang.System/properties") }

// changeProperty sets a property, or removes it for nil. It returns the old value.
func changeProperty(t *value.Task, key, x value.Value) value.Value {
	if key.AsString().S == "" {
		t.Fail(diag.IllegalArgument, "key can't be empty")
	}
	old := systemProperty(t, []value.Value{key})
	cell := systemProperties(t)
	all := cell.AsAtom().Val
	if all.IsNil() {
		all = value.EmptyMap
	}
	all = t.MapAssoc(all, key, x)
	t.Owns(cell, "property")
	cell.AsAtom().Val = all
	return old
}

func systemProperty(t *value.Task, a []value.Value) value.Value {
	if x, ok := t.MapGet(systemProperties(t).AsAtom().Val, a[0]); ok {
		if x.IsNil() && len(a) == 2 {
			return a[1]
		}
		return x
	}
	switch a[0].AsString().S {
	case "line.separator":
		return newline
	case "file.separator":
		return slash
	case "path.separator":
		return colon
	}
	if len(a) == 2 {
		return a[1]
	}
	return value.Nil
}

var slash, colon = value.ConstString("/"), value.ConstString(":")

func third(a []value.Value) value.Value {
	if len(a) == 3 {
		return a[2]
	}
	return value.Nil
}

func nilEquals(t *value.Task, a []value.Value) value.Value {
	if a[0].IsNil() || a[1].IsNil() {
		return value.Bool(a[0].IsNil() && a[1].IsNil())
	}
	return javaEquals(t, a)
}

func nilHash(t *value.Task, a []value.Value) value.Value {
	if a[0].IsNil() {
		return value.Int(0)
	}
	return value.Int(int64(value.JavaHash(t, a[0])))
}

func boundedLength(t *value.Task, a []value.Value) value.Value {
	n, limit := int64(0), a[1].AsInt()
	t.Each(a[0], func(value.Value) bool {
		n++
		return n <= limit
	})
	return value.Int(n)
}

// mapHash makes the sum of the hashes of the entries of a map, as in Java's maps.
func mapHash(of func(t *value.Task, v value.Value) int32) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		h := int32(0)
		if a[0].IsNil() || !a[0].Is(value.Maps|value.Kinds(value.KindObject)) {
			t.FailWant("mapHash", a[0], "a map")
		}
		m := a[0]
		if m.Kind() == value.KindObject {
			m = t.PlainEntries(m)
		}
		t.Each(m, func(e value.Value) bool {
			if !e.Is(value.Vectors) || value.VecCount(e) != 2 {
				t.FailWant("mapHash", e, "a map entry")
			}
			k, v := int32(0), int32(0)
			if x := value.VecAt(e, 0); !x.IsNil() {
				k = of(t, x)
			}
			if x := value.VecAt(e, 1); !x.IsNil() {
				v = of(t, x)
			}
			h += k ^ v
			return true
		})
		return value.Int(int64(h))
	}
}
