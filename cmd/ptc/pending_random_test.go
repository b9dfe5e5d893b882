package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/tools/grant"
)

// decided returns the settlement of an effect, which depends on its question and not on its id.
func decided(p effect.Pending) effect.Settlement {
	h := fnv.New32()
	fmt.Fprint(h, p.Question, string(p.Args))
	n := h.Sum32()
	s := effect.Settlement{ID: p.ID, As: effect.Done, Result: json.RawMessage(fmt.Sprint(n % 10))}
	switch {
	case p.Kind == effect.PendingApproval && n%3 == 0:
		return effect.Settlement{ID: p.ID, As: effect.Refuse, Reason: fmt.Sprintf("no, %d's fault", n)}
	case p.Kind == effect.PendingApproval:
		return effect.Settlement{ID: p.ID, As: effect.Approve}
	case len(p.Options) > 0:
		s.Result = p.Options[int(n)%len(p.Options)]
	}
	return s
}

// waiting makes an expression that waits for settlements; i is a number in it.
func waiting(r *rand.Rand, depth int) string {
	e := func() string { return waiting(r, depth-1) }
	if depth == 0 {
		k := r.IntN(1000)
		switch r.IntN(4) {
		case 0:
			return fmt.Sprintf(`(ask {:question (str "q%d-" i)})`, k)
		case 1:
			return fmt.Sprintf(`(ask {:question (str "it's \"%d\" " i) :options ["a b" 'c {:d [%d]}]})`, k, k)
		case 2:
			return fmt.Sprintf(`(tool/fs.write {:path (str "out/%d-" i) :text "a"})`, k)
		}
		return fmt.Sprintf(`(try (tool/fs.write {:path (str "out/%d-" i) :text "a"}) (catch Exception e (ex-message e)))`, k)
	}
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf("(vec (pmap (fn [j] (let [i (+ (* 10 i) j)] %s)) (range %d)))", e(), 1+r.IntN(4))
	case 1:
		return fmt.Sprintf("(mapv #(if (map? %%) (or (:ok %%) :failed) %%) (psettle (fn [j] (let [i (+ (* 10 i) j)] %s)) (range %d)))",
			e(), 1+r.IntN(4))
	case 2:
		return fmt.Sprintf("(pcalls (fn [] %s) (fn [] %s))", e(), e())
	case 3:
		return fmt.Sprintf("(let [x %s] [x (if (= 0 (mod (hash x) 2)) %s %s)])", e(), e(), e())
	case 4:
		return fmt.Sprintf("(mapv (fn [j] (let [i (+ (* 10 i) j)] %s)) (range %d))", e(), 1+r.IntN(2))
	}
	return fmt.Sprintf("[%s %s]", e(), e())
}

// TestRandomPendingCommands runs random programs by commands, each time with some of the settlements. They
// must end like a run that gets all settlements at the start.
func TestRandomPendingCommands(t *testing.T) {
	programs := 20
	if testlevel.Small() {
		programs = 10
	}
	for seed := range programs {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		source := "(def i 0) " + waiting(r, 1+r.IntN(3))
		once, many := t.TempDir(), t.TempDir()
		for _, dir := range []string{once, many} {
			writeFiles(t, dir, map[string]string{"out/x": "", "p.ptc": source})
		}
		t.Chdir(once)
		want := runOnce(t, source)
		t.Chdir(many)
		got := ptcWith("", "run", "p.ptc", "--allow-fs", "out", "--approval", "write", "--journal", "j", "--output", "envelope")
		for attempts := 0; got.code == exitWaiting; attempts++ {
			require.Less(t, attempts, 300, source)
			var e ptc.Envelope
			require.NoError(t, json.Unmarshal([]byte(got.out), &e), got.out)
			require.NotEmpty(t, e.Pending)
			got = ptcWith("", append([]string{"resume", "j"}, flagsFor(r, e.Pending)...)...)
		}
		var e ptc.Envelope
		require.NoError(t, json.Unmarshal([]byte(got.out), &e), "%s: %+v", source, got)
		require.Equal(t, want.Status, e.Status, "%s: %+v", source, got)
		if e.Status == ptc.StatusOK {
			require.JSONEq(t, string(want.Value), string(e.Value), source)
			require.Equal(t, filesIn(t, once), filesIn(t, many), source)
		} else { // which of the others have been done depends on timing
			require.Equal(t, want.Error.Code, e.Error.Code)
			require.Equal(t, want.Error.Message, e.Error.Message)
		}
	}
}

// runOnce runs a program that gets all settlements at the start.
func runOnce(t *testing.T, source string) *ptc.Envelope {
	t.Helper()
	var granted grant.Set
	require.NoError(t, granted.Grant("fs", "out", ""))
	tools, err := granted.Registry(t.Context())
	require.NoError(t, err)
	defer granted.Close()
	p, err := ptc.Compile(t.Context(), "p.ptc", source, ptc.Options{Tools: tools, Approve: effect.Approvals{Writes: true}})
	require.NoError(t, err, source)
	res, err := p.Run(t.Context(), ptc.RunOptions{
		OnPending: func(_ context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
			for _, p := range all {
				settle = append(settle, decided(p))
			}
			return settle, nil
		}})
	return res.Envelope(err, 0)
}

// flagsFor returns flags that settle some effects, at least one.
func flagsFor(r *rand.Rand, all []effect.Pending) (flags []string) {
	for i, p := range all {
		if r.IntN(2) == 0 && (len(flags) > 0 || i < len(all)-1) {
			continue
		}
		switch s := decided(p); s.As {
		case effect.Approve:
			flags = append(flags, "--approve", p.ID)
		case effect.Refuse:
			flags = append(flags, "--refuse", p.ID+"="+s.Reason)
		default:
			flags = append(flags, "--answer", p.ID+"="+string(s.Result))
		}
	}
	return flags
}

func filesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir + "/out")
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
