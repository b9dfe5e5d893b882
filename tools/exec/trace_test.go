//go:build unix

package exec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/tools/exec"
)

// TestTrace: a program gets the span of its call, unless its grant has one, and none in a run without spans.
func TestTrace(t *testing.T) {
	sh, err := exec.Find("sh")
	if err != nil {
		t.Skip(err)
	}
	own := sh
	own.Env = []string{"TRACEPARENT=of the grant"}
	reg := granted(t, exec.Grant{Programs: map[string]exec.Program{"sh": sh, "own": own}})
	const program = `(mapv (fn [p] (:out (tool/exec.run {:program p :args ["-c" "echo $TRACEPARENT $TRACESTATE"]}))) ["sh" "own"])`
	assert.Equal(t, `["\n" "of the grant\n"]`, run(t, reg, nil, program))
	ctx := effect.WithTrace(t.Context(), effect.Trace{Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", State: "a=b"})
	res, err := ptc.Run(ctx, program, ptc.Options{Tools: reg})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	assert.Equal(t, `["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 a=b\n" "of the grant a=b\n"]`, text)
}
