// This file defines Env, the names known at a point of the compilation, and how
// a symbol is resolved.

package compile

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// CoreNS is the namespace whose names need no prefix.
const CoreNS = "clojure.core"

// UserNS is the namespace that a program begins in.
const UserNS = "user"

// DataNS is the namespace of the input.
const DataNS = "data"

// Tools are the tools of the host by name: the functions that call the granted ones, and hints how
// to grant the others.
type Tools struct {
	Granted  map[string]value.Value
	Withheld map[string]string
}

// Named returns the granted tool with a name, nil if there is none.
func (t Tools) Named(name string) effect.Tool { return toolOf(t.Granted[name]) }

// HowToGrant returns the hint for a program that uses a tool which is not granted.
func (t Tools) HowToGrant(name string) string {
	if how, ok := t.Withheld[name]; ok {
		return how
	}
	return "the host grants it with the tool " + name
}

type globalName struct{ ns, name string }

// Env holds the namespaces, aliases and globals of a program or session.
type Env struct {
	NS      string
	Globals []Global
	index   map[globalName]int
	spaces  map[string]*space
	// Data are the names of the input, nil if any name is taken.
	Data []string
	// AnyData means that the names of the input are not known yet.
	AnyData bool
	Tools   Tools
	// Resources are the files of the program; nil if it has none.
	Resources *Resources
	// Unchecked and NoAssert mean that an earlier form has set *unchecked-math* to true, or
	// *assert* to false. Later forms have arithmetic without checks, or no assertions.
	Unchecked, NoAssert bool
	// Unfused compiles pipelines without fusion. Tests compare both ways.
	Unfused bool
	// methods are the methods that the definitions of types have.
	methods map[string]bool
	// interns means that an earlier form makes names that it computes.
	interns bool
	// ReadsInput means that a form mentions the standard input.
	ReadsInput bool
	// reduces means that a source names an interface with which objects reduce themselves. Such an object takes no
	// part in a fused loop.
	reduces bool
	bytes   int64 // see Bytes
}

// These are the bytes of an entry of an Env without its name, including the spare room of its maps and
// slices.
const (
	globalBytes = 512
	spaceBytes  = 2 << 10
	referBytes  = 128
)

// Bytes returns the approximate size of the environment. A running program can make it grow.
func (e *Env) Bytes() int64 { return e.bytes }

func (e *Env) grew(fixed int, names ...string) {
	e.bytes += int64(fixed)
	for _, name := range names {
		e.bytes += 2 * int64(len(name))
	}
}

// space is one namespace of the program.
type space struct {
	aliases  map[string]string   // alias to namespace
	declared []value.Alias       // the aliases that the program made, in their order
	refers   map[string]referred // by their name in this namespace
	exclude  map[string]bool     // names of clojure.core not referred
	only     map[string]bool     // names of clojure.core referred, nil for all except exclude
	imports  map[string]string   // simple names of imported classes to their full names
	lacking  []string            // namespaces that PTC does not have, whose names are all referred
}

// referred is a name of another namespace.
type referred struct{ ns, name string }

func newSpace() *space {
	return &space{aliases: maps.Clone(builtins.PreludeAliases), refers: map[string]referred{},
		exclude: map[string]bool{}}
}

func (s *space) clone() *space {
	return &space{maps.Clone(s.aliases), slices.Clone(s.declared), maps.Clone(s.refers), maps.Clone(s.exclude),
		maps.Clone(s.only), maps.Clone(s.imports), slices.Clone(s.lacking)}
}

// unalias removes an alias.
func (s *space) unalias(name string) {
	delete(s.aliases, name)
	s.declared = slices.DeleteFunc(s.declared, func(a value.Alias) bool { return a.Name == name })
}

// refersCore reports whether a name of clojure.core needs no prefix in the namespace.
func (s *space) refersCore(name string) bool {
	return !s.exclude[name] && (s.only == nil || s.only[name])
}

// NewEnv returns an environment with the namespace user.
func NewEnv() *Env { return bare().Clone() }

// bare is the environment that NewEnv copies. To make it interns the dynamic vars of clojure.core, one by one.
var bare = sync.OnceValue(func() *Env {
	e := &Env{index: make(map[globalName]int), spaces: make(map[string]*space)}
	for _, name := range builtins.CoreDynamics() { // workers can bind them, but can't add names
		e.internDynamic(CoreNS, name)
	}
	e.Enter(UserNS)
	return e
})

// Clone returns an independent copy, so that a failed evaluation changes nothing.
func (e *Env) Clone() *Env {
	c := &Env{NS: e.NS, Globals: slices.Clone(e.Globals), index: maps.Clone(e.index), Data: e.Data, AnyData: e.AnyData,
		Tools: e.Tools, Resources: e.Resources, Unchecked: e.Unchecked, NoAssert: e.NoAssert, Unfused: e.Unfused,
		ReadsInput: e.ReadsInput, reduces: e.reduces,
		bytes: e.bytes, methods: maps.Clone(e.methods), interns: e.interns,
		spaces: make(map[string]*space, len(e.spaces))}
	for name, s := range e.spaces {
		c.spaces[name] = s.clone()
	}
	return c
}

// Enter makes ns the current namespace.
func (e *Env) Enter(ns string) {
	e.NS = ns
	e.Create(ns)
}

// Create makes a namespace unless it exists.
func (e *Env) Create(ns string) {
	if e.spaces[ns] == nil {
		e.grew(spaceBytes, ns)
		e.spaces[ns] = newSpace()
	}
}

// refer makes a name refer to one of another namespace.
func (e *Env) refer(name string, r referred) {
	if refers := e.space().refers; refers[name] != r {
		e.grew(referBytes, name)
		refers[name] = r
	}
}

// shorten makes a name an alias of a namespace.
func (e *Env) shorten(name, ns string) {
	if aliases := e.space().aliases; aliases[name] != ns {
		e.grew(referBytes, name)
		aliases[name] = ns
	}
}

// alias adds an alias that the program declares.
func (e *Env) alias(name, ns string) {
	e.space().unalias(name)
	e.shorten(name, ns)
	e.space().declared = append(e.space().declared, value.Alias{Name: name, NS: ns})
}

func (e *Env) space() *space { return e.spaces[e.NS] }

// Aliases returns the aliases of the current namespace.
func (e *Env) Aliases() map[string]string { return e.space().aliases }

// lookup returns the index of a global, -1 if there is none.
func (e *Env) lookup(ns, name string) int {
	if i, ok := e.index[globalName{ns, name}]; ok {
		return i
	}
	return -1
}

// Intern returns the index of a global, and adds it if it is new.
func (e *Env) Intern(ns, name string) int {
	if i := e.lookup(ns, name); i >= 0 {
		return i
	}
	e.grew(globalBytes, ns, name)
	e.Globals = append(e.Globals, Global{NS: ns, Name: name})
	e.index[globalName{ns, name}] = len(e.Globals) - 1
	return len(e.Globals) - 1
}

// names reports whether the program defines a name in any namespace: a method of a protocol, for
// example.
func (e *Env) names(name string) bool {
	if e.methods[name] {
		return true
	}
	for i := range e.Globals {
		if e.Globals[i].Name == name {
			return true
		}
	}
	return false
}

// hasNamespace reports whether the program or the library has a namespace.
func (e *Env) hasNamespace(ns string) bool {
	return e.spaces[ns] != nil || builtins.HasNamespace(ns)
}

// named returns the namespace that an alias or a full name stands for.
func (e *Env) named(ns string) string {
	if full := e.space().aliases[ns]; full != "" {
		return full
	}
	return ns
}

// ref is the meaning of a symbol.
type ref struct {
	kind   refKind
	global int
	entry  *entry.Entry
	value  value.Value
	host   bool // value is a class of the JVM that PTC does not have
}

type refKind uint8

const (
	refNone refKind = iota
	refGlobal
	refEntry
	refValue // a class or a constant such as Math/PI
)

// lookup resolves a symbol that is not a local.
func (c *Compiler) lookup(s *value.Symbol) ref {
	if s.NS == "" {
		return c.lookupBare(s.Name)
	}
	ns, private := s.NS, true
	if full, ok := c.env.space().aliases[ns]; ok && full != ns {
		ns, private = full, false
	}
	if i := c.env.lookup(ns, s.Name); i >= 0 && !c.env.withdrawn(ns, s.Name) {
		return ref{kind: refGlobal, global: i}
	}
	if ns == DataNS && (c.env.AnyData || slices.Contains(c.env.Data, s.Name)) {
		i := c.env.Intern(DataNS, s.Name)
		c.env.Globals[i].Pos = s.Pos
		return ref{kind: refGlobal, global: i}
	}
	if ns == builtins.ToolNS {
		if f, ok := c.env.Tools.Granted[s.Name]; ok {
			return ref{kind: refValue, value: f}
		}
	}
	if r := c.lookupEntry(builtins.Canonical(ns), s.Name, private); r.kind != refNone {
		return r
	}
	return c.staticRef(ns, s.Name)
}

// withdrawn reports whether a name is one of an input that only earlier sources of a session could
// read.
func (e *Env) withdrawn(ns, name string) bool {
	return ns == DataNS && !e.AnyData && !slices.Contains(e.Data, name)
}

func (c *Compiler) lookupBare(name string) ref {
	if i := c.env.lookup(c.env.NS, name); i >= 0 {
		return ref{kind: refGlobal, global: i}
	}
	sp := c.env.space()
	if r, ok := sp.refers[name]; ok {
		if i := c.env.lookup(r.ns, r.name); i >= 0 {
			return ref{kind: refGlobal, global: i}
		}
		return c.lookupEntry(r.ns, r.name, false)
	}
	if c.pre != nil || builtins.Lookup(c.env.NS, name) != nil { // in a namespace of the library
		if r := c.lookupEntry(c.env.NS, name, c.pre != nil); r.kind == refEntry {
			return r
		}
	}
	if sp.refersCore(name) {
		if r := c.lookupEntry(CoreNS, name, false); r.kind != refNone {
			return r
		}
	}
	return c.classRef(name)
}

// lookupEntry returns a builtin. Private builtins are known in the prelude and in expansions of
// builtin macros. Their symbols there have the namespace, and checkNames refuses those of programs.
func (c *Compiler) lookupEntry(ns, name string, private bool) ref {
	e := builtins.Lookup(ns, name)
	if e != nil && e.ReadsInput && c.pre == nil {
		c.env.ReadsInput = true
	}
	if e == nil || e.Private && !private && c.pre == nil {
		if v, ok := builtins.Static(ns, name); ok {
			c.env.ReadsInput = c.env.ReadsInput || value.Identical(v, builtins.StandardInput)
			return ref{kind: refValue, value: v}
		}
		return ref{}
	}
	return ref{kind: refEntry, entry: e}
}

// qualify returns the symbol with its namespace, as syntax-quote does.
func (c *Compiler) qualify(sym value.Value) value.Value {
	s := sym.AsSymbol()
	ns, name := c.Resolve(s.NS, s.Name)
	if ns == s.NS && name == s.Name {
		return sym
	}
	return c.t.Symbol(ns, name)
}

// Resolve returns the namespace and name that a symbol written as ns/name has in
// the current namespace, as syntax-quote resolves it.
func (c *Compiler) Resolve(ns, name string) (string, string) {
	sp := c.env.space()
	if ns != "" {
		if full, ok := sp.aliases[ns]; ok {
			return full, name
		}
		if class, ok := c.classSpelled(ns); ok {
			return class, name
		}
		return ns, name
	}
	if isBare(name) {
		return "", name
	}
	if c.env.lookup(c.env.NS, name) >= 0 {
		return c.env.NS, name
	}
	if r, ok := sp.refers[name]; ok {
		return r.ns, r.name
	}
	if sp.refersCore(name) && builtins.Lookup(CoreNS, name) != nil {
		return CoreNS, name
	}
	if class, ok := c.classSpelled(name); ok {
		return "", class
	}
	if base, ok := strings.CutSuffix(name, "."); ok && base != "" && name != ".." {
		return "", c.constructed(base) + "."
	}
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.Contains(name, ".") && c.isClass(name) {
		return "", name
	}
	return c.env.NS, name
}

// Expects notes the names in a source, before any of it is compiled.
func (e *Env) Expects(source string) {
	e.reduces = e.reduces || strings.Contains(source, "IReduce") || strings.Contains(source, "CollReduce")
}

// addMethod notes that the definition of a type has a method.
func (e *Env) addMethod(name string) {
	if e.methods[name] {
		return
	}
	if e.methods == nil {
		e.methods = make(map[string]bool)
	}
	e.grew(referBytes, name)
	e.methods[name] = true
}
