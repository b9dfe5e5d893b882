package ptc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

type settled = []effect.Settlement

// fleet has the tools of the tests of pending effects. deleted counts the calls of delete.
type fleet struct{ deleted atomic.Int64 }

type hostArgs struct {
	Host string `json:"host"`
}

type hostResult struct {
	Gone string `json:"gone"`
}

func (f *fleet) tools(t *testing.T) *tool.Registry {
	remove := tool.New("delete", "Deletes a host.", func(_ context.Context, in hostArgs) (hostResult, error) {
		f.deleted.Add(1)
		return hostResult{in.Host}, nil
	})
	careful := tool.New("careful", "Deletes a host, with approval.", func(_ context.Context, in hostArgs) (hostResult, error) {
		f.deleted.Add(1)
		return hostResult{in.Host}, nil
	}, tool.NeedsApproval(nil))
	look := tool.New("look", "Looks at a host.", func(_ context.Context, in hostArgs) (string, error) {
		return "up " + in.Host, nil
	}, tool.ReadOnly())
	start := tool.New("start", "Starts a job.", func(ctx context.Context, in hostArgs) (hostResult, error) {
		return hostResult{}, tool.Pending("job-" + in.Host)
	}, tool.Async(), tool.Concurrency(1))
	r, err := tool.NewRegistry(remove, careful, look, start)
	require.NoError(t, err)
	return r
}

// settleAll settles all that is pending: it approves, answers with the options in turn, and has jobs succeed.
func settleAll(_ context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
	for _, p := range all {
		s := effect.Settlement{ID: p.ID, As: effect.Approve}
		switch p.Kind {
		case effect.PendingQuestion:
			s.As, s.Result = effect.Done, json.RawMessage(`"yes"`)
		case effect.PendingOutcome:
			s.As, s.Result = effect.Done, json.RawMessage(`{"gone": "`+p.Token+`"}`)
		case effect.PendingDoubt:
			s.As = effect.Retry
		}
		settle = append(settle, s)
	}
	return settle, nil
}

func compiled(t *testing.T, source string, opts ptc.Options) *ptc.Program {
	p, err := ptc.Compile(t.Context(), "pending.ptc", source, opts)
	require.NoError(t, err)
	return p
}

const everyKind = `
(let [names ["a" "b" "c"]]
  [(ask {:question "Delete?" :data names :options ["yes" "no"]})
   (pmap (fn [h] (:gone (tool/careful {:host h}))) names)
   (pmap (fn [h] (:gone (tool/start {:host h}))) names)
   (tool/look {:host "d"})])`

const everyKindEnds = `["yes" ("a" "b" "c") ("job-a" "job-b" "job-c") "up d"]`

// TestOnPending has every kind of pending effect decided while the run waits.
func TestOnPending(t *testing.T) {
	f := &fleet{}
	var asked [][]effect.Pending
	p := compiled(t, everyKind, ptc.Options{Tools: f.tools(t)})
	given := ptc.RunOptions{OnPending: func(ctx context.Context, all []effect.Pending) (settled, error) {
		asked = append(asked, all)
		return settleAll(ctx, all)
	}}
	res, err := p.Run(t.Context(), given)
	require.Equal(t, everyKindEnds, edn(t, res, err))
	require.EqualValues(t, 3, f.deleted.Load())
	require.Equal(t, "0#1", asked[0][0].ID)
	require.Equal(t, "Delete?", asked[0][0].Question)
	require.Equal(t, `["a","b","c"]`, string(asked[0][0].Data))
	require.Len(t, asked[1], 3, "all workers are asked about at once")
	require.Equal(t, "0.1.1#1", asked[1][1].ID)
	require.Equal(t, `{"host":"b"}`, string(asked[1][1].Args))
	require.Equal(t, "pending.ptc:4:25", asked[1][1].Place)
	require.Len(t, asked[2], 1, "one place in the queue of start")
	require.Positive(t, res.Usage.Quiet)
}

// TestParked parks a run again and again: each time it is resumed with settlements of the effects it waits for.
func TestParked(t *testing.T) {
	f := &fleet{}
	opts := ptc.Options{Tools: f.tools(t)}
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal")}
	res, err := compiled(t, everyKind, opts).Record(t.Context(), file, ptc.RunOptions{})
	n := 0
	for parked := (*ptc.Parked)(nil); errors.As(err, &parked); n++ {
		require.ErrorIs(t, err, &ptc.Error{Code: diag.Parked})
		file.Settled, _ = settleAll(t.Context(), parked.Pending)
		res, err = ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	}
	require.Equal(t, everyKindEnds, edn(t, res, err))
	require.EqualValues(t, 3, f.deleted.Load())
	require.Equal(t, 5, n)
	res, err = ptc.Replay(t.Context(), file, opts, ptc.RunOptions{})
	require.Equal(t, everyKindEnds, edn(t, res, err))
	require.EqualValues(t, 3, f.deleted.Load())
}

// TestSettleFromOutside settles while OnPending waits for it.
func TestSettleFromOutside(t *testing.T) {
	f := &fleet{}
	handle := &ptc.Pending{}
	p := compiled(t, everyKind, ptc.Options{Tools: f.tools(t), Limits: ptc.Limits{Timeout: time.Minute}})
	given := ptc.RunOptions{Pending: handle, OnPending: func(ctx context.Context, all []effect.Pending) (settled, error) {
		settle, _ := settleAll(ctx, handle.Now())
		for i, s := range settle {
			require.NoError(t, handle.Settle(s))
			again := handle.Settle(s)
			if i == len(settle)-1 && errors.Is(again, effect.ErrRunOver) {
				continue // the run needed no more, and has ended
			}
			require.ErrorIs(t, again, effect.ErrSettled)
		}
		<-ctx.Done() // all is settled
		return nil, nil
	}}
	res, err := p.Run(t.Context(), given)
	require.Equal(t, everyKindEnds, edn(t, res, err))
	require.ErrorIs(t, handle.Settle(effect.Settlement{ID: "0#1", As: effect.Retry}), effect.ErrRunOver)
}

// TestRefused: a refusal is an exception with the reason.
func TestRefused(t *testing.T) {
	f := &fleet{}
	source := `(try (tool/delete {:host "a"}) (catch Exception e [(ex-message e) (ex-data e)]))`
	p := compiled(t, source, ptc.Options{Tools: f.tools(t), Approve: effect.Approvals{Writes: true}})
	res, err := p.Run(t.Context(), ptc.RunOptions{OnPending: func(_ context.Context, _ []effect.Pending) (settled, error) {
		return []effect.Settlement{{ID: "delete", As: effect.Refuse, Reason: "not on Friday"}}, nil
	}})
	require.Equal(t, `["tool/delete: not on Friday" {:code :approval-refused, :tool :delete, :retryable? false, `+
		`:data {:reason "not on Friday"}}]`, edn(t, res, err))
	require.Zero(t, f.deleted.Load())
}

// TestPlan: a dry run makes the reads, and collects the writes that it would make.
func TestPlan(t *testing.T) {
	f := &fleet{}
	p := compiled(t, `[(tool/look {:host "a"}) (pmap (fn [h] (tool/delete {:host h})) ["b" "c"]) (tool/careful {:host "d"})]`,
		ptc.Options{Tools: f.tools(t)})
	plan := &ptc.Plan{}
	res, err := p.Run(t.Context(), ptc.RunOptions{Plan: plan})
	require.Equal(t, `["up a" (nil nil) nil]`, edn(t, res, err))
	require.Zero(t, f.deleted.Load())
	var calls []string
	for _, c := range plan.Calls() {
		calls = append(calls, c.ID+" "+c.Tool+" "+c.Host)
	}
	require.Equal(t, []string{"0#2 careful d", "0.1.0#1 delete b", "0.1.1#1 delete c"}, calls)
}

// TestTenThousandQuestions: 64 workers ask, and are asked about together.
func TestTenThousandQuestions(t *testing.T) {
	const n, workers = 10_000, 64
	p := compiled(t, `(reduce + (pmap (fn [i] (ask {:question "n?" :data i})) (range data/n)))`,
		ptc.Options{Limits: ptc.Limits{Workers: workers}})
	rounds := 0
	given := ptc.RunOptions{Data: map[string]any{"n": n},
		OnPending: func(_ context.Context, all []effect.Pending) (settle settled, err error) {
			rounds++
			for _, p := range all {
				settle = append(settle, effect.Settlement{ID: p.ID, As: effect.Done, Result: p.Data})
			}
			return settle, nil
		}}
	res, err := p.Run(t.Context(), given)
	require.Equal(t, "49995000", edn(t, res, err))
	require.Equal(t, (n+workers-1)/workers, rounds, "each worker that lives is asked about each time")
	require.Equal(t, workers, res.Usage.Parallel.Peak)
}

// TestQuietTime: the time in which a run waits for a person counts neither for its limit nor for that of with-limits.
func TestQuietTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := `(with-limits {:ms 200} [(host-exclusive "a" (pcalls #(ask {:question "?"}) #(+ 1 1))) (ask {:question "?"})])`
		p := compiled(t, source, ptc.Options{Limits: ptc.Limits{Timeout: 400 * time.Millisecond}})
		person := func(ctx context.Context, all []effect.Pending) (settled, error) {
			<-time.After(500 * time.Millisecond) // that is the person
			return settleAll(ctx, all)
		}
		res, err := p.Run(t.Context(), ptc.RunOptions{OnPending: person})
		require.Equal(t, `[("yes" 2) "yes"]`, edn(t, res, err))
		require.GreaterOrEqual(t, res.Usage.Quiet, time.Second)
		require.Less(t, res.Usage.Duration, 400*time.Millisecond)

		// The time of day of the host counts.
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err = p.Run(ctx, ptc.RunOptions{OnPending: func(ctx context.Context, _ []effect.Pending) (settled, error) {
			<-ctx.Done()
			return nil, nil
		}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestQuietQueue: the time for which a run waits for a person does not count for a call of it that waits in a queue,
// which allows an hour, because an earlier call keeps its place until it is settled.
func TestQuietQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := compiled(t, `(pmap (fn [h] (:gone (tool/start {:host h}))) ["a" "b" "c"])`, ptc.Options{Tools: (&fleet{}).tools(t)})
		asked := 0
		onPending := func(ctx context.Context, all []effect.Pending) (settled, error) {
			asked++
			time.Sleep(3 * time.Hour) // that is the person
			return settleAll(ctx, all)
		}
		res, err := p.Run(t.Context(), ptc.RunOptions{OnPending: onPending})
		require.Equal(t, `("job-a" "job-b" "job-c")`, edn(t, res, err))
		require.Equal(t, 3, asked)
	})
}

// TestNotQuiet: an effect that is pending while something else computes ends with the time of its body.
func TestNotQuiet(t *testing.T) {
	// The first element computes until the second has ended, however long that takes.
	source := `(pcalls #(loop [] (reduce + (range 100000)) (if (tool/over) :computed (recur)))
		#(let [end (try (with-limits {:ms 20} (ask {:question "?"})) (catch Exception e :too-late))] (tool/end) end))`
	var over atomic.Bool
	reg, err := tool.NewRegistry(
		tool.New("over", "Reports whether end has been called.",
			func(context.Context, struct{}) (bool, error) { return over.Load(), nil }, tool.ReadOnly()),
		tool.New("end", "Ends.", func(context.Context, struct{}) (bool, error) { return over.Swap(true), nil }))
	require.NoError(t, err)
	p := compiled(t, source, ptc.Options{Tools: reg, Limits: ptc.Limits{Timeout: 5 * time.Minute}})
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal")}
	never := func(context.Context, []effect.Pending) (settled, error) {
		t.Error("the run is not quiet")
		return nil, nil
	}
	res, err := p.Record(t.Context(), file, ptc.RunOptions{OnPending: never})
	require.Equal(t, "(:computed :too-late)", edn(t, res, err))
	res, err = ptc.Replay(t.Context(), file, ptc.Options{Tools: reg}, ptc.RunOptions{})
	require.Equal(t, "(:computed :too-late)", edn(t, res, err))
}

// TestInDoubtAllAtOnce: a resumed run lists all writes in doubt, those too that it has not come to. They are settled
// by the name of the tool, and the settlements of several attempts accumulate.
func TestInDoubtAllAtOnce(t *testing.T) {
	const n = 12
	ctx, interrupt := context.WithCancel(t.Context())
	var begun, again atomic.Int64
	stop := true
	send := tool.New("send", "Sends.", func(ctx context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		if stop {
			if begun.Add(1) == n {
				interrupt()
			}
			<-ctx.Done()
			return 0, ctx.Err()
		}
		again.Add(1)
		return in.N, nil
	})
	reg, err := tool.NewRegistry(send)
	require.NoError(t, err)
	opts := ptc.Options{Tools: reg, Limits: ptc.Limits{Workers: n}}
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal")}
	_, err = compiled(t, `(reduce + (pmap (fn [n] (tool/send {:n n})) (range 12)))`, opts).Record(ctx, file, ptc.RunOptions{})
	require.ErrorIs(t, err, context.Canceled)
	stop = false
	opts.Limits.Workers = 2
	var parked *ptc.Parked
	_, err = ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.ErrorAs(t, err, &parked)
	require.ErrorIs(t, err, &ptc.Error{Code: diag.InDoubt})
	require.Len(t, parked.Pending, n)
	file.Settled = settled{{ID: "0.1.3#1", As: effect.Done, Result: json.RawMessage("100")}}
	_, err = ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.ErrorAs(t, err, &parked)
	require.Len(t, parked.Pending, n-1)
	file.Settled = settled{{ID: "send", As: effect.Done, Result: json.RawMessage(`"x"`)}}
	_, err = ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.ErrorContains(t, err, "does not match the schema of tool/send")
	file.Settled = settled{{ID: "send", As: effect.Retry}, {ID: "0.1.4#1", As: effect.Done, Result: json.RawMessage("1000")}}
	res, err := ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.Equal(t, fmt.Sprint(66-3-4+1100), edn(t, res, err))
	require.EqualValues(t, n-2, again.Load())
	file.Settled = nil
	res, err = ptc.Replay(t.Context(), file, opts, ptc.RunOptions{})
	require.Equal(t, fmt.Sprint(66-3-4+1100), edn(t, res, err))
}

// TestSettledSecrets: the secret fields of a settlement are in no journal, whenever it is given, and the program has
// them.
func TestSettledSecrets(t *testing.T) {
	type out struct {
		Token string `json:"token"`
	}
	const word = "open-sesame"
	reg, err := tool.NewRegistry(tool.New("login", "Logs in.", func(context.Context, struct{}) (out, error) {
		return out{}, tool.Pending("7")
	}, tool.Async(), tool.Secret("token")))
	require.NoError(t, err)
	opts := ptc.Options{Tools: reg}
	settlement := effect.Settlement{ID: "0#1", As: effect.Done, Result: json.RawMessage(`{"token": "` + word + `"}`)}
	for _, given := range []string{"while it lives", "at resume"} {
		file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal"), Key: bytes.Repeat([]byte{7}, journal.KeyBytes)}
		prog := compiled(t, `(let [x (tool/login)] (ask {:question (:token x)}) (count (:token x)))`, opts)
		run := ptc.RunOptions{OnPending: func(_ context.Context, all []effect.Pending) (settled, error) {
			require.NotContains(t, fmt.Sprint(all), word)
			switch {
			case all[0].Kind == effect.PendingQuestion:
				require.Equal(t, "[secret]", all[0].Question)
				return settled{{ID: all[0].ID, As: effect.Done}}, nil
			case given == "at resume":
				return nil, nil
			}
			return settled{settlement}, nil
		}}
		res, err := prog.Record(t.Context(), file, run)
		if given == "at resume" {
			require.ErrorIs(t, err, &ptc.Error{Code: diag.Parked})
			file.Settled = settled{settlement}
			res, err = ptc.Resume(t.Context(), file, opts, run)
		}
		require.Equal(t, "11", edn(t, res, err))
		text, err := os.ReadFile(file.Path)
		require.NoError(t, err)
		require.NotContains(t, string(text), word)
		file.Settled = nil
		res, err = ptc.Replay(t.Context(), file, opts, ptc.RunOptions{})
		require.Equal(t, "11", edn(t, res, err), given)
	}
}

// TestAroundAsync: Around sees the settled outcome, and the outcome it returns is the one that counts, in
// the journal too.
func TestAroundAsync(t *testing.T) {
	f := &fleet{}
	opts := ptc.Options{Tools: f.tools(t)}
	for _, change := range []bool{false, true} {
		file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "run.journal")}
		want := `["job-a" "job-b"]`
		around := func(ctx context.Context, _ effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
			o := next(ctx)
			if change {
				o.Result = json.RawMessage(`{"gone":"changed"}`)
			}
			return o
		}
		if change {
			want = `["changed" "changed"]`
		}
		p := compiled(t, `[(:gone (tool/start {:host "a"})) (:gone (tool/start {:host "b"}))]`, opts)
		res, err := p.Record(t.Context(), file, ptc.RunOptions{Around: around, OnPending: settleAll})
		require.Equal(t, want, edn(t, res, err))
		res, err = ptc.Replay(t.Context(), file, opts, ptc.RunOptions{})
		require.Equal(t, want, edn(t, res, err))
	}
}

// TestPendingErrors: errors that end a run instead of settling an effect.
func TestPendingErrors(t *testing.T) {
	p := compiled(t, `(ask {:question "?" :options [1]})`, ptc.Options{})
	wrong := errors.New("nobody is there")
	for want, decide := range map[string]func() (settled, error){
		"nobody is there":          func() (settled, error) { return nil, wrong },
		"OnPending panicked: ouch": func() (settled, error) { panic("ouch") },
		"ended its goroutine":      func() (settled, error) { runtime.Goexit(); return nil, nil },
		"want one of 1":            func() (settled, error) { return settled{{ID: "0#1", As: effect.Done}}, nil },
		"nothing of this id":       func() (settled, error) { return settled{{ID: "0#2", As: effect.Done}}, nil },
	} {
		given := ptc.RunOptions{OnPending: func(context.Context, []effect.Pending) (settled, error) { return decide() }}
		_, err := p.Run(t.Context(), given)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, &ptc.Error{Code: diag.HostFailed}, want)
		if want == wrong.Error() {
			require.ErrorIs(t, err, wrong)
		}
	}
	_, err := p.Run(t.Context(), ptc.RunOptions{})
	require.ErrorContains(t, err, "the question")
	_, err = p.Run(t.Context(), ptc.RunOptions{Plan: &ptc.Plan{}, Journal: journal.New(journal.Options{})})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalArgument})
	s := ptc.NewSession(ptc.Options{})
	res, err := s.Eval(t.Context(), `(ask {:question "?"})`, ptc.EvalOptions{OnPending: settleAll})
	require.Equal(t, `"yes"`, edn(t, res, err))
}
