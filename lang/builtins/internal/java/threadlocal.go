// This file defines ThreadLocal.

package java

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// ThreadLocal is the class of values that each evaluation has separately. The slots are the value of the
// evaluation that made the object, whether it is set, and the function of the initial value, or nil. In
// another evaluation the value is the initial one in each call, and can't be set.
var ThreadLocal = &value.JavaClass{Name: "java.lang.ThreadLocal"}

// localValue returns the value of a ThreadLocal.
func localValue(t *value.Task, a []value.Value) value.Value {
	own := a[0].Header().Owner() == t.Owner
	if slots := a[0].AsJava().Vals; own && slots[1].Truthy() {
		return slots[0]
	}
	first := value.Nil
	if f := a[0].AsJava().Vals[2]; !f.IsNil() {
		first = t.Host.Call(f)
	}
	if own {
		setLocal(t, a[0], first, value.True)
	}
	return first
}

// setLocal sets the value of a ThreadLocal, and whether it is set.
func setLocal(t *value.Task, v, x, set value.Value) {
	t.Owns(v, "ThreadLocal")
	slots := v.AsJava().Vals
	slots[0], slots[1] = x, set
}

func localMethods() []methods {
	return []methods{{[]*value.JavaClass{ThreadLocal}, []method{
		{"get", "", entry.Runs, "", "", localValue},
		{"set", "x", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			setLocal(t, a[0], a[1], value.True)
			return value.Nil
		}},
		{"remove", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			setLocal(t, a[0], value.Nil, value.False)
			return value.Nil
		}},
	}}}
}

func localStatics() []entry.Entry {
	made := func(t *value.Task, a []value.Value) value.Value {
		first := value.Nil
		if len(a) > 0 {
			if first = a[0]; first.IsNil() {
				t.FailWant("withInitial", first, "a function")
			}
		}
		return t.JavaOf(ThreadLocal, value.Nil, value.False, first)
	}
	return []entry.Entry{
		entry.StaticMethod("new", "ThreadLocal", "", entry.Constant, "Returns a ThreadLocal. Futures and parallel elements "+
			"see its initial value, and can't set it.", `(.get (doto (ThreadLocal.) (.set 1))) => 1`, made),
		entry.StaticMethod("ThreadLocal", "withInitial", "f", entry.Constant,
			"Returns a ThreadLocal with a function of its initial value.", `(.get (ThreadLocal/withInitial (fn [] 1))) => 1`,
			made),
	}
}
