// This file defines the test that operations which need some of their elements get them.

package parallel

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// TestEnoughIsDelivered has elements end at nearly the same time, with values that take a
// while to be handed over: the elements that count are not stopped by the ones that come too late.
func TestEnoughIsDelivered(t *testing.T) {
	n := 200
	if testlevel.Small() {
		n = 40
	}
	for _, c := range []struct{ source, want string }{
		{`(count (pany (fn [x] (mapv vector (range (+ 5000 x)))) (repeat 8 0)))`, "5000"},
		{`(mapv count (pquorum 3 (fn [x] (mapv vector (range 5000))) (range 8)))`, "[5000 5000 5000]"},
		{`(count (pquorum 15 identity (range 16)))`, "15"},
	} {
		prog, err := ptc.Compile(context.Background(), "enough.ptc", c.source, ptc.Options{Limits: ptc.Limits{Workers: 8}})
		require.NoError(t, err)
		for range n {
			require.Equal(t, "\n"+c.want+" <nil>", ptctest.Outcome(prog.Run(t.Context(), ptc.RunOptions{})), c.source)
		}
	}
}
