// This file defines the references of java.lang.ref. Nothing is collected while a program can reach it, so
// a reference keeps its value until it is cleared: the time of a collection must not change the behaviour
// of a program.

package java

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// The classes of references and their queue. Each has a cell: of a reference a vector of its value and whether it was
// enqueued; of a queue the vector of its references. The second slot of a reference is its queue, or nil.
var (
	SoftReference  = &value.JavaClass{Name: "java.lang.ref.SoftReference"}
	WeakReference  = &value.JavaClass{Name: "java.lang.ref.WeakReference"}
	ReferenceQueue = &value.JavaClass{Name: "java.lang.ref.ReferenceQueue"}
)

// enqueue clears a reference and adds it to its queue. It reports whether it did: a reference is added once.
func enqueue(t *value.Task, a []value.Value) value.Value {
	queue := a[0].AsJava().Vals[1]
	if queue.IsNil() || value.VecAt(orderedCell(t, a[0]), 1).Truthy() {
		return value.False
	}
	more := t.Conj(orderedCell(t, queue), a[0])
	done := t.Vector(value.Nil, value.True)
	setCell(t, queue, more)
	setCell(t, a[0], done)
	return value.True
}

// pollReference removes the first reference of a queue; it returns nil if there is none.
func pollReference(t *value.Task, a []value.Value) value.Value {
	all := orderedCell(t, a[0])
	n := value.VecCount(all)
	if n == 0 {
		return value.Nil
	}
	t.Work(int64(n))
	rest := t.Vals(n - 1)
	for i := range rest {
		rest[i] = value.VecAt(all, i+1)
	}
	setCell(t, a[0], t.VectorFrom(rest))
	return value.VecAt(all, 0)
}

func referenceMethods() []methods {
	return []methods{{[]*value.JavaClass{SoftReference, WeakReference}, []method{
		{"get", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.VecAt(seen(t, a[0]), 0)
		}},
		{"clear", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			setCell(t, a[0], t.Vector(value.Nil, value.VecAt(orderedCell(t, a[0]), 1)))
			return value.Nil
		}},
		{"enqueue", "", entry.Constant,
			"Clears a reference and adds it to its queue. Returns true if it was not added before.",
			"(.enqueue (java.lang.ref.SoftReference. 1 (java.lang.ref.ReferenceQueue.))) => true", enqueue},
	}}, {[]*value.JavaClass{ReferenceQueue}, []method{{"poll", "", entry.PerElement, "", "", pollReference}}}}
}

func referenceStatics() []entry.Entry {
	made := func(class *value.JavaClass, name string) entry.Entry {
		return entry.StaticMethod("new", name, "x | x queue", entry.Constant,
			"Returns a reference, which keeps its value until it is cleared.",
			"(.get (java.lang.ref."+name+". :a)) => :a", func(t *value.Task, a []value.Value) value.Value {
				queue := value.Nil
				if len(a) > 1 {
					if queue = a[1]; !queue.ClassIs(ReferenceQueue) {
						t.FailWant(name, queue, "a ReferenceQueue")
					}
				}
				return t.JavaOf(class, t.Atom(t.Vector(a[0], value.False)), queue)
			})
	}
	return []entry.Entry{made(SoftReference, "SoftReference"), made(WeakReference, "WeakReference"),
		entry.StaticMethod("new", "ReferenceQueue", "", entry.Constant, "Returns a queue of references that were enqueued.",
			"(.poll (java.lang.ref.ReferenceQueue.)) => nil", func(t *value.Task, _ []value.Value) value.Value {
				return t.JavaOf(ReferenceQueue, t.Atom(value.EmptyVector))
			})}
}
