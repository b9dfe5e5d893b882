package tools

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestMemoryOfLargeCalls has 8 workers pass arguments and results of 4 MB concurrently, to tools of both
// kinds, with secret fields. The live memory on Go's heap stays below the bound of SECURITY.md: four times
// the caps and some megabytes.
func TestMemoryOfLargeCalls(t *testing.T) {
	testlevel.System(t)
	if testing.Short() {
		t.Skip("it takes some hundred megabytes")
	}
	const workers, workerMemory = 4, 32 << 20
	row := map[string]any{"token": "s3cr3t-token", "name": strings.Repeat("x", 80), "n": 7, "list": []int{1, 2, 3, 4}}
	typed := tool.New("typed", "Gives back rows.", func(_ context.Context, in struct {
		Rows []map[string]any `json:"rows"`
	}) ([]map[string]any, error) {
		return in.Rows, nil
	}, tool.Secret("token"))
	plain := tool.Dynamic("plain", "Gives back a text.", json.RawMessage(`{"type":"object"}`), nil,
		func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil })
	reg, err := tool.NewRegistry(typed, plain)
	require.NoError(t, err)
	caps := int64(64<<20 + workers*workerMemory)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(caps + caps/3 + 32<<20)) // as ptc run has it
	for name, program := range map[string]string{
		"rows":  `(def rows (vec (repeat 12000 data/row))) (reduce + (pmap (fn [_] (reduce + (mapv (fn [_] (count (tool/typed {:rows rows}))) (range 2)))) (range 4)))`,
		"texts": `(def text (apply str (repeat 1000000 "abcd"))) (reduce + (pmap (fn [_] (reduce + (mapv (fn [_] (count (:text (tool/plain {:text text})))) (range 2)))) (range 4)))`,
	} {
		t.Run(name, func(t *testing.T) {
			prog, err := ptc.Compile(context.Background(), "p", program, ptc.Options{Tools: reg, Limits: ptc.Limits{Memory: 64 << 20, WorkerMemory: workerMemory, Workers: workers, Arguments: 8 << 20, Timeout: 5 * time.Minute}})
			require.NoError(t, err)
			runtime.GC()
			peak := watchHeap()
			res, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"row": row}})
			most := peak()
			t.Logf("heap in use %d MB, resident %d MB, caps %d MB, account of the main evaluation %d MB: %v", most>>20, resident()>>20, caps>>20, res.Usage.Memory>>20, err)
			require.NoError(t, err)
			assert.Less(t, most, 4*caps+64<<20)
		})
	}
}

// TestMemoryOfHostileResults has tools give results that are small as texts and large when
// they are decoded, to workers that have little memory: because of a schema, or of a secret.
func TestMemoryOfHostileResults(t *testing.T) {
	testlevel.System(t)
	const workers, memory = 8, 4 << 20
	lists := json.RawMessage("[" + strings.Repeat("[],", memory/4) + "[]]")
	maps := json.RawMessage("[" + strings.Repeat(`{"":0},`, memory/8) + `{"token":"s3cr3t-token"}]`)
	gives := func(name string, result, schema json.RawMessage, opts ...tool.Option) *tool.Tool {
		return tool.Dynamic(name, "Gives a result.", json.RawMessage(`{"type":"object"}`), schema,
			func(context.Context, json.RawMessage) (json.RawMessage, error) { return result, nil },
			append(opts, tool.Timeout(5*time.Minute))...)
	}
	reg, err := tool.NewRegistry(gives("checked", lists, json.RawMessage(`{"type":"array"}`)), gives("secret", maps, nil, tool.Secret("token")),
		gives("wholly", lists, nil, tool.SecretResult()), gives("known", maps, nil), gives("login", json.RawMessage(`"s3cr3t-token"`), nil, tool.SecretResult()))
	require.NoError(t, err)
	caps := int64((workers + 1) * memory)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(caps + caps/3 + 32<<20)) // as ptc run has it
	for _, name := range []string{"checked", "secret", "wholly", "known"} {
		t.Run(name, func(t *testing.T) {
			prog, err := ptc.Compile(context.Background(), "p", `(tool/login {}) (mapv (comp :code :error) (psettle (fn [_] (count (tool/`+name+` {}))) (range 8)))`,
				ptc.Options{Tools: reg, Limits: ptc.Limits{Memory: memory, WorkerMemory: memory, Workers: workers,
					Timeout: 5 * time.Minute}})
			require.NoError(t, err)
			runtime.GC()
			peak := watchHeap()
			res, err := prog.Run(context.Background(), ptc.RunOptions{})
			most := peak()
			require.NoError(t, err)
			text, err := res.EDN()
			require.NoError(t, err)
			assert.Equal(t, "["+strings.TrimSpace(strings.Repeat(":memory-exceeded ", workers))+"]", text)
			assert.Less(t, most, 4*caps+64<<20, "MB: %d", most>>20)
		})
	}
}

// watchHeap observes the heap until the returned function is called, which returns the largest size
// that was in use.
func watchHeap() (peak func() int64) {
	var most atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			most.Store(max(most.Load(), int64(s.HeapInuse)))
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return most.Load()
	}
}

// resident returns the largest resident memory of the process, 0 if the system does not report it.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kb, 10, 64)
	return n << 10
}
