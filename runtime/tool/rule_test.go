package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// runner is a tool that runs the programs in its argument: commands are separated by commas, words by spaces. With a
// question mark at the end they are not known exactly.
func runner(opts ...Option) *Tool {
	args := json.RawMessage(`{"type":"object","properties":{"line":{"type":"string"}},"required":["line"]}`)
	return Dynamic("run", "Runs.", args, nil, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, nil
	}, append(opts, Runs(func(args json.RawMessage) (c Commands) {
		var in struct{ Line string }
		if json.Unmarshal(args, &in) != nil {
			return c
		}
		line, unsure := strings.CutSuffix(in.Line, "?")
		c.Host, c.Exact = "here", !unsure
		for command := range strings.SplitSeq(line, ",") {
			c.All = append(c.All, strings.Fields(command))
		}
		return c
	}))...)
}

func hinted(kind effect.GuardKind) *effect.Hint { return &effect.Hint{Kind: kind} }

func classed(c effect.Class) *effect.Class { return &c }

func line(text string) json.RawMessage {
	args, _ := json.Marshal(map[string]string{"line": text})
	return args
}

// TestRules compares the guards and the class of calls with those of the rules.
func TestRules(t *testing.T) {
	t1, err := runner().WithRules(
		Rule{Program: "apt", Args: []string{"list"}, Hint: hinted(effect.FullyParallel), Class: classed(effect.ReadOnly)},
		Rule{Program: "apt", Hint: hinted(effect.HostExclusive)},
		Rule{Program: "terraform", Hint: hinted(effect.GlobalExclusive)},
		Rule{Program: "uptime", Class: classed(effect.ReadOnly)},
		Rule{Program: "cp", Class: classed(effect.Idempotent)},
		Rule{Program: "danger", Class: classed(effect.Write)},
		Rule{Tool: "other", Hint: hinted(effect.GlobalExclusive)},
		Rule{Program: "curl", Hint: &effect.Hint{Kind: effect.RateLimited, PerSecond: 2}})
	require.NoError(t, err)
	require.Len(t, t1.Rules(), 7)
	for text, want := range map[string]struct {
		kind  effect.GuardKind
		class effect.Class
	}{
		"apt install x":      {effect.HostExclusive, effect.Write},
		"apt list":           {effect.FullyParallel, effect.ReadOnly},
		"apt list x?":        {effect.FullyParallel, effect.Write},
		"cd x,apt install?":  {effect.HostExclusive, effect.Write},
		"apt x,terraform y":  {effect.HostExclusive | effect.GlobalExclusive, effect.Write},
		"terraform y,curl z": {effect.GlobalExclusive | effect.RateLimited, effect.Write},
		"curl z,terraform y": {effect.GlobalExclusive | effect.RateLimited, effect.Write},
		"uptime":             {effect.FullyParallel, effect.ReadOnly},
		"uptime,cp a b":      {effect.FullyParallel, effect.Idempotent},
		"uptime,rm x":        {effect.FullyParallel, effect.Write},
		"uptime,danger":      {effect.FullyParallel, effect.Write},
		"uptime?":            {effect.FullyParallel, effect.Write},
		"xuptime":            {effect.FullyParallel, effect.Write},
	} {
		f := t1.facts(line(text))
		assert.Equal(t, want.kind, f.hint.Kind, text)
		assert.Equal(t, want.kind, t1.GuardsOf(line(text)), text)
		assert.Equal(t, want.class, f.class, text)
		assert.Equal(t, "here", f.host)
		require.NoError(t, f.hint.Validate(), text)
	}
	assert.Equal(t, effect.Hint{Kind: effect.RateLimited, Key: "curl", PerSecond: 2, Burst: 2},
		t1.rateOf(nil, t1.facts(line("curl x"))))
	assert.Equal(t, effect.FullyParallel, runner().GuardsOf(line("apt install x")), "the original has no rules")
}

// TestRulesOfATool declares facts of all calls of a tool.
func TestRulesOfATool(t *testing.T) {
	t1, err := runner(Hint(effect.Hint{Kind: effect.GlobalExclusive})).WithRules(
		Rule{Tool: "run", Hint: hinted(effect.FullyParallel), Class: classed(effect.Idempotent)})
	require.NoError(t, err)
	f := t1.facts(line("anything?"))
	assert.Equal(t, effect.FullyParallel, f.hint.Kind)
	assert.Equal(t, effect.Idempotent, f.class)
}

func TestWrongRules(t *testing.T) {
	plain := Dynamic("plain", "", json.RawMessage(`{"type":"object"}`), nil, nil)
	for want, r := range map[string]Rule{
		"want a tool, a program":      {Hint: hinted(effect.HostExclusive)},
		"want guards, a class":        {Tool: "plain"},
		"without a program":           {Tool: "plain", Args: []string{"x"}, Class: classed(effect.ReadOnly)},
		"without a directory":         {Tool: "plain", Program: "/bin/x", Class: classed(effect.ReadOnly)},
		"runs no programs":            {Tool: "plain", Program: "x", Class: classed(effect.ReadOnly)},
		"host-exclusive needs a host": {Tool: "plain", Hint: hinted(effect.HostExclusive)},
		"tokens a second":             {Tool: "plain", Hint: hinted(effect.RateLimited)},
		"unknown(9)":                  {Tool: "plain", Class: classed(9)},
	} {
		if r.Tool == "" {
			require.ErrorContains(t, r.Validate(), want)
			continue
		}
		_, err := plain.WithRules(r)
		require.ErrorContains(t, err, want)
	}
	same, err := plain.WithRules(Rule{Program: "x", Class: classed(effect.ReadOnly)}, Rule{Tool: "other", Program: "/"})
	require.NoError(t, err)
	assert.Empty(t, same.Rules(), "rules of other tools don't count")
}
