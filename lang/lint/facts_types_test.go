// This file tests the facts about builtins that look at the types of their arguments.

package lint_test

import (
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// TestTypeTests: a call of a type test returns other values for values of other types.
func TestTypeTests(t *testing.T) {
	samples := []string{"1", "-1", "1.5", `"a"`, ":a", "'a", "[1]", "{1 1}", "#{1}", "(list 1)", "(map inc [1])", "inc", "true", "nil"}
	for _, e := range having(t, entry.TestsType) {
		results := make(map[string]bool)
		for _, sample := range samples {
			call := "(" + e.Qualified() + " " + sample + ")"
			if !e.Takes(1) {
				call = map[string]string{"instance?": "(instance? String " + sample + ")", "contains?": "(contains? " + sample + " 1)",
					"satisfies?": "(do (defprotocol P (m [x])) (extend-type String P (m [x] 1)) (satisfies? P " + sample + "))"}[e.Name]
			}
			got, _ := newTicks(t).run(t, call)
			results[got] = true
		}
		if e.Name != "record?" && len(results) < 2 { // no sample is a record
			t.Errorf("%s returns %v for all samples", e.Name, results)
		}
	}
}

// TestTakesAny: a call takes a number in the place of coll.
func TestTakesAny(t *testing.T) {
	for _, e := range having(t, entry.TakesAny) {
		if e.NS != entry.CoreNS {
			continue // a program may extend its protocol to numbers
		}
		if got, _ := newTicks(t).run(t, "("+e.Qualified()+strings.Repeat(" 5", map[bool]int{true: 1, false: 2}[e.Takes(1)])+")"); strings.HasPrefix(got, "!") {
			t.Errorf("%s refuses a number: %s", e.Name, got)
		}
	}
}
