// Package archtest holds rules about the packages of the module as data: their import direction and
// their style.
package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ptc-lang/ptc"

// allowed lists, for each package, the packages of this module that it may
// import. Do not change this to fix a build: change the code.
var allowed = map[string][]string{
	"lang/token":                          {},
	"lang/diag":                           {"lang/token"},
	"lang/internal/murmur":                {},
	"lang/internal/num":                   {"lang/internal/murmur"},
	"lang/internal/strfmt":                {"lang/internal/num"},
	"lang/internal/jregex":                {},
	"runtime/limits":                      {},
	"runtime/budget":                      {},
	"runtime/sched":                       {"runtime/budget"},
	"runtime/effect":                      {"lang/diag"},
	"runtime/secret":                      {"lang/diag", "runtime/secret/internal/ahocorasick"},
	"runtime/secret/internal/ahocorasick": {},
	"runtime/guard":                       {"lang/diag", "runtime/effect", "runtime/internal/bucket"},
	"runtime/internal/bucket":             {},
	"runtime/queue":                       {"lang/diag", "runtime/effect", "runtime/internal/bucket"},
	"runtime/tool":                        {"lang/diag", "runtime/effect", "runtime/secret"},
	"runtime/journal":                     {"lang/diag", "lang/token", "runtime/effect", "runtime/secret"},
	"runtime/journal/trace":               {"runtime/effect", "runtime/journal"},
	"lang/value":                          {"lang/token", "lang/diag", "lang/internal/murmur", "lang/internal/num", "lang/internal/jregex", "runtime/effect", "runtime/limits"},
	"lang/parser":                         {"lang/token", "lang/diag", "lang/value", "runtime/limits"},
	"lang/jsonio":                         {"lang/diag", "lang/internal/num", "lang/value", "runtime/effect", "runtime/limits"},
	"lang/internal/expand":                {"lang/token", "lang/diag", "lang/value"},
	"lang/internal/jclass":                {"lang/diag", "lang/value"},
	"lang/internal/entry":                 {"lang/diag", "lang/value", "lang/internal/expand"},
	"lang/builtins/internal/macros":       {"lang/diag", "lang/value", "lang/internal/entry", "lang/internal/expand", "lang/internal/jclass"},
	"lang/builtins/internal/strs":         {"lang/diag", "lang/value", "lang/internal/entry", "lang/internal/jregex", "lang/internal/strfmt", "runtime/limits"},
	"lang/builtins/internal/numbers":      {"lang/diag", "lang/value", "lang/internal/entry", "lang/internal/num", "lang/builtins/internal/strs"},
	"lang/builtins/internal/colls":        {"lang/diag", "lang/value", "lang/internal/entry", "lang/builtins/internal/strs"},
	"lang/builtins": {"lang/diag", "lang/value", "lang/jsonio", "lang/internal/entry", "lang/internal/expand", "lang/internal/jclass", "lang/internal/murmur",
		"lang/internal/num", "lang/builtins/internal/macros", "lang/builtins/internal/strs", "lang/builtins/internal/numbers",
		"lang/builtins/internal/colls", "runtime/effect", "runtime/limits"},
	"lang/compile": {"lang/token", "lang/diag", "lang/value", "lang/parser", "lang/internal/entry", "lang/internal/expand", "lang/internal/jclass", "lang/builtins",
		"runtime/effect", "runtime/limits"},
	"lang/eval/internal/machine": {"lang/token", "lang/diag", "lang/value", "lang/parser", "lang/internal/entry", "lang/builtins", "lang/compile", "runtime/limits"},
	"lang/eval":                  {"lang/token", "lang/diag", "lang/value", "lang/builtins", "lang/compile", "lang/eval/internal/machine", "runtime/effect", "runtime/limits", "runtime/sched"},
	"lang/lint":                  {"lang/token", "lang/diag", "lang/value", "lang/parser", "lang/internal/entry", "lang/builtins", "lang/compile", "runtime/effect", "runtime/limits"},
	"lang/format":                {"lang/token", "lang/diag", "lang/parser", "lang/internal/entry", "lang/builtins", "runtime/limits"},
	".": {"internal/inspect", "lang/token", "lang/diag", "lang/value", "lang/jsonio", "lang/parser", "lang/builtins", "lang/compile", "lang/eval", "lang/lint",
		"runtime/effect", "runtime/limits", "runtime/sched", "runtime/secret", "runtime/tool", "runtime/guard", "runtime/queue", "runtime/journal"},
	"prompt":                 {".", "lang/builtins", "lang/diag", "runtime/tool"},
	"internal/yamltext":      {},
	"policy":                 {"internal/yamltext", "lang/token", "lang/diag", "runtime/queue"},
	"tools/internal/capture": {},
	"tools/internal/detach":  {},
	"tools/exec":             {"runtime/effect", "runtime/tool", "tools/internal/capture", "tools/internal/detach"},
	"tools/kv":               {"runtime/tool", "tools/internal/detach"},
	"internal/sshtest":       {},
	"tools/sql":              {"lang/diag", "runtime/effect", "runtime/tool", "tools/internal/detach"},
	"tools/ssh":              {"runtime/effect", "runtime/tool", "tools/internal/capture", "tools/internal/detach"},
	"tools/csv":              {"runtime/effect", "runtime/tool", "tools/fs"},
	"tools/env":              {"runtime/tool"},
	"tools/fs":               {"runtime/effect", "runtime/tool"},
	"tools/http":             {"runtime/effect", "runtime/tool"},
	"tools/time":             {"runtime/tool"},
	"tools/grant":            {"internal/yamltext", "lang/diag", "runtime/tool", "tools/csv", "tools/env", "tools/exec", "tools/fs", "tools/http", "tools/kv", "tools/sql", "tools/ssh", "tools/time"},
	"cmd/ptc":                {".", "lang/diag", "lang/token", "lang/builtins", "lang/format", "policy", "prompt", "runtime/effect", "runtime/limits", "runtime/journal", "runtime/journal/trace", "runtime/queue", "runtime/tool", "tools/grant", "cmd/ptc/internal/files", "cmd/ptc/internal/repl", "cmd/ptc/internal/state"},
	"cmd/ptc/internal/files": {},
	"cmd/ptc/internal/state": {"cmd/ptc/internal/files", "runtime/journal"},
	"cmd/ptc/internal/repl":  {".", "internal/inspect", "cmd/ptc/internal/files", "cmd/ptc/internal/state", "lang/builtins", "lang/diag", "lang/format", "lang/parser", "lang/token", "runtime/journal", "runtime/limits", "runtime/tool"},
	"spec":                   {".", "lang/builtins", "internal/filetest"},
	"spec/generate":          {"lang/builtins"},
	"spec/oracle":            {"."},
	"examples": {".", "examples/internal/accesslog", "examples/internal/documents", "examples/internal/ledger", "examples/internal/service", "internal/sshtest",
		"runtime/tool", "tools/grant", "tools/sql", "tools/ssh"},
	"examples/internal/service":    {},
	"examples/poll/serve":          {"examples/internal/service"},
	"examples/internal/ledger":     {},
	"examples/ledger/generate":     {"examples/internal/ledger"},
	"internal/archtest":            {},
	"internal/inspect":             {},
	"internal/linktest":            {},
	"internal/styletest":           {},
	"internal/memtest":             {},
	"internal/ptctest":             {".", "runtime/journal", "runtime/limits", "runtime/tool"},
	"internal/release":             {},
	"internal/filetest":            {".", "lang/diag", "lang/builtins", "runtime/tool"},
	"examples/internal/accesslog":  {},
	"examples/internal/documents":  {},
	"examples/logs/generate":       {"examples/internal/accesslog"},
	"examples/similarity/generate": {"examples/internal/documents"},
	"examples/access-log/generate": {"examples/internal/accesslog"},
	"examples/shop":                {},
	"docs":                         {},
	"test/check":                   {},
	"test/concurrent":              {},
	"test/hostile":                 {},
	"test/library":                 {},
	"test/parallel":                {},
	"test/replay":                  {},
	"test/tools":                   {},
	"test/zero":                    {},
}

// outside lists the packages of other modules that the language and its runtime may import. A
// program that embeds the language must not have to link others.
var outside = map[string][]string{
	"runtime/tool": {"github.com/google/jsonschema-go/jsonschema"},
	"lang/parser":  {"github.com/alecthomas/participle/v2", "github.com/alecthomas/participle/v2/lexer"},
}

// listed is the output of go list for a package.
type listed struct {
	ImportPath string
	Imports    []string
}

func TestImports(t *testing.T) {
	for _, p := range list(t) {
		name := local(p.ImportPath)
		may, known := allowed[name]
		if !known {
			t.Errorf("package %s is not in the table: say what it may import", name)
			continue
		}
		for _, imp := range p.Imports {
			switch {
			case imp == module || strings.HasPrefix(imp, module+"/"):
				if !slices.Contains(may, local(imp)) {
					t.Errorf("%s imports %s, which it may not", name, local(imp))
				}
			case strings.Contains(strings.Split(imp, "/")[0], "."):
				if !slices.Contains(outside[name], imp) && bare(name) {
					t.Errorf("%s imports %s of another module, which it may not", name, imp)
				}
			}
		}
	}
}

// linked lists the modules, besides this one, that a program that embeds the language links.
var linked = []string{"github.com/alecthomas/participle/v2", "github.com/google/jsonschema-go"}

// TestLinked checks that a program that embeds the language links no driver, client or server of a
// tool.
func TestLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if path != module && !slices.Contains(linked, path) {
			t.Errorf("package ptc links %s", path)
		}
	}
}

// bare reports whether a package must not import other modules.
func bare(name string) bool {
	return name == "." || strings.HasPrefix(name, "lang/") || strings.HasPrefix(name, "runtime/")
}

func local(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
