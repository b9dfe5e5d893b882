// This file defines the tests that compare the card with the language: the code in its texts compiles, its
// examples return the values shown, and the names that it calls missing are missing.

package prompt_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// standIns declares the names that the texts use in place of a program's own, and the tool that they call.
const standIns = "(declare f g x s coll value code message i r)\n"

var span = regexp.MustCompile("`[^`]+`")

// prose returns the text of a card without its examples and signatures.
func prose(card string) string {
	var lines []string
	fenced := false
	for line := range strings.Lines(card) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		} else if !fenced && !strings.HasPrefix(line, "    ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func named(t *testing.T) *tool.Registry {
	t.Helper()
	reg, err := tool.NewRegistry(tool.Dynamic("NAME", "", json.RawMessage(`{"type":"object"}`), nil, nil))
	require.NoError(t, err)
	return reg
}

// TestSpans compiles the code in the texts.
func TestSpans(t *testing.T) {
	full := fullOptions(t)
	shortest := full
	shortest.Tokens = 350
	n := 0
	for _, o := range []prompt.Options{{}, full, shortest} {
		card, err := prompt.Card(context.Background(), o)
		require.NoError(t, err)
		for line := range strings.Lines(prose(card)) {
			missing, rest, lacks := strings.Cut(line, "`. ")
			if lacks = lacks && strings.HasPrefix(line, "- Missing: "); lacks {
				line = rest
				for _, s := range span.FindAllString(missing+"`", -1) {
					code := failure(t, strings.Trim(s, "`"))
					if code != diag.Unsupported && code != diag.UnknownName {
						t.Errorf("%s is said to be missing; using it gives %q", s, code)
					}
					n++
				}
			}
			for _, s := range span.FindAllString(line, -1) {
				if problem := compiled(t, strings.Trim(s, "`")); problem != "" {
					t.Errorf("%s in the card: %s", s, problem)
				}
				n++
			}
		}
	}
	require.Greater(t, n, 150)
}

// failure returns the code of the error of a program that uses a name.
func failure(t *testing.T, name string) diag.Code {
	t.Helper()
	_, err := ptc.Compile(context.Background(), "span", "("+name+")", ptc.Options{})
	var e *ptc.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

// compiled returns the error in a span; "" if there is none.
func compiled(t *testing.T, code string) string {
	t.Helper()
	switch {
	case code == "?": // of the notation of signatures
		return ""
	case strings.HasSuffix(code, "/") && code != "/": // an alias
		if !builtins.HasNamespace(namespace(strings.TrimSuffix(code, "/"))) {
			return "there is no such namespace"
		}
		return ""
	case builtins.Lookup("clojure.core", code) != nil, slices.Contains(builtins.Namespaces(), code):
		return ""
	}
	if _, err := ptc.Compile(context.Background(), "span", standIns+code, ptc.Options{Tools: named(t)}); err != nil {
		return err.Error()
	}
	return ""
}

func namespace(alias string) string {
	if full, ok := builtins.PreludeAliases[alias]; ok {
		return full
	}
	return alias
}

// TestExamples runs the examples on data.
func TestExamples(t *testing.T) {
	card, err := prompt.Card(context.Background(), prompt.Options{})
	require.NoError(t, err)
	blocks := filetest.Blocks("card", card, "clojure")
	require.Len(t, blocks, 3)
	for _, b := range blocks {
		require.Contains(t, b.Source, ";=> ")
		b.Run(t)
	}
}

// TestToolExamples runs the examples that call tools.
func TestToolExamples(t *testing.T) {
	reg, err := filetest.Tools()
	require.NoError(t, err)
	o := prompt.Options{Run: ptc.Options{Tools: reg}}
	card, err := prompt.Card(context.Background(), o)
	require.NoError(t, err)
	blocks := filetest.Blocks("card", card, "clojure")
	require.Len(t, blocks, 3)
	for i, want := range []string{
		`{:results ([{:id 1, :name "desk lamp", :price 25} {:id 2, :name "floor lamp", :price 80.5}]), :failed ()}`,
		`[{:id 1, :name "desk lamp", :price 25} {:id 2, :name "floor lamp", :price 80.5}]`,
	} {
		// A schema does not say which data a search can find.
		source := strings.NewReplacer("tool/echo", "tool/search", `["value-1" "value-2"]`,
			`["lamp"]`).Replace(blocks[i].Source)
		res, err := ptc.Run(context.Background(), source, o.Run)
		require.NoError(t, err, source)
		got, err := res.EDN()
		require.NoError(t, err)
		require.Equal(t, want, got, source)
	}
	blocks[2].Run(t)
}

// TestStringKeys requires the card of a host that keeps keys as strings to say so, and its
// examples to hold there.
func TestStringKeys(t *testing.T) {
	reg, err := filetest.Tools()
	require.NoError(t, err)
	for _, tools := range []*tool.Registry{nil, reg} {
		card, err := prompt.Card(context.Background(), prompt.Options{Run: ptc.Options{StringKeys: true, Tools: tools}})
		require.NoError(t, err)
		require.Contains(t, card, "maps with string keys")
		require.NotContains(t, card, "keyword keys")
		require.NotContains(t, card, "{:keys")
	}
}

// TestBeyond requires every name of clojure.core that Clojure does not have in the card.
func TestBeyond(t *testing.T) {
	text, err := os.ReadFile("../lang/builtins/testdata/clojure-1.11.names")
	require.NoError(t, err)
	known := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		known[strings.TrimSpace(line)] = true
	}
	card, err := prompt.Card(context.Background(), prompt.Options{})
	require.NoError(t, err)
	n := 0
	for e := range builtins.Entries() {
		// Special forms are no vars of Clojure; doc and its kin are those of clojure.repl.
		if e.NS != "clojure.core" || known[e.Qualified()] || e.IsForm() {
			continue
		}
		n++
		if !regexp.MustCompile(`\(` + regexp.QuoteMeta(e.Name) + `[ )]`).MatchString(card) {
			t.Errorf("the card does not tell of %s", e.Name)
		}
	}
	require.Greater(t, n, 12)
}
