// This file defines the objects of the classes of Java that the library has: readers, times and
// collections.

package value

// JavaClass is a class of Java. The functions are optional.
type JavaClass struct {
	Name string
	// Methods are set when the table of the library's entries for Java is loaded, before there is an object. They
	// refer to classes, so that a class that was made with them would refer to itself.
	Methods map[string]NativeFunc
	// Data means that objects never change, and are equal if they have the same class and equal
	// slots. Other objects belong to the evaluation that made them.
	Data bool
	// Text writes the result of toString.
	Text func(t *Task, b *Buf, v Value)
	// Hash returns the result of hashCode. It is set if Data or Equal is.
	Hash func(t *Task, v Value) int32
	// Equal is equals, for two objects of the class that may change.
	Equal func(t *Task, a, b Value) bool
	// Compare is compareTo.
	Compare func(t *Task, a, b Value) int
	// Coll returns the elements as a vector, the entries as a map, or the members as a set. The order is not
	// significant for a map or a set.
	Coll func(t *Task, v Value) Value
	// Open is the delimiter with which pr begins the elements: [, (, { or #{; "" if it prints an object.
	Open string
	// Plain means that pr writes the text of an object alone, as of a number.
	Plain bool
	// Unindexed means that nth takes no object, although its elements are a vector.
	Unindexed bool
	// Like is the class of java.util that a class of java.util.concurrent is like; nil for others.
	Like *JavaClass
	// Seq returns the elements in their order, or nil if there are none; it is set if Coll is.
	Seq func(t *Task, v Value) Value
}

// Java is an object of a JavaClass. Vals are the slots of its state.
type Java struct {
	Header
	Class *JavaClass
	Vals  []Value
}

var sizeJava = objectSize[Java]()

// Java returns a new object with slots, a block from Vals.
func (t *Task) Java(class *JavaClass, vals []Value) Value {
	t.Charge(sizeJava)
	return t.newIdentity(&(&Java{Header: t.header(KindJava), Class: class, Vals: vals}).Header)
}

// JavaOf returns a new object with the given slots.
func (t *Task) JavaOf(class *JavaClass, slots ...Value) Value {
	vals := t.Vals(len(slots))
	copy(vals, slots)
	return t.Java(class, vals)
}

// ConstJava returns an object that belongs to no evaluation.
func ConstJava(class *JavaClass, slots ...Value) Value {
	return Value{h: &(&Java{Header: Header{kind: KindJava}, Class: class, Vals: slots}).Header}
}

// AsJava returns v as an object of a JavaClass.
func (v Value) AsJava() *Java {
	if v.Kind() != KindJava {
		badKind()
	}
	return as[Java](v)
}

// queue reports whether the objects of a class are queues: collections that are no lists, and equal to themselves only.
func (c *JavaClass) queue() bool { return c.Coll != nil && c.Open == "" }

// ClassIs reports whether v is an object of a class.
func (v Value) ClassIs(class *JavaClass) bool {
	return v.Kind() == KindJava && as[Java](v).Class == class
}

// JavaColl returns the collection that an object of Java holds. ok is false for other values.
func (t *Task) JavaColl(v Value) (coll Value, ok bool) {
	if v.Kind() != KindJava || v.AsJava().Class.Coll == nil {
		return Nil, false
	}
	return v.AsJava().Class.Coll(t, v), true
}

// javaSeq returns the sequence of an object of Java.
func (t *Task) javaSeq(v Value) Value {
	class := v.AsJava().Class
	if class.Seq == nil {
		t.FailSeq(v)
	}
	return class.Seq(t, v)
}

// javaEqual reports whether an object of Java is equal to another value.
func (t *Task) javaEqual(v, other Value) bool {
	o := v.AsJava()
	if o.Class.queue() {
		return false // it is equal to itself only
	}
	if coll, ok := t.JavaColl(v); ok {
		if other.Kind() == KindJava {
			if other, ok = t.JavaColl(other); !ok {
				return false
			}
		}
		return Equal(t, coll, other)
	}
	if o.Class.Equal != nil {
		return other.ClassIs(o.Class) && o.Class.Equal(t, v, other)
	}
	if !o.Class.Data || !other.ClassIs(o.Class) || len(o.Vals) != len(other.AsJava().Vals) {
		return false
	}
	t.enter()
	same := true
	for i, x := range other.AsJava().Vals {
		if same = Equal(t, o.Vals[i], x); !same {
			break
		}
	}
	t.leave()
	return same
}

// javaObjectHash returns the hash of an object of Java.
func (t *Task) javaObjectHash(v Value, of func(*Task, Value) int32) int32 {
	class := v.AsJava().Class
	switch {
	case class.Hash != nil:
		t.enter()
		h := class.Hash(t, v)
		t.leave()
		return h
	case class.Coll != nil && !class.queue():
		return of(t, class.Coll(t, v))
	}
	return objectHash(t, v)
}

// javaTo writes the result of toString of an object of Java.
func (t *Task) javaTo(b *Buf, v Value) {
	if class := v.AsJava().Class; class.Text != nil {
		t.enter() // the object may hold others, and itself
		class.Text(t, b, v)
		t.leave()
		return
	}
	t.objectText(b, v)
}

// javaCompare compares an object of Java. ok is false if its class has no order or b is of another class.
func (t *Task) javaCompare(a, b Value) (c int, ok bool) {
	class := a.AsJava().Class
	if class.Compare == nil || !b.ClassIs(class) {
		return 0, false
	}
	t.enter()
	c = class.Compare(t, a, b)
	t.leave()
	return c, true
}

// WantJava returns the slots of an object of a class, and throws if v is another value.
func (t *Task) WantJava(v Value, class *JavaClass, what string) []Value {
	if !v.ClassIs(class) {
		t.FailWant(what, v, "a "+class.Name)
	}
	return v.AsJava().Vals
}

// javaObject writes an object of Java. A list, map or set is written as data, as pr does.
func (p *printer) javaObject(v Value) {
	switch open := v.AsJava().Class.Open; {
	case v.AsJava().Class.Plain:
		p.t.StrTo(p.b, v)
	case open == "" || !p.Readably:
		p.object(v)
	case open == "{":
		p.javaEntries(v)
	default:
		p.sequence(v, open, map[string]string{"[": "]", "(": ")", "#{": "}"}[open])
	}
}

// javaEntries writes a map of Java.
func (p *printer) javaEntries(v Value) {
	if !p.descend() {
		return
	}
	p.b.WriteByte('{')
	i, held := 0, p.b.Held()
	p.t.Each(v, func(e Value) bool {
		if !p.element(i, ", ") {
			return false
		}
		i++
		p.print(VecAt(e, 0))
		p.b.WriteByte(' ')
		p.print(VecAt(e, 1))
		p.b.LetGo(held)
		return true
	})
	p.b.WriteByte('}')
	p.ascend()
}
