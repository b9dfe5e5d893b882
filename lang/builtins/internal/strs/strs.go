// Package strs defines the builtins on strings, characters, names and regular expressions: those of Clojure and the
// methods and static methods of Java.
package strs

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/strfmt"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Entries are the functions on strings: of clojure.core, clojure.string, regular
// expressions, EDN and JSON.
func Entries() [][]entry.Entry {
	return [][]entry.Entry{texts(), names(), stringFunctions(), regexes, ednFunctions, stringMethods(), builderMethods(),
		matcherMethods(), textStatics(), patternStatics()}
}

// texts are the functions that make strings of values.
func texts() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "str", Args: "& xs", Facts: entry.Texts,
			Cost: entry.Walks, Purity: entry.Reads, Many: manyTexts, Fn: Str,
			Doc:      "Returns the strings of the values, concatenated; nil is the empty string.",
			Examples: []string{`(str "a" 1 :b nil) => "a1:b"`, `(str) => ""`}},
		{NS: "clojure.core", Name: "%add-texts", Args: "text b:box", Cost: entry.Walks, Private: true, Fn: addTexts,
			Doc: "Appends the strings of the values in a box to a string builder, and empties the box."},
		{NS: "clojure.core", Name: "format", Args: "fmt:string & args", Cost: entry.Walks, Purity: entry.Reads, Fn: Format,
			Doc: "Returns a formatted string. Directives: %s any value, %d integers, %.2f doubles, %x %e %c %b %n %% and " +
				"Java's flags and widths.", Examples: []string{`(format "%s is %.1f%%" "x" 12.34) => "x is 12.3%"`, `(format ` +
				`"%05d" 42) => "00042"`, `(format "%d" "x") !illegal-argument`}},
		{NS: "clojure.core", Name: "subs", Args: "s:string start | s:string start end", Cost: entry.PerByte,
			Purity: entry.Pure, Fn: subs,
			Doc:      "Returns the characters of s from start (inclusive) to end (exclusive).",
			Examples: []string{`(subs "hello" 1 3) => "el"`, `(subs "abc" 9) !index-out-of-range`}},
		{NS: "clojure.core", Name: "char", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Unchecked: "unchecked-char",
			Fn:  char,
			Doc: "Returns the character of a code.", Examples: []string{`(char 97) => \a`, "(char -1) !illegal-argument"}},
		{NS: "clojure.core", Name: "char-name-string", Args: "c", Cost: entry.Constant, Purity: entry.Pure,
			Fn: charTable(map[rune]string{'\n': "newline", '\t': "tab", ' ': "space", '\b': "backspace", '\f': "formfeed",
				'\r': "return"}),
			Doc:      "Returns the name of a character, such as space, nil if it has none.",
			Examples: []string{`(char-name-string \newline) => "newline"`}},
		{NS: "clojure.core", Name: "char-escape-string", Args: "c", Cost: entry.Constant, Purity: entry.Pure,
			Fn: charTable(map[rune]string{'\n': `\n`, '\t': `\t`, '\r': `\r`, '"': `\"`, '\\': `\\`, '\f': `\f`,
				'\b': `\b`}),
			Doc:      "Returns the escape sequence of a character in a string, nil if it needs none.",
			Examples: []string{`(char-escape-string \newline) => "\\n"`}},
	}
}

// Str is str.
func Str(t *value.Task, xs []value.Value) value.Value {
	switch len(xs) {
	case 0:
		return EmptyString
	case 1:
		return t.Str(xs[0])
	}
	b := t.Buf()
	for _, x := range xs {
		strPart(t, b, x)
	}
	return b.Value()
}

// strPart writes the text of one argument of str.
func strPart(t *value.Task, b *value.Buf, x value.Value) {
	t.Work(1)
	t.StrTo(b, x)
}

// EmptyString is the empty string.
var EmptyString = value.ConstString("")

// throwClass throws an exception whose class is not that of its code.
func throwClass(t *value.Task, code diag.Code, class, message string) {
	e := t.NewException(code, message)
	e.Class = class
	t.Throw(e)
}

// indexError is the class of exceptions of Java's strings.
func indexError(t *value.Task, message string) {
	throwClass(t, diag.OutOfRange, "java.lang.StringIndexOutOfBoundsException", message)
}

// Format formats as Java's String.format does.
func Format(t *value.Task, a []value.Value) value.Value {
	pattern := a[0].AsString().S
	t.Charge(strfmt.ParseBytes(pattern, len(a)) + limits.ObjectSize(len(a)*200))
	args := make([]strfmt.Arg, len(a)-1)
	upper := strings.Contains(pattern, "S")
	for i, x := range a[1:] {
		args[i] = formatArg(t, x, upper)
	}
	job, err := strfmt.Prepare(pattern, args, t.Work)
	if err != nil {
		failFormat(t, err, a[1:])
	}
	t.Work(job.WorkBytes() / 8)
	t.Spend(job.OutputBytes() / 32)
	t.Charge(limits.BytesSize(int(job.OutputBytes())) + job.WorkBytes())
	return t.StringOfBytes(job.Append(value.Bytes(int(job.OutputBytes()))[:0], t.Look))
}

func failFormat(t *value.Task, err error, args []value.Value) {
	e, ok := err.(*strfmt.Error)
	switch {
	case !ok:
		t.Fail(diag.IllegalArgument, "format: %s", err.Error())
	case e.Class == "LimitExceeded" || e.Class == "NotSupported":
		t.Fail(diag.NotSupported, "format: %s", e.Message)
	}
	x := t.NewException(diag.IllegalArgument, e.Message)
	x.Class, x.Hint = "java.util."+e.Class, formatHint(e.Class, args)
	t.Throw(x)
}

// formatHint returns the hint how to fix a format.
func formatHint(class string, args []value.Value) string {
	switch class {
	case "MissingFormatArgumentException":
		return "format: the text has more directives than there are values: " + strconv.Itoa(len(args))
	case "IllegalFormatConversionException":
		return "format: %d takes integers, as (long x) returns; %f doubles and decimals, as (double x) returns; " +
			"%c characters, as (char x) returns; %s anything"
	case "UnknownFormatConversionException":
		return "format: there are %s, %d, %x, %o, %f, %e, %g, %c, %b, %n and %% for a percent sign"
	}
	return ""
}

// formatArg returns an argument of format. A text that may be converted to upper case is charged
// for that: it grows by half at most.
func formatArg(t *value.Task, x value.Value, upper bool) strfmt.Arg {
	arg := strfmt.Arg{Kind: strfmt.Other, Class: value.ClassName(x)}
	arg.Str = func() (string, error) {
		s := t.Str(x).AsString().S
		if upper {
			t.Charge(limits.BytesSize(len(s) + len(s)/2))
		}
		return s, nil
	}
	switch x.Kind() {
	case value.KindNil:
		return strfmt.Arg{Kind: strfmt.Nil}
	case value.KindBool:
		arg.Kind, arg.Bool = strfmt.Bool, x.AsBool()
	case value.KindInt:
		arg.Kind, arg.Int = strfmt.Int, x.AsInt()
	case value.KindFloat:
		arg.Kind, arg.Float = strfmt.Float, x.AsFloat()
	case value.KindBigInt:
		if x.AsBigInt().IsJava() { // a clojure.lang.BigInt is refused by %d, as in Clojure
			arg.Kind, arg.Big = strfmt.BigInt, x.AsBigInt().N
		}
	case value.KindDecimal:
		arg.Kind, arg.Big, arg.Scale = strfmt.Decimal, new(big.Int).Set(x.AsDecimal().D.Unscaled()), x.AsDecimal().D.Scale()
	case value.KindChar:
		arg.Kind, arg.Int = strfmt.Char, int64(x.AsChar())
	}
	arg.Hash = func() int32 { return value.JavaHash(t, x) }
	return arg
}

// text returns the string of the method toString. It throws for nil.
func text(t *value.Task, v value.Value, what string) string {
	if v.IsNil() {
		t.Fail(diag.NilValue, "%s: got nil, want a string", what)
	}
	return t.Str(v).AsString().S
}

func subs(t *value.Task, a []value.Value) value.Value {
	s := a[0].AsString()
	end := int64(t.Length(s))
	start := value.ToInt(t, a[1])
	if len(a) == 3 {
		end = value.ToInt(t, a[2])
	}
	return Substring(t, a[0], start, end)
}

// Substring returns the characters from start to end and throws as Java does.
func Substring(t *value.Task, v value.Value, start, end int64) value.Value {
	s := v.AsString()
	n := int64(t.Length(s))
	if start < 0 || end > n || start > end {
		indexError(t, "begin "+strconv.FormatInt(start, 10)+", end "+strconv.FormatInt(end,
			10)+", length "+strconv.FormatInt(n, 10))
	}
	if start == 0 && end == n {
		return v
	}
	from, to := t.Offset(s, int(start)), t.Offset(s, int(end))
	t.Spend(int64(to-from) / 16)
	return t.CopyString(s.S[from:to])
}

func char(t *value.Task, a []value.Value) value.Value {
	if a[0].IsChar() {
		return a[0]
	}
	n := value.ToLong(t, a[0])
	if n < 0 || n > 0x10ffff {
		t.Fail(diag.IllegalArgument, "Value out of range for char: %s", value.Show(t, a[0]))
	}
	return value.Char(rune(n))
}

func charTable(m map[rune]string) value.NativeFunc {
	values := make(map[rune]value.Value, len(m))
	for r, s := range m {
		values[r] = value.ConstString(s)
	}
	return func(_ *value.Task, a []value.Value) value.Value {
		if !a[0].IsChar() {
			return value.Nil
		}
		return values[a[0].AsChar()]
	}
}

// names are the functions on keywords and symbols.
func names() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "name", Args: "x:named", Cost: entry.Constant, Purity: entry.Pure, Fn: NameOf,
			Doc:      "Returns the name of a keyword or symbol, without its namespace; a string itself.",
			Examples: []string{`(name :a/b) => "b"`, "(name nil) !nil-value"}},
		{NS: "clojure.core", Name: "namespace", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Fn: NamespaceOf,
			Doc:      "Returns the namespace of a keyword or symbol, nil if it has none.",
			Examples: []string{`(namespace :a/b) => "a"`, "(namespace :a) => nil", `(namespace "a") !wrong-type`}},
		{NS: "clojure.core", Name: "keyword", Args: "x | ns name", Cost: entry.PerByte, Purity: entry.Pure, Fn: keyword,
			Doc:      "Returns the keyword of a name, or of a namespace and a name.",
			Examples: []string{`(keyword "a") => :a`, `(keyword "a" "b") => :a/b`, `(keyword "a" nil) !nil-value`}},
		{NS: "clojure.core", Name: "find-keyword", Args: "x | ns name", Cost: entry.PerByte, Fn: keyword,
			Doc:      "Returns the keyword of a name, as keyword does: keywords are not interned.",
			Examples: []string{`(find-keyword "a") => :a`, `(find-keyword "a" nil) !nil-value`}},
		{NS: "clojure.core", Name: "symbol", Args: "x | ns name", Cost: entry.PerByte, Purity: entry.Pure, Fn: Symbol,
			Doc:      "Returns the symbol of a name, or of a namespace and a name.",
			Examples: []string{`(symbol "a") => a`, `(symbol "a" "b") => a/b`, "(symbol 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "gensym", Args: "| prefix", Cost: entry.PerByte, Fn: gensym,
			Doc: "Returns a symbol with a unique name.", Examples: []string{`(symbol? (gensym "x")) => true`}},
	}
}

// NameOf is name.
func NameOf(t *value.Task, a []value.Value) value.Value {
	switch a[0].Kind() {
	case value.KindKeyword:
		return t.InternedString(a[0].AsKeyword().Name)
	case value.KindSymbol:
		return t.InternedString(a[0].AsSymbol().Name)
	}
	return a[0]
}

// NamespaceOf is namespace.
func NamespaceOf(t *value.Task, a []value.Value) value.Value {
	var ns string
	switch a[0].Kind() {
	case value.KindKeyword:
		ns = a[0].AsKeyword().NS
	case value.KindSymbol:
		ns = a[0].AsSymbol().NS
	case value.KindNil:
		t.Fail(diag.NilValue, "namespace: got nil, want a keyword or symbol")
	default:
		t.Fail(diag.WrongType, "namespace: got %s, want a keyword or symbol", value.Describe(t, a[0]))
	}
	if ns == "" {
		return value.Nil
	}
	return t.InternedString(ns)
}

// ownName returns a copy of a text that becomes part of a name.
func ownName(t *value.Task, s string) string {
	t.NameLength(len(s))
	t.Work(int64(len(s)) / 16)
	t.Charge(limits.BytesSize(len(s)))
	return strings.Clone(s)
}

func keyword(t *value.Task, a []value.Value) value.Value {
	if len(a) == 2 {
		ns := ""
		if !a[0].IsNil() {
			ns = ownName(t, entry.WantText(t, a[0], "keyword"))
		}
		return t.Keyword(ns, ownName(t, entry.WantText(t, a[1], "keyword")))
	}
	switch x := a[0]; x.Kind() {
	case value.KindKeyword:
		return x
	case value.KindSymbol:
		return t.Keyword(x.AsSymbol().NS, x.AsSymbol().Name)
	case value.KindString:
		return t.KeywordOf(x.AsString().S)
	}
	return value.Nil
}

// Symbol is symbol.
func Symbol(t *value.Task, a []value.Value) value.Value {
	if len(a) == 2 {
		ns := ""
		if !a[0].IsNil() {
			ns = ownName(t, entry.WantText(t, a[0], "symbol"))
		}
		return t.Symbol(ns, ownName(t, entry.WantText(t, a[1], "symbol")))
	}
	switch x := a[0]; x.Kind() {
	case value.KindSymbol:
		return x
	case value.KindKeyword:
		return t.Symbol(x.AsKeyword().NS, x.AsKeyword().Name)
	case value.KindVar:
		return t.Symbol(x.AsVar().Sym.NS, x.AsVar().Sym.Name)
	case value.KindString:
		return t.SymbolOf(x.AsString().S)
	}
	t.FailHint(diag.IllegalArgument, "got "+value.Describe(t, a[0])+", want a string, keyword, symbol or var",
		"no conversion to symbol")
	return value.Nil
}

func gensym(t *value.Task, a []value.Value) value.Value {
	prefix := "G__"
	if len(a) == 1 {
		prefix = t.Str(a[0]).AsString().S
	}
	return t.Symbol("", ownName(t, prefix)+strconv.FormatUint(t.Host.Random()>>20, 10))
}

// manyTexts is str.
func manyTexts(t *value.Task, _ value.NativeFunc, args value.Value) value.Value {
	b := t.Buf()
	t.Each(args, func(x value.Value) bool {
		strPart(t, b, x)
		return true
	})
	return b.Value()
}
