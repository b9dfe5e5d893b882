package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// secretive is a text that has a secret in its middle, in other places than its field.
type secretive struct{ text string }

func (s secretive) String() string { return s.text }

// written runs a program that ends with an error, and returns all its outputs: its error, its log as
// text and as JSON, and its journal without the header.
func written(t *testing.T, program string, data map[string]any, tools ...*tool.Tool) string {
	t.Helper()
	var all bytes.Buffer
	debug := &slog.HandlerOptions{Level: slog.LevelDebug}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&all, debug), slog.NewJSONHandler(&all, debug)} {
		prog, err := ptc.Compile(context.Background(), "p", program, ptc.Options{Tools: ptctest.Tools(t, tools...)})
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "journal")
		j, err := journal.Create(path, prog.Header(), journal.Options{})
		require.NoError(t, err)
		res, err := prog.Run(context.Background(), ptc.RunOptions{Journal: j, Data: data, Log: slog.New(handler)})
		require.Error(t, err)
		require.NoError(t, j.Close())
		text, rerr := os.ReadFile(path)
		require.NoError(t, rerr)
		_, text, _ = bytes.Cut(text, []byte("\n")) // without the header, which has the program
		calls, rerr := json.Marshal(res.Calls)
		require.NoError(t, rerr)
		fmt.Fprintf(&all, "%v\n%+v\n%s\n%s\n", err, err, calls, text)
	}
	return all.String()
}

// TestSecretsOfPanics has a tool that panics with values of all kinds, in which there is a
// secret.
func TestSecretsOfPanics(t *testing.T) {
	for name, value := range map[string]func(text string) any{
		"text": func(text string) any { return text }, "bytes": func(text string) any { return []byte(text) },
		"JSON": func(text string) any { return json.RawMessage(`{"a":"` + text + `"}`) }, "error": func(text string) any { return errors.New(text) },
		"Stringer": func(text string) any { return secretive{text} }, "pointer": func(text string) any { return &secretive{text} },
		"map": func(text string) any { return map[string]any{"a": []string{text}} }, "tool error": func(text string) any { return &tool.Error{Message: text} },
	} {
		t.Run(name, func(t *testing.T) {
			login := tool.New("login", "Logs in.", func(_ context.Context, in struct {
				Token string `json:"token"`
			}) (int, error) {
				panic(value("no such token: " + in.Token))
			}, tool.Secret("token"))
			got := written(t, `(tool/login "s3cr3t-token")`, nil, login)
			assert.Contains(t, got, "it panicked: ")
			assert.NotContains(t, got, "s3cr3t")
			assert.NotContains(t, got, "115 51 99") // the first bytes, as package fmt shows them
		})
	}
}

// TestSecretsOfFailures has tools whose failures contain a secret of no earlier call: in a result that does
// not match the schema, or in the data of the error.
func TestSecretsOfFailures(t *testing.T) {
	dynamic := func(schema, result string, opts ...tool.Option) *tool.Tool {
		return tool.Dynamic("login", "Logs in.", json.RawMessage(`{"type":"object"}`), json.RawMessage(schema), func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(result), nil
		}, opts...)
	}
	for name, login := range map[string]*tool.Tool{
		"a secret result":       dynamic(`{"type":"integer"}`, `"s3cr3t-token"`, tool.SecretResult()),
		"a short one":           dynamic(`{"type":"integer"}`, `"s3c"`, tool.SecretResult()),
		"a key of one":          dynamic(`{"type":"object","additionalProperties":false}`, `{"s3cr3t-token":1}`, tool.SecretResult()),
		"a field of the result": dynamic(`{"type":"object","properties":{"url":{"type":"integer"}}}`, `{"token":"s3cr3t-token","url":"https://x/?t=s3cr3t-token"}`, tool.Secret("token")),
		"a field written so":    dynamic(`{"type":"object","properties":{"url":{"type":"integer"}}}`, `{"tok\u0065n":"\u00733cr3t-token","url":"s3cr3t-token"}`, tool.Secret("token")),
		"a field of error data": tool.New("login", "Logs in.", func(context.Context, struct{}) (int, error) {
			return 0, &tool.Error{Message: "refused s3cr3t-token", Data: map[string]string{"token": "s3cr3t-token", "url": "?s3cr3t-token"}}
		}, tool.Secret("token")),
	} {
		t.Run(name, func(t *testing.T) {
			program := `(tool/login {})`
			got := written(t, program, nil, login)
			assert.NotContains(t, got, "s3c")
		})
	}
}

// TestSecretsInMessages has a secret as an argument that is none, in a message that quotes it.
func TestSecretsInMessages(t *testing.T) {
	login := tool.New("login", "Logs in.", func(context.Context, struct {
		Token string `json:"token"`
		N     int    `json:"n,omitempty"`
	}) (int, error) {
		return 0, nil
	}, tool.Secret("token"))
	for _, secret := range []string{"s3cr3t-token", "<s3cr3t&token>", `s3cr3t\"token`, "s3cr3t/+=tok en", "s3cr3t\u2028\x01\x7fé"} {
		got := written(t, `(tool/login {:token data/token :n data/token})`, map[string]any{"token": secret}, login)
		assert.Contains(t, got, "got the string", secret)
		assert.NotContains(t, got, "s3cr3t", secret)
	}
}

// TestSecretsInCutTexts has texts that are cut within a secret, and within a character.
func TestSecretsInCutTexts(t *testing.T) {
	const secret = "пароль-пароль-пароль-пароль-пароль"
	login := tool.New("login", "Logs in.", func(_ context.Context, in struct {
		Token string `json:"token"`
		Lead  int    `json:"lead,omitempty"`
	}) (int, error) {
		if in.Lead > 0 {
			return 0, errors.New(strings.Repeat("x", in.Lead) + in.Token)
		}
		return 0, nil
	}, tool.Secret("token"))
	for _, program := range []string{
		`(tool/login {:token %q :lead 1971})`, `(tool/login {:token %q :lead 1970})`,
		`(let [t %q] (tool/login t) (host-exclusive (apply str (concat (repeat 60 "x") [t])) (host-exclusive (apply str (concat (repeat 60 "x") [t])) 1)))`,
		`(let [t %q] (tool/login t) (host-exclusive (apply str (concat (repeat 61 "x") [t])) (host-exclusive (apply str (concat (repeat 61 "x") [t])) 1)))`,
		`(let [t %q] (tool/login t) (Long/parseLong (apply str (concat (repeat 180 "x") [t]))))`,
		`(let [t %q] (tool/login t) (Long/parseLong (apply str (concat (repeat 181 "x") [t]))))`,
		`(let [t %q] (tool/login t) (doall (pmap (fn [x] (/ 1 0)) [(apply str (concat (repeat 30 "x") [t]))])))`,
	} {
		got := written(t, fmt.Sprintf(program, secret), nil, login)
		// The program has it, and stands in no journal here.
		assert.NotContains(t, got, "пар", program)
		assert.Contains(t, got, "[secret]", program)
	}
}

// TestSecretFieldsInCapitals names a secret field in ways that package encoding/json takes
// for the same.
func TestSecretFieldsInCapitals(t *testing.T) {
	login := tool.Dynamic("login", "Logs in.", json.RawMessage(`{"type":"object"}`), nil, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
		var in struct {
			Token  string `json:"token"`
			Secret string `json:"secret"`
		}
		if err := json.Unmarshal(args, &in); err != nil || in.Token+in.Secret != "s3cr3t-token" {
			return nil, errors.New("no token")
		}
		return nil, errors.New("refused: " + in.Token + in.Secret)
	}, tool.Secret("token", "secret"))
	for _, name := range []string{"token", "Token", "TOKEN", "to\u212Aen", `to\u212aen`, "SECRET", "\u017fecret"} {
		got := written(t, `(let [t "s3cr3t-token"] (tool/login {"`+name+`" t :url (str "?" t)}))`, nil, login)
		assert.Contains(t, got, "refused: [secret]", name)
		assert.NotContains(t, got, "s3cr3t", name)
	}
}

// TestSecretsKeepOrder replays and resumes a run that shows the order of the fields of a result, one of
// which is secret: the journal has the others in their order.
func TestSecretsKeepOrder(t *testing.T) {
	login := tool.Dynamic("login", "Logs in.", json.RawMessage(`{"type":"object"}`), nil, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"z":1,"token":"s3cr3t-token","a":1.50,"m":{"y":"s3cr3t-token","b":2},"f":1e2}`), nil
	}, tool.Idempotent(), tool.Secret("token"))
	program := `(let [x (dissoc (tool/login {}) :token)] (println (keys x) (keys (:m x)) (:a x) (:f x)) (loop [i 0] (when (< i data/n) (recur (inc i)))) (println (keys x)))`
	run := func(j *journal.Journal, n int) error {
		prog, err := ptc.Compile(context.Background(), "p", program, ptc.Options{Tools: ptctest.Tools(t, login), Limits: ptc.Limits{Steps: 1_000_000}})
		require.NoError(t, err)
		_, err = prog.Run(context.Background(), ptc.RunOptions{Journal: j, Data: map[string]any{"n": n}})
		require.NoError(t, j.Close())
		return err
	}
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Create(path, journal.Header{Program: "p", Source: program}, journal.Options{Key: ptctest.JournalKey()})
	require.NoError(t, err)
	require.ErrorContains(t, run(j, 100_000_000), "steps")
	j, _, err = journal.Resume(path, nil, journal.Options{Key: ptctest.JournalKey()})
	require.NoError(t, err)
	require.NoError(t, run(j, 10))
	rec, err := journal.ReadFile(path, ptctest.JournalKey())
	require.NoError(t, err)
	require.NoError(t, run(journal.Replay(rec), 10))
	assert.NotContains(t, fmt.Sprintf("%+v", rec), "s3cr3t")
}
