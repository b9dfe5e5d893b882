// This file defines a network in namespaces of the kernel, whose links can be cut.

package ptcdtest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// OwnNetwork is the environment variable by which test/soak/run reports that this process has its own
// network and mounts: NewNet changes them.
const OwnNetwork = "PTC_OWN_NETWORK"

// Net is a network of nodes, whose numbers begin at 1. Each has a network namespace, which a bridge joins with the one
// of the test.
type Net struct {
	t     testing.TB
	nodes int
}

// NewNet returns a network of a number of nodes, or nil if the process does not have its own network.
func NewNet(t testing.TB, nodes int) *Net {
	t.Helper()
	if os.Getenv(OwnNetwork) == "" {
		return nil
	}
	n := &Net{t: t, nodes: nodes}
	n.ip("link set lo up")
	n.ip("link add ptc0 type bridge")
	n.ip("addr add " + n.Hub() + "/24 dev ptc0")
	n.ip("link set ptc0 up")
	for i := 1; i <= nodes; i++ {
		n.ip(fmt.Sprintf("netns add node%d", i))
		n.ip(fmt.Sprintf("link add ptc%d type veth peer name eth0 netns node%d", i, i))
		n.ip(fmt.Sprintf("link set ptc%d master ptc0 up", i))
		n.ip(fmt.Sprintf("-n node%d addr add %s/24 dev eth0", i, n.Address(i)))
		n.ip(fmt.Sprintf("-n node%d link set eth0 up", i))
		n.ip(fmt.Sprintf("-n node%d link set lo up", i))
	}
	t.Cleanup(func() {
		for i := 1; i <= nodes; i++ {
			n.ip(fmt.Sprintf("link del ptc%d", i))
			n.ip(fmt.Sprintf("netns del node%d", i))
		}
		n.ip("link del ptc0")
	})
	return n
}

func (n *Net) ip(args string) {
	n.t.Helper()
	out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput()
	require.NoError(n.t, err, "ip %s: %s", args, out)
}

// Hub returns the address of the test.
func (n *Net) Hub() string { return "10.77.0.254" }

// Address returns the address of a node.
func (n *Net) Address(i int) string { return fmt.Sprintf("10.77.0.%d", i) }

// Command returns the command that runs another one on a node.
func (n *Net) Command(node string) []string { return []string{"ip", "netns", "exec", node} }

// Cut cuts the link between two nodes: messages between them are lost silently. Both still reach the test.
func (n *Net) Cut(i, j int) {
	n.t.Helper()
	for _, d := range [][2]int{{i, j}, {j, i}} {
		n.ip(fmt.Sprintf("-n node%d neigh replace %s lladdr 02:00:00:00:00:01 dev eth0 nud permanent", d[0], n.Address(d[1])))
	}
}

// Heal joins two nodes whose link was cut.
func (n *Net) Heal(i, j int) {
	n.t.Helper()
	for _, d := range [][2]int{{i, j}, {j, i}} {
		n.ip(fmt.Sprintf("-n node%d neigh del %s dev eth0", d[0], n.Address(d[1])))
	}
}
