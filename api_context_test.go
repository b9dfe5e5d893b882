package ptc_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// TestNilContext hands a nil context to all that takes one: it is an error, and no panic.
func TestNilContext(t *testing.T) {
	var none context.Context
	prog, err := ptc.Compile(context.Background(), "p.ptc", "1", ptc.Options{})
	require.NoError(t, err)
	res, err := prog.Run(t.Context(), ptc.RunOptions{})
	require.NoError(t, err)
	for name, call := range map[string]func() error{
		"Run":              func() error { _, err := ptc.Run(none, "1", ptc.Options{}); return err },
		"Program.Run":      func() error { _, err := prog.Run(none, ptc.RunOptions{}); return err },
		"Session.Eval":     func() error { _, err := ptc.NewSession(ptc.Options{}).Eval(none, "1", ptc.EvalOptions{}); return err },
		"Compile":          func() error { _, err := ptc.Compile(none, "p.ptc", "1", ptc.Options{}); return err },
		"Check":            func() error { return ptc.Check(none, "p.ptc", "1", ptc.Options{}).Err },
		"Fix":              func() error { _, _, err := ptc.Fix(none, "p.ptc", "1", ptc.Options{}); return err },
		"Result.WriteEDN":  func() error { return res.WriteEDN(none, io.Discard) },
		"Result.WriteJSON": func() error { return res.WriteJSON(none, io.Discard, false) },
	} {
		var e *ptc.Error
		require.ErrorAs(t, call(), &e, name)
		assert.Equal(t, diag.IllegalArgument, e.Code, name)
		assert.Contains(t, e.Message, "got a nil context", name)
		assert.Contains(t, e.Hint, "context.Background()", name)
	}
	s := ptc.NewSession(ptc.Options{})
	_, err = s.Eval(none, "1", ptc.EvalOptions{})
	require.Error(t, err)
	_, err = s.Eval(t.Context(), "1", ptc.EvalOptions{})
	require.NoError(t, err, "the session goes on")
}
