// This file defines reading: read-string and clojure.edn.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// ednFunctions read data.
var ednFunctions = []Entry{
	{NS: "clojure.core", Name: "read-string", Args: "s | opts s", Cost: PerByte, Fn: readString,
		Doc: "Reads the first form of a text as data; nothing is evaluated.", Examples: []string{`(read-string "(+ 1 2)") => (+ 1 2)`, `(read-string "") !syntax-error`, "(read-string nil) !nil-value"}},
	{NS: "clojure.edn", Name: "read-string", Args: "s:string? | opts:map? s:string?", Cost: PerByte, Fn: ednReadString,
		Doc: "Reads the first form of a text as data. opts may have :eof, a value for an empty text, :readers, a map from tag to function, and :default, a function of tag and value for other tags.", Examples: []string{`(clojure.edn/read-string "{:a [1 2]}") => {:a [1 2]}`, "(clojure.edn/read-string nil) => nil", `(clojure.edn/read-string "{:a") !syntax-error`}},
}

func readString(t *value.Task, a []value.Value) value.Value {
	s := a[len(a)-1]
	if !s.IsString() {
		wantText(t, s, "read-string")
	}
	opts := value.Nil
	if len(a) == 2 {
		opts = a[0]
	}
	return t.Host.ReadEDN(s.AsString().S, opts)
}

func ednReadString(t *value.Task, a []value.Value) value.Value {
	s := a[len(a)-1]
	opts := value.Nil
	if len(a) == 2 {
		opts = a[0]
	}
	if s.IsNil() {
		return value.Nil
	}
	if len(a) == 2 && !opts.IsNil() && !opts.Is(value.Maps) {
		t.Fail(diag.WrongType, "read-string: got %s, want a map of options", value.Describe(t, opts))
	}
	return t.Host.ReadEDN(s.AsString().S, opts)
}
