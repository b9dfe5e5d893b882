package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/cluster/seal"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// write replaces the certificate of a node: first the key, then the certificate.
func (a *attacked) write(t *testing.T, node string, c tls.Certificate) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	require.NoError(t, err)
	for _, f := range []struct {
		name, kind string
		der        []byte
	}{{"key.pem", "PRIVATE KEY", key}, {"cert.pem", "CERTIFICATE", c.Certificate[0]}} {
		path := filepath.Join(a.dir, node, "tls", f.name)
		require.NoError(t, os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.der}), 0o600))
		require.NoError(t, os.Rename(path+".new", path))
	}
}

// served returns the certificate that a port of a node shows.
func served(t *testing.T, address, protocol string, with tls.Certificate) []byte {
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol},
		Certificates: []tls.Certificate{with}})
	require.NoError(t, err)
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].Raw
}

// rotated replaces the certificate of a node that runs: all its ports show the new one, and the node continues.
func (a *attacked) rotated(ctx context.Context, t *testing.T) {
	fresh := a.ours.issue(a.cluster, "node2", nil)
	a.write(t, "node2", fresh)
	for name, port := range map[string][2]string{"api": {a.on["node2"].api, "h2"}, "peer": {a.on["node2"].peer, "h2"},
		"engine": {a.on["node2"].engine, "http/1.1"}} {
		require.Eventually(t, func() bool {
			return string(served(t, port[0], port[1], a.own("node1"))) == string(fresh.Certificate[0])
		}, time.Minute, 10*time.Millisecond, name)
	}
	for name := range a.nodes {
		run, err := a.at(name).Submit(ctx, store.Submission{Source: "(+ 1 2)"}, 0)
		require.NoError(t, err)
		run, err = a.at("node2").Wait(ctx, run.ID)
		require.NoError(t, err)
		assert.Equal(t, "3", string(run.Value))
	}
}

// restart ends a node in order, and starts it again.
func (c *members) restart(node string) {
	c.t.Helper()
	require.Zero(c.t, c.nodes[node].End(syscall.SIGTERM), c.nodes[node].Log())
	c.start(node).Ready()
}

// TestClusterMasterKey changes the master key of a cluster of three processes, whose nodes restart one after the other,
// while runs write and one waits. In the end nothing needs the old key, and everything is readable without it.
func TestClusterMasterKey(t *testing.T) {
	if !*thorough {
		t.Skip("slow: run it with -thorough")
	}
	w := newWriters(t)
	c := prepareCluster(t, append(w.flags(), "--allow-facts", "write")...)
	for i := range 3 {
		c.append(fmt.Sprintf("node%d.yaml", i+1), patient)
	}
	c.startAll()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	submit := func(source string) store.Run {
		run, err := c.at("node2").Submit(ctx, store.Submission{Source: source}, 0)
		require.NoError(t, err)
		run, err = c.at("node2").Wait(ctx, run.ID)
		require.NoError(t, err)
		return run
	}
	large := `(apply str (repeat 100000 "large "))`
	before := submit(`(tool/facts.put {:host "h" :fact "f" :value "kept"}) ` + large)
	require.Equal(t, store.Succeeded, before.State, before.Text)
	waits := submit(`[` + large + ` (ask {:question "Go on?"})]`)
	require.Len(t, waits.Pending, 1)
	_, err := c.at("node3").PutProgram(ctx, "p", wire.NewVersion{Source: "(+ 1 2)"})
	require.NoError(t, err)

	first, second := filepath.Join(c.dir, "master.key"), filepath.Join(c.dir, "second.key")
	require.NoError(t, seal.WriteKey(second, seal.NewKey()))
	old, err := seal.ReadKey(first)
	require.NoError(t, err)
	set := func(node, from, to string) {
		path := filepath.Join(c.dir, node+".yaml")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), from)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
	}
	line := func(now string, before ...string) string {
		text := fmt.Sprintf("master_key: %q\n", now)
		if len(before) > 0 {
			text += fmt.Sprintf("      old_master_keys: [%q]\n", before[0])
		}
		return text
	}
	warns := func(text string) func(wire.Cluster) bool {
		return func(s wire.Cluster) bool { return strings.Contains(strings.Join(s.Warnings, "\n"), text) }
	}
	w.begin(ctx, c, "node3")
	for _, node := range []string{"node1", "node2"} {
		set(node, line(first), line(second, first))
		c.restart(node)
		c.until(ctx, node, warns("is not used yet: some nodes do not have it"))
	}
	w.end(ctx, c, "node1") // they were submitted through node3
	set("node3", line(first), line(second, first))
	c.restart("node3")
	c.until(ctx, "node1", warns("need "+old.ID()))

	// The run that waits needs the old key, so a node without it does not start.
	set("node2", line(second, first), line(second))
	require.Zero(t, c.nodes["node2"].End(syscall.SIGTERM))
	c.start("node2").Ended()
	assert.Contains(t, c.nodes["node2"].Log(), "need the master key "+old.ID())
	set("node2", line(second), line(second, first))
	c.start("node2").Ready()

	run, err := c.at("node2").Answer(ctx, waits.ID, waits.Pending[0].ID, "yes")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		run, err = c.at("node2").Wait(ctx, run.ID)
		return err == nil && run.State.Final()
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, store.Succeeded, run.State, run.Text)
	c.until(ctx, "node1", warns("Nothing needs the master keys ["+old.ID()+"] any more"))
	require.NoError(t, os.Remove(first))
	for i := range 3 {
		node := fmt.Sprintf("node%d", i+1)
		set(node, line(second, first), line(second))
		c.restart(node)
	}
	for name := range c.nodes {
		for _, id := range []string{before.ID, waits.ID} {
			run, err := c.at(name).Get(ctx, id)
			require.NoError(t, err)
			assert.Contains(t, string(run.Value), "large large")
			require.NoError(t, c.at(name).Journal(ctx, id, io.Discard))
		}
		p, err := c.at(name).Program(ctx, "p")
		require.NoError(t, err)
		assert.Equal(t, "(+ 1 2)", p.Source)
	}
	assert.JSONEq(t, `{"f": "kept"}`, string(submit(`(:facts (tool/facts.get {:host "h"}))`).Value))

	// A thief has the disk of a node, and another key.
	require.NoError(t, os.Remove(second))
	require.NoError(t, seal.WriteKey(second, seal.NewKey()))
	require.Zero(t, c.nodes["node3"].End(syscall.SIGTERM))
	c.start("node3").Ended()
	assert.Contains(t, c.nodes["node3"].Log(), "the key of the journals can't be read with the master key of this node")
	delete(c.nodes, "node3")
}

// TestClusterAuthority changes the authority of a cluster of three processes: both are trusted, and all nodes restart
// once; then the certificates change while the nodes run; then the old authority goes.
func TestClusterAuthority(t *testing.T) {
	if !*thorough {
		t.Skip("slow: run it with -thorough")
	}
	a := newAttacked(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	works := func() {
		t.Helper()
		for name := range a.nodes {
			var run store.Run
			var err error
			require.Eventually(t, func() bool {
				if run, err = a.at(name).Submit(ctx, store.Submission{Source: "(+ 1 2)"}, 0); err == nil {
					run, err = a.at(name).Wait(ctx, run.ID)
				}
				return err == nil
			}, time.Minute, 100*time.Millisecond)
			require.NoError(t, err)
			assert.Equal(t, "3", string(run.Value))
		}
	}
	ca := filepath.Join(a.dir, "ca", pki.AuthorityCert)
	before, err := os.ReadFile(ca)
	require.NoError(t, err)
	next := newSigner(t, a.cluster)
	after := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: next.cert.Raw})
	require.NoError(t, os.WriteFile(ca, append(before, after...), 0o600))
	for name := range a.nodes {
		a.restart(name)
	}
	thief := a.ours.issue(a.cluster, "node3", nil)
	for name := range a.nodes {
		a.write(t, name, next.issue(a.cluster, name, nil))
		works()
	}
	key, err := x509.MarshalPKCS8PrivateKey(next.key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(ca, after, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(a.dir, "ca", pki.AuthorityKey),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	works()
	for name := range a.nodes {
		a.restart(name)
		works()
		for _, p := range a.ports(name) {
			assert.True(t, p.accepts(nil, a.own("node3")))
			assert.False(t, p.accepts(nil, thief), "a certificate of the authority before")
		}
	}
}
