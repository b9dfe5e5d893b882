package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// pendingTools are those of random programs with pending effects. If call is nil, none may be called.
func pendingTools(t *testing.T, calls bool) *tool.Registry {
	slow := func(ctx context.Context, in slowArgs) (int, error) {
		if !calls {
			t.Error("a tool is called in a replay")
		}
		if err := wait(ctx, time.Duration(rand.IntN(500_000))); err != nil {
			return 0, err
		}
		if rand.IntN(8) == 0 {
			return 0, errors.New("it is broken")
		}
		return in.N + rand.IntN(1000), nil
	}
	job := func(ctx context.Context, in slowArgs) (int, error) {
		n, err := slow(ctx, in)
		if err == nil && n%3 > 0 {
			return 0, tool.Pending(fmt.Sprint(n))
		}
		return n, err
	}
	large := tool.NeedsApproval(func(args json.RawMessage) bool {
		var in slowArgs
		return json.Unmarshal(args, &in) == nil && in.N > 2
	})
	reg, err := tool.NewRegistry(ptctest.Clock(), tool.New("slow", "Is slow.", slow, tool.ReadOnly()),
		tool.New("few", "May be called seldom.", slow, tool.ReadOnly(), tool.MaxCalls(4), tool.Concurrency(1)),
		tool.New("gate", "Writes, with approval.", slow, large), tool.New("job", "Begins a job.", job, tool.Async()),
		tool.New("line", "Begins a job, one at a time.", job, tool.Async(), tool.Idempotent(), tool.Concurrency(1)))
	require.NoError(t, err)
	return reg
}

// settlements settles effects at random: some of them, at least one.
func settlements(rng *rand.Rand, all []effect.Pending) (settle []effect.Settlement) {
	for i, p := range all {
		if rng.IntN(4) == 0 && (len(settle) > 0 || i < len(all)-1) {
			continue
		}
		s := effect.Settlement{ID: p.ID, As: effect.Done}
		failed := rng.IntN(4) == 0
		switch {
		case p.Kind == effect.PendingApproval && failed:
			s.As, s.Reason = effect.Refuse, "no"
		case p.Kind == effect.PendingApproval:
			s.As = effect.Approve
		case p.Kind == effect.PendingDoubt && rng.IntN(2) == 0:
			s.As = effect.Retry
		case failed:
			s.As, s.Failure = effect.Failed, &effect.Failure{Code: "late"}
		case len(p.Options) > 0:
			s.Result = p.Options[rng.IntN(len(p.Options))]
		default:
			s.Result = json.RawMessage(fmt.Sprint(rng.IntN(100)))
		}
		settle = append(settle, s)
	}
	return settle
}

// decider settles the pending effects of a run.
type decider struct {
	t      *testing.T
	mode   int
	mu     sync.Mutex
	rng    *rand.Rand
	handle ptc.Pending
	asked  int
}

// The ways to decide.
const (
	decidesSome = iota
	parks
	settlesOutside
	races
	oftenParks
	deciderModes
)

// onPending is RunOptions.OnPending. Everything that it is asked about is pending, unless it was settled from outside
// since.
func (d *decider) onPending(_ context.Context, all []effect.Pending) ([]effect.Settlement, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	if len(all) == 0 {
		d.t.Error("Decide is asked about nothing")
	}
	if d.mode == decidesSome && len(d.handle.Now()) != len(all) {
		d.t.Errorf("Decide is asked about %d effects, %d are pending", len(all), len(d.handle.Now()))
	}
	switch {
	case d.mode == parks, d.mode == oftenParks && d.rng.IntN(2) == 0:
		return nil, nil
	case d.mode == settlesOutside:
		for _, s := range settlements(d.rng, all) {
			// The run may end after the first of them.
			err := d.handle.Settle(s)
			if err != nil && !errors.Is(err, effect.ErrSettled) && !errors.Is(err, effect.ErrRunOver) {
				d.t.Errorf("settle %v: %v", s, err)
			}
		}
		return nil, nil
	}
	return settlements(d.rng, all), nil
}

// settleOutside settles at any time, until ctx ends.
func (d *decider) settleOutside(ctx context.Context) {
	for ctx.Err() == nil {
		d.mu.Lock()
		all := d.handle.Now()
		settle := settlements(d.rng, all)
		d.mu.Unlock()
		for _, s := range settle {
			err := d.handle.Settle(s)
			if err != nil && !errors.Is(err, effect.ErrSettled) && !errors.Is(err, effect.ErrRunOver) &&
				!errors.Is(err, effect.ErrNotPending) {
				d.t.Errorf("settle %v: %v", s, err)
			}
		}
		_ = wait(ctx, time.Duration(rand.IntN(300_000)))
	}
}

// run runs the program with a journal once.
func (d *decider) run(r *randomRun, j *journal.Journal) randomEnd {
	given := ptc.RunOptions{Journal: j, Pending: &d.handle, OnPending: d.onPending}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	if d.mode == races {
		wg.Go(func() { d.settleOutside(ctx) })
	}
	end := r.given(d.t, pendingTools(d.t, true), 0, given)
	cancel()
	wg.Wait()
	return end
}

// TestRandomPending runs programs with pending effects, which are decided in several ways, parked, resumed and cut
// off, until they end. Then the journal replays to the end of the last run.
func TestRandomPending(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked, resumed, doubts := 0, 0, 0
	// Whether a cut leaves a write in doubt depends on the time it takes: more programs run until one does.
	least := randomSeeds()
	for i := 0; i < least || doubts == 0 && i < 20*least && !testlevel.Small(); i++ {
		seed := *replayFrom + i
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		r := newRandomRun(seed)
		r.source = ptctest.PendingPrograms(uint64(seed)).Program()
		d := &decider{t: t, mode: rng.IntN(deciderModes), rng: rng}
		name := fmt.Sprintf("program %d, mode %d", seed, d.mode)
		path := filepath.Join(dir, fmt.Sprint(i))
		j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: r.source, Seed: r.seed}, journal.Options{})
		require.NoError(t, err)
		end := d.run(r, j)
		require.NoError(t, j.Close())
		cuts := rng.IntN(3)
		for {
			var parked *ptc.Parked
			var e *ptc.Error
			goesOn := errors.As(end.err, &parked) || errors.As(end.err, &e) && e.Hint == "resume the run again"
			if !goesOn && cuts == 0 {
				break
			}
			if cuts > 0 && rng.IntN(2) == 0 {
				cuts--
				cutJournal(t, rng, path)
			}
			rec, err := journal.ReadFile(path)
			require.NoError(t, err, name)
			if rec.Final != nil {
				break
			}
			left := rec.Pending()
			var settle []effect.Settlement
			if len(left) > 0 && rng.IntN(2) == 0 {
				settle = settlements(rng, left)
			}
			doubts += len(rec.InDoubt())
			resumed++
			j, _, err := journal.Resume(path, settle, journal.Options{})
			require.NoError(t, err, name)
			end = d.run(r, j)
			require.NoError(t, j.Close())
			wrong := []diag.Code{diag.Diverged, diag.JournalFailed, diag.Internal, diag.HostFailed}
			e = nil
			if errors.As(end.err, &e) && slices.Contains(wrong, e.Code) && e.Hint != "resume the run again" {
				all, _ := os.ReadFile(path)
				t.Fatalf("%s: %s%s\n%+v\n%s\n%s", name, end.prints, end.text, r.limits, r.source, all)
			}
		}
		asked += d.asked
		r.replaysPending(t, name, path, end)
		require.NoError(t, os.Remove(path))
	}
	t.Logf("Decide was asked %d times, %d runs were resumed, %d writes were in doubt", asked, resumed, doubts)
	require.Positive(t, asked)
	if !testlevel.Small() {
		require.Positive(t, doubts)
	}
}

// replaysPending replays a journal whose run has ended.
func (r *randomRun) replaysPending(t *testing.T, name, path string, want randomEnd) {
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	if rec.Stopped != nil {
		want.prints = recordedPrints(t, rec)
	}
	got := r.given(t, pendingTools(t, false), 0, ptc.RunOptions{Journal: journal.Replay(rec)})
	if got.prints != want.prints || got.text != want.text {
		text, _ := os.ReadFile(path)
		t.Fatalf("%s: got\n%s%s\nwant\n%s%s\n%+v\n%s\n%s",
			name, got.prints, got.text, want.prints, want.text, r.limits, r.source, text)
	}
}
