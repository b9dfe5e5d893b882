// This file defines the functions on JSON. The ones that take functions are in
// prelude/json.ptc.

package builtins

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/value"
)

// jsonFunctions read and write JSON; the prelude calls them.
var jsonFunctions = []entry.Entry{
	{NS: "clojure.core", Name: "%json-read", Args: "s keywords decimals", Cost: entry.PerByte, Private: true, Fn: jsonRead,
		Doc: "Parses a JSON text."},
	{NS: "clojure.core", Name: "%json-write", Args: "x opts:map?", Cost: entry.Walks, Private: true, Fn: jsonWrite,
		Doc: "Returns a value as JSON text."},
	{NS: "clojure.core", Name: "%keyword-fn?", Args: "f", Cost: entry.Constant, Private: true, Fn: isKeywordFn,
		Doc: "Returns true if f is the function keyword, which the decoder applies natively."},
	{NS: "json", Name: "write", Args: "x | x opts:map?", Cost: entry.Walks, Purity: entry.Realises, Fn: jsonWritePlain,
		Doc: "Returns a value as JSON text: keywords without the colon, sets and sequences as arrays. opts may have " +
			":pretty true.", Examples: []string{`(json/write {:a [1 nil]}) => "{\"a\":[1,null]}"`,
			"(json/write 1 2) !wrong-type"}},
}

func jsonRead(t *value.Task, a []value.Value) value.Value {
	if a[0].Is(value.Maps | value.Vectors) {
		t.FailHint(diag.WrongType, "it is data already: the input, and :json of a response, need no parsing",
			"json/parse: got %s, want a string", value.Describe(t, a[0]))
	}
	if a[0].IsNil() {
		t.FailHint(diag.NilValue, "a response has JSON as data under :json, and other text under :body",
			"json/parse: got nil, want a string")
	}
	s := entry.WantText(t, a[0], "json/parse")
	// The decoder only reads, and copies the parts that it keeps.
	data := unsafe.Slice(unsafe.StringData(s), len(s))
	var v value.Value
	var err error
	if a[2].Truthy() {
		v, err = jsonio.DecodeDecimals(t, data, a[1].Truthy())
	} else {
		v, err = jsonio.Decode(t, data, a[1].Truthy())
	}
	if err != nil {
		t.FailHint(diag.SyntaxError, jsonHint(s), "%s", err.Error())
	}
	return v
}

// jsonHint shows the beginning of a text that is not JSON.
func jsonHint(s string) string {
	const shown = 40
	trimmed := strings.TrimSpace(s)
	switch {
	case trimmed == "":
		return "the text is empty"
	case strings.HasPrefix(trimmed, "{'"), strings.HasPrefix(trimmed, "['"):
		return "JSON has strings in double quotes"
	}
	if len(s) > shown {
		s = strings.ToValidUTF8(s[:shown], "") + "…"
	}
	return fmt.Sprintf("the text begins with %q", s)
}

func jsonWritePlain(t *value.Task, a []value.Value) value.Value {
	return jsonio.Encode(t, a[0], jsonio.Options{Pretty: len(a) == 2 && option(t, a[1], "pretty")})
}

func jsonWrite(t *value.Task, a []value.Value) value.Value {
	o := a[1]
	return jsonio.Encode(t, a[0], jsonio.Options{Strict: true, Pretty: option(t, o, "pretty") || option(t, o, "indent"),
		PlainNames: option(t, o, "plain-names"), EscapeSlash: option(t, o, "escape-slash"),
		EscapeOthers: option(t, o, "escape-unicode")})
}

// option reports whether an option is set in a map of options.
func option(_ *value.Task, opts value.Value, name string) bool {
	return value.GetName(opts, name).Truthy()
}

func isKeywordFn(_ *value.Task, a []value.Value) value.Value {
	return value.Bool(value.Identical(a[0], value.True) || a[0].Kind() == value.KindNative &&
		a[0].AsNative().Name == "keyword")
}
