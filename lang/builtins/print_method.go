// This file defines print-method, with which programs define how values of a type are printed, and
// the writers of its methods: the program's output, or a string builder.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

var printMethodNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%print-method", Args: "x", Private: true, Cost: entry.PerElement, Fn: printMethodOf,
		Doc: "Returns the program's method of print-method for x, nil if there is none."},
	{NS: "clojure.test", Name: "%report-method", Args: "type", Private: true, Cost: entry.Constant, Fn: reportMethodOf,
		Doc: "Returns the program's method of report for a type of result, nil if there is none."},
	{NS: "clojure.core", Name: "%print-on", Args: "x writer", Private: true, Cost: entry.Walks, Fn: printPlain,
		Doc: "Writes x to a writer, ignoring its methods of print-method."},
	entry.Method("write", "text | text offset length", onWriter, entry.PerByte,
		"Writes a string, or the character of a code, to the program's output or a string builder.",
		`(with-out-str (.write *out* "a")) => "a"`, writeTo),
	entry.Method("flush", "", onWriter, entry.Constant, "Does nothing: output is never buffered.", `(.flush *out*) => nil`,
		func(*value.Task, []value.Value) value.Value { return value.Nil }),
	entry.Method("close", "", onWriter|onFuture, entry.Constant, "Shuts an executor down. Does nothing to a writer, "+
		"which remains usable.",
		`(with-open [w (java.io.StringWriter.)] (.write w "a") (str w)) => "a"`,
		func(t *value.Task, a []value.Value) value.Value {
			if a[0].Is(onFuture) {
				return shutdown(t, a)
			}
			return value.Nil
		}),
}

// onWriter are string builders and the keywords for the output.
var onWriter = value.Kinds(value.KindBuilder, value.KindKeyword)

// isPrintMethod reports whether a value is the prelude's function print-method.
func isPrintMethod(v value.Value) bool { return isPrelude(v, "clojure.core", "print-method") }

// isPrelude reports whether a value is a function of the prelude.
func isPrelude(v value.Value, ns, name string) bool {
	return v.Kind() == value.KindFn && v.AsFn().Code.Name == name && v.AsFn().Code.NS == ns
}

// reportMethods returns the run's own multimethod of the results of tests. The function clojure.test/report calls its
// methods.
func reportMethods(t *value.Task, fn value.Value) *value.MultiFn {
	of := t.Host.Cell("clojure.test/report")
	if of.AsAtom().Val.IsNil() {
		t.Owns(of, "report")
		of.AsAtom().Val = t.MultiFn("report", fn, value.ConstKeyword("default"), value.Nil)
	}
	return of.AsAtom().Val.AsMultiFn()
}

// reportMethodOf returns the program's method for a type of result, nil if there is none.
func reportMethodOf(t *value.Task, args []value.Value) value.Value {
	of := t.Host.Cell("clojure.test/report")
	if of.AsAtom().Val.IsNil() {
		return value.Nil
	}
	f, _ := t.MapGet(of.AsAtom().Val.AsMultiFn().Methods, args[0])
	return f
}

// printMethods returns the run's own multimethod. Its dispatch is the function
// print-method itself, which calls the methods.
func printMethods(t *value.Task, fn value.Value) *value.MultiFn {
	of := t.Host.Cell("print-method")
	cell := of.AsAtom()
	if cell.Val.IsNil() {
		t.Owns(of, "print-method")
		cell.Val = t.MultiFn("print-method", fn, value.ConstKeyword("default"), value.Nil)
		t.PrintMethod = textByMethod
	}
	return cell.Val.AsMultiFn()
}

func printMethodOf(t *value.Task, args []value.Value) value.Value {
	cell := t.Host.Cell("print-method").AsAtom()
	if cell.Val.IsNil() {
		return value.Nil
	}
	return methodToPrint(t, cell.Val.AsMultiFn(), args[0])
}

// methodToPrint finds a method as Clojure does: by the keyword under :type in the metadata, else by
// the class. A method for Object prints only values that have no method in Clojure.
func methodToPrint(t *value.Task, m *value.MultiFn, v value.Value) value.Value {
	if typ, ok := t.MapGet(value.MetaOf(v), keyType); ok && typ.IsKeyword() {
		if f, ok := t.MapGet(m.Methods, typ); ok {
			return f
		}
	}
	f := findMethod(t, m, jclass.ClassOf(t, v))
	if f.IsNil() || v.Is(value.Kinds(value.KindObject, value.KindFn, value.KindNative, value.KindArray)) {
		return f
	}
	for _, general := range []value.Value{value.ConstClass("java.lang.Object"), m.Default} {
		if g, ok := t.MapGet(m.Methods, general); ok && value.Identical(f, g) {
			return value.Nil
		}
	}
	return f
}

// textByMethod is the Task's PrintMethod.
func textByMethod(t *value.Task, v value.Value) value.Value {
	m := t.Host.Cell("print-method").AsAtom().Val.AsMultiFn()
	if methodToPrint(t, m, v).IsNil() {
		return value.Nil
	}
	return t.Host.Call(m.Dispatch, v, value.Nil)
}

// plainPrinter is the value of get-method if the program has no method.
var plainPrinter = value.ConstNative(value.Native{Name: "print-method", Min: 2, Max: 2, Fn: printPlain})

func printPlain(t *value.Task, args []value.Value) value.Value {
	b := t.Buf()
	o := t.PrintOptions(true)
	o.Plain = true
	t.PrintWith(b, args[0], o)
	return writeText(t, args[1], b.Value())
}

// writeText adds a text to a writer.
func writeText(t *value.Task, writer, text value.Value) value.Value {
	switch {
	case strs.IsBuilder(writer):
		strs.BuilderAppend(t, []value.Value{writer, text})
	case java.IsWriter(writer):
		java.WriteTo(t, writer, text)
	case writer.IsKeyword():
		emit(t, text.AsString().S)
	default:
		t.Fail(diag.WrongType, "got %s, want a writer: *out*, or what print-method was given", value.Describe(t, writer))
	}
	return value.Nil
}

func writeTo(t *value.Task, a []value.Value) value.Value {
	text := a[1]
	if text.IsInt() {
		text = t.Str(value.Char(rune(uint16(text.AsInt()))))
	}
	entry.WantText(t, text, "write")
	if len(a) == 4 {
		offset := value.ToInt(t, a[2])
		text = strs.Substring(t, text, offset, offset+value.ToInt(t, a[3]))
	}
	return writeText(t, a[0], text)
}

// emit prints a text: to the string builder that *out* is bound to, else to the
// program's output.
func emit(t *value.Task, text string) {
	if out, ok := t.Host.Binding("*out*"); ok && strs.IsBuilder(out) {
		strs.BuilderAppend(t, []value.Value{out, t.CopyString(text)})
		return
	} else if ok && java.IsWriter(out) {
		java.WriteTo(t, out, t.CopyString(text))
		return
	}
	t.Host.Print(text)
}
