// Package hintfile reads the declarations of an operator about calls, in ptc.yaml and in policy files:
// hints, which are guards and classes of calls, and the calls that need an approval.
//
//	hints:
//	  - {program: terraform, guard: global-exclusive}
//	  - {program: git, args: [log], class: read-only}
//	  - {tool: ssh.run, rate: 5}
package hintfile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// MaxRules bounds the number of rules: each is compared with each call of the tools that it is for.
const MaxRules = 1_000

var fields = []string{"tool", "program", "args", "guard", "rate", "burst", "class"}

// guard returns the guard of a name.
func guard(name string) (kind effect.GuardKind, known bool) {
	for _, k := range []effect.GuardKind{effect.FullyParallel, effect.HostExclusive, effect.GlobalExclusive} {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// Read reads a list of rules. It calls mistake for each mistake, with its node.
func Read(n ast.Node, mistake func(at ast.Node, message string)) (rules []tool.Rule) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		mistake(n, "hints: want a list such as [{program: terraform, guard: global-exclusive}]")
		return nil
	}
	if len(list.Values) > MaxRules {
		mistake(n, fmt.Sprintf("hints: got %d, want at most %d", len(list.Values), MaxRules))
		return nil
	}
	for _, item := range list.Values {
		r := reader{mistake: func(at ast.Node, message string) { mistake(at, "hints: "+message) }}
		if rule, ok := r.rule(item); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

// reader reads one rule.
type reader struct {
	mistake func(at ast.Node, message string)
	failed  bool
	hint    effect.Hint
	guarded bool
}

func (r *reader) fail(at ast.Node, format string, args ...any) {
	r.failed = true
	r.mistake(at, fmt.Sprintf(format, args...))
}

func (r *reader) rule(n ast.Node) (rule tool.Rule, ok bool) {
	m, isMap := n.(ast.MapNode)
	if !isMap {
		r.fail(n, "want keys and values, of %s", strings.Join(fields, ", "))
		return rule, false
	}
	for it := m.MapRange(); it.Next(); {
		r.field(&rule, it.Key(), it.Value())
	}
	if r.guarded {
		rule.Hint = &r.hint
	}
	if r.failed {
		return rule, false
	}
	if err := rule.Validate(); err != nil {
		r.fail(n, "%v", err)
	}
	return rule, !r.failed
}

func (r *reader) field(rule *tool.Rule, key, value ast.Node) {
	switch name := key.GetToken().Value; name {
	case "tool":
		rule.Tool = r.text(value, name)
	case "program":
		rule.Program = r.text(value, name)
	case "args":
		rule.Args = r.texts(value)
	case "guard":
		kind, known := guard(r.text(value, name))
		if !known && !r.failed {
			r.fail(value, "guard: got %s, want fully-parallel, host-exclusive or global-exclusive", value.GetToken().Value)
		}
		r.hint.Kind |= kind
		r.guarded = true
	case "rate":
		r.rate(value)
	case "burst":
		burst := r.number(value, name, 1, effect.MaxBurst)
		if burst != math.Trunc(burst) {
			r.fail(value, "burst: got %s, want a whole number", value.GetToken().Value)
		}
		r.hint.Burst = int(burst)
	case "class":
		class := new(effect.Class)
		if err := class.UnmarshalText([]byte(r.text(value, name))); err != nil && !r.failed {
			r.fail(value, "class: got %s, want write, idempotent or read-only", value.GetToken().Value)
		}
		rule.Class = class
	default:
		hint := ", of " + strings.Join(fields, ", ")
		if best, ok := diag.Suggest(name, slices.Values(fields)); ok {
			hint = "; did you mean " + best + "?"
		}
		r.fail(key, "there is no key %s%s", name, hint)
	}
}

func (r *reader) rate(n ast.Node) {
	r.hint.Kind |= effect.RateLimited
	r.hint.PerSecond = r.number(n, "rate", effect.MinPerSecond, effect.MaxPerSecond)
	r.guarded = true
}

func (r *reader) text(n ast.Node, what string) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value
	}
	r.fail(n, "%s: want a text", what)
	return ""
}

func (r *reader) texts(n ast.Node) (all []string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, "args: want a list such as [status]")
		return nil
	}
	for _, item := range list.Values {
		all = append(all, r.text(item, "args"))
	}
	return all
}

func (r *reader) number(n ast.Node, what string, least, most float64) float64 {
	x, err := strconv.ParseFloat(n.GetToken().Value, 64)
	if err != nil || math.IsNaN(x) || x < least || x > most {
		r.fail(n, "%s: got %s, want a number from %g to %g", what, n.GetToken().Value, least, most)
		return least
	}
	return x
}
