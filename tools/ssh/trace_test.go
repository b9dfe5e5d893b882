//go:build unix

package ssh_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/sshtest"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestTrace: a command gets the span of its call, and a run without spans sends nothing.
func TestTrace(t *testing.T) {
	h := sshtest.Start(t, shell, "web1")
	reg := open(t, grant(h))
	const program = `(:out (tool/ssh.run {:host "web1" :command "echo $TRACEPARENT $TRACESTATE"}))`
	assert.Equal(t, `"\n"`, run(t, reg, program))
	ctx := effect.WithTrace(t.Context(), effect.Trace{Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", State: "a=b"})
	res, err := ptc.Run(ctx, program, ptc.Options{Tools: reg})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	assert.Equal(t, `"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 a=b\n"`, text)
}
