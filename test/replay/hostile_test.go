package replay

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// forge makes a journal that no run has written.
func forge(t *testing.T, source string, write func(j *journal.Journal)) *journal.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "forged.journal")
	j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: source, Seed: 1}, journal.Options{})
	require.NoError(t, err)
	write(j)
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	return rec
}

// TestReplayNesting has a forged recording of operations that nest deeper than there are
// slots: they take no more than there are.
func TestReplayNesting(t *testing.T) {
	source := `(defn deep [n] (if (zero? n) 0 (inc (first (pmap (fn [_] (deep (dec n))) [1]))))) (deep 40)`
	opts := ptc.Options{Limits: ptc.Limits{Workers: 4}}
	prog, err := ptc.Compile(context.Background(), "p.ptc", source, opts)
	require.NoError(t, err)
	rec := forge(t, source, func(*journal.Journal) {})
	res, err := prog.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
	require.NoError(t, err)
	value, err := res.Value()
	require.NoError(t, err)
	assert.EqualValues(t, 40, value)
	assert.Equal(t, 4, res.Usage.Parallel.Peak)
}

// TestReplayAbsurdEndings has forged endings, which do no more than end the run or be found
// out.
func TestReplayAbsurdEndings(t *testing.T) {
	source := `(try (with-limits {:steps 5000} (reduce + (mapv inc (range 50)))) (catch Exception e (ex-message e)))
(pmap inc (range 10)) (println "a") (sort (range 1000))`
	prog, err := ptc.Compile(context.Background(), "p.ptc", source, ptc.Options{})
	require.NoError(t, err)
	for _, at := range []string{`"step"`, `"work"`, `"look"`, `"assist"`, `"call"`, `"effect"`, `"operation"`, `"?"`, `""`} {
		for i, n := range []string{"0", "1", "-1", "9223372036854775807", "-9223372036854775808"} {
			for j, scope := range []string{"-1", "0", "-7", "3", "9223372036854775807"} {
				if !testlevel.Takes(i+j, 4) {
					continue
				}
				how := `{"scope":` + scope + `,"bound":"steps","limit":` + n + `,"at":` + at + `,"steps":` + n + `,"work":` + n + `,"nth":` + n + `,"effects":` + n + `}`
				for _, stop := range []bool{true, false} {
					rec := forge(t, source, func(j *journal.Journal) {
						if stop {
							require.NoError(t, j.Stop([]byte(how)))
							return
						}
						_, _, err := j.Begin(context.Background(), effect.Effect{ID: "0#1", Kind: effect.KindChoice, Class: effect.ReadOnly, Name: "with-limits", Args: json.RawMessage(how)})
						require.NoError(t, err)
						require.NoError(t, j.End("0#1", effect.Record{}))
					})
					_, err := prog.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
					if failed := (*ptc.Error)(nil); errors.As(err, &failed) {
						assert.NotEqual(t, diag.Internal, failed.Code, "%s: %s", how, failed.Stack)
					}
				}
			}
		}
	}
}

// TestReplayLongChoice has a forged ending of some megabytes in front of many operations: it
// is not read for each.
func TestReplayLongChoice(t *testing.T) {
	source := `(dotimes [_ 3000] (pmap inc [1]))`
	prog, err := ptc.Compile(context.Background(), "p.ptc", source, ptc.Options{})
	require.NoError(t, err)
	pad := strings.Repeat("x", 8<<20)
	for name, args := range map[string]string{"with-limits": `{"bound":"steps","at":"step","steps":1000000000,"pad":"` + pad + `"}`,
		"parallel-capacity-exceeded": `{"operation":1000000000,"error":"` + pad + `"}`} {
		rec := forge(t, source, func(j *journal.Journal) {
			_, _, err := j.Begin(context.Background(), effect.Effect{ID: "0#1", Kind: effect.KindChoice, Class: effect.ReadOnly, Name: name, Args: json.RawMessage(args)})
			require.NoError(t, err)
		})
		ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
		_, err := prog.Run(ctx, ptc.RunOptions{Journal: journal.Replay(rec)})
		require.NoError(t, ctx.Err(), name)
		cancel()
		assert.ErrorContains(t, err, "without the recorded effect", name)
	}
}

// TestReplayAbsurdOutcomes has forged outcomes of effects that the runtime records for itself.
func TestReplayAbsurdOutcomes(t *testing.T) {
	for _, test := range []struct {
		kind         effect.Kind
		name, args   string
		source       string
		result, fail []string
	}{
		{effect.KindTime, "limits", "", `(str (limits)) (with-limits {:steps 100 :workers 2} (limits))`, []string{`{"Bytes":-1,"Steps":-9223372036854775808,"Calls":-5,"Workers":-3,"Timeout":-1}`,
			`{"Bytes":9223372036854775807,"Steps":9223372036854775807,"Timeout":9223372036854775807,"Workers":1e99}`, `[]`, `7`, `null`}, nil},
		{effect.KindTime, "", "", `(System/nanoTime)`, []string{`-9223372036854775808`, `9223372036854775807`, `1e9`, `"x"`, `{}`, `null`}, nil},
		{effect.KindChoice, "pquorum", "", `(pquorum 2 (fn [x] (* x x)) (range 4))`, []string{`[]`, `[0]`, `[1,1,1,1]`, `[-1]`, `[4]`, `[0,1,2,3]`, `[9223372036854775807]`, `{}`, `null`, `"x"`}, nil},
		{effect.KindChoice, "pquorum", "", `(pany (fn [x] (if (= x 0) (throw (ex-info "x" {})) x)) (range 4))`, []string{`[]`, `[0]`, `[0,0]`, `[2,3]`, `null`}, nil},
		{effect.KindPause, "", "1000000", `(Thread/sleep 1)`, []string{`{}`, `1`}, []string{`{}`, `"timeout"`, `null`}},
		{effect.KindPause, "", "1000000", `(with-limits {:ms 5} (Thread/sleep 1))`, nil, []string{`"timeout"`}},
		{effect.KindGuard, "host-exclusive", `"a"`, `(host-exclusive "a" 1)`, []string{`{}`}, []string{`{}`, `1`, `{"code":"internal"}`, `{"code":"cancelled"}`, `{"code":"nonsense","message":5}`}},
	} {
		prog, err := ptc.Compile(context.Background(), "p.ptc", test.source, ptc.Options{})
		if !assert.NoError(t, err, test.source) {
			continue
		}
		try := func(o effect.Record) {
			rec := forge(t, test.source, func(j *journal.Journal) {
				_, _, err := j.Begin(context.Background(), effect.Effect{ID: "0#1", Kind: test.kind, Class: effect.ReadOnly, Name: test.name, Args: orNil(test.args)})
				require.NoError(t, err)
				require.NoError(t, j.End("0#1", o))
			})
			res, err := prog.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
			assert.NotEqual(t, []any{int64(0)}, ptctest.ValueOf(res), "%s with %s", test.source, o.Result)
			if failed := (*ptc.Error)(nil); errors.As(err, &failed) {
				assert.Empty(t, failed.Stack, "%s with %s%s", test.source, o.Result, o.Error)
			}
		}
		for _, text := range test.result {
			try(effect.Record{Result: json.RawMessage(text)})
		}
		for _, text := range test.fail {
			try(effect.Record{Error: json.RawMessage(text)})
		}
	}
}

func orNil(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}
