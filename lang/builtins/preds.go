// This file defines the predicates: tests of the kind, the number, the identity
// and the order of values.

package builtins

import (
	"math"
	"math/big"
	"slices"

	"github.com/ptc-lang/ptc/lang/builtins/internal/colls"
	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

func preds() [][]entry.Entry {
	return [][]entry.Entry{kindPreds(), namePreds(), numberPreds(), comparisons(), typeEntries()}
}

// The sets of kinds that predicates test.
var (
	countedKinds = value.Vectors | value.Maps | value.Sets | value.Kinds(value.KindList, value.KindRange, value.KindVecSeq,
		value.KindStrSeq, value.KindQueue, value.KindTransientVector, value.KindTransientMap, value.KindTransientSet)
	fnKinds  = value.Kinds(value.KindFn, value.KindNative, value.KindProtocolFn)
	intKinds = value.Kinds(value.KindInt)
	rational = value.Integers | value.Kinds(value.KindRatio, value.KindDecimal)
)

// isLike makes the function of a predicate that tests for kinds, or for objects whose types
// implement one of some interfaces.
func isLike(kinds value.KindSet, interfaces ...string) value.NativeFunc {
	return test(func(v value.Value) bool { return like(v, kinds, interfaces...) })
}

func like(v value.Value, kinds value.KindSet, interfaces ...string) bool {
	return v.Is(kinds) || v.Kind() == value.KindObject &&
		slices.ContainsFunc(interfaces, func(class string) bool { return jclass.InstanceOf(v, class) })
}

func likeSeqable(v value.Value) bool {
	return like(v, value.Seqables&^value.Kinds(value.KindObject), "clojure.lang.Seqable", "java.lang.Iterable")
}

// test makes the function of a predicate of one value.
func test(f func(v value.Value) bool) value.NativeFunc {
	return func(_ *value.Task, args []value.Value) value.Value { return value.Bool(f(args[0])) }
}

func kindPreds() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "nil?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Intrinsic: entry.IntrinsicNil, Fn: entry.IsKind(value.Kinds(value.KindNil)),
			Doc: "Returns true if x is nil.", Examples: []string{"(nil? nil) => true", "(nil? false) => false"}},
		{NS: "clojure.core", Name: "some?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Intrinsic: entry.IntrinsicSome, Fn: entry.IsKind(value.AnyKind &^ value.Kinds(value.KindNil)),
			Doc: "Returns true if x is not nil.", Examples: []string{"(some? false) => true", "(some? nil) => false"}},
		{NS: "clojure.core", Name: "any?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.AnyKind),
			Doc: "Returns true.", Examples: []string{"(any? nil) => true"}},
		{NS: "clojure.core", Name: "not", Args: "x", Cost: entry.Constant, Purity: entry.Total, Special: entry.SpecialNot,
			Fn:       test(func(v value.Value) bool { return !v.Truthy() }),
			Doc:      "Returns true if x is nil or false.",
			Examples: []string{"(not nil) => true", "(map not [1 nil]) => (false true)"}},
		{NS: "clojure.core", Name: "true?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  test(func(v value.Value) bool { return value.Identical(v, value.True) }),
			Doc: "Returns true if x is true.", Examples: []string{"(true? true) => true", "(true? 1) => false"}},
		{NS: "clojure.core", Name: "false?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  test(func(v value.Value) bool { return value.Identical(v, value.False) }),
			Doc: "Returns true if x is false.", Examples: []string{"(false? false) => true", "(false? nil) => false"}},
		{NS: "clojure.core", Name: "boolean?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:       entry.IsKind(value.Kinds(value.KindBool)),
			Doc:      "Returns true if x is true or false.",
			Examples: []string{"(boolean? false) => true", "(boolean? nil) => false"}},
		{NS: "clojure.core", Name: "string?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindString)),
			Doc: "Returns true if x is a string.", Examples: []string{"(string? \"a\") => true", "(string? :a) => false"}},
		{NS: "clojure.core", Name: "char?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindChar)),
			Doc: "Returns true if x is a character.", Examples: []string{"(char? \\a) => true", "(char? \"a\") => false"}},
		{NS: "clojure.core", Name: "coll?", Args: "x", Facts: entry.TestsType, Cost: entry.Constant, Purity: entry.Pure,
			Fn:  isLike(value.Colls, "clojure.lang.IPersistentCollection"),
			Doc: "Returns true if x is a collection.", Examples: []string{"(coll? {}) => true", "(coll? \"a\") => false"}},
		{NS: "clojure.core", Name: "seq?", Args: "x", Facts: entry.TestsType, Cost: entry.Constant, Purity: entry.Pure,
			Fn:  isLike(value.Seqs, "clojure.lang.ISeq"),
			Doc: "Returns true if x is a sequence.", Examples: []string{"(seq? '(1)) => true", "(seq? [1]) => false"}},
		{NS: "clojure.core", Name: "list?", Args: "x", Facts: entry.TestsType, Cost: entry.Constant, Purity: entry.Pure,
			Fn:  isLike(value.Kinds(value.KindList, value.KindQueue), "clojure.lang.IPersistentList"),
			Doc: "Returns true if x is a list.", Examples: []string{"(list? '(1)) => true", "(list? (map inc [1])) => false"}},
		{NS: "clojure.core", Name: "vector?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure,
			Fn:  isLike(value.Vectors, "clojure.lang.IPersistentVector"),
			Doc: "Returns true if x is a vector.", Examples: []string{"(vector? [1]) => true", "(vector? '(1)) => false"}},
		{NS: "clojure.core", Name: "map?", Args: "x", Facts: entry.TestsType, Cost: entry.Constant, Purity: entry.Pure,
			Fn:  isLike(value.Maps, "clojure.lang.IPersistentMap"),
			Doc: "Returns true if x is a map.", Examples: []string{"(map? {}) => true", "(map? [1]) => false"}},
		{NS: "clojure.core", Name: "set?", Args: "x", Facts: entry.TestsType, Cost: entry.Constant, Purity: entry.Pure,
			Fn:  isLike(value.Sets, "clojure.lang.IPersistentSet"),
			Doc: "Returns true if x is a set.", Examples: []string{"(set? #{1}) => true", "(set? [1]) => false"}},
		{NS: "clojure.core", Name: "sorted?", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       isLike(colls.SortedKinds, "clojure.lang.Sorted"),
			Doc:      "Returns true if x is a sorted map or set.",
			Examples: []string{"(sorted? (sorted-set 1)) => true", "(sorted? #{1}) => false"}},
		{NS: "clojure.core", Name: "associative?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure,
			Fn:       isLike(value.Maps|value.Vectors, "clojure.lang.Associative"),
			Doc:      "Returns true if x implements associative lookup and assoc: a map or vector.",
			Examples: []string{"(associative? [1]) => true", "(associative? #{1}) => false"}},
		{NS: "clojure.core", Name: "counted?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure, Fn: test(isCounted),
			Doc:      "Returns true if count takes constant time on x.",
			Examples: []string{"(counted? [1]) => true", "(counted? (map inc [1])) => false"}},
		{NS: "clojure.core", Name: "indexed?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure,
			Fn:       isLike(value.Vectors, "clojure.lang.Indexed"),
			Doc:      "Returns true if nth takes constant time on x.",
			Examples: []string{"(indexed? [1]) => true", "(indexed? '(1)) => false"}},
		{NS: "clojure.core", Name: "reversible?", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       isLike(value.Vectors|colls.SortedKinds, "clojure.lang.Reversible"),
			Doc:      "Returns true if x can be the argument of rseq.",
			Examples: []string{"(reversible? [1]) => true", "(reversible? '(1)) => false"}},
		{NS: "clojure.core", Name: "sequential?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure,
			Fn:       isLike(colls.SequentialKinds, "clojure.lang.Sequential"),
			Doc:      "Returns true if x is a vector, list or sequence.",
			Examples: []string{"(sequential? [1]) => true", "(sequential? {}) => false"}},
		{NS: "clojure.core", Name: "seqable?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure,
			Fn: test(func(v value.Value) bool {
				if v.Kind() == value.KindJava {
					return v.AsJava().Class.Seq != nil
				}
				return likeSeqable(v)
			}),
			Doc: "Returns true if x can be the argument of seq.",
			Examples: []string{"(seqable? \"a\") => true", "(seqable? 1) => false",
				`(seqable? (java.net.URI. "a")) => false`}},
		{NS: "clojure.core", Name: "map-entry?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       isLike(value.Kinds(value.KindMapEntry), "java.util.Map$Entry"),
			Doc:      "Returns true if x is an entry of a map.",
			Examples: []string{"(map-entry? (first {:a 1})) => true", "(map-entry? [1 2]) => false"}},
		{NS: "clojure.core", Name: "record?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindRecord)),
			Doc: "Returns true if x is a record.", Examples: []string{"(record? {}) => false"}},
		{NS: "clojure.core", Name: "fn?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total, Fn: entry.IsKind(fnKinds),
			Doc:      "Returns true if x is a function; other values that can be called are not.",
			Examples: []string{"(fn? inc) => true", "(fn? :a) => false"}},
		{NS: "clojure.core", Name: "ifn?", Args: "x", Facts: entry.TestsType,
			Cost: entry.PerElement, Purity: entry.Pure, Fn: isCallable,
			Doc: "Returns true if x can be called.", Examples: []string{"(ifn? :a) => true", "(ifn? 1) => false"}},
		{NS: "clojure.core", Name: "var?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindVar)),
			Doc: "Returns true if x is a var.", Examples: []string{"(var? #'inc) => true", "(var? inc) => false"}},
		{NS: "clojure.core", Name: "delay?", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Fn: isDelay,
			Doc: "Returns true if x is a delay.", Examples: []string{"(delay? (delay 1)) => true", "(delay? 1) => false"}},
		{NS: "clojure.core", Name: "reduced?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       entry.IsKind(value.Kinds(value.KindReduced)),
			Doc:      "Returns true if x is a result of reduced.",
			Examples: []string{"(reduced? (reduced 1)) => true", "(reduced? 1) => false"}},
		{NS: "clojure.core", Name: "volatile?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindVolatile)),
			Doc: "Returns true if x is a volatile.", Examples: []string{"(volatile? (volatile! 1)) => true", "(volatile? 1) " +
				"=> false"}},
		{NS: "clojure.core", Name: "uuid?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindUUID)),
			Doc: "Returns true if x is a UUID.", Examples: []string{"(uuid? #uuid \"00000000-0000-0000-0000-000000000000\") " +
				"=> true", "(uuid? 1) => false"}},
		{NS: "clojure.core", Name: "inst?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  test(func(v value.Value) bool { return v.Kind() == value.KindInst || v.ClassIs(java.Instant) }),
			Doc: "Returns true if x is an instant.", Examples: []string{"(inst? #inst \"2020-01-01\") => true", "(inst? 1) => " +
				"false"}},
		{NS: "clojure.core", Name: "uri?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  func(_ *value.Task, a []value.Value) value.Value { return value.Bool(java.IsURI(a[0])) },
			Doc: "Returns true if x is a java.net.URI.", Examples: []string{"(uri? (java.net.URI. \"a\")) => true"}},
		{NS: "clojure.core", Name: "bytes?", Args: "x", Cost: entry.Constant, Purity: entry.Total, Fn: isBytes,
			Doc: "Returns true if x is an array of bytes.", Examples: []string{"(bytes? (byte-array 1)) => true",
				"(bytes? \"a\") => false"}},
		{NS: "clojure.core", Name: "%array?", Args: "x", Cost: entry.Constant, Purity: entry.Total, Private: true,
			Fn: entry.IsKind(value.Kinds(value.KindArray))},
		{NS: "clojure.core", Name: "tagged-literal?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn: func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(a[0].Kind() == value.KindTagged && !value.IsReaderConditional(a[0]))
			},
			Doc: "Returns true if x is a tagged literal.", Examples: []string{"(tagged-literal? 1) => false"}},
		{NS: "clojure.core", Name: "reader-conditional?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn: func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(value.IsReaderConditional(a[0]))
			},
			Doc:      "Returns true if x is a reader conditional that was read with {:read-cond :preserve}.",
			Examples: []string{"(reader-conditional? 1) => false"}},
		{NS: "clojure.core", Name: "class?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindType)),
			Doc: "Returns true if x is a class.", Examples: []string{"(class? String) => true", "(class? 1) => false"}},
	}
}

// isCounted knows that the sequence of a map is counted for small and sorted ones only.
func isCounted(v value.Value) bool {
	if v.Kind() == value.KindMapSeq {
		s := v.AsMapSeq()
		return s.Mode == value.SeqEntries && s.Coll.Kind() != value.KindHashMap && s.Coll.Kind() != value.KindHashSet
	}
	return v.Is(countedKinds) || v.Kind() == value.KindObject && jclass.InstanceOf(v, "clojure.lang.Counted")
}

func namePreds() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "keyword?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindKeyword)),
			Doc: "Returns true if x is a keyword.", Examples: []string{"(keyword? :a) => true", "(keyword? 'a) => false"}},
		{NS: "clojure.core", Name: "symbol?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindSymbol)),
			Doc: "Returns true if x is a symbol.", Examples: []string{"(symbol? 'a) => true", "(symbol? :a) => false"}},
		{NS: "clojure.core", Name: "ident?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:       entry.IsKind(value.Kinds(value.KindKeyword, value.KindSymbol)),
			Doc:      "Returns true if x is a keyword or symbol.",
			Examples: []string{"(ident? :a) => true", "(ident? \"a\") => false"}},
		{NS: "clojure.core", Name: "simple-keyword?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       named(value.Kinds(value.KindKeyword), false),
			Doc:      "Returns true if x is a keyword without a namespace.",
			Examples: []string{"(simple-keyword? :a) => true", "(simple-keyword? :a/b) => false"}},
		{NS: "clojure.core", Name: "qualified-keyword?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       named(value.Kinds(value.KindKeyword), true),
			Doc:      "Returns true if x is a keyword with a namespace.",
			Examples: []string{"(qualified-keyword? :a/b) => true", "(qualified-keyword? :a) => false"}},
		{NS: "clojure.core", Name: "simple-symbol?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       named(value.Kinds(value.KindSymbol), false),
			Doc:      "Returns true if x is a symbol without a namespace.",
			Examples: []string{"(simple-symbol? 'a) => true", "(simple-symbol? 'a/b) => false"}},
		{NS: "clojure.core", Name: "qualified-symbol?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       named(value.Kinds(value.KindSymbol), true),
			Doc:      "Returns true if x is a symbol with a namespace.",
			Examples: []string{"(qualified-symbol? 'a/b) => true", "(qualified-symbol? 'a) => false"}},
		{NS: "clojure.core", Name: "simple-ident?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       named(value.Kinds(value.KindKeyword, value.KindSymbol), false),
			Doc:      "Returns true if x is a keyword or symbol without a namespace.",
			Examples: []string{"(simple-ident? :a) => true", "(simple-ident? 'a/b) => false"}},
		{NS: "clojure.core", Name: "qualified-ident?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       named(value.Kinds(value.KindKeyword, value.KindSymbol), true),
			Doc:      "Returns true if x is a keyword or symbol with a namespace.",
			Examples: []string{"(qualified-ident? :a/b) => true", "(qualified-ident? 'a) => false"}},
		{NS: "clojure.core", Name: "special-symbol?", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       test(isSpecialSymbol),
			Doc:      "Returns true if x names a special form.",
			Examples: []string{"(special-symbol? 'if) => true", "(special-symbol? 'inc) => false"}},
	}
}

// named makes a predicate of keywords or symbols with or without a namespace.
func named(kinds value.KindSet, qualified bool) value.NativeFunc {
	return test(func(v value.Value) bool {
		if !v.Is(kinds) {
			return false
		}
		ns := ""
		if v.IsKeyword() {
			ns = v.AsKeyword().NS
		} else {
			ns = v.AsSymbol().NS
		}
		return (ns != "") == qualified
	})
}

// isSpecialSymbol reports whether a value is the name of a special form of Clojure.
func isSpecialSymbol(v value.Value) bool {
	if !v.IsSymbol() {
		return false
	}
	s := v.AsSymbol()
	if s.NS != "" { // the only qualified one, which PTC does not have
		return s.NS == entry.CoreNS && s.Name == "import*"
	}
	e := loaded.Load().lookup(entry.CoreNS, s.Name)
	return e != nil && e.Bare
}

func numberPreds() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "number?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Numbers),
			Doc: "Returns true if x is a number.", Examples: []string{"(number? 1/2) => true", "(number? \"1\") => false"}},
		{NS: "clojure.core", Name: "int?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total, Fn: entry.IsKind(intKinds),
			Doc: "Returns true if x is a 64-bit integer.", Examples: []string{"(int? 1) => true", "(int? 1N) => false"}},
		{NS: "clojure.core", Name: "integer?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:       entry.IsKind(value.Integers),
			Doc:      "Returns true if x is an integer of any size.",
			Examples: []string{"(integer? 1N) => true", "(integer? 1.0) => false"}},
		{NS: "clojure.core", Name: "pos-int?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:       test(func(v value.Value) bool { return v.IsInt() && v.AsInt() > 0 }),
			Doc:      "Returns true if x is a 64-bit integer above 0.",
			Examples: []string{"(pos-int? 1) => true", "(pos-int? 0) => false"}},
		{NS: "clojure.core", Name: "neg-int?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:       test(func(v value.Value) bool { return v.IsInt() && v.AsInt() < 0 }),
			Doc:      "Returns true if x is a 64-bit integer below 0.",
			Examples: []string{"(neg-int? -1) => true", "(neg-int? 0) => false"}},
		{NS: "clojure.core", Name: "nat-int?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:       test(func(v value.Value) bool { return v.IsInt() && v.AsInt() >= 0 }),
			Doc:      "Returns true if x is a 64-bit integer not below 0.",
			Examples: []string{"(nat-int? 0) => true", "(nat-int? -1) => false"}},
		{NS: "clojure.core", Name: "float?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindFloat)),
			Doc: "Returns true if x is a double.", Examples: []string{"(float? 1.0) => true", "(float? 1) => false"}},
		{NS: "clojure.core", Name: "double?", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindFloat)),
			Doc: "Returns true if x is a double.", Examples: []string{"(double? 1.0) => true", "(double? 1M) => false"}},
		{NS: "clojure.core", Name: "ratio?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindRatio)),
			Doc: "Returns true if x is a ratio.", Examples: []string{"(ratio? 1/2) => true", "(ratio? 0.5) => false"}},
		{NS: "clojure.core", Name: "rational?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       entry.IsKind(rational),
			Doc:      "Returns true if x is an integer, ratio or decimal.",
			Examples: []string{"(rational? 1M) => true", "(rational? 1.0) => false"}},
		{NS: "clojure.core", Name: "decimal?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:  entry.IsKind(value.Kinds(value.KindDecimal)),
			Doc: "Returns true if x is a decimal.", Examples: []string{"(decimal? 1M) => true", "(decimal? 1.0) => false"}},
		{NS: "clojure.core", Name: "zero?", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicZero, Fn: numTest(value.IsZero),
			Doc: "Returns true if a number is 0.", Examples: []string{"(zero? 0.0) => true", "(zero? 1) => false", "(zero? " +
				"nil) !nil-value"}},
		{NS: "clojure.core", Name: "pos?", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicPos, Fn: numTest(value.IsPos),
			Doc:      "Returns true if a number is above 0.",
			Examples: []string{"(pos? 1) => true", "(pos? 0) => false", "(pos? \"1\") !wrong-type"}},
		{NS: "clojure.core", Name: "neg?", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicNeg, Fn: numTest(value.IsNeg),
			Doc:      "Returns true if a number is below 0.",
			Examples: []string{"(neg? -1) => true", "(neg? 0) => false", "(neg? \"1\") !wrong-type"}},
		{NS: "clojure.core", Name: "even?", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicEven, Fn: parity("even?", 0),
			Doc:      "Returns true if an integer is even.",
			Examples: []string{"(even? 2) => true", "(even? 1) => false", "(even? 1.5) !illegal-argument"}},
		{NS: "clojure.core", Name: "odd?", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicOdd, Fn: parity("odd?", 1),
			Doc:      "Returns true if an integer is odd.",
			Examples: []string{"(odd? 1) => true", "(odd? 2) => false", "(odd? nil) !illegal-argument"}},
		{NS: "clojure.core", Name: "NaN?", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure, Fn: floatTest(math.IsNaN),
			Doc:      "Returns true if a number is not a number: the double ##NaN.",
			Examples: []string{"(NaN? ##NaN) => true", "(NaN? 1) => false", "(NaN? nil) !nil-value"}},
		{NS: "clojure.core", Name: "infinite?", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       floatTest(func(f float64) bool { return math.IsInf(f, 0) }),
			Doc:      "Returns true if a number is an infinite double.",
			Examples: []string{"(infinite? ##Inf) => true", "(infinite? 1) => false", "(infinite? nil) !nil-value"}},
	}
}

func numTest(f func(t *value.Task, v value.Value) bool) value.NativeFunc {
	return func(t *value.Task, args []value.Value) value.Value { return value.Bool(f(t, args[0])) }
}

func floatTest(f func(x float64) bool) value.NativeFunc {
	return func(t *value.Task, args []value.Value) value.Value { return value.Bool(f(value.ToDouble(t, args[0]))) }
}

// parity makes even? (bit 0) or odd? (bit 1).
func parity(who string, bit uint) value.NativeFunc {
	return func(t *value.Task, args []value.Value) value.Value {
		x := args[0]
		switch x.Kind() {
		case value.KindInt:
			return value.Bool(uint(x.AsInt())&1 == bit)
		case value.KindBigInt:
			return value.Bool(lowBit(x.AsBigInt().N) == bit)
		}
		t.FailHint(diag.IllegalArgument, who+" takes integers", "Argument must be an integer: %s", t.Text(x))
		return value.Nil
	}
}

func lowBit(n *big.Int) uint { return n.Bit(0) }

// isCallable reports whether a value is a function, or an object whose type defines its call.
func isCallable(t *value.Task, args []value.Value) value.Value {
	return value.Bool(args[0].Is(value.Callables) || value.IsSort(args[0], value.SortPromise) ||
		!t.Method(args[0], keyInvoke).IsNil())
}

var keyInvoke = value.ConstKeyword("invoke")

func isDelay(_ *value.Task, args []value.Value) value.Value {
	return value.Bool(args[0].Kind() == value.KindDelay)
}

func isBytes(_ *value.Task, args []value.Value) value.Value {
	return value.Bool(args[0].Kind() == value.KindArray && args[0].AsArray().Elem == value.ElemByte)
}
