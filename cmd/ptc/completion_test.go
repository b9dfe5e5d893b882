// This file defines the tests of completions, by the shells themselves, and of the manual page.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

// completionScript writes the completions of a shell to a file; the test is skipped if the
// shell is not there.
func completionScript(t *testing.T, shell string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("there is no %s", shell)
	}
	got := ptcWith("", "completion", shell)
	if got.code != exitOK || got.err != "" {
		t.Fatalf("got %+v", got)
	}
	return write(t, "ptc."+shell, got.out)
}

// completions are command lines, with the cursor at their end, and the expected candidates.
var completions = []struct {
	line string
	want []string
}{
	{"ptc r", []string{"remote", "repl", "replay", "resume", "run"}},
	{"ptc run --output", []string{"--output", "--output-limit"}},
	{"ptc run --output p", []string{"pretty"}},
	{"ptc run report.ptc --output=e", []string{"edn", "envelope"}},
	{"ptc run --on-full ", []string{"fail", "inline"}},
	{"ptc run --steps ", nil},
	{"ptc repl --stat", nil},
	{"ptc trace j --format ", []string{"chrome", "html"}},
	{"ptc completion z", []string{"zsh"}},
	{"ptc help comp", []string{"completion"}},
	{"ptc version ", nil},
	{"ptc prompt --too", []string{"--tool-calls", "--tools"}},
	{"ptc remote re", []string{"refuse", "replay", "result", "resume"}},
	{"ptc remote run --ke", []string{"--key"}},
	{"ptc remote run --output p", []string{"pretty"}},
	{"ptc remote trace --format ", []string{"chrome", "html"}},
	{"ptc help rem", []string{"remote"}},
}

func TestBashCompletion(t *testing.T) {
	script := completionScript(t, "bash")
	for _, c := range completions {
		// Like readline: = is a separate word, and the last word is completed.
		words := strings.Fields(strings.ReplaceAll(c.line, "=", " = "))
		if strings.HasSuffix(c.line, " ") {
			words = append(words, "")
		}
		program := `set -u; source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _ptc; printf '%s\n' "${COMPREPLY[@]-}"`
		out, err := exec.Command("bash", append([]string{"-c", program, script}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.line, err, out)
		}
		if got := sorted(string(out)); !slices.Equal(got, c.want) {
			t.Errorf("%q completes to %q, want %q", c.line, got, c.want)
		}
	}
}

func TestFishCompletion(t *testing.T) {
	script := completionScript(t, "fish")
	for _, c := range completions {
		cmd := exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, c.line)
		cmd.Dir = t.TempDir() // without files
		cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "XDG_DATA_HOME="+cmd.Dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.line, err)
		}
		var got []string
		for _, line := range sorted(string(out)) {
			word, _, _ := strings.Cut(line, "\t")
			_, value, ok := strings.Cut(word, "=")
			if !ok {
				value = word
			}
			got = append(got, value)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q completes to %q, want %q", c.line, got, c.want)
		}
	}
}

// TestZshCompletion has zsh read the completions, and checks the arguments of _arguments for each command;
// another function replaces _arguments.
func TestZshCompletion(t *testing.T) {
	script := completionScript(t, "zsh")
	program := `compdef() { : }; _arguments() { print -rl -- "$@" }; source $1; words=(ptc ${=2} ''); CURRENT=$#words; _ptc`
	for _, c := range allCommands() {
		out, err := exec.Command("zsh", "-f", "-c", program, "zsh", script, c.name).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, out)
		}
		for _, f := range c.flags(&settings{}) {
			if !strings.Contains("\n"+string(out), "\n"+zshFlag(f)+"\n") {
				t.Errorf("%s %s: want the line %s of\n%s", c.name, f.Name, zshFlag(f), out)
			}
		}
	}
}

func sorted(text string) []string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	slices.Sort(lines)
	return lines
}

// TestShellExamples requires an example for each shell.
func TestShellExamples(t *testing.T) {
	for _, shell := range shellNames() {
		if !strings.Contains(completionCommand().exampleText(), "completion "+shell) {
			t.Errorf("the help has no example for %s", shell)
		}
	}
}

func TestCompletionMistakes(t *testing.T) {
	wants{2, "", "completion takes one shell: bash, fish, zsh"}.check(t, ptcWith("", "completion"))
	wants{2, "", "there are no completions for tcsh; the shells are bash, fish, zsh"}.check(t, ptcWith("", "completion", "tcsh"))
	wants{2, "", `man takes no arguments, got "run"`}.check(t, ptcWith("", "man", "run"))
}

// TestManual requires every command and flag in the page, no line that is a request by mistake,
// and no complaint of man.
func TestManual(t *testing.T) {
	got := ptcWith("", "man")
	if got.code != exitOK || got.err != "" {
		t.Fatalf("got %+v", got)
	}
	for _, c := range allCommands() {
		_, part, ok := strings.Cut(got.out, "\n.SS ptc "+c.name+"\n")
		part, _, _ = strings.Cut(part, "\n.SS ")
		for _, f := range c.flags(&settings{}) {
			if ok = ok && strings.Contains(part, "\n.B "+strings.ReplaceAll(flags.Dashed(f.Name), "-", `\-`)); !ok {
				t.Errorf("the page does not tell of %s %s", c.name, f.Name)
			}
		}
	}
	requests := strings.Fields(".TH .SH .SS .PP .TP .B .I .RI .BR .EX .EE .UR .UE")
	for line := range strings.Lines(got.out) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(line, ".") && !slices.Contains(requests, name) || strings.HasPrefix(line, "'") {
			t.Errorf("the line %q is a request", line)
		}
	}
	if i := strings.IndexFunc(got.out, func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 {
		t.Errorf("a terminal of ASCII can't show %.20q", got.out[i:])
	}
	if _, err := exec.LookPath("mandoc"); err == nil {
		out, _ := exec.Command("mandoc", "-T", "lint", "-W", "warning", write(t, "ptc.1", got.out)).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "missing date") { // see writeManual
				t.Error(line)
			}
		}
	}
}

func TestPrompt(t *testing.T) {
	dir := t.TempDir()
	tools := write(t, "tools.json", `{"tools":[{"name":"search","description":"Finds products. And more.","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]},"annotations":{"readOnlyHint":true}}]}`)
	policy := write(t, "policy.yaml", "actions:\n  search:\n    concurrency: 3\n")
	card := ptcWith("", "prompt", "--tools", tools, "--policy", policy, "--allow-fs", dir+":ro", "--timeout", "90s", "--memory", "64MB")
	for _, part := range []string{"# PTC\n", "tool/search {:query string} -> any", "Finds products. [read-only; policy: at most 3 at once]",
		"Paths begin with: " + dir + " (only to read)", "tool/fs.read {", "1m30s of time; 64 MB of memory", "(psettle #(retry {:times 3} (tool/"} {
		wants{0, part, ""}.check(t, card)
	}
	orders := write(t, "orders.json", `{"orders":[{"id":1,"note":"secret"},{"id":2}]}`)
	card = ptcWith("", "prompt", "--data", orders, "--arg", "region=north")
	wants{0, "`data/orders`, `data/region`\n", ""}.check(t, card)
	wants{0, "    data/orders [{:id int :note string?}]\n    data/region string\n", ""}.check(t, card)
	if strings.Contains(card.out, "secret") {
		t.Error("the card has a value of the input")
	}
	wants{0, "Left out here: ", ""}.check(t, ptcWith("", "prompt", "--tokens", "500"))
	wants{0, "tool/search", ""}.check(t, ptcWith(`[{"name":"search","inputSchema":{"type":"object"}}]`, "prompt", "--tools", "-"))
	for _, c := range []struct {
		args []string
		err  string
	}{
		{[]string{"--tokens", "20"}, "--tokens 20 is too few: the shortest card for these tools has "},
		{[]string{"--tokens", "0"}, "--tokens is \"0\", want a whole number above 0"},
		{[]string{"tools.json"}, "pass further tools as --tools tools.json"},
		{[]string{"--tools", filepath.Join(dir, "none")}, "none: no such file"},
		{[]string{"--tools", policy}, "policy.yaml: line 1: not JSON"},
		{[]string{"--tools", "-", "--data", "-"}, "the tools and the data can't both come from standard input"},
		{[]string{"--data", tools + ".none"}, "tools.json.none: no such file"},
		{[]string{"--data", policy}, "want a JSON object, whose members are data/…"},
		{[]string{"--policy", tools}, "error[bad-policy]: "},
	} {
		wants{2, "", c.err}.check(t, ptcWith("", append([]string{"prompt"}, c.args...)...))
	}
	// A described tool may have the name of one that is granted.
	taken := write(t, "taken.json", `[{"name":"fs.read","inputSchema":{"type":"object"}}]`)
	wants{2, "", "tool fs.read: there is one of this name already"}.check(t, ptcWith("", "prompt", "--tools", taken, "--allow-fs", dir))
}
