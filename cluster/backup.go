// This file defines backups of a running cluster, and how a cluster gets the contents of another store.

package cluster

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
	clusterstore "github.com/ptc-lang/ptc/cluster/internal/store"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/cluster/seal"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
)

// methodBackup asks a node for a backup of the cluster.
const methodBackup = "backup"

// backupHead is the first line of a backup. The key is encrypted as the data is.
type backupHead struct {
	Cluster string `json:"cluster"`
	Key     []byte `json:"key"` // of the journals
}

// backup answers a request for a backup.
func (n *Node) backup(ctx context.Context, _ string, _ []byte, out io.Writer) error {
	e, ok, err := n.engine.Get(ctx, keyOfJournals)
	if err == nil && !ok {
		err = errors.New("the cluster has no key of journals")
	}
	if err != nil {
		return err
	}
	head, err := json.Marshal(backupHead{n.opts.Config.ClusterID, e.Value})
	if err != nil {
		return err
	}
	if _, err := out.Write(append(head, '\n')); err != nil {
		return err
	}
	return n.store.Backup(ctx, out)
}

// Backup writes the whole contents of the store of a running cluster, in the state of one moment. The node
// of the configuration sends them, or another node if that one can't be reached. This process uses the
// certificate of the node.
func Backup(ctx context.Context, c *config.Config, release string, to io.Writer) (node string, err error) {
	node, in, done, err := ask(ctx, c, release, methodBackup, nil)
	if err != nil {
		return "", fmt.Errorf("no node can be reached for a backup: %w", err)
	}
	defer done()
	_, err = io.Copy(to, in)
	return node, err
}

// ask makes a request of a process that is not the node of a configuration, but has its certificate, to that node, or
// to another one if that can't be reached. The caller calls done.
func ask(ctx context.Context, c *config.Config, release, method string,
	request []byte) (node string, in io.Reader, done func(), err error) {
	log := slog.New(slog.DiscardHandler)
	allow, err := pki.Allow(c.ClusterID, c.Identities()...)
	if err != nil {
		return "", nil, nil, err
	}
	own := pki.Files{CA: c.MTLS.CACert, Cert: c.MTLS.Cert, Key: c.MTLS.Key}
	id, err := pki.Load(own, c.ClusterID, c.Node, allow, log)
	if err != nil {
		return "", nil, nil, err
	}
	n := &Node{opts: Options{Config: c}} // that asks, and is not asked
	network, err := peer.Listen(peer.Config{Identity: id, Address: "127.0.0.1:0", Find: n.find, Release: release, Log: log,
		Dial: c.Network.Connect, Silence: c.Network.Silence})
	if err != nil {
		return "", nil, nil, err
	}
	var errs []error
	for _, k := range append([]config.Controller{c.Self()}, c.Controllers...) {
		stream, err := network.OpenProcess(ctx, k.Name, method, request)
		if err == nil {
			return k.Name, stream, func() { stream.Close(); network.Close() }, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", k.Name, err))
	}
	network.Close()
	return "", nil, nil, errors.Join(errs...)
}

// Restore reads a backup into a cluster that has no runs and documents, before any node of it serves. Nodes that have
// started end, because the key of their journals has changed.
func (n *Node) Restore(ctx context.Context, from io.Reader) error {
	in := bufio.NewReader(from)
	line, err := in.ReadBytes('\n')
	var head backupHead
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	if err != nil || head.Cluster == "" || len(head.Key) == 0 {
		return fmt.Errorf("the file is not a backup of a cluster: %w", cmp.Or(err,
			errors.New("its first line names no cluster")))
	}
	if _, err := n.openKey(head.Key); err != nil {
		return fmt.Errorf("the backup of the cluster %s can't be read: %w; put the master key of that cluster into "+
			"old_master_keys of all nodes, or use it as master_key", head.Cluster, err)
	}
	if err := n.store.Restore(ctx, in); err != nil {
		return err
	}
	return n.replaceKey(ctx, head.Key)
}

// Migrate copies the contents of the directory of a service. key is that of its journals, which becomes the key of the
// cluster: nodes that have started end.
func (n *Node) Migrate(ctx context.Context, from store.Store, key journal.Key) (m clusterstore.Migrated, err error) {
	page, err := n.store.List(ctx, store.Query{Limit: 1})
	if err != nil {
		return m, err
	}
	if len(page.Runs) > 0 {
		if _, err := from.Get(ctx, page.Runs[0].ID); err != nil { // otherwise it is tried again after an error
			return m, store.ErrInUse.With("the cluster has runs already, want a new cluster: %w", err)
		}
	}
	if m, err = n.store.Migrate(ctx, from); err != nil {
		return m, err
	}
	value := []byte(key)
	if n.seal != nil {
		if value, err = n.seal.Seal(keyOfJournals, value); err != nil {
			return m, err
		}
	}
	return m, n.replaceKey(ctx, value) // last, because the other nodes end then
}

// Copies waits until as many nodes live as are to keep copies of large data.
func (n *Node) Copies(ctx context.Context) error {
	want := n.opts.Config.Storage.Replicas
	for len(n.living()) < want {
		select {
		case <-time.After(leaderEvery):
		case <-ctx.Done():
			return fmt.Errorf("%d nodes run that keep copies, want %d: start the others: %w", len(n.living()), want,
				context.Cause(ctx))
		}
	}
	return nil
}

// replaceKey replaces the key of the journals.
func (n *Node) replaceKey(ctx context.Context, value []byte) error {
	_, err := n.engine.Apply(ctx, nil, engine.Put(keyOfJournals, value))
	return err
}

// openKey returns the key of the journals as the engine has it.
func (n *Node) openKey(value []byte) (key journal.Key, err error) {
	if n.seal != nil {
		if value, err = n.seal.Open(keyOfJournals, value); err != nil {
			return key, fmt.Errorf("the key of the journals can't be read with the master key of this node: %w", err)
		}
	}
	if len(value) != journal.KeyBytes {
		return key, fmt.Errorf("the key of the journals has %d bytes, want %d: the nodes must agree on encryption.enabled",
			len(value), journal.KeyBytes)
	}
	return journal.Key(value), nil
}

// ErrReplaced is the error of a node whose cluster has got the contents of another one.
var ErrReplaced = errors.New("the cluster has got the contents of a backup or of another service: start the node again")

// Failed waits until the node must end, and returns why; nil if ctx ends before.
func (n *Node) Failed(ctx context.Context) error {
	var after engine.Revision
	for ctx.Err() == nil {
		e, ok, err := n.engine.Get(ctx, keyOfJournals)
		if err == nil {
			key, err := n.openKey(e.Value)
			switch {
			case ok && errors.Is(err, seal.ErrKey):
				return err // the other nodes use a master key that this one does not have
			case ok && (err != nil || !bytes.Equal(key, n.key)):
				return ErrReplaced
			}
			after = max(after, e.Modified)
			_ = n.engine.Watch(ctx, keyOfJournals, after, func(engine.Commit) error { return ErrReplaced })
		}
		select {
		case <-ctx.Done():
		case <-n.life.Done():
			return nil
		case <-time.After(followRetry):
		}
	}
	return nil
}
