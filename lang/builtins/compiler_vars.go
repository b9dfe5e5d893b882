// This file defines the dynamic vars of Clojure's compiler and reader, which libraries read and bind.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// compilerVars have the values that they have in Clojure when nothing is compiled to files. They have no effect.
func compilerVars() []entry.Entry {
	var list []entry.Entry
	for _, v := range []struct {
		name, shown string
		root        value.Value
	}{
		{"*compiler-options*", "nil", value.Nil}, {"*compile-files*", "false", value.False},
		{"*compile-path*", `"classes"`, value.ConstString("classes")}, {"*verbose-defrecords*", "false", value.False},
		{"*fn-loader*", "nil", value.Nil}, {"*use-context-classloader*", "true", value.True},
		{"*allow-unresolved-vars*", "false", value.False}, {"*suppress-read*", "nil", value.Nil},
		{"*reader-resolver*", "nil", value.Nil}, {"*source-path*", `"NO_SOURCE_FILE"`, value.ConstString("NO_SOURCE_FILE")},
	} {
		list = append(list, dynamic(v.name, v.name+" => "+v.shown, "Has no effect.", v.root))
	}
	return list
}
