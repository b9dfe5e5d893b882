// This file defines docs/reference.md, which is written from the tables of the code by
// go generate; a test compares.

package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

//go:generate go test -run TestReference -update

var update = flag.Bool("update", false, "write docs/reference.md")

const referenceFile = "../../docs/reference.md"

const referenceIntro = `# Reference

This page lists the commands with their flags, the exit codes, the error codes, the limits, the tools and the names of the language.
` + "`go generate ./cmd/ptc`" + ` writes it from the tables of the code; do not edit it by hand.

[Commands](#commands) · [Exit codes](#exit-codes) · [Error codes](#error-codes) · [Limits](#limits) · [Tools](#tools) ·
[Names](#names)
`

func TestReference(t *testing.T) {
	var b strings.Builder
	b.WriteString(referenceIntro)
	referenceCommands(&b)
	referenceCodes(&b)
	referenceLimits(t, &b)
	referenceTools(t, &b)
	referenceNames(&b)
	want := b.String()
	if *update {
		if err := os.WriteFile(referenceFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/reference.md is not what the tables say: run go generate ./cmd/ptc")
	}
}

func referenceCommands(b *strings.Builder) {
	b.WriteString("\n## Commands\n")
	for _, c := range allCommands() {
		fmt.Fprintf(b, "\n### ptc %s\n\n```text\n%s```\n", c.name, ptcWith("", append([]string{"help"}, strings.Fields(c.name)...)...).out)
	}
	fmt.Fprintf(b, "\n## Exit codes\n\n| code | meaning |\n|---|---|\n")
	for _, e := range []struct {
		code int
		text string
	}{{exitOK, "the run succeeded"}, {exitFailed, "the program failed"}, {exitUsage, "the command line or a file is wrong"},
		{exitCompile, "the program does not compile"}, {exitLimit, "a limit was hit"}, {exitNotGranted, "the program calls a tool that is not granted"},
		{exitWaiting, "the run waits for settlements"}, {exitService, "the service of `ptc remote` does not answer, or refuses the request"},
		{exitInternal, "a bug in PTC"}, {exitInterrupted, "interrupted"}} {
		fmt.Fprintf(b, "| %d | %s |\n", e.code, e.text)
	}
}

// referenceCodes lists the error codes. internal/filetest runs the examples.
func referenceCodes(b *strings.Builder) {
	b.WriteString("\n## Error codes\n\n[spec/language.md](../spec/language.md#error-codes) describes errors.\n\n" +
		"| code | when | what to do | example |\n|---|---|---|---|\n")
	for _, e := range diag.Catalogue {
		example := e.NoExample
		if example == "" {
			lines := strings.Split(strings.ReplaceAll(e.Example, "|", "\\|"), "\n")
			example = "`" + strings.Join(lines, "` `") + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", e.Code, e.About, e.Do, example)
	}
}

// exceeded describes, for each field of limits.Limits, the consequence of exceeding it.
var exceeded = map[string]string{
	"SourceBytes":  "`source-too-large`: the program does not compile",
	"Nesting":      "`nesting-too-deep`: the program does not compile",
	"Timeout":      "`timeout`: the run ends",
	"Steps":        "`steps-exceeded`: the run ends",
	"Memory":       "`memory-exceeded`: the run ends",
	"WorkerMemory": "`memory-exceeded`: the worker ends, and its caller gets an exception",
	"Workers":      "`parallel-capacity-exceeded`: an operation that is nested deeper fails; others run without a slot of their own",
	"Depth":        "`depth-exceeded`: the run ends",
	"Calls":        "`calls-exceeded`: the run ends",
	"ToolCalls":    "`calls-exceeded`: the call fails",
	"Arguments":    "`argument-too-large`: the call fails",
	"CallResult":   "`result-too-large`: the call fails",
	"OutputBytes":  "further output is dropped, with a notice",
	"ResultBytes":  "`result-too-large` instead of the value, before its first byte is written",
}

// referenceLimits lists the fields of limits.Limits. The flag of one is that whose value
// is the field.
func referenceLimits(t *testing.T, b *strings.Builder) {
	b.WriteString("\n## Limits\n\nNo limit can be switched off. A field that is 0 takes its default. A value below the minimum or above the maximum is an error.\n\n" +
		"| field of `ptc.Limits` | flag | default | minimum | maximum | when it is exceeded |\n|---|---|---|---|---|---|\n")
	standard := limits.Default()
	of := make(map[uintptr]flags.Spec)
	for _, f := range flags.Limits(&standard) {
		of[reflect.ValueOf(f.To).Field(0).Pointer()] = f
	}
	v, widest := reflect.ValueOf(&standard).Elem(), reflect.ValueOf(limits.Most())
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		text, least, most, written := fmt.Sprint(field.Interface()), "1", fmt.Sprint(widest.Field(i).Int()), ""
		if f, ok := of[field.Addr().Pointer()]; ok {
			written, text = "`"+flags.Dashed(f.Name)+"`", f.Initial
			least, most = flags.Least(f.To), flags.Most(f.To)
		}
		if exceeded[name] == "" {
			t.Errorf("nothing says what happens when %s is exceeded", name)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", name, written, text, least, most, exceeded[name])
	}
	if len(of) < 10 {
		t.Errorf("%d flags of limits found", len(of))
	}
}

// referenceTools lists the standard tools with everything granted.
func referenceTools(t *testing.T, b *strings.Builder) {
	b.WriteString("\n## Tools\n\nDescribed in [spec/tools.md](../spec/tools.md) and [spec/tools-host.md](../spec/tools-host.md). In a signature\n`?` marks an optional argument or field.\n\n" +
		"| granted by | |\n|---|---|\n")
	for _, k := range grant.Kinds() {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.TrimSpace("--"+k.Flag()+" "+k.Value), k.Doc)
	}
	b.WriteString("\n| tool | class | signature |\n|---|---|---|\n")
	for _, tl := range everyTool(t).All() {
		fmt.Fprintf(b, "| `%s` | %s | `%s` |\n", tl.Name(), tl.Class(), strings.ReplaceAll(tl.Signature(), "|", "\\|"))
	}
}

// everyTool grants one thing of each kind.
func everyTool(t *testing.T) *tool.Registry {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("SSH_AUTH_SOCK", filepath.Join(home, "agent")) // nobody is asked for a key
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".ssh", "known_hosts"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"call-timeout": "1m", "env": "HOME", "exec": "go", "facts": "write", "fs": home, "http": "example.com", "http-private": "10.0.0.0/8",
		"kv": filepath.Join(home, "kv"), "sql": filepath.Join(home, "db.sqlite") + ",write", "ssh": "web-1"}
	s := grant.Set{Describe: true}
	for _, k := range grant.Kinds() {
		if k.Key == "mcp" {
			continue // only a server knows its tools
		}
		if err := s.Grant(k.Key, values[k.Key], ""); err != nil {
			t.Fatalf("%s: %v", k.Key, err)
		}
	}
	tools, err := s.Registry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if missing := tools.Withheld(); len(missing) > 0 {
		t.Errorf("not granted: %v", missing)
	}
	return tools
}

func referenceNames(b *strings.Builder) {
	b.WriteString("\n## Names\n\nEvery name, with its documentation and examples, is in [spec/functions.md](../spec/functions.md).\n")
	spaces := make(map[string][]string)
	for e := range builtins.Entries() {
		spaces[e.NS] = append(spaces[e.NS], e.Name)
	}
	order := slices.SortedFunc(maps.Keys(spaces), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(spaces[b]), len(spaces[a])), cmp.Compare(a, b))
	})
	for _, ns := range order {
		title := cmp.Or(map[string]string{".": "Methods", "new": "Constructors"}[ns], ns)
		anchor := strings.ToLower(strings.ReplaceAll(title, ".", ""))
		slices.Sort(spaces[ns])
		names := fmt.Sprintf("**[%s](../spec/functions.md#%s)** (%d): `%s`", title, anchor, len(spaces[ns]),
			strings.Join(spaces[ns], "` `"))
		fmt.Fprintf(b, "\n%s\n", filetest.Wrapped(names))
	}
}
