// This file defines the tokens of users: how a node knows them, and how they are changed through any node.

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/users"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
)

// Tokens returns the tokens of the users of the cluster, which this node follows. A new cluster takes over
// the tokens in the directory of its first node; if there are none, it has one token of an operator, like a
// service of one node.
func (n *Node) Tokens(ctx context.Context) (*access.Tokens, error) {
	own, err := access.Hand(n.opts.Dir, n.opts.Config.ClusterID)
	if err != nil {
		return nil, err
	}
	begin := func() ([]access.Token, error) {
		if len(own) > 0 {
			return own, nil
		}
		first, err := access.First(n.opts.Dir)
		return []access.Token{first}, err
	}
	u, err := lasting(ctx, n, func() (*users.Users, error) {
		return users.Open(ctx, users.Options{Engine: n.engine, Seal: n.seal, Log: n.log}, begin)
	})
	if err != nil {
		return nil, err
	}
	n.users.Store(u)
	return u.Known(), nil
}

// ErrTokenExists is the error of a token whose name another one has.
var ErrTokenExists = users.ErrExists

// AddToken keeps a token of another service. The error is ErrTokenExists if there is one of its name.
func (n *Node) AddToken(ctx context.Context, t access.Token) error { return n.users.Load().Add(ctx, t) }

// methodUsers asks a node for the tokens of users, or to change them.
const methodUsers = "users"

// usersRequest adds or revokes a token, or is about all.
type usersRequest struct {
	Add    *access.Token `json:"add,omitempty"`
	Revoke string        `json:"revoke,omitempty"`
}

// usersAnswer has the tokens that the request is about.
type usersAnswer struct {
	Tokens []access.Token `json:"tokens"`
	Error  string         `json:"error,omitempty"`
}

// answerUsers answers a request about the tokens of users. A node of the cluster is trusted with them.
func (n *Node) answerUsers(ctx context.Context, from string, request []byte, out io.Writer) error {
	var r usersRequest
	if err := json.Unmarshal(request, &r); err != nil {
		return err
	}
	a, err := n.changeUsers(ctx, r)
	if err != nil {
		a.Error = err.Error()
	} else if r.Add != nil || r.Revoke != "" {
		n.log.Info("the tokens of the cluster were changed", "by", from, "token", a.Tokens[0].Name, "revoked", r.Revoke != "")
	}
	return json.NewEncoder(out).Encode(a)
}

func (n *Node) changeUsers(ctx context.Context, r usersRequest) (a usersAnswer, err error) {
	u := n.users.Load()
	switch {
	case u == nil:
		return a, serve.ErrUnavailable.With("%s is starting; try again", n.opts.Config.Node)
	case r.Add != nil:
		a.Tokens = []access.Token{*r.Add}
		return a, u.Add(ctx, *r.Add)
	case r.Revoke != "":
		t, err := u.Revoke(ctx, r.Revoke)
		a.Tokens = []access.Token{t}
		return a, err
	}
	a.Tokens, err = u.List(ctx)
	return a, err
}

// Users are the tokens of a running cluster for a process that has the certificate of a node.
type Users struct {
	Config  *config.Config
	Release string
}

// Create makes a token, and returns its text.
func (u Users) Create(ctx context.Context, t access.Token) (text string, _ access.Token, err error) {
	if text, t, err = access.NewToken(t); err != nil {
		return "", t, err
	}
	_, err = u.ask(ctx, usersRequest{Add: &t})
	return text, t, err
}

// List returns the tokens in the order of their creation.
func (u Users) List(ctx context.Context) ([]access.Token, error) { return u.ask(ctx, usersRequest{}) }

// Revoke removes the token with an id or a name.
func (u Users) Revoke(ctx context.Context, which string) (access.Token, error) {
	all, err := u.ask(ctx, usersRequest{Revoke: which})
	if err != nil {
		return access.Token{}, err
	}
	return all[0], nil
}

func (u Users) ask(ctx context.Context, r usersRequest) ([]access.Token, error) {
	request, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	node, in, done, err := ask(ctx, u.Config, u.Release, methodUsers, request)
	if err != nil {
		return nil, fmt.Errorf("no node can be reached: %w", err)
	}
	defer done()
	var a usersAnswer
	if err := json.NewDecoder(in).Decode(&a); err != nil {
		return nil, fmt.Errorf("%s has not answered: %w", node, err)
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	return a.Tokens, nil
}
