// This file recognises names of inputs, tools, functions and fields in the notation of other languages.

package compile

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// takesFunction reports whether a name is that of a builtin that calls a function for elements, as methods of other
// languages do.
func takesFunction(name string) bool {
	e := builtins.Core(name)
	return e != nil && e.Calls.Times == entry.TimesElements
}

// methodOf explains a method that goes over elements: orders.filter is (filter f orders).
func (c *Compiler) methodOf(s *value.Symbol) string {
	coll, name, ok := strings.Cut(s.Name, ".")
	if !ok || coll == "" || !takesFunction(name) {
		return ""
	}
	if s.NS != "" {
		coll = s.NS + "/" + coll
	} else if slices.Contains(c.env.Data, coll) {
		coll = DataNS + "/" + coll
	} else if unicode.IsUpper(rune(coll[0])) {
		coll = "coll"
	}
	return "a function comes first: (" + name + " f " + coll + ")"
}

// hostName returns the surely intended name for an unknown name in the notation of another language: an
// input without data/, a tool without tool/, Math.sqrt, or a field such as x.name. It is "" for other
// names.
func (c *Compiler) hostName(f *fn, s *value.Symbol) string {
	if name := c.toolName(s); name != "" {
		return name
	}
	if s.NS == "" && slices.Contains(c.env.Data, s.Name) {
		return DataNS + "/" + s.Name
	}
	if s.NS != "" {
		switch s.NS {
		case "input", "inputs", "args", "params", "input-data":
			if slices.Contains(c.env.Data, s.Name) {
				return DataNS + "/" + s.Name
			}
		}
		return ""
	}
	first, rest, dotted := strings.Cut(s.Name, ".")
	if !dotted || first == "" || rest == "" || strings.HasSuffix(rest, ".") || strings.Contains(rest, "..") {
		return ""
	}
	if first == DataNS {
		name, path, _ := strings.Cut(rest, ".")
		return fields(DataNS+"/"+name, path)
	}
	if instead := foreignCalls[s.Name]; instead != "" {
		return instead
	}
	space := first
	if full := c.env.space().aliases[first]; full != "" {
		space = full
	}
	if e := builtins.Lookup(space, rest); e != nil && !e.Private {
		return first + "/" + rest
	}
	owner := c.t.Symbol("", first)
	if takesFunction(rest) {
		return "" // a call of a method, which meant explains
	}
	if slices.Contains(c.env.Data, first) {
		return fields(DataNS+"/"+first, rest)
	}
	if f != nil && f.isLocal(owner) || c.env.lookup(c.env.NS, first) >= 0 {
		if use, ok := strings.CutPrefix(builtins.Foreign(rest), "use "); ok && c.isBuiltin(use) {
			return "(" + use + " " + first + ")"
		}
		return fields(first, rest)
	}
	return ""
}

// foreignCalls are functions of the libraries of other languages.
var foreignCalls = map[string]string{
	"json.loads": "json/parse", "json.load": "json/parse", "json.dumps": "json/write", "json.dump": "json/write",
	"JSON.parse": "json/parse", "JSON.stringify": "json/write", "math.pi": "Math/PI", "math.e": "Math/E",
	"math.fabs": "abs", "str.upper": "str/upper-case", "str.lower": "str/lower-case", "str.strip": "str/trim",
	"re.findall": "re-seq", "re.search": "re-find", "re.match": "re-find", "re.sub": "str/replace",
	"Object.keys": "keys", "Object.values": "vals", "Object.entries": "seq", "console.log": "println",
	"fmt.Println": "println", "fmt.Sprintf": "format", "strings.Split": "str/split", "strings.Join": "str/join",
}

// fields writes the access of fields of a value.
func fields(of, path string) string {
	names := strings.FieldsFunc(path, func(r rune) bool { return r == '.' })
	switch len(names) {
	case 0:
		return of
	case 1:
		return "(:" + names[0] + " " + of + ")"
	}
	return "(get-in " + of + " [:" + strings.Join(names, " :") + "])"
}

// toolName returns the tool that a name without tool/, or with another prefix, means; "" if there is none.
func (c *Compiler) toolName(s *value.Symbol) string {
	name := s.Name
	switch s.NS {
	case "", "tools", "Tool", "Tools", "t":
	default:
		name = s.NS + "." + s.Name
	}
	for _, prefix := range []string{"tools.", "tool."} {
		name = strings.TrimPrefix(name, prefix)
	}
	plain := func(name string) string { return strings.NewReplacer("-", ".", "_", ".").Replace(name) }
	for known := range c.env.Tools.Granted {
		if known == name || strings.Contains(known, ".") && plain(known) == plain(name) {
			return builtins.ToolNS + "/" + known
		}
	}
	for known := range c.env.Tools.Withheld {
		if known == name && strings.Contains(known, ".") {
			return builtins.ToolNS + "/" + known
		}
	}
	return ""
}

// isHead reports whether a symbol stands first in a list of the source.
func (c *Compiler) isHead(sym value.Value) bool {
	s := c.span(sym)
	return s.File != nil && s.Start > 0 && s.File.Source[s.Start-1] == '('
}
