// Package ssh has tools that run commands on other hosts, over SSH: ssh.run and ssh.package.
//
//	hosts, err := ssh.Open(ssh.Grant{
//		Hosts:      []string{"deploy@web*.example.com", "db1.example.com:2222"},
//		KeyFiles:   []string{"/etc/ptc/id_ed25519"},
//		KnownHosts: []string{"/etc/ptc/known_hosts"},
//	})
//	defer hosts.Close()
//	registry.Add(hosts.Tools()...)
//
//	(tool/ssh.run {:host "web1.example.com" :argv ["uptime" "-p"]})
//	;; {:exit 0, :out "up 3 weeks\n", :err ""}
//	(tool/ssh.package {:host "web1.example.com" :name "nginx" :state "latest"})
//	;; {:changed true, :before "1.24.0-1", :version "1.24.0-2", :manager "apt"}
//
// A program names only the host. The user and the key come from the grant, and the keys never reach the
// program. A host that no pattern matches is refused before anything is sent. A host has one name: in lower
// case, with its port if it is not 22.
//
// The key of each host must be in a known_hosts file, as ssh-keyscan and ssh write it. A missing or
// different key is an error; this check cannot be turned off. Host certificates are not supported.
//
// SSH passes a command to the user's shell. An :argv is quoted for the shell, so that each argument
// reaches the command unchanged. A :command is passed to the shell unchanged, so the program has to quote
// its parts. A grant of a host grants everything that the user may do there.
//
// Connections are kept and shared by calls, with several sessions on each, up to the bounds of the
// grant. An idle connection is closed, and one that does not answer is given up. A call that ends early
// sends SIGKILL to its command and closes the session, which ends the command if the server supports
// either.
package ssh

import (
	"context"
	"errors"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	xssh "golang.org/x/crypto/ssh"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// Grant names the hosts, the user, the keys and the bounds. The zero value grants nothing.
type Grant struct {
	// Hosts are patterns: [USER@]HOST[:PORT], in which * matches any characters of HOST; the default PORT is
	// 22. The first match counts.
	Hosts []string
	User  string // for patterns without one; the user of this process if ""

	Signers    []xssh.Signer // keys, in the order in which they are tried
	KeyFiles   []string      // of private keys without a passphrase
	Agent      string        // the socket of an agent, asked for its keys at each connection
	KnownHosts []string      // files

	Timeout            time.Duration // of a call; tool.DefaultTimeout if 0
	MaxOutput          int           // bytes kept of each stream; DefaultOutput if 0
	ConnectTimeout     time.Duration // DefaultConnectTimeout if 0
	IdleTime           time.Duration // after which a connection is closed; DefaultIdleTime if 0
	KeepAlive          time.Duration // between checks whether a host is reachable; DefaultKeepAlive if 0
	Connections        int           // to all hosts; DefaultConnections if 0
	ConnectionsPerHost int           // DefaultConnectionsPerHost if 0
	Sessions           int           // on each connection; DefaultSessions if 0
	// ConnectRetries is the number of further attempts to reach a host, within ConnectTimeout.
	ConnectRetries int

	// Dial makes the connections, if it is not nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// The defaults of a Grant.
const (
	DefaultOutput         = 1 << 20
	DefaultConnectTimeout = 15 * time.Second
	DefaultIdleTime       = time.Minute
	DefaultKeepAlive      = 15 * time.Second
	// DefaultConnections stays below the files that a process may have open by default,
	// 1,024 on most systems.
	DefaultConnections        = 512
	DefaultConnectionsPerHost = 2
	// DefaultSessions stays below the limit of OpenSSH, 10.
	DefaultSessions = 8
)

// Hosts are the hosts of a grant, with the connections to them. They are safe for
// concurrent use, and by any number of runs.
type Hosts struct {
	grant    Grant
	patterns []pattern
	pool     *pool
	left     detach.Group
}

// Names returns the tools of this package, each with the flag that grants it.
func Names() map[string]string {
	const how = "grant it with --allow-ssh HOSTS"
	return map[string]string{"ssh.run": how, "ssh.package": how}
}

// ForUser returns a grant of hosts, a list of patterns with commas between, as the user of
// this process would reach them: with the agent and the keys in ~/.ssh, and its
// known_hosts.
func ForUser(hosts string) (Grant, error) {
	g := Grant{Agent: os.Getenv("SSH_AUTH_SOCK")}
	for h := range strings.SplitSeq(hosts, ",") {
		g.Hosts = append(g.Hosts, strings.TrimSpace(h))
	}
	knownHosts, keys, err := Places()
	if err != nil {
		return Grant{}, err
	}
	g.KnownHosts = existing(knownHosts...)
	if g.Agent == "" { // an agent has the keys, including those with a passphrase
		g.KeyFiles = existing(keys...)
	}
	return g, nil
}

// Places returns the paths at which ForUser looks for files of known hosts and of keys. The
// files need not exist: one that is created there is used the next time.
func Places() (knownHosts, keys []string, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(home, ".ssh")
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		keys = append(keys, filepath.Join(dir, name))
	}
	return []string{filepath.Join(dir, "known_hosts"), "/etc/ssh/ssh_known_hosts"}, keys, nil
}

func existing(files ...string) (found []string) {
	for _, f := range files {
		if _, err := os.Stat(f); err == nil {
			found = append(found, f)
		}
	}
	return found
}

// Open reads the keys and the known hosts of a grant. No host is reached before the first
// call.
func Open(g Grant) (*Hosts, error) {
	g = g.withDefaults()
	if len(g.Hosts) == 0 {
		return nil, errors.New("ssh: the grant names no host")
	}
	if g.User == "" {
		u, err := user.Current()
		if err != nil {
			return nil, errors.New("ssh: the grant names no user, and the user of this process is unknown")
		}
		g.User = u.Username
	}
	patterns, err := parsePatterns(g.Hosts, g.User)
	if err != nil {
		return nil, err
	}
	id, err := newIdentity(g)
	if err != nil {
		return nil, err
	}
	return &Hosts{grant: g, patterns: patterns, pool: newPool(g, id)}, nil
}

func (g Grant) withDefaults() Grant {
	for _, n := range []struct {
		field *int
		value int
	}{{&g.MaxOutput, DefaultOutput}, {&g.Connections, DefaultConnections}, {&g.ConnectionsPerHost,
		DefaultConnectionsPerHost}, {&g.Sessions, DefaultSessions}} {
		if *n.field <= 0 {
			*n.field = n.value
		}
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&g.ConnectTimeout, DefaultConnectTimeout}, {&g.IdleTime, DefaultIdleTime}, {&g.KeepAlive, DefaultKeepAlive}} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if g.Dial == nil {
		g.Dial = (&net.Dialer{}).DialContext
	}
	return g
}

// Connections returns the number of connections, those being made included.
func (h *Hosts) Connections() int {
	if h.pool == nil {
		return 0
	}
	h.pool.mu.Lock()
	defer h.pool.mu.Unlock()
	return h.pool.open
}

// Close ends all connections, and with them the calls that are under way.
func (h *Hosts) Close() error {
	if h.pool != nil {
		h.pool.close()
	}
	h.left.Wait()
	return nil
}

// Stubs returns the tools of the grant without reading keys and known hosts. They must not be called.
func Stubs(g Grant) ([]*tool.Tool, error) {
	_, err := parsePatterns(g.Hosts, "user")
	return (&Hosts{grant: g}).Tools(), err
}

// Tools returns the tools.
func (h *Hosts) Tools() []*tool.Tool {
	hosts := " Hosts: " + strings.Join(h.grant.Hosts, ", ") + "."
	return []*tool.Tool{
		tool.New("ssh.run", "Runs a command on a host and returns its exit status and output. A status other than 0 is "+
			"no error."+hosts, h.run,
			tool.Timeout(h.grant.Timeout), tool.Runs(programs),
			tool.Example(`(tool/ssh.run {:host "web1" :argv ["ls" "-l" "/var/log"]})`),
			tool.Example(`(tool/ssh.run {:host "web1" :command "ps aux | wc -l"})`)),
		tool.New("ssh.package", "Brings a package on a host into a state, with apt, dnf or yum: present, latest or absent. "+
			"Does nothing if it is in that state already."+hosts, h.pkg,
			tool.Idempotent(), tool.Timeout(h.grant.Timeout),
			tool.Hint(effect.Hint{Kind: effect.HostExclusive}), tool.Host("host"),
			tool.Example(`(tool/ssh.package {:host "web1" :name "nginx"})`),
			tool.Example(`(tool/ssh.package {:host "web1" :name "nginx" :state "latest"})`)),
	}
}
