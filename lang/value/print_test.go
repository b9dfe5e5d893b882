package value

// This file tests printing under options, objects without a literal, Show, and data that is nested
// too deeply.

import (
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
)

func TestPrintOptions(tt *testing.T) {
	all := PrintOptions{Readably: true, Length: -1, Level: -1}
	length := func(n int) PrintOptions { o := all; o.Length = n; return o }
	level := func(n int) PrintOptions { o := all; o.Level = n; return o }
	meta, spaces := all, all
	meta.Meta, spaces.NamespaceMaps = true, true
	for _, c := range []struct {
		o          PrintOptions
		text, want string
	}{
		// Output of JVM Clojure 1.11.1 under the same bindings.
		{length(3), "#range [0 10 1]", "(0 1 2 ...)"},
		{length(3), "[1 2 3]", "[1 2 3]"},
		{length(2), "{:a 1 :b 2 :c 3}", "{:a 1, :b 2, ...}"},
		{length(0), "[1]", "[...]"},
		{length(0), "[]", "[]"},
		{length(1), "#rec {:x [1 2] :y 2}", "#user.P{:x [1 ...], ...}"},
		{level(2), "[1 [2 [3 [4]]]]", "[1 [2 #]]"},
		{level(1), "{:a {:b 1}}", "{:a #}"},
		{level(0), "[1]", "#"},
		{level(0), "#{}", "#"},
		{level(0), "1", "1"},
		{level(1), "[#rec {:x 1 :y 2}]", "[#user.P#]"},
		{level(1), "#tagged [a [1]]", "#a [1]"},
		{level(1), "[#meta [{:a [1]} [1]]]", "[#]"},
		{length(1), "#meta [{:a 1 :b 2} [1]]", "[1]"},
		{meta, "#meta [{:a 1} [1]]", "^{:a 1} [1]"},
		{meta, "#meta [{:tag int} [1]]", "^int [1]"},
		{meta, "#meta [{:tag nil} [1]]", "^{:tag nil} [1]"},
		{meta, "(#meta [{:a 1} #rec {:x 1 :y 2}] #meta [{:b 2} #{1}] #meta [{:b 2} {1 2}] #meta [{:b 2} (1)])",
			"(^{:a 1} #user.P{:x 1, :y 2} ^{:b 2} #{1} ^{:b 2} {1 2} ^{:b 2} (1))"},
		{meta, "[#meta [{:foo true} x]]", "[^{:foo true} x]"},
		{spaces, "{:a/b 1 :a/c 2}", "#:a{:b 1, :c 2}"},
		{spaces, "{a/b 1 :a/c {:d/e 1}}", "#:a{b 1, :c #:d{:e 1}}"},
		{spaces, "{:a/b 1 :c 2}", "{:a/b 1, :c 2}"},
		{spaces, "{:a/b 1 :b/c 2}", "{:a/b 1, :b/c 2}"},
		{spaces, "{}", "{}"},
		{spaces, "#rec {:x 1 :y {:a/b 2}}", "#user.P{:x 1, :y #:a{:b 2}}"},
	} {
		t := oracleTask(tt)
		b := t.Buf()
		t.PrintWith(b, readTable(t, c.text), c.o)
		if b.String() != c.want {
			tt.Errorf("%s: got %s, want %s", c.text, b.String(), c.want)
		}
	}
}

func TestPrintObjects(tt *testing.T) {
	t := oracleTask(tt)
	one, text := Int(1), ConstString("a\nb")
	pending := t.Delay(t.Vector())
	done := t.Delay(Nil)
	done.AsDelay().Val = text
	inner := t.NewException(diag.Thrown, "inner")
	inner.Data = readTable(t, "{:d 1}")
	outer := t.NewException(diag.Thrown, "outer")
	outer.Data, outer.Cause = readTable(t, "{:b 2}"), Of(&inner.Header)
	plain := t.NewException(diag.Arithmetic, "Divide by zero")
	regex := func(s string) Value { return Of(&(&Regex{Header: t.header(KindRegex), Source: s}).Header) }
	for _, c := range []struct {
		v         Value
		pr, print string // print: "" if it equals pr
		str       string // "" if it equals pr
	}{
		{t.Atom(text), `#object[clojure.lang.Atom {:status :ready, :val "a\nb"}]`, "#object[clojure.lang.Atom {:status :ready, :val a\nb}]", ""},
		{t.Volatile(one), `#object[clojure.lang.Volatile {:status :ready, :val 1}]`, "", ""},
		{t.Reduced(one), `#object[clojure.lang.Reduced {:status :ready, :val 1}]`, "", ""},
		{pending, `#object[clojure.lang.Delay {:status :pending, :val nil}]`, "", ""},
		{done, `#object[clojure.lang.Delay {:status :ready, :val "a\nb"}]`, "#object[clojure.lang.Delay {:status :ready, :val a\nb}]", ""},
		{ConstFn(&FnCode{NS: "user", Name: "f"}), `#object[user/f]`, "", ""},
		{ConstFn(&FnCode{NS: "user"}), `#object[user/fn]`, "", ""},
		{ConstNative(Native{Name: "inc"}), `#object[clojure.core/inc]`, "", ""},
		{ConstNative(Native{Name: "clojure.string/join"}), `#object[clojure.string/join]`, "", ""},
		{ConstNative(Native{Name: "/"}), `#object[clojure.core//]`, "", ""},
		{t.Var(t.Symbol("user", "x"), 0, Nil, Nil), "#'user/x", "", ""},
		{regex(`a"b\d\Q"x\E"`), `#"a\"b\d\Q\E\"\Qx\E\""`, "", `a"b\d\Q"x\E"`},
		{Of(&outer.Header), "#error {\n :cause \"inner\"\n :data {:d 1}\n :via\n [{:type clojure.lang.ExceptionInfo\n   :message \"outer\"\n   :data {:b 2}}\n" +
			"  {:type clojure.lang.ExceptionInfo\n   :message \"inner\"\n   :data {:d 1}}]}",
			"#error {\n :cause inner\n :data {:d 1}\n :via\n [{:type clojure.lang.ExceptionInfo\n   :message outer\n   :data {:b 2}}\n" +
				"  {:type clojure.lang.ExceptionInfo\n   :message inner\n   :data {:d 1}}]}",
			"clojure.lang.ExceptionInfo: outer {:b 2}"},
		{Of(&plain.Header), "#error {\n :cause \"Divide by zero\"\n :via\n [{:type java.lang.ArithmeticException\n   :message \"Divide by zero\"}]}",
			"#error {\n :cause Divide by zero\n :via\n [{:type java.lang.ArithmeticException\n   :message Divide by zero}]}",
			"java.lang.ArithmeticException: Divide by zero"},
		{Of(&pointType.Header), "user.P", "", "class user.P"},
		{readTable(t, "#queue [1 \\a]"), `#object[clojure.lang.PersistentQueue (1 \a)]`, "#object[clojure.lang.PersistentQueue (1 a)]", "clojure.lang.PersistentQueue@441"},
		{t.Tagged(t.Symbol("", "foo"), text), `#foo "a\nb"`, "#foo a\nb", "clojure.lang.TaggedLiteral@34b7408d"},
	} {
		print := t.Buf()
		t.PrintTo(print, c.v, false)
		for _, x := range [...]struct{ got, want string }{
			{t.PrStr(c.v).AsString().S, c.pr}, {print.String(), c.print}, {t.Str(c.v).AsString().S, c.str}} {
			if x.want == "" {
				x.want = c.pr
			}
			if x.got != x.want {
				tt.Errorf("got  %s\nwant %s", x.got, x.want)
			}
		}
	}
}

// callingHost runs builtins immediately and supports nothing else.
type callingHost struct {
	Host
	t *Task
}

func (h callingHost) Call(f Value, args ...Value) Value { return f.AsNative().Fn(h.t, args) }

func TestToString(tt *testing.T) {
	t := oracleTask(tt)
	t.Host = callingHost{t: t}
	f := ConstNative(Native{Name: "f", Fn: func(t *Task, args []Value) Value {
		return t.Str(args[0].AsRecord().Vals[0])
	}})
	impls := t.MapOf(ConstClass("java.lang.Object"), t.MapOf(ConstKeyword("toString"), f))
	typ := t.RecordType("user.T", []Value{ConstKeyword("x")}, impls)
	r := t.Record(typ.AsType(), []Value{Int(7)}, Nil)
	if got := t.Str(r).AsString().S; got != "7" {
		tt.Errorf("str of a record with toString: got %s", got)
	}
	if got := t.PrStr(r).AsString().S; got != "#user.T{:x 7}" {
		tt.Errorf("pr-str of a record with toString: got %s", got)
	}
	if !Equal(t, ConstClass("java.lang.Long"), ConstClass("java.lang.Long")) ||
		Equal(t, typ, t.RecordType("user.T", nil, Nil)) {
		tt.Error("classes are equal by name, record types by identity")
	}
}

func TestShow(tt *testing.T) {
	t := oracleTask(tt)
	digits := "1" + strings.Repeat("0", 400)
	for text, want := range map[string]string{
		"nil": "nil", "1.5": "1.5", "12N": "12N", "1/2": "1/2", "1.50M": "1.50M", `\newline`: `\newline`, ":a/b": ":a/b",
		digits + "N": "<1329 bits>N", digits + ".5M": "<1333 bits>M",
		`"a\n\"b"`:                             `"a\n\"b"`,
		`"` + strings.Repeat("é", 50) + `"`:    `"` + strings.Repeat("é", 40) + `…"`,
		"[1 2 3 4 5]":                          "[1 2 3 4 5]",
		"[1 2 3 4 5 6]":                        "[1 2 3 4 5 …]",
		"[[[[[1]]]]]":                          "[[[[…]]]]",
		"#lazy [1 2]":                          "(1 2)",
		"#rec {:x 1 :y {:a 2}}":                "#user.P{:x 1 :y {:a 2}}",
		"#range [0 1000 1]":                    "(0 1 2 3 4 …)",
		"#rseq [1 2]":                          "(2 1)",
		"#entries {:a 1}":                      "([:a 1])",
		`#str "ab"`:                            `(\a \b)`,
		"#queue [1 2]":                         "(1 2)",
		"#sset #{2 1}":                         "#{1 2}",
		`#inst "2020"`:                         "#inst 2020-01-01T00:00:00.000-00:00",
		strings.Repeat(`"abcdefghijklmn" `, 1): `"abcdefghijklmn"`,
		`["` + strings.Repeat("a", 38) + `" "` + strings.Repeat("b", 39) + `"]`: `["` + strings.Repeat("a", 38) + `" "` + strings.Repeat("b", 36) + "…",
	} {
		v := readTable(t, text)
		used := t.Used()
		if got := Show(t, v); got != want {
			tt.Errorf("%s: got %s, want %s", text, got, want)
		}
		if t.Used() != used {
			tt.Errorf("showing %s was charged", text)
		}
	}
	endless := t.Cons(Int(1), t.Lazy(EmptyList, false))
	if got := Show(t, endless); got != "(1 …)" {
		tt.Errorf("a sequence that is not realised: got %s", got)
	}
	if got := Show(t, t.Atom(Int(1))); got != "#object[clojure.lang.Atom]" {
		tt.Errorf("an atom: got %s", got)
	}
}

func TestNesting(tt *testing.T) {
	t := oracleTask(tt)
	build := func(depth int, wrap func(v Value) Value) Value {
		v := Value(Int(1))
		for range depth {
			v = wrap(v)
		}
		return v
	}
	self := t.Atom(Nil)
	self.AsAtom().Val = self
	if class, _ := thrown(t, func() { t.PrStr(self) }); class != "java.lang.StackOverflowError" {
		tt.Errorf("printing an atom that holds itself: got %q", class)
	}
	for name, wrap := range map[string]func(v Value) Value{
		"list":   func(v Value) Value { return t.List(v) },
		"vector": func(v Value) Value { return t.Vector(v) },
		"map":    func(v Value) Value { return t.MapOf(v, v) },
		"value":  func(v Value) Value { return t.MapOf(Int(1), v) },
		"set":    func(v Value) Value { return t.SetOf(v) },
		"record": func(v Value) Value {
			return Of(&(&Record{Header: t.header(KindRecord), Type: pointType, Vals: []Value{v, v}}).Header)
		},
		"tagged": func(v Value) Value { return t.Tagged(Nil, v) },
	} {
		flat, flat2 := build(10, wrap), build(10, wrap)
		if !Equal(t, flat, flat2) || Hash(t, flat) != Hash(t, flat2) || name == "vector" && Compare(t, flat, flat2) != 0 {
			tt.Errorf("10 nested %ss are not equal to others", name)
		}
		if name == "map" || name == "record" {
			continue // 2^depth parts
		}
		if name != "set" { // building a set hashes its members, and hashes are cached
			if class, _ := thrown(t, func() { Hash(t, build(3000, wrap)) }); class != "java.lang.StackOverflowError" {
				tt.Errorf("Hash of %ss nested 3000 deep: got %q", name, class)
			}
		}
		deep, deep2 := deepOf(t, wrap), deepOf(t, wrap)
		for what, f := range map[string]func(){
			"Equal": func() { Equal(t, deep, deep2) }, "PrStr": func() { t.PrStr(deep) },
			"javaHash": func() { javaHash(t, deep) }, "Compare": func() { Compare(t, t.Vector(deep), t.Vector(deep2)) },
		} {
			class, message := thrown(t, f)
			if class != "java.lang.StackOverflowError" && (what != "Compare" || name == "vector") {
				tt.Errorf("%s of %ss nested 3000 deep: got %s %s", what, name, class, message)
			}
		}
		Show(t, deep)
	}
}

// deepOf nests a value deeper than a walk allows. It caches a hash at each level, so that building
// sets, which hash their members, does not throw.
func deepOf(t *Task, wrap func(v Value) Value) Value {
	v := Value(Int(1))
	for i := range 3000 {
		v = wrap(v)
		if i < maxWalk {
			Hash(t, v)
		}
	}
	return v
}
