package ptc_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// transfer is a program with two writes, and a tool between them that can stop the run.
const transfer = `
	(tool/pay {:from (:from data/order) :amount 10})
	(tool/check)
	(tool/pay {:from "bob" :amount (rand-int 1000)})
	[(:total data/order) (rand-int 1000000)]`

// bank is the host of transfer.
type bank struct {
	paid []string
	stop func()
}

func (b *bank) options(t *testing.T) ptc.Options {
	t.Helper()
	tools := &tool.Registry{}
	require.NoError(t, tools.Add(
		tool.New("pay", "Pays.", func(_ context.Context, in struct {
			From   string `json:"from"`
			Amount int    `json:"amount"`
		}) (bool, error) {
			b.paid = append(b.paid, in.From)
			return true, nil
		}),
		tool.New("check", "May stop the run.", func(context.Context, struct{}) (bool, error) {
			if b.stop != nil {
				b.stop()
			}
			return true, nil
		}, tool.ReadOnly())))
	return ptc.Options{Tools: tools, DataNames: []string{"order"}}
}

func edn(t *testing.T, res *ptc.Result, err error) string {
	t.Helper()
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	return text
}

func TestRecordResumeReplay(t *testing.T) {
	for name, key := range map[string]journal.Key{"no key": nil, "a key": make(journal.Key, journal.KeyBytes)} {
		t.Run(name, func(t *testing.T) {
			file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "j"), Key: key, Options: json.RawMessage(`{"tenant":"a"}`)}
			given := ptc.RunOptions{Seed: 7, Data: map[string]any{"order": map[string]any{"from": "ann", "total": 1.5}}}
			whole := &bank{}
			prog, err := ptc.Compile(t.Context(), "transfer.ptc", transfer, whole.options(t))
			require.NoError(t, err)
			res, err := prog.Run(t.Context(), given)
			want := edn(t, res, err)

			ctx, cancel := context.WithCancel(t.Context())
			first := &bank{stop: cancel}
			prog, err = ptc.Compile(t.Context(), "transfer.ptc", transfer, first.options(t))
			require.NoError(t, err)
			_, err = prog.Record(ctx, file, given)
			require.ErrorIs(t, err, context.Canceled)
			_, err = prog.Record(t.Context(), file, given)
			require.ErrorIs(t, err, fs.ErrExist)
			require.ErrorIs(t, err, &ptc.Error{Code: diag.JournalFailed})

			again := &bank{}
			res, err = ptc.Resume(t.Context(), file, again.options(t), ptc.RunOptions{})
			assert.Equal(t, want, edn(t, res, err))
			assert.Equal(t, []string{"ann"}, first.paid)
			assert.Equal(t, []string{"bob"}, again.paid)
			_, err = ptc.Resume(t.Context(), file, again.options(t), ptc.RunOptions{})
			require.ErrorIs(t, err, journal.ErrFinished)

			shown := &bank{}
			res, err = ptc.Replay(t.Context(), file, shown.options(t), ptc.RunOptions{})
			assert.Equal(t, want, edn(t, res, err))
			assert.Empty(t, shown.paid)
			other := ptc.RunOptions{Data: map[string]any{"order": map[string]any{"from": "eve"}}}
			_, err = ptc.Replay(t.Context(), file, shown.options(t), other)
			require.ErrorIs(t, err, &ptc.Error{Code: diag.Diverged})
			var diverged *journal.Divergence
			require.ErrorAs(t, err, &diverged)

			rec, err := journal.ReadFile(file.Path, key)
			require.NoError(t, err)
			assert.JSONEq(t, `{"tenant":"a"}`, string(rec.Header.Options))
		})
	}
}

func TestJournalFileWithoutData(t *testing.T) {
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "j"), WithoutData: true}
	given := ptc.RunOptions{Data: map[string]any{"order": map[string]any{"from": "s3cret"}}}
	prog, err := ptc.Compile(t.Context(), "p", "(count (:from data/order))", ptc.Options{})
	require.NoError(t, err)
	_, err = prog.Record(t.Context(), file, given)
	require.NoError(t, err)
	text, err := os.ReadFile(file.Path)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "s3cret")
	_, err = ptc.Replay(t.Context(), file, ptc.Options{}, ptc.RunOptions{})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.UnknownData})
	res, err := ptc.Replay(t.Context(), file, ptc.Options{}, given)
	assert.Equal(t, "6", edn(t, res, err))
}

// TestJournalFileKey refuses a file that was not written with the key.
func TestJournalFileKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	ctx, cancel := context.WithCancel(t.Context())
	b := &bank{stop: cancel}
	prog, err := ptc.Compile(t.Context(), "p", transfer, b.options(t))
	require.NoError(t, err)
	given := ptc.RunOptions{Data: map[string]any{"order": map[string]any{"from": "ann", "total": 1}}}
	_, err = prog.Record(ctx, ptc.JournalFile{Path: path}, given)
	require.ErrorIs(t, err, context.Canceled)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	keyed := ptc.JournalFile{Path: path, Key: make(journal.Key, journal.KeyBytes)}
	type call = func(context.Context, ptc.JournalFile, ptc.Options, ptc.RunOptions) (*ptc.Result, error)
	for _, run := range []call{ptc.Resume, ptc.Replay} {
		_, err = run(t.Context(), keyed, (&bank{}).options(t), ptc.RunOptions{})
		require.ErrorContains(t, err, "not written with the key")
		_, err = run(t.Context(), ptc.JournalFile{Path: path}, ptc.Options{}, ptc.RunOptions{})
		require.ErrorIs(t, err, &ptc.Error{Code: diag.UnknownTool}, "the tools are not granted")
		twice := ptc.RunOptions{Journal: journal.New(journal.Options{})}
		_, err = run(t.Context(), ptc.JournalFile{Path: path}, (&bank{}).options(t), twice)
		require.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalArgument})
		var none context.Context
		_, err = run(none, keyed, ptc.Options{}, ptc.RunOptions{})
		require.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalArgument})
		both := ptc.JournalFile{Path: path, Place: journal.File(path)}
		_, err = run(t.Context(), both, (&bank{}).options(t), ptc.RunOptions{})
		require.ErrorContains(t, err, "beside JournalFile.Place")
		_, err = run(t.Context(), ptc.JournalFile{Path: path + "x"}, ptc.Options{}, ptc.RunOptions{})
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after, "the file is as it was")
	_, err = new(ptc.Program).Record(t.Context(), keyed, given)
	require.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalState})
}

// TestJournalFileKeyForgotten requires a journal with a key to be resumed with it only.
func TestJournalFileKeyForgotten(t *testing.T) {
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "j"), Key: make(journal.Key, journal.KeyBytes)}
	ctx, cancel := context.WithCancel(t.Context())
	prog, err := ptc.Compile(t.Context(), "p", transfer, (&bank{stop: cancel}).options(t))
	require.NoError(t, err)
	given := ptc.RunOptions{Data: map[string]any{"order": map[string]any{"from": "ann", "total": 1}}}
	_, err = prog.Record(ctx, file, given)
	require.ErrorIs(t, err, context.Canceled)
	opts := (&bank{}).options(t)
	_, err = ptc.Resume(t.Context(), ptc.JournalFile{Path: file.Path}, opts, ptc.RunOptions{})
	require.ErrorContains(t, err, "the journal was written with a key, got none")
	for _, bad := range []journal.Key{{}, {1}} {
		of := ptc.JournalFile{Path: file.Path, Key: bad}
		_, err = ptc.Resume(t.Context(), of, opts, ptc.RunOptions{})
		require.ErrorContains(t, err, "want 32 random ones")
		_, err = ptc.Replay(t.Context(), of, opts, ptc.RunOptions{})
		require.ErrorContains(t, err, "want 32 random ones")
		of.Path += "2"
		_, err = prog.Record(t.Context(), of, given)
		require.ErrorContains(t, err, "want 32 random ones")
	}
	_, err = ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.NoError(t, err)
	_, err = ptc.Replay(t.Context(), file, opts, ptc.RunOptions{})
	require.NoError(t, err)
}

// TestSettled has a write in doubt settled.
func TestSettled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	ctx, cancel := context.WithCancel(t.Context())
	tools := &tool.Registry{}
	require.NoError(t, tools.Add(tool.New("send", "Sends.", func(ctx context.Context, _ struct{}) (int, error) {
		cancel()
		<-ctx.Done()
		return 0, ctx.Err()
	})))
	opts := ptc.Options{Tools: tools}
	prog, err := ptc.Compile(t.Context(), "p", "(inc (tool/send))", opts)
	require.NoError(t, err)
	_, err = prog.Record(ctx, ptc.JournalFile{Path: path}, ptc.RunOptions{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = ptc.Resume(t.Context(), ptc.JournalFile{Path: path}, opts, ptc.RunOptions{})
	var doubt *ptc.Parked
	require.ErrorAs(t, err, &doubt)
	require.ErrorIs(t, err, &ptc.Error{Code: diag.InDoubt})
	require.Equal(t, "0#1", doubt.Pending[0].ID)
	settlement, err := effect.ParseSettlement("0#1=done:41")
	require.NoError(t, err)
	settled := ptc.JournalFile{Path: path, Settled: []effect.Settlement{settlement}}
	res, err := ptc.Resume(t.Context(), settled, opts, ptc.RunOptions{})
	assert.Equal(t, "42", edn(t, res, err))
}

// TestRecordAfterGoexit requires the file of a journal free when a function of the host has ended the goroutine of
// the run, as t.FailNow does.
func TestRecordAfterGoexit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	p, err := ptc.Compile(t.Context(), "p.ptc", `(println "a") 1`, ptc.Options{})
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		given := ptc.RunOptions{Output: func(ptc.Print) { runtime.Goexit() }}
		_, _ = p.Record(t.Context(), ptc.JournalFile{Path: path}, given)
		t.Error("Record has returned")
	}()
	<-done
	res, err := ptc.Resume(t.Context(), ptc.JournalFile{Path: path}, ptc.Options{}, ptc.RunOptions{})
	assert.Equal(t, "1", edn(t, res, err))
}

// TestJournalMessages: an error of the file has its path, says each thing once, and has the next step.
func TestJournalMessages(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) ptc.JournalFile { return ptc.JournalFile{Path: filepath.Join(dir, name)} }
	prog, err := ptc.Compile(t.Context(), "p", "1", ptc.Options{})
	require.NoError(t, err)
	record := func(f ptc.JournalFile) error { _, err := prog.Record(t.Context(), f, ptc.RunOptions{}); return err }
	resume := func(f ptc.JournalFile) error {
		_, err := ptc.Resume(t.Context(), f, ptc.Options{}, ptc.RunOptions{})
		return err
	}
	replay := func(f ptc.JournalFile) error {
		_, err := ptc.Replay(t.Context(), f, ptc.Options{}, ptc.RunOptions{})
		return err
	}
	require.NoError(t, record(at("ended")))
	require.NoError(t, os.WriteFile(at("empty").Path, nil, 0o600))
	running, err := journal.Create(at("running").Path, prog.Header(), journal.Options{})
	require.NoError(t, err)
	defer running.Close()
	for _, c := range []struct {
		err        error
		want, hint string
	}{
		{record(ptc.JournalFile{}), "illegal-argument: JournalFile.Path is empty, want the path of a file", ""},
		{resume(ptc.JournalFile{}), "illegal-argument: JournalFile.Path is empty, want the path of a file", ""},
		{replay(ptc.JournalFile{}), "illegal-argument: JournalFile.Path is empty, want the path of a file", ""},
		{record(at("ended")), "journal-failed: open DIR/ended: file exists", "continue the run of the file with ptc.Resume"},
		{resume(at("none")), "journal-failed: open DIR/none: no such file or directory", "Program.Record creates"},
		{replay(at("none")), "journal-failed: open DIR/none: no such file or directory", "Program.Record creates"},
		{resume(at("ended")), "journal-failed: DIR/ended: the run has ended, nothing is left to do", "ptc.Replay"},
		{resume(at("running")), "journal-failed: DIR/running: the file is in use by another run", "wait until"},
		{replay(at("empty")), "journal-failed: DIR/empty: line 1: there is no complete header: the run was interrupted before it began", ""},
	} {
		var e *ptc.Error
		require.ErrorAs(t, c.err, &e)
		require.Equal(t, c.want, strings.ReplaceAll(e.Error(), dir, "DIR"))
		require.Contains(t, e.Hint, c.hint)
	}
}

// TestJournalFileOptions keeps JSON of several lines, and refuses text that is not JSON.
func TestJournalFileOptions(t *testing.T) {
	p, err := ptc.Compile(t.Context(), "p", "1", ptc.Options{})
	require.NoError(t, err)
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "j"), Options: json.RawMessage("{\n  \"tenant\": \"a\"}\n")}
	_, err = p.Record(t.Context(), file, ptc.RunOptions{})
	require.NoError(t, err)
	rec, err := journal.ReadFile(file.Path)
	require.NoError(t, err)
	assert.Equal(t, `{"tenant":"a"}`, string(rec.Header.Options))
	file.Path, file.Options = file.Path+"2", json.RawMessage("tenant a")
	_, err = p.Record(t.Context(), file, ptc.RunOptions{})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalArgument})
	require.ErrorContains(t, err, `JournalFile.Options: got "tenant a", want JSON`)
	require.NoFileExists(t, file.Path)
}

// TestResumeBesideAnAbandonedCall resumes a run while a call that it has abandoned is still under way, in a queue
// that both share.
func TestResumeBesideAnAbandonedCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release, ended := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	tools, err := tool.NewRegistry(tool.New("get", "Gets.", func(context.Context, struct{}) (int, error) {
		if calls.Add(1) == 1 {
			cancel()
			<-release // whatever its context does
			close(ended)
		}
		return 7, nil
	}, tool.Idempotent()))
	require.NoError(t, err)
	queues, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
	require.NoError(t, err)
	opts := ptc.Options{Tools: tools, Queue: queues}
	prog, err := ptc.Compile(t.Context(), "p", "(inc (tool/get))", opts)
	require.NoError(t, err)
	file := ptc.JournalFile{Path: filepath.Join(t.TempDir(), "j")}
	_, err = prog.Record(ctx, file, ptc.RunOptions{})
	require.ErrorIs(t, err, context.Canceled)
	res, err := ptc.Resume(t.Context(), file, opts, ptc.RunOptions{})
	require.Equal(t, "8", edn(t, res, err))
	close(release)
	<-ended
}
