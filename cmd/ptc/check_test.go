package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/filetest"
)

// checkBlocks returns the fenced blocks of spec/check.md.
func checkBlocks(t *testing.T) (text string, blocks []filetest.Block) {
	t.Helper()
	b, err := os.ReadFile("../../spec/check.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b), filetest.Fenced(string(b))
}

func TestCheckDocument(t *testing.T) {
	_, blocks := checkBlocks(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for name, c := range map[string]struct {
		program, output string
		args            []string
	}{
		"label.ptc": {block(t, blocks, "width]\n  (let [count 3]\n"), block(t, blocks, "warning[unused-binding]"), nil},
		"fetch.ptc": {block(t, blocks, "(defn fetch"), block(t, blocks, "fetch.ptc can reach"), []string{"--effects", "--allow-http", "api.example.com"}},
	} {
		if c.program == c.output {
			t.Fatal("one block is both")
		}
		if err := os.WriteFile(name, []byte(c.program), 0o644); err != nil {
			t.Fatal(err)
		}
		got := ptcWith("", append([]string{"check", name}, c.args...)...)
		if got.code != 0 || got.out+got.err != c.output {
			t.Errorf("%s: code %d\n%s%s\nwant\n%s", name, got.code, got.out, got.err, c.output)
		}
	}
	var got, want bytes.Buffer
	json.Compact(&got, []byte(ptcWith("", "check", "--json", "-e", "(length [1 2])").out))
	if err := json.Compact(&want, []byte(block(t, blocks, `"version"`))); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("got  %s\nwant %s", &got, &want)
	}
}

// TestCheckCodes requires each code of a warning in the document.
func TestCheckCodes(t *testing.T) {
	text, _ := checkBlocks(t)
	for _, code := range []string{"unused-binding", "unused-private", "shadowed-builtin", "constant-test", "unreachable-code",
		"duplicate-test", "unused-value", "single-operand", "inline-def", "tool-argument", "ordered-effects", "ends-run",
		"misplaced-bracket", "wrong-argument", "string-code", "unread-effects", "unknown-key", "never-equal",
		"wrong-callback", "quoted-text", "uncalled-function"} {
		if !strings.Contains(text, "| `"+code+"` |") {
			t.Errorf("spec/check.md has nothing on %s", code)
		}
	}
}

func TestCheckCommand(t *testing.T) {
	for _, c := range []struct {
		stdin, args string
		want        wants
	}{
		{"(+ 1 2)", "check -", wants{0, "", ""}},
		{"(let [x 1] 2)", "check -", wants{0, "", "warning[unused-binding]"}},
		{"(let [x 1] 2)", "check --strict -", wants{1, "", "warning[unused-binding]"}},
		{"(let [x 1] 2) (y)", "check --strict -", wants{3, "", "error[unknown-name]"}},
		{"(let [x 1] 2) (y)", "check -", wants{3, "", "warning[unused-binding]"}},
		{"(y)", "check --json -", wants{3, `"code":"unknown-name"`, ""}},
		{"(+ 1 2)", "check --json -", wants{0, `{"version":1,"files":[{"file":"-","diagnostics":[]}]}`, ""}},
		{"(+ 1 2)", "check --json --effects -", wants{0, `"effects":{"tools":[],"anyTool":false}`, ""}},
		{"(+ 1 2)", "check --effects -", wants{0, "- reaches no tool\n", ""}},
		{"(eval '(+ 1 2))", "check --effects -", wants{0, "- can reach any granted tool: it evaluates code that it builds, or may find eval (-:1:1)\n", ""}},
		{"", "check -e (y)", wants{3, "", "error[unknown-name]"}},
		{"", "check -e 1 x.ptc", wants{2, "", "check takes files or -e, not both"}},
		{"", "check", wants{2, "", "check takes files"}},
		{"1", "check --fix -", wants{2, "", "check --fix takes files"}},
		{"", "check --fix -e 1", wants{2, "", "check --fix takes files"}},
		{"", "check missing.ptc", wants{2, "", "missing.ptc"}},
		{"", "check --json missing.ptc", wants{2, `{"version":1,"files":[]}`, "missing.ptc"}},
	} {
		t.Run(c.args, func(t *testing.T) { c.want.check(t, ptcWith(c.stdin, strings.Fields(c.args)...)) })
	}
}

// TestCheckData requires the names and the keys of an input to be known.
func TestCheckData(t *testing.T) {
	in := write(t, "in.json", `{"orders": [{"id": 1, "quantity": 2}]}`)
	for _, c := range []struct {
		stdin string
		args  []string
		want  wants
	}{
		{"(map :quantity data/orders)", []string{"check", "--strict", "--data", in, "-"}, wants{0, "", ""}},
		{"(map :quantitty data/orders)", []string{"check", "--strict", "--data", in, "-"}, wants{1, "", "did you mean :quantity?"}},
		{"(map :id data/order)", []string{"check", "--data", in, "-"}, wants{3, "", "did you mean data/orders?"}},
		{"(count orders)", []string{"check", "--data", in, "-"}, wants{3, "", "did you mean data/orders?"}},
		{"(str data/region)", []string{"check", "--strict", "--arg", "region=n", "-"}, wants{0, "", ""}},
		{"(str data/orders)", []string{"check", "--arg", "region=n", "-"}, wants{3, "", "no input named data/orders"}},
		{"1", []string{"check", "--data", "-", "-"}, wants{2, "", "can't both come from standard input"}},
		{"1", []string{"check", "--data", in + ".no", "-"}, wants{2, "", "in.json.no"}},
	} {
		t.Run(c.stdin, func(t *testing.T) { c.want.check(t, ptcWith(c.stdin, c.args...)) })
	}
}

// TestRunUnread requires the end of a run to tell of calls that were never made.
func TestRunUnread(t *testing.T) {
	dir := t.TempDir()
	program := write(t, "a.ptc", `(def sent (for [x ["a"]] (tool/fs.write {:path (str "`+dir+`/" x) :text "x"}))) {:status "all sent"}`)
	wants{0, `{:status "all sent"}`, "tool/fs.write is never called: sent is a lazy sequence"}.check(t,
		ptcWith("", "run", "--allow-fs", dir, program))
}

func TestCheckFix(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.ptc")
	const source, fixed = "(defn f [x] 1) ; x\n(println (f (length [1])))\n", "(defn f [_x] 1) ; x\n(println (f (count [1])))\n"
	if err := os.WriteFile(name, []byte(source), 0o640); err != nil {
		t.Fatal(err)
	}
	wants{0, "", "2 edits made"}.check(t, ptcWith("", "check", "--fix", name))
	text, err := os.ReadFile(name)
	if err != nil || string(text) != fixed {
		t.Fatalf("fixed to %q, %v", text, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is now %v, %v", info.Mode(), err)
	}
	wants{0, "", ""}.check(t, ptcWith("", "check", "--fix", "--strict", name))
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("there are %d files now", len(left))
	}
}

// TestCheckFiles requires one document about several files.
func TestCheckFiles(t *testing.T) {
	a, b := write(t, "a.ptc", "(x)"), write(t, "b.ptc", "(let [y 1] 2)")
	got := ptcWith("", "check", "--json", a, b)
	var doc checkDocumentRead
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil {
		t.Fatal(err)
	}
	if got.code != 3 || len(doc.Files) != 2 || doc.Files[0].File != a || doc.Files[1].Diagnostics[0].Code != "unused-binding" {
		t.Errorf("got %d %s", got.code, got.out)
	}
}

type checkDocumentRead struct {
	Files []struct {
		File        string
		Diagnostics []struct{ Code string }
	}
}

// TestExamplesAreChecked requires the examples to have no warning.
func TestExamplesAreChecked(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*.ptc")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples")
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return filepath.Base(filepath.Dir(file)) == "mcp" // its tools are those of a server, which its own test starts
	})
	grants := []string{"check", "--strict", "--allow-ssh", "*", "--allow-sql", "shop.db,write", "--allow-http", "shop.test", "--allow-fs", "out"}
	wants{0, "", ""}.check(t, ptcWith("", append(grants, files...)...))
}

// TestCheckPolicy: a policy is checked without a run, and shown with the hints for the tools that a program can reach.
func TestCheckPolicy(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"good.yaml": "actions:\n  exec.run: {concurrency: 2}\nhints:\n  - {program: make, guard: global-exclusive}\n",
		"typo.yaml": "actions: {exec.run: {concurency: 2}}\n",
		"tool.yaml": "hints: [{tool: exec.rnu, rate: 2}]\n",
	})
	check := func(policy string, more ...string) outcome {
		flags := []string{"check", "--effects", "--policy", filepath.Join(dir, policy), "--allow-exec", "make"}
		return ptcWith("", append(append(flags, "-e", `(tool/exec.run {:program "make"})`), more...)...)
	}
	wants{0, "    policy: at most 2 at once\n    hint: make: global-exclusive\n    hint: apt, apt-get,", ""}.check(t, check("good.yaml"))
	wants{0, `"bounds":[{"tool":"exec.run","policy":"at most 2 at once","hints":["make: global-exclusive","apt, apt-get,`,
		""}.check(t, check("good.yaml", "--json"))
	wants{2, "", "unknown field concurency"}.check(t, check("typo.yaml"))
	wants{2, "", "tool.yaml: hints: there is no tool exec.rnu; did you mean exec.run?"}.check(t, check("tool.yaml"))
}
