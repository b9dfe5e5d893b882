package tools

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

type span struct{}

// host is an Around that does all that hosts do: it traces, caches, refuses, stands in for a tool,
// changes results, and panics.
type host struct {
	calls atomic.Int32
	cache sync.Map
}

func (h *host) around(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
	h.calls.Add(1)
	switch args := string(c.Args); {
	case strings.Contains(args, "cached"):
		if o, ok := h.cache.Load(args); ok {
			return o.(effect.Outcome)
		}
		o := next(ctx)
		h.cache.Store(args, o)
		return o
	case strings.Contains(args, "refused"):
		return effect.Outcome{Failure: &effect.Failure{Code: "not-approved", Message: "ask an operator"}}
	case strings.Contains(args, "mocked"):
		return effect.Outcome{Result: []byte(`"mock"`)}
	case strings.Contains(args, "altered"):
		next(ctx)
		return effect.Outcome{Result: []byte(`17`)} // which the schema does not allow
	case strings.Contains(args, "panics"):
		panic("oops")
	}
	return next(context.WithValue(ctx, span{}, c.ID))
}

// TestAround runs a program under an Around with several workers, interrupts it, resumes it, and
// replays it. All have the same value, and neither Around nor the tool is called for a recorded
// call.
func TestAround(t *testing.T) {
	const program = `(pmap (fn [kind] (try (tool/act {:kind kind})
		(catch clojure.lang.ExceptionInfo e (:code (ex-data e)))))
		["plain" "cached-1" "refused" "mocked" "altered" "panics" "cached-2" "plain-too"])
		(mapv (fn [kind] (try (tool/act {:kind kind})
		(catch clojure.lang.ExceptionInfo e (:code (ex-data e)))))
		["plain" "cached-1" "refused" "mocked" "altered" "panics" "cached-1" "last"])`
	const want = `["plain 0#1" "cached-1" :not-approved "mock" :bad-result :panic "cached-1" "last 0#8"]`
	var made atomic.Int32
	act := tool.New("act", "Acts.", func(ctx context.Context, in struct {
		Kind string `json:"kind"`
	}) (string, error) {
		made.Add(1)
		if id, ok := ctx.Value(span{}).(string); ok {
			return in.Kind + " " + id, nil
		}
		return in.Kind, nil
	})
	h := &host{}
	interrupted, interrupt := context.WithCancel(t.Context())
	compile := func() *ptc.Program {
		p, err := ptc.Compile(context.Background(), "around", program, ptc.Options{Tools: ptctest.Tools(t, act)})
		require.NoError(t, err)
		return p
	}
	path := filepath.Join(t.TempDir(), "journal")
	prog := compile()
	stopping := func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
		if c.ID == "0#5" {
			interrupt()
			<-ctx.Done()
		}
		return h.around(ctx, c, next)
	}
	j, err := journal.Create(path, prog.Header(), journal.Options{})
	require.NoError(t, err)
	_, err = prog.Run(interrupted, ptc.RunOptions{Journal: j, Around: stopping})
	require.Error(t, err)
	require.NoError(t, j.Close())
	before := made.Load()
	require.EqualValues(t, 6, before, "plain, cached-1, altered, cached-2, plain-too, plain")

	j, _, err = journal.Resume(path, nil, journal.Options{})
	require.NoError(t, err)
	h.calls.Store(0)
	prog = compile()
	res, err := prog.Run(t.Context(), ptc.RunOptions{Journal: j, Around: h.around})
	require.NoError(t, err)
	got, err := res.EDN()
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, j.Close())
	require.EqualValues(t, 4, h.calls.Load(), "altered, panics, cached-1 and last")
	require.Equal(t, before+2, made.Load())

	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	res, err = prog.Run(t.Context(), ptc.RunOptions{Journal: journal.Replay(rec), Around: h.around})
	require.NoError(t, err)
	got, err = res.EDN()
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.EqualValues(t, 4, h.calls.Load())
	require.Equal(t, before+2, made.Load())
}

// TestAroundEndsItsGoroutine has an Around end the goroutine of a worker, and of Run itself, as t.FailNow does. The
// element has no value then: the run fails, and Run does not leave workers that still use its machines.
func TestAroundEndsItsGoroutine(t *testing.T) {
	square := tool.New("square", "Squares.", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		return in.N * in.N, nil
	})
	prog, err := ptc.Compile(t.Context(), "p", "(pmap (fn [n] (tool/square {:n n})) (range 50))",
		ptc.Options{Tools: ptctest.Tools(t, square)})
	require.NoError(t, err)
	for n := range 50 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			res, err := prog.Run(t.Context(), ptc.RunOptions{
				Around: func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
					if string(c.Args) == fmt.Sprintf(`{"n":%d}`, n) {
						runtime.Goexit()
					}
					return next(ctx)
				}})
			assert.Error(t, err, "got %v", ptctest.ValueOf(res)) // not reached if it was the goroutine of Run
		}()
		<-done
		res, err := prog.Run(t.Context(), ptc.RunOptions{})
		require.NoError(t, err)
		require.Len(t, ptctest.ValueOf(res), 50)
	}
}

// leases are guards that are lost when somebody says so, and whose release fails then.
type leases struct {
	effect.Guards
	ctx  context.Context
	lose context.CancelFunc
}

func newLeases(t *testing.T) *leases {
	ctx, lose := context.WithCancel(t.Context())
	return &leases{guard.NewSet(guard.Options{}), ctx, lose}
}

type lease struct {
	effect.Held
	of *leases
}

func (l *leases) Acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	held, err := l.Guards.Acquire(ctx, r)
	return lease{held, l}, err
}

func (l lease) Lost() context.Context { return l.of.ctx }

func (l lease) Release() error {
	return errors.Join(l.Held.Release(), l.of.ctx.Err())
}

// TestGuardLost loses a guard while a call is under way: a guard of the call itself, and one of a body
// around it. The program sees a failure, and so does a replay.
func TestGuardLost(t *testing.T) {
	for name, program := range map[string]string{
		"call": `(try (tool/lock {:host "a"}) (catch clojure.lang.ExceptionInfo e [(:code (ex-data e)) (:tool (ex-data e))]))`,
		"body": `(try (host-exclusive "a" (tool/wait {:host "b"})) (catch clojure.lang.ExceptionInfo e [(:code (ex-data e)) (:tool (ex-data e))]))`,
		"element": `(first (global-exclusive (pmap (fn [h] (try (tool/wait {:host h})
			(catch clojure.lang.ExceptionInfo e [(:code (ex-data e)) (:tool (ex-data e))]))) ["b"])))`,
	} {
		t.Run(name, func(t *testing.T) {
			l := newLeases(t)
			var fence atomic.Uint64
			work := func(ctx context.Context, _ ptctest.HostArgs) (string, error) {
				fence.Store(tool.Fence(ctx))
				l.lose()
				<-ctx.Done()
				return "", ctx.Err()
			}
			tools := ptctest.Tools(t, tool.New("lock", "", work, tool.Hint(effect.Hint{Kind: effect.HostExclusive})), tool.New("wait", "", work))
			prog, err := ptc.Compile(context.Background(), "lost", program, ptc.Options{Tools: tools, Guards: l})
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "journal")
			j, err := journal.Create(path, prog.Header(), journal.Options{})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, j := range []*journal.Journal{j, nil} {
				if j == nil {
					rec, err := journal.ReadFile(path)
					require.NoError(t, err)
					j = journal.Replay(rec)
				}
				res, err := prog.Run(ctx, ptc.RunOptions{Journal: j})
				require.NoError(t, err)
				got, err := res.EDN()
				require.NoError(t, err)
				want := `[:guard-lost :wait]`
				if name == "call" {
					want = `[:guard-lost :lock]`
					assert.NotZero(t, fence.Load())
				}
				assert.Equal(t, want, got)
				require.NoError(t, j.Close())
			}
		})
	}
}

// keeper are guards that keep the contexts of their requests.
type keeper struct {
	effect.Guards
	ask      bool // for the deadline, before the guard is taken
	deadline time.Time
	kept     []context.Context
}

func (k *keeper) Acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	if k.ask {
		k.deadline, _ = ctx.Deadline()
	}
	k.kept = append(k.kept, ctx)
	return k.Guards.Acquire(ctx, r)
}

// TestContextOfGuards: the context of a guard has the deadline of the run, and ends when the guard is
// taken, whether or not it was asked for anything.
func TestContextOfGuards(t *testing.T) {
	for _, ask := range []bool{true, false} {
		k := &keeper{Guards: guard.NewSet(guard.Options{}), ask: ask}
		prog, err := ptc.Compile(t.Context(), "p", `(host-exclusive "a" 1)`,
			ptc.Options{Guards: k, Limits: ptc.Limits{Timeout: time.Minute}})
		require.NoError(t, err)
		began := time.Now()
		_, err = prog.Run(t.Context(), ptc.RunOptions{})
		require.NoError(t, err)
		require.Len(t, k.kept, 1)
		require.ErrorIs(t, k.kept[0].Err(), context.Canceled)
		select {
		case <-k.kept[0].Done():
		default:
			t.Error("the context has ended and is not done")
		}
		if ask {
			require.WithinRange(t, k.deadline, began.Add(time.Minute), time.Now().Add(time.Minute))
		}
	}
}

// TestNilGuards: a host may pass nil pointers for resources that it does not share.
func TestNilGuards(t *testing.T) {
	var none *guard.Set
	var noJournal *journal.Journal
	prog, err := ptc.Compile(context.Background(), "p", `(host-exclusive "a" 1)`, ptc.Options{Guards: none})
	require.NoError(t, err)
	res, err := prog.Run(t.Context(), ptc.RunOptions{Journal: noJournal})
	require.NoError(t, err)
	got, err := res.EDN()
	require.NoError(t, err)
	assert.Equal(t, "1", got)
}
