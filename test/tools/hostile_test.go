package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// panicking is an error whose text can't be had.
type panicking struct{}

func (*panicking) Error() string { panic("in Error") }

// hostileResults are results that a dynamic tool may return.
var hostileResults = map[string]string{
	"deep":               strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
	"deeper":             strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000),
	"digits":             "1" + strings.Repeat("0", 100_000),
	"fraction":           "0." + strings.Repeat("3", 100_000),
	"exponents":          "[1e400,-1e400,1e999999999,1e-999999999,-0,-0.0,1E+2,12345678901234567890]",
	"no UTF-8":           "\"a\xff\xfeb\"",
	"a key of no UTF-8":  "{\"a\xff\":1}",
	"halves of pairs":    `["\ud800","\udc00\ud800x","\ud83d\udd11"]`,
	"keys twice":         `{"b":1,"a":2,"b":3,"\u0061":4}`,
	"odd keys":           `{"a b":1,"":2,"/":3,":k":4,"é":5,"token":6}`,
	"two values":         `1 {"token":"s3cr3t-token"}`,
	"controls":           `"\u0000\u001b[31m\u007f\u2028"`,
	"a raw control":      "\"\x00\"",
	"a byte order mark":  "\ufeff1",
	"spaces":             " \t ",
	"no JSON":            "NaN",
	"spread":             " {\n \"z\" : [ 1 ,\t2 ] ,\r\n \"token\":\"x\" } ",
	"the mark of a cut":  `"…[secret]…"`,
	"a secret elsewhere": `{"z":"s3cr3t-token","token":"s3cr3t-token","a":["\u00733cr3t-token"]}`,
}

// hostileErrors are errors that any tool may return.
var hostileErrors = map[string]error{
	"a long code":          &tool.Error{Code: strings.Repeat("x", 3<<20), Message: "m"},
	"an odd code":          &tool.Error{Code: "a b\n\x1b[31m:c\xff", Message: "m\x1b[31m\x00"},
	"a code of ours":       &tool.Error{Code: "steps-exceeded", Message: "m"},
	"a long pause":         &tool.Error{Message: "m", RetryAfter: math.MaxInt64},
	"a pause that is over": &tool.Error{Message: "m", RetryAfter: math.MinInt64},
	"nil":                  (*tool.Error)(nil),
	"no text":              &panicking{},
	"no JSON":              &tool.Error{Message: "m", Data: func() {}},
	"much data":            &tool.Error{Message: "m", Data: strings.Repeat("x", 1<<20)},
	"deep data":            &tool.Error{Message: "m", Data: json.RawMessage(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))},
	"data of no UTF-8":     &tool.Error{Message: "m", Data: json.RawMessage("\"a\xff\"")},
	"data in an order":     &tool.Error{Message: "m", Data: json.RawMessage(`{"z":1,"token":"x","a":1.50}`)},
	"several":              errors.Join(errors.New("a\nb"), &tool.Error{Code: "c"}),
	"no UTF-8":             errors.New("a\xff\xfeb"),
	"a long text":          errors.New(strings.Repeat("é\xff", 5000)),
	"the end of another":   fmt.Errorf("upstream: %w", context.DeadlineExceeded),
}

// TestHostileTools has tools return arbitrary results and errors: the run continues, its journal can be
// read, and a replay sees the same, with and without secrets.
func TestHostileTools(t *testing.T) {
	for name, result := range hostileResults {
		t.Run("result/"+name, func(t *testing.T) {
			compareReplay(t, func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(result), nil
			})
		})
	}
	for name, failure := range hostileErrors {
		t.Run("error/"+name, func(t *testing.T) {
			compareReplay(t, func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, failure })
		})
	}
	t.Run("arguments", func(t *testing.T) {
		compareReplay(t, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			for i := range args {
				args[i] = 'x'
			}
			return nil, nil
		})
	})
}

// compareReplay runs a program that shows all that it can see of a call, and replays it.
func compareReplay(t *testing.T, fn tool.Func) {
	t.Helper()
	const program = `(defn show [x] (if (map? x) (pr-str (keys x) (dissoc x :token)) (pr-str x)))
(def got (try (show (tool/hostile {:a [1 2 3]}))
  (catch Exception e (let [d (ex-data e)] [(ex-message e) (show d) (count (str (:code d))) (show (:data d))]))))
(println got)
got`
	for _, opts := range [][]tool.Option{nil, {tool.Secret("token")}} {
		hostile := tool.Dynamic("hostile", "Is hostile.", json.RawMessage(`{"type":"object"}`), nil, fn, append(opts, tool.Idempotent())...)
		prog, err := ptc.Compile(context.Background(), "p", program, ptc.Options{Tools: ptctest.Tools(t, hostile)})
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "journal")
		j, err := journal.Create(path, prog.Header(), journal.Options{})
		require.NoError(t, err)
		res, err := prog.Run(context.Background(), ptc.RunOptions{Journal: j})
		require.NoError(t, j.Close())
		_, jerr := json.Marshal(res.Calls)
		require.NoError(t, jerr)
		rec, jerr := journal.ReadFile(path)
		require.NoError(t, jerr)
		again, aerr := prog.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
		if len(opts) > 0 {
			assert.NotContains(t, fmt.Sprintf("%+v", rec), "s3cr3t-token")
		}
		if failed := (*diag.Error)(nil); errors.As(err, &failed) {
			require.NotEqual(t, diag.Internal, failed.Code)
			require.EqualError(t, aerr, err.Error())
			continue
		}
		require.NoError(t, aerr)
		want, err := res.EDN()
		require.NoError(t, err)
		got, err := again.EDN()
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(want, "s3cr3t-token", secretOf(opts)), got)
		assert.Less(t, len(want), 100_000)
	}
}

// secretOf returns the token as a replay sees it.
func secretOf(opts []tool.Option) string {
	if len(opts) > 0 {
		return "[secret]"
	}
	return "s3cr3t-token"
}

// TestSessionOfItsTool has a tool evaluate in the session that calls it, and in another.
func TestSessionOfItsTool(t *testing.T) {
	var session, other *ptc.Session
	in := func(s **ptc.Session) func(context.Context, struct{ Source string }) (string, error) {
		return func(ctx context.Context, in struct{ Source string }) (string, error) {
			res, err := (*s).Eval(ctx, in.Source, ptc.EvalOptions{})
			if err != nil {
				return "", err
			}
			return res.EDN()
		}
	}
	reg, err := tool.NewRegistry(tool.New("inner", "Evaluates.", in(&session)), tool.New("outer", "Evaluates.", in(&other)))
	require.NoError(t, err)
	session = ptc.NewSession(ptc.Options{Tools: reg, Limits: ptc.Limits{Timeout: time.Minute}})
	other = ptc.NewSession(ptc.Options{})
	_, err = session.Eval(t.Context(), `(def x 1) (tool/inner "(def x 2)")`, ptc.EvalOptions{})
	require.ErrorContains(t, err, "the session evaluates something already")
	res, err := session.Eval(t.Context(), `(def x 3) [x (tool/outer "(def x 4) x") x]`, ptc.EvalOptions{})
	require.NoError(t, err)
	assert.Equal(t, []any{int64(3), "4", int64(3)}, ptctest.ValueOf(res))
}
