package journal_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// replicated is a Log like that of a cluster: its records have gaps between their positions, and each knows
// whether it is durable.
type replicated struct {
	mu      sync.Mutex
	records [][]byte
	durable int64
	closed  bool
}

const gap = 7 // between two positions

func (l *replicated) Append(record []byte) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errors.New("closed")
	}
	l.records = append(l.records, append([]byte(nil), record...))
	return int64(gap * len(l.records)), nil
}

func (l *replicated) Flush(position int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.durable = max(l.durable, position)
	return nil
}

func (l *replicated) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return nil
}

// all returns the durable records.
func (l *replicated) all() iter.Seq2[[]byte, error] {
	l.mu.Lock()
	defer l.mu.Unlock()
	records := l.records[:l.durable/gap]
	return func(yield func([]byte, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// TestOtherLog makes a run begin on a log that is no file, be interrupted, be resumed from
// its durable records on another log, and be replayed.
func TestOtherLog(t *testing.T) {
	key := journal.Key(make([]byte, journal.KeyBytes))
	l := &replicated{}
	j, err := journal.CreateOn(l, journal.Header{Program: "p", Seed: 7}, journal.Options{Key: key})
	require.NoError(t, err)
	j.Secrets().Meet("hunter2-hunter2")
	require.True(t, begin(t, j, "0#1", `{"password":"hunter2-hunter2"}`))
	require.NoError(t, j.End("0#1", effect.Record{Result: []byte(`"hunter2-hunter2 is good"`)}))
	require.True(t, begin(t, j, "0#2", `{}`))
	require.NoError(t, j.End("0#2", effect.Record{Result: []byte(`2`)}))
	for r, err := range l.all() {
		require.NoError(t, err)
		require.NotContains(t, string(r), "hunter2")
	}

	rec, err := journal.Records(l.all(), key)
	require.NoError(t, err)
	require.Equal(t, "p", rec.Header.Program)
	require.False(t, rec.Authentic)
	require.Len(t, rec.Entries, 2)
	next := &replicated{records: l.records, durable: l.durable}
	j, err = journal.ResumeOn(next, rec, nil, journal.Options{Key: key})
	require.NoError(t, err)
	got, do, err := j.Begin(context.Background(), call("0#1", effect.Write, `{"password":"hunter2-hunter2"}`))
	require.NoError(t, err)
	require.False(t, do)
	require.Equal(t, `"hunter2-hunter2 is good"`, string(got.Result))
	require.False(t, begin(t, j, "0#2", `{}`))
	require.True(t, begin(t, j, "0#3", `{}`))
	require.NoError(t, j.End("0#3", effect.Record{}))
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
	require.NoError(t, j.Close())
	require.True(t, next.closed)

	rec, err = journal.Records(next.all(), key)
	require.NoError(t, err)
	require.Len(t, rec.Resumed, 1)
	_, err = journal.ResumeOn(&replicated{}, rec, nil, journal.Options{})
	require.ErrorIs(t, err, journal.ErrFinished)
	j = journal.Replay(rec)
	for _, args := range [][2]string{{"0#1", `{"password":"hunter2-hunter2"}`}, {"0#2", `{}`}, {"0#3", `{}`}} {
		require.False(t, begin(t, j, args[0], args[1]))
	}
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
}

// begin begins a write, and reports whether it must be performed.
func begin(t *testing.T, j *journal.Journal, id, args string) bool {
	t.Helper()
	_, do, err := j.Begin(context.Background(), call(id, effect.Write, args))
	require.NoError(t, err)
	return do
}

// TestRecordsRefused: records that are not a journal are refused, and an error of the log is passed on.
func TestRecordsRefused(t *testing.T) {
	of := func(err error, records ...string) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for _, r := range records {
				if !yield([]byte(r), nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
	var damage *journal.Damage
	for _, records := range [][]string{{}, {"{"}, {"{}"}, {`{"t":"begin"}`}} {
		_, err := journal.Records(of(nil, records...))
		require.ErrorAs(t, err, &damage, "%q", records)
	}
	broken := errors.New("broken")
	_, err := journal.Records(of(broken))
	require.ErrorIs(t, err, broken)
}
