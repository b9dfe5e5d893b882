// This file defines how a node reaches the others: its network, and its member of the engine.

package cluster

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/engine/etcd"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
)

// dir returns a folder of the node.
func (n *Node) dir(name string) string {
	return filepath.Join(cmp.Or(n.opts.Config.Dir, filepath.Join(n.opts.Dir, "cluster")), name)
}

// connect makes this node reachable for the others.
func (n *Node) connect() error {
	c := n.opts.Config
	allow, err := pki.Allow(c.ClusterID, c.Identities()...)
	if err != nil {
		return err
	}
	if len(c.MTLS.AllowedIdentities) == 0 {
		allow = n.belongs(allow)
	}
	admit, err := n.admitter()
	if err != nil {
		return err
	}
	own := pki.Files{CA: c.MTLS.CACert, Cert: c.MTLS.Cert, Key: c.MTLS.Key}
	id, err := pki.Load(own, c.ClusterID, c.Node, allow, n.log)
	if err != nil {
		return err
	}
	id.Check(n.current)
	n.identity = id
	n.network, err = peer.Listen(peer.Config{Identity: id, Address: cmp.Or(c.Listen, c.Self().Address), Find: n.find,
		Release: n.opts.Release, Admit: admit, Log: n.log, Dial: c.Network.Connect, Silence: c.Network.Silence})
	if err != nil {
		return err
	}
	n.network.Stream(methodProcess, func(_ context.Context, _ string, _ []byte, out io.Writer) error {
		_, err := io.WriteString(out, n.process)
		return err
	})
	n.network.Start()
	return nil
}

// methodProcess asks a node for the name of its process.
const methodProcess = "process"

// aloneTime bounds how long a node looks for another process of itself.
const aloneTime = 2 * time.Second

// alone returns an error if another process of this node answers at its address: two with copies of one directory would
// both vote. A process that this one can't reach at the address can't be reached by the other nodes either.
func (n *Node) alone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, aloneTime)
	defer cancel()
	in, err := n.network.OpenProcess(ctx, n.opts.Config.Node, methodProcess, nil)
	if err != nil {
		return nil // it is not there
	}
	defer in.Close()
	name, err := io.ReadAll(io.LimitReader(in, 100))
	if err != nil || string(name) == n.process {
		return nil // it is this process, or one that is ending
	}
	return fmt.Errorf("another process of %s runs, and answers at %s: end it, or let this one join as another node with "+
		"an empty directory", n.opts.Config.Node, n.opts.Config.Self().Address)
}

// belongs returns a function that reports whether a node belongs to the cluster. Until the list is known, file decides.
func (n *Node) belongs(file func(string) bool) func(string) bool {
	return func(node string) bool {
		r := n.listed.Load()
		if r == nil {
			return file(node)
		}
		k, ok := r.Node(node)
		return ok && !k.Removing
	}
}

// current returns an error for a certificate of a node that another one has replaced. from is when it begins.
func (n *Node) current(node string, from time.Time) error {
	if r := n.listed.Load(); r != nil {
		if k, ok := r.Node(node); ok && from.Before(k.Since) {
			return fmt.Errorf("%s was replaced: its certificates from before %s are no longer accepted", node,
				k.Since.Format(time.RFC3339))
		}
	}
	return nil
}

// engineNode returns the node at the other end of a connection to the engine. Until the list of the nodes is known, the
// members of the engine are accepted, too: the file of this node may be older than they are.
func (n *Node) engineNode(state tls.ConnectionState, member func(node string) bool) (string, error) {
	return n.identity.NodeOr(state, func(node string) bool { return n.listed.Load() == nil && member(node) })
}

// find returns the address of a node.
func (n *Node) find(node string) (string, bool) {
	if r := n.listed.Load(); r != nil {
		k, ok := r.Node(node)
		return k.Address, ok
	}
	for _, k := range n.opts.Config.Controllers {
		if k.Name == node {
			return k.Address, true
		}
	}
	return "", false
}

// engineOptions returns the options of the member of this node.
func (n *Node) engineOptions() etcd.Options {
	c := n.opts.Config
	self := c.Self()
	all := map[string]string{self.Name: self.EngineAddress}
	for _, k := range c.Controllers {
		if k.Role != config.Worker {
			all[k.Name] = k.EngineAddress
		}
	}
	start := etcd.New
	if c.Join || self.Role == config.Worker { // the file of a first worker is that of the voters
		start = etcd.Join
	}
	return etcd.Options{Name: c.Node, Cluster: c.ClusterID, Dir: n.dir("engine"), Start: start,
		Listen: cmp.Or(c.ListenEngine, self.EngineAddress), Peer: self.EngineAddress, Members: all,
		TLS: &etcd.TLS{Cert: c.MTLS.Cert, Key: c.MTLS.Key, CA: c.MTLS.CACert,
			Hosts: []string{pki.EngineHost(c.ClusterID)}, Server: n.identity.ServerOfAll("http/1.1"), Node: n.engineNode},
		Quota: int64(c.Storage.DatabaseMB) << 20, Log: n.log}
}
