package ptc_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

// TestDeferred checks that a name which PTC lacks is a warning where the program might not reach it, and an
// error where it certainly does.
func TestDeferred(t *testing.T) {
	for _, c := range []struct {
		source string
		found  []string
	}{
		{`(defn f [p] (load-file p)) 1`, []string{"warning 1:14 load-file is not available in a task program"}},
		{`(load-file "a")`, []string{"error 1:2 load-file is not available in a task program"}},
		{`(let [x (str "a" (load-file "a"))] x)`, []string{"error 1:19 load-file is not available in a task program"}},
		{`(try (load-file "a") (catch Exception e 1))`, []string{"warning 1:7 load-file is not available in a task program"}},
		{`(if (= 1 (rand-int 2)) (load-file "a") 1)`, []string{"warning 1:25 load-file is not available in a task program"}},
		{`(ns a (:require [clojure.xml :as xml])) 1`,
			[]string{"warning 1:18 the namespace clojure.xml is not available in a task program"}},
		{`(ns a (:require [no.such.place :as p])) 1`, []string{"error 1:18 Could not locate namespace no.such.place"}},
		{`(ns a (:import java.net.Socket)) (defn f [x] (Socket. x))`,
			[]string{"warning 1:47 Socket can't be constructed: a task program has no Java"}},
		{`(defn f [x] (.setSoTimeout x 1))`, []string{"warning 1:14 no method .setSoTimeout: a task program has no Java"}},
		{`(defn f [x] (Rekord. x))`, []string{"error 1:14 Rekord can't be constructed: a task program has no Java"}},
		{`(defn f [x] (slurpp x))`, []string{"error 1:14 Unable to resolve symbol: slurpp in this context"}},
		{`(defn f [g] (try (g) (catch java.sql.SQLException e 1)))`,
			[]string{"warning 1:29 java.sql.SQLException is not available in a task program"}},
		{`(defn f [^java.net.Socket x] x)`, nil},
	} {
		var found []string
		for _, d := range ptc.Check(context.Background(), "a.ptc", c.source, ptc.Options{}).Diagnostics {
			line, col := d.Span.File.LineCol(d.Span.Start)
			found = append(found, fmt.Sprintf("%s %d:%d %s", d.Severity, line, col, d.Message))
		}
		if !slices.Equal(found, c.found) {
			t.Errorf("%s\n got %s\nwant %s", c.source, strings.Join(found, "\n     "), strings.Join(c.found, "\n     "))
		}
	}
}

// TestDeferredError checks that a deferred error has the message, the place and the hint of the error of compilation.
func TestDeferredError(t *testing.T) {
	_, atOnce := ptc.Run(context.Background(), `            (load-file "a")`, ptc.Options{})
	_, later := ptc.Run(context.Background(), `(defn f [x] (load-file x)) (f "a")`, ptc.Options{})
	first, second := atOnce.(*ptc.Error), later.(*ptc.Error)
	if first.Code != second.Code || first.Message != second.Message || first.Hint != second.Hint ||
		first.Span.Start != second.Span.Start {
		t.Errorf("at once: %v (%s)\nlater:   %v (%s)", first, first.Hint, second, second.Hint)
	}
}
