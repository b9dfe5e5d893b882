// This file tests that every public name of Clojure's own namespaces exists, or has a hint that names the
// alternative.

package builtins

import (
	_ "embed"
	"strings"
	"testing"
)

// clojureNames lists the public vars of Clojure 1.11.1, as ns-publics returns them.
//
//go:embed testdata/clojure-1.11.names
var clojureNames string

func TestClojureNames(t *testing.T) {
	n := 0
	for line := range strings.Lines(clojureNames) {
		n++
		ns, name, _ := strings.Cut(strings.TrimSpace(line), "/")
		if e := Lookup(ns, name); e != nil && !e.Private {
			continue
		}
		if _, ok := Static(ns, name); ok {
			continue
		}
		if why, ok := Missing(ns, name); !ok || why == "" {
			t.Errorf("%s/%s is neither there nor told of by Missing", ns, name)
		}
	}
	if n < 800 {
		t.Errorf("the list has %d names", n)
	}
}
