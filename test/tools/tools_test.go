package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestTools(t *testing.T) {
	for _, test := range []struct{ name, program, want string }{
		{"map", `(tool/search {:query "lamp" :limit 2})`, `[{:id 1, :name "lamp one"} {:id 2, :name "lamp two"}]`},
		{"names and values", `(tool/search :query "lamp" :limit 1)`, `[{:id 1, :name "lamp one"}]`},
		{"one value", `(:body (tool/fetch "a"))`, `"<a>"`},
		{"the only required one", `(count (tool/search "lamp"))`, `3`},
		{"string keys", `(count (tool/search {"query" "lamp"}))`, `3`},
		{"in parallel", `(map :body (pmap tool/fetch ["a" "b" "c"]))`, `("<a>" "<b>" "<c>")`},
		{"as a value", `(let [f (comp :status tool/fetch)] (mapv f ["a" "b"]))`, `[200 200]`},
		{"apply", `(:body (apply tool/fetch ["x"]))`, `"<x>"`},
		{"in a lazy sequence", `(reduce + (map (comp count tool/search) ["a" "b"]))`, `6`},
		{"print", `(str tool/fetch)`, `"#object[tool/fetch]"`},
		{"tools", `(map :name (tools))`, `(tool/big tool/count tool/fetch tool/flaky tool/panics tool/plain tool/search tool/slow)`},
		{"signature", `(:signature (nth (tools) 6))`, `"search {:query string :limit int?} -> [{:id int :name string}]"`},
		{"doc", `(with-out-str (doc tool/fetch))`, `"-------------------------\ntool/fetch {:url string} -> {:status int :body string}\nTool\n  Fetches a page.\n  [read-only]\n"`},
		{"find-doc", `(first (clojure.string/split-lines (subs (with-out-str (find-doc "catalogue")) 26)))`, `"tool/search {:query string :limit int?} -> [{:id int :name string}]"`},
		{"apropos", `(first (apropos "searc"))`, `tool/search`},
		{"failure", `(try (tool/fetch "") (catch Exception e [(ex-message e) (ex-data e)]))`,
			`["tool/fetch: there is no URL" {:code :no-url, :tool :fetch, :retryable? false, :data {:status 400}}]`},
		{"plain failure", `(try (tool/plain) (catch clojure.lang.ExceptionInfo e [(ex-message e) (:code (ex-data e))]))`, `["tool/plain: it is broken" :failed]`},
		{"panic", `(try (tool/panics) (catch Exception e [(ex-message e) (:code (ex-data e))]))`, `["tool/panics: it panicked: a bug" :panic]`},
		{"timeout", `(try (tool/slow) (catch Exception e [(ex-message e) (:code (ex-data e)) (:retryable? (ex-data e))]))`,
			`["tool/slow: it took longer than 20ms" :timeout true]`},
		{"settled", `(mapv (comp :code :data :error) (psettle tool/fetch ["a" ""]))`, `[nil :no-url]`},
		{"missing argument", `(try (tool/search {:limit 1}) (catch Exception e [(ex-message e) (:code (ex-data e))]))`,
			`["tool/search: argument :query: got nothing, want string" :bad-arguments]`},
		{"wrong type", `(try (tool/search {:query "x" :limit "ten"}) (catch Exception e (ex-message e)))`,
			`"tool/search: argument :limit: got the string \"ten\", want int"`},
		{"an eval", `(eval '(:status (tool/fetch "a")))`, `200`},
	} {
		t.Run(test.name, func(t *testing.T) {
			res, err := ptc.Run(context.Background(), test.program, ptc.Options{Tools: ptctest.Tools(t)})
			require.NoError(t, err)
			text, err := res.EDN()
			require.NoError(t, err)
			assert.Equal(t, test.want, text)
		})
	}
}

func TestToolErrors(t *testing.T) {
	reg := ptctest.Tools(t)
	reg.Withhold("http-get", "grant it with --allow-http HOST")
	for _, test := range []struct {
		program string
		code    diag.Code
		hint    string
	}{
		{`(tool/serch "x")`, diag.UnknownTool, "did you mean tool/search?"},
		{`(tool/http-get "x")`, diag.NotGranted, "grant it with --allow-http HOST"},
		{`(tool/http-gt "x")`, diag.UnknownTool, "did you mean tool/http-get?"},
		{`(tool/search 1 2 3)`, diag.IllegalArgument, "search {:query string"},
		{`(tool/search {:query "x" :limt 1})`, diag.ToolFailed, "did you mean :limit?"},
		{`(tool/search {:query inc})`, diag.IllegalArgument, ""},
		{`(tool/search {:query "a" "query" "b"})`, diag.IllegalArgument, "the same key in JSON"},
		{`(tool/count (apply str (repeat 200000 "x")))`, diag.ArgumentTooLarge, "--argument-bytes"},
		{`(tool/big 200000)`, diag.ResultTooLarge, "--call-result-bytes"},
		{`(doall (map (fn [_] (tool/fetch "a")) (range 100)))`, diag.CallsExceeded, "--calls"},
		{`(doall (map (fn [_] (try (tool/fetch "a") (catch Throwable e nil))) (range 100)))`, diag.CallsExceeded, "--calls"},
		{`(doall (pmap (fn [_] (tool/fetch "a")) (range 100)))`, diag.CallsExceeded, "--calls"},
		{`(doall (map (fn [_] (tool/count "a")) (range 20)))`, diag.CallsExceeded, "--tool-calls"},
		{`(defmacro m [] (tool/fetch "a")) (m)`, diag.NotSupported, "the running program"},
	} {
		t.Run(test.program, func(t *testing.T) {
			opts := ptc.Options{Tools: reg, Limits: ptc.Limits{Arguments: 100_000, CallResult: 100_000, Calls: 50}}
			if strings.Contains(test.hint, "--tool-calls") {
				opts.Limits.ToolCalls = 10
			}
			_, err := ptc.Run(context.Background(), test.program, opts)
			var e *ptc.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.code, e.Code, e)
			assert.Contains(t, e.Hint, test.hint)
			assert.False(t, e.Span.IsZero())
		})
	}
}

// TestToolMemory has results that do not fit the evaluation.
func TestToolMemory(t *testing.T) {
	program := `(def kept (atom []))
		(loop [i 0] (when (< i 1000) (swap! kept conj (tool/big 100000)) (recur (inc i))))`
	opts := ptc.Options{Tools: ptctest.Tools(t), Limits: ptc.Limits{Memory: 4 << 20}}
	_, err := ptc.Run(context.Background(), program, opts)
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.MemoryExceeded, e.Code)
	res, err := ptc.Run(context.Background(), `(loop [i 0 n 0] (if (< i 300) (recur (inc i) (+ n (count (tool/big 100000)))) n))`,
		ptc.Options{Tools: ptctest.Tools(t), Limits: ptc.Limits{Memory: 1 << 20}})
	require.NoError(t, err, "what is not kept is let go")
	assert.EqualValues(t, 30_000_000, ptctest.ValueOf(res))
	assert.EqualValues(t, 300, res.Usage.Calls)
}

// TestToolIgnoresContext has a tool that does not heed the end of its context.
func TestToolIgnoresContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stuck := tool.New("stuck", "Does not end.", func(context.Context, struct{}) (int, error) {
			<-release
			return 1, nil
		}, tool.Timeout(10*time.Millisecond))
		defer close(release)
		res, err := ptc.Run(context.Background(), `(try (tool/stuck) (catch Exception e (:code (ex-data e))))`, ptc.Options{Tools: ptctest.Tools(t, stuck)})
		require.NoError(t, err)
		assert.Equal(t, "timeout", ptctest.ValueOf(res))
		assert.EqualValues(t, 1, res.Usage.Abandoned)

		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(5*time.Millisecond, cancel)
		_, err = ptc.Run(ctx, `(tool/stuck)`, ptc.Options{Tools: ptctest.Tools(t, stuck)})
		var e *ptc.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, diag.Cancelled, e.Code)

		_, err = ptc.Run(context.Background(), `(dotimes [_ 100] (try (tool/stuck) (catch Exception e (when (= :stuck (:code (ex-data e))) (throw e)))))`,
			ptc.Options{Tools: ptctest.Tools(t, stuck)})
		require.ErrorContains(t, err, "have not ended in time")
	})
}

// TestToolCallsInScope has a body that may make fewer calls than the run.
func TestToolCallsInScope(t *testing.T) {
	res, err := ptc.Run(context.Background(), `
		[(try (with-limits {:calls 3} (mapv tool/fetch ["a" "b" "c" "d"])) (catch Exception e (ex-message e)))
		 (try (with-limits {:calls 3} (doall (pmap tool/fetch ["a" "b" "c" "d"]))) (catch Exception e :exceeded))
		 (count (with-limits {:calls 3} (mapv tool/fetch ["a" "b" "c"])))
		 (with-limits {:calls 3} (tool/fetch "a") (:calls (limits)))]`, ptc.Options{Tools: ptctest.Tools(t)})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	assert.Equal(t, `["with-limits: the body made more than 3 tool calls" :exceeded 3 2]`, text)
}

// TestDynamicTool has a tool of schemas and a function on JSON.
func TestDynamicTool(t *testing.T) {
	args := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":0,"maximum":10}},"required":["n"],"additionalProperties":false}`)
	result := json.RawMessage(`{"type":"array","items":{"type":"object","properties":{"i":{"type":"integer"}},"required":["i"]}}`)
	var reply string
	double := tool.Dynamic("numbers.double", "", args, result, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
		reply = string(args)
		if strings.Contains(reply, "9") {
			return json.RawMessage(`[{"i":1},{"i":"two"}]`), nil
		}
		return json.RawMessage(`[{"i":12345678901234567}]`), nil
	})
	run := func(program string) (string, error) {
		res, err := ptc.Run(context.Background(), program, ptc.Options{Tools: ptctest.Tools(t, double)})
		if err != nil {
			return "", err
		}
		return res.EDN()
	}
	text, err := run(`(tool/numbers.double 3)`)
	require.NoError(t, err)
	assert.Equal(t, `[{:i 12345678901234567}]`, text)
	assert.JSONEq(t, `{"n":3}`, reply)
	_, err = run(`(tool/numbers.double 11)`)
	require.ErrorContains(t, err, "argument :n: got 11, want int, at least 0, at most 10")
	_, err = run(`(tool/numbers.double 9)`)
	require.ErrorContains(t, err, `its result does not match its schema: [1 :i]: got the string "two", want int`)
}

// TestSecrets has secrets of all kinds in calls that fail: no text shows them.
func TestSecrets(t *testing.T) {
	login := tool.New("login", "Logs in.", func(_ context.Context, in struct {
		User  string `json:"user"`
		Token string `json:"token,omitempty"`
		Pin   int64  `json:"pin,omitempty"`
	}) (map[string]string, error) {
		if in.User == "fails" {
			return nil, &tool.Error{Message: "refused", Data: in}
		}
		return map[string]string{"token": in.Token}, nil
	}, tool.Secret("token", "pin"))
	for _, args := range []string{
		`{:user "fails" :token "7777777777"}`, `{:user "works" :token "7777777777"}`, `{:user "x" :token 7777777777}`, `{:user "x" :token ["7777777777"]}`,
		`{:user "x" :pin 77777777777777777777}`, `{:user "x" :pin "7777777777"}`, `{:user "x" :pin (reduce *' (repeat 400 7777777777))}`, `{:user 1 :pin 7777777777}`,
	} {
		t.Run(args, func(t *testing.T) {
			program := `(try (tool/login ` + args + `) "" (catch Exception e (str (ex-message e) (ex-data e))))`
			res, err := ptc.Run(context.Background(), program, ptc.Options{Tools: ptctest.Tools(t, login)})
			require.NoError(t, err)
			calls, err := json.Marshal(res.Calls)
			require.NoError(t, err)
			text := fmt.Sprint(ptctest.ValueOf(res)) + string(calls)
			assert.NotContains(t, text, "777777")
			assert.NotContains(t, text, "604938") // the product begins so
		})
	}
}

// TestSecretsInLogs has a tool that panics with a secret, and guards that are named by it.
func TestSecretsInLogs(t *testing.T) {
	login := tool.New("login", "Logs in.", func(_ context.Context, in struct {
		Token string `json:"token"`
	}) (int, error) {
		panic("no such token: " + in.Token)
	}, tool.Secret("token"))
	var log strings.Builder
	_, err := ptctest.RunWith(context.Background(), `(let [t "s3cr3t-token"] (try (tool/login t) (catch Exception e nil)) (host-exclusive t (tool/login t)))`,
		ptc.Options{Tools: ptctest.Tools(t, login)},
		ptc.RunOptions{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	require.Error(t, err)
	assert.Contains(t, log.String(), "tool panicked")
	assert.Contains(t, log.String(), "guard taken")
	assert.NotContains(t, log.String()+err.Error(), "s3cr3t")
}

// TestSecretsAreReadAgain resumes a run that has read a secret: it is not in the journal,
// and so it is read again, by a tool that changes nothing.
func TestSecretsAreReadAgain(t *testing.T) {
	reads := 0
	var got []string
	token := tool.New("token", "Gives a token.", func(context.Context, struct{}) (string, error) {
		reads++
		return "s3cr3t-token", nil
	}, tool.ReadOnly(), tool.SecretResult())
	send := tool.New("send", "Sends.", func(_ context.Context, in ptctest.FetchArgs) (int, error) {
		got = append(got, in.URL)
		return 1, nil
	})
	program := `(let [t (tool/token)] (tool/send (str "a?" t)) (loop [i 0] (when (< i data/n) (recur (inc i)))) (tool/send (str "b?" t)))`
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Create(path, journal.Header{Program: "p", Source: program}, journal.Options{})
	require.NoError(t, err)
	run := func(j *journal.Journal, n int) error {
		prog, err := ptc.Compile(context.Background(), "p", program, ptc.Options{Tools: ptctest.Tools(t, token, send), Limits: ptc.Limits{Steps: 1_000_000}})
		require.NoError(t, err)
		_, err = prog.Run(context.Background(), ptc.RunOptions{Journal: j, Data: map[string]any{"n": n}})
		require.NoError(t, j.Close())
		return err
	}
	require.ErrorContains(t, run(j, 100000000), "steps")
	j, _, err = journal.Resume(path, nil, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, run(j, 10))
	assert.Equal(t, []string{"a?s3cr3t-token", "b?s3cr3t-token"}, got)
	assert.Equal(t, 2, reads)
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprintf("%+v", rec), "s3cr3t")
	require.NoError(t, run(journal.Replay(rec), 10))
	assert.Equal(t, 2, reads)
}
