// Package java defines classes of Java whose objects the rest of the library does not use: readers, times and
// mutable collections, with their constructors, methods, static methods and constants.
package java

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/value"
)

// method is a method of one or more classes.
type method struct {
	name, args   string // the parameters without the object: "| n" takes none or one
	cost         entry.Cost
	doc, example string
	fn           value.NativeFunc
}

// methods are those of some classes.
type methods struct {
	classes []*value.JavaClass
	methods []method
}

// all lists the methods of the classes.
func all() []methods {
	return slices.Concat(readerMethods(), fileMethods(), timeMethods(), collectionMethods(), navigationMethods(),
		randomMethods(), atomicMethods(), codecMethods(), digestMethods(), uriMethods(), urlMethods(),
		optionalMethods(), unitMethods(),
		formatMethods(), calendarMethods(), bitMethods(), tokenMethods(),
		messageMethods(), localMethods(), referenceMethods(), rollMethods(), zoneRuleMethods(), weekMethods(),
		monthDayMethods(), traceMethods(), reflectedMethods())
}

// Entries returns the entries of the classes, and sets the methods of the classes. It is called once.
func Entries() [][]entry.Entry {
	var list []entry.Entry
	listed := make(map[string]bool)
	for _, of := range all() {
		for _, m := range of.methods {
			checked := m.checked()
			for _, class := range of.classes {
				if class.Methods == nil {
					class.Methods = make(map[string]value.NativeFunc)
				}
				class.Methods[m.name] = checked
			}
			if listed[m.name] {
				continue
			}
			listed[m.name] = true
			e := entry.Method(m.name, "& args", 0, m.cost, m.doc, m.example, nil)
			e.Examples = e.Examples[:1]
			if m.example == "" {
				e.Examples = []string{"(." + m.name + " nil) !nil-value"}
			}
			list = append(list, e)
		}
	}
	for _, class := range []*value.JavaClass{ArrayList, LinkedList, Vector, Stack, HashMap, WeakHashMap, IdentityHashMap,
		Hashtable, LinkedHashMap, TreeMap} {
		class.Methods["replaceAll"] = library("%replace-all", nil)
	}
	setShared()
	return [][]entry.Entry{list, ioStatics(), timeStatics(), listStatics(), tableStatics(), randomStatics(),
		atomicStatics(), sharedStatics(), arrayStatics(), codecStatics(), digestStatics(), uriStatics(), urlStatics(),
		optionalStatics(),
		unitStatics(), formatStatics(), calendarStatics(), bitStatics(), tokenStatics(),
		messageStatics(), localStatics(), localizedStatics(), referenceStatics(), weekStatics(),
		monthDayStatics(), traceStatics(),
		callbacks()}
}

// checked returns the function of a method with a check of the number of its arguments.
func (m method) checked() value.NativeFunc {
	var takes [8]bool
	for _, arity := range strings.Split(m.args, "|") {
		takes[len(strings.Fields(arity))] = true
	}
	return func(t *value.Task, a []value.Value) value.Value {
		if n := len(a) - 1; n >= len(takes) || !takes[n] {
			entry.NoMethod(t, m.name, a[0], len(a)-1)
		}
		return m.fn(t, a)
	}
}

// callTool calls a tool of the host as a program does. what is the function that needs it.
func callTool(t *value.Task, what, name string, args ...value.Value) value.Value {
	tool, how := t.Host.ToolNamed(name)
	if tool == nil {
		e := t.NewException(diag.NotGranted, what+" needs the grant of tool/"+name)
		e.Hint = how
		if strings.HasPrefix(name, value.FileTools) {
			e.Class = value.FileNotFound
		}
		t.Throw(e)
	}
	outcome := t.Host.CallTool(tool, func() string { return jsonio.Arguments(t, tool, args) })
	if f := outcome.Failure; f != nil {
		e := t.NewException(f.Kind, what+": "+f.Message)
		if f.Code == "not-found" || strings.HasPrefix(name, value.FileTools) {
			e.Class = value.FileNotFound
		}
		e.Hint = f.Hint
		e.Data = t.MapOf(value.ConstKeyword("code"), t.Keyword("", f.Code), value.ConstKeyword("tool"),
			t.Keyword("", name), value.ConstKeyword("retryable?"), value.Bool(f.Retryable))
		e.Way = &value.Way{Tool: true, Err: f.Err}
		t.Charge(e.Way.Size())
		t.Throw(e)
	}
	if len(outcome.Result) == 0 {
		return value.Nil
	}
	v, err := jsonio.Decode(t, outcome.Result, true)
	if err != nil {
		t.Fail(diag.ToolFailed, "%s: the result of tool/%s is not JSON: %v", what, name, err)
	}
	return v
}
