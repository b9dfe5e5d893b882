// This file defines subseq and rsubseq.

package colls

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var sortedNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%subseq", Args: "sc test key | sc start-test start end-test end", Private: true,
		Cost: entry.PerElement, Purity: entry.Pure, Fn: subseq},
	{NS: "clojure.core", Name: "%rsubseq", Args: "sc test key | sc start-test start end-test end", Private: true,
		Cost: entry.PerElement, Purity: entry.Pure, Fn: rsubseq},
}

func subseq(t *value.Task, args []value.Value) value.Value { return subEntries(t, args, false) }

func rsubseq(t *value.Task, args []value.Value) value.Value { return subEntries(t, args, true) }

// subEntries returns the part of a sorted collection beyond a bound, or between two.
func subEntries(t *value.Task, args []value.Value, desc bool) value.Value {
	sc := args[0]
	if !sc.Is(SortedKinds) {
		t.Fail(diag.WrongType, "subseq: got %s, want a sorted map or set", value.Describe(t, sc))
	}
	if len(args) == 5 {
		return subBetween(t, args, desc)
	}
	at, up := boundOf(t, sc, args[1], args[2])
	lo, hi := 0, at
	if up {
		lo, hi = at, t.Count(sc)
	}
	if lo < hi {
		return sortedPart(t, sc, lo, hi, desc)
	}
	if up != desc {
		return value.Nil
	}
	return value.EmptyList
}

// subBetween treats any two bounds as Clojure does: it walks from the first bound in the wanted
// direction, leaves out the first entry if that fails the test of the bound, and continues as long
// as the test of the second bound holds. It returns nil if there is no entry to start from.
func subBetween(t *value.Task, args []value.Value, desc bool) value.Value {
	sc, n := args[0], t.Count(args[0])
	first, last := args[1:3], args[3:5]
	if desc {
		first, last = last, first
	}
	boundOf(t, sc, args[1], args[2]) // refuses other tests
	stop, _ := boundOf(t, sc, last[0], last[1])
	from, found := t.SortedPlace(sc, first[1])
	if desc && !found {
		from--
	}
	if from < 0 || from == n {
		return value.Nil
	}
	if lo, hi := sectionOf(t, sc, first); from < lo || from >= hi {
		if desc {
			from--
		} else {
			from++
		}
	}
	lo, hi := sectionOf(t, sc, last)
	if from < lo || from >= hi {
		return value.EmptyList
	}
	switch up := last[0].AsNative().Name[0] == '>'; {
	case desc && up:
		return sortedPart(t, sc, stop, from+1, true)
	case desc:
		return sortedPart(t, sc, 0, from+1, true)
	case up:
		return sortedPart(t, sc, from, n, false)
	}
	return sortedPart(t, sc, from, stop, false)
}

// sectionOf returns the indexes from lo up to hi at which a bound's test holds.
func sectionOf(t *value.Task, sc value.Value, bound []value.Value) (lo, hi int) {
	at, up := boundOf(t, sc, bound[0], bound[1])
	if up {
		return at, t.Count(sc)
	}
	return 0, at
}

func sortedPart(t *value.Task, sc value.Value, lo, hi int, desc bool) value.Value {
	if lo > 0 || hi < t.Count(sc) {
		sc = t.SortedPart(sc, lo, hi)
	}
	return t.MapSeqOf(sc, value.SeqEntries, desc)
}

// boundOf returns the index at which a bound cuts a sorted collection, and whether the wanted
// entries are above it.
func boundOf(t *value.Task, sc, test, key value.Value) (at int, up bool) {
	at, found := t.SortedPlace(sc, key)
	name := ""
	if test.Kind() == value.KindNative {
		name = test.AsNative().Name
	}
	switch name {
	case "<", ">=":
	case "<=", ">":
		if found {
			at++
		}
	default:
		t.Fail(diag.IllegalArgument, "subseq: got %s as test, want <, <=, > or >=", value.Describe(t, test))
	}
	return at, name[0] == '>'
}
