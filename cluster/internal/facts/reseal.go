// This file defines how facts that were encrypted with an old master key are encrypted again.

package facts

import (
	"context"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// resealPage is the number of facts that are read at once.
const resealPage = 100

// Reseal encrypts the facts again for which old reports true. Like a write, this changes the version of a
// fact. Facts that can't be opened stay, and damaged is called with each error: no key would help.
func (s *Store) Reseal(ctx context.Context, old func(sealed []byte) bool, damaged func(error)) error {
	for q := (engine.Query{Prefix: prefix, Limit: resealPage}); s.o.Sealer != nil; {
		page, err := s.o.Engine.List(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			q.After = e.Key
			if !old(e.Value) {
				continue
			}
			f, err := s.decode(e)
			if err != nil {
				damaged(err)
				continue
			}
			value, err := s.encode(e.Key, f)
			if err != nil {
				return err
			}
			unchanged := []engine.Condition{engine.At(e.Key, e.Modified)}
			if _, err := s.o.Engine.Apply(ctx, unchanged, engine.Put(e.Key, value)); err != nil {
				return err
			}
		}
		if !page.More {
			break
		}
	}
	return nil
}
