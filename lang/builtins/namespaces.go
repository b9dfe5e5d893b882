// This file defines the namespaces, classes and constants of Java that exist, and the hints for
// those that do not.

package builtins

import (
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/builtins/internal/numbers"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// PreludeAliases are the aliases that the prelude may use.
var PreludeAliases = map[string]string{
	"str": "clojure.string", "set": "clojure.set", "walk": "clojure.walk", "edn": "clojure.edn", "math": "clojure.math",
}

// Canonical returns the namespace under which the table lists the names of ns: for
// a class its simple name, otherwise ns itself.
func Canonical(ns string) string {
	if full, ok := jclass.Names()[ns]; ok && strings.Contains(ns, ".") {
		return jclass.SimpleName(full)
	}
	return ns
}

// namespaces lists the namespaces of the table and of the constants.
var namespaces = sync.OnceValue(func() map[string]bool {
	set := make(map[string]bool)
	load().addNamespaces(set)
	for class := range statics() {
		set[class] = true
	}
	return set
})

// lateNamespaces lists those of the late table.
var lateNamespaces = sync.OnceValue(func() map[string]bool {
	set := make(map[string]bool)
	late().addNamespaces(set)
	for class := range java.Constants() {
		set[class] = true
	}
	for ns := range libraryProtocols() {
		set[ns] = true
	}
	return set
})

func (t *table) addNamespaces(set map[string]bool) {
	for i := range t.order {
		set[t.order[i].entry.NS] = true
	}
}

// HasNamespace reports whether ns has names: functions, static methods or constants.
func HasNamespace(ns string) bool {
	ns = Canonical(ns)
	return namespaces()[ns] || isLate(ns) && lateNamespaces()[ns]
}

// Namespaces returns the namespaces that a program can require, sorted.
func Namespaces() []string {
	var names []string
	for _, set := range []map[string]bool{namespaces(), lateNamespaces()} {
		for ns := range set {
			if strings.Contains(ns, ".") && ns != "." || ns == "json" {
				names = append(names, ns)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Methods returns the instance methods, as ".toUpperCase".
func Methods() iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range Entries() {
			if e.NS == "." && !yield("."+e.Name) {
				return
			}
		}
	}
}

// statics are the constants of classes.
var statics = sync.OnceValue(func() map[string]map[string]value.Value {
	return map[string]map[string]value.Value{
		"Math":         {"PI": value.Float(math.Pi), "E": value.Float(math.E)},
		"clojure.math": {"PI": value.Float(math.Pi), "E": value.Float(math.E)},
		"Long": {"TYPE": value.ConstClass("long"), "MAX_VALUE": value.Int(math.MaxInt64),
			"MIN_VALUE": value.Int(math.MinInt64), "SIZE": value.Int(64), "BYTES": value.Int(8)},
		"Integer": {"TYPE": value.ConstClass("int"), "MAX_VALUE": value.Int(math.MaxInt32),
			"MIN_VALUE": value.Int(math.MinInt32), "SIZE": value.Int(32), "BYTES": value.Int(4)},
		"Short": {"TYPE": value.ConstClass("short"), "MAX_VALUE": value.Int(math.MaxInt16),
			"MIN_VALUE": value.Int(math.MinInt16), "SIZE": value.Int(16), "BYTES": value.Int(2)},
		"Byte": {"TYPE": value.ConstClass("byte"), "MAX_VALUE": value.Int(math.MaxInt8),
			"MIN_VALUE": value.Int(math.MinInt8), "SIZE": value.Int(8), "BYTES": value.Int(1)},
		"Pattern": {"UNIX_LINES": value.Int(1), "CASE_INSENSITIVE": value.Int(2), "COMMENTS": value.Int(4),
			"MULTILINE": value.Int(8),
			"LITERAL":   value.Int(16), "DOTALL": value.Int(32), "UNICODE_CASE": value.Int(64),
			"UNICODE_CHARACTER_CLASS": value.Int(256)},
		"Character": {"TYPE": value.ConstClass("char"), "MAX_VALUE": value.Char(0xffff), "MIN_VALUE": value.Char(0),
			"MIN_RADIX": value.Int(2), "MAX_RADIX": value.Int(36), "SIZE": value.Int(16), "BYTES": value.Int(2)},
		"MathContext": {"UNLIMITED": numbers.ConstContext(0, num.HalfUp), "DECIMAL32": numbers.ConstContext(7, num.HalfEven),
			"DECIMAL64": numbers.ConstContext(16, num.HalfEven), "DECIMAL128": numbers.ConstContext(34, num.HalfEven)},
		"Boolean": {"TYPE": value.ConstClass("boolean"), "TRUE": value.True, "FALSE": value.False},
		"Float": {"TYPE": value.ConstClass("float"), "MAX_VALUE": value.Float(3.4028235e38),
			"MIN_VALUE": value.Float(1.4e-45), "NaN": value.Float(math.NaN()),
			"POSITIVE_INFINITY": value.Float(math.Inf(1)), "NEGATIVE_INFINITY": value.Float(math.Inf(-1)),
			"MIN_NORMAL": value.Float(1.17549435e-38), "MAX_EXPONENT": value.Int(127), "MIN_EXPONENT": value.Int(-126),
			"SIZE": value.Int(32), "BYTES": value.Int(4)},
		"Double": {"TYPE": value.ConstClass("double"), "MAX_VALUE": value.Float(math.MaxFloat64),
			"MIN_VALUE": value.Float(math.SmallestNonzeroFloat64),
			"NaN":       value.Float(math.NaN()), "POSITIVE_INFINITY": value.Float(math.Inf(1)),
			"NEGATIVE_INFINITY": value.Float(math.Inf(-1)),
			"MIN_NORMAL":        value.Float(0x1p-1022), "MAX_EXPONENT": value.Int(1023), "MIN_EXPONENT": value.Int(-1022),
			"SIZE": value.Int(64), "BYTES": value.Int(8)},
		"PersistentQueue": {"EMPTY": value.EmptyQueue},
		"String":          {"CASE_INSENSITIVE_ORDER": strs.CaseInsensitive},
		"BigDecimal": {"ZERO": value.ConstDecimal(0), "ONE": value.ConstDecimal(1), "TEN": value.ConstDecimal(10),
			"ROUND_UP": value.Int(0), "ROUND_DOWN": value.Int(1),
			"ROUND_CEILING": value.Int(2), "ROUND_FLOOR": value.Int(3), "ROUND_HALF_UP": value.Int(4),
			"ROUND_HALF_DOWN": value.Int(5),
			"ROUND_HALF_EVEN": value.Int(6), "ROUND_UNNECESSARY": value.Int(7)},
		"BigInteger": {"ZERO": value.ConstBigInteger(0), "ONE": value.ConstBigInteger(1), "TWO": value.ConstBigInteger(2),
			"TEN": value.ConstBigInteger(10)},
		"RT":           {"DEFAULT_COMPARATOR": defaultComparator},
		"Compiler":     {"specials": specialNames(), "CHAR_MAP": charMap()},
		"RoundingMode": roundingModes(),
		"Locale": {"ROOT": value.ConstSymbol("", "ROOT"), "US": value.ConstSymbol("", "en_US"),
			"ENGLISH": value.ConstSymbol("", "en"), "UK": value.ConstSymbol("", "en_GB"),
			"CANADA": value.ConstSymbol("", "en_CA"), "GERMANY": value.ConstSymbol("", "de_DE"),
			"GERMAN": value.ConstSymbol("", "de"), "FRANCE": value.ConstSymbol("", "fr_FR"),
			"FRENCH": value.ConstSymbol("", "fr"), "ITALY": value.ConstSymbol("", "it_IT"),
			"ITALIAN": value.ConstSymbol("", "it"), "JAPAN": value.ConstSymbol("", "ja_JP"),
			"JAPANESE": value.ConstSymbol("", "ja"), "CHINA": value.ConstSymbol("", "zh_CN"),
			"CHINESE": value.ConstSymbol("", "zh"), "KOREA": value.ConstSymbol("", "ko_KR"),
			"KOREAN": value.ConstSymbol("", "ko")},
		"System": {"in": java.StandardInput, "out": value.ConstKeyword("out"), "err": value.ConstKeyword("err")},
		// Collections to which methods add elements.
		"PersistentVector": {"EMPTY": value.EmptyVector}, "PersistentList": {"EMPTY": value.EmptyList},
		"PersistentArrayMap": {"EMPTY": value.EmptyMap},
		"PersistentHashMap":  {"EMPTY": value.EmptyMap}, "PersistentHashSet": {"EMPTY": value.EmptySet},
	}
})

// roundingModes returns the constants of RoundingMode: symbols of their names.
func roundingModes() map[string]value.Value {
	m := make(map[string]value.Value)
	for mode := num.Up; mode <= num.Unnecessary; mode++ {
		m[mode.String()] = value.ConstSymbol("", mode.String())
	}
	return m
}

// Replaceable reports whether a namespace of the library is not a part of Clojure but a separate library;
// PTC has some of its functions. A program that brings the library uses its own copy.
func Replaceable(ns string) bool { return ns == "clojure.data.json" }

// Static returns a constant of a class, such as Math/PI; ns is canonical.
func Static(ns, name string) (value.Value, bool) {
	v, ok := statics()[ns][name]
	if !ok && isLate(ns) {
		if v, ok = java.Constants()[ns][name]; !ok {
			v, ok = libraryProtocols()[ns][name]
		}
	}
	return v, ok
}

// Missing returns the hint for a name of Clojure or Java that PTC does not have.
func Missing(ns, name string) (why string, ok bool) {
	if ns != "" && ns != "clojure.core" {
		if why, ok = missingSpaces()[ns]; ok {
			return why, true
		}
		if why, ok = missing()[ns+"/"+name]; ok {
			return why, true
		}
		if strings.HasPrefix(ns, "java.") || strings.HasPrefix(ns, "javax.") {
			return NoJava, true
		}
		if isLibrary(ns) {
			return UseSource, true
		}
		return "", false
	}
	if why, ok = missing()[name]; ok {
		return why, true
	}
	if strings.HasPrefix(name, "java.") || strings.HasPrefix(name, "javax.") {
		return NoJava, true
	}
	return "", false
}
