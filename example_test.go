package ptc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/ptc-lang/ptc"
)

func ExampleRun() {
	res, err := ptc.Run(context.Background(), "(reduce + (range 10))", ptc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Value())
	// Output: 45 <nil>
}

func ExampleCompile() {
	prog, err := ptc.Compile(context.Background(), "total.ptc", `
		(println "summing" (count data/orders) "orders")
		(reduce + (map :total data/orders))`, ptc.Options{DataNames: []string{"orders"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, orders := range []string{`[{"total": 3}, {"total": 4}]`, `[]`} {
		res, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"orders": json.RawMessage(orders)}})
		fmt.Print(res.Prints)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Value())
	}
	// Output:
	// summing 2 orders
	// 7 <nil>
	// summing 0 orders
	// 0 <nil>
}

func ExampleCompile_error() {
	_, err := ptc.Compile(context.Background(), "typo.ptc", "(prinln 1)", ptc.Options{})
	var e *ptc.Error
	if errors.As(err, &e) {
		fmt.Println(e)
		fmt.Println(e.Hint)
	}
	// Output:
	// typo.ptc:1:2: unknown-name: Unable to resolve symbol: prinln in this context
	// did you mean println?
}

func ExampleProgram_Run_goValues() {
	type Order struct {
		ID    int     `json:"id"`
		Total float64 `json:"total"`
	}
	prog, _ := ptc.Compile(context.Background(), "best.ptc", "(apply max-key :total data/orders)", ptc.Options{})
	res, _ := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"orders": []Order{{1, 9.5}, {2, 12}}}})
	fmt.Println(res.Value())
	edn, _ := res.EDN()
	fmt.Println(edn)
	// Output:
	// map[id:2 total:12] <nil>
	// {:id 2, :total 12.0}
}

func ExampleOptions_limits() {
	_, err := ptc.Run(context.Background(), "(loop [] (recur))", ptc.Options{Limits: ptc.Limits{Timeout: 20 * time.Millisecond}})
	var e *ptc.Error
	fmt.Println(errors.As(err, &e), e.Code)
	// Output: true timeout
}

func ExampleSession() {
	sess := ptc.NewSession(ptc.Options{})
	ctx := context.Background()
	for _, src := range []string{"(defn double [x] (* 2 x))", "(double 21)", "(inc *1)"} {
		res, err := sess.Eval(ctx, src, ptc.EvalOptions{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		text, _ := res.EDN()
		fmt.Println(text)
	}
	// Output:
	// #'user/double
	// 42
	// 43
}

func ExampleResult_JSON() {
	res, _ := ptc.Run(context.Background(), `{:user/name "Ann", :tags #{:a}, :n 1/2}`, ptc.Options{})
	text, err := res.JSON(false)
	fmt.Println(text, err)
	// Output: {"user/name":"Ann","tags":["a"],"n":0.5} <nil>
}

// The function given to pmap runs on parallel workers, each under its own memory cap.
// The result is in order, whatever the timing.
func ExampleRun_parallel() {
	res, err := ptc.Run(context.Background(), `
(defn primes [[from to]]
  (count (filter (fn [n] (and (> n 1) (not-any? #(zero? (mod n %)) (range 2 (inc (long (Math/sqrt n))))))) (range from to))))
(pmap primes [[0 1000] [1000 2000] [2000 3000]])`,
		ptc.Options{Limits: ptc.Limits{Workers: 4, WorkerMemory: 8 << 20}})
	if err != nil {
		log.Fatal(err)
	}
	primes, err := res.Value()
	fmt.Println(primes, err, res.Usage.Parallel.Elements)
	// Output: [168 135 127] <nil> 3
}

// An operation that finds no free slot runs in that of the worker which asks for it. One that
// nests deeper than there are workers fails, however many slots are free.
func ExampleOptions_onFull() {
	nested := "(pmap (fn [x] (reduce + (pmap inc (range x)))) [1 2 3])"
	res, err := ptc.Run(context.Background(), nested, ptc.Options{Limits: ptc.Limits{Workers: 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Value())
	_, err = ptc.Run(context.Background(), nested, ptc.Options{Limits: ptc.Limits{Workers: 1}})
	fmt.Println(errors.Is(err, &ptc.Error{Code: "parallel-capacity-exceeded"}))
	// Output:
	// [1 3 6] <nil>
	// true
}

func ExampleCheck() {
	found := ptc.Check(context.Background(), "totals.ptc", "(defn total [rows region]\n  (length rows))\n(total [1 2] :north)", ptc.Options{})
	for _, d := range found.Diagnostics {
		fmt.Println(d.Span, d.Severity, d.Code, d.Message, d.Fix[0].Text)
	}
	// Output:
	// totals.ptc:1:19 warning unused-binding nothing uses region _
	// totals.ptc:2:4 error unknown-name Unable to resolve symbol: length in this context count
}

func ExampleFix() {
	text, edits, err := ptc.Fix(context.Background(), "totals.ptc", "(defn total [rows region] (length rows))", ptc.Options{})
	fmt.Println(text, edits, err)
	// Output: (defn total [rows _region] (count rows)) 2 <nil>
}

func ExampleResult_Decode() {
	res, err := ptc.Run(context.Background(), `{:name "Ann" :share 3/4 :tags #{:new}}`, ptc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var customer struct {
		Name  string   `json:"name"`
		Share float64  `json:"share"`
		Tags  []string `json:"tags"`
	}
	err = res.Decode(&customer)
	fmt.Println(customer, err)
	// Output: {Ann 0.75 [new]} <nil>
}

func ExampleResult_Envelope() {
	res, err := ptc.Run(context.Background(), `(println "dividing") (/ 1 0)`, ptc.Options{})
	e := res.Envelope(err, 4000)
	fmt.Printf("%s %q %s\n", e.Status, e.Prints, e.Error.Code)
	// Output: error "dividing\n" arithmetic
}

// The output of a program arrives while it runs.
func ExampleProgram_Run_output() {
	prog, err := ptc.Compile(context.Background(), "count.ptc", `(doseq [i (range 3)] (println "step" i))`, ptc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = prog.Run(context.Background(), ptc.RunOptions{Output: func(p ptc.Print) { fmt.Print(p.Text) }})
	fmt.Println(err)
	// Output:
	// step 0
	// step 1
	// step 2
	// <nil>
}

// A run with a journal can be replayed: without its tools doing anything, and with the same random numbers.
func ExampleProgram_Record() {
	dir, err := os.MkdirTemp("", "journals")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	prog, err := ptc.Compile(context.Background(), "dice.ptc", "(reduce + (repeatedly data/dice #(rand-int 6)))", ptc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, file := context.Background(), ptc.JournalFile{Path: filepath.Join(dir, "dice.journal")}
	first, err := prog.Record(ctx, file, ptc.RunOptions{Data: map[string]any{"dice": 100}})
	if err != nil {
		log.Fatal(err)
	}
	again, err := ptc.Replay(ctx, file, ptc.Options{}, ptc.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	a, _ := first.Value()
	b, _ := again.Value()
	fmt.Println(a == b)
	// Output: true
}
