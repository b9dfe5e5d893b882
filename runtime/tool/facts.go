// This file defines the declarations that hold for one call.

package tool

import (
	"encoding/json"
	"slices"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// facts are the declarations that hold for one call.
type facts struct {
	hint  effect.Hint
	class effect.Class
	host  string // of the commands; "" if it is the argument of the call
	ruled bool   // a rule has declared hint
	rated bool   // and it has a rate, which goes before that of Tool.rate
}

// facts returns the declarations for a call, whose arguments match the schema.
func (t *Tool) facts(args json.RawMessage) facts {
	f := facts{hint: t.hint, class: t.class}
	if len(t.rules) == 0 {
		return f
	}
	c := Commands{}
	if t.runs != nil {
		c = t.runs(args)
	}
	f.host = c.Host
	if h := t.hintOf(c); h != nil {
		f.hint, f.ruled, f.rated = *h, true, h.Kind&effect.RateLimited != 0
	}
	if class := t.classOf(c); class != nil {
		f.class = *class
	}
	return f
}

// hintOf returns the guards that the rules declare for commands; nil for none.
func (t *Tool) hintOf(c Commands) *effect.Hint {
	var all *effect.Hint
	for _, words := range orNone(c.All) {
		h := first(t.rules, words, func(r *Rule) *effect.Hint { return r.Hint })
		switch {
		case h == nil:
		case all == nil:
			union := *h
			all = &union
		case all.Kind&effect.RateLimited == 0:
			kind := all.Kind
			*all = *h
			all.Kind |= kind
		default:
			all.Kind |= h.Kind
		}
	}
	return all
}

// classOf returns the class that the rules declare for commands; nil for none.
func (t *Tool) classOf(c Commands) *effect.Class {
	var least *effect.Class
	for _, words := range orNone(c.All) {
		class := first(t.rules, words, func(r *Rule) *effect.Class {
			if r.Program != "" && !c.Exact && r.Class != nil && *r.Class != effect.Write {
				return nil
			}
			return r.Class
		})
		if class == nil {
			return nil
		}
		if least == nil || *class < *least {
			least = class
		}
	}
	return least
}

// orNone returns one command without words if there is none, so that rules without a program match.
func orNone(all [][]string) [][]string {
	if len(all) == 0 {
		return [][]string{nil}
	}
	return all
}

// first returns the declaration of the first rule that matches a command and has one.
func first[D any](rules []Rule, words []string, of func(r *Rule) *D) *D {
	for i := range rules {
		if r := &rules[i]; r.matches(words) {
			if d := of(r); d != nil {
				return d
			}
		}
	}
	return nil
}

// matches reports whether the rule is for a command.
func (r *Rule) matches(words []string) bool {
	if r.Program == "" {
		return true
	}
	n := 1 + len(r.Args)
	return len(words) >= n && words[0] == r.Program && slices.Equal(words[1:n], r.Args)
}

// GuardsOf returns the guards of a call with these arguments, which match the schema.
func (t *Tool) GuardsOf(args json.RawMessage) effect.GuardKind {
	kind := t.facts(args).hint.Kind
	if t.rate != nil {
		kind |= t.rateOf(args, facts{}).Kind
	}
	return kind
}

// rateOf returns the rate limit of a call with these facts; no hint if it has none.
func (t *Tool) rateOf(args json.RawMessage, f facts) effect.Hint {
	switch {
	case f.rated:
		rate := f.hint
		rate.Kind = effect.RateLimited
		return rate
	case t.rate != nil:
		rate := t.rate(args)
		if rate.PerSecond > 0 {
			rate = rate.OrDefault(t.name)
		}
		return rate
	case t.hint.Kind&effect.RateLimited == 0:
		return effect.Hint{}
	}
	rate := t.hint
	rate.Kind = effect.RateLimited
	return rate
}

// hostOf returns the host of a call, whose arguments match the schema.
func (t *Tool) hostOf(args json.RawMessage) string {
	var fields map[string]json.RawMessage
	var host string
	if json.Unmarshal(args, &fields) == nil {
		json.Unmarshal(fields[t.host], &host)
	}
	return host
}
