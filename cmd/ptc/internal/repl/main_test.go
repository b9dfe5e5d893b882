package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is an Editor whose lines are known. "^C" drops the input.
type script struct {
	lines      []string
	shown      []string // prompt and indent of each line
	remembered []string
	complete   func(before string) (string, []string)
}

func (s *script) ReadLine(_ context.Context, prompt, indent string) (string, error) {
	if len(s.lines) == 0 {
		return "", io.EOF
	}
	s.shown = append(s.shown, prompt+indent)
	line := s.lines[0]
	s.lines = s.lines[1:]
	if line == "^C" {
		return "", ErrInterrupted
	}
	return indent + line, nil
}

func (s *script) Remember(entry string) { s.remembered = append(s.remembered, entry) }

func (s *script) Complete(f func(before string) (string, []string)) { s.complete = f }

// setup is the configuration of a test session.
type setup struct {
	Config
	script script
	out    strings.Builder
	err    strings.Builder
}

// newSetup returns an interactive session of 40 columns, with an input, a tool and some
// names of a library.
func newSetup(t *testing.T, lines ...string) *setup {
	t.Helper()
	double := tool.New("double", "Doubles a number.", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		if in.N < 0 {
			return 0, errors.New("too small")
		}
		return 2 * in.N, nil
	}, tool.ReadOnly())
	tools, err := tool.NewRegistry(double)
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{script: script{lines: lines}}
	s.Config = Config{
		Options: ptc.Options{Tools: tools}, Editor: &s.script, Out: &s.out, Err: &s.err, Interactive: true,
		Data:  map[string]any{"orders": json.RawMessage(`[{"id": 1, "unit price": {"net": [2, "x"]}}]`), "n": "1"},
		Width: func() int { return 40 },
		Names: slices.Values([]string{"map", "mapv", "map-indexed", "str/join", "reduce"}),
		Doc: func(w io.Writer, name string) bool {
			if name == "map" {
				fmt.Fprintln(w, "the doc of map")
			}
			return name == "map"
		},
		Source: func(w io.Writer, name string) bool {
			if name == "map" {
				fmt.Fprintln(w, "the source of map")
			}
			return name == "map"
		},
		Limits: func(w io.Writer) { fmt.Fprintln(w, "the limits") },
		Usage:  func(w io.Writer, u ptc.Usage) { fmt.Fprintln(w, "calls", u.Calls) },
	}
	return s
}

// run runs the session, and returns its output without the greeting.
func (s *setup) run(t *testing.T) (out, err string) {
	t.Helper()
	if e := Run(context.Background(), s.Config); e != nil && s.Interactive {
		t.Errorf("the session ended with %v", e)
	}
	out = s.out.String()
	if s.Interactive {
		_, out, _ = strings.Cut(out, "\n")
	}
	return out, s.err.String()
}

// inDir runs a test in its own folder.
func inDir(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range files {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
