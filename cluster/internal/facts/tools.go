// This file defines the facts as the source of the tools.

package facts

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/facts"
)

// Source returns the facts for the tools of package tools/facts.
func (s *Store) Source() facts.Source { return source{s} }

type source struct{ store *Store }

// Get implements facts.Source.
func (s source) Get(ctx context.Context, host string, level Level) (facts.Facts, error) {
	all, at, err := s.store.Get(ctx, host, level)
	return shown(all, at), failure(err)
}

// List implements facts.Source.
func (s source) List(ctx context.Context, prefix, after string, limit int) (facts.Hosts, error) {
	hosts, more, err := s.store.Hosts(ctx, prefix, after, limit)
	return facts.Hosts{Hosts: hosts, More: more}, failure(err)
}

// Watch implements facts.Source.
func (s source) Watch(ctx context.Context, host string, after int64) (facts.Facts, error) {
	changed, version, err := s.store.Watch(ctx, host, engine.Revision(after))
	return shown(changed, version), failure(err)
}

// Put implements facts.Source.
func (s source) Put(ctx context.Context, host, name string, value json.RawMessage, version *int64) (int64, error) {
	var want *engine.Revision
	if version != nil {
		v := engine.Revision(*version)
		want = &v
	}
	at, err := s.store.Put(ctx, host, name, value, want)
	return int64(at), failure(err)
}

// shown returns facts as programs see them.
func shown(all map[string]Fact, at engine.Revision) facts.Facts {
	out := facts.Facts{Facts: make(map[string]json.RawMessage), Versions: make(map[string]int64), Version: int64(at)}
	for name, f := range all {
		out.Facts[name], out.Versions[name] = f.Value, int64(f.Version)
	}
	return out
}

// failure returns an error with the code that a program sees.
func failure(err error) error {
	var conflict *Conflict
	switch {
	case errors.As(err, &conflict):
		return &tool.Error{Code: facts.CodeConflict, Message: err.Error(),
			Data: map[string]int64{"version": int64(conflict.Was)}}
	case errors.Is(err, ErrBound), errors.Is(err, engine.ErrTooLarge), errors.Is(err, engine.ErrFull):
		return &tool.Error{Code: facts.CodeTooLarge, Message: err.Error()}
	case errors.Is(err, engine.ErrCompacted):
		return &tool.Error{Code: facts.CodeCompacted, Message: "the changes after this version are not kept any more: read " +
			"the facts with facts.get, and watch after their version"}
	case errors.Is(err, engine.ErrUnavailable):
		return &tool.Error{Code: facts.CodeUnavailable, Err: err,
			Message: err.Error() + "; a write may have been made: read the fact before writing again"}
	}
	return err
}
