// Package sshtest runs SSH servers for tests: any number of hosts in one process, each with its own
// key. They run commands by a function, or by a real shell.
package sshtest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// Command is a command that a client requests.
type Command struct {
	Host           string
	Line           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Drop           func()   // closes the connection
	Env            []string // that the client has sent, as NAME=value
}

// Exec runs a command until it ends, or until ctx ends because the client has sent a signal or
// closed its session. It returns the exit status.
type Exec func(ctx context.Context, c Command) int

// Hosts are running servers.
type Hosts struct {
	Key        ssh.Signer // of the user that may log in
	KnownHosts string     // a file
	Sessions   atomic.Int64
	Peak       atomic.Int64 // the maximum number of sessions open at once
	Asked      atomic.Int64 // how often a client has asked whether a host is there

	private ed25519.PrivateKey // of Key
	mu      sync.Mutex
	servers map[string]*server
	wg      sync.WaitGroup
}

// server is one host.
type server struct {
	hosts    *Hosts
	name     string
	exec     Exec
	key      ssh.Signer
	config   *ssh.ServerConfig
	listener net.Listener

	mu    sync.Mutex
	conns map[net.Conn]bool
	made  int
}

// Start starts a server for each name. The servers run until the test ends.
func Start(t testing.TB, run Exec, names ...string) *Hosts {
	t.Helper()
	private, key := newKey(t)
	h := &Hosts{Key: key, private: private, KnownHosts: filepath.Join(t.TempDir(), "known_hosts"),
		servers: make(map[string]*server)}
	var known strings.Builder
	for _, name := range names {
		key := NewKey(t)
		h.start(t, name, key, run)
		fmt.Fprintln(&known, knownhosts.Line([]string{name}, key.PublicKey()))
	}
	if err := os.WriteFile(h.KnownHosts, []byte(known.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.stop)
	return h
}

// NewKey returns a new key.
func NewKey(t testing.TB) ssh.Signer {
	t.Helper()
	_, key := newKey(t)
	return key
}

func newKey(t testing.TB) (ed25519.PrivateKey, ssh.Signer) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return private, key
}

func (h *Hosts) start(t testing.TB, name string, key ssh.Signer, run Exec) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{hosts: h, name: name, exec: run, key: key, listener: l, conns: make(map[net.Conn]bool)}
	s.config = &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) != string(h.Key.PublicKey().Marshal()) {
			return nil, errors.New("another key")
		}
		return nil, nil
	}}
	s.config.AddHostKey(key)
	h.servers[name] = s
	h.wg.Go(s.accept)
}

// Address returns the address of the server with a name.
func (h *Hosts) Address(name string) string { return h.server(name).listener.Addr().String() }

// Home returns a new home folder with the files that ssh needs: the key of the user, and the keys
// of the named hosts by their addresses.
func (h *Hosts) Home(t testing.TB, names ...string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	var known strings.Builder
	for _, name := range names {
		fmt.Fprintln(&known, knownhosts.Line([]string{h.Address(name)}, h.server(name).key.PublicKey()))
	}
	block, err := ssh.MarshalPrivateKey(h.private, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"id_ed25519": pem.EncodeToMemory(block),
		"known_hosts": []byte(known.String())} {
		if err := os.WriteFile(filepath.Join(home, ".ssh", name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// Dial connects to the server with a name, as net.Dialer would connect to that host.
func (h *Hosts) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if port != "22" {
		name = address
	}
	s := h.server(name)
	if s == nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("no such host")}
	}
	return (&net.Dialer{}).DialContext(ctx, network, s.listener.Addr().String())
}

func (h *Hosts) server(name string) *server {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.servers[name]
}

// Connections returns the number of open connections of a host, and the number made so far.
func (h *Hosts) Connections(name string) (open, made int) {
	s := h.server(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns), s.made
}

// Disconnect ends all connections of a host.
func (h *Hosts) Disconnect(name string) {
	s := h.server(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

func (h *Hosts) stop() {
	for name, s := range h.servers {
		s.listener.Close()
		h.Disconnect(name)
	}
	h.wg.Wait()
}

func (s *server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[c] = true
		s.made++
		s.mu.Unlock()
		s.hosts.wg.Go(func() {
			s.serve(c)
			c.Close()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		})
	}
}

func (s *server) serve(c net.Conn) {
	conn, channels, requests, err := ssh.NewServerConn(c, s.config)
	if err != nil {
		return
	}
	var sessions sync.WaitGroup
	sessions.Go(func() {
		for r := range requests {
			s.hosts.Asked.Add(1)
			_ = r.Reply(false, nil) // as OpenSSH answers a keepalive
		}
	})
	for ch := range channels {
		if ch.ChannelType() != "session" {
			_ = ch.Reject(ssh.UnknownChannelType, "sessions only")
			continue
		}
		channel, requests, err := ch.Accept()
		if err != nil {
			break
		}
		sessions.Go(func() { s.session(conn, channel, requests) })
	}
	sessions.Wait()
}

// session runs the command of a session. A signal, or the end of the session, ends the command.
func (s *server) session(conn ssh.Conn, channel ssh.Channel, requests <-chan *ssh.Request) {
	defer channel.Close()
	s.hosts.Peak.Store(max(s.hosts.Peak.Load(), s.hosts.Sessions.Add(1)))
	defer s.hosts.Sessions.Add(-1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var running sync.WaitGroup
	var env []string
	for r := range requests {
		switch r.Type {
		case "env":
			var v struct{ Name, Value string }
			ok := ssh.Unmarshal(r.Payload, &v) == nil
			if ok {
				env = append(env, v.Name+"="+v.Value)
			}
			_ = r.Reply(ok, nil)
		case "exec":
			var line struct{ Text string }
			if ssh.Unmarshal(r.Payload, &line) != nil {
				return
			}
			_ = r.Reply(true, nil)
			running.Go(func() {
				defer channel.Close()
				status := s.exec(ctx, Command{s.name, line.Text, channel, channel, channel.Stderr(), func() { conn.Close() }, env})
				_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
			})
		case "signal":
			cancel()
		default:
			_ = r.Reply(false, nil)
		}
	}
	cancel()
	running.Wait()
}

// Shell returns an Exec that runs commands with sh. env returns the environment for a host.
func Shell(env func(host string) []string) Exec {
	return func(ctx context.Context, c Command) int {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", c.Line)
		cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(env(c.Host), c.Env...), c.Stdin, c.Stdout, c.Stderr
		err := cmd.Run()
		var exit *exec.ExitError
		switch {
		case err == nil:
			return 0
		case errors.As(err, &exit) && exit.ExitCode() >= 0:
			return exit.ExitCode()
		}
		return 255
	}
}
