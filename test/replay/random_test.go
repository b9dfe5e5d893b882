package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

var (
	replaySeeds = flag.Int("replay.seeds", 0, "random programs of TestRandomReplay and TestRandomResume; 0 for a sample")
	replayFrom  = flag.Int("replay.from", 0, "the first of them")
)

// randomSeeds returns the number of random programs to run.
func randomSeeds() int {
	switch {
	case *replaySeeds > 0:
		return *replaySeeds
	case testlevel.Small():
		return 20
	case *thorough:
		return 1000
	}
	return 80
}

type slowArgs struct {
	N int `json:"n"`
}

// randomTools are slow, and fail, at random.
func randomTools(t *testing.T) *tool.Registry {
	return chanceTools(t, func(ctx context.Context, in slowArgs) (int, error) {
		if err := wait(ctx, time.Duration(rand.IntN(3_000_000))); err != nil {
			return 0, err
		}
		switch rand.IntN(8) {
		case 0:
			return 0, &tool.Error{Code: "busy", Message: "try again", Retryable: true, RetryAfter: time.Millisecond}
		case 1:
			return 0, errors.New("it is broken")
		}
		return in.N + rand.IntN(1000), nil
	})
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// standIns have the same names, and are not to be called.
func standIns(t *testing.T) *tool.Registry {
	return chanceTools(t, func(context.Context, slowArgs) (int, error) {
		t.Error("a tool is called in a replay")
		return 0, nil
	})
}

func chanceTools(t *testing.T, fn func(context.Context, slowArgs) (int, error)) *tool.Registry {
	reg, err := tool.NewRegistry(ptctest.Clock(), tool.New("slow", "Is slow.", fn, tool.ReadOnly()),
		tool.New("few", "May be called seldom.", fn, tool.ReadOnly(), tool.MaxCalls(4), tool.Concurrency(1)))
	require.NoError(t, err)
	return reg
}

// randomRun is a random program and the bounds that it runs under.
type randomRun struct {
	seed   uint64
	source string
	limits ptc.Limits
	onFull ptc.OnFull
}

func newRandomRun(seed int) *randomRun {
	r := &randomRun{seed: uint64(seed) + 1, source: ptctest.NewPrograms(uint64(seed)).Program()}
	size := 1
	if seed%5 == 4 { // a long one, whose compilation is within the bounds too
		size = 20
		r.source = ptctest.NewSharedPrograms(uint64(seed), 3).Program()
	}
	rng := rand.New(rand.NewPCG(uint64(seed), 3))
	r.limits = ptc.Limits{Workers: []int{1, 2, 3, 4, 8, 32}[rng.IntN(6)], Memory: 8 << 20, WorkerMemory: 1 << 20}
	if rng.IntN(3) == 0 {
		r.onFull = ptc.OnFullFail
	}
	switch rng.IntN(12) { // bounds of the run that may be hit
	case 0:
		r.limits.Timeout = time.Duration(size*(2+rng.IntN(20))) * time.Millisecond
	case 1:
		r.limits.Steps = int64(size * 2000 * (1 + rng.IntN(40)))
	case 2:
		r.limits.Calls = 1 + rng.IntN(8)
	}
	return r
}

// randomEnd is the output of a run and its outcome, without the number of elements that had been completed
// when one failed.
type randomEnd struct {
	prints, text string
	err          error
}

// on runs the program with a journal. pause slows down its printing.
func (r *randomRun) on(t *testing.T, tools *tool.Registry, j *journal.Journal, pause time.Duration) randomEnd {
	return r.given(t, tools, pause, ptc.RunOptions{Journal: j})
}

// given runs the program with options.
func (r *randomRun) given(t *testing.T, tools *tool.Registry, pause time.Duration, given ptc.RunOptions) randomEnd {
	var prints strings.Builder
	compile := func() (*ptc.Program, error) {
		return ptc.Compile(context.Background(), "p.ptc", r.source, ptc.Options{Tools: tools, Limits: r.limits, OnFull: r.onFull})
	}
	prog, err := compile()
	for errors.Is(err, &ptc.Error{Code: "timeout"}) { // the machine was busy
		prog, err = compile()
	}
	require.NoError(t, err, r.source)
	given.Output = func(p ptc.Print) {
		time.Sleep(pause)
		prints.WriteString(p.Text)
	}
	res, err := prog.Run(context.Background(), given)
	text := ptctest.Outcome(res, err)
	var e *ptc.Error
	if errors.As(err, &e) {
		text += fmt.Sprintf("\n%v %v %s", e.Span, e.Frames, e.Hint)
		for _, el := range e.Elements {
			text += fmt.Sprintf("\n%s at %v: element %d, %s, of %d", el.Operation, el.Span, el.Index, el.Text, el.Of)
		}
	}
	return randomEnd{prints.String(), text, err}
}

// record runs the program with a journal in a file.
func (r *randomRun) record(t *testing.T, path string) randomEnd {
	j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: r.source, Seed: r.seed}, journal.Options{})
	require.NoError(t, err)
	end := r.on(t, randomTools(t), j, 0)
	require.NoError(t, j.Close())
	return end
}

// replays replays a journal twice, the second time slowly. An operation that a bound of the run
// ended is not run again: the replay prints the recorded output, and the run printed that and the output of
// the elements up to then.
func (r *randomRun) replays(t *testing.T, name, path string, want randomEnd) {
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	if rec.Stopped != nil {
		recorded := recordedPrints(t, rec)
		require.True(t, strings.HasPrefix(want.prints, recorded), "%s: printed\n%s\nrecorded\n%s",
			name, want.prints, recorded)
		want.prints = recorded
	}
	for _, pause := range []time.Duration{0, time.Millisecond} {
		if got := r.on(t, standIns(t), journal.Replay(rec), pause); got.prints != want.prints || got.text != want.text {
			text, _ := os.ReadFile(path)
			t.Fatalf("%s: got\n%s%s\nwant\n%s%s\n%+v\n%s\n%s",
				name, got.prints, got.text, want.prints, want.text, r.limits, r.source, text)
		}
	}
}

// recordedPrints returns the recorded output, before the end, of a run that a bound has ended.
func recordedPrints(t *testing.T, rec *journal.Recording) string {
	var prints strings.Builder
	var stopped struct{ Effects int }
	require.NoError(t, json.Unmarshal(rec.Stopped, &stopped))
	for _, e := range rec.Entries {
		if e.Kind == effect.KindPrint {
			n, err := strconv.Atoi(strings.TrimPrefix(e.ID, "0#"))
			require.NoError(t, err)
			if n > stopped.Effects { // a run that was interrupted had come further
				continue
			}
			var text string
			require.NoError(t, json.Unmarshal(e.Args, &text))
			prints.WriteString(text)
		}
	}
	return prints.String()
}

// TestRandomReplay replays programs that see when and in which order things happened.
func TestRandomReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range randomSeeds() {
		r := newRandomRun(*replayFrom + i)
		path := filepath.Join(dir, fmt.Sprint(i))
		r.replays(t, fmt.Sprintf("program %d", *replayFrom+i), path, r.record(t, path))
		require.NoError(t, os.Remove(path))
	}
}

// TestRandomResume cuts the journals of such programs at random, as a crash does, and resumes them. The
// result is one run: its journal replays to the same outcome.
func TestRandomResume(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range randomSeeds() {
		r := newRandomRun(*replayFrom + i)
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		path := filepath.Join(dir, fmt.Sprint(i))
		r.record(t, path)
		for range 1 + rng.IntN(2) { // a resumed run can be interrupted too
			cutJournal(t, rng, path)
			j, _, err := journal.Resume(path, nil, journal.Options{})
			require.NoError(t, err)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			end := r.on(t, randomTools(t), j, 0)
			require.NoError(t, j.Close())
			var e *ptc.Error
			wrong := []diag.Code{diag.Diverged, diag.InDoubt, diag.JournalFailed, diag.Internal}
			if errors.As(end.err, &e) && slices.Contains(wrong, e.Code) {
				all, _ := os.ReadFile(path)
				t.Fatalf("program %d: %s%s\n%+v\n%s\n%s\nwas added to\n%s",
					*replayFrom+i, end.prints, end.text, r.limits, r.source, all[len(before):], before)
			}
			r.replays(t, fmt.Sprintf("program %d, resumed", *replayFrom+i), path, end)
		}
		require.NoError(t, os.Remove(path))
	}
}

// cutJournal leaves the header and a random number of the lines behind it.
func cutJournal(t *testing.T, rng *rand.Rand, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines = lines[:len(lines)-1]
	kept := lines[:1+rng.IntN(len(lines))]
	if bytes.HasPrefix(kept[len(kept)-1], []byte(`{"t":"final"`)) {
		kept = kept[:len(kept)-1]
	}
	require.NoError(t, os.WriteFile(path, bytes.Join(kept, nil), 0o600))
}
