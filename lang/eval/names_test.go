// This file tests which memory a program that evaluates forms holds.

package eval

import (
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// started returns an evaluation that is ready to run a program under a memory cap.
func started(t *testing.T, c compiled, memory int64) *Evaluation {
	t.Helper()
	m := New()
	var out strings.Builder
	c.begin(m, limits.Limits{Memory: memory, Timeout: time.Minute}.OrDefault(), &out)
	return m
}

func TestNamesAreCharged(t *testing.T) {
	for name, source := range map[string]string{
		"intern":           `(dotimes [i 1000000] (intern *ns* (symbol (str "x" i)) i))`,
		"intern and unmap": `(dotimes [i 1000000] (intern *ns* 'x i) (ns-unmap *ns* 'x))`,
		"namespaces":       `(dotimes [i 1000000] (eval (list 'in-ns (list 'quote (symbol (str "n" i))))))`,
		"refers":           `(dotimes [i 1000000] (eval (list 'ns (symbol (str "n" i)) '(:use clojure.string))))`,
		"namespace values": `(loop [l nil] (recur (cons (find-ns 'user) l)))`,
	} {
		t.Run(name, func(t *testing.T) {
			c := mustCompile(t, source)
			if _, err := c.run(started(t, c, 1<<20)); err == nil || err.Code != diag.MemoryExceeded {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestResetForgetsEvaluatedForms(t *testing.T) {
	c := mustCompile(t, `(eval '(def y 1)) (dotimes [i 1000] (intern *ns* (symbol (str "x" i)) i))`)
	m := started(t, c, 16<<20)
	if _, err := c.run(m); err != nil {
		t.Fatal(err)
	}
	if m.code == 0 || m.consts.IsNil() {
		t.Error("no code of eval is held: the test shows nothing")
	}
	m.Reset()
	if m.Env() != nil || m.Used() != 0 || m.code != 0 || !m.consts.IsNil() {
		t.Errorf("kept names %v, %d bytes, %d of code", m.Env(), m.Used(), m.code)
	}
}
