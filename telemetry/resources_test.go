package telemetry_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/telemetry"
)

// TestResources reads the metrics of queues and guards that are busy.
func TestResources(t *testing.T) {
	queues := queue.New(queue.Options{})
	enforcer, err := queue.NewEnforcer(queue.Policies{}, queues)
	require.NoError(t, err)
	guards := guard.NewSet(guard.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	start := func(action string, n int) error {
		_, err := enforcer.Action(action).Start(ctx, &effect.Execution{Name: fmt.Sprint(action, n), Most: 1})
		return err
	}
	require.NoError(t, start("deploy", 1))
	require.NoError(t, enforcer.Action("deploy").Leave("deploy1", effect.EndFailed))
	require.NoError(t, start("deploy", 2))
	ended := make(chan error, 4)
	go func() { ended <- start("deploy", 3) }()
	owner := guards.Owner(nil, "run", "0")
	_, err = guards.Acquire(ctx, &effect.GuardRequest{Owner: owner, Host: "secret-host", Hint: effect.Hint{Kind: effect.HostExclusive}})
	require.NoError(t, err)
	for _, r := range []effect.GuardRequest{{Host: "secret-host", Hint: effect.Hint{Kind: effect.HostExclusive}},
		{Hint: effect.Hint{Kind: effect.RateLimited, Key: "secret-rate", PerSecond: 0.001, Burst: 1}},
		{Hint: effect.Hint{Kind: effect.RateLimited, Key: "secret-rate", PerSecond: 0.001, Burst: 1}}} {
		go func() {
			r.Owner = guards.Owner(nil, "run", "1")
			_, err := guards.Acquire(ctx, &r)
			ended <- err
		}()
	}
	require.Eventually(t, func() bool { return guards.Stats(0).Waiting == 2 && queues.Stats("deploy").Waiting == 1 },
		time.Minute, time.Millisecond)

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(telemetry.Resources{Queues: queues, Tools: []string{"idle", "deploy", "idle"}, Guards: guards,
		Memory: func() (int64, int64) { return 5, 7 }}.Collector())
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()
	text := scrape(t, server.URL)
	for _, want := range []string{`ptc_queue_waiting{tool="deploy"} 1`, `ptc_queue_waiting{tool="idle"} 0`,
		`ptc_queue_active{tool="deploy"} 1`, `ptc_queue_limit{tool="deploy"} 1`, `ptc_queue_oldest_wait_seconds{tool="deploy"} `,
		`ptc_queue_executions_total{outcome="failed",tool="deploy"} 1`, `ptc_queue_executions_total{outcome="ok",tool="deploy"} 0`,
		`ptc_guard_held{kind="host"} 1`, `ptc_guard_held{kind="global"} 0`, `ptc_guard_waiting{kind="host"} 1`,
		`ptc_guard_waiting{kind="token"} 1`, `ptc_guard_waiting{kind="global"} 0`, `ptc_guard_grants_total{kind="lock"} 1`,
		`ptc_guard_grants_total{kind="token"} 1`, `ptc_guard_rates 1`, `ptc_runs_memory_bytes 5`, `ptc_runs_memory_limit_bytes 7`} {
		require.Contains(t, text, "\n"+want)
	}
	require.NotContains(t, text, `ptc_queue_limit{tool="idle"}`)
	require.NotContains(t, text, "secret")
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
	cancel()
	for range cap(ended) {
		<-ended
	}
	text = scrape(t, server.URL)
	require.Contains(t, text, `ptc_queue_executions_total{outcome="cancelled",tool="deploy"} 1`)
	require.Contains(t, text, `ptc_guard_refused_total{reason="gave-up"} 2`)
}

// TestManyActions: the series of a service with 10,000 actions and tools are bounded.
func TestManyActions(t *testing.T) {
	queues := queue.New(queue.Options{})
	enforcer, err := queue.NewEnforcer(queue.Policies{}, queues)
	require.NoError(t, err)
	resources := telemetry.Resources{Queues: queues}
	for i := range 10_000 {
		name := fmt.Sprintf("action-%05d", i)
		if i%2 == 0 {
			resources.Tools = append(resources.Tools, name)
		}
		_, err := enforcer.Action(name).Start(t.Context(), &effect.Execution{Name: name, Most: 3})
		require.NoError(t, err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(resources.Collector())
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()
	text := scrape(t, server.URL)
	require.Equal(t, 501, strings.Count(text, "\nptc_queue_active{"))
	require.Contains(t, text, `ptc_queue_active{tool="(others)"} 9500`)
	require.Less(t, strings.Count(text, "\n"), 5000)
}
