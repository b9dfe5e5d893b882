package journal

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestAhead asks for the next effect in a recording with gaps between its effects.
func TestAhead(t *testing.T) {
	j := New(Options{})
	var s memorySink
	j.writeTo(fileLogOn(&s, 0, seal{}, nil))
	text, err := headerLine(&Header{Run: "r"}, "")
	require.NoError(t, err)
	require.NoError(t, j.write(text, false))
	for _, id := range []string{"0#2", "0.3.1#1", "0.3.1.2.0#4", "0#5"} {
		_, _, err := j.Begin(context.Background(), effect.Effect{ID: id, Kind: effect.KindChoice, Class: effect.ReadOnly, Args: []byte(`{"of":"` + id + `"}`)})
		require.NoError(t, err)
		if id != "0#5" {
			require.NoError(t, j.End(id, effect.Record{}))
		}
	}
	require.NoError(t, j.Stop([]byte(`{"bound":"time"}`)))
	require.NoError(t, j.Close())
	rec, err := Read(bytes.NewReader(s.b))
	require.NoError(t, err)
	r := Replay(rec)
	next := func(path string, effect int, operation uint64) (id string, known bool) {
		a := r.Ahead(path, effect, operation)
		if a.Next != nil {
			id = a.Next.ID
		}
		return id, a.Known
	}
	for _, test := range []struct {
		path      string
		effect    int
		operation uint64
		id        string
		known     bool
	}{
		{"0", 0, 0, "0#2", true}, {"0", 1, 3, "0#2", true}, {"0", 2, 3, "0#5", true}, {"0", 5, 2, "", true}, {"0", 5, 3, "", false},
		{"0.3.1", 0, 0, "0.3.1#1", true}, {"0.3.1", 1, 1, "", true}, {"0.3.1", 1, 2, "", false},
		{"0.3.1.2.0", 3, 0, "0.3.1.2.0#4", true}, {"0.3.0", 0, 0, "", false},
	} {
		id, known := next(test.path, test.effect, test.operation)
		assert.Equal(t, test.id, id, "%+v", test)
		assert.Equal(t, test.known, known, "%+v", test)
	}
	assert.True(t, r.Had("0.3"))
	assert.True(t, r.Had("0.3.1.2"))
	assert.False(t, r.Had("0.2"))
	assert.True(t, r.Cut("0#5"))
	assert.False(t, r.Cut("0#2"))
	assert.JSONEq(t, `{"bound":"time"}`, string(r.Ahead("0", 9, 9).Stop))
	assert.Nil(t, r.Ahead("0.3.1", 9, 9).Stop)
}

// TestTrailMemory has ids of the maximum depth, each in different operations: the memory for them is a
// small part of the size of the file.
func TestTrailMemory(t *testing.T) {
	entries := make([]Entry, 500)
	file := 0
	for i := range entries {
		entries[i].ID = fmt.Sprintf("0.%d.0", len(entries)-i) + strings.Repeat(".1.0", 1000) + "#1"
		file += len(entries[i].ID)
	}
	var trail trail
	const times = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		trail = newTrail(entries)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(times*file/20))
	deep := "0.7.0" + strings.Repeat(".1.0", 999)
	assert.NotNil(t, trail.from(deep+".1", deep+".1."))
	assert.Nil(t, trail.from(deep+".2", deep+"."))
	assert.Equal(t, deep+".1.0#1", trail.last(deep+".1.0").ID)
	assert.Nil(t, trail.last(deep))
}

// TestStopLine has lines after that of a stop: a resumption may come, and nothing else.
func TestStopLine(t *testing.T) {
	header, err := headerLine(&Header{Run: "r"}, "")
	require.NoError(t, err)
	read := func(lines ...[]byte) (*Recording, error) {
		lines = append([][]byte{header, stopLine([]byte(`{"bound":"time"}`))}, lines...)
		for i := range lines {
			lines[i] = bytes.TrimSuffix(lines[i], []byte("}")) // which the seal brings
		}
		return Read(bytes.NewReader(sealedLines(nil, lines...)))
	}
	rec, err := read()
	require.NoError(t, err)
	assert.NotNil(t, rec.Stopped)
	rec, err = read(resumeLine(5, ""))
	require.NoError(t, err)
	assert.Nil(t, rec.Stopped)
	_, err = read(beginLine(&Entry{Effect: effect.Effect{ID: "0#1", Kind: effect.KindTime, Class: effect.ReadOnly}, Attempt: 1}, nil, &clock{}, nil))
	assert.ErrorContains(t, err, "continues")
}

// memorySink is a file that is not there.
type memorySink struct{ b []byte }

func (s *memorySink) Write(b []byte) (int, error) {
	s.b = append(s.b, b...)
	return len(b), nil
}

func (s *memorySink) Sync() error { return nil }

func (s *memorySink) Close() error { return nil }
