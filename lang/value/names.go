// This file defines Names: what a running program may ask about its names.

package value

// Alias is a short name of a namespace.
type Alias struct{ Name, NS string }

// Names knows the namespaces, aliases and vars of a run: of the program, of the
// library, and of what eval and intern added.
type Names interface {
	// Current gives the current namespace.
	Current() string
	// Has says whether there is a namespace, All gives all.
	Has(ns string) bool
	All() []string
	// Resolve gives the var or class that a symbol means in a namespace, nil if it
	// means nothing.
	Resolve(ns string, sym Value) Value
	// Vars gives the vars of a namespace that have a value, the private ones if all
	// is set; ok is false if there is no such namespace.
	Vars(ns string, all bool) (vars []Value, ok bool)
	// Aliases gives the aliases that the program made in a namespace, Refers the vars of
	// other namespaces but clojure.core that need no prefix there. Unalias takes an
	// alias away.
	Aliases(ns string) []Alias
	Refers(ns string) map[string]Value
	Unalias(ns, alias string)
	// Create makes a namespace if it is new; Enter makes it the current one, too.
	Create(ns string)
	Enter(ns string)
	// Intern gives the var of a name, which is made if it is new.
	Intern(ns, name string) Value
	// Unmap takes a name from a namespace of the program.
	Unmap(ns, name string)
	// Expand expands a form once. If its head is a macro of the program, that is
	// given instead, to be called with the form, nil and the arguments. again is
	// false if the head is no macro.
	Expand(form Value) (out, macro Value, again bool)
	// Bind binds the dynamic vars that are the keys of a map, all or none of them,
	// until Unbind, which takes the last n bindings away; Bound says whether one is
	// bound, Bindings gives all, the innermost last; SetBinding changes the innermost.
	Bind(vars Value)
	Unbind(n int)
	Bound(v *Var) bool
	Bindings(f func(v, x Value))
	SetBinding(v *Var, x Value)
}
