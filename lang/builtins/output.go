// This file defines the functions that print.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/value"
)

// output are the functions that print, and the dynamic vars of printing.
func output() [][]Entry {
	return [][]Entry{printFunctions, prettyFunctions, dynamicVars()}
}

// printFunctions print to the program's output.
var printFunctions = []Entry{
	{NS: "clojure.core", Name: "print", Args: "& xs", Cost: Walks, Fn: printer(false, false),
		Doc: "Prints values for people, separated by spaces.", Examples: []string{`(with-out-str (print "a" 1)) => "a 1"`}},
	{NS: "clojure.core", Name: "println", Args: "& xs", Cost: Walks, Fn: printer(false, true),
		Doc: "Prints values for people, separated by spaces, and a line end.", Examples: []string{`(with-out-str (println "a" 1)) => "a 1\n"`}},
	{NS: "clojure.core", Name: "pr", Args: "& xs", Cost: Walks, Fn: printer(true, false),
		Doc: "Prints values as a program would write them, separated by spaces.", Examples: []string{`(with-out-str (pr "a" 1)) => "\"a\" 1"`}},
	{NS: "clojure.core", Name: "prn", Args: "& xs", Cost: Walks, Fn: printer(true, true),
		Doc: "Prints values as a program would write them, separated by spaces, and a line end.", Examples: []string{`(with-out-str (prn "a")) => "\"a\"\n"`}},
	{NS: "clojure.core", Name: "newline", Args: "", Cost: Constant, Fn: printNewline,
		Doc: "Prints a line end.", Examples: []string{`(with-out-str (newline)) => "\n"`}},
	{NS: "clojure.core", Name: "flush", Args: "", Cost: Constant, Fn: func(*value.Task, []value.Value) value.Value { return value.Nil },
		Doc: "Does nothing: output is passed on at once.", Examples: []string{"(flush) => nil"}},
	{NS: "clojure.core", Name: "printf", Args: "fmt:string & args", Cost: Walks, Fn: printf,
		Doc: "Prints what format gives.", Examples: []string{`(with-out-str (printf "%d" 1)) => "1"`, "(printf nil) !nil-value"}},
	{NS: "clojure.core", Name: "%push-out", Args: "", Cost: Constant, Private: true, Fn: func(t *value.Task, _ []value.Value) value.Value {
		t.Host.PushOut()
		return value.Nil
	}, Doc: "Gathers what is printed from here on."},
	{NS: "clojure.core", Name: "%pop-out", Args: "", Cost: PerByte, Private: true, Fn: popOut, Doc: "Gives what was gathered."},
}

// printText gives the text of values as print or pr write them.
func printText(t *value.Task, xs []value.Value, readably, line bool) *value.Buf {
	b := t.Buf()
	printOn(t, b, xs, readably)
	if line {
		b.WriteByte('\n')
	}
	return b
}

func printOn(t *value.Task, b *value.Buf, xs []value.Value, readably bool) {
	o := printOptions(t, readably)
	for i, x := range xs {
		if i > 0 {
			b.WriteByte(' ')
		}
		t.PrintWith(b, x, o)
	}
}

// printer makes a builtin that prints.
func printer(readably, line bool) value.NativeFunc {
	return func(t *value.Task, xs []value.Value) value.Value {
		t.Host.Print(printText(t, xs, readably, line).Leave())
		return value.Nil
	}
}

func printNewline(t *value.Task, _ []value.Value) value.Value {
	t.Host.Print("\n")
	return value.Nil
}

func printf(t *value.Task, a []value.Value) value.Value {
	t.Host.Print(format(t, a).AsString().S)
	return value.Nil
}

func popOut(t *value.Task, _ []value.Value) value.Value { return t.Host.PopOut() }

// printOptions gives the options that the bindings in force say.
func printOptions(t *value.Task, readably bool) value.PrintOptions {
	o := value.PrintOptions{Readably: readably, Length: -1, Level: -1}
	if n, ok := t.Host.Binding("*print-length*"); ok && n.IsInt() {
		o.Length = int(max(n.AsInt(), 0))
	}
	if n, ok := t.Host.Binding("*print-level*"); ok && n.IsInt() {
		o.Level = int(max(n.AsInt(), 0))
	}
	if v, ok := t.Host.Binding("*print-meta*"); ok {
		o.Meta = v.Truthy()
	}
	if v, ok := t.Host.Binding("*print-namespace-maps*"); ok {
		o.NamespaceMaps = v.Truthy()
	}
	if v, ok := t.Host.Binding("*print-readably*"); ok && !v.Truthy() {
		o.Readably = false
	}
	return o
}
