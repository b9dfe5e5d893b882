package ptc_test

import (
	"context"
	"testing"

	"github.com/ptc-lang/ptc"
)

// TestMacroEvaluates checks that macros know the definitions after a macro that has called eval, which adds
// further names.
func TestMacroEvaluates(t *testing.T) {
	res, err := ptc.Run(context.Background(), `
		(defmacro compile-if [test a b] (if (eval test) a b))
		(compile-if (= 1 1) (def a 1) 2)
		(def b 2)
		(defmacro m [] (eval 1) b)
		(m)
		(def ^:dynamic *q* 3)
		(defonce p 4)
		(defmulti of :k)
		(defmethod of :x [_] 5)
		(defprotocol Form (form [x]))
		(extend-protocol Form Long (form [n] (list '+ n 1)))
		(defmacro n [] [a b *q* p (of {:k :x}) (form 6)])
		(n)`, ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := res.JSON(false); err != nil || v != "[1,2,3,4,5,7]" {
		t.Errorf("got %s, %v", v, err)
	}
}

// TestMacroOfEval checks that a macro that load-string defines is not called as a function by the forms that were
// compiled before it was.
func TestMacroOfEval(t *testing.T) {
	res, err := ptc.Run(context.Background(), `
		(load-string "(defmacro evaluated [& xs] xs)")
		(try (evaluated + 1 2) (catch Exception e (ex-message e)))`, ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := res.JSON(false); err != nil || v != `"Can't take value of a macro: #'user/evaluated"` {
		t.Errorf("got %s, %v", v, err)
	}
}
