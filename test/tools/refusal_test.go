//go:build probe

package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// refusedPrograms have effects of all kinds whose outcome does not depend on timing.
var refusedPrograms = []string{
	`(mapv tool/item (range 5))`,
	`(map :rows (pmap (fn [i] (tool/item {:n (* 20 i)})) (range 6)))`,
	`(mapv (fn [i] (try (tool/odd i) (catch Exception e [(ex-message e) (ex-data e)]))) (range 4))`,
	`(psettle tool/odd (range 6))`,
	`(pmap (fn [i] (tool/odd i)) [0 2 4 6 5])`,
	`(retry {:times 5 :backoff-ms 0} (tool/flaky "a"))`,
	`(pmap (fn [k] (retry {:times 5 :backoff-ms 0} (tool/flaky k))) ["a" "b" "c"])`,
	`(try (retry {:times 2 :backoff-ms 0} (tool/flaky "a")) (catch Exception e [(ex-message e) (ex-data e)]))`,
	`(retry {:times 2 :backoff-ms 0 :on #{:odd}} (tool/odd 1))`,
	`(host-exclusive "a" (host-exclusive "b" (global-exclusive (tool/item 3))))`,
	`(mapv (fn [_] (try (host-exclusive "a" (vec (range 50)) (host-exclusive "a" 1)) (catch Exception e (ex-message e)))) (range 3))`,
	`(pmap (fn [i] (host-exclusive (str "h" (mod i 2)) (tool/item i))) (range 8))`,
	`(pmap (fn [i] (tool/update {:host (str "h" (mod i 2)) :n i})) (range 8))`,
	`(try (host-exclusive "h" (tool/update {:host "h" :n 1})) (catch Exception e [(ex-message e) (ex-data e)]))`,
	`(rate-limited "r" {:per-second 100000 :burst 1000} (tool/item 2))`,
	`(try (rate-limited "r" {:per-second 1 :burst 10} (rate-limited "r" {:per-second 0.1} 1)) (catch Exception e (ex-message e)))`,
	`(mapv (fn [i] (try (tool/scarce i) (catch Exception e (:code (ex-data e))))) (range 5))`,
	`(count (pmap (fn [i] (tool/narrow i)) (range 12)))`,
	`(println (pos? (System/currentTimeMillis)) (tool/item 1)) (Thread/sleep 1) [(rand-int 1000) (with-out-str (prn (tool/item 2)))]`,
	`(pmap (fn [i] (println i (tool/item i)) (Thread/sleep 1) (rand-int 100)) (range 6))`,
	`(try (with-limits {:calls 2} (mapv tool/item (range 4))) (catch Exception e (ex-message e)))`,
	`(pcalls #(tool/item 1) #(host-exclusive "a" (first (pmap tool/item [2]))) #(retry {:times 3 :backoff-ms 0} (tool/flaky "z")))`,
	`(try (tool/item {:n 1/3}) (catch Exception e (ex-message e)))`,
	`(tool/item {:n 1 :more (vec (range 100))})`,
}

// refusedTools are tools that write down how they are called.
type refusedTools struct {
	mu    sync.Mutex
	calls []string
	tries map[string]int
}

func (r *refusedTools) called(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
}

type itemArgs struct {
	N    int   `json:"n"`
	More []int `json:"more,omitempty"`
}

func (r *refusedTools) registry(t *testing.T) *tool.Registry {
	item := func(name string, opts ...tool.Option) *tool.Tool {
		return tool.New(name, "Gives rows.", func(_ context.Context, in itemArgs) (map[string]any, error) {
			r.called("%s %d", name, in.N)
			return map[string]any{"n": in.N, "rows": strings.Split(strings.Repeat("row ", in.N), " ")}, nil
		}, opts...)
	}
	reg, err := tool.NewRegistry(ptctest.Clock(), item("item"), item("scarce"), item("narrow", tool.Concurrency(2)),
		tool.New("odd", "Fails for odd numbers.", func(_ context.Context, in itemArgs) (int, error) {
			r.called("odd %d", in.N)
			if in.N%2 == 1 {
				return 0, &tool.Error{Code: "odd", Message: "it is odd", Data: map[string]any{"n": in.N, "list": []int{1, 2, 3}}}
			}
			return in.N, nil
		}),
		tool.New("flaky", "Fails twice.", func(_ context.Context, in struct {
			Key string `json:"key"`
		}) (string, error) {
			r.called("flaky %s", in.Key)
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.tries[in.Key]++; r.tries[in.Key] <= 2 {
				return "", &tool.Error{Code: "unavailable", Message: "try again", Retryable: true}
			}
			return "done", nil
		}),
		tool.New("update", "Works on a host.", func(_ context.Context, in struct {
			Host string `json:"host"`
			N    int    `json:"n"`
		}) (int, error) {
			r.called("update %s %d", in.Host, in.N)
			return in.N, nil
		}, tool.Hint(effect.Hint{Kind: effect.HostExclusive})))
	require.NoError(t, err)
	return reg
}

// TestRefusalsAroundEffects: whichever charges are refused, so that instructions run again, each tool is
// called as often and with the same arguments as without, and effects have the same ids: calls, guards,
// prints, pauses and readings of the clock. The programs convert their values to strings, since the
// conversion to Go values never runs again.
func TestRefusalsAroundEffects(t *testing.T) {
	total := 0
	for _, source := range refusedPrograms {
		compiled := func() (run func() string) {
			r := &refusedTools{tries: map[string]int{}}
			enforcer, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{
				"scarce": {Quota: queue.Quota{Calls: 3, Window: time.Hour}}, "narrow": {Concurrency: 1}}}, queue.New(queue.Options{}))
			require.NoError(t, err)
			prog, err := ptc.Compile(context.Background(), "p", "(pr-str (do "+source+"))", ptc.Options{Tools: r.registry(t), Queue: enforcer, Limits: ptc.Limits{Workers: 64}})
			require.NoError(t, err)
			return func() string {
				j := journal.New(journal.Options{})
				res, err := prog.Run(context.Background(), ptc.RunOptions{Journal: j, Seed: 3})
				limits.Probe = nil
				for _, e := range j.Entries() {
					r.called("%s %s %s %s %v", e.ID, e.Kind, e.Name, e.Args, e.Done)
				}
				slices.Sort(r.calls)
				return ptctest.Outcome(res, err) + "\n" + strings.Join(r.calls, "\n")
			}
		}
		want := compiled()()
		require.Equal(t, want, compiled()(), "it depends on timing: %s", source)
		for _, every := range []int{0, 1, 2, 3, 7, 31, 257} {
			run := compiled()
			refusals := ptctest.Refuse(every)
			got := run()
			require.Equal(t, want, got, "a refusal after each %d charges, %d in all:\n%s", every, *refusals, source)
			total += *refusals
		}
	}
	require.Greater(t, total, 700)
	t.Logf("%d refusals", total)
}
