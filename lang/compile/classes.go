// This file resolves the names of classes: the program's own types, imported classes, and classes of the
// JVM.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

// hostClassBytes is charged for a class that PTC does not have.
const hostClassBytes = 256

// importClass makes the simple name of a class known in the current namespace.
func (e *Env) importClass(full string) {
	sp, simple := e.space(), full[strings.LastIndexByte(full, '.')+1:]
	if sp.imports[simple] == full || simple == "" {
		return
	}
	if sp.imports == nil {
		sp.imports = make(map[string]string)
	}
	e.grew(referBytes, simple, full)
	sp.imports[simple] = full
}

// importSpecs takes the arguments of import: names of classes, and lists or vectors of a package and its classes.
func (c *Compiler) importSpecs(specs []value.Value, at value.Value) {
	for _, spec := range specs {
		spec = unquoted(spec)
		if spec.IsSymbol() {
			c.env.importClass(spec.AsSymbol().Name)
			continue
		}
		items, ok := value.FormItems(spec)
		for _, item := range items {
			ok = ok && item.IsSymbol()
		}
		if !ok || len(items) == 0 {
			c.failHint(diag.BadForm, at, "(require '[my.lib :as lib]) takes in a namespace",
				"import: want the name of a class, or (package Class…)")
		}
		for _, class := range items[1:] {
			c.env.importClass(items[0].AsSymbol().Name + "." + class.AsSymbol().Name)
		}
	}
}

// classRef returns the meaning of the name of a class: a class that PTC has, the global of a type or protocol of the
// program, or a class of the JVM.
func (c *Compiler) classRef(name string) ref {
	full, imported := c.env.space().imports[name]
	if !imported {
		full = name
	}
	if r := c.ownType(full); r.kind != refNone {
		return r
	}
	if class, ok := jclass.Class(full); ok {
		return ref{kind: refValue, value: class}
	}
	if c.pre == nil && (imported || jclass.IsHost(full)) {
		c.t.Charge(hostClassBytes + int64(len(full)))
		return ref{kind: refValue, value: jclass.HostClass(full), host: true}
	}
	return ref{}
}

// ownType returns the global of a type or protocol that the program defines, by the name of its class.
func (c *Compiler) ownType(full string) ref {
	dot := strings.LastIndexByte(full, '.')
	if dot <= 0 || dot == len(full)-1 {
		return ref{}
	}
	pkg, name := full[:dot], full[dot+1:]
	for _, ns := range [...]string{pkg, strings.ReplaceAll(pkg, "_", "-")} {
		if i := c.env.lookup(ns, name); i >= 0 {
			return ref{kind: refGlobal, global: i}
		}
	}
	return ref{}
}

// typeGlobal returns the global of the type that a symbol without a namespace names, -1 if it names none.
func (c *Compiler) typeGlobal(name string) int {
	if r := c.lookupBare(name); r.kind == refGlobal {
		return r.global
	}
	return -1
}

// factory returns the global of the function that makes values of a type, by its prefix, "->" or "map->"; -1 if there
// is none.
func (c *Compiler) factory(class, prefix string) int {
	i := c.typeGlobal(class)
	if i < 0 {
		return -1
	}
	return c.env.lookup(c.env.Globals[i].NS, prefix+c.env.Globals[i].Name)
}

// staticRef returns the meaning of a static member of a class: an entry or constant of a class that PTC has, or the
// method create of a record.
func (c *Compiler) staticRef(class, name string) ref {
	if name == "create" {
		if i := c.factory(class, "map->"); i >= 0 {
			return ref{kind: refGlobal, global: i}
		}
	}
	if full, ok := c.env.space().imports[class]; ok {
		return c.lookupEntry(builtins.Canonical(full), name, false)
	}
	return ref{}
}

// classSpelled returns the full name of the class that a symbol names, as syntax-quote writes it.
func (c *Compiler) classSpelled(name string) (full string, ok bool) {
	if full, ok = c.env.space().imports[name]; ok {
		return full, true
	}
	if class, ok := jclass.Class(name); ok {
		return class.AsType().Name, true
	}
	return "", false
}

// isClass reports whether a name with dots is that of a class.
func (c *Compiler) isClass(name string) bool { return c.classRef(name).kind != refNone }

// constructed returns the full name of the class in (Class. …), as syntax-quote writes it.
func (c *Compiler) constructed(class string) string {
	if full, ok := c.classSpelled(class); ok {
		return full
	}
	if i := c.typeGlobal(class); i >= 0 && !strings.Contains(class, ".") {
		return strings.ReplaceAll(c.env.Globals[i].NS, "-", "_") + "." + c.env.Globals[i].Name
	}
	return class
}
