package kv_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/kv"
)

// holdFile makes the test binary a second process that holds a store.
const holdFile = "KV_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdFile); path != "" {
		hold(path)
	}
	goleak.VerifyTestMain(m)
}

// hold opens a store, says so, and keeps it until its input ends.
func hold(path string) {
	s, err := kv.Open(kv.Grant{File: path})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	if s.Close() != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

func open(t *testing.T, g kv.Grant) *tool.Registry {
	t.Helper()
	if g.File == "" {
		g.File = filepath.Join(t.TempDir(), "state.db")
	}
	s, err := kv.Open(g)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return registered(t, s)
}

func registered(t *testing.T, s *kv.Store) *tool.Registry {
	t.Helper()
	reg, err := tool.NewRegistry(s.Tools()...)
	require.NoError(t, err)
	return reg
}

func run(t *testing.T, reg *tool.Registry, program string) string {
	t.Helper()
	res, err := ptc.Run(context.Background(), program,
		ptc.Options{Tools: reg, Limits: ptc.Limits{Timeout: 5 * time.Minute}})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	return text
}

// failing returns the parts of an error that the program sees.
const failing = `(defmacro failing [call] (list 'try call '(catch Exception e [(:code (ex-data e)) (ex-message e) (:data (ex-data e))])))`

func TestCalls(t *testing.T) {
	for _, test := range []struct{ name, program, want string }{
		{"nothing", `(tool/kv.get "a")`, `{:version 0, :value nil}`},
		{"put and get", `(tool/kv.put {:key "a" :value [1 "two" nil {:three 3.5}]}) (tool/kv.get "a")`, `{:version 1, :value [1 "two" nil {:three 3.5}]}`},
		{"a large number", `(tool/kv.put {:key "a" :value 1234567890123456789}) (:value (tool/kv.get "a"))`, `1234567890123456789`},
		{"nil is a value", `(tool/kv.put {:key "a" :value nil}) (tool/kv.get "a")`, `{:version 1, :value nil}`},
		{"versions grow", `(mapv #(:version (tool/kv.put {:key % :value 1})) ["a" "b" "a"])`, `[1 2 3]`},
		{"delete", `(tool/kv.put {:key "a" :value 1}) [(tool/kv.delete "a") (tool/kv.delete "a") (tool/kv.get "a")]`,
			`[{:deleted true} {:deleted false} {:version 0, :value nil}]`},
		{"a new entry has another version", `(tool/kv.put {:key "a" :value 1}) (tool/kv.delete "a") (tool/kv.put {:key "a" :value 1})`, `{:version 2}`},
		{"if new", `(tool/kv.put {:key "a" :value 1 :if-version 0}) (failing (tool/kv.put {:key "a" :value 2 :if-version 0}))`,
			`[:conflict "tool/kv.put: \"a\" has version 1, want 0: read it again, and decide again" {:version 1}]`},
		{"if unchanged", `(tool/kv.put {:key "a" :value 1}) (tool/kv.put {:key "a" :value 2 :if-version 1}) (tool/kv.get "a")`, `{:version 2, :value 2}`},
		{"a conflict changes nothing", `(tool/kv.put {:key "a" :value 1}) (failing (tool/kv.put {:key "a" :value 2 :if-version 7})) (tool/kv.get "a")`,
			`{:version 1, :value 1}`},
		{"delete if unchanged", `(tool/kv.put {:key "a" :value 1}) [(first (failing (tool/kv.delete {:key "a" :if-version 2}))) (tool/kv.delete {:key "a" :if-version 1})]`,
			`[:conflict {:deleted true}]`},
		{"no key", `(failing (tool/kv.get ""))`, `[:bad-key "tool/kv.get: got a key of 0 bytes, want 1 to 1024" nil]`},
		{"a long key", `(failing (tool/kv.put {:key (apply str (repeat 1025 "k")) :value 1}))`, `[:bad-key "tool/kv.put: got a key of 1025 bytes, want 1 to 1024" nil]`},
		{"the longest key", `(tool/kv.put {:key (apply str (repeat 1024 "k")) :value 1})`, `{:version 1}`},
		{"the largest value", `(tool/kv.put {:key "a" :value (apply str (repeat 998 "x"))}) (count (:value (tool/kv.get "a")))`, `998`},
		{"a larger value", `(failing (tool/kv.put {:key "a" :value (apply str (repeat 999 "x"))}))`,
			`[:too-large "tool/kv.put: the value has 1001 bytes as JSON, want at most 1000: keep its parts under keys of their own" nil]`},
		{"no value", `(first (failing (tool/kv.put {:key "a"})))`, `:bad-arguments`},
		{"a counter in parallel", `
			(defn add [_]
			  (let [{:keys [value version]} (tool/kv.get "counter")]
			    (if (try (tool/kv.put {:key "counter" :value (inc (or value 0)) :if-version version})
			             (catch Exception e (when (not= :conflict (:code (ex-data e))) (throw e))))
			      :done
			      (recur nil))))
			(dorun (pmap add (range 50)))
			(:value (tool/kv.get "counter"))`, `50`},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, run(t, open(t, kv.Grant{MaxValue: 1000}), failing+test.program))
		})
	}
}

func TestList(t *testing.T) {
	reg := open(t, kv.Grant{})
	run(t, reg, `(doseq [i (range 250)] (tool/kv.put {:key (format "n/%03d" i) :value i}))
		(doseq [k ["m" "n" "o/1" "é/1" "é/2"]] (tool/kv.put {:key k :value k}))`)
	for _, test := range []struct{ name, program, want string }{
		{"all, by the page", `(let [p (tool/kv.list)] [(count (:entries p)) (:more p) (:key (first (:entries p)))])`, `[100 true "m"]`},
		{"prefix", `(map :key (:entries (tool/kv.list {:prefix "é/"})))`, `("é/1" "é/2")`},
		{"none", `(tool/kv.list {:prefix "x"})`, `{:entries [], :more false}`},
		{"values", `(tool/kv.list {:prefix "o/" :values true})`, `{:entries [{:key "o/1", :version 253, :value "o/1"}], :more false}`},
		{"after", `(map :key (:entries (tool/kv.list {:prefix "n/" :after "n/009" :limit 2})))`, `("n/010" "n/011")`},
		{"after a key that is gone", `(map :key (:entries (tool/kv.list {:prefix "n/" :after "n/0095" :limit 2})))`, `("n/010" "n/011")`},
		{"after what is before the prefix", `(map :key (:entries (tool/kv.list {:prefix "n/" :after "a" :limit 1})))`, `("n/000")`},
		{"exactly a page", `(:more (tool/kv.list {:prefix "n/" :limit 250}))`, `false`},
		{"one less", `(:more (tool/kv.list {:prefix "n/" :limit 249}))`, `true`},
		{"page by page", `(loop [after "" n 0]
			(let [{:keys [entries more]} (tool/kv.list {:prefix "n/" :after after :limit 60})
			      n (+ n (count entries))]
			  (if more (recur (:key (last entries)) n) n)))`, `250`},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, run(t, reg, test.program)) })
	}
	t.Run("a page is bounded in bytes", func(t *testing.T) {
		reg := open(t, kv.Grant{})
		run(t, reg, `(doseq [k ["a" "b" "c"]] (tool/kv.put {:key k :value (apply str (repeat 500000 k))}))`)
		assert.Equal(t, `[("a" "b") true]`, run(t, reg, `(let [p (tool/kv.list {:values true})] [(map :key (:entries p)) (:more p)])`))
		assert.Equal(t, `3`, run(t, reg, `(count (:entries (tool/kv.list)))`))
	})
}

// TestKept checks that a run reads the entries of an earlier run after the store was closed.
func TestKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	for want := 1; want <= 3; want++ {
		s, err := kv.Open(kv.Grant{File: file})
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint(want), run(t, registered(t, s), `(let [n (inc (or (:value (tool/kv.get "runs")) 0))] (tool/kv.put {:key "runs" :value n}) n)`))
		require.NoError(t, s.Close())
		assert.Equal(t, `:closed`, run(t, registered(t, s), `(try (tool/kv.get "runs") (catch Exception e (:code (ex-data e))))`))
	}
	reader := open(t, kv.Grant{File: file, ReadOnly: true})
	assert.Equal(t, `3`, run(t, reader, `(:value (tool/kv.get "runs"))`))
	assert.Nil(t, reader.Lookup("kv.put"))
	assert.Nil(t, reader.Lookup("kv.delete"))
	another := open(t, kv.Grant{File: file, ReadOnly: true})
	assert.Equal(t, `3`, run(t, another, `(:value (tool/kv.get "runs"))`), "readers may share the file")
}

func TestFull(t *testing.T) {
	reg := open(t, kv.Grant{MaxBytes: 1 << 20})
	assert.Equal(t, `[:full 1 true true]`, run(t, reg, `
		(tool/kv.put {:key "first" :value 1})
		(let [value (apply str (repeat 100000 "x"))
		      code  (loop [i 0]
		              (or (try (tool/kv.put {:key (str i) :value value}) nil (catch Exception e (:code (ex-data e))))
		                  (recur (inc i))))]
		  [code (:value (tool/kv.get "first")) (:deleted (tool/kv.delete "0")) (map? (tool/kv.put {:key "x" :value value}))])`),
		"what is there can be read and deleted, and makes room")
}

// TestSecondProcess has a file that another process holds.
func TestSecondProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	other := exec.Command(os.Args[0], "-test.run=^$")
	other.Env = append(os.Environ(), holdFile+"="+file)
	in, err := other.StdinPipe()
	require.NoError(t, err)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held", strings.TrimSpace(line))

	_, err = kv.Open(kv.Grant{File: file, Wait: 50 * time.Millisecond})
	require.ErrorContains(t, err, file+" is in use by another process, waited 50ms")

	require.NoError(t, in.Close())
	require.NoError(t, other.Wait())
	s, err := kv.Open(kv.Grant{File: file})
	require.NoError(t, err, "it has let go")
	require.NoError(t, s.Close())
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("this is no store\n", 1000)), 0o600))
	for _, test := range []struct {
		name  string
		grant kv.Grant
		want  string
	}{
		{"the zero value grants nothing", kv.Grant{}, "names no file"},
		{"no such folder", kv.Grant{File: filepath.Join(dir, "none", "state.db")}, "no such file"},
		{"nothing to read", kv.Grant{File: filepath.Join(dir, "none.db"), ReadOnly: true}, "no such file"},
		{"a directory", kv.Grant{File: dir}, "is not a regular file"},
		{"a device", kv.Grant{File: os.DevNull}, "is not a regular file"},
		{"another file", kv.Grant{File: text}, "is not a store, or is damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := kv.Open(test.grant)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestWithheld(t *testing.T) {
	reg := &tool.Registry{}
	for name, how := range kv.Names() {
		reg.Withhold(name, how)
	}
	for _, call := range []string{`(tool/kv.get "a")`, `(tool/kv.put {:key "a" :value 1})`, `(tool/kv.delete "a")`, `(tool/kv.list)`} {
		_, err := ptc.Compile(context.Background(), "test.ptc", call, ptc.Options{Tools: reg})
		var e *ptc.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, diag.NotGranted, e.Code)
		assert.Contains(t, e.Hint, "--allow-kv FILE")
	}
}

// TestNamesAreComplete holds Names to the tools there are.
func TestNamesAreComplete(t *testing.T) {
	var names []string
	for _, tl := range open(t, kv.Grant{}).All() {
		names = append(names, tl.Name())
	}
	assert.Len(t, kv.Names(), len(names))
	for _, name := range names {
		assert.Contains(t, kv.Names(), name)
	}
}
