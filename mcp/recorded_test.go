package mcp_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// The same call with the same journal continues a run that its server has not ended, and returns the result of one that
// has ended; neither repeats an effect.
func TestJournal(t *testing.T) {
	w := newWorld()
	dir := t.TempDir()
	o := mcp.Options{Run: ptc.Options{Tools: tools(t, w)},
		Journals: mcp.Journals{Dir: dir, Key: journal.Key("0123456789abcdef0123456789abcdef")}}
	call := map[string]any{"program": `[(tool/mail.send {:to "ann"}) (tool/slow {})]`, "journal": "job-1"}

	first := serve(t, o)
	c := dial(t, first, "new", nil)
	over := make(chan answer, 1)
	go func() {
		a, _ := tryRun(t.Context(), c, call)
		over <- a
	}()
	select {
	case <-w.started:
	case a := <-over:
		t.Fatal(a.text)
	}
	require.Equal(t, "ann", <-w.sent)
	require.NoError(t, first.Close())
	<-over
	<-w.stopped

	second := serve(t, o)
	c = dial(t, second, "new", nil)
	other := run(t, c, map[string]any{"program": `1`, "journal": "job-1"})
	require.True(t, other.isError)
	require.Contains(t, other.text, "another program")

	go func() { // the second attempt of the read
		<-w.started
		second.Close()
	}()
	_, _ = tryRun(t.Context(), c, call)
	<-w.stopped
	require.Empty(t, w.sent, "the mail was sent once")
}

func TestJournalOfAnEndedRun(t *testing.T) {
	w := newWorld()
	dir := t.TempDir()
	s := serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w)}, Journals: mcp.Journals{Dir: dir}})
	c := dial(t, s, "old", nil)
	call := map[string]any{"program": `(tool/mail.send {:to data/who})`, "journal": "job-1", "input": map[string]any{"who": "ann"}}
	for range 3 {
		a := run(t, c, call)
		require.Equal(t, "ok", a.Status, a.text)
		require.Equal(t, "sent to ann", a.Value)
	}
	require.Len(t, w.sent, 1)
	for _, input := range []map[string]any{{"who": "bob"}, {}, {"who": "ann", "why": 1}} {
		a := run(t, c, map[string]any{"program": call["program"], "journal": "job-1", "input": input})
		require.True(t, a.isError, "%v: %s", input, a.text)
	}
	a := run(t, c, map[string]any{"program": call["program"], "journal": "job-1", "input": map[string]any{"who": "bob"}})
	require.Contains(t, a.text, "the journal job-1 has another input: pass that one, or another name")
	require.Len(t, w.sent, 1)
	for _, name := range []string{"../job", "a/b", ".hidden", "", "x\x00", " "} {
		a := run(t, c, map[string]any{"program": "1", "journal": name})
		if name == "" {
			require.Equal(t, "ok", a.Status)
			continue
		}
		require.True(t, a.isError, name)
		require.Contains(t, a.text, "journal")
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
}

// A journal that a killed process has left without its whole header is begun again.
func TestUnbegunJournal(t *testing.T) {
	dir := t.TempDir()
	c := dial(t, serve(t, mcp.Options{Journals: mcp.Journals{Dir: dir}}), "new", nil)
	for _, text := range []string{"", `{"journal":`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "job.journal"), []byte(text), 0o600))
		a := run(t, c, map[string]any{"program": "(+ 1 2)", "journal": "job"})
		require.Equal(t, "ok", a.Status, a.text)
		require.NoError(t, os.Remove(filepath.Join(dir, "job.journal")))
	}
}

// A run that waits for an approval which the client can't ask for is continued after somebody has approved it.
func TestApprovedElsewhere(t *testing.T) {
	w := newWorld()
	dir := t.TempDir()
	o := ptc.Options{Tools: tools(t, w), Approve: effect.Approvals{Writes: true}}
	s := serve(t, mcp.Options{Run: o, Journals: mcp.Journals{Dir: dir}})
	c := dial(t, s, "new", nil)
	call := map[string]any{"program": `(tool/mail.send {:to "ann"})`, "journal": "job-1"}
	a := run(t, c, call)
	require.Equal(t, "pending", a.Status)
	require.Contains(t, a.Next, "ptc resume --approve 0#1 "+filepath.Join(dir, "job-1.journal"))
	again := run(t, c, map[string]any{"continuation": a.Continuation})
	require.Equal(t, "pending", again.Status)
	require.Empty(t, w.sent)

	res, err := ptc.Resume(t.Context(), ptc.JournalFile{Path: filepath.Join(dir, "job-1.journal"),
		Settled: []effect.Settlement{{ID: "0#1", As: effect.Approve}}}, o, ptc.RunOptions{})
	require.NoError(t, err)
	v, err := res.Value()
	require.NoError(t, err)
	require.Equal(t, "sent to ann", v)
	a = run(t, c, map[string]any{"continuation": a.Continuation})
	require.Equal(t, "ok", a.Status, a.text)
	require.Equal(t, "sent to ann", a.Value)
	require.Len(t, w.sent, 1)
}

// A continuation belongs to one caller, is signed, and expires.
func TestContinuations(t *testing.T) {
	s := serve(t, mcp.Options{Lifetime: time.Minute})
	ann, bob := dialAs(t, s, "ann"), dialAs(t, s, "bob")
	a := run(t, ann, program(`(ask {:question "How many?"})`))
	require.Equal(t, "pending", a.Status)
	answers := map[string]any{a.Pending[0]["id"].(string): 1}
	stolen := run(t, bob, map[string]any{"continuation": a.Continuation, "answers": answers})
	require.True(t, stolen.isError)
	require.Contains(t, stolen.text, "not one of this server for this caller")
	raw, err := base64.RawURLEncoding.DecodeString(a.Continuation)
	require.NoError(t, err)
	for i := range raw {
		forged := append([]byte{}, raw...)
		forged[i] ^= 1
		f := run(t, ann, map[string]any{"continuation": base64.RawURLEncoding.EncodeToString(forged), "answers": answers})
		require.True(t, f.isError, i)
	}
	elsewhere := run(t, dialAs(t, serve(t, mcp.Options{}), "ann"), map[string]any{"continuation": a.Continuation})
	require.True(t, elsewhere.isError)

	mine := run(t, ann, map[string]any{"program": "(def x 1)", "session": "new"})
	theirs := run(t, bob, map[string]any{"program": "x", "session": mine.Session})
	require.True(t, theirs.isError)
	require.Contains(t, theirs.text, "no session")

	a = run(t, ann, map[string]any{"continuation": a.Continuation, "answers": answers})
	require.Equal(t, "ok", a.Status)
	a = run(t, ann, map[string]any{"continuation": a.Continuation, "answers": answers})
	require.True(t, a.isError, "it is over")

	// The client's answer to a form is bound to the run in the same way.
	res, err := bob.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_program", Arguments: program("1"), RequestState: "forged"})
	require.NoError(t, err)
	require.True(t, res.IsError)
}

// A run for which nobody comes back ends.
func TestForgottenRun(t *testing.T) {
	s := serve(t, mcp.Options{Lifetime: time.Millisecond})
	c := dial(t, s, "new", nil)
	a := run(t, c, program(`(ask {:question "How many?"})`))
	require.Equal(t, "pending", a.Status)
	require.Eventually(t, func() bool {
		b := run(t, c, map[string]any{"continuation": a.Continuation})
		return b.isError && b.Status == ""
	}, time.Minute, 5*time.Millisecond)
}
