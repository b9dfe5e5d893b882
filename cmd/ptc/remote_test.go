//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// startService starts the real service.
func startService(t *testing.T, flags ...string) *ptcdtest.Service {
	t.Helper()
	testlevel.System(t)
	return ptcdtest.Start(t, []string{separate.Path(t, "ptcd")}, nil, t.TempDir(), flags...)
}

// realCommand is a command line of the real program, for a service or for none.
func realCommand(t *testing.T, s *ptcdtest.Service, words ...string) *exec.Cmd {
	cmd := exec.Command(self(t), words...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(testDir, "state"))
	if s != nil {
		cmd.Env = append(cmd.Env, "PTC_SERVER="+s.URL, "PTC_TOKEN_FILE="+filepath.Join(s.Dir, ptcdtest.TokenFile))
	}
	return cmd
}

// result runs a command line to its end.
func result(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, exit := err.(*exec.ExitError); !exit {
		require.NoError(t, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// remoteExpressions are programs whose outcome ptc run and ptc remote run show in the same way.
var remoteExpressions = map[string][]string{
	"value":           {"-e", "(+ 1 2)"},
	"nil":             {"-e", "nil"},
	"symbol nil":      {"-e", "'nil"},
	"not a number":    {"-e", "##NaN"},
	"string":          {"-e", `"a<b>&\n\u2028"`},
	"nested":          {"-e", `{:a [1 2.5 {} [] nil "x"] "b" #{} :c 1/3}`},
	"prints":          {"-e", `(println "one") (print "two")`},
	"print and value": {"-e", `(print "two") 3`},
	"large print":     {"-e", `(println (apply str (repeat 100000 "äb"))) (println "end")`},
	"many prints":     {"-e", `(dotimes [i 3000] (println i))`},
	"print limit":     {"-e", `(dotimes [i 3000] (println i)) :v`, "--print-limit", "1KB"},
	"parallel prints": {"-e", `(pmap println (range 30))`},
	"input":           {"-e", `[data/a data/b]`, "--arg", "a=1", "--arg", "b=ü"},
	"no input":        {"-e", `data/a`},
	"other input":     {"-e", `data/aa`, "--arg", "a=1"},
	"exception":       {"-e", "(defn f [x] (/ 1 x))\n(println \"before\")\n(f 0)"},
	"causes":          {"-e", `(throw (ex-info "outer" {:a 1} (ex-info "inner" {:b [1 2]})))`},
	"fail":            {"-e", `(fail "no" {:host "web-1"})`},
	"assert":          {"-e", `(assert (= 1 2) "they differ")`},
	"element":         {"-e", `(pmap #(/ 10 %) [5 0 1])`},
	"wide characters": {"-e", `(str "漢字" (inc "é"))`},
	"syntax":          {"-e", "(reduce + [1 2"},
	"several errors":  {"-e", "(foo 1) (bar 2)"},
	"arity":           {"-e", "(inc 1 2)"},
	"steps":           {"-e", "(loop [] (recur))", "--steps", "1000"},
	"memory":          {"-e", "(vec (range 10000000))", "--memory", "1MB"},
	"depth":           {"-e", "(defn f [n] (inc (f n))) (f 1)", "--depth", "100"},
	"timeout":         {"-e", "(Thread/sleep 100000)", "--timeout", "100ms"},
	"result size":     {"-e", "(vec (range 1000))", "--output-limit", "1KB"},
	"not granted":     {"-e", `(tool/http.get "http://example.com")`},
	"question":        {"-e", `(println "q") (ask {:question "Delete?" :options ["yes" "no"]})`},
	"usage":           {},
	"no file":         {"none.ptc"},
	"two files":       {"a.ptc", "b.json"},
	"bad flag":        {"-e", "1", "--steps", "0"},
	"bad data":        {"-e", "1", "--data", "/dev/null"},
}

// TestRemoteSame requires ptc remote run to write the same bytes as ptc run, and to end with the same code.
func TestRemoteSame(t *testing.T) {
	s := startService(t, "--timeout", "5m")
	same := func(t *testing.T, words []string, forms ...string) {
		t.Helper()
		for _, form := range forms {
			words := append(words, "--output", form)
			journal := filepath.Join(t.TempDir(), form+".journal") // for the same ids of effects
			local := result(t, realCommand(t, nil, append([]string{"run", "--journal", journal}, words...)...))
			remote := result(t, realCommand(t, s, append([]string{"remote", "run"}, words...)...))
			if form == "envelope" {
				local.out, remote.out = withoutUsage(t, local.out), withoutUsage(t, remote.out)
			}
			local.err, remote.err = comparable(local.err), comparable(remote.err)
			assert.Equal(t, local, remote, "--output %s", form)
		}
	}
	for name, words := range remoteExpressions {
		t.Run(name, func(t *testing.T) { same(t, words, "edn", "envelope") })
	}
	t.Run("forms", func(t *testing.T) { same(t, remoteExpressions["nested"], "json", "pretty", "none") })
	programs, err := filepath.Glob("../../examples/*/*.ptc")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	data := map[string]string{"calculator": "expressions", "config": "config", "csv": "expenses", "duplicates": "tickets",
		"inventory": "inventory", "pipeline": "events", "rollout": "hosts", "sales": "sales", "text": "logbook"}
	for _, p := range programs {
		if strings.Contains(p, "monte-carlo") {
			continue // it has other random numbers each time
		}
		t.Run(filepath.Base(filepath.Dir(p)), func(t *testing.T) {
			words := []string{p, "--timeout", "5m"}
			if name := data[filepath.Base(filepath.Dir(p))]; name != "" {
				words = append(words, "--data", "../../examples/data/"+name+".json")
			}
			same(t, words, "edn")
		})
	}
}

// finished counts the elements that had been completed when an error happened, which depends on timing.
var finished = regexp.MustCompile(`; \d+ had been completed`)

// comparable removes the necessary differences from the errors of a run: the name of the command, and the
// command that continues the run.
func comparable(errs string) string {
	errs = strings.ReplaceAll(errs, "remote run", "run")
	if before, _, ok := strings.Cut(errs, "ptc: the run can be continued"); ok {
		errs = before
	}
	if strings.HasPrefix(errs, "error[parked]") { // the service does not know the calls that are active
		errs = strings.ReplaceAll(errs, "  at top level (-e:1:15)\n", "")
	}
	return finished.ReplaceAllString(errs, "")
}

// withoutUsage returns an envelope without its usage, the frames of a waiting run, and the parts that depend on timing.
func withoutUsage(t *testing.T, text string) string {
	t.Helper()
	if text == "" {
		return ""
	}
	var e map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &e), "%s", text)
	require.NotEmpty(t, e["usage"])
	delete(e, "usage")
	if err, ok := e["error"].(map[string]any); ok {
		if err["code"] == "parked" {
			delete(err, "frames")
			delete(e["pending"].([]any)[0].(map[string]any), "since")
		}
		if elements, ok := err["elements"].([]any); ok {
			delete(elements[0].(map[string]any), "completed")
		}
	}
	out, err := json.Marshal(e)
	require.NoError(t, err)
	return string(out)
}
