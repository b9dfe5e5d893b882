package kv_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/tools/kv"
)

// TestDamagedFiles opens and uses files with changed bytes or a missing end: the store is refused, or its
// calls fail, or reads return other values, but the process and each run continue.
func TestDamagedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := kv.Open(kv.Grant{File: path})
	require.NoError(t, err)
	run(t, registered(t, s), `(dotimes [i 60] (tool/kv.put {:key (str "key-" i) :value (apply str (repeat (* i i 3) "x"))})) (tool/kv.delete "key-7")`)
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	refused, failed := 0, 0
	for range 150 {
		text := append([]byte(nil), whole...)
		for range []int{1, 1, 4, 64, 512}[r.IntN(5)] {
			text[r.IntN(len(text))] = byte(r.IntN(256))
		}
		if r.IntN(5) == 0 {
			text = text[:r.IntN(len(text))]
		}
		path := filepath.Join(t.TempDir(), "state.db")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		s, err := kv.Open(kv.Grant{File: path})
		if err != nil {
			refused++
			continue
		}
		_, err = ptc.Run(t.Context(), `(tool/kv.list {:values true :limit 1000}) (tool/kv.get "key-50") (tool/kv.put {:key "key-30" :value 1}) (tool/kv.delete "key-40")`,
			ptc.Options{Tools: registered(t, s), Limits: ptc.Limits{Timeout: time.Minute}})
		if e := (*ptc.Error)(nil); err != nil {
			require.ErrorAs(t, err, &e)
			require.NotContains(t, []diag.Code{diag.Internal, diag.Timeout}, e.Code)
			failed++
		}
		require.NoError(t, s.Close())
	}
	t.Logf("%d files are refused, %d have calls fail", refused, failed)
	require.Positive(t, refused)
	require.Positive(t, failed)
}
