package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
)

// outcome is the outcome of a command.
type outcome struct {
	code     int
	out, err string
}

// ptcWith runs a command line with a standard input.
func ptcWith(stdin string, args ...string) outcome {
	var out, err strings.Builder
	code := dispatch(context.Background(), args, streams{in: strings.NewReader(stdin), out: &output{Writer: &out},
		err: &err, printing: func() {}})
	return outcome{code, out.String(), err.String()}
}

// wants is an expected outcome: the exit code, and parts of the outputs. An empty part means that the
// output must be empty.
type wants struct {
	code     int
	out, err string
}

func (w wants) check(t *testing.T, got outcome) {
	t.Helper()
	if got.code != w.code || !holds(got.out, w.out) || !holds(got.err, w.err) {
		t.Errorf("got the exit code %d, want %d\nout: %s\nwant %s\nerr: %s\nwant %s", got.code, w.code, got.out, w.out,
			got.err, w.err)
	}
}

func holds(text, part string) bool {
	if part == "" {
		return text == ""
	}
	return strings.Contains(text, part)
}

// write makes a file for a test and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		args string
		want wants
	}{
		{"", wants{2, "", "usage: ptc COMMAND"}},
		{"help", wants{0, "usage: ptc COMMAND", ""}},
		{"-h", wants{0, "usage: ptc COMMAND", ""}},
		{"--help", wants{0, "usage: ptc COMMAND", ""}},
		{"help help", wants{0, "usage: ptc COMMAND", ""}},
		{"help -h", wants{0, "usage: ptc COMMAND", ""}},
		{"--help --help", wants{0, "usage: ptc COMMAND", ""}},
		{"version", wants{0, "ptc ", ""}},
		{"--version", wants{0, "ptc ", ""}},
		{"version now", wants{2, "", `version takes no arguments, got "now"`}},
		{"chekc x", wants{2, "", `there is no command "chekc"` + "\ndid you mean ptc check?"}},
		{"frobnicate", wants{2, "", "the commands are help, run, test, repl, replay, resume, trace, check, fmt, remote, mcp, doc, prompt, " +
			"man, completion, version"}},
		{"help frobnicate", wants{2, "", `there is no command "frobnicate"`}},
		{"report.ptc", wants{2, "", "to run a program: ptc run report.ptc"}},
		{"main_test.go", wants{2, "", "to run a program: ptc run main_test.go"}},
		{"-e 1", wants{2, "", "to run an expression: ptc run -e EXPR"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			c.want.check(t, ptcWith("", strings.Fields(c.args)...))
		})
	}
}

// TestHelp requires of each command its usage, its flags and examples, on the
// standard output, by each way of asking.
func TestHelp(t *testing.T) {
	for _, c := range allCommands() {
		t.Run(c.name, func(t *testing.T) {
			words := strings.Fields(c.name)
			asked := ptcWith("", append([]string{"help"}, words...)...)
			for _, part := range []string{"usage: ptc " + c.name, "\nexample"} {
				wants{0, part, ""}.check(t, asked)
			}
			if strings.Contains(asked.out, "(default 0") {
				t.Errorf("a default that means nothing: %s", asked.out)
			}
			for _, flag := range []string{"-h", "-help", "--help"} {
				if got := ptcWith("", append(slices.Clone(words), flag)...); got != asked {
					t.Errorf("ptc %s %s gives %+v\nptc help %s %+v", c.name, flag, got, c.name, asked)
				}
			}
		})
	}
}

// TestRunHelp requires each flag of ptc run in its help, with its default.
func TestRunHelp(t *testing.T) {
	help := ptcWith("", "help", "run").out
	for _, line := range []string{
		"--arg NAME=VALUE", "--calls N", "--tool-calls N", "--argument-bytes SIZE", "--call-result-bytes SIZE", "(default 10000)", "--data FILE", "--depth N", "(default 100000)", "-e EXPR",
		"--memory SIZE", "(default 256MB)", "--output FORM", "(default edn)", "--output-limit SIZE", "(default 16MB)",
		"--print-limit SIZE", "(default 1MB)", "--seed N", "--stats  ", "--steps N", "(default 1000000000)", "--timeout TIME",
		"(default 30s)", "--worker-memory SIZE", "(default 64MB)", "--workers N", "(default 8)", "130 interrupted",
	} {
		if !strings.Contains(help, line) {
			t.Errorf("the help lacks %q", line)
		}
	}
}

func TestFlagMistakes(t *testing.T) {
	wants{2, "", "the name of the program is empty"}.check(t, ptcWith("", "run", ""))
	for _, command := range []string{"replay", "resume", "trace"} {
		wants{2, "", "the name of the journal is empty"}.check(t, ptcWith("", command, ""))
		wants{2, "", command + " takes one journal, got 2; see ptc help " + command}.check(t, ptcWith("", command, "a", "b"))
	}
	for _, flag := range []string{"run --data", "run --policy", "run --journal", "repl --data", "prompt --tools",
		"prompt --policy", "trace x -o"} {
		words := strings.Fields(flag)
		wants{2, "", words[len(words)-1] + ` is "", want the name of a file`}.check(t, ptcWith("", append(words, "")...))
	}
	for _, c := range []struct{ args, err string }{
		{"run --timout 3s x", "run has no flag --timout\ndid you mean --timeout?\nsee ptc help run"},
		{"run --zzz", "run has no flag --zzz\nsee ptc help run"},
		{"run -x", "run has no flag -x"},
		{"run ---x", "bad flag syntax"},
		{"run -e", "-e needs a value"},
		{"run x --data", "--data needs a value"},
		{"run --timeout 0 x", `--timeout is "0", want a time above 0 such as 500ms, 30s or 5m`},
		{"run --timeout -1s x", "want a time above 0"},
		{"run --timeout 30 x", "want a time above 0"},
		{"run --timeout soon x", "want a time above 0"},
		{"run --timeout 99999999999h x", `--timeout is "99999999999h", want a time up to 876000h`},
		{"run --timeout 876000h1ns x", "want a time up to 876000h"},
		{"run --steps 0 x", `--steps is "0", want a whole number above 0`},
		{"run --steps 1e6 x", "want a whole number above 0"},
		{"run --steps 99999999999999999999 x", "want a whole number up to 2305843009213693952"},
		{"run --workers 1048577 x", "want a whole number up to 1048576"},
		{"run --calls -99999999999999999999 x", "want a whole number above 0"},
		{"run --workers -1 x", "want a whole number above 0"},
		{"run --depth many x", "want a whole number above 0"},
		{"run --calls 1.5 x", "want a whole number above 0"},
		{"run --memory 0 x", `--memory is "0", want a size above 0 such as 500KB, 64MB or 2GB`},
		{"run --memory -1MB x", "want a size above 0"},
		{"run --memory lots x", "want a size above 0"},
		{"run --memory MB x", "want a size above 0"},
		{"run --memory 1.5GB x", "want a size above 0"},
		{"run --memory 64XB x", "want a size above 0"},
		{"run --memory 64KMB x", "want a size above 0"},
		{"run --memory 1 x", "want at least 256KB"},
		{"run --memory 1025GB x", "want a size up to 1024GB"},
		{"run --memory 9223372036854775807GB x", "want a size up to 1024GB"},
		{"run --memory 9223372036854775808 x", "want a size up to 1024GB"},
		{"run --memory -9223372036854775809 x", "want a size above 0"},
		{"run --worker-memory 1KB x", "want at least 256KB"},
		{"run --output-limit 0MB x", "want a size above 0"},
		{"run --print-limit none x", "want a size above 0"},
		{"run --output xml x", `--output is "xml", want one of edn, json, pretty, envelope, none`},
		{"run --arg x -e 1", `--arg is "x", want NAME=VALUE`},
		{"run --arg =x -e 1", "want NAME=VALUE"},
		{"run --arg a/b=x -e 1", "with a NAME that is valid in data/NAME"},
		{"run --seed -1 -e 1", `--seed is "-1"`},
		{"run --stats=perhaps -e 1", "stats"},
		{"run", "run takes a file, or an expression with -e"},
		{"run a.ptc b.ptc", "run takes one file, got a.ptc b.ptc; pass a value to the program as --arg NAME=VALUE"},
		{"run a.ptc b.json", "run takes one file, got 2; pass the input as --data b.json"},
		{"run -e 1 a.ptc", "got both -e and a.ptc"},
		{"run - --data -", "the program and the data can't both come from standard input"},
		{"run - --policy -", "the program and the policy can't both come from standard input"},
		{"run -e 1 --data - --policy -", "the data and the policy can't both come from standard input"},
		{"prompt --tools - --policy -", "the tools and the policy can't both come from standard input"},
		{"repl --policy -", "repl reads forms from the standard input: --policy takes a file"},
		{"run no-such-file.ptc", "ptc: no-such-file.ptc: no such file or directory"},
		{"run .", "ptc: .: is a directory"},
		{"run testdata/sum", "testdata/sum: no such file or directory; there is testdata/sum.ptc"},
		{`run -e 1 --data {"a":1}`, "--data takes the name of a file, got JSON"},
		{"run (+)", "(+): no such file or directory; use -e to run an expression"},
		{"replay testdata/sum.ptc", "testdata/sum.ptc: journal: line 1: its checksum does not match the lines up to it"},
		{"run -- --data", "ptc: --data: no such file or directory"},
		{"run -e 1 --data no-such-file.json", "--data: no-such-file.json: no such file or directory"},
		{"check", "check takes files"},
		{"check no-such-file.ptc", "no such file"},
		{"check --fast x", "check has no flag --fast"},
		{"fmt", "fmt takes files"},
		{"fmt no-such-file.ptc", "no such file"},
		{"fmt --chekc x", "did you mean --check?"},
		{"doc", "doc takes names"},
		{"doc -x map", "doc has no flag -x"},
		{"version -x", "version has no flag -x"},
	} {
		t.Run(c.args, func(t *testing.T) {
			wants{2, "", c.err}.check(t, ptcWith("", strings.Fields(c.args)...))
		})
	}
}

// TestExitCodes holds the exit code of each error code, those included that no
// program of today reaches.
func TestExitCodes(t *testing.T) {
	want := map[diag.Code]int{
		diag.Timeout: 4, diag.StepsExceeded: 4, diag.MemoryExceeded: 4, diag.DepthExceeded: 4, diag.ResultTooLarge: 4,
		diag.CallsExceeded: 4, diag.ArgumentTooLarge: 4,
		diag.NotGranted: 5, diag.Internal: 70, diag.Cancelled: 130,
		diag.Thrown: 1, diag.Failed: 1, diag.WrongType: 1, diag.Arithmetic: 1, diag.AssertFailed: 1,
	}
	for code, exit := range want {
		if got := exitCode(&diag.Error{Code: code}); got != exit {
			t.Errorf("%s: got %d, want %d", code, got, exit)
		}
	}
	if got := exitCode(nil); got != 0 {
		t.Errorf("no error: got %d", got)
	}
	for code, exit := range map[diag.Code]int{diag.SyntaxError: 3, diag.UnknownName: 3, diag.Timeout: 4,
		diag.Internal: 70, diag.Cancelled: 130} {
		if got := compileCode(&diag.Error{Code: code}); got != exit {
			t.Errorf("compiling, %s: got %d, want %d", code, got, exit)
		}
	}
}

func TestDoc(t *testing.T) {
	for _, c := range []struct {
		args string
		want wants
	}{
		{"reduce", wants{0, "clojure.core/reduce\n  (reduce f coll)\n  (reduce f init coll)\n", ""}},
		{"reduce", wants{0, "(reduce + [1 2 3]) => 6", ""}},
		{"clojure.string/join", wants{0, "clojure.string/join\n", ""}},
		{"str/join", wants{0, "clojure.string/join\n", ""}},
		{"join", wants{0, "clojure.set/join\n", ""}},
		{"/", wants{0, "clojure.core//\n  (/ x)\n  (/ x y & more)\n", ""}},
		{"if", wants{0, "(if test then else)", ""}},
		{"Math/sqrt", wants{0, "(Math/sqrt x)", ""}},
		{"java.util.UUID/fromString", wants{0, "(UUID/fromString s)", ""}},
		{".toUpperCase", wants{0, "(.toUpperCase x)", ""}},
		{"*print-length*", wants{0, "The maximum number of elements of a collection", ""}},
		{"redcue", wants{1, "", "unknown name redcue\ndid you mean reduce?"}},
		{"map zzzzzz filter", wants{1, "clojure.core/filter", "unknown name zzzzzz"}},
		{"%fold", wants{1, "", "unknown name %fold"}},
		{"tool/http.get", wants{1, "", "http.get is a tool: grant it with --allow-http HOST, and ptc doc with " +
			"that flag shows its documentation"}},
		{"env.get --allow-env HOME", wants{0, "(tool/env.get ", ""}},
		{"tool/env.get --allow-env HOME", wants{0, "variable", ""}},
		{"time reduce --allow-time", wants{0, "(tool/time.", ""}},
		{"sql.query", wants{1, "", "sql.query is a tool"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			c.want.check(t, ptcWith("", append([]string{"doc"}, strings.Fields(c.args)...)...))
		})
	}
}
