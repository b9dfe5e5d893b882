// This file defines the Java class names of values.

package value

import "strings"

// classNames are the Java classes of the kinds that have one class for all values.
var classNames = [kindCount]string{
	KindNil:             "nil",
	KindBool:            "java.lang.Boolean",
	KindInt:             "java.lang.Long",
	KindFloat:           "java.lang.Double",
	KindChar:            "java.lang.Character",
	KindBigInt:          "clojure.lang.BigInt",
	KindRatio:           "clojure.lang.Ratio",
	KindDecimal:         "java.math.BigDecimal",
	KindString:          "java.lang.String",
	KindKeyword:         "clojure.lang.Keyword",
	KindSymbol:          "clojure.lang.Symbol",
	KindList:            "clojure.lang.PersistentList",
	KindCons:            "clojure.lang.Cons",
	KindChunkedCons:     "clojure.lang.ChunkedCons",
	KindLazy:            "clojure.lang.LazySeq",
	KindRange:           "clojure.lang.LongRange",
	KindVecSeq:          "clojure.lang.PersistentVector$ChunkedSeq",
	KindStrSeq:          "clojure.lang.StringSeq",
	KindVector:          "clojure.lang.PersistentVector",
	KindMapEntry:        "clojure.lang.MapEntry",
	KindArrayMap:        "clojure.lang.PersistentArrayMap",
	KindHashMap:         "clojure.lang.PersistentHashMap",
	KindSortedMap:       "clojure.lang.PersistentTreeMap",
	KindHashSet:         "clojure.lang.PersistentHashSet",
	KindSortedSet:       "clojure.lang.PersistentTreeSet",
	KindQueue:           "clojure.lang.PersistentQueue",
	KindVar:             "clojure.lang.Var",
	KindMultiFn:         "clojure.lang.MultiFn",
	KindProtocol:        "clojure.lang.PersistentArrayMap",
	KindProtocolFn:      "clojure.lang.AFunction",
	KindAtom:            "clojure.lang.Atom",
	KindRef:             "clojure.lang.Ref",
	KindVolatile:        "clojure.lang.Volatile",
	KindDelay:           "clojure.lang.Delay",
	KindReduced:         "clojure.lang.Reduced",
	KindRegex:           "java.util.regex.Pattern",
	KindUUID:            "java.util.UUID",
	KindInst:            "java.util.Date",
	KindTransientVector: "clojure.lang.PersistentVector$TransientVector",
	KindTransientSet:    "clojure.lang.PersistentHashSet$TransientHashSet",
	KindType:            "java.lang.Class",
	KindNamespace:       "clojure.lang.Namespace",
	KindTagged:          "clojure.lang.TaggedLiteral",
	KindMatcher:         "java.util.regex.Matcher",
	KindIterator:        "clojure.lang.SeqIterator",
}

// ClassName returns the name of the Java class that JVM Clojure would use for v, or "nil" for nil.
func ClassName(v Value) string {
	switch v.Kind() {
	case KindList:
		if v.AsCons().Count == 0 {
			return "clojure.lang.PersistentList$EmptyList"
		}
	case KindVecSeq:
		if as[VecSeq](v).Step < 0 {
			return "clojure.lang.APersistentVector$RSeq"
		}
	case KindBigInt:
		if v.AsBigInt().IsJava() {
			return "java.math.BigInteger"
		}
	case KindMapSeq:
		return mapSeqClass(as[MapSeq](v))
	case KindTransientMap:
		if as[TransientMap](v).hashed {
			return "clojure.lang.PersistentHashMap$TransientHashMap"
		}
		return "clojure.lang.PersistentArrayMap$TransientArrayMap"
	case KindRecord, KindObject:
		return TypeOf(v).Name
	case KindTagged:
		if v.asTagged().conditional() {
			return "clojure.lang.ReaderConditional"
		}
	case KindJava:
		return v.AsJava().Class.Name
	case KindBuilder:
		return v.AsBox().Vals[0].AsKeyword().Name
	case KindArray:
		return arrayClasses[v.AsArray().Elem]
	case KindFuture:
		return futureClass[v.AsFuture().Sort]
	case KindException:
		return as[Exception](v).Class
	case KindFn:
		return functionClass(v.AsFn().Code.NS, v.AsFn().Code.Name)
	case KindNative:
		return functionClass("clojure.core", v.AsNative().Name)
	}
	return classNames[v.Kind()]
}

// functionClass returns the name of the class that a function has in Clojure, where two functions of the
// library are multimethods. It omits the numbers that Clojure assigns to functions without a name. The name
// of a method, such as "area :circle", counts as no name.
func functionClass(ns, name string) string {
	if ns == "clojure.core" && name == "print-method" || ns == "clojure.test" && name == "report" {
		return "clojure.lang.MultiFn"
	}
	name = name[strings.LastIndexByte(name[:max(len(name)-1, 0)], '/')+1:]
	if name == "" || strings.Contains(name, " ") {
		name = "fn"
	}
	return strings.ReplaceAll(ns, "-", "_") + "$" + munged.Replace(name)
}

// munged replaces the characters that Java does not allow in names.
var munged = strings.NewReplacer("-", "_", ":", "_COLON_", "+", "_PLUS_", ">", "_GT_", "<", "_LT_", "=", "_EQ_",
	"~", "_TILDE_", "!", "_BANG_", "@", "_CIRCA_", "#", "_SHARP_", "'", "_SINGLEQUOTE_", `"`, "_DOUBLEQUOTE_",
	"%", "_PERCENT_", "^", "_CARET_", "&", "_AMPERSAND_", "*", "_STAR_", "|", "_BAR_", "{", "_LBRACE_", "}", "_RBRACE_",
	"[", "_LBRACK_", "]", "_RBRACK_", "/", "_SLASH_", `\\`, "_BSLASH_", "?", "_QMARK_")

// simpleName returns the class name without the package and the enclosing class.
func simpleName(v Value) string {
	name := ClassName(v)
	if v.Is(Kinds(KindFn, KindNative)) {
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	return name[strings.LastIndexAny(name, ".$")+1:]
}

func mapSeqClass(s *MapSeq) string {
	switch {
	case s.Mode == SeqKeys || Sets.Has(s.Coll.kind):
		return "clojure.lang.APersistentMap$KeySeq"
	case s.Mode == SeqVals:
		return "clojure.lang.APersistentMap$ValSeq"
	}
	switch s.Coll.kind {
	case KindArrayMap:
		return "clojure.lang.PersistentArrayMap$Seq"
	case KindHashMap:
		return "clojure.lang.PersistentHashMap$NodeSeq"
	case KindSortedMap:
		return "clojure.lang.PersistentTreeMap$Seq"
	}
	return "clojure.lang.ChunkedCons" // of a record
}
