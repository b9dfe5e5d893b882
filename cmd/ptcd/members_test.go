package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	remote "github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// members is a cluster of processes, made by ptcd cluster init.
type members struct {
	t     testing.TB
	dir   string
	size  int           // the number of nodes, from node1 on
	net   *ptcdtest.Net // nil: all nodes are on the loopback interface
	nodes map[string]*ptcdtest.Process
}

// newCluster starts the processes of a cluster of three nodes.
func newCluster(t *testing.T, flags ...string) *members {
	t.Helper()
	c := prepareCluster(t, flags...)
	c.startAll()
	return c
}

// prepareCluster writes the files of a cluster of three nodes.
func prepareCluster(t testing.TB, flags ...string) *members {
	t.Helper()
	testlevel.System(t)
	return prepareNodes(t, 3, nil, flags...)
}

// prepareNodes writes the files of a cluster.
func prepareNodes(t testing.TB, nodes int, net *ptcdtest.Net, flags ...string) *members {
	t.Helper()
	c := &members{t: t, size: nodes, net: net, nodes: make(map[string]*ptcdtest.Process)}
	for made := false; !made; made = c.claim() {
		c.dir = t.TempDir()
		args := append([]string{"cluster", "init", "--nodes", fmt.Sprint(nodes), "--dir", c.dir}, flags...)
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(cmd.Environ(), asCommand+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	if net != nil {
		c.move()
	}
	return c
}

// taken are the addresses of the clusters of all tests.
var taken = struct {
	sync.Mutex
	by map[string]bool
}{by: make(map[string]bool)}

// claim reports whether no other cluster has an address of this one. A node that is down would find it in use.
func (c *members) claim() bool {
	c.t.Helper()
	s, err := parse([]string{"--config", c.file("node1")})
	require.NoError(c.t, err)
	var all []string
	for _, k := range s.cluster.Controllers {
		all = append(all, k.Address, k.EngineAddress, k.APIAddress)
	}
	taken.Lock()
	defer taken.Unlock()
	if slices.ContainsFunc(all, func(at string) bool { return taken.by[at] }) {
		return false
	}
	for _, at := range all {
		taken.by[at] = true
	}
	return true
}

func nodeName(i int) string { return fmt.Sprintf("node%d", i) }

// number returns the number of a node.
func number(name string) (i int) {
	fmt.Sscanf(name, "node%d", &i)
	return i
}

// names returns the names of the nodes.
func (c *members) names() (all []string) {
	for i := range c.size {
		all = append(all, nodeName(i+1))
	}
	return all
}

// file returns the path of the settings of a node.
func (c *members) file(name string) string { return filepath.Join(c.dir, name+".yaml") }

// move has the nodes listen on the addresses of the network.
func (c *members) move() {
	c.t.Helper()
	s, err := parse([]string{"--config", c.file("node1")})
	require.NoError(c.t, err)
	ca := filepath.Join(c.dir, "ca")
	authority, err := pki.LoadAuthority(filepath.Join(ca, pki.AuthorityCert), filepath.Join(ca, pki.AuthorityKey))
	require.NoError(c.t, err)
	var moves []string
	for i, k := range s.cluster.Controllers {
		for _, at := range []string{k.Address, k.EngineAddress, k.APIAddress} {
			moves = append(moves, at, strings.Replace(at, "127.0.0.1", c.net.Address(i+1), 1))
		}
		cert, key, err := authority.Issue(s.cluster.ClusterID, k.Name, []string{c.net.Address(i + 1)}, pki.NodeLifetime)
		require.NoError(c.t, err)
		tls := filepath.Join(c.dir, k.Name, "tls")
		require.NoError(c.t, os.WriteFile(filepath.Join(tls, "cert.pem"), cert, 0o600))
		require.NoError(c.t, os.WriteFile(filepath.Join(tls, "key.pem"), key, 0o600))
	}
	c.edit(strings.NewReplacer(moves...).Replace)
}

// edit changes the file of each node.
func (c *members) edit(change func(string) string) {
	c.t.Helper()
	for _, name := range c.names() {
		old, err := os.ReadFile(c.file(name))
		require.NoError(c.t, err)
		require.NoError(c.t, os.WriteFile(c.file(name), []byte(change(string(old))), 0o600))
	}
}

// set adds a setting to the file of each node.
func (c *members) set(text string) {
	c.t.Helper()
	c.edit(func(old string) string { return strings.Replace(old, "cluster:\n", text, 1) })
}

// startAll starts all processes, with more environment, and waits until they are ready.
func (c *members) startAll(env ...string) {
	c.t.Helper()
	for _, name := range c.names() {
		c.start(name, env...)
	}
	for _, n := range c.nodes {
		n.Ready()
	}
}

// start starts the process of a node, without waiting for it.
func (c *members) start(name string, env ...string) *ptcdtest.Process {
	c.t.Helper()
	command := []string{os.Args[0], "--config", c.file(name)}
	if c.net != nil {
		command = append(c.net.Command(name), command...)
	}
	n := ptcdtest.Launch(c.t, command, append(env, asCommand+"=1"))
	c.nodes[name] = n
	return n
}

// at returns a client of a node.
func (c *members) at(name string) *remote.Client {
	c.t.Helper()
	cl, err := remote.New(c.nodes[name].Ready(), remote.Options{TokenFile: filepath.Join(c.dir, ptcdtest.TokenFile),
		CAFile: filepath.Join(c.dir, "ca", "ca.pem")})
	require.NoError(c.t, err)
	return cl
}
