package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/runtime/effect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// conversation runs Decide with known lines, and returns the settlements and the text shown, with the lines.
func conversation(width int, all []effect.Pending,
	lines ...string) (settled []effect.Settlement, shown string, err error) {
	var b strings.Builder
	a := &Asker{Out: &b, Width: func() int { return width }, Tool: func(string) effect.Tool { return nil },
		Left: func(_ []effect.Pending, interrupted bool) error {
			if interrupted {
				return errors.New("interrupted")
			}
			return nil
		}}
	a.ReadLine = func(_ context.Context, prompt string) (string, error) {
		if len(lines) == 0 {
			return "", io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		fmt.Fprintln(&b, prompt+line)
		return line, nil
	}
	settled, err = a.Decide(context.Background(), all)
	if err == nil && len(lines) > 0 {
		err = fmt.Errorf("%d lines were not read", len(lines))
	}
	return settled, b.String(), err
}

func approval(id, tool, args string) effect.Pending {
	return effect.Pending{ID: id, Kind: effect.PendingApproval, Tool: tool, Class: effect.Write,
		Args: json.RawMessage(args), Place: "p.ptc:1:2", Host: "db1", Since: time.Unix(0, 0)}
}

func question(id string, options ...string) effect.Pending {
	p := effect.Pending{ID: id, Kind: effect.PendingQuestion, Question: "Which?", Data: json.RawMessage(`{"n":1}`)}
	for _, o := range options {
		p.Options = append(p.Options, json.RawMessage(o))
	}
	return p
}

// texts returns settlements as JSON.
func texts(all []effect.Settlement) (out []string) {
	for _, s := range all {
		text, _ := json.Marshal(s)
		out = append(out, string(text))
	}
	return out
}

// TestAnswers reads each kind of line, for each kind of effect.
func TestAnswers(t *testing.T) {
	doubt, outcome := approval("0#1", "t", "{}"), approval("0#1", "t", "{}")
	doubt.Kind, outcome.Kind = effect.PendingDoubt, effect.PendingOutcome
	call := approval("0#1", "t", "{}")
	for _, c := range []struct {
		p     effect.Pending
		lines []string
		want  string
	}{
		{call, []string{"y"}, `"as":"approve"`},
		{call, []string{" YES "}, `"as":"approve"`},
		{call, []string{"", "maybe", "y now", "done", "retry", "n"}, `"as":"refuse"`},
		{call, []string{"n  not on a Friday "}, `"as":"refuse","reason":"not on a Friday"`},
		{call, []string{"?", "d", "a"}, `"as":"approve"`},
		{call, []string{"a n too many"}, `"as":"refuse","reason":"too many"`},
		{call, []string{strings.Repeat("n", maxTyped), ":y"}, `"as":"approve"`},
		{doubt, []string{"y", "retry"}, `"as":"retry"`},
		{doubt, []string{"done"}, `"as":"done"`},
		{doubt, []string{`done {"exit": 0}`}, `"as":"done","result":{"exit":0}`},
		{outcome, []string{"retry", "a retry", "failed it was late"}, `"as":"failed","failure":{"kind":"tool-failed","code":"failed","message":"it was late"}`},
		{question("0#1"), []string{"yes"}, `"as":"done","result":"yes"`},
		{question("0#1"), []string{"", "?", ":d", ":yes", `":yes"`}, `"as":"done","result":":yes"`},
		{question("0#1"), []string{"[1, 2]"}, `"as":"done","result":[1,2]`},
		{question("0#1", `"red"`, `"blue"`), []string{"green", "3", "0", "2"}, `"as":"done","result":"blue"`},
		{question("0#1", `"red"`, `"blue"`), []string{"red"}, `"as":"done","result":"red"`},
		{question("0#1", `"red"`, `"blue"`), []string{":a", ":a green", ":a 1"}, `"as":"done","result":"red"`},
		{question("0#1", `":q"`, `"?"`), []string{":q"}, `"as":"done","result":":q"`},
		{question("0#1", `3`, `1`, `2`), []string{"1"}, `"as":"done","result":1`},
		{question("0#1", `"3"`, `"1"`), []string{"2", "1"}, `"as":"done","result":"1"`},
		{question("0#1", `true`, `{"a": 1}`), []string{"2"}, `"as":"done","result":{"a":1}`},
	} {
		settled, shown, err := conversation(80, []effect.Pending{c.p}, c.lines...)
		require.NoError(t, err, "%q: %s", c.lines, shown)
		got := texts(settled)
		require.Len(t, got, 1, shown)
		got[0] = strings.ReplaceAll(strings.ReplaceAll(got[0], `,"hint":""`, ""), `,"retryable":false`, "")
		require.Equal(t, `{"id":"0#1",`+c.want+"}", got[0], shown)
	}
}

// TestLeave ends the run in each way, with the settlements made before.
func TestLeave(t *testing.T) {
	all := []effect.Pending{approval("0.1.0#1", "t", "{}"), approval("0.1.1#1", "t", "{}")}
	for _, c := range []struct {
		lines []string
		want  int
		err   string
	}{
		{[]string{"q"}, 0, ""},
		{[]string{"y", "q"}, 1, ""},
		{[]string{"s", "s"}, 0, ""},
		{[]string{"s", "y"}, 1, ""},
		{nil, 0, "interrupted"},
		{[]string{"y"}, 0, "interrupted"},
		{[]string{"a", "n", "y", "n"}, 2, ""},
		{[]string{"a"}, 0, "interrupted"},
	} {
		settled, shown, err := conversation(80, all, c.lines...)
		if c.err != "" {
			require.EqualError(t, err, c.err, shown)
		} else {
			require.NoError(t, err, shown)
		}
		require.Len(t, settled, c.want, shown)
	}
	a := &Asker{quit: true}
	settled, err := a.Decide(context.Background(), all)
	require.NoError(t, err)
	require.Empty(t, settled, "it asks nothing after q")
}

// TestAll settles the calls of one tool, of three kinds.
func TestAll(t *testing.T) {
	all := []effect.Pending{question("0#1", `"a"`), approval("0.1.0#1", "t", `{"n":0}`), approval("0.1.1#1", "u", "{}"),
		approval("0.1.2#1", "t", `{"n":2}`), question("0.1.3#1", `"a"`), question("0.1.4#1", `"a"`, `"b"`)}
	settled, shown, err := conversation(80, all, ":a 1", "y", "a", "y", "n", "b")
	require.NoError(t, err, shown)
	require.Equal(t, []string{`{"id":"0#1","as":"done","result":"a"}`, `{"id":"0.1.0#1","as":"approve"}`,
		`{"id":"0.1.1#1","as":"refuse"}`, `{"id":"0.1.2#1","as":"approve"}`, `{"id":"0.1.3#1","as":"done","result":"a"}`,
		`{"id":"0.1.4#1","as":"done","result":"b"}`}, texts(settled))
	require.Contains(t, shown, "the run waits for 6 settlements: 2 × approval of tool/t, 1 × approval of tool/u, 3 × question\n")
	require.Contains(t, shown, "2 of 6: approval of call 0.1.0#1: tool/t (write) on db1, at p.ptc:1:2\n  | {\"n\":0}\napprove? ")
	require.Contains(t, shown, "0.1.2#1  tool/t {\"n\":2} on db1\napprove all 2 of them? [y/n] y\n")
	require.NotContains(t, shown, "4 of 6", "it is settled with the second")
}

// TestHostile shows texts that try to leave their place, on narrow and wide terminals.
func TestHostile(t *testing.T) {
	evil := "\x1b[2J\x1b[1;1H\u009b31m\u202e\r\napprove? y\n\n2 of 2: question\tx\x7f\b\x00" + strings.Repeat(" ", 500) + "approve?"
	quoted, _ := json.Marshal(map[string]string{"text": evil})
	raw := json.RawMessage(strings.ReplaceAll(string(quoted), `\u001b`, "\x1b"))
	ask := question("0#2", `"`+strings.Repeat("x", 700)+`"`, string(quoted))
	ask.Question, ask.Data, ask.Place, ask.Token = evil, raw, evil, evil
	call := approval("0#1", "t", string(raw))
	call.Host, call.Place = evil, evil
	for _, width := range []int{1, 20, 24, 80, 200} {
		_, shown, err := conversation(width, []effect.Pending{call, ask}, "d", "a", ":d", ":a 1")
		require.NoError(t, err, shown)
		for line := range strings.Lines(shown) {
			line = strings.TrimSuffix(line, "\n")
			typed := strings.Contains(line, "? [")
			if !typed && !strings.HasPrefix(line, "the run waits") {
				require.Less(t, len([]rune(line)), max(width, minWidth), line)
			}
			require.NotRegexp(t, `^(approve\? y|2 of 2: question\s+x)`, line)
			for _, c := range line {
				require.False(t, c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x202e, "%q", line)
			}
		}
	}
}

// TestHundred asks about 100 calls, and lists them.
func TestHundred(t *testing.T) {
	var all []effect.Pending
	for i := range 2 * maxRows {
		all = append(all, approval(fmt.Sprintf("0.1.%d#1", i), "t", fmt.Sprintf(`{"n":%d}`, i)))
	}
	settled, shown, err := conversation(80, all, "n first", "a", "y")
	require.NoError(t, err)
	require.Len(t, settled, 200)
	require.Equal(t, effect.Refuse, settled[0].As)
	require.Contains(t, shown, "\n… and 99 more\napprove all 199 of them? [y/n] y\n")
}

// TestLong checks that long texts are cut, and that details show all of them.
func TestLong(t *testing.T) {
	text := strings.Repeat("é", 3000)
	all := []effect.Pending{approval("0#1", "t", `{"text":"`+text+`end"}`)}
	_, shown, err := conversation(80, all, "y")
	require.NoError(t, err)
	require.Contains(t, strings.ReplaceAll(shown, "\n"+bar, ""), "… (2414 more characters: details show all)\n")
	_, shown, _ = conversation(80, all, "d", "y")
	require.Contains(t, strings.ReplaceAll(shown, "\n"+bar, ""), text+`end"`)
}
