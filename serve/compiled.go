// This file defines the compiled programs that an engine keeps.

package serve

import (
	"container/list"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/store"
)

// cache keeps the programs that were compiled last: a run is compiled when it is submitted, for its errors, and when
// it is started, and many submissions have the same program. newCache makes one.
type cache struct {
	// compiling has a value for each compilation under way: as many as processors, because macros may compute for as
	// long as a run, and many submissions must not take the processors from the runs.
	compiling chan struct{}

	mu    sync.Mutex
	by    map[[sha256.Size]byte]*list.Element
	order list.List // the last one first
}

// keptPrograms bounds the cache: some megabytes for programs of usual size.
const keptPrograms = 64

// maxKeptSource is the most bytes of a source that is kept.
const maxKeptSource = 64 << 10

type compiled struct {
	sum   [sha256.Size]byte
	prog  *ptc.Program
	reach []ptc.ToolUse // the tools that it can reach, if they are known
	known bool
}

// program compiles the program of a run, unless it has it.
func (c *cache) program(ctx context.Context, run *store.Run, o ptc.Options) (*ptc.Program, error) {
	o, err := optionsOf(run, o)
	if err != nil {
		return nil, err
	}
	sum := sumOf(run, o)
	if have := c.get(sum); have.prog != nil {
		return have.prog, nil
	}
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	p, err := ptc.Compile(ctx, run.Name, run.Source, o)
	<-c.compiling
	if err == nil && len(run.Source) <= maxKeptSource {
		c.put(compiled{sum: sum, prog: p})
	}
	return p, err
}

// reach returns the tools that the program of a run can reach, which compiles.
func (c *cache) reach(ctx context.Context, run *store.Run, o ptc.Options) ([]ptc.ToolUse, error) {
	o, err := optionsOf(run, o)
	if err != nil {
		return nil, err
	}
	have := c.get(sumOf(run, o))
	if have.known {
		return have.reach, nil
	}
	all, err := c.check(ctx, run.Name, run.Source, o)
	if have.prog != nil && err == nil {
		have.reach, have.known = all, true
		c.put(have)
	}
	return all, err
}

// check compiles and analyses a program, and returns the tools that it can reach.
func (c *cache) check(ctx context.Context, name, source string, o ptc.Options) ([]ptc.ToolUse, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	found := ptc.Check(ctx, name, source, o)
	<-c.compiling
	if found.Err != nil {
		return nil, found.Err
	}
	var all []ptc.ToolUse
	for _, t := range found.Effects.Tools {
		t.Places = nil
		all = append(all, t)
	}
	return all, nil
}

// sumOf identifies a program and its options.
func sumOf(run *store.Run, o ptc.Options) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %v %q", run.Name, run.Source, o.Limits, o.DataNames))
}

func newCache() *cache { return &cache{compiling: make(chan struct{}, runtime.GOMAXPROCS(0))} }

// enter waits until a compilation may begin.
func (c *cache) enter(ctx context.Context) error {
	select {
	case c.compiling <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *cache) get(sum [sha256.Size]byte) compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.by[sum]
	if e == nil {
		return compiled{}
	}
	c.order.MoveToFront(e)
	return e.Value.(compiled)
}

// put keeps a program, in place of its earlier entry.
func (c *cache) put(p compiled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.by[p.sum]; e != nil {
		e.Value = p
		return
	}
	if c.by == nil {
		c.by = make(map[[sha256.Size]byte]*list.Element)
	}
	c.by[p.sum] = c.order.PushFront(p)
	if c.order.Len() > keptPrograms {
		last := c.order.Remove(c.order.Back()).(compiled)
		delete(c.by, last.sum)
	}
}

// optionsOf returns the options of a run: its limits, within those of the engine, and the names of its data.
func optionsOf(run *store.Run, o ptc.Options) (ptc.Options, error) {
	data, err := inputs(run.Data)
	if err != nil {
		return o, err
	}
	o.Limits = run.Limits.Or(o.Limits).Within(o.Limits)
	if o.DataNames = slices.Sorted(maps.Keys(data)); o.DataNames == nil {
		o.DataNames = []string{} // nil would allow any name
	}
	return o, nil
}
