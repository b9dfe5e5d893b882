// This file defines the errors and hints for unknown names.

package compile

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// unknown returns the error of an unknown symbol. at is a form that has a place, if the symbol has
// none.
func (c *Compiler) unknown(f *fn, sym, at value.Value) *diag.Error {
	if posOf(sym) != 0 {
		at = sym
	}
	s := sym.AsSymbol()
	if s.NS == DataNS {
		names := "there is none: the program was given no data"
		if len(c.env.Data) > 0 {
			names = "there are " + strings.Join(c.env.Data, ", ")
		}
		if method := c.methodOf(s); method != "" {
			names = method
		} else if best, ok := diag.Suggest(s.Name, slices.Values(c.env.Data)); ok {
			names = "did you mean data/" + best + "? " + names
		}
		return c.errorAt(diag.UnknownData, at, "no input named %s", symbolText(s)).WithHint("%s", names)
	}
	if s.NS == builtins.ToolNS {
		return c.unknownTool(s, at)
	}
	if why, ok := c.missing(s); ok && c.toolName(s) == "" {
		return c.errorAt(diag.Unsupported, at, "%s is not available in a task program", symbolText(s)).WithHint("%s", why)
	}
	err := c.errorAt(diag.UnknownName, at, "Unable to resolve symbol: %s in this context", symbolText(s))
	if s.NS != "" && c.env.space().aliases[s.NS] == "" && !c.env.hasNamespace(s.NS) {
		err.Message = "No such namespace: " + s.NS
	}
	if err.Hint = c.meant(f, s); err.Hint == "" && s.NS == "" && !c.isHead(sym) {
		err.Hint = plainWord(s)
	}
	if at != sym {
		return err
	}
	if name := c.hostName(f, s); name == "" {
		err.Replacement = c.instead(s)
	} else if name[0] != '(' || !c.isHead(sym) {
		err.Replacement = name
	}
	return err
}

// unknownTool returns the error of a tool that is not granted.
func (c *Compiler) unknownTool(s *value.Symbol, at value.Value) *diag.Error {
	tools := c.env.Tools
	if how, ok := tools.Withheld[s.Name]; ok {
		return c.errorAt(diag.NotGranted, at, "%s is not granted", symbolText(s)).WithHint("%s", how)
	}
	names := slices.Sorted(maps.Keys(tools.Granted))
	hint := "there is none: the host grants no tools"
	switch {
	case len(names) > shownNames:
		hint = "(tools) lists the tools, (apropos \"…\") finds them"
	case len(names) > 0:
		hint = "there are tool/" + strings.Join(names, ", tool/")
	}
	if best, ok := diag.Suggest(s.Name, slices.Values(append(names, slices.Collect(maps.Keys(tools.Withheld))...))); ok {
		hint = "did you mean tool/" + best + "? " + hint
	} else if best := lastPart(s.Name, names); best != "" {
		hint = "did you mean tool/" + best + "? " + hint
	}
	err := c.errorAt(diag.UnknownTool, at, "no tool named %s", symbolText(s)).WithHint("%s", hint)
	for _, name := range names {
		if joined(name) == joined(s.Name) {
			err.Replacement = builtins.ToolNS + "/" + name
		}
	}
	return err
}

// joined returns the letters and digits of the name of a tool.
func joined(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// lastPart returns the only one of some tools whose name ends with a part, as http.get does with get; "" if there is
// none.
func lastPart(name string, tools []string) (found string) {
	for _, tool := range tools {
		if strings.HasSuffix(tool, "."+name) {
			if found != "" {
				return ""
			}
			found = tool
		}
	}
	return found
}

// meant returns a hint at the name that an unknown symbol was probably meant to be, "" if no name
// is close.
func (c *Compiler) meant(f *fn, s *value.Symbol) string {
	if name := c.hostName(f, s); name != "" {
		return "did you mean " + name + "?"
	}
	if hint := builtins.Foreign(symbolText(s)); hint != "" {
		return hint
	}
	if s.NS == "" {
		if method := c.methodOf(s); method != "" {
			return method
		}
		if base, ok := strings.CutSuffix(s.Name, "__auto__"); ok {
			return strings.TrimRight(base, "_0123456789") +
				"# is another name in each syntax-quote: (gensym) makes one that several can share"
		}
		if s.Name[0] == '%' {
			return "% and %1, %2 … are the arguments of a function written as #(…), and mean nothing outside of one"
		}
		if s.Name == DataNS {
			return "data/NAME reads one input; there is no map of all"
		}
	}
	if elsewhere := c.elsewhere(s); elsewhere != "" {
		return elsewhere
	}
	if best, ok := diag.Suggest(symbolText(s), c.candidates(f, s.NS)); ok {
		return "did you mean " + best + "?"
	}
	if s.NS == "" {
		return ""
	}
	if c.env.space().aliases[s.NS] != "" || c.env.hasNamespace(s.NS) {
		return c.namesOf(s.NS)
	}
	if unicode.IsUpper(rune(s.NS[0])) || c.isHostClass(s.NS) {
		return "a task program has no Java; of its classes there are Math, Long, Integer, Double, Boolean, Character, " +
			"String and a few more"
	}
	return "require it: (require '[" + s.NS + " :as …]); there are " + strings.Join(builtins.Namespaces(), ", ")
}

// plainWord returns a hint at what a symbol without a meaning was meant to be: an expression of another language, a key
// or a string.
func plainWord(s *value.Symbol) string {
	if i := strings.IndexAny(s.Name, "+-*/"); i > 0 && i+1 < len(s.Name) && unicode.IsDigit(rune(s.Name[i+1])) {
		return "the function comes first: (" + s.Name[i:i+1] + " " + s.Name[:i] + " " + s.Name[i+1:] + "); " + s.Name +
			" is one name"
	}
	if name, ok := strings.CutPrefix(s.Name, "."); ok && name != "" {
		return "a key is looked up with a keyword: (:" + name + " m)"
	}
	if !unicode.IsLetter(rune(s.Name[0])) || strings.ContainsAny(s.Name, ".$") {
		return ""
	}
	return "a name is bound by let, def or defn before its use; a key is :" + s.Name + ", a string \"" + s.Name + "\""
}

// instead returns the certain replacement of an unknown symbol: the same name in the one namespace
// that has it and needs no require, or PTC's name for a name of another language.
func (c *Compiler) instead(s *value.Symbol) string {
	if hint := builtins.Foreign(symbolText(s)); s.NS == "" || hint != "" {
		name, ok := strings.CutPrefix(hint, "use ")
		if ok && (name == "nil" || name == "true" || name == "false" || name != "reduce" && c.isBuiltin(name)) {
			return name
		}
		if hint != "" {
			return ""
		}
	}
	hint := c.elsewhere(s)
	name, ok := strings.CutPrefix(hint, "did you mean ")
	if !ok || strings.Contains(hint, "(require") {
		return ""
	}
	name, _, _ = strings.Cut(name, "? ")
	if s.NS != "" && strings.HasPrefix(name, "str/") {
		return strings.TrimSuffix(name, "?")
	}
	spaces := make(map[string]bool)
	for e := range builtins.Entries() {
		if e.Name == s.Name && e.NS != "." && e.NS != "new" && !unicode.IsUpper(rune(e.NS[0])) {
			spaces[e.NS] = true
		}
	}
	if len(spaces) != 1 {
		return ""
	}
	if strings.HasSuffix(hint, name) {
		name = strings.TrimSuffix(name, "?") // of the question
	}
	return name
}

// isBuiltin reports whether a string is the name of a builtin in the current namespace.
func (c *Compiler) isBuiltin(text string) bool {
	ns, name, qualified := strings.Cut(text, "/")
	if !qualified {
		return c.lookupBare(text).kind == refEntry
	}
	return c.lookup(&value.Symbol{NS: ns, Name: name}).kind == refEntry
}

// elsewhere finds the same name in another namespace of the library.
func (c *Compiler) elsewhere(s *value.Symbol) string {
	known := s.NS != "" && (c.env.space().aliases[s.NS] != "" || c.env.hasNamespace(s.NS))
	if known && builtins.Lookup(CoreNS, s.Name) != nil && !builtins.Lookup(CoreNS, s.Name).Private {
		return "did you mean " + s.Name + "? it is in clojure.core and needs no prefix"
	}
	if known {
		if longer := c.longer(s); longer != "" {
			return "did you mean " + longer + "?"
		}
	}
	best := ""
	for e := range builtins.Entries() {
		if e.Name != s.Name || e.Private || e.NS == CoreNS || e.NS == "." || e.NS == "new" {
			continue
		}
		if e.NS == stringNS && (s.NS == "" || strings.HasPrefix("string", s.NS) || strings.HasPrefix(s.NS, "str")) {
			best = e.NS
			break
		}
		if best == "" || strings.Contains(e.NS, ".") && (!strings.Contains(best, ".") || e.NS < best) {
			best = e.NS
		}
	}
	if best == "" {
		return ""
	}
	for alias, ns := range c.env.space().aliases {
		if ns == best && alias != best {
			return "did you mean " + alias + "/" + s.Name + "?"
		}
	}
	if !strings.Contains(best, ".") {
		return "did you mean " + best + "/" + s.Name + "?"
	}
	short := best[strings.LastIndexByte(best, '.')+1:]
	if s.NS != "" {
		short = s.NS
	}
	return "did you mean " + best + "/" + s.Name + "? (require '[" + best + " :as " + short + "])"
}

// stringNS is the namespace that is meant by most aliases of other programs, such as string and s.
const stringNS = "clojure.string"

// longer returns a name in the same namespace of the library that continues after a hyphen: str/index-of for str/index.
func (c *Compiler) longer(s *value.Symbol) string {
	ns := s.NS
	if full := c.env.space().aliases[ns]; full != "" {
		ns = full
	}
	for e := range builtins.Entries() {
		if e.NS == ns && !e.Private && strings.HasPrefix(e.Name, s.Name+"-") {
			return s.NS + "/" + e.Name
		}
	}
	return ""
}

// shownNames is the maximum number of names of a namespace that a hint lists.
const shownNames = 12

// namesOf lists the names of a small namespace of the library.
func (c *Compiler) namesOf(ns string) string {
	if full := c.env.space().aliases[ns]; full != "" {
		ns = full
	}
	var names []string
	for e := range builtins.Entries() {
		if e.NS == ns && !e.Private {
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 || len(names) > shownNames {
		return ""
	}
	slices.Sort(names)
	return ns + " has " + strings.Join(slices.Compact(names), ", ")
}

// candidates returns the names that could have been meant.
func (c *Compiler) candidates(f *fn, ns string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ; f != nil; f = f.parent {
			for _, l := range f.locals {
				if !yield(l.name) {
					return
				}
			}
		}
		for _, g := range c.env.Globals {
			if g.NS == c.env.NS && !yield(g.Name) || !yield(g.NS+"/"+g.Name) {
				return
			}
		}
		full := ns
		if a, ok := c.env.space().aliases[ns]; ok {
			full = a
		}
		for e := range builtins.Entries() {
			if e.NS == CoreNS && !yield(e.Name) {
				return
			}
			if e.NS == full && !yield(ns+"/"+e.Name) {
				return
			}
		}
	}
}
