// This file reads the parts of a policy.

package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	yamltoken "github.com/goccy/go-yaml/token"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// fields maps the names that a mapping may have to the functions that read their values.
type fields map[string]func(n ast.Node, path []string)

// fields reads a mapping and reports unknown names.
func (r *reader) fields(n ast.Node, path []string, known fields) {
	r.entries(n, path, func(key token.Span, name string, value ast.Node) {
		read, ok := known[name]
		if !ok {
			names := slices.Sorted(maps.Keys(known))
			e := r.mistake(key, "unknown field %s", name).WithHint("the fields are %s", strings.Join(names, ", "))
			if meant, ok := diag.Suggest(name, slices.Values(names)); ok {
				e.WithHint("did you mean %s?", meant)
			}
			return
		}
		read(value, child(path, name))
	})
}

// named reads a mapping from names to policies.
func (r *reader) named(n ast.Node, path []string) map[string]queue.Policy {
	all := map[string]queue.Policy{}
	r.entries(n, path, func(_ token.Span, name string, value ast.Node) {
		all[name] = r.policy(value, child(path, name))
	})
	return all
}

// entries calls each for the entries of a mapping, and records the positions of the names.
func (r *reader) entries(n ast.Node, path []string, each func(key token.Span, name string, value ast.Node)) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.mistake(r.span(n), "%s, want a mapping", got(n, path))
		return
	}
	lines := map[string]int{}
	for entries := m.MapRange(); entries.Next(); {
		at := r.span(entries.Key())
		key, ok := entries.Key().(*ast.StringNode)
		if !ok {
			r.mistake(at, "%s, want a name", got(entries.Key(), path)).WithHint("quote a name that looks like another type")
			continue
		}
		line := key.GetToken().Position.Line
		if first, twice := lines[key.Value]; twice {
			r.mistake(at, "%s is repeated, first set on line %d", pathText(child(path, key.Value)), first)
			continue
		}
		lines[key.Value] = line
		r.places[pathKey(child(path, key.Value))] = at
		each(at, key.Value, entries.Value())
	}
}

func (r *reader) policy(n ast.Node, path []string) (p queue.Policy) {
	r.fields(n, path, fields{
		"concurrency": func(n ast.Node, path []string) { p.Concurrency = r.number(n, path) },
		"rate":        func(n ast.Node, path []string) { p.Rate = r.rate(n, path) },
		"quota":       func(n ast.Node, path []string) { p.Quota = r.quota(n, path) },
	})
	return p
}

func (r *reader) rate(n ast.Node, path []string) (rate queue.Rate) {
	r.fields(n, path, fields{
		"calls": func(n ast.Node, path []string) { rate.Calls = r.number(n, path) },
		"per":   func(n ast.Node, path []string) { rate.Per = r.duration(n, path) },
		"burst": func(n ast.Node, path []string) { rate.Burst = r.number(n, path) },
	})
	if rate == (queue.Rate{}) {
		r.empty(n, path, "calls and per")
	}
	return rate
}

func (r *reader) quota(n ast.Node, path []string) (quota queue.Quota) {
	r.fields(n, path, fields{
		"calls":  func(n ast.Node, path []string) { quota.Calls = r.number(n, path) },
		"window": func(n ast.Node, path []string) { quota.Window = r.duration(n, path) },
	})
	if quota == (queue.Quota{}) {
		r.empty(n, path, "calls and window")
	}
	return quota
}

// empty reports a mapping without entries, which Check would take for a missing one.
func (r *reader) empty(n ast.Node, path []string, want string) {
	if m, ok := n.(ast.MapNode); ok && !m.MapRange().Next() {
		r.mistake(r.span(n), "%s is empty, want %s", pathText(path), want)
	}
}

// number reads a whole number. It rejects 0, which would mean a missing bound. Check rejects
// negative numbers.
func (r *reader) number(n ast.Node, path []string) int {
	if _, ok := n.(*ast.IntegerNode); !ok {
		return r.wrong(n, path, "a whole number", "")
	}
	i, err := strconv.Atoi(n.GetToken().Value)
	if err != nil {
		return r.wrong(n, path, "a whole number in decimal digits, of up to 18", "")
	}
	if i == 0 {
		return r.wrong(n, path, "at least 1", leaveOut)
	}
	r.places[pathKey(path)] = r.span(n)
	return i
}

// leaveOut is the hint for a bound of 0.
const leaveOut = "omit the field if there is no such limit"

// duration reads a duration.
func (r *reader) duration(n ast.Node, path []string) time.Duration {
	const want = "a duration such as 30s, 15m or 24h"
	text, ok := n.(*ast.StringNode)
	if !ok {
		hint := ""
		if _, number := n.(*ast.IntegerNode); number {
			hint = "add a unit: " + n.GetToken().Value + "s are seconds"
		}
		return time.Duration(r.wrong(n, path, want, hint))
	}
	d, err := time.ParseDuration(text.Value)
	switch {
	case err != nil && strings.HasSuffix(text.Value, "d"):
		return time.Duration(r.wrong(n, path, want, "write days in hours: 1d is 24h"))
	case err != nil:
		return time.Duration(r.wrong(n, path, want, ""))
	case d == 0:
		return time.Duration(r.wrong(n, path, "a time above 0", leaveOut))
	}
	r.places[pathKey(path)] = r.span(n)
	return d
}

// wrong reports a value that is not valid. It returns 1, which is valid, so that no further mistake
// is reported for the value.
func (r *reader) wrong(n ast.Node, path []string, want, hint string) int {
	r.mistake(r.span(n), "%s, want %s", got(n, path), want).WithHint("%s", hint)
	return 1
}

// got returns the beginning of a message: the path, and the value found there.
func got(n ast.Node, path []string) string {
	if len(path) == 0 {
		return "got " + describe(n)
	}
	return pathText(path) + ": got " + describe(n)
}

// span returns the span of a node. For a mapping without braces it is that of its first name.
func (r *reader) span(n ast.Node) token.Span {
	if m, ok := n.(ast.MapNode); ok && n.GetToken().Type == yamltoken.MappingValueType {
		if entries := m.MapRange(); entries.Next() {
			return r.span(entries.Key())
		}
	}
	return r.at(n.GetToken())
}

// at returns the span of a token.
func (r *reader) at(t *yamltoken.Token) token.Span {
	start := r.offset(t.Position.Line, t.Position.Column)
	rest := r.file.Source[start:]
	length := len(rest) - len(strings.TrimLeft(rest, " \t")) // blanks that the parser has not counted
	start, rest = start+length, rest[length:]
	size := 1
	if origin := strings.TrimSpace(t.Origin); origin != "" && strings.HasPrefix(rest, origin) {
		size = len(origin)
	} else if _, n := utf8.DecodeRuneInString(rest); n > 0 {
		size = n
	}
	return token.Span{File: r.file, Start: start, End: min(start+size, len(r.file.Source))}
}
