// Package users keeps the tokens of the users of a cluster in its engine: one that is made or revoked through any node
// holds on all of them.
//
//   - Users: the tokens, as a node follows them. Open makes one.
//
// A node without a majority continues with the tokens that it knows.
package users

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/serve/access"
)

// The keys of the tokens.
const (
	keyBegun = "users/begun" // the tokens of a file were taken over
	// Prefix begins the keys of the tokens, which end with their names. The values are JSON, encrypted with a Seal.
	Prefix = "users/token/"
)

// Options are the settings of Users. Engine and Log are required.
type Options struct {
	Engine engine.Engine
	Seal   engine.Sealer // nil: the tokens, which are hashes, are not encrypted
	Log    *slog.Logger
}

// Users are the tokens of a cluster. They are safe for concurrent use.
type Users struct {
	o     Options
	known *access.Tokens
	end   context.CancelFunc
	work  sync.WaitGroup

	mu sync.Mutex // held by read
}

// Begin returns the tokens with which a cluster begins.
type Begin func() ([]access.Token, error)

// Open reads the tokens, and follows them until Close. If the cluster has not begun to have any, it takes those of
// begin over.
func Open(ctx context.Context, o Options, begin Begin) (*Users, error) {
	u := &Users{o: o, known: access.Known(nil)}
	if err := u.begin(ctx, begin); err != nil {
		return nil, fmt.Errorf("users: the cluster's tokens can't be begun: %w", err)
	}
	after, err := u.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("users: the cluster's tokens can't be read: %w", err)
	}
	life, end := context.WithCancel(context.Background())
	u.end = end
	u.work.Go(func() { u.follow(life, after) })
	return u, nil
}

// Close stops the goroutines that Open has started. The tokens stay.
func (u *Users) Close() {
	u.end()
	u.work.Wait()
}

// Known returns the tokens as this node knows them.
func (u *Users) Known() *access.Tokens { return u.known }

// batch is the number of tokens in a commit, which has a condition too.
const batch = 100

// begin takes the tokens of a file over, unless another node has done so. The commits have the same condition.
func (u *Users) begin(ctx context.Context, begin Begin) error {
	if _, ok, err := u.o.Engine.Get(ctx, keyBegun); err != nil || ok {
		return err
	}
	tokens, err := begin()
	if err != nil {
		return err
	}
	for {
		var ops []engine.Op
		for _, t := range tokens[:min(batch, len(tokens))] {
			op, err := u.put(t)
			if err != nil {
				return err
			}
			ops = append(ops, op)
		}
		tokens = tokens[len(ops):]
		last := len(tokens) == 0
		if last {
			ops = append(ops, engine.Put(keyBegun, []byte("{}")))
		}
		r, err := u.o.Engine.Apply(ctx, []engine.Condition{engine.Absent(keyBegun)}, ops...)
		if err != nil || last || !r.Done {
			return err
		}
	}
}

// put returns the operation that keeps a token.
func (u *Users) put(t access.Token) (engine.Op, error) {
	key := Prefix + t.Name
	value, err := json.Marshal(t)
	if err == nil && u.o.Seal != nil {
		value, err = u.o.Seal.Seal(key, value)
	}
	return engine.Put(key, value), err
}

// decode returns the token of an entry.
func (u *Users) decode(e engine.Entry) (t access.Token, err error) {
	text := e.Value
	if u.o.Seal != nil {
		if text, err = u.o.Seal.Open(e.Key, text); err != nil {
			return t, err
		}
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, err
	}
	if Prefix+t.Name != e.Key {
		return t, fmt.Errorf("it is of the token %.100q", t.Name)
	}
	return t, nil
}

// ErrExists is the error of a token whose name another one has.
var ErrExists = errors.New("there is a token of that name")

// Add keeps a token, which access.NewToken has made. When it returns, this node knows it.
func (u *Users) Add(ctx context.Context, t access.Token) error {
	all, _, err := u.list(ctx)
	if err != nil {
		return err
	}
	if len(all) >= access.MaxTokens {
		return fmt.Errorf("the cluster has %d tokens, want at most that many: revoke one", len(all))
	}
	for _, other := range all {
		if other.ID == t.ID && other.Name != t.Name {
			return fmt.Errorf("%w: %s (id %s)", ErrExists, other.Name, other.ID)
		}
	}
	op, err := u.put(t)
	if err != nil {
		return err
	}
	r, err := engine.Repeat(ctx, u.o.Engine, changeTime, []engine.Condition{engine.Absent(op.Key)}, op)
	if err != nil {
		return err
	}
	if !r.Done && string(r.Found[0].Value) != string(op.Value) { // by an attempt that was not answered
		return fmt.Errorf("%w: %s; revoke it, or choose another name", ErrExists, t.Name)
	}
	_, err = u.read(ctx)
	return err
}

// changeTime bounds a change without a majority.
const changeTime = 10 * time.Second

// List returns the tokens in the order of their creation, with all changes that were made before the call.
func (u *Users) List(ctx context.Context) ([]access.Token, error) {
	all, _, err := u.list(ctx)
	return all, err
}

// Revoke removes the token with an id or a name. When it returns, this node does not know it any more.
func (u *Users) Revoke(ctx context.Context, which string) (access.Token, error) {
	all, _, err := u.list(ctx)
	if err != nil {
		return access.Token{}, err
	}
	t, err := access.Find(all, which)
	if err != nil {
		return access.Token{}, err
	}
	if _, err = engine.Repeat(ctx, u.o.Engine, changeTime, nil, engine.Delete(Prefix+t.Name)); err != nil {
		return access.Token{}, err
	}
	_, err = u.read(ctx)
	return t, err
}

// list returns the tokens of the engine, and the revision.
func (u *Users) list(ctx context.Context) ([]access.Token, engine.Revision, error) {
	page, err := u.o.Engine.List(ctx, engine.Query{Prefix: Prefix})
	if err != nil {
		return nil, 0, err
	}
	all := make([]access.Token, 0, len(page.Entries))
	for _, e := range page.Entries {
		t, err := u.decode(e)
		if err != nil {
			u.o.Log.Error("a token can't be read, and is not accepted", "key", e.Key, "error", err)
			continue
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b access.Token) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})
	return all, page.Revision, nil
}

// read loads the current tokens into this node, and returns the revision.
func (u *Users) read(ctx context.Context) (engine.Revision, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	all, revision, err := u.list(ctx)
	if err != nil {
		return 0, err
	}
	u.known.Set(all)
	return revision, nil
}

// followRetry is the time between attempts to read the tokens.
const followRetry = 200 * time.Millisecond

// follow follows the tokens after a revision, until ctx ends.
func (u *Users) follow(ctx context.Context, after engine.Revision) {
	for {
		err := u.o.Engine.Watch(ctx, Prefix, after, func(c engine.Commit) error {
			after = c.Revision
			_, err := u.read(ctx) // commits that were read already change nothing
			return err
		})
		for ctx.Err() == nil {
			u.o.Log.Warn("the tokens of the cluster can't be followed; trying again", "error", err)
			select {
			case <-time.After(followRetry):
			case <-ctx.Done():
			}
			if after, err = u.read(ctx); err == nil {
				break
			}
		}
		if ctx.Err() != nil {
			return
		}
	}
}
