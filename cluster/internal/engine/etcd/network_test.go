// This file defines the network between the members of a test: a proxy before each member, which knows by the name in
// the first message of TLS which member has connected, so that links can be cut and slowed down.

package etcd

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/internal/tlstest"
)

// clusterName is that of the clusters of the tests.
const clusterName = "test"

func nodeName(i int) string { return fmt.Sprintf("node%d", i+1) }

// link is the name by which a member asks for another one.
func link(i int) string { return nodeName(i) + ".link.test" }

// host is the name in the certificate of a member.
func host(i int) string { return nodeName(i) + "." + clusterName + ".ptc.internal" }

// network connects members, which have numbers from 0.
type network struct {
	dir       string // of the certificates
	authority *authority
	members   int
	listens   []string // of the members
	peers     []string // of their proxies

	mu      sync.Mutex
	changed chan struct{}
	cut     []bool
	slow    []time.Duration
	ctx     context.Context
}

// newNetwork makes certificates, addresses and proxies for members. A test with several is a system test.
func newNetwork(t testing.TB, members int) *network {
	t.Helper()
	if members > 1 {
		testlevel.System(t)
	}
	n := &network{dir: t.TempDir(), members: members, changed: make(chan struct{}), cut: make([]bool, members),
		slow: make([]time.Duration, members)}
	n.authority = certificates(t, n.dir, members)
	var cancel context.CancelFunc
	n.ctx, cancel = context.WithCancel(context.Background())
	var work sync.WaitGroup
	for i := range members {
		n.listens = append(n.listens, free(t))
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		context.AfterFunc(n.ctx, func() { l.Close() })
		n.peers = append(n.peers, l.Addr().String())
		work.Go(func() { n.serve(l, i, &work) })
	}
	t.Cleanup(func() {
		cancel()
		work.Wait()
	})
	return n
}

// free returns an address that nothing listens on. Its IP address is its own where that is possible, so that no
// connection of another process takes the port.
func free(t testing.TB) string {
	t.Helper()
	own := fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(250), 1+rand.IntN(250), 1+rand.IntN(250))
	l, err := net.Listen("tcp", own)
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// certificates writes certificates of members, and certificates that another authority has signed.
func certificates(t testing.TB, dir string, members int) *authority {
	var ca *authority
	for _, by := range []string{"rogue", "ca"} {
		ca = &authority{tlstest.New(t, by)}
		write(t, filepath.Join(dir, by+".pem"), ca.PEM())
		for i := range members {
			ca.issue(t, dir, by, i, members)
		}
	}
	return ca
}

type authority struct{ *tlstest.Authority }

// issue writes a certificate of a member.
func (a *authority) issue(t testing.TB, dir, by string, i, members int) {
	names := []string{host(i)}
	for j := range members {
		names = append(names, link(j))
	}
	cert, key := a.Issue(x509.Certificate{DNSNames: names})
	write(t, filepath.Join(dir, by+"-"+nodeName(i)+".pem"), cert)
	write(t, filepath.Join(dir, by+"-"+nodeName(i)+"-key.pem"), key)
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

// tls returns the identity of a member.
func (n *network) tls(i int) *TLS {
	t := &TLS{Cert: filepath.Join(n.dir, "ca-"+nodeName(i)+".pem"), Key: filepath.Join(n.dir, "ca-"+nodeName(i)+"-key.pem"),
		CA: filepath.Join(n.dir, "ca.pem"), sni: link(i)}
	for j := range n.members {
		t.Hosts = append(t.Hosts, host(j))
	}
	return t
}

// options returns those of a member of a new cluster.
func (n *network) options(i int, dir string) Options {
	o := Options{Name: nodeName(i), Cluster: clusterName, Dir: dir, Start: New, Listen: n.listens[i], Peer: n.peers[i],
		Members: map[string]string{}, TLS: n.tls(i)}
	for j := range n.members {
		o.Members[nodeName(j)] = n.peers[j]
	}
	return o
}

// Cut cuts the links of a member: sent data is kept until Heal.
func (n *network) Cut(i int) { n.set(func() { n.cut[i] = true }) }

// Slow delays the data that a member sends and receives.
func (n *network) Slow(i int, d time.Duration) { n.set(func() { n.slow[i] = d }) }

// Heal restores all links.
func (n *network) Heal() {
	n.set(func() {
		clear(n.cut)
		clear(n.slow)
	})
}

func (n *network) set(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
	close(n.changed)
	n.changed = make(chan struct{})
}

// pass waits until data from one member to another may continue, or returns false at the end of the test.
func (n *network) pass(from, to int) bool {
	for {
		n.mu.Lock()
		cut, delay, changed := n.cut[from] || n.cut[to], max(n.slow[from], n.slow[to]), n.changed
		n.mu.Unlock()
		if !cut && delay == 0 {
			return n.ctx.Err() == nil
		}
		var late <-chan time.Time
		if !cut {
			late = time.After(delay)
		}
		select {
		case <-n.ctx.Done():
			return false
		case <-changed:
		case <-late:
			return true
		}
	}
}

// serve passes on connections to a member.
func (n *network) serve(l net.Listener, to int, work *sync.WaitGroup) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		work.Go(func() { n.connect(c, to, work) })
	}
}

func (n *network) connect(c net.Conn, to int, work *sync.WaitGroup) {
	defer c.Close()
	defer context.AfterFunc(n.ctx, func() { c.Close() })()
	from, begin := n.source(c)
	if from < 0 || !n.pass(from, to) {
		return
	}
	member, err := net.Dial("tcp", n.listens[to])
	if err != nil {
		return
	}
	defer member.Close()
	defer context.AfterFunc(n.ctx, func() { member.Close() })()
	if _, err := member.Write(begin); err != nil {
		return
	}
	work.Go(func() {
		n.copy(c, member, to, from)
		c.Close()
	})
	n.copy(member, c, from, to)
}

func (n *network) copy(dst, src net.Conn, from, to int) {
	buffer := make([]byte, 64<<10)
	for {
		size, err := src.Read(buffer)
		if size > 0 {
			if !n.pass(from, to) {
				return
			}
			if _, err := dst.Write(buffer[:size]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// source reads the first message of TLS from a connection, and returns the member that has sent it, -1 if none has.
func (n *network) source(c net.Conn) (from int, begin []byte) {
	var read bytes.Buffer
	name := ""
	server := tls.Server(&hello{Conn: c, r: io.TeeReader(c, &read)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name = h.ServerName
			return nil, fmt.Errorf("that is all")
		}})
	_ = server.Handshake()
	for i := range n.members {
		if name == link(i) {
			return i, read.Bytes()
		}
	}
	return -1, nil
}

// hello is a connection that is only read from.
type hello struct {
	net.Conn
	r io.Reader
}

func (h *hello) Read(b []byte) (int, error)  { return h.r.Read(b) }
func (h *hello) Write(b []byte) (int, error) { return len(b), nil }
