package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

var update = flag.Bool("update", false, "write the golden files")

// sample writes a journal with a line of every type and field: a run with an operation,
// interrupted, settled, resumed and ended.
func sample(t *testing.T) []byte {
	t.Helper()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := Options{Now: func() time.Time { at = at.Add(1500 * time.Microsecond); return at }}
	d := &disk{}
	j, err := record(d, Header{Run: "SAMPLE", Program: "orders.ptc", Source: "(pmap tool/order data/items)\n", Seed: 7,
		Data: []byte(`{"items":["pen","ink"]}`), Options: []byte(`{"steps":1000}`), Tools: map[string]string{"order": "sha256:00ff"}}, o)
	require.NoError(t, err)
	begin := func(j *Journal, e effect.Effect) {
		_, do, err := j.Begin(context.Background(), e)
		require.True(t, do && err == nil, "%v", err)
	}
	order := func(i int, item string) effect.Effect {
		return effect.Effect{ID: fmt.Sprintf("0.1.%d#1", i), Kind: effect.KindCall, Name: "order", Class: effect.Write, Args: fmt.Appendf(nil, `{"item":%q}`, item), Worker: i + 1}
	}
	now := effect.Effect{ID: "0#1", Kind: effect.KindTime, Class: effect.ReadOnly}
	guard := effect.Effect{ID: "0.1.1#2", Kind: effect.KindGuard, Name: "shop", Class: effect.ReadOnly, Worker: 2}
	begin(j, now)
	require.NoError(t, j.End(now.ID, effect.Record{Result: []byte(`"2026-03-01T12:00:00Z"`)}))
	pen := order(0, "pen")
	pen.Waits = []effect.Wait{{Kind: effect.WaitQueue, Key: "order", Start: at.Add(-5 * time.Millisecond / 2), Duration: 2 * time.Millisecond},
		{Kind: effect.WaitToken, Key: "shop", Start: at.Add(-time.Millisecond / 2), Duration: 3 * time.Millisecond / 2}}
	begin(j, pen)
	begin(j, order(1, "ink"))
	require.NoError(t, j.End("0.1.0#1", effect.Record{Error: []byte(`{"code":"sold-out"}`)}))
	begin(j, guard)
	require.NoError(t, j.Skip(t.Context(), order(2, "cap"), effect.Record{Error: []byte(`{"code":"too-many"}`)}))
	require.NoError(t, j.Close())

	rec, err := Read(bytes.NewReader(d.text))
	require.NoError(t, err)
	at = at.Add(time.Hour)
	j, err = ApplyGiven(resume(d, rec, []effect.Settlement{{ID: "0.1.1#1", As: effect.Retry}}, o))
	require.NoError(t, err)
	begin(j, order(1, "ink"))
	require.NoError(t, j.Close())
	rec, err = Read(bytes.NewReader(d.text))
	require.NoError(t, err)
	j, err = ApplyGiven(resume(d, rec, []effect.Settlement{{ID: "0.1.1#1", As: effect.Done, Result: []byte(`{"id":12}`)}}, o))
	require.NoError(t, err)
	for _, e := range []effect.Effect{now, order(0, "pen"), order(1, "ink"), order(2, "cap")} {
		_, do, err := j.Begin(context.Background(), e)
		require.True(t, !do && err == nil, "%v", err)
	}
	begin(j, guard)
	require.NoError(t, j.End(guard.ID, effect.Record{}))
	require.NoError(t, j.Finish(Final{Value: "(nil {:id 12})"}))
	require.NoError(t, j.Close())
	return d.text
}

// TestGolden writes and reads version 1 of the format.
func TestGolden(t *testing.T) {
	text := sample(t)
	const name = "testdata/v1.journal"
	if *update {
		require.NoError(t, os.WriteFile(name, text, 0o644))
	}
	golden, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(golden), string(text))

	rec, err := ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, &Final{Value: "(nil {:id 12})"}, rec.Final)
	require.Len(t, rec.Resumed, 2)
	require.Len(t, rec.Entries, 5)
	ink, ok := rec.Entry("0.1.1#1")
	require.True(t, ok)
	require.Equal(t, 2, ink.Attempt)
	require.Equal(t, 1, ink.Session)
	require.JSONEq(t, `{"id":12}`, string(ink.Outcome.Result))
	pen, _ := rec.Entry("0.1.0#1")
	require.Equal(t, []effect.Wait{{Kind: effect.WaitQueue, Key: "order", Start: rec.Header.Start.Add(500 * time.Microsecond), Duration: 2 * time.Millisecond},
		{Kind: effect.WaitToken, Key: "shop", Start: rec.Header.Start.Add(5 * time.Millisecond / 2), Duration: 3 * time.Millisecond / 2}}, pen.Waits)
	require.JSONEq(t, `{"code":"sold-out"}`, string(pen.Outcome.Error))
	caps, _ := rec.Entry("0.1.2#1")
	require.JSONEq(t, `{"code":"too-many"}`, string(caps.Outcome.Error))
	_, ok = rec.Entry("0.1.3#1")
	require.False(t, ok)
	for line := range bytes.Lines(text) {
		require.True(t, json.Valid(line))
	}
}

// TestEveryCut: a file that ends anywhere is read up to the last whole line.
func TestEveryCut(t *testing.T) {
	text := sample(t)
	for n := range len(text) {
		rec, err := Read(bytes.NewReader(text[:n]))
		if bytes.IndexByte(text[:n], '\n') < 0 {
			require.Equal(t, &Damage{1, "there is no complete header: the run was interrupted before it began"}, err)
			continue
		}
		require.NoError(t, err, "%d bytes", n)
		require.EqualValues(t, n, rec.size+rec.Torn)
		require.Equal(t, bytes.LastIndexByte(text[:n], '\n')+1, int(rec.size))
		require.Nil(t, rec.Final)
	}
}

// TestEveryFlippedBit: no changed line is accepted, except a torn last one.
func TestEveryFlippedBit(t *testing.T) {
	text := sample(t)
	last := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 1 << (i % 8)
		rec, err := Read(bytes.NewReader(damaged))
		if i == len(text)-1 { // the last newline: the line is torn
			require.NoError(t, err)
			require.EqualValues(t, len(text)-last, rec.Torn)
			continue
		}
		var d *Damage
		require.ErrorAs(t, err, &d, "byte %d", i)
		require.Equal(t, bytes.Count(text[:i], []byte("\n"))+1, d.Line, "byte %d", i)
	}
}

// lines makes a journal of lines without seals.
func lines(texts ...string) []byte {
	var open [][]byte
	for _, l := range texts {
		open = append(open, []byte(strings.TrimSuffix(l, "}")))
	}
	return sealedLines(nil, open...)
}

// sealedLines makes a journal of lines as the log takes them.
func sealedLines(key Key, open ...[]byte) []byte {
	var b []byte
	var s seal
	s.use(key.ID(), key)
	for _, l := range open {
		s.add(l, s.digest(l))
		b = append(s.appendTo(append(b, l...)), '\n')
	}
	return b
}

const (
	goodHeader   = `{"t":"run","v":1,"run":"R","start":"2026-03-01T12:00:00Z","program":"p","source":"","seed":1,"data":null,"options":null,"tools":null}`
	goodBegin    = `{"t":"begin","id":"0#1","attempt":1,"kind":"call","name":"a","class":"write","worker":1,"at":5,"args":1}`
	goodEnd      = `{"t":"end","id":"0#1","took":5,"result":1}`
	goodSkip     = `{"t":"skip","id":"0#1","attempt":1,"kind":"call","name":"a","class":"write","worker":1,"at":5,"args":1,"error":1}`
	goodResume   = `{"t":"resume","at":9}`
	goodRetry    = `{"t":"settle","id":"0#1","as":"retry"}`
	goodWithdraw = `{"t":"withdraw","id":"0#1"}`
	goodFinal    = `{"t":"final","value":"1"}`
)

// TestRefused: lines that are sound by themselves, and make no sense where they stand.
func TestRefused(t *testing.T) {
	second := strings.Replace(goodBegin, `"attempt":1`, `"attempt":2`, 1)
	for _, c := range []struct {
		reason string
		lines  []string
	}{
		{"begins with a line of type run", []string{goodBegin}},
		{"a second header", []string{goodHeader, goodHeader}},
		{"version 2, this reads 1", []string{strings.Replace(goodHeader, `"v":1`, `"v":2`, 1)}},
		{"is not a time", []string{strings.Replace(goodHeader, `2026`, `soon`, 1)}},
		{"unknown type \"effect\"", []string{goodHeader, `{"t":"effect"}`}},
		{"cannot unmarshal", []string{goodHeader, `{"t":7}`}},
		{"is not the id of an effect", []string{goodHeader, strings.Replace(goodBegin, "0#1", "zero", 1)}},
		{"has kind \"x\"", []string{goodHeader, strings.Replace(goodBegin, "call", "x", 1)}},
		{"has class \"x\"", []string{goodHeader, strings.Replace(goodBegin, "write", "x", 1)}},
		{`has waited for "x", want one of [global host queue token]`, []string{goodHeader, strings.Replace(goodBegin, `"args"`, `"waits":[{"for":"x"}],"args"`, 1)}},
		{"has waited -1 ns", []string{goodHeader, strings.Replace(goodBegin, `"args"`, `"waits":[{"for":"host","took":-1}],"args"`, 1)}},
		{"has waited 5 times", []string{goodHeader, strings.Replace(goodBegin, `"args"`, `"waits":[`+strings.Repeat(`{"for":"host"},`, 4)+`{"for":"host"}],"args"`, 1)}},
		{"begins with attempt 2", []string{goodHeader, second}},
		{"is begun a second time", []string{goodHeader, goodBegin, second}},
		{"is begun a second time", []string{goodHeader, goodBegin, goodEnd, goodResume, second}},
		{"is begun a second time", []string{goodHeader, goodBegin, goodResume, goodBegin}},
		{"begun again while it is in doubt", []string{goodHeader, goodBegin, goodResume, second}},
		{"begun again while it is in doubt", []string{goodHeader, goodBegin, goodResume, goodRetry, second, goodResume,
			strings.Replace(second, `"attempt":2`, `"attempt":3`, 1)}},
		{"as another one", []string{goodHeader, goodBegin, goodResume, goodRetry, strings.Replace(second, `"args":1`, `"args":2`, 1)}},
		{"is begun a second time", []string{goodHeader, goodBegin, strings.Replace(goodSkip, `"attempt":1`, `"attempt":2`, 1)}},
		{"is begun a second time", []string{goodHeader, goodSkip, goodResume, second}},
		{"is not under way", []string{goodHeader, goodSkip, goodEnd}},
		{"wants a result or an error", []string{goodHeader, strings.Replace(goodSkip, "error", "nothing", 1)}},
		{"is not under way", []string{goodHeader, goodEnd}},
		{"is not under way", []string{goodHeader, goodBegin, goodEnd, goodEnd}},
		{"is not under way", []string{goodHeader, goodWithdraw}},
		{"is not under way", []string{goodHeader, goodBegin, goodWithdraw, goodEnd}},
		{"is not under way", []string{goodHeader, goodBegin, goodWithdraw, goodResume, goodRetry}},
		{"is withdrawn by another run", []string{goodHeader, goodBegin, goodResume, goodWithdraw}},
		{"is begun a second time", []string{goodHeader, goodBegin, goodWithdraw, second}},
		{"by another run than began it", []string{goodHeader, goodBegin, goodResume, goodEnd}},
		{"took -5 ns", []string{goodHeader, goodBegin, strings.Replace(goodEnd, "5", "-5", 1)}},
		{"wants a result or an error", []string{goodHeader, goodBegin, strings.Replace(goodEnd, "result", "nothing", 1)}},
		{"was neither pending nor in doubt", []string{goodHeader, goodBegin, goodRetry}},
		{"was neither pending nor in doubt", []string{goodHeader, strings.Replace(goodBegin, "write", "read-only", 1), goodResume, goodRetry}},
		{"settled as \"maybe\"", []string{goodHeader, goodBegin, goodResume, strings.Replace(goodRetry, "retry", "maybe", 1)}},
		{"it has no secret", []string{goodHeader, `{"t":"secret"}`}},
		{"wants a value or an error", []string{goodHeader, `{"t":"final"}`}},
		{"more after the end", []string{goodHeader, goodFinal, goodBegin}},
		{"more after the end", []string{goodHeader, goodFinal, goodFinal}},
	} {
		_, err := Read(bytes.NewReader(lines(c.lines...)))
		var d *Damage
		require.ErrorAs(t, err, &d, "%s", c.lines)
		require.Contains(t, d.Reason, c.reason)
		require.Equal(t, len(c.lines), d.Line)
	}
	for _, good := range [][]string{
		{goodHeader, goodBegin, goodWithdraw, goodResume, second, goodEnd, goodFinal},
		{goodHeader, goodSkip, goodResume, goodFinal},
		{goodHeader, goodBegin, goodResume, goodRetry, strings.Replace(goodSkip, `"attempt":1`, `"attempt":2`, 1), goodFinal},
		{goodHeader}, {goodHeader, goodBegin, goodEnd, goodFinal},
		{goodHeader, goodBegin, goodResume, goodRetry, second, strings.Replace(goodEnd, `"result"`, `"error"`, 1)},
	} {
		_, err := Read(bytes.NewReader(lines(good...)))
		require.NoError(t, err)
	}
}

// TestReadBounds: just at each bound and just over it.
func TestReadBounds(t *testing.T) {
	text := lines(goodHeader, goodBegin, goodEnd, strings.ReplaceAll(goodBegin, "0#1", "0#2"))
	long := 0
	for l := range bytes.Lines(text) {
		long = max(long, len(l))
	}
	_, err := read(bytes.NewReader(text), bounds{long, 2, int64(len(text))}, nil)
	require.NoError(t, err)
	size := int64(len(text))
	for _, b := range []bounds{{long - 1, 2, size}, {long, 1, size}, {long, 2, size - 1}} {
		_, err := read(bytes.NewReader(text), b, nil)
		require.ErrorContains(t, err, "more than", "%+v", b)
	}
	endless := iotest.DataErrReader(strings.NewReader(strings.Repeat("x", 1<<20)))
	_, err = read(endless, bounds{100_000, 2, 1 << 30}, nil)
	require.ErrorContains(t, err, "line 1: it has more than 100000 bytes")
}

func TestReadFails(t *testing.T) {
	_, err := Read(iotest.ErrReader(errDisk))
	require.ErrorIs(t, err, errDisk)
	_, err = ReadFile("testdata/none.journal")
	require.True(t, errors.Is(err, os.ErrNotExist))
}

// FuzzRead: reading an arbitrary file neither panics nor takes more memory than its bounds, and a readable
// recording can be replayed. Lines are tried with and without a correct checksum; otherwise nothing would
// get past it.
func FuzzRead(f *testing.F) {
	golden, err := os.ReadFile("testdata/v1.journal")
	require.NoError(f, err)
	f.Add(golden)
	f.Add(lines(goodHeader, goodBegin, goodResume, goodRetry, goodFinal))
	f.Add(lines(goodHeader, goodBegin, goodWithdraw, goodFinal))
	f.Add(lines(goodHeader, strings.TrimSuffix(goodSkip, "}")+`,"hidden":"00112233aa","sealed":"00112233bb"}`, goodFinal))
	f.Add([]byte("{\"t\":\"run\"\n{"))
	hidden := func(l, text string) string { return strings.TrimSuffix(l, "}") + `,"hidden":"` + text + `"}` }
	f.Add(lines(goodHeader, hidden(goodBegin, ""), hidden(goodEnd, ""), hidden(goodFinal, "")))
	f.Add(lines(goodHeader, hidden(goodBegin, "00112233aa"), hidden(`{"t":"secret"}`, "0"), hidden(goodEnd, "00112233bb"), hidden(goodFinal, "00112233cc")))
	f.Fuzz(func(t *testing.T, text []byte) {
		var resummed []byte
		for l := range bytes.Lines(text) {
			l = bytes.TrimSuffix(l, []byte("\n"))
			if body, _, _, ok := parts(l); ok {
				l = append(bytes.Clone(body), '}')
			}
			resummed = append(resummed, lines(string(l))...)
		}
		for _, input := range [][]byte{text, resummed} {
			rec, err := read(bytes.NewReader(input), bounds{1 << 16, 100, 1 << 20}, nil, testKey)
			if err != nil {
				require.Less(t, len(err.Error()), 10_000)
				continue
			}
			require.EqualValues(t, len(input), rec.size+rec.Torn)
			requireReplays(t, rec)
		}
	})
}

// requireReplays: each effect with an outcome is given back.
func requireReplays(t *testing.T, rec *Recording) {
	j := Replay(rec)
	for i := range rec.Entries {
		_, do, err := j.Begin(context.Background(), rec.Entries[i].Effect)
		require.False(t, do)
		if w := (*Withheld)(nil); errors.As(err, &w) { // there is no key
			require.NotEmpty(t, rec.Entries[i].Outcome.Hidden.Sealed)
			continue
		}
		require.Equal(t, rec.Entries[i].Done, err == nil, "%v", err)
	}
	if err := j.Finish(Final{Value: "1"}); err != nil {
		require.Less(t, len(err.Error()), 10_000)
	}
}
