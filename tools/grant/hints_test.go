//go:build unix

package grant

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestDefaultHints: the calls of package managers have a guard, and those of programs that report are read-only.
func TestDefaultHints(t *testing.T) {
	tools, _ := granted(t)
	for _, c := range []struct {
		tool, args string
		kind       effect.GuardKind
	}{
		{"exec.run", `{"program":"apt-get","args":["update"]}`, effect.HostExclusive},
		{"exec.run", `{"program":"sudo","args":["-n","dnf","upgrade"]}`, effect.HostExclusive},
		{"exec.run", `{"program":"git","args":["apt-get"]}`, effect.FullyParallel},
		{"ssh.run", `{"host":"web-1","argv":["sudo","yum","update"]}`, effect.HostExclusive},
		{"ssh.run", `{"host":"web-1","command":"cd / && sudo apt-get -y install nginx > /tmp/log"}`, effect.HostExclusive},
		{"ssh.run", `{"host":"web-1","command":"echo apt-get"}`, effect.FullyParallel},
		{"ssh.package", `{"host":"web-1","name":"nginx"}`, effect.HostExclusive},
		{"fs.read", `{"path":"x"}`, effect.FullyParallel},
	} {
		assert.Equal(t, c.kind, tools.Lookup(c.tool).GuardsOf(json.RawMessage(c.args)), "%s %s", c.tool, c.args)
	}
}

// TestHintsOfAFile reads hints from ptc.yaml, before the defaults.
func TestHintsOfAFile(t *testing.T) {
	var s Set
	require.NoError(t, s.ReadFile("ptc.yaml", []byte(`
allow:
  exec: [sh]
hints:
  - {program: apt-get, guard: fully-parallel}
  - {program: terraform, guard: global-exclusive, rate: 2}
  - {tool: exec.run, program: git, args: [log], class: read-only}
`)))
	s.Describe = true
	tools, err := s.Registry(t.Context())
	require.NoError(t, err)
	run := tools.Lookup("exec.run")
	assert.Equal(t, effect.FullyParallel, run.GuardsOf(json.RawMessage(`{"program":"apt-get"}`)))
	assert.Equal(t, effect.GlobalExclusive|effect.RateLimited, run.GuardsOf(json.RawMessage(`{"program":"terraform"}`)))
	assert.Equal(t, `terraform: global-exclusive, rate-limited "terraform" 2/s burst 2`, run.Rules()[1].String())
	assert.Equal(t, "tool/exec.run git log: read-only", run.Rules()[2].String())
	for text, want := range map[string]string{
		"hints: 7":                            "ptc.yaml:1:8: hints: want a list",
		"hints: [7]":                          "ptc.yaml:1:9: hints: want keys and values",
		"hints:\n- {program: x}":              "ptc.yaml:2:3: hints: want guards, a class, or both",
		"hints:\n- {program: x, clas: 1}":     "ptc.yaml:2:16: hints: there is no key clas; did you mean class?",
		"hints:\n- {program: x, rate: 0}":     "ptc.yaml:2:22: hints: rate: got 0, want a number from",
		"hints:\n- {program: x, burst: 1.5}":  "hints: burst: got 1.5, want a whole number",
		"hints:\n- {program: x, class: r}":    "hints: class: got r, want write, idempotent or read-only",
		"hints:\n- {program: [x], rate: 1}":   "hints: program: want a text",
		"hints:\n- {tool: exec.rum, rate: 1}": "hints: there is no tool exec.rum; did you mean exec.run?",
	} {
		require.ErrorContains(t, new(Set).ReadFile("ptc.yaml", []byte(text)), want)
	}
}

// TestHintsOfCalls runs a real program as a package manager: the calls of one run exclude each other, also with those
// of a body that has the machine already, and the class of each is in the journal.
func TestHintsOfCalls(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nif ! mkdir " + dir + "/lock 2>/dev/null; then echo busy >&2; exit 9; fi\nsleep 0.02\nrmdir " + dir + "/lock\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "apt-get"), []byte(script), 0o700))
	var s Set
	require.NoError(t, s.Grant("exec", filepath.Join(dir, "apt-get"), ""))
	require.NoError(t, s.Grant("exec", "uname", ""))
	tools, err := s.Registry(t.Context())
	require.NoError(t, err)
	const program = `[(frequencies (pmap (fn [_] (:exit (tool/exec.run {:program "apt-get"}))) (range 4)))
	  (host-exclusive "localhost" (:exit (tool/exec.run {:program "apt-get"})))
	  (:exit (tool/exec.run {:program "uname"}))]`
	prog, err := ptc.Compile(t.Context(), "p", program, ptc.Options{Tools: tools})
	require.NoError(t, err)
	res, err := prog.Run(t.Context(), ptc.RunOptions{})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	assert.Equal(t, "[{0 4} 0 0]", text)
	classes := map[effect.Class]int{}
	for _, c := range res.Calls {
		classes[c.Class]++
	}
	assert.Equal(t, map[effect.Class]int{effect.Write: 5, effect.ReadOnly: 1}, classes)
	assert.EqualValues(t, 5, res.Usage.Guards[0].Taken)
	assert.Empty(t, res.Usage.Hints)
}
