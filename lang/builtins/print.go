// This file defines the functions that print.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// output are the functions that print, and the dynamic vars of printing.
func output() [][]entry.Entry {
	return [][]entry.Entry{printFunctions, printMethodNatives, prettyFunctions, dynamicVars(), input}
}

// printFunctions print to the program's output.
var printFunctions = []entry.Entry{
	{NS: "clojure.core", Name: "%realised?", Args: "xs", Cost: entry.Walks, Private: true,
		Fn:  func(t *value.Task, a []value.Value) value.Value { return value.Bool(t.Realised(a[0])) },
		Doc: "Returns true if no value of a sequence has an unrealised part."},
	{NS: "clojure.core", Name: "%print-bounded?", Args: "", Cost: entry.Constant, Private: true,
		Fn: func(t *value.Task, _ []value.Value) value.Value {
			o := t.PrintOptions(true)
			return value.Bool(o.Length >= 0 || o.Level >= 0 || o.Meta)
		}, Doc: "Returns true if *print-length*, *print-level* or *print-meta* is set."},
	{NS: "clojure.core", Name: "%common-namespace", Args: "m", Cost: entry.Walks, Private: true,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			if ns := value.CommonNamespace(a[0]); ns != "" {
				return t.String(ns)
			}
			return value.Nil
		}, Doc: "Returns the namespace that all keys of a map share, or nil."},
	{NS: "clojure.core", Name: "%print", Args: "readably line xs", Cost: entry.Walks, Private: true, Fn: printAll,
		Doc: "Prints a sequence of values, separated by spaces, and a newline."},
	{NS: "clojure.core", Name: "%printed", Args: "readably line xs", Cost: entry.Walks, Private: true, Fn: printedAll,
		Doc: "Returns what %print prints."},
	{NS: "clojure.core", Name: "newline", Args: "", Cost: entry.Constant, Fn: printNewline,
		Doc: "Prints a newline.", Examples: []string{`(with-out-str (newline)) => "\n"`}},
	{NS: "clojure.core", Name: "flush", Args: "", Cost: entry.Constant,
		Fn:  func(*value.Task, []value.Value) value.Value { return value.Nil },
		Doc: "Does nothing: output is never buffered.", Examples: []string{"(flush) => nil"}},
	{NS: "clojure.core", Name: "printf", Args: "fmt:string & args", Cost: entry.Walks, Fn: printf,
		Doc:      "Prints a formatted string, as format makes it.",
		Examples: []string{`(with-out-str (printf "%d" 1)) => "1"`, "(printf nil) !nil-value"}},
	{NS: "clojure.core", Name: "%push-out", Args: "", Cost: entry.Constant, Private: true,
		Fn: func(t *value.Task, _ []value.Value) value.Value {
			t.Host.PushOut()
			return value.Nil
		}, Doc: "Begins to capture output."},
	{NS: "clojure.core", Name: "%pop-out", Args: "", Cost: entry.PerByte, Private: true, Fn: popOut,
		Doc: "Returns the captured output."},
}

// printText returns the text of values as print or pr write them.
func printText(t *value.Task, xs value.Value, readably, line bool) *value.Buf {
	b := t.Buf()
	printOn(t, b, xs, readably)
	if line {
		b.WriteByte('\n')
	}
	return b
}

func printOn(t *value.Task, b *value.Buf, xs value.Value, readably bool) {
	o := t.PrintOptions(readably)
	first := true
	t.Each(xs, func(x value.Value) bool {
		if !first {
			b.WriteByte(' ')
		}
		first = false
		t.PrintWith(b, x, o)
		return true
	})
}

func printAll(t *value.Task, a []value.Value) value.Value {
	emit(t, printText(t, a[2], a[0].Truthy(), a[1].Truthy()).Leave())
	return value.Nil
}

func printedAll(t *value.Task, a []value.Value) value.Value {
	return printText(t, a[2], a[0].Truthy(), a[1].Truthy()).Value()
}

func printNewline(t *value.Task, _ []value.Value) value.Value {
	emit(t, "\n")
	return value.Nil
}

func printf(t *value.Task, a []value.Value) value.Value {
	emit(t, strs.Format(t, a).AsString().S)
	return value.Nil
}

func popOut(t *value.Task, _ []value.Value) value.Value { return t.Host.PopOut() }
