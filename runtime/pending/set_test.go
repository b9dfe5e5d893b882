package pending_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/pending"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host is a run of evaluations that only wait. It is quiet when all of them rest.
type host struct {
	set    pending.Set
	decide func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error)
	cancel context.CancelFunc
	parked atomic.Pointer[[]effect.Pending]
	failed atomic.Pointer[error]
	mu     sync.Mutex
	awake  int
}

func (h *host) Decide(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
	return h.decide(ctx, all)
}

func (h *host) Accept(p effect.Pending, s effect.Settlement) (effect.Outcome, effect.Record, error) {
	if err := p.Fit(s, nil, 0); err != nil {
		return effect.Outcome{}, effect.Record{}, err
	}
	o, err := s.Outcome()
	return o, o.Record(), err
}

func (h *host) Waiting(effect.Pending) func() { return func() {} }

func (h *host) Hide(args json.RawMessage) json.RawMessage { return args }

func (h *host) Park(all []effect.Pending) error {
	h.parked.Store(&all)
	return errors.New("parked")
}

func (h *host) Fail(err error) error {
	h.failed.Store(&err)
	return err
}

// change changes the number of evaluations that do not rest.
func (h *host) change(by int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.awake
	h.awake += by
	if (was == 0) != (h.awake == 0) {
		h.set.Quiet(h.awake == 0)
	}
}

// member is an evaluation of a host.
type member struct {
	h       *host
	mu      sync.Mutex
	resting bool
}

func (m *member) Rest() { m.set(true) }
func (m *member) Wake() { m.set(false) }

func (m *member) set(resting bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resting == resting {
		return
	}
	if m.resting = resting; resting {
		m.h.change(-1)
	} else {
		m.h.change(1)
	}
}

func question(i int) effect.Pending {
	return effect.Pending{ID: fmt.Sprintf("0.1.%d#1", i), Kind: effect.PendingQuestion}
}

// run runs n evaluations, each of which asks some questions one after the other, and returns the answers and errors.
func (h *host) run(t *testing.T, n, questions int) (answered int, errs []error) {
	ctx, cancel := context.WithCancel(t.Context())
	h.cancel, h.awake = cancel, n
	clock := &limits.Clock{}
	h.set.Begin(ctx, clock, nil, nil, h)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range n {
		wg.Go(func() {
			m := &member{h: h}
			for q := range questions {
				p := question(i)
				p.ID = fmt.Sprintf("0.1.%d#%d", i, q+1)
				_, o, err := h.set.Wait(ctx, p, false, m)
				mu.Lock()
				if err != nil {
					errs = append(errs, err)
				} else if string(o.Result) == `"`+p.ID+`"` {
					answered++
				}
				mu.Unlock()
				if err != nil {
					break
				}
			}
			h.change(-1)
		})
	}
	wg.Wait()
	h.set.Close()
	h.set.Close()
	cancel()
	return answered, errs
}

func answer(p effect.Pending) effect.Settlement {
	return effect.Settlement{ID: p.ID, As: effect.Done, Result: json.RawMessage(`"` + p.ID + `"`)}
}

// TestDecide: Decide is asked about all pending effects together, in the order of ids.
func TestDecide(t *testing.T) {
	h := &host{}
	var asked []int
	h.decide = func(_ context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
		asked = append(asked, len(all))
		for i, p := range all {
			require.True(t, i == 0 || effect.CompareIDs(all[i-1].ID, p.ID) < 0)
			settle = append(settle, answer(p))
		}
		return settle, nil
	}
	answered, errs := h.run(t, 12, 3)
	require.Equal(t, 36, answered)
	require.Empty(t, errs)
	require.Equal(t, []int{12, 12, 12}, asked)
}

// TestDecideSome: Decide is asked again about effects that it left out, when the run is quiet the next time.
func TestDecideSome(t *testing.T) {
	h := &host{}
	rounds := 0
	h.decide = func(_ context.Context, all []effect.Pending) ([]effect.Settlement, error) {
		rounds++
		return []effect.Settlement{answer(all[0])}, nil
	}
	answered, errs := h.run(t, 5, 2)
	require.Equal(t, 10, answered)
	require.Empty(t, errs)
	require.Equal(t, 10, rounds)
}

// TestPark: no settlement parks the run, and nothing can be settled from then on.
func TestPark(t *testing.T) {
	h := &host{decide: func(context.Context, []effect.Pending) ([]effect.Settlement, error) { return nil, nil }}
	answered, errs := h.run(t, 3, 1)
	require.Zero(t, answered)
	require.Len(t, errs, 3)
	require.Len(t, *h.parked.Load(), 3)
	require.ErrorIs(t, h.set.Settle(answer(question(1))), effect.ErrRunOver)
}

// TestDecideFails: an error of Decide, and a settlement that does not fit, end the run.
func TestDecideFails(t *testing.T) {
	wrong := errors.New("nobody is here")
	h := &host{decide: func(context.Context, []effect.Pending) ([]effect.Settlement, error) { return nil, wrong }}
	_, errs := h.run(t, 2, 1)
	require.Len(t, errs, 2)
	require.Equal(t, wrong, *h.failed.Load())
	for _, s := range []effect.Settlement{{ID: "0.1.0#1", As: effect.Approve}, {ID: "9#9", As: effect.Done}, {ID: "tool", As: effect.Done}} {
		h := &host{decide: func(context.Context, []effect.Pending) ([]effect.Settlement, error) {
			return []effect.Settlement{s}, nil
		}}
		_, errs = h.run(t, 2, 1)
		require.Len(t, errs, 2)
		require.NotNil(t, h.failed.Load(), "%v", s)
	}
}

// TestFirstSettlementHolds settles each effect from many goroutines concurrently, while Decide does too.
func TestFirstSettlementHolds(t *testing.T) {
	h := &host{}
	var wins, losses atomic.Int64
	h.decide = func(ctx context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for _, p := range all {
					switch err := h.set.Settle(answer(p)); {
					case err == nil:
						wins.Add(1)
					case errors.Is(err, effect.ErrSettled), errors.Is(err, effect.ErrRunOver): // the run may end in the meantime
						losses.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		<-ctx.Done() // all is settled
		for _, p := range all {
			settle = append(settle, answer(p))
		}
		return settle, nil
	}
	answered, errs := h.run(t, 20, 4)
	require.Equal(t, 80, answered)
	require.Empty(t, errs)
	require.EqualValues(t, 80, wins.Load())
	require.EqualValues(t, 7*80, losses.Load())
	require.Nil(t, h.failed.Load())
}

// TestSettleTwiceAtOnce: a settlement waits for one that is under way, and holds if that fails.
func TestSettleTwiceAtOnce(t *testing.T) {
	checking, checked := make(chan struct{}), make(chan struct{})
	h := &slowHost{host: &host{}, check: func(s effect.Settlement) error {
		if s.Result != nil {
			return nil
		}
		close(checking)
		<-checked
		return errors.New("want a result")
	}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left := []effect.Pending{{ID: "0#1", Kind: effect.PendingOutcome, Tool: "job"}}
	h.set.Begin(ctx, &limits.Clock{}, nil, left, h)
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- h.set.Settle(effect.Settlement{ID: "0#1", As: effect.Done}) }()
	<-checking
	go func() { second <- h.set.Settle(answer(left[0])) }()
	close(checked)
	require.ErrorContains(t, <-first, "want a result")
	require.NoError(t, <-second)
	require.ErrorIs(t, h.set.Settle(answer(left[0])), effect.ErrSettled)
	h.set.Close()
}

// slowHost is a host that checks settlements.
type slowHost struct {
	*host
	check func(s effect.Settlement) error
}

func (h *slowHost) Accept(p effect.Pending, s effect.Settlement) (effect.Outcome, effect.Record, error) {
	if err := h.check(s); err != nil {
		return effect.Outcome{}, effect.Record{}, err
	}
	return h.host.Accept(p, s)
}

// TestGoexit: a Decide that ends its goroutine ends the run, since nobody would be asked any more.
func TestGoexit(t *testing.T) {
	h := &host{decide: func(context.Context, []effect.Pending) ([]effect.Settlement, error) {
		runtime.Goexit()
		return nil, nil
	}}
	_, errs := h.run(t, 2, 1)
	require.Len(t, errs, 2)
	require.ErrorContains(t, *h.failed.Load(), "runtime.Goexit")
}

// TestManySettlements: to settle an effect takes the same time however many are pending. If each settlement looked
// through all, this would take some minutes more.
func TestManySettlements(t *testing.T) {
	const n = 30_000
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	h := &host{cancel: cancel, awake: 1}
	left := make([]effect.Pending, n)
	for i := range left {
		left[i] = question(i)
	}
	h.decide = func(_ context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
		for i, p := range all {
			if s := answer(p); i%2 == 0 {
				settle = append(settle, s)
			} else if err := h.set.Settle(s); err != nil || ctx.Err() != nil {
				return nil, errors.Join(err, ctx.Err())
			}
		}
		return settle, nil
	}
	h.set.Begin(ctx, &limits.Clock{}, nil, left, h)
	_, o, err := h.set.Wait(ctx, left[n-2], true, &member{h: h})
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%q", left[n-2].ID), string(o.Result))
	h.set.Close()
	require.Empty(t, h.set.Now())
	require.NoError(t, ctx.Err())
}

// TestSettledByTool: a settlement that names a tool settles all of its calls that it fits, and one of a single effect
// comes first.
func TestSettledByTool(t *testing.T) {
	h := &host{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h.cancel, h.awake = cancel, 1
	left := []effect.Pending{{ID: "0.1.0#1", Kind: effect.PendingDoubt, Tool: "send"}, {ID: "0.1.1#1", Kind: effect.PendingDoubt, Tool: "send"},
		{ID: "0.1.2#1", Kind: effect.PendingApproval, Tool: "send"}, {ID: "0.1.3#1", Kind: effect.PendingDoubt, Tool: "sell"}}
	h.decide = func(_ context.Context, all []effect.Pending) ([]effect.Settlement, error) {
		require.Len(t, all, 4)
		return []effect.Settlement{{ID: "send", As: effect.Retry}, {ID: "0.1.1#1", As: effect.Done}, {ID: "0.1.2#1", As: effect.Approve}}, nil
	}
	h.set.Begin(ctx, &limits.Clock{}, nil, left, h)
	require.Len(t, h.set.Now(), 4)
	as, _, err := h.set.Wait(ctx, left[0], true, &member{h: h})
	require.NoError(t, err)
	require.Equal(t, effect.Retry, as)
	_, _, err = h.set.Wait(ctx, left[1], true, &member{h: h})
	require.ErrorIs(t, err, effect.ErrSettled, "it was settled before the run came to it")
	h.set.Close()
	require.Len(t, h.set.Now(), 1)
	require.Nil(t, h.failed.Load())
}

// TestEndOfWait: an effect whose evaluation has ended is not pending any more.
func TestEndOfWait(t *testing.T) {
	h := &host{decide: func(context.Context, []effect.Pending) ([]effect.Settlement, error) {
		return nil, errors.New("the run is not quiet")
	}}
	run, cancel := context.WithCancel(t.Context())
	defer cancel()
	h.cancel, h.awake = cancel, 2 // one of which computes
	h.set.Begin(run, &limits.Clock{}, nil, nil, h)
	ctx, stop := context.WithCancelCause(run)
	why := errors.New("not needed")
	stop(why)
	_, _, err := h.set.Wait(ctx, question(1), false, &member{h: h})
	require.Equal(t, why, err)
	require.Empty(t, h.set.Now())
	require.ErrorIs(t, h.set.Settle(answer(question(1))), effect.ErrSettled)
	require.ErrorIs(t, h.set.Settle(answer(question(2))), effect.ErrNotPending)
	h.set.Close()
}

// TestSettledWhileMet: effects that an earlier run has left are settled from outside while the run comes to them.
func TestSettledWhileMet(t *testing.T) {
	h := &host{decide: func(context.Context, []effect.Pending) ([]effect.Settlement, error) { return nil, nil }}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h.cancel, h.awake = cancel, 201 // one of which computes
	var left []effect.Pending
	for i := range 200 {
		left = append(left, question(i))
	}
	h.set.Begin(ctx, &limits.Clock{}, nil, left, h)
	var wg sync.WaitGroup
	for i := range left {
		wg.Go(func() {
			if err := h.set.Settle(answer(left[i])); err != nil {
				t.Error(err)
			}
		})
		met := left[i]
		met.Place = "p.ptc:1:1" // which the record does not have
		as, _, err := h.set.Wait(ctx, met, true, &member{h: h})
		if !errors.Is(err, effect.ErrSettled) && (err != nil || as != effect.Done) {
			t.Errorf("%s %v", as, err)
		}
	}
	wg.Wait()
	h.set.Close()
}
