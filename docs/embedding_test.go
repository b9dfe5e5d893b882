//go:build unix

package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func Example_run() {
	res, err := ptc.Run(context.Background(), "(reduce + (map inc [1 2 3]))", ptc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Value())
	// Output: 9 <nil>
}

func Example_compile() {
	prog, err := ptc.Compile(context.Background(), "totals.ptc", `
		(->> data/orders
		     (group-by :region)
		     (map (fn [[region orders]] [region (reduce + (map :total orders))]))
		     (into (sorted-map)))`, ptc.Options{DataNames: []string{"orders"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	type order struct {
		Region string  `json:"region"`
		Total  float64 `json:"total"`
	}
	inputs := [][]order{{{"north", 3}, {"south", 4}, {"north", 5}}, {}}
	results := make([]string, len(inputs))
	var wg sync.WaitGroup
	for i, orders := range inputs {
		wg.Go(func() {
			res, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"orders": orders}})
			if err != nil {
				results[i] = err.Error()
				return
			}
			results[i], _ = res.JSON(false)
		})
	}
	wg.Wait()
	fmt.Println(strings.Join(results, "\n"))
	// Output:
	// {"north":8.0,"south":4.0}
	// {}
}

func Example_keys() {
	res, err := ptc.Run(context.Background(), `{:rows [{:id 1 "id" 2}]}`, ptc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.EDN())
	_, err = res.Value()
	fmt.Println(err)
	// Output:
	// {:rows [{:id 1, "id" 2}]} <nil>
	// illegal-argument: the result as a Go value: the map at [:rows 0] has the keys "id" and :id, which both become "id"; want keys with different names
}

func Example_errors() {
	_, err := ptc.Run(context.Background(), "(defn share [n] (/ 100 n))\n(map share [4 0])", ptc.Options{})
	var e *ptc.Error
	if errors.As(err, &e) {
		fmt.Println(e)
		fmt.Println(e.Code, e.Frames[0].Function)
	}
	fmt.Println(errors.Is(err, &ptc.Error{Code: "arithmetic"}))
	// Output:
	// program.ptc:1:17: arithmetic: Divide by zero
	// arithmetic user/share
	// true
}

func Example_render() {
	_, err := ptc.Compile(context.Background(), "report.ptc", "(defn total [xs]\n  (redcue + xs))", ptc.Options{})
	var e *ptc.Error
	if errors.As(err, &e) {
		_ = e.Render(os.Stdout, false) // true colours it
	}
	// Output:
	// error[unknown-name]: Unable to resolve symbol: redcue in this context
	//  --> report.ptc:2:4
	//   |
	// 2 |   (redcue + xs))
	//   |    ^^^^^^
	//   = hint: did you mean reduce?
}

type searchArgs struct {
	Query string `json:"query" jsonschema:"words to look for"`
	Limit int    `json:"limit,omitempty"`
}

type product struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func search(_ context.Context, in searchArgs) ([]product, error) {
	var found []product
	for i, name := range []string{"desk lamp", "floor lamp", "desk"} {
		if strings.Contains(name, in.Query) && (in.Limit == 0 || len(found) < in.Limit) {
			found = append(found, product{i + 1, name})
		}
	}
	return found, nil
}

func Example_tools() {
	tools, err := tool.NewRegistry(
		tool.New("search", "Searches the catalogue.", search, tool.ReadOnly(), tool.Timeout(5*time.Second)))
	if err != nil {
		fmt.Println(err)
		return
	}
	opts := ptc.Options{Tools: tools}
	res, err := ptc.Run(context.Background(), `(pmap (comp count tool/search) ["lamp" "desk" "sofa"])`, opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Value())

	_, err = ptc.Run(context.Background(), `(tool/search {:query 7})`, opts)
	fmt.Println(err)
	_, err = ptc.Run(context.Background(), `(tool/serch "lamp")`, opts)
	fmt.Println(err)
	fmt.Println(tools.Lookup("search").Signature())
	// Output:
	// [2 2 0] <nil>
	// program.ptc:1:1: tool-failed: tool/search: argument :query: got 7, want string
	// program.ptc:1:2: unknown-tool: no tool named tool/serch
	// search {:query string :limit int?} -> [{:id int :name string}]
}

func Example_dynamic() {
	lookup := tool.Dynamic("lookup", "Looks a key up.",
		json.RawMessage(`{"type":"object","properties":{"key":{"type":"string"}},"required":["key"]}`),
		nil, // any JSON is a result
		func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"asked": ` + string(args) + `}`), nil
		}, tool.ReadOnly())
	tools, err := tool.NewRegistry(lookup)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ptc.Run(context.Background(), `(tool/lookup "region")`, ptc.Options{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Value())
	// Output: map[asked:map[key:region]] <nil>
}

func Example_toolErrors() {
	reserve := func(_ context.Context, in struct {
		Item string `json:"item"`
	}) (bool, error) {
		if in.Item == "" {
			panic("a bug of the host")
		}
		return false, &tool.Error{Code: "no-stock", Message: in.Item + " is sold out", Data: map[string]int{"left": 0}}
	}
	tools, _ := tool.NewRegistry(tool.New("reserve", "Reserves an item.", reserve))
	res, err := ptc.Run(context.Background(), `
		(defn code [item]
		  (try (tool/reserve {:item item}) (catch Exception e (:code (ex-data e)))))
		[(code "lamp") (code "")]`, ptc.Options{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Value())
	// Output: [no-stock panic] <nil>
}

func Example_around() {
	deploy := tool.New("deploy", "Deploys to a host.", func(_ context.Context, in struct {
		Host string `json:"host"`
	}) (string, error) {
		return "deployed " + in.Host, nil
	})
	tools, _ := tool.NewRegistry(deploy)
	approve := func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
		if c.Tool.Class() != effect.ReadOnly && strings.Contains(string(c.Args), "production") {
			return effect.Outcome{Failure: &effect.Failure{Code: "not-approved", Message: "ask an operator"}}
		}
		return next(ctx)
	}
	prog, err := ptc.Compile(context.Background(), "deploy.ptc", `
		(defn deploy [host]
		  (try (tool/deploy {:host host}) (catch Exception e (:code (ex-data e)))))
		(mapv deploy ["staging" "production"])`, ptc.Options{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{Around: approve})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Value())
	// Output: [deployed staging not-approved] <nil>
}

func Example_retry() {
	attempts := 0
	rates := tool.New("rates", "Returns the exchange rate.", func(context.Context, struct{}) (float64, error) {
		if attempts++; attempts < 3 {
			return 0, &tool.Error{Code: "unavailable", Message: "the service restarts", Retryable: true}
		}
		return 1.25, nil
	}, tool.ReadOnly())
	tools, _ := tool.NewRegistry(rates)
	retry := func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
		o := next(ctx)
		for range 4 {
			if o.Failure == nil || !o.Failure.Retryable || c.Tool.Class() == effect.Write {
				break
			}
			select {
			case <-ctx.Done():
				return o
			case <-time.After(10 * time.Millisecond):
			}
			o = next(ctx)
		}
		return o
	}
	prog, err := ptc.Compile(context.Background(), "rates.ptc", "(tool/rates)", ptc.Options{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{Around: retry})
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := res.Value()
	fmt.Println(value, err, len(res.Calls), res.Usage.Calls)
	// Output: 1.25 <nil> 1 3
}

func Example_limits() {
	opts := ptc.Options{Limits: ptc.Limits{
		Timeout:      2 * time.Second,
		Steps:        50_000_000,
		Memory:       32 << 20,
		Workers:      4,
		WorkerMemory: 8 << 20,
		Calls:        100,
	}}
	_, err := ptc.Run(context.Background(), "(vec (range 10000000))", opts)
	fmt.Println(err)
	_, err = ptc.Run(context.Background(), "(pmap (fn [n] (count (vec (range n)))) [10 1000000])", opts)
	fmt.Println(err)
	// Output:
	// program.ptc:1:1: memory-exceeded: the evaluation holds 2232 bytes and wants 164 MB more; it may hold 32 MB
	// program.ptc:1:22: memory-exceeded: pmap, element 1: the evaluation holds 2232 bytes and wants 16 MB more; it may hold 8 MB
}

// limitHeap tells Go's collector how much the process may hold when so many runs are
// allowed at once, and the host keeps so much itself.
func limitHeap(runs int, l ptc.Limits, own int64) int64 {
	caps := int64(runs) * (l.Memory + int64(l.Workers)*l.WorkerMemory)
	soft := caps + caps*3/10 + own
	debug.SetMemoryLimit(soft)
	return soft
}

func Example_memoryLimit() {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // as it was
	soft := limitHeap(10, ptc.Limits{Memory: 32 << 20, Workers: 4, WorkerMemory: 8 << 20}, 100<<20)
	fmt.Println(soft>>20, "MB")
	// Output: 932 MB
}

func Example_toolError() {
	stock := errors.New("the warehouse is closed")
	reserve := tool.New("reserve", "Reserves an item.", func(context.Context, struct{}) (bool, error) {
		return false, stock
	})
	tools, _ := tool.NewRegistry(reserve)
	_, err := ptc.Run(context.Background(), "(tool/reserve)", ptc.Options{Tools: tools})
	fmt.Println(err)
	fmt.Println(errors.Is(err, stock))
	// Output:
	// program.ptc:1:1: tool-failed: tool/reserve: the warehouse is closed
	// true
}

func Example_decode() {
	res, err := ptc.Run(context.Background(), `[{:id 1 :total 1/4} {:id 2 :total 3M}]`, ptc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var orders []struct {
		ID    int     `json:"id"`
		Total float64 `json:"total"`
	}
	if err := res.Decode(&orders); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(orders)
	// Output: [{1 0.25} {2 3}]
}

func Example_envelope() {
	res, err := ptc.Run(context.Background(), `(println "working") (vec (range 100000))`, ptc.Options{})
	envelope := res.Envelope(err, 4000)
	var text bytes.Buffer
	_, err = envelope.WriteTo(&text)
	fmt.Println(envelope.Status, string(envelope.Value[:20]), envelope.Cut.Value, text.Len() <= 4000, err)
	// Output: ok "[0,1,2,3,4,5,6,7,8, 588891 true <nil>
}

func Example_usage() {
	res, err := ptc.Run(context.Background(), `(println "working") (reduce + (pmap inc (range 100)))`, ptc.Options{})
	u := res.Usage      // also set when the run has failed
	v, _ := res.Value() // nil when the run has failed
	fmt.Println(v, err, u.Steps > 100, u.Memory > 0, u.Printed, u.Parallel.Elements, u.Duration > 0)
	// Output: 5050 <nil> true true 8 100 true
}

func Example_output() {
	prog, err := ptc.Compile(context.Background(), "print.ptc", `(println "one") (println "two")`, ptc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = prog.Run(context.Background(), ptc.RunOptions{
		Output: func(p ptc.Print) { fmt.Printf("program: %s", p.Text) },
	})
	fmt.Println(err)
	// Output:
	// program: one
	// program: two
	// <nil>
}

func Example_progress() {
	var progress ptc.Progress
	seen := make(chan ptc.Snapshot, 1)
	look := tool.New("look", "Looks at the run.", func(context.Context, struct{}) (bool, error) {
		seen <- progress.Now() // a monitor would do so from its own goroutine
		return true, nil
	}, tool.ReadOnly())
	tools, _ := tool.NewRegistry(look)
	prog, err := ptc.Compile(context.Background(), "look.ptc", "(pmap (fn [_] (tool/look)) [1])", ptc.Options{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = prog.Run(context.Background(), ptc.RunOptions{Progress: &progress})
	fmt.Println((<-seen).Workers, err)
	// Output: 1 <nil>
}

func Example_observer() {
	var mu sync.Mutex
	slowest := effect.Element{Index: -1}
	prog, err := ptc.Compile(context.Background(), "sum.ptc", "(pmap #(reduce + (range %)) [10 1000000 10])", ptc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = prog.Run(context.Background(), ptc.RunOptions{Observer: &effect.Observer{
		Operation: func(op effect.Operation) func(diag.Code) {
			fmt.Println(op.Name, "at", op.Place, "of", op.Elements)
			return nil
		},
		Element: func(e effect.Element) { // called by all workers at once
			mu.Lock()
			defer mu.Unlock()
			if e.Duration > slowest.Duration {
				slowest = e
			}
		},
	}})
	fmt.Println("slowest:", slowest.Operation, slowest.Index, err)
	// Output:
	// pmap at sum.ptc:1:1 of 3
	// slowest: 0.1 1 <nil>
}

func Example_processors() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	processors := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(processors + 1)
	res, _ := ptc.Run(context.Background(), "(reduce + (pmap inc (range 10)))", ptc.Options{Processors: ptc.NewProcessors(processors)})
	fmt.Println(res.EDN())
	// Output: 55 <nil>
}

func Example_cancel() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := ptc.Run(ctx, "(loop [] (recur))", ptc.Options{})
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

func Example_shared() {
	var busy, peak atomic.Int64
	deploy := tool.New("deploy", "Deploys to a host.", func(_ context.Context, in struct {
		Host string `json:"host"`
	}) (string, error) {
		peak.Store(max(peak.Load(), busy.Add(1)))
		defer busy.Add(-1)
		time.Sleep(time.Millisecond)
		return "deployed to " + in.Host, nil
	}, tool.Hint(effect.Hint{Kind: effect.HostExclusive}))
	tools, err := tool.NewRegistry(deploy)
	if err != nil {
		fmt.Println(err)
		return
	}

	enforcer, err := queue.NewEnforcer(queue.Policies{
		Actions: map[string]queue.Policy{"deploy": {Concurrency: 2}},
	}, queue.New(queue.Options{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	opts := ptc.Options{
		Tools:  tools,
		Guards: guard.NewSet(guard.Options{}), // hosts, rates and the global guard of all runs
		Queue:  enforcer,                      // policies and queues of all runs
	}
	prog, err := ptc.Compile(context.Background(), "deploy.ptc", `(pmap tool/deploy ["web-1" "web-1" "web-1"])`, opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := prog.Run(context.Background(), ptc.RunOptions{}); err != nil {
				fmt.Println(err)
			}
		})
	}
	wg.Wait()
	fmt.Println("at once:", peak.Load())
	// Output: at once: 1
}

func Example_operator() {
	enforcer, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{"deploy": {Concurrency: 1}}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	release := make(chan struct{})
	deploy := tool.New("deploy", "", func(context.Context, struct {
		Host string `json:"host"`
	}) (string, error) {
		<-release
		return "deployed", nil
	})
	tools, err := tool.NewRegistry(deploy)
	if err != nil {
		fmt.Println(err)
		return
	}
	const source = `(psettle (fn [h] (tool/deploy {:host h})) ["a" "b" "c" "d"])`
	prog, err := ptc.Compile(context.Background(), "p", "(count (filter :ok "+source+"))",
		ptc.Options{Tools: tools, Queue: enforcer})
	if err != nil {
		fmt.Println(err)
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		res, err := prog.Run(context.Background(), ptc.RunOptions{ID: "nightly"})
		if err != nil {
			fmt.Println(err)
			return
		}
		text, err := res.EDN()
		fmt.Println(text, err)
	}()
	queues := enforcer.Queues()
	for queues.Stats("deploy").Waiting < 3 {
		time.Sleep(time.Millisecond)
	}
	for _, s := range queues.All() {
		fmt.Printf("%s: %d under way of %d, %d waiting\n", s.Action, s.Active, s.Limit, s.Waiting)
	}
	page, err := queues.Executions("deploy", "", 10)
	if err != nil {
		fmt.Println(err)
	}
	for _, e := range page.Executions {
		if e.State == queue.Waiting {
			fmt.Println("cancelled:", queues.Cancel("deploy", e.Name))
			break
		}
	}
	fmt.Println("cleared:", queues.ClearAll())
	close(release)
	<-done
	// Output:
	// deploy: 1 under way of 1, 3 waiting
	// cancelled: true
	// cleared: 2
	// 1 <nil>
}

func Example_secrets() {
	login := tool.New("login", "Logs in.", func(_ context.Context, in struct {
		User  string `json:"user"`
		Token string `json:"token"`
	}) (string, error) {
		return "hello " + in.User, nil
	}, tool.Secret("token"))
	tools, _ := tool.NewRegistry(login)
	prog, err := ptc.Compile(context.Background(), "login.ptc", `(tool/login {:user "ann" :token data/token})`, ptc.Options{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"token": "s3cret"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Value())
	fmt.Printf("%s\n", res.Calls[0].Effect.Args)
	// Output:
	// hello ann <nil>
	// {"token":"[secret]","user":"ann"}
}

func Example_resume() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "transfer.journal")

	ctx, shutDown := context.WithCancel(context.Background())
	var paid []string
	pay := tool.New("pay", "Pays.", func(_ context.Context, in struct {
		From   string `json:"from"`
		Amount int    `json:"amount"`
	}) (bool, error) {
		paid = append(paid, in.From)
		return true, nil
	})
	audit := tool.New("audit", "Stops the server, for this example.", func(context.Context, struct{}) (bool, error) {
		shutDown()
		return true, nil
	}, tool.ReadOnly())
	tools, _ := tool.NewRegistry(pay, audit)

	source := `
		(tool/pay {:from "ann" :amount 10})
		(tool/audit)
		(tool/pay {:from "bob" :amount 20})
		:done`
	opts := ptc.Options{Tools: tools}
	prog, err := ptc.Compile(context.Background(), "transfer.ptc", source, opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	file := ptc.JournalFile{Path: path}
	_, err = prog.Record(ctx, file, ptc.RunOptions{})
	fmt.Println(err, paid)

	// Later, in another process that has the file and the tools:
	res, err := ptc.Resume(context.Background(), file, opts, ptc.RunOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := res.Value()
	fmt.Println(value, err, paid)
	_, err = ptc.Resume(context.Background(), file, opts, ptc.RunOptions{})
	fmt.Println(errors.Is(err, journal.ErrFinished))
	// Output:
	// transfer.ptc:3:3: cancelled: the run was cancelled [ann]
	// done <nil> [ann bob]
	// true
}

func Example_pending() {
	send := tool.New("send", "Sends a mail.", func(_ context.Context, in struct {
		To string `json:"to"`
	}) (string, error) {
		return "sent to " + in.To, nil
	}, tool.Timeout(time.Second))
	tools, err := tool.NewRegistry(send)
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := ptc.Compile(context.Background(), "mail.ptc", `
	(def to (ask {:question "Which address?" :options ["ann" "bob"]}))
	(try (tool/send {:to to}) (catch Exception e (ex-message e)))`,
		ptc.Options{Tools: tools, Approve: effect.Approvals{Writes: true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{
		OnPending: func(_ context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
			for _, p := range all {
				s := effect.Settlement{ID: p.ID, As: effect.Refuse, Reason: "not to " + string(p.Args)}
				if p.Kind == effect.PendingQuestion {
					s = effect.Settlement{ID: p.ID, As: effect.Done, Result: p.Options[1]}
				}
				settle = append(settle, s)
			}
			return settle, nil
		}})
	value, err := res.Value()
	fmt.Println(value, err)
	_, err = prog.Run(context.Background(), ptc.RunOptions{})
	parked := (*ptc.Parked)(nil)
	fmt.Println(errors.As(err, &parked), parked.Pending[0].Question)
	// Output:
	// tool/send: not to {"to":"bob"} <nil>
	// true Which address?
}

func Example_floats() {
	type reading struct {
		Sensor string  `json:"sensor"`
		Value  float64 `json:"value"`
	}
	prog, err := ptc.Compile(context.Background(), "last.ptc", "(peek data/readings)", ptc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, value := range []float64{2, math.NaN()} {
		readings := []reading{{"door", 1.5}, {"roof", value}}
		res, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"readings": readings}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.EDN())
	}
	// Output:
	// {:sensor "roof", :value 2.0} <nil>
	// last.ptc:1:7: wrong-type: data/readings: got NaN at [1 "value"], want a finite number
}

func Example_session() {
	sess := ptc.NewSession(ptc.Options{})
	if err := sess.SetData(map[string]any{"orders": []int{3, 4}}); err != nil {
		fmt.Println(err)
		return
	}
	for _, src := range []string{"(def total (reduce + data/orders))", "(/ total 0)", "(* total 2)"} {
		res, err := sess.Eval(context.Background(), src, ptc.EvalOptions{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		text, _ := res.EDN()
		fmt.Println(text)
	}
	// Output:
	// #'user/total
	// session-2:1:1: arithmetic: Divide by zero
	// 14
}
