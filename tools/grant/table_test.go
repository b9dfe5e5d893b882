// This file defines the test that the declaration of each tool is complete.

package grant

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// writes lists the tools whose repeated call changes the world again. A tool without a declared class counts as
// one of them, so the list shows a forgotten declaration.
var writes = []string{"csv.append", "exec.run", "facts.put", "fs.append", "http.post", "http.request", "jsonl.append", "kv.delete",
	"kv.put", "sql.execute", "ssh.run"}

// granted returns the tools of a grant of each kind, and their names with the flags that grant them.
func granted(t *testing.T) (tools *tool.Registry, flags map[string]string) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("SSH_AUTH_SOCK", filepath.Join(home, "agent"))
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "known_hosts"), nil, 0o600))
	s := Set{Describe: true}
	for _, k := range Kinds() {
		if k.Key == "mcp" {
			continue // its tools are those of a server: see TestServers
		}
		value, ok := map[string]string{"call-timeout": "1m", "env": "HOME", "exec": "git", "facts": "write", "fs": home,
			"http": "example.com", "http-private": "10.0.0.0/8", "kv": "kv", "sql": "db.sqlite,write", "ssh": "web-1",
			"time": ""}[k.Key]
		require.True(t, ok, "grant %s: the test has no value for it", k.Key)
		require.NoError(t, s.Grant(k.Key, value, ""))
	}
	tools, err := s.Registry(t.Context())
	require.NoError(t, err)
	none, err := new(Set).Registry(t.Context())
	require.NoError(t, err)
	return tools, none.Withheld()
}

// specification returns the sections about tools, by their headings.
func specification(t *testing.T) map[string]string {
	sections := make(map[string]string)
	for _, name := range []string{"tools.md", "tools-host.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "spec", name))
		require.NoError(t, err)
		for part := range strings.SplitSeq(string(text), "\n## ") {
			heading, body, _ := strings.Cut(part, "\n")
			sections[heading] = body
		}
	}
	return sections
}

// missing returns the fields that the declaration of a tool lacks.
func missing(x *tool.Tool, flags, spec map[string]string) (fields []string) {
	lacks := func(field string, lacking bool) {
		if lacking {
			fields = append(fields, field)
		}
	}
	area, _, _ := strings.Cut(x.Name(), ".")
	lacks("doc", !strings.HasSuffix(strings.TrimSpace(x.Doc()), "."))
	lacks("signature", !strings.HasPrefix(x.Signature(), x.Name()+" {") || !strings.Contains(x.Signature(), "} -> "))
	uses := func(example string) bool { return strings.Contains(example, "(tool/"+x.Name()+" ") }
	lacks("example", !slices.ContainsFunc(x.Examples(), uses))
	lacks("class", slices.Contains(writes, x.Name()) != (x.Class() == effect.Write))
	granting := func(k Kind) bool { return strings.Contains(flags[x.Name()]+" ", " --"+k.Flag()+" ") }
	lacks("grant flag", !slices.ContainsFunc(Kinds(), granting))
	described := false
	for heading, body := range spec {
		words := strings.FieldsFunc(heading, func(r rune) bool { return r == ' ' || r == ':' })
		described = described || slices.Contains(words, area) && strings.Contains(body, x.Name())
	}
	lacks("spec section", !described)
	return fields
}

// TestDeclarations requires each tool to have a documentation, a signature, an example that compiles, a class, a flag
// that grants it, and a section in the specification.
func TestDeclarations(t *testing.T) {
	tools, flags := granted(t)
	spec := specification(t)
	assert.Empty(t, tools.Withheld(), "names of tools that do not exist")
	for _, x := range tools.All() {
		for _, field := range missing(x, flags, spec) {
			t.Errorf("tool %s: %s: missing or wrong", x.Name(), field)
		}
		for _, example := range x.Examples() {
			if found := ptc.Check(context.Background(), x.Name(), example, ptc.Options{Tools: tools}); found.Err != nil {
				t.Errorf("tool %s: example: %v", x.Name(), found.Err)
			}
		}
	}
	for _, name := range writes {
		if flags[name] == "" {
			t.Errorf("writes: tool %s does not exist", name)
		}
	}
}

// TestMissing requires a tool that declares nothing to lack each field.
func TestMissing(t *testing.T) {
	bare := tool.Dynamic("bare.tool", "", json.RawMessage("true"), nil, nil)
	want := []string{"doc", "signature", "example", "class", "grant flag", "spec section"}
	assert.Equal(t, want, missing(bare, nil, nil))
}

// TestKinds requires each kind of grant to be complete.
func TestKinds(t *testing.T) {
	spec := specification(t)
	all := make([]string, 0, len(spec))
	for _, body := range spec {
		all = append(all, body)
	}
	text := strings.Join(all, "\n")
	for _, k := range Kinds() {
		assert.NotEmpty(t, k.Doc, "grant %s: Doc", k.Key)
		assert.NotNil(t, k.add, "grant %s: add", k.Key)
		assert.Equal(t, k.names == nil, k.tools == nil, "grant %s: names and tools", k.Key)
		assert.Contains(t, text, "`--"+k.Flag(), "grant %s: the specification", k.Key)
	}
}
