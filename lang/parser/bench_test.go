package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/token"
)

// ordinaryCode returns n bytes of code as people write it: definitions with docstrings, comments,
// literals, destructuring, threading and a macro.
func ordinaryCode(n int) string {
	var b strings.Builder
	b.WriteString("(ns report.orders\n  (:require [clojure.string :as str] [clojure.set :as set]))\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `
;; Orders of region %[1]d: totals are kept in cents.
(def ^:private limits-%[1]d
  {:region %[1]d :currency "EUR", :max-total 1%[2]d99 :rate 0.%[2]d
   :tags #{:a%[1]d :retail :export} :pattern #"ord-(\d+)-[a-z]{2}"})

(defn order-total-%[1]d
  "Adds up the lines of an order; a line without a price counts as \"free\"."
  [{:keys [id lines customer] :or {lines []} :as order} & [discount]]
  (let [prices (map #(* (:price %% 0) (:quantity %%)) lines)
        total  (reduce + 0 prices)
        name   (str/trim (get-in customer [:address :name] "unknown"))]
    (when (> total (:max-total limits-%[1]d))
      (throw (ex-info (str "order " id " is too large") {:id id, :total total})))
    (if-let [d (or discount (:discount customer))]
      (assoc order :total (- total (* total d 0.01)) :name name)
      (assoc order :total total :name name))))

(defmacro with-order-%[1]d [binding & body]
  `+"`(let [order# ~(second binding) ~(first binding) (order-total-%[1]d order#)]\n     ~@body)"+`)

(defn summary-%[1]d [orders]
  (->> orders
       (filter (comp #{:open :paid} :status)) ; the others are archived
       (group-by :customer-id)
       (map (fn [[k v]] [k (count v) (apply max (map :total v))]))
       (sort-by second >)
       (take %[2]d)
       vec))
`, i, i%97+1)
	}
	return b.String()[:strings.LastIndex(b.String()[:n], "\n\n")]
}

func BenchmarkParse1MB(b *testing.B) {
	file := token.NewFile("orders.ptc", ordinaryCode(1<<20))
	b.SetBytes(int64(len(file.Source)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(newTask(), file, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLex1MB measures the lexer's part of BenchmarkParse1MB.
func BenchmarkLex1MB(b *testing.B) {
	source := ordinaryCode(1 << 20)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		tokens := 0
		for s := (scanner{src: source, classes: clojureClasses, left: len(source)}); ; tokens++ {
			if tok, _ := s.Next(); tok.EOF() {
				break
			}
		}
		b.ReportMetric(float64(tokens), "tokens/op")
	}
}

// BenchmarkParseOne reads a file form by form, as a REPL or read does.
func BenchmarkParseOne(b *testing.B) {
	file := token.NewFile("orders.ptc", ordinaryCode(1<<16))
	b.SetBytes(int64(len(file.Source)))
	b.ReportAllocs()
	for b.Loop() {
		t := newTask()
		for off := 0; ; {
			_, next, eof, err := ParseOne(t, file, off, Options{})
			if err != nil {
				b.Fatal(err)
			}
			if eof {
				break
			}
			off = next
		}
	}
}

// BenchmarkParseSmall measures one read-string of a small form.
func BenchmarkParseSmall(b *testing.B) {
	file := token.NewFile("-", `{:a 1 :b "two"}`)
	b.ReportAllocs()
	t := newTask()
	for b.Loop() {
		t.SetUsed(0)
		if _, _, _, err := ParseOne(t, file, 0, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewReader(b *testing.B) {
	for b.Loop() {
		newReader()
	}
}
