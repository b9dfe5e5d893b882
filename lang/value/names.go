// This file defines Names, the interface through which a running program inspects and changes its
// names.

package value

// Alias is a short name for a namespace.
type Alias struct{ Name, NS string }

// Names provides the namespaces, aliases and vars of a run: those of the program and of the library, and
// those added by eval and intern.
type Names interface {
	// Current returns the current namespace.
	Current() string
	// Has reports whether a namespace exists. All returns all namespaces.
	Has(ns string) bool
	All() []string
	// Resolve returns the var or class that a symbol refers to in a namespace, or nil if it refers
	// to nothing.
	Resolve(ns string, sym Value) Value
	// Vars returns the vars of a namespace that have a value. It includes the private ones if all
	// is set. ok is false if the namespace does not exist.
	Vars(ns string, all bool) (vars []Value, ok bool)
	// Aliases returns the aliases that the program made in a namespace. Refers returns the vars of
	// other namespaces, except clojure.core, that need no prefix there. Unalias removes an alias.
	Aliases(ns string) []Alias
	Refers(ns string) map[string]Value
	Unalias(ns, alias string)
	// Create makes a namespace if it does not exist. Enter also makes it the current one.
	Create(ns string)
	Enter(ns string)
	// Intern returns the var of a name, which it creates if necessary.
	Intern(ns, name string) Value
	// Unmap removes a name from a namespace of the program.
	Unmap(ns, name string)
	// Expand expands a form once. If the head of the form is a macro of the program, Expand returns
	// that macro instead, to be called with the form, nil and the arguments. again is false if the
	// head is not a macro.
	Expand(form Value) (out, macro Value, again bool)
	// Bind binds the dynamic vars that are the keys of a map, all or none of them, until Unbind,
	// which removes the last n bindings. Bound reports whether a var is bound. Bindings returns all
	// bindings, the innermost last. SetBinding changes the innermost binding.
	Bind(vars Value)
	Unbind(n int)
	// PopFrame removes the bindings of the last push-thread-bindings. It returns false if others were made after them.
	PopFrame() bool
	Bound(v *Var) bool
	Bindings(f func(v, x Value))
	SetBinding(v *Var, x Value)
}
