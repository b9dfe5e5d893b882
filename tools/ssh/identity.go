// This file defines the user, the keys, and the verification of hosts.

package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	xssh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// The codes of failures.
const (
	CodeNotGranted     = "not-granted"      // no pattern of the grant matches the host
	CodeBadArgument    = "bad-argument"     // arguments that mean nothing
	CodeUnreachable    = "unreachable"      // no connection; may be retried
	CodeUnknownHostKey = "unknown-host-key" // the host is not in the known_hosts files
	CodeHostKeyChanged = "host-key-changed" // the host shows another key than the one that is known
	CodeAuthFailed     = "auth-failed"      // the host does not take the user's keys
	CodeDisconnected   = "disconnected"     // the connection was lost while the command ran
	CodeRefused        = "refused"          // the host does not run the command
	CodeClosed         = "closed"           // the hosts were closed
)

// identity has the keys of the client, and the known hosts.
type identity struct {
	signers []xssh.Signer
	agent   string
	known   xssh.HostKeyCallback
}

func newIdentity(g Grant) (*identity, error) {
	id := &identity{signers: slices.Clone(g.Signers), agent: g.Agent}
	for _, name := range g.KeyFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("ssh: %w", err)
		}
		signer, err := xssh.ParsePrivateKey(text)
		var locked *xssh.PassphraseMissingError
		if errors.As(err, &locked) {
			return nil, fmt.Errorf("ssh: the key %s has a passphrase: add it to an agent", name)
		}
		if err != nil {
			return nil, fmt.Errorf("ssh: the key %s: %w", name, err)
		}
		id.signers = append(id.signers, signer)
	}
	if len(id.signers) == 0 && id.agent == "" {
		return nil, errors.New("ssh: the grant has no key: neither files nor an agent")
	}
	if len(g.KnownHosts) == 0 {
		return nil, errors.New("ssh: the grant has no known_hosts file, so no host can be verified")
	}
	var err error
	if id.known, err = knownhosts.New(g.KnownHosts...); err != nil {
		return nil, fmt.Errorf("ssh: %w", err)
	}
	return id, nil
}

// connect makes a connection.
func (id *identity) connect(ctx context.Context, t target, dial func(context.Context, string, string) (net.Conn,
	error)) (*xssh.Client, error) {
	algorithms, err := id.algorithms(t)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, "tcp", t.address())
	if err != nil {
		return nil, &tool.Error{Code: CodeUnreachable, Message: t.host + " is not reached", Retryable: true, Err: err}
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	var refused error
	cfg := &xssh.ClientConfig{User: t.user, HostKeyAlgorithms: algorithms,
		Auth: []xssh.AuthMethod{xssh.PublicKeysCallback(func() ([]xssh.Signer, error) { return id.keys(ctx) })},
		HostKeyCallback: func(address string, remote net.Addr, key xssh.PublicKey) error {
			refused = keyError(t, id.known(address, remote, key))
			return refused
		}}
	c, channels, requests, err := xssh.NewClientConn(conn, t.address(), cfg)
	switch {
	case err == nil:
		return xssh.NewClient(c, channels, requests), nil
	case refused != nil:
		err = refused
	case strings.Contains(err.Error(), "unable to authenticate"):
		err = &tool.Error{Code: CodeAuthFailed, Message: t.host + " takes none of the keys of " + t.user}
	default:
		err = &tool.Error{Code: CodeUnreachable, Message: t.host + " is not reached", Retryable: true, Err: err}
	}
	conn.Close()
	return nil, err
}

// algorithms returns those of the keys that are known of a host: it may have others besides,
// which must not be asked for.
func (id *identity) algorithms(t target) ([]string, error) {
	var known *knownhosts.KeyError
	err := id.known(t.address(), &net.TCPAddr{}, noKey{})
	if !errors.As(err, &known) {
		return nil, keyError(t, err)
	}
	var all []string
	for _, k := range known.Want {
		names := []string{k.Key.Type()}
		if k.Key.Type() == xssh.KeyAlgoRSA {
			names = []string{xssh.KeyAlgoRSASHA512, xssh.KeyAlgoRSASHA256}
		}
		all = append(all, names...)
	}
	if len(all) == 0 {
		return nil, keyError(t, known)
	}
	return all, nil
}

// noKey is a key that no host has.
type noKey struct{}

func (noKey) Type() string                         { return "none" }
func (noKey) Marshal() []byte                      { return nil }
func (noKey) Verify([]byte, *xssh.Signature) error { return errors.New("no key") }

// keyError returns the error for a wrong key of a host.
func keyError(t target, err error) error {
	var known *knownhosts.KeyError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known) && len(known.Want) == 0:
		return &tool.Error{Code: CodeUnknownHostKey, Message: t.host + " has no key in the known_hosts files: see that " +
			"it is the right host and add its key (ssh-keyscan)"}
	case errors.As(err, &known):
		return &tool.Error{Code: CodeHostKeyChanged, Message: t.host + " shows another key than the one that is known, " +
			"which may be an attack: find out why before changing known_hosts"}
	}
	return &tool.Error{Code: CodeHostKeyChanged, Message: t.host + " shows a key that is not to be trusted", Err: err}
}

// keys returns the keys to try: those of the grant, then those of the agent.
func (id *identity) keys(ctx context.Context) ([]xssh.Signer, error) {
	if id.agent == "" {
		return id.signers, nil
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", id.agent)
	if err != nil {
		return nil, fmt.Errorf("the agent: %w", err)
	}
	context.AfterFunc(ctx, func() { conn.Close() }) // the keys sign by this connection
	signers, err := agent.NewClient(conn).Signers()
	return append(slices.Clone(id.signers), signers...), err
}
