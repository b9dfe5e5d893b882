// This file defines the examples of the card. There are three; if there are tools, two of the examples call
// one.

package prompt

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// dataExamples work on an input, which the first line defines in the form of package internal/filetest; the
// value follows ;=>. The first example needs keyword keys.
var dataExamples = []string{
	`;; data {"orders": [{"id": 1, "region": "north", "lines": [{"quantity": 3, "price": 9.5}]}, {"id": 2, "region": "south", "lines": [{"quantity": 1, "price": 120.0}]}]}
(defn total [order]
  (reduce + (map (fn [{:keys [quantity price]}] (* quantity price)) (:lines order))))

(->> data/orders
     (group-by :region)
     (map (fn [[region orders]] {:region region :orders (count orders) :total (reduce + (map total orders))}))
     (sort-by :total >))  ;=> ({:region "south", :orders 1, :total 120.0} {:region "north", :orders 1, :total 28.5})
`,
	`;; data {"rows": ["17;3.5", "18;x"]}
(defn parse [row]
  (let [[id amount] (str/split row #";")]
    {:id (parse-long id)
     :amount (or (parse-double amount) (throw (ex-info "no amount" {:row row})))}))

(let [parsed (psettle parse data/rows)]
  {:good (keep :ok parsed)
   :bad (map (comp :row :data) (keep :error parsed))})  ;=> {:good ({:id 17, :amount 3.5}), :bad ("18;x")}
`,
	`;; data {"texts": ["one fish two fish", "red fish"]}
(defn counts [text] (frequencies (re-seq #"\w+" text)))

(when (empty? data/texts)
  (fail "no texts"))

(->> (pmap counts data/texts)
     (apply merge-with +)
     (sort-by (juxt (comp - val) key))
     (take 2)
     (into []))  ;=> [["fish" 3] ["one" 1]]
`,
}

// chosenExamples returns three examples, the best first; or two.
func chosenExamples(ctx context.Context, o Options) []*piece {
	onData := dataExamples
	if o.Run.StringKeys {
		onData = onData[1:]
	}
	texts := slices.Concat(toolExamples(ctx, o), onData)
	texts = texts[:min(len(texts), len(dataExamples))]
	var all []*piece
	for _, text := range texts {
		all = append(all, &piece{section: examples, text: "```clojure\n" + text + "```\n", kind: "examples"})
	}
	return all
}

// toolExamples returns up to two examples that call granted tools: several parallel calls, and one whose
// failure is handled. Tools that change nothing are preferred.
func toolExamples(ctx context.Context, o Options) []string {
	all := o.Run.Tools.All()
	slices.SortStableFunc(all, func(a, b *tool.Tool) int { return int(b.Class()) - int(a.Class()) })
	var texts []string
	for _, pattern := range []func(*tool.Tool) string{severalCalls, ownCall, sampledCall} {
		for _, t := range all {
			if len(texts) == 2 {
				return texts
			}
			if text := pattern(t); text != "" && compiles(ctx, text, o) {
				texts = append(texts, text)
				break
			}
		}
	}
	return texts
}

// severalCalls calls a tool that takes one text for several texts in parallel.
func severalCalls(t *tool.Tool) string {
	sole := t.Sole()
	first, ok := sampleArgs(t, 1)
	if !ok || sole == "" {
		return ""
	}
	second, ok := sampleArgs(t, 2)
	if !ok {
		return ""
	}
	one, other := literal(first[sole]), literal(second[sole])
	if !strings.HasPrefix(one, `"`) || one == other {
		return ""
	}
	return fmt.Sprintf("(let [outcomes (psettle #(retry {:times 3} (tool/%s %%)) [%s %s])]  ; in parallel, in this "+
		"order\n  {:results (keep :ok outcomes)\n   :failed (map (juxt :index :message) (keep :error outcomes))})\n",
		t.Name(), one, other)
}

// ownCall makes the call that is the tool's own example.
func ownCall(t *tool.Tool) string {
	if own := t.Examples(); len(own) > 0 {
		return withRetry(own[0])
	}
	return ""
}

// sampledCall makes a call that the schema of a tool allows.
func sampledCall(t *tool.Tool) string {
	if args, ok := sampleArgs(t, 1); ok {
		return withRetry("(tool/" + t.Name() + " " + literal(args) + ")")
	}
	return ""
}

// withRetry retries a call, and returns a failure as data.
func withRetry(call string) string {
	return fmt.Sprintf("(try\n  (retry {:times 3 :backoff-ms 200}\n    %s)\n"+
		"  (catch :tool-failed e\n    {:failed (:code (ex-data e)) :why (ex-message e)}))\n", call)
}

// compiles reports whether an example is a program. The examples of a host's tools are not always programs.
func compiles(ctx context.Context, text string, o Options) bool {
	opts := o.Run
	opts.DataNames = nil
	_, err := ptc.Compile(ctx, "example", text, opts)
	return err == nil
}

// sampleArgs returns arguments that a tool takes, the n-th of several; ok is false if none are
// found that match its schema.
func sampleArgs(t *tool.Tool, n int) (args map[string]any, ok bool) {
	var s schema
	if json.Unmarshal(t.Args().JSON(), &s) != nil {
		return nil, false
	}
	args, ok = s.sample("", n).(map[string]any)
	text, err := json.Marshal(args)
	return args, ok && err == nil && t.Args().Check(text, nil) == nil
}
