// This file defines the map operations of records.

package value

// field returns the index of a key among the fields of r, or -1 if it is not a field.
func (r *Record) field(t *Task, k Value) int {
	if k.h == nil || k.h.kind != KindKeyword {
		return -1
	}
	for i, f := range r.Type.Fields {
		if keyEq(t, f, k) {
			return i
		}
	}
	return -1
}

func (r *Record) count() int {
	n := len(r.Vals)
	if r.Ext != nil {
		n += MapCount(Of(r.Ext))
	}
	return n
}

func (r *Record) entry(t *Task, k Value) (key, val *Value) {
	if i := r.field(t, k); i >= 0 {
		return &r.Type.Fields[i], &r.Vals[i]
	}
	if r.Ext == nil {
		return nil, nil
	}
	return t.entry(Of(r.Ext), k)
}

func (r *Record) entryAt(i int) (k, v Value) {
	if n := len(r.Vals); i >= n {
		return EntryAt(Of(r.Ext), i-n)
	}
	return r.Type.Fields[i], r.Vals[i]
}

// copyRecord returns a copy of r.
func (t *Task) copyRecord(r *Record) *Record {
	t.Charge(sizeRecord + ValsSize(len(r.Vals)))
	countVals(&t.Born, len(r.Vals))
	n := &Record{Header: t.header(KindRecord), Type: r.Type, Ext: r.Ext, Meta: r.Meta, Vals: make([]Value, len(r.Vals))}
	copy(n.Vals, r.Vals)
	return n
}

func (r *Record) assoc(t *Task, k, v Value) Value {
	i := r.field(t, k)
	if i < 0 {
		ext := t.MapAssoc(Of(r.Ext), k, v)
		n := t.copyRecord(r)
		n.Ext = ext.h
		return Value{h: &n.Header}
	}
	if Identical(r.Vals[i], v) {
		return Value{h: &r.Header}
	}
	n := t.copyRecord(r)
	n.Vals[i] = v
	return Value{h: &n.Header}
}

// dissoc removes a key. Without one of its fields, a record becomes a map.
func (r *Record) dissoc(t *Task, k Value) Value {
	if r.field(t, k) >= 0 {
		return t.MapDissoc(t.recordMap(r), k)
	}
	ext := t.MapDissoc(Of(r.Ext), k)
	if ext.h == r.Ext {
		return Value{h: &r.Header}
	}
	n := t.copyRecord(r)
	n.Ext = ext.h
	if MapCount(ext) == 0 {
		n.Ext = nil
	}
	return Value{h: &n.Header}
}

// recordMap returns a map of the record's entries.
func (t *Task) recordMap(r *Record) Value {
	n := r.count()
	kvs := t.Vals(2 * n)
	for i := 0; i < n; i++ {
		kvs[2*i], kvs[2*i+1] = r.entryAt(i)
	}
	m := t.MapOf(kvs...)
	if r.Meta != nil {
		m = WithMeta(t, m, Of(r.Meta))
	}
	return m
}
