package builtins

import (
	"strings"
	"testing"
)

// A builtin that takes any number of arguments is one that apply can give more of than
// one block holds, unless they would be no use.
func TestManyArguments(t *testing.T) {
	without := " array-map sorted-map format printf aget aset make-array assoc! dissoc! disj! extend bound? thread-bound? list* not= distinct? "
	for e := range All() {
		if e.Fn == nil || e.Private || e.NS != "clojure.core" {
			continue
		}
		if _, most := e.Arity(); most < 0 && e.Many == nil && !strings.Contains(without, " "+e.Name+" ") && !strings.HasPrefix(e.Name, "aset") {
			t.Errorf("%s has no Many", e.Name)
		}
	}
}
