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
	"lang/internal/jtime":                 {},
	"lang/internal/juri":                  {},
	"lang/internal/jtext":                 {"lang/internal/jtime", "lang/internal/num"},
	"runtime/limits":                      {},
	"runtime/budget":                      {},
	"runtime/sched":                       {"runtime/budget"},
	"runtime/effect":                      {"lang/diag"},
	"runtime/secret":                      {"lang/diag", "runtime/secret/internal/ahocorasick"},
	"runtime/secret/internal/ahocorasick": {},
	"runtime/guard":                       {"lang/diag", "runtime/effect", "runtime/internal/bucket"},
	"runtime/guard/guardtest":             {"lang/diag", "runtime/effect", "runtime/guard", "runtime/guard/guardtest/guardmodel"},
	"runtime/guard/guardtest/guardmodel":  {"lang/diag"},
	"runtime/internal/bucket":             {},
	"runtime/queue":                       {"lang/diag", "runtime/effect", "runtime/internal/bucket"},
	"runtime/pending":                     {"lang/diag", "runtime/effect", "runtime/limits"},
	"runtime/tool":                        {"internal/jsontype", "internal/rank", "lang/diag", "runtime/effect", "runtime/secret"},
	"internal/rank":                       {},
	"internal/durable":                    {},
	"runtime/watch":                       {"lang/diag", "runtime/effect"},
	"runtime/journal":                     {"internal/durable", "lang/diag", "lang/token", "runtime/effect", "runtime/secret"},
	"runtime/dist":                        {"lang/diag", "runtime/effect", "runtime/journal"},
	"runtime/journal/trace":               {"lang/diag", "runtime/effect", "runtime/journal"},
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
	"lang/builtins/internal/java": {"lang/diag", "lang/value", "lang/jsonio", "lang/internal/entry", "lang/internal/expand", "lang/internal/jtime",
		"lang/internal/jtext", "lang/internal/juri", "lang/internal/murmur", "lang/internal/num", "lang/builtins/internal/strs", "runtime/limits"},
	"lang/builtins": {"internal/rank", "lang/diag", "lang/value", "lang/jsonio", "lang/internal/entry", "lang/internal/expand", "lang/internal/jclass", "lang/internal/murmur",
		"lang/internal/num", "lang/builtins/internal/java", "lang/builtins/internal/macros", "lang/builtins/internal/strs", "lang/builtins/internal/numbers",
		"lang/builtins/internal/colls", "runtime/effect", "runtime/limits"},
	"lang/compile": {"lang/token", "lang/diag", "lang/value", "lang/parser", "lang/internal/entry", "lang/internal/expand", "lang/internal/jclass", "lang/builtins",
		"runtime/effect", "runtime/limits"},
	"lang/eval/internal/machine": {"lang/token", "lang/diag", "lang/value", "lang/parser", "lang/internal/entry", "lang/builtins", "lang/compile", "runtime/limits"},
	"lang/eval":                  {"lang/token", "lang/diag", "lang/value", "lang/builtins", "lang/compile", "lang/eval/internal/machine", "runtime/effect", "runtime/limits", "runtime/sched"},
	"lang/lint":                  {"lang/token", "lang/diag", "lang/value", "lang/parser", "lang/internal/entry", "lang/builtins", "lang/compile", "runtime/effect", "runtime/limits"},
	"lang/format":                {"lang/token", "lang/diag", "lang/parser", "lang/internal/entry", "lang/builtins", "runtime/limits"},
	".": {"internal/inspect", "lang/token", "lang/diag", "lang/value", "lang/jsonio", "lang/parser", "lang/builtins", "lang/compile", "lang/eval", "lang/lint",
		"runtime/effect", "runtime/limits", "runtime/pending", "runtime/sched", "runtime/secret", "runtime/tool", "runtime/guard", "runtime/queue", "runtime/journal", "runtime/watch"},

	// The service.
	"store":           {"runtime/effect", "runtime/journal", "runtime/limits"},
	"store/storetest": {"store", "runtime/effect", "runtime/journal"},
	"store/dir":       {"internal/durable", "runtime/effect", "runtime/journal", "store"},
	"serve/access":    {"internal/durable"},
	"serve/wire":      {"lang/diag", "runtime/effect", "runtime/queue", "runtime/tool", "store", "runtime/limits"},
	"client":          {"lang/diag", "runtime/effect", "runtime/guard", "runtime/queue", "serve/wire", "store"},
	"serve":           {".", "lang/diag", "runtime/effect", "runtime/guard", "runtime/journal", "runtime/limits", "runtime/queue", "serve/access", "serve/wire", "store", "telemetry/spans"},
	"serve/api":       {".", "runtime/effect", "runtime/journal", "runtime/journal/trace", "serve", "serve/access", "serve/wire", "store", "lang/diag", "policy", "runtime/guard", "runtime/limits", "runtime/queue", "runtime/tool", "serve/schedule"},
	"serve/mcp":       {".", "lang/diag", "mcp", "runtime/effect", "runtime/journal", "serve", "serve/access", "serve/api", "serve/wire", "store"},
	"serve/pages":     {".", "lang/diag", "runtime/effect", "runtime/guard", "runtime/journal", "runtime/journal/trace", "runtime/queue", "serve", "serve/access", "serve/wire", "store", "serve/schedule"},
	"serve/schedule":  {".", "serve", "serve/access", "store", "serve/wire"},

	// The cluster.
	"cluster/internal/engine":            {},
	"cluster/internal/engine/room":       {"cluster/internal/engine"},
	"cluster":                            {"cluster/internal/blob", "cluster/config", "cluster/internal/coord", "cluster/internal/engine", "cluster/internal/engine/etcd", "cluster/internal/engine/room", "cluster/internal/facts", "cluster/internal/load", "cluster/member", "cluster/peer", "cluster/pki", "cluster/internal/place", "cluster/internal/roster", "cluster/internal/runlog", "cluster/seal", "cluster/internal/share", "cluster/internal/store", "cluster/internal/users", "cluster/internal/worker", "internal/ending", "runtime/effect", "runtime/journal", "serve", "serve/access", "serve/api", "serve/wire", "store", "tools/facts"},
	"cluster/internal/engine/enginetest": {"cluster/internal/engine"},
	"cluster/internal/engine/memory":     {"cluster/internal/engine"},
	"cluster/internal/coord":             {"cluster/internal/engine", "cluster/peer", "lang/diag", "runtime/effect", "runtime/guard", "runtime/queue"},
	"cluster/internal/blob":              {"cluster/internal/engine", "cluster/peer", "internal/durable"},
	"cluster/internal/runlog":            {"cluster/internal/engine", "runtime/dist"},
	"cluster/peer":                       {"cluster/pki"},
	"cluster/internal/load":              {},
	"cluster/member":                     {"cluster/internal/engine", "cluster/internal/load", "cluster/peer"},
	"cluster/internal/facts":             {"cluster/internal/engine", "cluster/peer", "runtime/tool", "tools/facts"},
	"cluster/internal/place":             {"cluster/internal/engine", "cluster/internal/load", "cluster/member", "runtime/effect"},
	"cluster/internal/share":             {"cluster/internal/engine", "cluster/member", "cluster/internal/place", "cluster/internal/runlog", "lang/diag", "runtime/dist", "runtime/effect", "runtime/journal", "serve", "store"},
	"cluster/internal/roster":            {"cluster/config", "cluster/internal/engine", "cluster/pki"},
	"cluster/internal/users":             {"cluster/internal/engine", "serve/access"},
	"cluster/internal/worker":            {"cluster/internal/engine", "cluster/internal/place", "serve", "serve/access", "store"},
	"cluster/internal/store":             {"cluster/internal/engine", "cluster/internal/runlog", "runtime/dist", "runtime/effect", "runtime/journal", "store"},

	"cluster/config":               {"cluster/pki", "lang/diag"},
	"cluster/peer/peertest":        {"cluster/peer"},
	"cluster/pki":                  {"internal/durable", "serve/access"},
	"cluster/internal/engine/etcd": {"cluster/internal/engine", "internal/durable"},
	"cluster/seal":                 {"internal/durable"},

	// Around the language: the card, policies, tools.
	"prompt":                       {".", "lang/builtins", "lang/diag", "runtime/tool"},
	"telemetry/spans":              {".", "lang/diag", "runtime/effect"},
	"telemetry/internal/collector": {},
	"telemetry/otlp":               {"runtime/effect", "telemetry/internal/collector", "telemetry/spans"},
	"telemetry":                    {".", "lang/diag", "runtime/effect", "runtime/guard", "runtime/queue", "telemetry/internal/collector", "telemetry/spans"},
	"internal/yamltext":            {},
	"policy":                       {"internal/yamltext", "lang/token", "lang/diag", "runtime/queue", "internal/hintfile", "runtime/tool"},
	"tools/internal/capture":       {},
	"tools/internal/detach":        {},
	"tools/exec":                   {"runtime/effect", "runtime/tool", "tools/internal/capture", "tools/internal/detach", "tools/internal/commands", "tools/internal/process"},
	"tools/internal/process":       {},
	"tools/internal/headers":       {},
	"tools/mcp":                    {"internal/durable", "internal/jsontype", "lang/diag", "runtime/effect", "runtime/secret", "runtime/tool", "tools/internal/detach", "tools/internal/headers", "tools/internal/process"},
	"tools/kv":                     {"runtime/tool", "tools/internal/detach"},
	"internal/commandtest":         {},
	"internal/sshtest":             {},
	"tools/sql":                    {"lang/diag", "runtime/effect", "runtime/tool", "tools/internal/detach"},
	"tools/ssh":                    {"runtime/effect", "runtime/tool", "tools/internal/capture", "tools/internal/detach", "tools/internal/commands"},
	"tools/csv":                    {"runtime/effect", "runtime/tool", "tools/fs"},
	"tools/env":                    {"runtime/tool"},
	"tools/facts":                  {"runtime/tool"},
	"tools/fs":                     {"runtime/effect", "runtime/tool"},
	"tools/http":                   {"runtime/effect", "runtime/tool", "tools/internal/headers"},
	"tools/time":                   {"runtime/tool"},
	"tools/grant":                  {"internal/yamltext", "lang/diag", "runtime/tool", "tools/csv", "tools/env", "tools/exec", "tools/facts", "tools/fs", "tools/http", "tools/kv", "tools/mcp", "tools/sql", "tools/ssh", "tools/time", "internal/hintfile", "runtime/effect"},

	// Commands.
	"mcp":                          {".", "lang/builtins", "lang/diag", "lang/token", "prompt", "runtime/effect", "runtime/journal", "runtime/tool", "telemetry/spans"},
	"cmd/ptc":                      {".", "mcp", "lang/diag", "lang/token", "lang/builtins", "lang/format", "lang/parser", "policy", "prompt", "runtime/effect", "runtime/limits", "runtime/journal", "runtime/dist", "runtime/journal/trace", "runtime/queue", "runtime/tool", "telemetry/otlp", "telemetry/spans", "tools/grant", "cmd/internal/buildinfo", "cmd/internal/files", "cmd/internal/flags", "cmd/internal/processors", "cmd/internal/state", "cmd/ptc/internal/ask", "cmd/ptc/internal/repl", "policy/ledger", "client", "runtime/guard", "serve/wire", "store"},
	"cmd/internal/files":           {},
	"cmd/internal/flags":           {"lang/diag", "runtime/effect", "runtime/limits", "tools/grant", "runtime/queue"},
	"cmd/internal/processors":      {"."},
	"cmd/internal/state":           {"cmd/internal/files", "runtime/journal"},
	"cmd/ptc/internal/repl":        {".", "internal/inspect", "cmd/internal/files", "cmd/internal/state", "lang/builtins", "lang/diag", "lang/format", "lang/parser", "lang/token", "runtime/journal", "runtime/limits", "runtime/tool", "runtime/effect"},
	"cmd/ptcd":                     {"cluster", "cluster/member", "runtime/journal", ".", "cmd/internal/buildinfo", "cmd/internal/files", "cmd/internal/flags", "cmd/internal/processors", "cmd/internal/state", "cluster/config", "cmd/ptcd/internal/cluster", "cmd/ptcd/internal/token", "internal/ending", "internal/yamltext", "lang/diag", "policy", "runtime/effect", "runtime/guard", "runtime/limits", "runtime/queue", "serve", "serve/access", "serve/api", "serve/mcp", "mcp", "serve/pages", "serve/schedule", "store", "store/dir", "telemetry", "telemetry/otlp", "telemetry/spans", "tools/grant", "policy/ledger"},
	"cmd/ptc/internal/ask":         {"lang/diag", "runtime/effect"},
	"cmd/internal/buildinfo":       {},
	"cmd/ptcd/internal/subcommand": {"cmd/internal/flags"},
	"cmd/ptcd/internal/token":      {"cmd/ptcd/internal/subcommand", "cmd/internal/flags", "serve/access"},
	"cmd/ptcd/internal/cluster":    {"cluster/config", "cluster/pki", "cluster/seal", "cmd/internal/flags", "cmd/ptcd/internal/subcommand", "internal/durable", "serve/access", "tools/grant"},

	// Documents and tests.
	"spec":          {".", "lang/builtins", "internal/filetest"},
	"spec/generate": {"lang/builtins"},
	"spec/oracle":   {"."},
	"examples": {".", "examples/internal/accesslog", "examples/internal/documents", "examples/internal/ledger", "examples/internal/service", "internal/sshtest",
		"runtime/effect", "runtime/tool", "tools/grant", "tools/sql", "tools/ssh"},
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
	"examples/mcp":                 {},
	"examples/shop":                {"examples/internal/shop"},
	"examples/internal/shop":       {},
	"examples/agent":               {".", "examples/internal/ledger", "examples/internal/shop", "lang/diag", "prompt", "runtime/effect", "tools/grant"},
	"docs":                         {},
	"test/browser":                 {},
	"test/check":                   {},
	"test/concurrent":              {},
	"test/hostile":                 {},
	"test/library":                 {},
	"test/mcp":                     {},
	"test/parallel":                {},
	"test/replay":                  {},
	"test/replicas":                {},
	"test/tools":                   {},
	"test/zero":                    {},
	"policy/ledger":                {"runtime/queue", "internal/durable"},
	"internal/hintfile":            {"lang/diag", "runtime/effect", "runtime/tool"},
	"tools/internal/commands":      {},
	"internal/ending":              {},
	"internal/testlevel":           {},
	"internal/testlog":             {},
	"internal/jsontype":            {},
	"internal/tlstest":             {},
	"internal/ptcdtest":            {"client"},
}

// outside lists the packages of other modules that the language and its runtime may import. A
// program that embeds the language must not have to link others.
var outside = map[string][]string{
	"runtime/tool": {"github.com/google/jsonschema-go/jsonschema"},
	"lang/parser":  {"github.com/alecthomas/participle/v2", "github.com/alecthomas/participle/v2/lexer"},
	// Only tests import it.
	"runtime/guard/guardtest":            {"github.com/stretchr/testify/require"},
	"runtime/guard/guardtest/guardmodel": {"github.com/stretchr/testify/require"},
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

// engines lists the packages that may link etcd.
var engines = []string{"cluster", "cluster/internal/engine/etcd", "cmd/ptcd"}

// TestEngine checks that other programs and packages, such as the command ptc, do not link etcd.
func TestEngine(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var linking []string
	for line := range strings.Lines(string(out)) {
		name, deps, _ := strings.Cut(local(strings.TrimSpace(line)), " ")
		if strings.Contains(" "+deps, " go.etcd.io/etcd/") || strings.Contains(" "+deps, " go.etcd.io/raft/") {
			linking = append(linking, name)
		}
	}
	if !slices.Equal(linking, engines) {
		t.Errorf("etcd is linked by %q, want %q", linking, engines)
	}
}

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
