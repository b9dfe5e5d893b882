// This file reads the printing options from the bindings of dynamic vars.

package value

// PrintOptions returns the options in the current bindings, or the defaults if no program is
// running.
func (t *Task) PrintOptions(readably bool) PrintOptions {
	o := PrintOptions{Readably: readably, Length: -1, Level: -1}
	if t.Host == nil {
		return o
	}
	o.NamespaceMaps = true // the root of the var, as in a script of Clojure
	if n, ok := t.Host.Binding("*print-length*"); ok && n.IsInt() {
		o.Length = int(max(n.AsInt(), -1))
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
	if v, ok := t.Host.Binding("*print-dup*"); ok && v.Truthy() {
		o = PrintOptions{Readably: true, Meta: true, Length: -1, Level: -1, Dup: true}
	}
	return o
}
