package parallel

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestDeepOperations nests parallel operations as deep as effects in them can still be
// named, and deeper: deeper nesting is an error before anything happens. Without effects that need names
// they nest deeper.
func TestDeepOperations(t *testing.T) {
	var calls atomic.Int32
	deep := tool.New("deep", "Is called below.", func(context.Context, struct{}) (int, error) {
		return int(calls.Add(1)), nil
	})
	const nest = `
		(defn nest [n f] (if (zero? n) (f) (first (pmap (fn [_] (nest (dec n) f)) [0]))))
		(nest %d (fn [] %s))`
	run := func(depth int, body string, opts ptc.Options) error {
		opts.Limits.Workers = 2100
		prog, err := ptc.Compile(context.Background(), "nest", fmt.Sprintf(nest, depth, body), opts)
		require.NoError(t, err)
		var in ptc.RunOptions
		if opts.Tools != nil {
			j, err := journal.Create(filepath.Join(t.TempDir(), "journal"), prog.Header(), journal.Options{})
			require.NoError(t, err)
			defer j.Close()
			in.Journal = j
		}
		_, err = prog.Run(context.Background(), in)
		return err
	}
	tools, err := tool.NewRegistry(deep)
	require.NoError(t, err)
	// A path of so many operations has 1 byte and 4 for each; behind it "#2147483647".
	const deepest = (effect.MaxID - 11 - 1) / 4
	require.NoError(t, run(deepest, "(tool/deep)", ptc.Options{Tools: tools}))
	assert.EqualValues(t, 1, calls.Load())
	for _, depth := range []int{deepest + 1, 2000} {
		err = run(depth, "(tool/deep)", ptc.Options{Tools: tools})
		var e *ptc.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, diag.NestingTooDeep, e.Code)
		assert.Contains(t, e.Message, "pmap: parallel operations nested 1022 deep: an effect in there would have a name of 4100 bytes, and it may have 4096")
		assert.Less(t, len(e.Error()), 3000)
	}
	assert.EqualValues(t, 1, calls.Load(), "the deep calls have not been made")
	require.NoError(t, run(2000, "1", ptc.Options{}))
}
