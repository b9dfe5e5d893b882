package main

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
		want  outcome
	}{
		{"value", "", []string{"-e", "(+ 1 2)"}, outcome{0, "3\n", ""}},
		{"no value", "", []string{"-e", "nil"}, outcome{0, "", ""}},
		{"nothing", "", []string{"-e", ""}, outcome{0, "", ""}},
		{"only a comment", "; x", []string{"-"}, outcome{0, "", ""}},
		{"value of the last form", "", []string{"-e", "1 2 3"}, outcome{0, "3\n", ""}},
		{"early value", "", []string{"-e", "(println 1) (return 2) (println 3)"}, outcome{0, "1\n2\n", ""}},
		{"readable text", "", []string{"-e", `"a\n"`}, outcome{0, "\"a\\n\"\n", ""}},
		{"standard input", "(println 1)\n:x", []string{"-"}, outcome{0, "1\n:x\n", ""}},
		{"prints, then the value", "", []string{"-e", `(println "a") (print "b\n") :c`}, outcome{0, "a\nb\n:c\n", ""}},
		{"value on a line of its own", "", []string{"-e", `(print "a") :c`}, outcome{0, "a\n:c\n", ""}},
		{"no line end of ours", "", []string{"-e", `(print "a")`}, outcome{0, "a", ""}},
		{"flags behind the file", "(+ 1 1)", []string{"-", "--output", "json"}, outcome{0, "2\n", ""}},
		{"flag with =", "", []string{"--output=none", "-e=5"}, outcome{0, "", ""}},

		{"edn", "", []string{"--output", "edn", "-e", `{:a [1 2.5 "x" \y nil]}`},
			outcome{0, `{:a [1 2.5 "x" \y nil]}` + "\n", ""}},
		{"json", "", []string{"--output", "json", "-e", `{:a [1 2.5 "<x>" nil true]}`},
			outcome{0, `{"a":[1,2.5,"<x>",null,true]}` + "\n", ""}},
		{"pretty", "", []string{"--output", "pretty", "-e", `{:a [1]}`}, outcome{0, "{\n  \"a\": [\n    1\n  ]\n}\n", ""}},
		{"none", "", []string{"--output", "none", "-e", `(println 1) 2`}, outcome{0, "1\n", ""}},

		{"arguments", "", []string{"--arg", "a=1", "--arg", "b=x=y", "--arg", "c=", "-e", "[data/a data/b data/c]"},
			outcome{0, `["1" "x=y" ""]` + "\n", ""}},
		{"data", `{"n": 2, "user_name": {"a b": [1.5, null]}}`, []string{"--data", "-", "-e", "[data/n data/user_name]"},
			outcome{0, "[2 {:a b [1.5 nil]}]\n", ""}},
		{"data that begins with a mark", "\ufeff{\"n\": 2}", []string{"--data", "-", "-e", "data/n"}, outcome{0, "2\n", ""}},
		{"argument before data", `{"n": 2}`, []string{"--data", "-", "--arg", "n=x", "-e", "data/n"},
			outcome{0, "\"x\"\n", ""}},
		{"lines of standard input", "1\n2\n", []string{"-e", "(reduce + (map parse-long (line-seq *in*)))"}, outcome{0, "3\n", ""}},
		{"forms of standard input", "[1 2] 3", []string{"-e", "[(read) (read)]"}, outcome{0, "[[1 2] 3]\n", ""}},
		{"standard input that --data takes", `{"n": 2}`, []string{"--data", "-", "-e", "[data/n (read-line)]"},
			outcome{0, "[2 nil]\n", ""}},
		{"standard input that is the program", "(read-line)", []string{"-"}, outcome{0, "", ""}},
		{"no data that is standard input", "x", []string{"-e", "[(read-line) (count (seq (all-ns)))]", "--output", "none"},
			outcome{0, "", ""}},
		{"unused data", `{"n": 2}`, []string{"--data", "-", "-e", "1"}, outcome{0, "1\n", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ptcWith(c.stdin, append([]string{"run"}, c.args...)...); got != c.want {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestRunFailures(t *testing.T) {
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
		want  wants
	}{
		{"exception", "", []string{"-e", `(println "a") (throw (ex-info "boo" {}))`},
			wants{1, "a\n", "error[exception]: boo"}},
		{"fail", "", []string{"-e", `(println "a") (fail "no orders" 7)`}, wants{1, "a\n", "error[failed]: no orders"}},
		{"arithmetic", "", []string{"-e", "(/ 1 0)"}, wants{1, "", "error[arithmetic]"}},
		{"exception in the value", "", []string{"-e", "(map inc [1 nil])"}, wants{1, "", "error["}},
		{"no bracket", "(+ 1", []string{"-"}, wants{3, "", "error[syntax-error]"}},
		{"nonsense", "\x00\xff\xfe", []string{"-"}, wants{3, "", "error[syntax-error]"}},
		{"an unknown name", "", []string{"-e", "(println 1) (mpa inc [1])"}, wants{3, "", "did you mean map?"}},
		{"unknown data", `{"orders": []}`, []string{"--data", "-", "-e", "data/order"}, wants{3, "", "orders"}},
		{"a limit of the reader", strings.Repeat("[", 100_000), []string{"-"}, wants{3, "", "error[nesting-too-deep]"}},
		{"a long source", strings.Repeat("1 ", 1<<20), []string{"-"},
			wants{3, "", "error[source-too-large]: the source has 2097152 bytes"}},
		{"the place", "1\n  (foo 2)", []string{"-"}, wants{3, "", "--> -:2:4"}},

		{"time", "", []string{"--timeout", "20ms", "-e", "(loop [] (recur))"}, wants{4, "", "error[timeout]"}},
		{"steps", "", []string{"--steps", "10_000", "-e", "(loop [] (recur))"}, wants{4, "", "error[steps-exceeded]"}},
		{"memory", "", []string{"--memory", "1MB", "-e", "(vec (range 1000000))"}, wants{4, "", "error[memory-exceeded]"}},
		{"depth", "", []string{"--depth", "100", "-e", "(defn f [n] (inc (f n))) (f 1)"},
			wants{4, "", "error[depth-exceeded]"}},
		{"output", "", []string{"--output-limit", "1KB", "-e", "(range 1000)"}, wants{4, "", "error[result-too-large]"}},
		{"output as JSON", "", []string{"--output-limit", "1KB", "--output", "json", "-e", "(range 1000)"},
			wants{4, "", "error[result-too-large]"}},
		{"a macro without end", "", []string{"--timeout", "20ms", "-e", "(defmacro m [] (loop [] (recur))) (m)"},
			wants{4, "", "error[timeout]"}},

		{"standard input beyond the memory", strings.Repeat("x", 2<<20), []string{"--memory", "1MB", "-e", "(read-line)"},
			wants{4, "", "standard input: -: more than 1MB, the limit of --memory"}},
		{"data that is an array", "[1]", []string{"--data", "-", "-e", "1"},
			wants{2, "", "--data -: want a JSON object, whose members are data/…, got an array"}},
		{"data that is null", "null", []string{"--data", "-", "-e", "1"}, wants{2, "", "got true, false or null"}},
		{"data that is nothing", "  ", []string{"--data", "-", "-e", "1"}, wants{2, "", "got nothing"}},
		{"data that is CSV", "a,b\n", []string{"--data", "-", "-e", "1"}, wants{2, "", "got no JSON"}},
		{"data with a mistake", "{\"a\": 1,\n \"b\": x}", []string{"--data", "-", "-e", "1"},
			wants{2, "", "--data -:2:7: invalid character 'x'"}},
		{"data that is cut", `{"a": `, []string{"--data", "-", "-e", "1"}, wants{2, "", "unexpected end of JSON input"}},
		{"data beyond the memory", `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, []string{"--data", "-", "--memory", "1MB",
			"-e", "1"}, wants{4, "", "--data -: more than 1MB, the limit of --memory"}},
		{"data that takes more memory", `{"a": [` + strings.Repeat("[],", 1<<17) + `0]}`,
			[]string{"--data", "-", "--memory", "1MB", "-e", "data/a"}, wants{4, "", "error[memory-exceeded]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.check(t, ptcWith(c.stdin, append([]string{"run"}, c.args...)...))
		})
	}
}

func TestRunFiles(t *testing.T) {
	program := write(t, "sum.ptc", "(reduce + data/numbers)")
	data := write(t, "data.json", `{"numbers": [1, 2, 3]}`)
	wants{0, "6\n", ""}.check(t, ptcWith("", "run", program, "--data", data))
	wants{0, "6\n", ""}.check(t, ptcWith("", "run", "--data", data, "--", program))
	wants{3, "", "no input named data/numbers"}.check(t, ptcWith("", "run", program))
	wants{3, "", "pass the input to the program with --data FILE.json"}.check(t, ptcWith("", "run", program))
	wants{2, "", "bad.json:1:3: unexpected end"}.check(t, ptcWith("", "run", program, "--data",
		write(t, "bad.json", "{ \n")))
}

// TestPrintLimit goes just to the limit and just beyond it.
func TestPrintLimit(t *testing.T) {
	wants{0, strings.Repeat("x", 1024), ""}.check(t, ptcWith("", "run", "--print-limit", "1KB", "-e",
		`(print (apply str (repeat 1024 "x")))`))
	got := ptcWith("", "run", "--print-limit", "1KB", "-e", `(print (apply str (repeat 1025 "x")))`)
	wants{0, "printed 1025 bytes, the limit is 1024", ""}.check(t, got)
	if n := strings.Count(got.out, "x"); n != 1024 {
		t.Errorf("%d bytes printed", n)
	}
}

func TestSeed(t *testing.T) {
	var outs []string
	for _, seed := range []string{"7", "7", "8", "0", "0"} {
		outs = append(outs, ptcWith("", "run", "--seed", seed, "-e", "(repeatedly 5 rand)").out)
	}
	if outs[0] != outs[1] {
		t.Error("a seed gives different numbers")
	}
	if outs[0] == outs[2] || outs[3] == outs[4] {
		t.Error("different seeds, or none, give the same numbers")
	}
}

func TestStats(t *testing.T) {
	got := ptcWith("", "run", "--stats", "-e", `(println "abc") 1`)
	wants{0, "abc\n1\n", "printed 4 bytes"}.check(t, got)
	wants{0, "abc\n1\n", "steps "}.check(t, got)
	got = ptcWith("", "run", "--stats", "-e", "(count (pmap inc (range 5)))")
	if !strings.Contains(got.err, "\nparallel: operations 1, elements 5, workers at most ") ||
		!strings.Contains(got.err, ", queued at most 5, ") {
		t.Errorf("--stats of a parallel program: got %q", got.err)
	}
	if got = ptcWith("", "run", "--stats", "--allow-time", "-e",
		"(count (mapv (fn [_] (tool/time.now)) [1 2 3]))"); !strings.Contains(got.err, "tools: calls 3, abandoned 0\n") {
		t.Errorf("--stats of a program with tools: got %q", got.err)
	}
	each := regexp.MustCompile(`\ntool/time.now: calls 3, errors 0, refused 0, time [0-9.]+[µm]?s, queued 0s, waited for hosts 0s, for the global guard 0s, for tokens 0s\n`)
	if !each.MatchString(got.err) {
		t.Errorf("--stats of a tool: got %q", got.err)
	}
	wants{1, "", "time "}.check(t, ptcWith("", "run", "--stats", "-e", "(/ 1 0)"))
	if got := ptcWith("", "run", "--stats", "-e", "("); strings.Contains(got.err, "time ") {
		t.Errorf("numbers of a run that there was not: %s", got.err)
	}
}

// envelope is the output of --output envelope.
type envelope struct {
	Status string
	Value  any
	Prints string
	Error  *struct {
		Code, Message, File string
		Line, Column        int
	}
	Usage map[string]float64
}

func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		expr         string
		code         int
		status       string
		value        any
		prints, diag string
	}{
		{`(println "<a>") {:b 1}`, 0, "ok", map[string]any{"b": 1.0}, "<a>\n", ""},
		{"nil", 0, "ok", nil, "", ""},
		{`(println "a") (/ 1 0)`, 1, "error", nil, "a\n", "arithmetic"},
		{"(", 3, "error", nil, "", "syntax-error"},
		{"(loop [] (recur))", 4, "error", nil, "", "steps-exceeded"},
		{"(range 1000)", 4, "error", nil, "", "result-too-large"},
	} {
		t.Run(c.expr, func(t *testing.T) {
			got := ptcWith("", "run", "--output", "envelope", "--steps", "100000", "--output-limit", "1KB", "-e", c.expr)
			var e envelope
			if err := json.Unmarshal([]byte(got.out), &e); err != nil || strings.Count(got.out, "\n") != 1 {
				t.Fatalf("not one line of JSON: %v\n%s", err, got.out)
			}
			value, _ := json.Marshal(e.Value)
			want, _ := json.Marshal(c.value)
			if got.code != c.code || got.err != "" || e.Status != c.status || string(value) != string(want) || e.Prints != c.prints {
				t.Errorf("got the exit code %d, %s\nerr %s", got.code, got.out, got.err)
			}
			if c.diag == "" && e.Error != nil || c.diag != "" && (e.Error == nil || e.Error.Code != c.diag || e.Error.Message == "") {
				t.Errorf("got the error %+v, want %q", e.Error, c.diag)
			}
			if _, ok := e.Usage["steps"]; !ok {
				t.Errorf("no usage: %s", got.out)
			}
		})
	}
}

// TestNothingOfTheHost runs forms that would reach the host.
func TestNothingOfTheHost(t *testing.T) {
	for _, expr := range []string{
		`(load-file "run.go")`, `(System/exit 3)`,
		`(clojure.java.shell/sh "ls")`, `(.exec (Runtime/getRuntime) "ls")`, `(java.net.Socket. "localhost" 80)`, `'#=(+ 1 2)`,
	} {
		if got := ptcWith("", "run", "-e", expr); got.code != 3 || got.out != "" {
			t.Errorf("%s: got %+v, want that it does not compile", expr, got)
		}
	}
	if got := ptcWith("", "run", "-e", `[(System/getenv "PATH") (System/getenv)]`); got.out != "[nil {}]\n" {
		t.Errorf("the environment: got %+v, want none", got)
	}
	for _, expr := range []string{`(slurp "run.go")`, `(spit "new" "x")`, `(require 'clojure.java.io) (clojure.java.io/reader "run.go")`,
		`(.listFiles (java.io.File. "."))`, `(.exists (java.io.File. "run.go"))`, `(.delete (java.io.File. "run.go"))`} {
		if got := ptcWith("", "run", "-e", expr); got.code != 5 || got.out != "" {
			t.Errorf("%s: got %+v, want that it is not granted", expr, got)
		}
	}
}

// writer passes written text to a function.
type writer func(text string) error

func (w writer) Write(p []byte) (int, error) {
	if err := w(string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// TestInterrupt ends the context when the program prints: the print arrives immediately, and the run ends
// wherever it is.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err strings.Builder
	out := writer(func(text string) error {
		if text == "a" {
			cancel()
		}
		return nil
	})
	args := []string{"run", "--timeout", "1h", "--steps", "1_000_000_000_000_000", "-e", `(print "a") (loop [] (recur))`}
	if code := dispatch(ctx, args, streams{in: strings.NewReader(""), out: &output{Writer: out}, err: &err,
		printing: func() {}}); code != exitInterrupted {
		t.Errorf("got the exit code %d, want %d\n%s", code, exitInterrupted, err.String())
	}
	wants{exitInterrupted, "", "error[cancelled]"}.check(t, outcome{exitInterrupted, "", err.String()})
}

// stuck is an input that nothing comes from.
type stuck chan struct{}

func (s stuck) Read([]byte) (int, error) {
	<-s
	return 0, errors.New("closed")
}

// TestInterruptBefore ends the context before a program runs: while it is read,
// while its data is read, and while it is compiled.
func TestInterruptBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := make(stuck)
	defer close(in)
	for _, args := range [][]string{
		{"run", "-"}, {"run", "-e", "1", "--data", "-"}, {"check", "-"}, {"fmt", "-"},
		{"run", "--steps", "1000000", "-e", "(defmacro m [] (loop [] (recur))) (m)"},
	} {
		var out, err strings.Builder
		if code := dispatch(ctx, args, streams{in: in, out: &output{Writer: &out}, err: &err,
			printing: func() {}}); code != exitInterrupted || out.Len() > 0 || err.Len() == 0 {
			t.Errorf("%v: got the exit code %d, %q, %q", args, code, out.String(), err.String())
		}
	}
}

func TestCheck(t *testing.T) {
	good := write(t, "good.ptc", "(println data/anything)")
	bad := write(t, "bad.ptc", "(mpa inc [1])\n(fliter odd? [1])")
	wants{0, "", ""}.check(t, ptcWith("", "check", good))
	wants{0, "", ""}.check(t, ptcWith("(+ 1 2)", "check", "-"))
	for _, part := range []string{"did you mean map?", "did you mean filter?", bad + ":2:2"} {
		wants{3, "", part}.check(t, ptcWith("", "check", good, bad, good))
	}
	wants{3, "", "no such file"}.check(t, ptcWith("", "check", "no-such-file.ptc", bad))
	wants{3, "", "error[syntax-error]"}.check(t, ptcWith(")", "check", "-"))
}
