package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// TestLinearizable requires the checker to accept histories that an order explains, and to refuse the others.
func TestLinearizable(t *testing.T) {
	wrote := func(value string, r engine.Revision) engine.Change {
		return engine.Change{Entry: engine.Entry{Value: []byte(value), Modified: r}}
	}
	order := []engine.Change{wrote("a", 2), wrote("b", 3)}
	write := func(begin, end int64, value string, r engine.Revision) call {
		return call{begin: begin, end: end, write: true, known: true, value: value, revision: r}
	}
	read := func(begin, end int64, value string, r engine.Revision) call {
		return call{begin: begin, end: end, known: true, value: value, revision: r}
	}
	failed := func(begin, end int64, value string) call {
		return call{begin: begin, end: end, write: true, value: value}
	}
	for name, c := range map[string]struct {
		calls []call
		order []engine.Change
		want  string // of the error
	}{
		"one after the other":                 {calls: []call{write(1, 2, "a", 2), read(3, 4, "a", 2), write(5, 6, "b", 3)}},
		"at once":                             {calls: []call{write(1, 5, "a", 2), write(2, 6, "b", 3), read(3, 4, "", 0)}},
		"failed and made":                     {calls: []call{failed(1, 2, "a"), read(3, 4, "", 0), read(5, 6, "a", 2), write(7, 8, "b", 3)}},
		"failed and not made":                 {calls: []call{failed(1, 2, "c"), write(3, 4, "a", 2), write(5, 6, "b", 3)}},
		"a stale read":                        {calls: []call{write(1, 2, "a", 2), write(3, 4, "b", 3), read(5, 6, "a", 2)}, want: "ended before"},
		"reads go back":                       {calls: []call{write(1, 9, "b", 3), read(2, 3, "b", 3), read(4, 5, "a", 2)}, want: "ended before"},
		"a lost write":                        {calls: []call{write(1, 2, "c", 4)}, want: "has returned revision 4"},
		"another order":                       {calls: []call{write(1, 2, "b", 3), write(3, 4, "a", 2)}, want: "ended before"},
		"the wrong value":                     {calls: []call{read(1, 2, "a", 3)}, want: "which wrote"},
		"a read of the future":                {calls: []call{read(1, 2, "b", 3), write(3, 4, "b", 3)}, want: "ended before"},
		"a read of a failed write that comes": {calls: []call{read(1, 2, "b", 3), failed(3, 4, "b")}, want: "ended before"},
		"twice":                               {order: append(order, wrote("a", 5)), want: "made twice"},
	} {
		if c.order == nil {
			c.order = order
		}
		err := linearizable(c.calls, c.order)
		if c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.want, name)
		}
	}
}
