// This file tests the view of the remaining work of a run.

package dist

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRemainingOfClosed requires the rest of a unit to be nothing that is left to do, when its operation
// has ended with an element in the midst of it: other nodes would take part for it, and never leave.
func TestRemainingOfClosed(t *testing.T) {
	log := begun(t)
	put(t, log, &Record{Kind: Lead, Node: "x"})
	put(t, log, &Record{Kind: Open, Node: "x", ID: "0.1", Elements: 6, Size: 3})
	put(t, log, &Record{Kind: Claim, Node: "x", ID: "0.1", Unit: 0})
	n := joined(t, log)
	n.until(t, func() bool { return n.st.operations["0.1"] != nil && n.st.operations["0.1"].holders[0] == "x" })
	require.Equal(t, Remaining{Free: 1, Others: 1}, n.Remaining())
	put(t, log, &Record{Kind: Values, Node: "x", ID: "0.1", Values: []ElementValue{{Index: 0}, {Index: 1}}})
	put(t, log, &Record{Kind: Close, Node: "x", ID: "0.1", Last: 1})
	put(t, log, &Record{Kind: Release, Node: "x", ID: "0.1", Unit: 0})
	n.until(t, func() bool { return n.st.operations["0.1"].holders[0] == "" })
	require.Equal(t, Remaining{}, n.Remaining())
}
