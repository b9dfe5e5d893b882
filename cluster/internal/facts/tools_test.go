package facts

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/facts"
)

func run(t *testing.T, s *Store, source string) any {
	t.Helper()
	registry, err := tool.NewRegistry(facts.Tools(s.Source(), facts.Write)...)
	require.NoError(t, err)
	res, err := ptc.Run(t.Context(), source, ptc.Options{Tools: registry})
	require.NoError(t, err, source)
	v, err := res.Value()
	require.NoError(t, err)
	return v
}

// TestTools runs programs that use the tools.
func TestTools(t *testing.T) {
	s := open(t, Options{})
	for _, c := range []struct {
		source string
		want   any
	}{
		{`(tool/facts.get {:host "web-1"}) (:facts (tool/facts.get {:host "web-1" :level "strong"}))`, map[string]any{}},
		{`(tool/facts.put {:host "web-1" :fact "os" :value {:name "debian" :release 13}})
		  (get-in (tool/facts.get {:host "web-1"}) [:facts :os :release])`, int64(13)},
		{`(let [{v :version} (tool/facts.put {:host "web-1" :fact "n" :value 1})]
		    (tool/facts.put {:host "web-1" :fact "n" :value 2 :if-version v})
		    (try (tool/facts.put {:host "web-1" :fact "n" :value 3 :if-version v})
		      (catch Exception e (:code (ex-data e)))))`, "conflict"},
		{`(:facts (tool/facts.get {:host "web-1" :fact "n" :level "quorum"}))`, map[string]any{"n": int64(2)}},
		{`(try (tool/facts.get {:host "web-1" :level "newest"}) (catch Exception e (:code (ex-data e))))`, "bad-level"},
		{`(try (tool/facts.put {:host "" :fact "n" :value 3}) (catch Exception e (:code (ex-data e))))`, "too-large"},
		{`(let [{v :version} (tool/facts.get {:host "web-1" :level "strong"})]
		    (tool/facts.put {:host "web-1" :fact "up" :value true})
		    (:facts (tool/facts.watch {:host "web-1" :after v})))`, map[string]any{"up": true}},
		{`(let [{v :version} (tool/facts.get {:host "web-1" :level "strong"})]
		    (:facts (tool/facts.watch {:host "web-1" :after v :seconds 0.01})))`, map[string]any{}},
		{`(tool/facts.list)`, map[string]any{"hosts": []any{"web-1"}, "more": false}},
		{`(:hosts (tool/facts.list {:prefix "db"}))`, []any{}},
	} {
		require.Equal(t, c.want, run(t, s, c.source), c.source)
	}
}

// TestClasses requires reads to be recorded as such: a replay takes them from the journal.
func TestClasses(t *testing.T) {
	s := open(t, Options{})
	classes := make(map[string]effect.Class)
	for _, tl := range facts.Tools(s.Source(), facts.Write) {
		classes[tl.Name()] = tl.Class()
		require.Contains(t, facts.Names(), tl.Name())
	}
	require.Equal(t, map[string]effect.Class{"facts.get": effect.ReadOnly, "facts.list": effect.ReadOnly,
		"facts.watch": effect.ReadOnly, "facts.put": effect.Write}, classes)
}

// TestReplay records a run that reads, and replays it after the fact has changed: the replay reads the recorded value.
func TestReplay(t *testing.T) {
	s := open(t, Options{})
	put(t, s, "h", "a", "1")
	registry, err := tool.NewRegistry(facts.Tools(s.Source(), facts.Write)...)
	require.NoError(t, err)
	options := ptc.Options{Tools: registry}
	prog, err := ptc.Compile(t.Context(), "p", `(:facts (tool/facts.get {:host "h" :level "strong"}))`, options)
	require.NoError(t, err)
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "journal")}
	_, err = prog.Record(t.Context(), file, ptc.RunOptions{})
	require.NoError(t, err)
	put(t, s, "h", "a", "2")
	res, err := ptc.Replay(t.Context(), file, options, ptc.RunOptions{})
	require.NoError(t, err)
	v, err := res.Value()
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": int64(1)}, v)
}
