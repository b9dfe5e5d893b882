//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/store"
)

var deaths = flag.Int("deaths", 10, "the deaths of each kind in TestClusterRecovery, with -thorough")

// paced is a run that makes calls all the time, one after the other or some concurrently.
type paced struct {
	mu   sync.Mutex
	last map[string]time.Time // the last call, by the host that made it
	gap  map[string]time.Duration
	call chan string // the host of each call, if somebody waits
}

// begin forgets earlier calls.
func (p *paced) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.gap)
}

// longest returns the longest time between two calls of a host.
func (p *paced) longest(host string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.gap[host], time.Since(p.last[host]))
}

func (p *paced) seen(r *http.Request) {
	from, _, _ := strings.Cut(r.RemoteAddr, ":")
	now := time.Now()
	p.mu.Lock()
	if before := p.last[from]; !before.IsZero() {
		p.gap[from] = max(p.gap[from], now.Sub(before))
	}
	p.last[from] = now
	p.mu.Unlock()
	select {
	case p.call <- from:
	default:
	}
}

// TestClusterRecovery measures the time from the death of a node to the next call of a run, for the leader of the run,
// for one that is also the leader of the engine, and for a node that takes part. It logs the figures: they are upper
// bounds on a machine that is busy.
func TestClusterRecovery(t *testing.T) {
	if !*thorough {
		t.Skip("slow: run it with -thorough")
	}
	for _, lease := range []time.Duration{3 * time.Second, time.Second} {
		t.Run(fmt.Sprint("lease ", lease), func(t *testing.T) { recoveries(t, lease, min(lease/2, time.Second)) })
	}
}

func recoveries(t *testing.T, lease, heartbeat time.Duration) {
	net := ptcdtest.NewNet(t, 3)
	host := "127.0.0.1"
	if net != nil {
		host = net.Hub()
	}
	calls := newSlowAt(t, host, 5*time.Millisecond)
	p := &paced{last: make(map[string]time.Time), gap: make(map[string]time.Duration), call: make(chan string)}
	calls.seen = p.seen
	c := prepareNodes(t, 3, net, calls.flags()...)
	c.set(fmt.Sprintf("timeout: 1h\nworkers: 4\ncluster:\n  work_distribution: {work_unit_size: 5, max_crashes: 1000}\n"+
		"  membership: {lease_ms: %d, heartbeat_interval_ms: %d}\n", lease.Milliseconds(), heartbeat.Milliseconds()))
	begin := time.Now()
	c.startAll()
	t.Logf("%s: three nodes are ready %v after their start", load(), time.Since(begin))
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	sub := store.Submission{Source: `(loop [] (tool/http.get "` + calls.URL + `/") (recur))`}
	run, err := c.at("node1").Submit(ctx, sub, 0)
	require.NoError(t, err)
	var starts, terms []time.Duration
	for _, kind := range []string{"the leader of the run", "the leader of the run and of the engine", "SIGTERM to the leader of the run"} {
		var took []time.Duration
		for range *deaths {
			<-p.call
			leader, engine := c.leaders(ctx, run.ID)
			if both := strings.Contains(kind, "engine"); both != (leader == engine) {
				c.lead(ctx, leader, both)
			}
			n := c.nodes[leader]
			if strings.HasPrefix(kind, "SIGTERM") {
				begin := time.Now()
				require.Zero(t, n.End(syscall.SIGTERM), n.Log())
				terms = append(terms, time.Since(begin))
			} else {
				n.Kill()
			}
			dead := time.Now()
			for net != nil && <-p.call == net.Address(number(leader)) { // calls that the dead node has sent
			}
			if net == nil {
				<-p.call
			}
			took = append(took, time.Since(dead))
			begin := time.Now()
			c.start(leader).Ready()
			starts = append(starts, time.Since(begin))
			c.settle(ctx, leader)
		}
		t.Logf("%s: %s: next call after %s", load(), kind, spread(took))
	}
	t.Logf("%s: SIGTERM: ended after %s; a node is ready after %s", load(), spread(terms), spread(starts))
	_, err = c.at("node1").Cancel(ctx, run.ID)
	require.NoError(t, err)
	if net != nil {
		c.followers(ctx, p, calls)
	}
}

// followers measures how long the other nodes make no call when one that takes part is killed.
func (c *members) followers(ctx context.Context, p *paced, calls *slow) {
	c.t.Helper()
	var calm, hurt []time.Duration
	for range *deaths {
		run, err := c.at("node1").Submit(ctx, store.Submission{Source: `
			(count (pmap (fn [i] (tool/http.get (str "` + calls.URL + `/?i=" i))) (range 9000)))`}, 0)
		require.NoError(c.t, err)
		require.Eventually(c.t, func() bool {
			all, err := c.at("node1").Units(ctx, run.ID)
			return err == nil && len(all) == 3
		}, time.Minute, 20*time.Millisecond)
		leader, engine := c.leaders(ctx, run.ID)
		victim := ""
		for name := range c.nodes {
			if name != leader && name != engine { // whose death stops all writes until there is another one
				victim = name
			}
		}
		longest := func() (d time.Duration) {
			for i, name := range c.names() {
				if name != victim {
					d = max(d, p.longest(c.net.Address(i+1)))
				}
			}
			return d
		}
		p.begin()
		time.Sleep(time.Second)
		calm = append(calm, longest())
		p.begin()
		c.nodes[victim].Kill()
		time.Sleep(time.Second)
		hurt = append(hurt, longest())
		c.start(victim).Ready()
		run, err = c.at(leader).Wait(ctx, run.ID)
		require.NoError(c.t, err)
		require.Equal(c.t, "9000", run.Text)
		c.settle(ctx, victim)
	}
	c.t.Logf("%s: longest time without a call of the other nodes within 1 s: before a node that takes part is killed %s, after it %s",
		load(), spread(calm), spread(hurt))
}

// settle waits until all nodes are alive for a node.
func (c *members) settle(ctx context.Context, at string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		s, err := c.at(at).Cluster(ctx)
		if err != nil {
			return false
		}
		for _, m := range s.Members {
			if m.State != "alive" || m.Engine != "votes" {
				return false
			}
		}
		return true
	}, 2*time.Minute, 100*time.Millisecond)
}

// leaders returns the leaders of a run and of the engine.
func (c *members) leaders(ctx context.Context, id string) (run, engine string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		r, err := c.at("node1").Get(ctx, id)
		s, err2 := c.at("node1").Cluster(ctx)
		run, engine = r.Leader, holderOf(s, "engine")
		return err == nil && err2 == nil && run != "" && engine != ""
	}, time.Minute, 50*time.Millisecond)
	return run, engine
}

// lead has a node lead the engine, or another one.
func (c *members) lead(ctx context.Context, node string, leads bool) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		if s, err := c.at(node).Cluster(ctx); err == nil && (holderOf(s, "engine") == node) == leads {
			return true
		}
		c.at(node).StepDown(ctx, "engine")
		return false
	}, time.Minute, 200*time.Millisecond)
}

// spread returns the least, the middle and the greatest of some times.
func spread(all []time.Duration) string {
	slices.Sort(all)
	round := func(i int) time.Duration { return all[i].Round(time.Millisecond) }
	return fmt.Sprintf("%v/%v/%v (least, median, most of %d)", round(0), round(len(all)/2), round(len(all)-1), len(all))
}

// load returns the load of the machine.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return "load " + first
}
