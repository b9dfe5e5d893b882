package policy_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/runtime/queue"
)

func parse(t *testing.T, text string) queue.Policies {
	t.Helper()
	p, err := policy.Parse("p.yaml", text)
	require.NoError(t, err)
	return p
}

// mistakes returns the mistakes of a text, one per line.
func mistakes(t *testing.T, text string) []string {
	t.Helper()
	p, err := policy.Parse("p.yaml", text)
	require.Equal(t, queue.Policies{}, p)
	var first *diag.Error
	require.ErrorAs(t, err, &first)
	var lines []string
	for _, e := range append([]*diag.Error{first}, first.Others...) {
		require.Equal(t, diag.BadPolicy, e.Code)
		line := strings.Replace(strings.TrimPrefix(e.Error(), "p.yaml:"), ": bad-policy", "", 1)
		if e.Hint != "" {
			line += " (" + e.Hint + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestParse(t *testing.T) {
	want := queue.Policies{
		Global: queue.Policy{Concurrency: 100, Rate: queue.Rate{Calls: 50, Per: time.Second, Burst: 200}},
		Packs:  map[string]queue.Policy{"aws": {Concurrency: 4, Quota: queue.Quota{Calls: 10_000, Window: 24 * time.Hour}}},
		Actions: map[string]queue.Policy{
			"aws.ec2_start": {Concurrency: 1}, "search": {Rate: queue.Rate{Calls: 10, Per: 90 * time.Second}}, "free": {},
		},
	}
	require.Equal(t, want, parse(t, `
global:
  concurrency: 100
  rate: {calls: 50, per: 1s, burst: 200}
packs:
  aws:
    concurrency: 4
    quota:
      calls: 10000
      window: 24h
actions:
  aws.ec2_start: {concurrency: 1} # a comment
  "search":
    rate: {calls: 10, per: "1m30s"}
  free: {}
`))
	require.Equal(t, want, parse(t, `{
	"global": {"concurrency": 100, "rate": {"calls": 50, "per": "1s", "burst": 200}},
	"packs": {"aws": {"concurrency": 4, "quota": {"calls": 10000, "window": "24h"}}},
	"actions": {
		"aws.ec2_start": {"concurrency": 1},
		"search": {"rate": {"calls": 10, "per": "1m30s"}},
		"free": {}
	}
}`))
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing yet\n", "---\n", "{}"} {
		require.Equal(t, queue.Policies{}, parse(t, text), "%q", text)
	}
}

// TestBrackets has more brackets in comments and quotes than may be nested. They open nothing
// there.
func TestBrackets(t *testing.T) {
	require.Len(t, parse(t, actions(100, "  a.b%d: {concurrency: 1} # in the window [0, 24h)\n")).Actions, 100)
	require.Len(t, parse(t, actions(100, "  \"a.[b%d\": {concurrency: 1}\n")).Actions, 100)
}

// TestByteOrderMark reads a file that begins with a byte order mark, as some editors write it.
// Positions do not count it.
func TestByteOrderMark(t *testing.T) {
	require.Len(t, parse(t, "\ufeff"+actions(3, "  a%d: {concurrency: 1}\n")).Actions, 3)
	_, err := policy.Parse("p.yaml", "\ufeffglobl: {}")
	require.ErrorContains(t, err, "p.yaml:1:1: bad-policy: unknown field globl")
}

// TestMistakes holds texts with one mistake each.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"globl: {}", "1:1: unknown field globl (did you mean global?)"},
		{"tools: {}", "1:1: unknown field tools (the fields are actions, approve, global, hints, packs)"},
		{"global:\n  concurency: 3", "2:3: unknown field concurency (did you mean concurrency?)"},
		{"packs:\n  aws: {rate: {calls: 1, pre: 1s, per: 1s}}", "2:26: unknown field pre (did you mean per?)"},

		{"- 1", "1:1: got a list, want a mapping"},
		{"7", "1:1: got 7, want a mapping"},
		{"global:", "1:8: global: got nothing, want a mapping"},
		{"global: {rate: 10/s}", "1:16: global: rate: got the string \"10/s\", want a mapping"},
		{"packs: [aws]", "1:8: packs: got a list, want a mapping"},
		{"packs: {404: {}}", "1:9: packs: got 404, want a name (quote a name that looks like another type)"},

		{"global: {concurrency: \"3\"}", "1:23: global: concurrency: got the string \"3\", want a whole number"},
		{"global: {concurrency: 1.5}", "1:23: global: concurrency: got 1.5, want a whole number"},
		{"global: {concurrency: true}", "1:23: global: concurrency: got true, want a whole number"},
		{"global: {concurrency: [1]}", "1:23: global: concurrency: got a list, want a whole number"},
		{"global: {concurrency: {a: 1}}", "1:23: global: concurrency: got a mapping, want a whole number"},
		{"global:\n  concurrency:\n    a: 1", "3:5: global: concurrency: got a mapping, want a whole number"},
		{"global:\n  concurrency:\n", "2:15: global: concurrency: got nothing, want a whole number"},
		{"global: {concurrency: 0x10}", "1:23: global: concurrency: got 0x10, want a whole number in decimal digits, of up to 18"},
		{"global: {concurrency: 0}", "1:23: global: concurrency: got 0, want at least 1 (omit the field if there is no such limit)"},
		{"global: {concurrency: -3}", "1:23: global: concurrency: got -3, want at least 1"},

		{"global: {rate: {calls: 1, per: 60}}", "1:32: global: rate: per: got 60, want a duration such as 30s, 15m or 24h (add a unit: 60s are seconds)"},
		{"global: {rate: {calls: 1, per: 1 hour}}", "1:32: global: rate: per: got the string \"1 hour\", want a duration such as 30s, 15m or 24h"},
		{"global: {quota: {calls: 1, window: 1d}}", "1:36: global: quota: window: got the string \"1d\", want a duration such as 30s, 15m or 24h (write days in hours: 1d is 24h)"},
		{"global: {quota: {calls: 1, window: -1h}}", "1:36: global: quota: window: got -1h, want a time above 0"},
		{"global: {quota: {calls: 1, window: 0s}}", "1:36: global: quota: window: got the string \"0s\", want a time above 0 (omit the field if there is no such limit)"},
		{"global: {quota: {calls: 2000000, window: 1h}}", "1:25: global: quota: calls: got 2000000, want at most 1000000; a rate has no such limit"},

		{"global: {rate: {calls: 1}}", "1:10: global: rate: per is missing"},
		{"packs:\n  aws:\n    quota: {window: 1h}", "3:5: packs: aws: quota: calls is missing"},
		{"global: {rate: {}}", "1:16: global: rate is empty, want calls and per"},
		{"global: {quota: {}}", "1:17: global: quota is empty, want calls and window"},

		{"packs: {a.b: {}}", "1:9: packs: a.b: a pack has no dot in its name: it is what stands before the first dot of its actions"},
		{"actions:\n  aws.ec2..start: {}", "2:3: actions: aws.ec2..start: the name of an action, or a part of it, is empty or has blanks in it"},
		{"actions: {aws.: {}}", "1:11: actions: aws.: the name of an action, or a part of it, is empty or has blanks in it"},
		{"actions: {\"\": {}}", "1:11: actions: : the name of an action, or a part of it, is empty or has blanks in it"},

		{"actions:\n  a: {}\n  b: {}\n  a: {}\n", "4:3: actions: a is repeated, first set on line 2"},
		{"global: {rate: {calls: 1, per: 1s, calls: 2}}", "1:36: global: rate: calls is repeated, first set on line 1"},

		{"global: &g {concurrency: 1}", "1:9: global: got an anchor, alias or tag, which policies do not support, want a mapping"},
		{"global: {concurrency: !!int 1}", "1:23: global: concurrency: got an anchor, alias or tag, which policies do not support, want a whole number"},
		{"global: {}\n---\npacks: {}\n", "2:1: a second document begins here, want a single one"},
		{"global: {concurrency: 1\npacks: {}", "2:1: ',' or '}' must be specified"},
		{"global:\n\tconcurrency: 1", "2:2: found character '\t' that cannot start any token"},
		{strings.Repeat("[", 60), "1:51: nested deeper than 50 levels"},
		{strings.Repeat("#", policy.MaxSize+1), "1:1: the file has 1048577 bytes, want at most 1048576"},

		{"packs:\n  äöü: {rate: {calls: 1, per: ß}}", "2:31: packs: äöü: rate: per: got the string \"ß\", want a duration such as 30s, 15m or 24h"},
		{"{\n\t\"packs\": {\n\t\t\"aws\": {\"concurrency\":\t-1}\n\t}\n}", "3:26: packs: aws: concurrency: got -1, want at least 1"},
		{"global:\r\n  concurrency: -1\r\n", "2:16: global: concurrency: got -1, want at least 1"},
	} {
		t.Run(c.want, func(t *testing.T) { require.Equal(t, []string{c.want}, mistakes(t, c.text), "%q", c.text) })
	}
}

// TestAllAtOnce checks that mistakes of all kinds are reported together, in the order of the file.
func TestAllAtOnce(t *testing.T) {
	require.Equal(t, []string{
		`2:3: unknown field burst (the fields are concurrency, quota, rate)`,
		`3:16: global: concurrency: got -1, want at least 1`,
		`5:3: packs: a.b: a pack has no dot in its name: it is what stands before the first dot of its actions`,
		`6:20: packs: a.b: rate: calls: got the string "ten", want a whole number`,
		`7:5: packs: c: got nothing, want a mapping`,
		`9:3: actions: x.y.: the name of an action, or a part of it, is empty or has blanks in it`,
		`10:5: actions: x.y.: quota: window is missing`,
	}, mistakes(t, `global:
  burst: 1
  concurrency: -1
packs:
  a.b:
    rate: { calls: ten, per: 1s }
  c:
actions:
  x.y.:
    quota: { calls: 1 }
`))
}

// TestRender shows what an operator sees.
func TestRender(t *testing.T) {
	_, err := policy.Parse("limits.yaml",
		"actions:\n  aws.ec2_start:\n    concurency: 1\n    rate: {calls: 10, per: \"5\"}\n")
	var e *diag.Error
	require.ErrorAs(t, err, &e)
	var out bytes.Buffer
	require.NoError(t, e.Render(&out, false))
	require.Equal(t, `error[bad-policy]: unknown field concurency
 --> limits.yaml:3:5
  |
3 |     concurency: 1
  |     ^^^^^^^^^^
  = hint: did you mean concurrency?

error[bad-policy]: actions: aws.ec2_start: rate: per: got the string "5", want a duration such as 30s, 15m or 24h
 --> limits.yaml:4:28
  |
4 |     rate: {calls: 10, per: "5"}
  |                            ^^^
`, out.String())
}

// TestExample reads a file that uses every feature.
func TestExample(t *testing.T) {
	const name = "../examples/policies.yaml"
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	p, err := policy.Parse(name, string(text))
	require.NoError(t, err)
	e, err := queue.NewEnforcer(p, queue.New(queue.Options{}))
	require.NoError(t, err)
	for action, want := range map[string]int{"aws.ec2_start": 1, "aws.ec2_list": 4, "ssh.run": 50, "search": 100} {
		require.Equal(t, want, e.Action(action).(*queue.Action).Concurrency(), action)
	}
}

func Example() {
	p, err := policy.Parse("policies.yaml", `
packs:
  aws: {concurrency: 4, quota: {calls: 10000, window: 24h}}
`)
	fmt.Println(p.Packs["aws"].Concurrency, p.Packs["aws"].Quota.Window, err)

	_, err = policy.Parse("policies.yaml", `{"packs": {"aws": {"concurency": 4, "quota": {"calls": -1}}}}`)
	var e *diag.Error
	if errors.As(err, &e) {
		fmt.Println(e, "/", e.Hint)
		for _, more := range e.Others {
			fmt.Println(more)
		}
	}
	// Output:
	// 4 24h0m0s <nil>
	// policies.yaml:1:20: bad-policy: unknown field concurency / did you mean concurrency?
	// policies.yaml:1:37: bad-policy: packs: aws: quota: window is missing
	// policies.yaml:1:56: bad-policy: packs: aws: quota: calls: got -1, want at least 1
}

// FuzzParse checks that Parse does not panic, that every mistake has a position in the file, and
// that an enforcer accepts every policy that Parse accepts.
func FuzzParse(f *testing.F) {
	f.Add("global:\n  concurrency: 3\npacks:\n  aws: {rate: {calls: 10, per: 1s}}\nactions:\n  aws.x:\n    quota:\n      calls: 5\n      window: 1h\n")
	f.Add("{\"global\": {\"concurrency\": 1},\n\t\"actions\": {\"a\": {\"quota\": {\"calls\": 1, \"window\": \"1h\"}}}}")
	f.Add("global: &a {rate: *a}\n? packs\n: !!map {<<: *a}\n---\n- |\n  x\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2_000 {
			return
		}
		p, err := policy.Parse("p", text)
		if err == nil {
			require.Empty(t, p.Check())
			return
		}
		var e *diag.Error
		require.ErrorAs(t, err, &e)
		for _, one := range append([]*diag.Error{e}, e.Others...) {
			require.False(t, one.Span.IsZero())
			require.True(t, 0 <= one.Span.Start && one.Span.Start <= len(text), "%+v", one.Span)
			require.NotEmpty(t, one.Message)
		}
		require.NoError(t, e.Render(new(bytes.Buffer), false))
	})
}

// TestHints reads hints, and reports all mistakes in them with their places.
func TestHints(t *testing.T) {
	const text = "global: {concurrency: 3}\nhints:\n  - {program: terraform, guard: global-exclusive}\n" +
		"  - {program: git, args: [log, -n], class: read-only}\n"
	rules, err := policy.Hints("p.yaml", text)
	require.NoError(t, err)
	require.Len(t, rules, 2)
	require.Equal(t, "terraform: global-exclusive", rules[0].String())
	require.Equal(t, "git log -n: read-only", rules[1].String())
	p, err := policy.Parse("p.yaml", text)
	require.NoError(t, err)
	require.Equal(t, 3, p.Global.Concurrency)
	require.Equal(t, []string{
		"2:6: hints: there is no key gard; did you mean guard?",
		"3:24: hints: class: got reads, want write, idempotent or read-only",
	}, mistakes(t, "hints:\n  - {gard: host-exclusive, program: x}\n  - {tool: x.y, class: reads}\n"))
	_, err = policy.Hints("p.yaml", "hints: 3")
	require.ErrorContains(t, err, "hints: want a list")
}
