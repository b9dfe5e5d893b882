// This file defines how the data of a node is encrypted at rest.

package cluster

import (
	"context"
	"strings"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/seal"
)

// sealer returns the Sealer that encrypts the data at rest; nil if the configuration has no encryption.
func (n *Node) sealer(ctx context.Context) (engine.Sealer, error) {
	c := n.opts.Config.Encryption
	if !c.Enabled {
		return nil, nil
	}
	first, err := seal.CommandKey(ctx, c.MasterKeyCommand)
	if len(c.MasterKeyCommand) == 0 {
		first, err = seal.ReadKey(c.MasterKey)
	}
	if err != nil {
		return nil, err
	}
	keys := []seal.Key{first}
	for _, file := range c.OldMasterKeys {
		k, err := seal.ReadKey(file)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	s, err := seal.New(keys, c.KeyRotation)
	if err != nil {
		return nil, err
	}
	return sealed{s}, nil
}

// sealed encrypts for places of the store: KIND/OWNER/ID. The second part is the id of a run, or names a document.
type sealed struct{ *seal.Sealer }

func at(place string) seal.Place {
	_, owner, _ := strings.Cut(place, "/")
	owner, _, _ = strings.Cut(owner, "/")
	return seal.Place{Kind: seal.Run, Owner: owner, ID: place}
}

// Seal implements engine.Sealer.
func (s sealed) Seal(place string, data []byte) ([]byte, error) {
	return s.Sealer.Seal(at(place), data)
}

// Open implements engine.Sealer.
func (s sealed) Open(place string, data []byte) ([]byte, error) {
	return s.Sealer.Open(at(place), data)
}

// sealedFacts encrypts facts.
type sealedFacts struct{ *seal.Sealer }

// Seal implements facts.Sealer.
func (s sealedFacts) Seal(host, name string, data []byte) ([]byte, error) {
	return s.Sealer.Seal(seal.Place{Kind: seal.Host, Owner: host, ID: name}, data)
}

// Open implements facts.Sealer.
func (s sealedFacts) Open(host, name string, data []byte) ([]byte, error) {
	return s.Sealer.Open(seal.Place{Kind: seal.Host, Owner: host, ID: name}, data)
}
