package ptc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestAroundAsyncAgain: a call whose job failed is made again by Around, and has another job. The journal can be read.
func TestAroundAsyncAgain(t *testing.T) {
	jobs := 0
	reg, err := tool.NewRegistry(tool.New("start", "Starts a job.", func(context.Context, hostArgs) (hostResult, error) {
		jobs++
		return hostResult{}, tool.Pending(fmt.Sprint("job-", jobs))
	}, tool.Async(), tool.Idempotent()))
	require.NoError(t, err)
	opts := ptc.Options{Tools: reg}
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal")}
	given := ptc.RunOptions{
		Around: func(ctx context.Context, _ effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
			o := next(ctx)
			for o.Failure != nil {
				o = next(ctx)
			}
			return o
		},
		OnPending: func(ctx context.Context, all []effect.Pending) (settled, error) {
			if all[0].Token != "job-3" {
				return settled{{ID: "start", As: effect.Failed, Failure: &effect.Failure{Code: "broken"}}}, nil
			}
			return settleAll(ctx, all)
		},
	}
	res, err := compiled(t, `(:gone (tool/start {:host "a"}))`, opts).Record(t.Context(), file, given)
	require.Equal(t, `"job-3"`, edn(t, res, err))
	rec, err := journal.ReadFile(file.Path)
	require.NoError(t, err)
	require.Equal(t, "job-3", rec.Entries[0].Token)
	res, err = ptc.Replay(t.Context(), file, opts, ptc.RunOptions{})
	require.Equal(t, `"job-3"`, edn(t, res, err))
}

// TestNotNeeded: an effect that an earlier run left pending is no longer pending when the operation around
// it has failed.
func TestNotNeeded(t *testing.T) {
	source := `(do (try (pcalls #(throw (ex-info (ask {:question "A"}) {})) #(ask {:question "B"})) (catch Exception e 1))
		(ask {:question "C"}) (ask {:question "D"}))`
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal")}
	_, err := compiled(t, source, ptc.Options{}).Record(t.Context(), file, ptc.RunOptions{})
	for _, want := range []string{"0.1.0#1 0.1.1#1 ", "0#1 ", "0#2 "} {
		var parked *ptc.Parked
		require.ErrorAs(t, err, &parked)
		var ids string
		for _, p := range parked.Pending {
			ids += p.ID + " "
		}
		require.Equal(t, want, ids)
		file.Settled = settled{{ID: parked.Pending[0].ID, As: effect.Done, Result: json.RawMessage(`"x"`)}}
		_, err = ptc.Resume(t.Context(), file, ptc.Options{}, ptc.RunOptions{})
	}
	require.NoError(t, err)
}

// TestApprovalStays: a call that was announced needs its approval also if the run is resumed with options that require
// none.
func TestApprovalStays(t *testing.T) {
	f := &fleet{}
	opts := ptc.Options{Tools: f.tools(t), Approve: effect.Approvals{Writes: true}}
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal")}
	_, err := compiled(t, `(:gone (tool/delete {:host "a"}))`, opts).Record(t.Context(), file, ptc.RunOptions{})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.Parked})
	opts.Approve = effect.Approvals{}
	_, err = ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.Parked})
	require.Zero(t, f.deleted.Load())
	file.Settled = settled{{ID: "delete", As: effect.Approve}}
	res, err := ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.Equal(t, `"a"`, edn(t, res, err))
}

// TestLargePlan: a dry run collects a bounded number of bytes.
func TestLargePlan(t *testing.T) {
	f := &fleet{}
	source := `(try (tool/delete {:host "a"}) (tool/delete {:host "b"}) (catch Exception e (:code (ex-data e))))`
	plan := &ptc.Plan{}
	plan.Add(ptc.PlannedCall{ID: "0#9", Args: make([]byte, 64<<20-len(`{"host":"a"}`))})
	res, err := compiled(t, source, ptc.Options{Tools: f.tools(t)}).Run(t.Context(), ptc.RunOptions{Plan: plan})
	require.Equal(t, ":too-large", edn(t, res, err))
	require.Len(t, plan.Calls(), 2)
}

// TestManyOptions: the memory of a question while it is pending is that of its evaluation.
func TestManyOptions(t *testing.T) {
	source := `(ask {:question "?" :options (vec (range data/n))})`
	p := compiled(t, source, ptc.Options{Limits: ptc.Limits{Memory: 16 << 20}})
	_, err := p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"n": 500_000}})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.MemoryExceeded})
	res, err := p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"n": 50_000},
		OnPending: func(context.Context, []effect.Pending) (settled, error) {
			return settled{{ID: "0#1", As: effect.Done, Result: json.RawMessage(" 49999")}}, nil
		}})
	require.Equal(t, "49999", edn(t, res, err))
}

// TestHandlesOfSeveralRuns: a Pending and a Progress show the run that began last, also when an earlier one ends, and
// nothing after a run that could not begin.
func TestHandlesOfSeveralRuns(t *testing.T) {
	handle, progress := &ptc.Pending{}, &ptc.Progress{}
	asks, ends := compiled(t, `(ask {:question "?"})`, ptc.Options{}), compiled(t, `data/x`, ptc.Options{})
	first, second := make(chan struct{}), make(chan struct{})
	waits := func(until chan struct{}, asked chan struct{}) ptc.RunOptions {
		return ptc.RunOptions{Pending: handle, Progress: progress,
			OnPending: func(ctx context.Context, all []effect.Pending) (settled, error) {
				close(asked)
				<-until
				return settleAll(ctx, all)
			}}
	}
	askedFirst, askedSecond := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 2)
	go func() {
		_, err := asks.Run(t.Context(), waits(first, askedFirst))
		ended <- err
	}()
	<-askedFirst
	go func() {
		_, err := asks.Run(t.Context(), waits(second, askedSecond))
		ended <- err
	}()
	<-askedSecond
	close(first)
	require.NoError(t, <-ended)
	require.Len(t, handle.Now(), 1)
	require.Equal(t, "x", progress.WithoutSecrets("x"))
	close(second)
	require.NoError(t, <-ended)
	_, err := ends.Run(t.Context(), ptc.RunOptions{Pending: handle, Progress: progress})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.UnknownData})
	require.Empty(t, handle.Now())
	require.Empty(t, progress.WithoutSecrets("x"))
}

// TestLargeAnswers: a resumed run gets answers that are too large for a journal to keep in memory, and so
// does a replay. An answer that exceeds the limit of results, or that the program could not read, settles
// nothing.
func TestLargeAnswers(t *testing.T) {
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal")}
	opts := ptc.Options{Limits: ptc.Limits{CallResult: 10 << 20}}
	source := `(mapv count (pmap (fn [i] (ask {:question (str i)})) [0 1]))`
	_, err := compiled(t, source, opts).Record(t.Context(), file, ptc.RunOptions{})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.Parked})
	answer := func(size int) []effect.Settlement {
		result := json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
		return []effect.Settlement{{ID: "0.1.0#1", As: effect.Done, Result: result}, {ID: "0.1.1#1", As: effect.Done, Result: result}}
	}
	file.Settled = answer(11 << 20)
	_, err = ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.ErrorContains(t, err, "want at most 10485760")
	file.Settled = answer(9 << 20)
	res, err := ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.Equal(t, "[9437184 9437184]", edn(t, res, err))
	res, err = ptc.Replay(t.Context(), file, opts, ptc.RunOptions{})
	require.Equal(t, "[9437184 9437184]", edn(t, res, err))
}
