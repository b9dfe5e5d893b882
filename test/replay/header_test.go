package replay

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// TestSeedOfJournal runs a program that draws numbers: the only seed is that of the journal.
func TestSeedOfJournal(t *testing.T) {
	const source = `(repeatedly 3 rand)`
	compiled := func() *ptc.Program {
		prog, err := ptc.Compile(context.Background(), "p.ptc", source, ptc.Options{})
		require.NoError(t, err)
		return prog
	}
	record := func(prog *ptc.Program, own, seed uint64) (string, *journal.Recording, error) {
		path := filepath.Join(t.TempDir(), "journal")
		h := prog.Header()
		h.Seed = seed
		j, err := journal.Create(path, h, journal.Options{})
		require.NoError(t, err)
		res, err := prog.Run(context.Background(), ptc.RunOptions{Journal: j, Seed: own})
		require.NoError(t, j.Close())
		rec, rerr := journal.ReadFile(path)
		require.NoError(t, rerr)
		return ptctest.Outcome(res, err), rec, err
	}
	seven, rec, err := record(compiled(), 0, 7)
	require.NoError(t, err)
	again := ptctest.Outcome(ptctest.RunWith(context.Background(), source, ptc.Options{}, ptc.RunOptions{Seed: 7}))
	assert.Equal(t, again, seven)
	res, err := compiled().Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
	assert.Equal(t, seven, ptctest.Outcome(res, err))

	drawn, rec, err := record(compiled(), 0, 0)
	require.NoError(t, err)
	assert.NotZero(t, rec.Header.Seed)
	res, err = compiled().Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
	assert.Equal(t, drawn, ptctest.Outcome(res, err))

	for _, seed := range []uint64{7, 8} {
		_, _, err = record(compiled(), seed, 7)
		var e *ptc.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, diag.IllegalArgument, e.Code)
		assert.Contains(t, e.Message, "has the seed of the journal, 7, got RunOptions.Seed")
	}
	res, err = compiled().Run(context.Background(), ptc.RunOptions{Seed: 7, Journal: journal.New(journal.Options{})})
	assert.Equal(t, seven, ptctest.Outcome(res, err), "a journal without a header has no seed")
}

// TestJournalOfAnotherProgram has a journal be used by a program of another name or source,
// which calls nothing that could differ.
func TestJournalOfAnotherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	prog, err := ptc.Compile(context.Background(), "p.ptc", "(def a 1)\n(+ a 1)", ptc.Options{})
	require.NoError(t, err)
	j, err := journal.Create(path, prog.Header(), journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	for _, test := range []struct{ name, source, want string }{
		{"q.ptc", "(def a 1)\n(+ a 1)", `the journal is of a program named "p.ptc", this one is named "q.ptc"`},
		{"p.ptc", "(def a 1)\n(+ 1 a)", `the journal is of another version of "p.ptc", which differs from line 2 on`},
		{"p.ptc", "(def a 1)", `the journal is of another version of "p.ptc", which differs from line 1 on`},
		{"q.ptc", "3", `the journal is of another program, "p.ptc", got "q.ptc"`},
	} {
		other, err := ptc.Compile(context.Background(), test.name, test.source, ptc.Options{})
		require.NoError(t, err)
		resumed, _, err := journal.Resume(path, nil, journal.Options{})
		require.NoError(t, err)
		for _, j := range []*journal.Journal{journal.Replay(rec), resumed} {
			_, err = other.Run(context.Background(), ptc.RunOptions{Journal: j})
			var e *ptc.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, diag.Diverged, e.Code)
			assert.Contains(t, e.Message, test.want)
		}
		require.NoError(t, resumed.Close())
	}
}
