package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// usesOfSecret are uses of a secret t in programs. Each is an expression whose value the program
// sends, prints and returns.
var usesOfSecret = []string{
	`(str "Bearer " t)`,
	`t`,
	`(subs t 2 7)`,
	`(count t)`,
	`(str/upper-case t)`,
	`(str/reverse t)`,
	`(str/split t #"-")`,
	`(mapv int t)`,
	`(let [abc "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	       group (fn [[a b c]] (+ (* 65536 (int a)) (* 256 (int (or b (char 0)))) (int (or c (char 0)))))]
	   (apply str (mapcat (fn [n] (map (fn [s] (nth abc (bit-and 63 (bit-shift-right n s)))) [18 12 6 0])) (map group (partition-all 3 (str "user:" t))))))`,
	`(apply str (map (fn [c] (format "%%%02X" (int c))) t))`,
	`(= t "s3cr3t-token")`,
	`(compare t "other")`,
	`(if (str/starts-with? t "s3") :new :old)`,
	`{t 1}`,
	`(sort [t "a" "z"])`,
	`(keys {(keyword t) 1})`,
	`(clojure.data.json/write-str {:token t :in [t {:deep t}]})`,
	`(hash t)`,
	`(hash {:a t})`,
	`(shuffle (seq t))`,
	`(symbol t)`,
	`(re-find #"c.*t" t)`,
	`(:url (tool/echo {:url (str "https://x/?k=" t)}))`,
	`(:token (tool/login {:token t}))`,
	`(tool/short)`,
	`(str "a" (tool/short) "b")`,
	`(try (tool/refuse {:url t}) (catch Exception e [(ex-message e) (ex-data e)]))`,
	`(try (Long/parseLong t) (catch Exception e (ex-message e)))`,
	`(try (throw (ex-info (str "no " t) {:token t})) (catch Exception e [(ex-message e) (ex-data e)]))`,
	`(host-exclusive t (count t))`,
	`(try (host-exclusive t (host-exclusive t 1)) (catch Exception e (ex-message e)))`,
	`(try (with-limits {:steps 1000} (doseq [_ (range 1000)] (str t))) (catch Exception e (ex-message e)))`,
	`(pmap (fn [i] (:url (tool/echo {:url (str i t)}))) (range 5))`,
	`(pmap (fn [i] (if (even? i) (tool/secret) (do (println "s3cr3t-token") i))) (range 6))`,
	`(pany (fn [i] (tool/echo {:url (str i t)})) [1])`,
	`(do (println t) (print (str t t)) 1)`,
	`(throw (ex-info (str "no " t) {:token t} (ex-info t {})))`,
	`(doall (pmap (fn [x] (/ 1 0)) [t]))`,
	`(fail t)`,
	`(tool/refuse {:url t})`,
	`(tool/login {:token t :n t})`,
}

// secretWorld has the tools by which a program gets and uses secrets, with a record of their calls.
type secretWorld struct {
	t       *testing.T
	secret  string // the current one
	stopAt  int    // the step at which the run is cancelled; 0 for none
	cancel  context.CancelFunc
	sent    []string
	secrets int  // how often it was asked for
	closed  bool // nothing may be called
}

func (w *secretWorld) tools() *tool.Registry {
	check := func() {
		if w.closed {
			w.t.Error("a replay calls a tool")
		}
	}
	type in struct {
		URL string `json:"url"`
	}
	all, err := tool.NewRegistry(
		tool.New("secret", "Gives the secret.", func(context.Context, struct{}) (string, error) {
			check()
			w.secrets++
			return w.secret, nil
		}, tool.ReadOnly(), tool.SecretResult(), tool.Concurrency(1)),
		tool.New("short", "Gives a secret that is too short to be looked for.", func(context.Context, struct{}) (string, error) {
			check()
			return w.secret[:3], nil
		}, tool.Idempotent(), tool.SecretResult()),
		tool.New("echo", "Gives back what it gets.", func(_ context.Context, args in) (in, error) { check(); return args, nil }),
		tool.New("refuse", "Fails with what it gets.", func(_ context.Context, args in) (in, error) {
			check()
			return args, &tool.Error{Code: "refused", Message: "no " + args.URL, Data: map[string]string{"url": args.URL}}
		}),
		tool.New("login", "Has a secret field.", func(_ context.Context, args struct {
			Token string `json:"token"`
			N     int    `json:"n,omitempty"`
		}) (map[string]string, error) {
			check()
			return map[string]string{"token": "n3w-" + args.Token, "x": args.Token}, nil
		}, tool.Secret("token")),
		tool.New("send", "Sends.", func(_ context.Context, args struct {
			Text string `json:"text"`
		}) (int, error) {
			check()
			w.sent = append(w.sent, args.Text)
			return len(w.sent), nil
		}),
		tool.New("step", "Stops the run at one of them.", func(_ context.Context, args struct {
			N int `json:"n"`
		}) (int, error) {
			check()
			if args.N == w.stopAt {
				w.cancel()
			}
			return 1, nil
		}, tool.ReadOnly(), tool.Hint(effect.Hint{})))
	require.NoError(w.t, err)
	return all
}

func secretProgram(use string) string {
	return `(def t (tool/secret)) (tool/step 1) (def u ` + use + `) (tool/step 2) (tool/send (pr-str u)) (tool/step 3) (println u) u`
}

// run runs a use of a secret with a journal, and returns its outcome.
func (w *secretWorld) run(use string, j *journal.Journal) string {
	prog, err := ptc.Compile(context.Background(), "p", secretProgram(use), ptc.Options{Tools: w.tools(), Limits: ptc.Limits{Workers: 4}})
	require.NoError(w.t, err, use)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.cancel = cancel
	res, err := prog.Run(ctx, ptc.RunOptions{Journal: j})
	require.NoError(w.t, j.Close())
	return ptctest.Outcome(res, err)
}

func createSecret(t *testing.T, path, use string, key journal.Key) *journal.Journal {
	os.Remove(path)
	j, err := journal.Create(path, journal.Header{Program: "p", Source: secretProgram(use), Seed: 3}, journal.Options{Key: key})
	require.NoError(t, err)
	return j
}

// TestUsesOfSecrets runs programs that use a secret. A replay has the same value, prints and error,
// without asking for the secret. So has a run that is interrupted at any step and resumed after the
// secret has changed. The journal does not contain the secret.
func TestUsesOfSecrets(t *testing.T) {
	const secret = "s3cr3t-token"
	path := filepath.Join(t.TempDir(), "journal")
	replay := func(use, want string) {
		rec, err := journal.ReadFile(path, make(journal.Key, journal.KeyBytes), ptctest.JournalKey())
		require.NoError(t, err)
		w := &secretWorld{t: t, secret: "an0ther-secret", closed: true}
		require.Equal(t, want, w.run(use, journal.Replay(rec)), use)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		_, text, _ = bytes.Cut(text, []byte("\n")) // the program may have it
		require.NotContains(t, string(text), secret, use)
		require.NotContains(t, fmt.Sprintf("%+v", rec.Entries), secret, use)
	}
	for i, use := range usesOfSecret {
		if !testlevel.Takes(i, 4) {
			continue
		}
		w := &secretWorld{t: t, secret: secret}
		want := w.run(use, createSecret(t, path, use, ptctest.JournalKey()))
		require.NotContains(t, want, "divergence", use)
		replay(use, want)
		for stop := 1; stop <= 3; stop++ {
			again := &secretWorld{t: t, secret: secret, stopAt: stop}
			if stopped := again.run(use, createSecret(t, path, use, ptctest.JournalKey())); !strings.Contains(stopped, "cancelled") {
				continue // it ends before
			}
			again.secret, again.stopAt = "an0ther-secret", 0
			asked := again.secrets
			j, _, err := journal.Resume(path, nil, journal.Options{Key: ptctest.JournalKey()})
			require.NoError(t, err)
			resumed := again.run(use, j)
			if strings.Contains(use, "tool/s") && stop == 1 { // the use itself asks for it
				continue
			}
			require.Equal(t, want, resumed, "%s, interrupted at %d", use, stop)
			require.Equal(t, w.sent, again.sent, use)
			require.Equal(t, asked, again.secrets, use)
			replay(use, want)
		}
	}
}

// TestSecretsWithoutKey replays and resumes journals whose key is missing, and journals that were recorded
// without a key.
func TestSecretsWithoutKey(t *testing.T) {
	const use = `(:token (tool/login {:token t}))`
	path := filepath.Join(t.TempDir(), "journal")
	failed := func(text, want string) {
		t.Helper()
		assert.Contains(t, text, string(diag.JournalFailed))
		assert.Contains(t, text, want)
	}
	(&secretWorld{t: t, secret: "s3cr3t-token", stopAt: 2}).run(use, createSecret(t, path, use, ptctest.JournalKey()))
	for _, keys := range [][]journal.Key{nil, {make(journal.Key, journal.KeyBytes)}} {
		rec, err := journal.ReadFile(path, keys...)
		require.NoError(t, err)
		failed((&secretWorld{t: t, closed: true}).run(use, journal.Replay(rec)), "the key that they are sealed with was not given")
		o := journal.Options{}
		if len(keys) > 0 {
			o.Key = keys[0]
		}
		j, _, err := journal.Resume(path, nil, o)
		require.NoError(t, err)
		failed((&secretWorld{t: t, closed: true}).run(use, j), "the key that they are sealed with was not given")
	}

	w := &secretWorld{t: t, secret: "s3cr3t-token", stopAt: 2}
	w.run(use, createSecret(t, path, use, nil))
	rec, err := journal.ReadFile(path, ptctest.JournalKey())
	require.NoError(t, err)
	assert.Contains(t, (&secretWorld{t: t, closed: true}).run(use, journal.Replay(rec)), "the recorded run was interrupted")
	j, _, err := journal.Resume(path, nil, journal.Options{Key: ptctest.JournalKey()})
	require.NoError(t, err)
	failed(w.run(use, j), "it was recorded without a key")
	assert.Equal(t, 2, w.secrets, "what changes nothing is asked for again")
	assert.Empty(t, w.sent)
}

// TestForgedSecrets has outcomes be moved to another place of the journal, or changed.
func TestForgedSecrets(t *testing.T) {
	source := `(def a (tool/token {:n 1})) (def b (tool/token {:n 2})) (= a b)`
	tools, err := tool.NewRegistry(tool.New("token", "Gives a token.", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (string, error) {
		return fmt.Sprint("s3cr3t-token-", in.N), nil
	}, tool.ReadOnly(), tool.SecretResult()))
	require.NoError(t, err)
	prog, err := ptc.Compile(context.Background(), "p", source, ptc.Options{Tools: tools})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Create(path, prog.Header(), journal.Options{Key: ptctest.JournalKey()})
	require.NoError(t, err)
	_, err = prog.Run(context.Background(), ptc.RunOptions{Journal: j})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	for name, forge := range map[string]func(rec *journal.Recording){
		"moved":   func(rec *journal.Recording) { rec.Entries[0].Outcome = rec.Entries[1].Outcome },
		"cut":     func(rec *journal.Recording) { h := rec.Entries[0].Outcome.Hidden; h.Sealed = h.Sealed[:20] },
		"only it": func(rec *journal.Recording) { h := rec.Entries[0].Outcome.Hidden; h.Sealed = h.Sealed[:8] },
	} {
		rec, err := journal.ReadFile(path, ptctest.JournalKey())
		require.NoError(t, err)
		forge(rec)
		_, err = prog.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
		var e *ptc.Error
		require.True(t, errors.As(err, &e), name)
		assert.Equal(t, diag.JournalFailed, e.Code)
		assert.Contains(t, e.Message, "can't be opened", name)
	}
}

// TestCredentialsInAnswers has a service give back the credential of a grant, which no call has
// had: it is in no journal, log or error, and a replay has it all the same.
func TestCredentialsInAnswers(t *testing.T) {
	const credential = "gr4nt-credential"
	closed := false
	tools, err := tool.NewRegistry(tool.New("ask", "Gives back the credential of the host.", func(context.Context, struct{}) (map[string]string, error) {
		assert.False(t, closed, "a replay calls a tool")
		return map[string]string{"headers": "Authorization: Bearer " + credential}, nil
	}, tool.Credentials(credential)))
	require.NoError(t, err)
	prog, err := ptc.Compile(context.Background(), "p", `(def got (:headers (tool/ask))) (println (count got)) (throw (ex-info got {:got got}))`, ptc.Options{Tools: tools})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Create(path, prog.Header(), journal.Options{Key: ptctest.JournalKey()})
	require.NoError(t, err)
	res, err := prog.Run(context.Background(), ptc.RunOptions{Journal: j})
	require.Error(t, err)
	require.NoError(t, j.Close())
	text, rerr := os.ReadFile(path)
	require.NoError(t, rerr)
	calls, rerr := json.Marshal(res.Calls)
	require.NoError(t, rerr)
	for _, shown := range []string{string(text), string(calls), err.Error()} {
		assert.NotContains(t, shown, credential)
		assert.Contains(t, shown, "Bearer [secret]")
	}

	closed = true
	described, err := tool.NewRegistry(tool.Dynamic("ask", "Stands in.", json.RawMessage(`{"type":"object"}`), nil, nil).Stub())
	require.NoError(t, err)
	again, err := ptc.Compile(context.Background(), "p", prog.Header().Source, ptc.Options{Tools: described})
	require.NoError(t, err)
	rec, err := journal.ReadFile(path, ptctest.JournalKey())
	require.NoError(t, err)
	got, err := again.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
	assert.Equal(t, res.Prints, got.Prints)
	assert.ErrorContains(t, err, "Bearer [secret]", "tools that are not there have no credentials, the journal has them")
}
