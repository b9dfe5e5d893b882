package ptc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestZeroValuesServeARun: the zero guards, queues and journal are those of their constructors.
func TestZeroValuesServeARun(t *testing.T) {
	deploy := tool.New("deploy", "", func(_ context.Context, in struct {
		Host string `json:"host"`
	}) (string, error) {
		return in.Host, nil
	}, tool.Concurrency(1),
		tool.Hint(effect.Hint{Kind: effect.HostExclusive | effect.RateLimited, PerSecond: 1e6, Burst: 1}))
	tools, err := tool.NewRegistry(deploy)
	require.NoError(t, err)
	guards, queues, j := &guard.Set{}, &queue.Enforcer{}, &journal.Journal{}
	prog, err := ptc.Compile(t.Context(), "p", `(vec (pmap tool/deploy ["a" "a" "a"]))`,
		ptc.Options{Tools: tools, Guards: guards, Queue: queues})
	require.NoError(t, err)
	res, err := prog.Run(t.Context(), ptc.RunOptions{Journal: j})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	assert.Equal(t, `["a" "a" "a"]`, text)
	require.Len(t, res.Calls, 3)
	assert.JSONEq(t, `"a"`, string(res.Calls[0].Outcome.Result), "the zero journal keeps outcomes, and not their hashes")
	assert.EqualValues(t, 3, guards.Stats(9).Tokens)
	hourly := queue.Policy{Quota: queue.Quota{Calls: 1, Window: time.Hour}}
	require.NoError(t, queues.Replace(queue.Policies{Global: hourly}))
	_, err = prog.Run(t.Context(), ptc.RunOptions{})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.PolicyViolation})
}

// TestNilReplay: a replay of nothing has no program.
func TestNilReplay(t *testing.T) {
	prog, err := ptc.Compile(t.Context(), "p", `1`, ptc.Options{})
	require.NoError(t, err)
	_, err = prog.Run(t.Context(), ptc.RunOptions{Journal: journal.Replay(nil)})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.Diverged})
}

// TestNilPointers: they are zero values, and a session that could keep nothing is an error.
func TestNilPointers(t *testing.T) {
	var res *ptc.Result
	v, err := res.Value()
	require.NoError(t, err)
	assert.Nil(t, v)
	text, err := res.JSON(false)
	require.NoError(t, err)
	assert.Equal(t, "null", text)
	assert.True(t, res.IsNil())
	var session *ptc.Session
	session.SetData(map[string]any{"a": 1})
	_, err = session.Eval(t.Context(), "1", ptc.EvalOptions{})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalState})
	require.ErrorContains(t, err, "the session is nil")
	var prog *ptc.Program
	assert.Zero(t, prog.Header())
	var progress *ptc.Progress
	assert.Zero(t, progress.Now())
}

// TestNilOption: an option that is nil is an error of the registry.
func TestNilOption(t *testing.T) {
	_, err := tool.NewRegistry(tool.New("a", "", func(context.Context, struct{}) (bool, error) { return true, nil }, nil),
		tool.New[struct{}, bool]("b", "", nil))
	require.ErrorContains(t, err, "tool a: one of its options is nil")
	require.ErrorContains(t, err, "tool b: its function is nil")
	tools, err := tool.NewRegistry(tool.Dynamic("c", "", []byte(`{"type":"object"}`), nil, nil))
	require.NoError(t, err)
	_, err = ptc.Run(t.Context(), "(tool/c)", ptc.Options{Tools: tools})
	require.ErrorContains(t, err, "the tool is a stub")
}

// TestEndedContext: nothing begins with a context that has ended, not even a program that needs no time.
func TestEndedContext(t *testing.T) {
	prog, err := ptc.Compile(t.Context(), "p", `(println 1) 1`, ptc.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	interrupted := ptc.JournalFile{Path: filepath.Join(dir, "interrupted")}
	j, err := journal.Create(interrupted.Path, prog.Header(), journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	before, err := os.ReadFile(interrupted.Path)
	require.NoError(t, err)
	fresh := ptc.JournalFile{Path: filepath.Join(dir, "new")}
	res, err := prog.Run(t.Context(), ptc.RunOptions{})
	require.NoError(t, err)
	never := ptc.RunOptions{Output: func(ptc.Print) { t.Error("the program has begun") }}
	calls := map[string]func(ctx context.Context) error{
		"Run":         func(ctx context.Context) error { _, err := ptc.Run(ctx, "1", ptc.Options{}); return err },
		"Program.Run": func(ctx context.Context) error { _, err := prog.Run(ctx, never); return err },
		"Compile":     func(ctx context.Context) error { _, err := ptc.Compile(ctx, "p", "1", ptc.Options{}); return err },
		"Check":       func(ctx context.Context) error { return ptc.Check(ctx, "p", "1", ptc.Options{}).Err },
		"Fix":         func(ctx context.Context) error { _, _, err := ptc.Fix(ctx, "p", "1", ptc.Options{}); return err },
		"Record":      func(ctx context.Context) error { _, err := prog.Record(ctx, fresh, never); return err },
		"Resume": func(ctx context.Context) error {
			_, err := ptc.Resume(ctx, interrupted, ptc.Options{}, never)
			return err
		},
		"Replay": func(ctx context.Context) error {
			_, err := ptc.Replay(ctx, interrupted, ptc.Options{}, never)
			return err
		},
		"Session.Eval": func(ctx context.Context) error {
			_, err := ptc.NewSession(ptc.Options{}).Eval(ctx, "1", ptc.EvalOptions{})
			return err
		},
		"Result.WriteEDN": func(ctx context.Context) error { return res.WriteEDN(ctx, io.Discard) },
	}
	for name, call := range calls {
		why := errors.New("the server shuts down")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		err := call(ctx)
		require.ErrorIs(t, err, context.Canceled, name)
		require.ErrorIs(t, err, why, name)
		late, stop := context.WithTimeout(t.Context(), -time.Second)
		err = call(late)
		stop()
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
	}
	require.NoFileExists(t, fresh.Path)
	after, err := os.ReadFile(interrupted.Path)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

// TestOptionsOutOfRange: each function that takes options reports everything that is wrong with them in one error.
func TestOptionsOutOfRange(t *testing.T) {
	opts := ptc.Options{OnFull: 77, Processors: &ptc.Processors{}, Limits: ptc.Limits{Memory: 5, Steps: -1}}
	_, err := ptc.Compile(t.Context(), "p", "1", opts)
	require.EqualError(t, err, "illegal-argument: limits: steps is -1, want a number above 0 (0 takes the default); "+
		"memory is 5 bytes, want at least 262144 (0 takes the default); options: OnFull is 77, want OnFullInline or OnFullFail; "+
		"options: Processors is zero, want one of ptc.NewProcessors")
	for name, err := range map[string]error{
		"Run":   second(ptc.Run(t.Context(), "1", opts)),
		"Check": ptc.Check(t.Context(), "p", "1", opts).Err,
		"Eval":  second(ptc.NewSession(opts).Eval(t.Context(), "1", ptc.EvalOptions{})),
	} {
		require.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalArgument}, name)
		require.ErrorContains(t, err, "OnFull is 77", name)
	}
}

func second[T any](_ T, err error) error { return err }

// writerFunc is a writer of one function.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestWriters: a writer of the host that misbehaves is an error, of short and of long results, and of envelopes.
func TestWriters(t *testing.T) {
	for _, source := range []string{"[1 2]", "(vec (range 20000))"} {
		res, err := ptc.Run(t.Context(), source, ptc.Options{})
		require.NoError(t, err)
		for name, write := range map[string]func(w io.Writer) error{
			"JSON":     func(w io.Writer) error { return res.WriteJSON(t.Context(), w, false) },
			"EDN":      func(w io.Writer) error { return res.WriteEDN(t.Context(), w) },
			"Envelope": func(w io.Writer) error { _, err := res.Envelope(nil, 0).WriteTo(w); return err },
		} {
			name += " of " + source
			require.ErrorIs(t, write(writerFunc(func([]byte) (int, error) { return 0, nil })), io.ErrShortWrite, name)
			require.ErrorIs(t, write(writerFunc(func(p []byte) (int, error) { return len(p) + 1, nil })), io.ErrShortWrite, name)
			closed := writerFunc(func([]byte) (int, error) { return 0, io.ErrClosedPipe })
			require.ErrorIs(t, write(closed), io.ErrClosedPipe, name)
			err := write(writerFunc(func([]byte) (int, error) { panic("no disk") }))
			require.ErrorIs(t, err, &ptc.Error{Code: diag.HostFailed}, name)
			require.ErrorContains(t, err, "the writer panicked: no disk", name)
			require.ErrorIs(t, write(nil), &ptc.Error{Code: diag.IllegalArgument}, name)
			require.NoError(t, write(&bytes.Buffer{}), name)
		}
	}
}

// TestSlowOutput: the prints before a bound are all delivered, and Run returns after the last call of Output.
func TestSlowOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		prog, err := ptc.Compile(t.Context(), "p", `(pmap (fn [i] (print i) (when (= i 0) (Thread/sleep 10000))) (range 4))`,
			ptc.Options{Limits: ptc.Limits{Timeout: 100 * time.Millisecond}})
		require.NoError(t, err)
		var calls, after int
		began := time.Now()
		_, err = prog.Run(t.Context(), ptc.RunOptions{Output: func(ptc.Print) {
			calls++
			if time.Since(began) > 100*time.Millisecond {
				after++
			}
			time.Sleep(50 * time.Millisecond)
		}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 4, calls)
		assert.Positive(t, after, "calls after the deadline")
		assert.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond)
	})
}

// TestEnvelopeOfAnotherError: it is the host's own.
func TestEnvelopeOfAnotherError(t *testing.T) {
	e := (*ptc.Result)(nil).Envelope(errors.New("no such program"), 0)
	assert.Equal(t, diag.HostFailed, e.Error.Code)
	var text strings.Builder
	_, err := e.WriteTo(&text)
	require.NoError(t, err)
	assert.Contains(t, text.String(), `"message":"no such program"`)
}

// TestNilError: an error variable that errors.As has not set is no error.
func TestNilError(t *testing.T) {
	res, err := ptc.Run(t.Context(), "1", ptc.Options{})
	var e *ptc.Error
	errors.As(err, &e)
	assert.Equal(t, ptc.StatusOK, res.Envelope(e, 0).Status)
}

// TestNilJournal: a nil pointer is no journal.
func TestNilJournal(t *testing.T) {
	prog, err := ptc.Compile(t.Context(), "p", "1", ptc.Options{})
	require.NoError(t, err)
	none := ptc.RunOptions{Journal: (*journal.Journal)(nil)}
	_, err = prog.Run(t.Context(), none)
	require.NoError(t, err)
	_, err = prog.Record(t.Context(), ptc.JournalFile{Path: filepath.Join(t.TempDir(), "journal")}, none)
	require.NoError(t, err)
}

// TestClosedJournal: a journal serves one run.
func TestClosedJournal(t *testing.T) {
	prog, err := ptc.Compile(t.Context(), "p", "1", ptc.Options{})
	require.NoError(t, err)
	j := journal.New(journal.Options{})
	_, err = prog.Run(t.Context(), ptc.RunOptions{Journal: j})
	require.NoError(t, err)
	_, err = prog.Run(t.Context(), ptc.RunOptions{Journal: j})
	require.EqualError(t, err, "journal-failed: the journal was closed, or its run has ended")
	require.ErrorIs(t, err, journal.ErrClosed)
}
