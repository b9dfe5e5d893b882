// This file defines the functions on exceptions.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// exceptions are the functions that make and inspect exceptions.
var exceptions = []entry.Entry{
	{NS: "clojure.core", Name: "ex-info", Args: "msg data | msg data cause", Cost: entry.Constant, Purity: entry.Pure,
		Fn:  exInfo,
		Doc: "Returns an exception with a message, a map of data and an optional cause.",
		Examples: []string{`(ex-data (ex-info "m" {:a 1})) => {:a 1}`, `(throw (ex-info "m" {})) !exception`,
			`(ex-info "m" nil) !illegal-argument`}},
	{NS: "clojure.core", Name: "ex-data", Args: "e", Cost: entry.Constant, Purity: entry.Pure, Fn: exData,
		Doc:      "Returns the data of an exception made by ex-info, nil for anything else.",
		Examples: []string{`(ex-data (ex-info "m" {:a 1})) => {:a 1}`, "(ex-data 1) => nil"}},
	{NS: "clojure.core", Name: "ex-message", Args: "e", Cost: entry.Constant, Purity: entry.Pure, Fn: exMessage,
		Doc:      "Returns the message of an exception, nil for anything else.",
		Examples: []string{`(ex-message (ex-info "m" {})) => "m"`, "(ex-message 1) => nil"}},
	{NS: "clojure.core", Name: "ex-cause", Args: "e", Cost: entry.Constant, Purity: entry.Pure, Fn: exCause,
		Doc:      "Returns the cause of an exception, nil if there is none.",
		Examples: []string{`(ex-cause (ex-info "m" {})) => nil`}},
	{NS: "clojure.core", Name: "Throwable->map", Args: "e:exception", Cost: entry.PerElement, Purity: entry.Pure,
		Fn:       throwableMap,
		Doc:      "Returns an exception as a map of :via, :trace, :cause and :data.",
		Examples: []string{`(:cause (Throwable->map (ex-info "m" {}))) => "m"`, "(Throwable->map 1) !wrong-type"}},
}

func exInfo(t *value.Task, a []value.Value) value.Value {
	switch {
	case !a[0].IsNil() && !a[0].IsString():
		t.Fail(diag.WrongType, "ex-info: got %s for the message, want a string", value.Describe(t, a[0]))
	case a[1].IsNil():
		t.Fail(diag.IllegalArgument, "Additional data must be non-nil.")
	case !a[1].Is(value.Maps):
		t.Fail(diag.WrongType, "ex-info: got %s for the data, want a map", value.Describe(t, a[1]))
	}
	cause := value.Nil
	if len(a) == 3 {
		cause = a[2]
		if !cause.IsNil() && cause.Kind() != value.KindException {
			t.Fail(diag.WrongType, "ex-info: got %s for the cause, want an exception", value.Describe(t, cause))
		}
	}
	return newException(t, "clojure.lang.ExceptionInfo", a[0], a[1], cause)
}

// newException makes an exception as a program does.
func newException(t *value.Task, class string, msg, data, cause value.Value) value.Value {
	e := t.NewException(diag.Thrown, "")
	e.Class, e.Msg, e.Data, e.Cause = class, msg, data, cause
	return value.Of(&e.Header)
}

func exData(_ *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindException {
		return a[0].AsException().Data
	}
	return value.Nil
}

func exMessage(_ *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindException {
		return a[0].AsException().Msg
	}
	return value.Nil
}

func exCause(_ *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindException {
		return a[0].AsException().Cause
	}
	return value.Nil
}

// The keys of Throwable->map.
var (
	keyVia     = value.ConstKeyword("via")
	keyTrace   = value.ConstKeyword("trace")
	keyCause   = value.ConstKeyword("cause")
	keyData    = value.ConstKeyword("data")
	keyType    = value.ConstKeyword("type")
	keyMessage = value.ConstKeyword("message")
)

// throwableMap returns the chain of causes, outermost first; the trace is empty, because a program
// cannot see the machine's calls.
func throwableMap(t *value.Task, a []value.Value) value.Value {
	via := t.ValBuf()
	e := a[0].AsException()
	for {
		t.Work(1)
		entry := []value.Value{keyType, t.Symbol("", e.Class)}
		if !e.Msg.IsNil() {
			entry = append(entry, keyMessage, e.Msg)
		}
		if !e.Data.IsNil() {
			entry = append(entry, keyData, e.Data)
		}
		via.Add(t.MapOf(entry...))
		if e.Cause.Kind() != value.KindException {
			break
		}
		e = e.Cause.AsException()
	}
	m := []value.Value{keyVia, via.Vector(), keyTrace, t.Vector()}
	if !e.Msg.IsNil() {
		m = append(m, keyCause, e.Msg)
	}
	if !e.Data.IsNil() {
		m = append(m, keyData, e.Data)
	}
	return t.MapOf(m...)
}
