//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	remote "github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

var (
	soakFor   = flag.Duration("soak", 5*time.Minute, "the time of TestSoak, with -thorough")
	soakNodes = flag.Int("nodes", 3, "the number of nodes of TestSoak: 3, 5 or 7")
	soakSeed  = flag.Uint64("seed", 0, "of the faults of TestSoak; 0 takes the clock")
	soakKeep  = flag.String("keep", "", "a directory for what the nodes have written in TestSoak")
)

// stuck is the time without progress after which a run counts as stuck. It is far longer than a busy machine needs.
const stuck = 8 * time.Minute

// soak is a cluster whose runs continue while its nodes fail.
type soak struct {
	*members
	calls   *slow
	kinds   []*kind
	clients map[string]*remote.Client
	keep    string
	disks   []string // nodes with a small disk

	mu       sync.Mutex
	active   map[string]string // runs that have not ended, and their names
	counts   map[string]int
	failures []string
	longest  time.Duration
}

// TestSoak submits runs while nodes are killed, ended, stopped, cut off from each other, and have full disks. Each run
// ends as a run of its program on one node without a cluster does. Each write is made once, or is in doubt
// and settled by the records of the service. A node without a majority makes no call. The engine has no
// alarm at the end.
func TestSoak(t *testing.T) {
	if !*thorough {
		t.Skip("slow: run it with -thorough, or as test/soak/run does")
	}
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	s := newSoak(t, *soakNodes)
	begin := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), begin.Add(*soakFor))
	defer cancel()
	var hands sync.WaitGroup
	for worker := range 6 {
		hands.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(worker)))
			for n := 0; ctx.Err() == nil; n++ {
				k := s.kinds[rng.IntN(len(s.kinds))]
				if err := s.run(rng, k, fmt.Sprintf("w%d_%d_%s", worker, n, k.name)); err != nil {
					s.fail("%v", err)
					cancel()
				}
			}
		})
	}
	hands.Go(func() { s.report(ctx, begin) })
	f := &faults{soak: s, rng: rand.New(rand.NewPCG(seed, 99))}
	for ctx.Err() == nil {
		if err := f.one(ctx); err != nil {
			s.fail("%v", err)
			cancel()
		}
	}
	hands.Wait()
	if len(s.failures) == 0 {
		s.sound()
	}
	if len(s.failures) > 0 {
		for _, n := range s.nodes {
			n.End(syscall.SIGQUIT) // it writes its stacks
		}
	}
	s.saveAll()
	t.Logf("%s", s.figures(time.Since(begin)))
	require.Empty(t, s.failures)
}

// sound wants the engine to have no alarm when the faults have ended.
func (s *soak) sound() {
	var e wire.ClusterEngine
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
		now, err := s.clients[nodeName(1)].Cluster(ctx)
		cancel()
		if err == nil {
			e = now.Engine
		}
		switch {
		case err == nil && e.Leader != "" && len(e.Alarms) == 0:
			s.t.Logf("the engine has %d of %d bytes", e.Bytes, e.Quota)
			return
		case time.Now().After(end):
			s.fail("the engine is not sound a minute after the last fault: %+v, %v", e, err)
			return
		}
	}
}

// newSoak starts a cluster, and runs each program once in this process.
func newSoak(t *testing.T, nodes int) *soak {
	net := ptcdtest.NewNet(t, nodes)
	host := "127.0.0.1"
	if net != nil {
		host = net.Hub()
	}
	calls := newSlowAt(t, host, 30*time.Millisecond)
	s := &soak{calls: calls, kinds: kinds(), clients: make(map[string]*remote.Client), active: make(map[string]string),
		counts: make(map[string]int), keep: *soakKeep}
	s.members = prepareNodes(t, nodes, net, append(calls.flags(), "--allow-facts", "write")...)
	s.set("timeout: 30m\nworkers: 6\ncluster:\n  work_distribution: {work_unit_size: 5, share_from: 3, max_crashes: 1000}\n" +
		"  membership: {grace_ms: 15000}\n  storage: {compaction_interval_ms: 10000}\n")
	if s.keep == "" {
		s.keep = t.TempDir()
	}
	require.NoError(t, os.MkdirAll(s.keep, 0o700))
	for i, name := range s.names() {
		if i%2 == 1 {
			s.shrink(name)
		}
	}
	s.startAll()
	for _, name := range s.names() {
		var err error
		s.clients[name], err = remote.New(s.members.nodes[name].Ready(), remote.Options{
			TokenFile: filepath.Join(s.dir, ptcdtest.TokenFile), CAFile: filepath.Join(s.dir, "ca", "ca.pem"),
			Patience: -1, Timeout: 10 * time.Second})
		require.NoError(t, err)
	}
	for _, k := range s.kinds {
		k.alone(t, calls)
	}
	return s
}

func (s *soak) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	fmt.Printf("%s FAILED %s\n", time.Now().Format(time.TimeOnly), text)
	s.failures = append(s.failures, text)
}

func (s *soak) count(what string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[what] += n
}

// any calls f with the client of a node by chance.
func (s *soak) any(rng *rand.Rand, f func(ctx context.Context, c *remote.Client) error) error {
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	return f(ctx, s.clients[nodeName(1+rng.IntN(s.size))])
}

// run submits a run, settles its pending effects, and checks its outcome.
func (s *soak) run(rng *rand.Rand, k *kind, name string) error {
	var run store.Run
	begin := time.Now()
	var last error
	for submitted := false; !run.State.Final(); {
		if time.Since(begin) > stuck {
			s.evidence(run)
			return fmt.Errorf("run %s, %s, does not go on: %s, led by %q, %s, %d pending, last error %v", name, run.ID,
				run.State, run.Leader, run.Reason, len(run.Pending), last)
		}
		err := s.any(rng, func(ctx context.Context, c *remote.Client) (err error) {
			if !submitted {
				run, err = c.Submit(ctx, k.submission(name, s.calls.URL), 0)
				submitted = err == nil
				return err
			}
			now, err := c.Get(ctx, run.ID)
			if err != nil {
				return err
			}
			run = now
			return s.settle(ctx, c, run)
		})
		if err != nil {
			last = err
		}
		s.mu.Lock()
		if submitted {
			s.active[run.ID] = name
		}
		s.mu.Unlock()
		time.Sleep(time.Duration(50+rng.IntN(100)) * time.Millisecond)
	}
	s.mu.Lock()
	delete(s.active, run.ID)
	s.longest = max(s.longest, time.Since(begin))
	s.mu.Unlock()
	s.count("runs", 1)
	s.count("runs of "+k.name, 1)
	s.count("elements", k.elements)
	s.count("strong reads", k.strong)
	s.count("attempts", run.Attempts)
	if len(run.Units) > 1 {
		s.count("runs on several nodes", 1)
	}
	return s.ended(k, name, run)
}

// evidence keeps the views of the nodes of a run.
func (s *soak) evidence(run store.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, c := range s.clients {
		ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
		now, err := c.Get(ctx, run.ID)
		text, _ := json.MarshalIndent(now, "", "  ")
		os.WriteFile(filepath.Join(s.keep, run.ID+"."+name+".json"), fmt.Appendf(text, "\n%v\n", err), 0o600)
		var journal bytes.Buffer
		err = c.Journal(ctx, run.ID, &journal)
		fmt.Fprintln(&journal, err)
		os.WriteFile(filepath.Join(s.keep, run.ID+"."+name+".journal"), journal.Bytes(), 0o600)
		cancel()
	}
}

// settle settles the pending effects of a run: writes in doubt by the records of the service.
func (s *soak) settle(ctx context.Context, c *remote.Client, run store.Run) error {
	var all []effect.Settlement
	for _, p := range run.Pending {
		if p.Kind == effect.PendingQuestion {
			all = append(all, effect.Settlement{ID: p.ID, As: effect.Done, Result: []byte(`"yes"`)})
		}
	}
	if run.State == store.InDoubt {
		time.Sleep(200 * time.Millisecond) // the service has counted all received requests by then
		all = append(all, s.calls.verdicts(run)...)
	}
	if len(all) == 0 {
		return nil
	}
	_, err := c.Settle(ctx, run.ID, all...)
	if err == nil {
		for _, one := range all {
			s.count("settled as "+string(one.As), 1)
		}
	}
	return err
}

// ended checks how a run has ended.
func (s *soak) ended(k *kind, name string, run store.Run) error {
	if run.State != store.Succeeded {
		return fmt.Errorf("run %s, %s, is %s: %s %s", name, run.ID, run.State, run.Reason, run.Text)
	}
	if got := strings.TrimSpace(run.Text); got != k.value {
		return fmt.Errorf("run %s, %s, has the value %.300s, want %.300s", name, run.ID, got, k.value)
	}
	if run.Prints != k.prints {
		return fmt.Errorf("run %s, %s, has printed %q, want %q", name, run.ID, run.Prints, k.prints)
	}
	times := s.calls.times(name + "_")
	for key, n := range times {
		if n != 1 {
			return fmt.Errorf("run %s, %s, has made the write %s %d times", name, run.ID, key, n)
		}
	}
	if len(times) != k.writes {
		return fmt.Errorf("run %s, %s, has made %d writes, want %d", name, run.ID, len(times), k.writes)
	}
	s.count("writes", len(times))
	return nil
}

// report prints the figures each minute.
func (s *soak) report(ctx context.Context, begin time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Minute):
			fmt.Printf("%s %s\n", time.Now().Format(time.TimeOnly), s.figures(time.Since(begin)))
		}
	}
}

func (s *soak) figures(took time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf("%v, longest run %v", took.Round(time.Second), s.longest.Round(time.Second))
	for _, what := range slices.Sorted(maps.Keys(s.counts)) {
		text += fmt.Sprintf(", %s %d", what, s.counts[what])
	}
	return text
}
