// This file defines the tests of an entry: of the facts, the head of a prelude form, and the parameters.

package entry

import (
	"slices"
	"testing"

	"github.com/ptc-lang/ptc/lang/value"
)

// TestIsSafe: an entry without facts, and a nil entry, have no facts.
func TestIsSafe(t *testing.T) {
	var none *Entry
	if none.Is(^Facts(0)) || new(Entry).Is(^Facts(0)) {
		t.Error("facts hold without being told")
	}
	if some := (&Entry{Facts: Copies}); !some.Is(Copies|Cuts) || some.Is(Cuts) {
		t.Error("Is does not ask for any of the facts")
	}
	e := &Entry{Args: "f | f x"}
	e.Prepare()
	if e.Purity != Impure || e.Calls != (Calls{}) || e.MakesTransducer(1) || e.IsForm() || e.Endless.Of(0) ||
		e.Fusion.IsStage() {
		t.Errorf("an entry that tells nothing is %+v", e)
	}
	if n := len(factWords); 1<<(n-1) != TestsType {
		t.Errorf("%d words for the facts up to %b", n, TestsType)
	}
}

// TestPreludeHead tests the facts in the head of a form of the prelude.
func TestPreludeHead(t *testing.T) {
	forms := OfPrelude("(ns a.b)\n\n(defn f\n  \"Does \\\"it\\\".\"\n  {:args \"g coll | g h coll\" :purity :pure :calls \"later 0-1 elements 2 parallel\" :makes :composed :intrinsic :seq" +
		" :fusion :map :endless :2 :indent :body :facts \"copies cuts\" :examples [\"(f 1) => \\\"x\\\"\" \"(f) !code\"]}\n  ([g coll] 1))\n\n(defn- g\n  {:args \"x\"}\n  ([x] x))\n")
	if len(forms) != 2 {
		t.Fatalf("%d forms", len(forms))
	}
	f, g := &forms[0], &forms[1]
	f.readHead()
	g.readHead()
	want := Entry{NS: "a.b", Name: "f", Doc: `Does "it".`, Args: "g coll | g h coll", Purity: Pure, Makes: MakesComposed, Intrinsic: IntrinsicSeq, Fusion: StageMap,
		Calls: Calls{When: CallsLater, Times: TimesElements, Last: 1, Least: 2, Parallel: true}, Endless: Endless2,
		Indent: IndentBody, Facts: Copies | Cuts, Cost: Runs}
	if f.NS != want.NS || f.Name != want.Name || f.Doc != want.Doc || f.Args != want.Args || f.Purity != want.Purity ||
		f.Makes != want.Makes ||
		f.Intrinsic != want.Intrinsic || f.Fusion != want.Fusion || f.Calls != want.Calls || f.Endless != want.Endless ||
		f.Indent != want.Indent ||
		f.Facts != want.Facts || f.Cost != want.Cost || !slices.Equal(f.Examples, []string{`(f 1) => "x"`, "(f) !code"}) {
		t.Errorf("got  %+v\nwant %+v", *f, want)
	}
	if !g.Private || g.Args != "x" || g.Purity != Impure || g.Calls != (Calls{}) || g.Facts != 0 {
		t.Errorf("got %+v", *g)
	}
	for _, attrs := range []string{":purity :nope", ":nope :pure", `:facts "nope"`, `:calls "nope"`, `:calls "now x once 1"`, `:calls "now 0 nope 1"`, ":fusion :nope"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", attrs)
				}
			}()
			(&Entry{Source: "(defn f\n  {:args \"x\" " + attrs + "}\n  ([x] x))"}).readHead()
		}()
	}
}

// TestParameters: parameters that name a kind take values of that kind only.
func TestParameters(t *testing.T) {
	sigs := parseSignatures("a:num b | a:string & more:int")
	if len(sigs) != 2 || sigs[0].Rest || !sigs[1].Rest || !slices.Equal(sigs[1].Names, []string{"a", "more"}) ||
		sigs[0].Kinds[0] != value.Numbers || sigs[0].Kinds[1] != value.AnyKind ||
		sigs[1].Kinds[1] != value.Kinds(value.KindInt) {
		t.Errorf("got %+v", sigs)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown kind is taken")
		}
	}()
	parseSignatures("a:nope")
}
