// This file defines the tokens with which nodes may join.

package roster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/pki"
)

// Tokens are the tokens of a cluster. They implement pki.Grants. With a Seal they are encrypted: who reads a grant can
// join.
type Tokens struct {
	Engine engine.Engine
	Seal   engine.Sealer // nil: they are not encrypted
}

var _ pki.Grants = Tokens{}

// Prefix begins the keys of the engine under which they are.
func (t Tokens) Prefix() string { return keyToken }

// Find implements pki.Grants.
func (t Tokens) Find(ctx context.Context, id string) (g pki.Grant, ok bool, err error) {
	e, ok, err := t.Engine.Get(ctx, keyToken+id)
	if err != nil || !ok {
		return g, false, err
	}
	text := e.Value
	if t.Seal != nil {
		if text, err = t.Seal.Open(e.Key, text); err != nil {
			return g, false, err
		}
	}
	if err := json.Unmarshal(text, &g); err != nil {
		return g, false, fmt.Errorf("roster: the grant %s can't be read: %w", id, err)
	}
	return g, true, nil
}

// Take implements pki.Grants.
func (t Tokens) Take(ctx context.Context, id string) (bool, error) {
	e, ok, err := t.Engine.Get(ctx, keyToken+id)
	if err != nil || !ok {
		return false, err
	}
	res, err := t.Engine.Apply(ctx, []engine.Condition{engine.At(e.Key, e.Modified)}, engine.Delete(e.Key))
	return res.Done, err
}

// Put implements pki.Grants. It deletes the tokens that have ended.
func (t Tokens) Put(ctx context.Context, g pki.Grant) error {
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	key := keyToken + g.ID
	if t.Seal != nil {
		if text, err = t.Seal.Seal(key, text); err != nil {
			return err
		}
	}
	if _, err := t.Engine.Apply(ctx, nil, engine.Put(key, text)); err != nil {
		return err
	}
	return t.forget(ctx)
}

// forget deletes the tokens that have ended.
func (t Tokens) forget(ctx context.Context) error {
	page, err := t.Engine.List(ctx, engine.Query{Prefix: keyToken, Keys: true})
	if err != nil {
		return err
	}
	for _, e := range page.Entries {
		g, ok, err := t.Find(ctx, e.Key[len(keyToken):])
		if err != nil || ok && time.Now().After(g.Ends) {
			unchanged := []engine.Condition{engine.At(e.Key, e.Modified)}
			if _, err := t.Engine.Apply(ctx, unchanged, engine.Delete(e.Key)); err != nil {
				return err
			}
		}
	}
	return nil
}
