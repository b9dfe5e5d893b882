package ptc_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

const (
	endless      = "(loop [] (recur))"
	endlessMacro = "(defmacro m [] (loop [] (recur))) (m)"
)

// TestContextErrors checks that errors.Is finds the error of a context in the error of each operation that the
// context ended.
func TestContextErrors(t *testing.T) {
	why := errors.New("the user left")
	calls := map[string]func(ctx context.Context) error{
		"Run": func(ctx context.Context) error { _, err := ptc.Run(ctx, endless, ptc.Options{}); return err },
		"Run, workers": func(ctx context.Context) error {
			_, err := ptc.Run(ctx, "(pmap (fn [_] "+endless+") [1 2])", ptc.Options{})
			return err
		},
		"Session.Eval": func(ctx context.Context) error {
			_, err := new(ptc.Session).Eval(ctx, endless, ptc.EvalOptions{})
			return err
		},
		"Compile": func(ctx context.Context) error {
			_, err := ptc.Compile(ctx, "p.ptc", endlessMacro, ptc.Options{})
			return err
		},
		"Check": func(ctx context.Context) error { return ptc.Check(ctx, "p.ptc", endlessMacro, ptc.Options{}).Err },
		"Fix": func(ctx context.Context) error {
			_, _, err := ptc.Fix(ctx, "p.ptc", endlessMacro, ptc.Options{})
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
			began := time.Now()
			err := call(ctx)
			assert.Less(t, time.Since(began), time.Minute)
			assert.ErrorIs(t, err, context.Canceled)
			assert.NotErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorIs(t, err, &ptc.Error{Code: diag.Cancelled})
			assert.ErrorIs(t, err, why)

			late, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer end()
			err = call(late)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.NotErrorIs(t, err, context.Canceled)
			assert.ErrorIs(t, err, &ptc.Error{Code: diag.Timeout})
		})
	}
}

// waiting is a writer that waits for the end of a context.
type waiting struct{ ctx context.Context }

func (w waiting) Write(p []byte) (int, error) {
	<-w.ctx.Done()
	return len(p), nil
}

func TestContextErrorsOfWriting(t *testing.T) {
	res, err := ptc.Run(t.Context(), "(vec (range 100000))", ptc.Options{})
	require.NoError(t, err)
	why := errors.New("the client left")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	err = res.WriteJSON(ctx, waiting{ctx}, false)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, why)
	assert.ErrorContains(t, err, "the writing of the result was cancelled")
}

func TestTimeLimitIsDeadlineExceeded(t *testing.T) {
	_, err := ptc.Run(t.Context(), endless, ptc.Options{Limits: ptc.Limits{Timeout: 20 * time.Millisecond}})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.NotErrorIs(t, err, context.Canceled)
}

// stockError is an error of a host's own.
type stockError struct{ left int }

func (e *stockError) Error() string { return fmt.Sprintf("%d left", e.left) }

// TestToolErrors checks that errors.Is and errors.As find the error that a tool's function returned.
func TestToolErrors(t *testing.T) {
	reserve := tool.New("reserve", "Reserves.", func(_ context.Context, in struct {
		Item string `json:"item"`
	}) (bool, error) {
		switch in.Item {
		case "lamp":
			return false, &stockError{3}
		case "desk":
			return false, &tool.Error{Code: "busy", Err: fmt.Errorf("desk: %w", fs.ErrNotExist)}
		}
		return true, nil
	}, tool.ReadOnly(), tool.Secret("item"))
	tools := &tool.Registry{}
	require.NoError(t, tools.Add(reserve))
	for name, source := range map[string]string{
		"plain":     `(tool/reserve "lamp")`,
		"worker":    `(pmap (fn [x] (pmap tool/reserve [x])) ["sofa" "lamp"])`,
		"cause":     `(try (tool/reserve "lamp") (catch Exception e (throw (ex-info "no" {} e))))`,
		"rethrown":  `(try (tool/reserve "lamp") (catch Exception e (throw e)))`,
		"realised":  `(map tool/reserve ["lamp"])`,
		"a secret":  `(do (tool/reserve "sofa-with-a-long-name") (tool/reserve "lamp"))`,
		"with room": `(host-exclusive "h" (tool/reserve "lamp"))`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ptc.Run(t.Context(), source, ptc.Options{Tools: tools})
			var own *stockError
			require.ErrorAs(t, err, &own)
			assert.Equal(t, 3, own.left)
			var e *ptc.Error
			require.ErrorAs(t, err, &e)
			assert.NotErrorIs(t, err, fs.ErrNotExist)
		})
	}
	_, err := ptc.Run(t.Context(), `(tool/reserve "desk")`, ptc.Options{Tools: tools})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	var failed *tool.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, "busy", failed.Code)
	_, err = ptc.Run(t.Context(), `(try (tool/reserve "desk") (catch Exception e (throw (ex-info "mine" {}))))`, ptc.Options{Tools: tools})
	assert.NotErrorIs(t, err, fs.ErrNotExist, "the program's own exception")
}

// TestErrorsOfAround checks that errors.As finds the error of a hook around calls.
func TestErrorsOfAround(t *testing.T) {
	act := tool.New("act", "Acts.", func(context.Context, struct{}) (int, error) { return 1, nil })
	prog, err := ptc.Compile(t.Context(), "p", `(pmap (fn [_] (tool/act)) [1 2])`,
		ptc.Options{Tools: ptctest.Tools(t, act)})
	require.NoError(t, err)
	_, err = prog.Run(t.Context(), ptc.RunOptions{Around: func(context.Context, effect.Call,
		func(context.Context) effect.Outcome) effect.Outcome {
		return effect.Outcome{Failure: effect.FailureOf(&stockError{0})}
	}})
	var own *stockError
	assert.ErrorAs(t, err, &own)
}

// TestZeroValues has the zero Program refused, and the zero Session be ready.
func TestZeroValues(t *testing.T) {
	for _, p := range []*ptc.Program{nil, {}} {
		_, err := p.Run(t.Context(), ptc.RunOptions{})
		assert.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalState})
	}
	var s ptc.Session
	_, err := s.Eval(t.Context(), "(def x 20)", ptc.EvalOptions{})
	require.NoError(t, err)
	s.SetData(map[string]any{"y": 22})
	res, err := s.Eval(t.Context(), "(+ x data/y)", ptc.EvalOptions{})
	require.NoError(t, err)
	v, err := res.Value()
	require.NoError(t, err)
	assert.Equal(t, int64(42), v)
	var withData ptc.Session
	withData.SetData(map[string]any{"y": 1})
	_, err = withData.Eval(t.Context(), "data/y", ptc.EvalOptions{})
	assert.NoError(t, err)

	var none *ptc.Result
	assert.Equal(t, ptc.StatusError, none.Envelope(errors.New("no"), 0).Status)
	v, err = (&ptc.Result{}).Value()
	assert.NoError(t, err)
	assert.Nil(t, v)
	assert.Equal(t, ptc.Snapshot{}, new(ptc.Progress).Now())
}
