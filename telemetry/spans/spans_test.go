package spans_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a span that records its name, its end and its children, as text.
type tree struct {
	mu    *sync.Mutex
	name  string
	attrs map[string]string
	ended string
	below []*tree
}

func (s *tree) Start(ctx context.Context, name string, _ time.Time, attrs ...slog.Attr) (context.Context, spans.Span) {
	below := &tree{mu: s.mu, name: name}
	below.Set(attrs...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.below = append(s.below, below)
	return ctx, below
}

func (s *tree) Set(attrs ...slog.Attr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attrs == nil {
		s.attrs = map[string]string{}
	}
	for _, a := range attrs {
		s.attrs[a.Key] = a.Value.String()
	}
}

func (s *tree) End(_ time.Time, failure, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended += "ended " + failure + " " + message
}

func (s *tree) String() string {
	var below []string // sorted: workers are not
	for _, b := range s.below {
		below = append(below, b.String())
	}
	slices.Sort(below)
	return "(" + strings.Join(strings.Fields(s.name+" "+s.ended+" "+strings.Join(below, " ")), " ") + ")"
}

// TestTree checks which span each call and operation is below.
func TestTree(t *testing.T) {
	at := tool.New("at", "", func(_ context.Context, in struct {
		Host string `json:"host"`
	}) (string, error) {
		if in.Host == "panic" {
			panic("no")
		}
		return in.Host, nil
	})
	tools, err := tool.NewRegistry(at)
	require.NoError(t, err)
	for source, want := range map[string]string{
		`(tool/at {:host "a"})`: "(run ended (execute_tool at ended))",
		`(pmap (fn [i] (tool/at {:host "a"}) (pcalls #(tool/at {:host "b"}))) [1 2])`: "(run ended (pmap ended " +
			"(execute_tool at ended) (execute_tool at ended) " +
			"(pcalls ended (execute_tool at ended)) (pcalls ended (execute_tool at ended))))",
		`(pmap #(/ 1 %) [0])`:       `(run ended arithmetic Divide by zero (pmap ended arithmetic))`,
		`(tool/at {:host "panic"})`: `(run ended tool-failed tool/at: it panicked: no (execute_tool at ended panic it panicked: no))`,
		`(tool/at {:host "x"})`:     `(run ended tool-failed tool/at: Around panicked: no (execute_tool at ended panic))`,
	} {
		prog, err := ptc.Compile(t.Context(), "p", source, ptc.Options{Tools: tools})
		require.NoError(t, err)
		run := &tree{mu: &sync.Mutex{}, name: "run"}
		given := ptc.RunOptions{Around: func(ctx context.Context, c effect.Call,
			next func(context.Context) effect.Outcome) effect.Outcome {
			if string(c.Args) == `{"host":"x"}` {
				panic("no")
			}
			return next(ctx)
		}}
		follow := spans.Follow(run, &given)
		res, err := prog.Run(t.Context(), given)
		follow.End(res, err)
		require.Equal(t, want, run.String(), source)
	}
}

func TestFailureOf(t *testing.T) {
	for want, err := range map[string]error{" ": nil, "host-failed ": errors.New("may hold a secret"),
		"timeout slow": fmt.Errorf("it: %w", &ptc.Error{Code: diag.Timeout, Message: "slow"})} {
		code, message := spans.FailureOf(err)
		require.Equal(t, want, code+" "+message)
	}
}

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestParse(t *testing.T) {
	c, ok := spans.Parse(" "+parent+" ", "a=b")
	require.True(t, ok)
	require.True(t, c.Sampled)
	require.Equal(t, "a=b", c.State)
	require.Equal(t, parent, c.Traceparent())
	c, ok = spans.Parse("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02-what", strings.Repeat("a", 600))
	require.True(t, ok, "a later version may have more")
	require.False(t, c.Sampled)
	require.Empty(t, c.State, "it is too long")
	c, ok = spans.Parse(parent, "a=b\r\nHost: evil")
	require.True(t, ok)
	require.Empty(t, c.State, "it is passed on in headers and variables")
	for _, bad := range []string{"", "00", parent + "-more", "ff" + parent[2:], strings.ToUpper(parent), parent[:len(parent)-1],
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		"zz" + parent[2:], strings.Replace(parent, "4b", "4", 1), strings.Replace(parent, "4b", "4x", 1)} {
		_, ok := spans.Parse(bad, "")
		require.False(t, ok, bad)
		require.Nil(t, spans.Parent(spans.Under(t.Context(), spans.Meta(map[string]any{"traceparent": bad}))))
	}
	require.Nil(t, spans.Parent(spans.Under(t.Context(), spans.Meta(map[string]any{"traceparent": 7}))))
}

// FuzzParse: a header that can be parsed is written unchanged, except for its version and flags.
func FuzzParse(f *testing.F) {
	f.Add(parent, "a=b")
	f.Add("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff-x", "")
	f.Fuzz(func(t *testing.T, text, state string) {
		c, ok := spans.Parse(text, state)
		if !ok {
			return
		}
		again, ok := spans.Parse(c.Traceparent(), c.State)
		require.True(t, ok)
		require.Equal(t, c, again)
		require.Equal(t, strings.TrimSpace(text)[3:52], c.Traceparent()[3:52])
	})
}
