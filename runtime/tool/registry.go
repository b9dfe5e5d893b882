// This file defines Registry, the tools that a host grants.

package tool

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ptc-lang/ptc/internal/rank"
)

// Registry holds the tools that a program may call. It must not be changed while programs are
// compiled with it. The zero Registry and the nil one have no tools; none can be added to the nil one.
type Registry struct {
	tools    map[string]*Tool
	withheld map[string]string
}

// NewRegistry returns a registry of tools. The error names the tools with wrong declarations and
// the reasons; the others are registered.
func NewRegistry(tools ...*Tool) (*Registry, error) {
	r := &Registry{}
	return r, r.Add(tools...)
}

// Add adds tools. A tool whose declaration is wrong, or whose name is taken, is not added, and is
// in the error.
func (r *Registry) Add(tools ...*Tool) error {
	if r == nil {
		return errors.New("got a nil registry, want one of tool.NewRegistry")
	}
	if r.tools == nil {
		r.tools = make(map[string]*Tool)
	}
	var errs []error
	for _, t := range tools {
		switch {
		case t == nil, t.fn == nil:
			errs = append(errs, errors.New("got a tool that is nil or zero, want one of tool.New or tool.Dynamic"))
		case t.err != nil:
			errs = append(errs, t.err)
		case r.tools[t.name] != nil:
			errs = append(errs, fmt.Errorf("tool %s: there is one of this name already", t.name))
		default:
			delete(r.withheld, t.name)
			r.tools[t.name] = t
		}
	}
	return errors.Join(errs...)
}

// Withhold adds the name of a tool that is not granted. how is the hint how to grant it. A program
// that calls the tool does not compile, and the error has the hint.
func (r *Registry) Withhold(name, how string) {
	if r == nil || r.tools[name] != nil {
		return
	}
	if r.withheld == nil {
		r.withheld = make(map[string]string)
	}
	r.withheld[name] = how
}

// Withheld returns the names of the tools that are known and not granted, with the hints how to
// grant them.
func (r *Registry) Withheld() map[string]string {
	if r == nil {
		return nil
	}
	return maps.Clone(r.withheld)
}

// Lookup returns the tool with a name, nil if there is none.
func (r *Registry) Lookup(name string) *Tool {
	if r == nil {
		return nil
	}
	return r.tools[name]
}

// Search returns the tools whose name, signature or documentation has words of the query, the best matches first.
func (r *Registry) Search(query string) []*Tool { return rank.Search(r.All(), query) }

// All returns the tools, sorted by name.
func (r *Registry) All() []*Tool {
	if r == nil {
		return nil
	}
	var all []*Tool
	for _, name := range slices.Sorted(maps.Keys(r.tools)) {
		all = append(all, r.tools[name])
	}
	return all
}
