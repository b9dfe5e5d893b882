//go:build unix

package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

// kind is a program of the soak. Its data has a name, with which the keys of its writes begin, and the URL of the
// service.
type kind struct {
	name     string
	source   string
	elements int
	writes   int
	strong   int    // reads of facts at the level strong
	local    bool   // the value is that of a run in the test
	value    string // the expected outcome of a run
	prints   string
}

// kinds are the programs of the soak. They take no guards: a node that is stopped loses them.
func kinds() []*kind {
	return []*kind{
		{name: "steps", writes: 30, local: true, source: `
			(doseq [i (range 30)] (post i) (println "step" i))
			"end"`},
		{name: "writes", elements: 300, writes: 300, local: true, source: `
			(println "begin")
			(let [all (pmap (fn [i] (post i) (println i) (* i i)) (range 300))]
			  (println "sum" (reduce + all))
			  all)`},
		{name: "reads", elements: 600, local: true, source: `
			(reduce + (pmap (fn [i] (+ i (:status (tool/http.get (str data/url "/?i=" i))))) (range 600)))`},
		{name: "regions", elements: 303, writes: 301, local: true, source: `
			(let [done (pmap (fn [region]
			                   (println "region" region)
			                   (reduce + (pmap (fn [host] (post (str region "x" host))) (range 100))))
			                 (range 3))]
			  (post "end")
			  (vec done))`},
		{name: "errors", elements: 200, writes: 201, local: true, source: `
			(let [all (psettle (fn [i] (post i) (if (zero? (mod i 7)) (throw (ex-info "no" {:i i})) (* 2 i))) (range 200))]
			  (post "end")
			  (mapv (fn [r] (or (:ok r) (:code (:error r)))) all))`},
		{name: "functions", elements: 100, writes: 200, local: true, source: `
			(let [fs (pmap (fn [i] (let [s (post i)] (fn [] (+ s i)))) (range 100))]
			  (mapv (fn [f i] [(f) (post (str "after" i))]) fs (range 100)))`},
		{name: "asks", elements: 120, writes: 120, local: true, source: `
			(pmap (fn [i]
			        (let [said (when (zero? (mod i 40)) (ask {:question (str "Go on with " i "?")}))]
			          (post i)
			          [i said]))
			      (range 120))`},
		{name: "facts", elements: 400, strong: 400, value: "0", source: `
			(defn often [f] (retry {:times 200 :backoff-ms 100 :on #{:unavailable}} (f)))
			(let [host (str "host-" data/name)
			      stale (mapv (fn [n]
			                    (often (fn [] (tool/facts.put {:host host :fact "n" :value n})))
			                    (let [seen (pmap (fn [_] (get-in (often (fn [] (tool/facts.get {:host host :level "strong"})))
			                                                     [:facts :n]))
			                                     (range 40))]
			                      (count (remove (fn [s] (= s n)) seen))))
			                  (range 10))]
			  (reduce + stale))`},
	}
}

// common is the common beginning of all programs.
const common = `
(defn post [k] (:status (tool/http.post {:url (str data/url "/?key=" data/name "_" k) :body "x"})))
`

// submission returns a run of the program.
func (k *kind) submission(name, url string) store.Submission {
	return store.Submission{Source: common + k.source, Data: []byte(`{"name": "` + name + `", "url": "` + url + `"}`),
		Key: name}
}

// alone runs the program in this process, for the expected outcome of its runs.
func (k *kind) alone(t testing.TB, calls *slow) {
	t.Helper()
	if !k.local {
		return
	}
	s, err := parse(append([]string{"--dir", t.TempDir()}, calls.flags()...))
	require.NoError(t, err)
	granted, err := s.granted()
	require.NoError(t, err)
	defer granted.Close()
	tools, err := granted.Registry(t.Context())
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), k.name, common+k.source, ptc.Options{Tools: tools})
	require.NoError(t, err, k.name)
	var prints strings.Builder
	res, err := prog.Run(t.Context(), ptc.RunOptions{
		Data:   map[string]any{"name": "local_" + k.name, "url": calls.URL},
		Output: func(p ptc.Print) { prints.WriteString(p.Text) },
		OnPending: func(_ context.Context, all []effect.Pending) (settled []effect.Settlement, err error) {
			for _, p := range all {
				settled = append(settled, effect.Settlement{ID: p.ID, As: effect.Done, Result: []byte(`"yes"`)})
			}
			return settled, nil
		}})
	require.NoError(t, err, k.name)
	k.value, err = res.EDN()
	require.NoError(t, err)
	k.prints = prints.String()
}
