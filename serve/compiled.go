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
	sum  [sha256.Size]byte
	prog *ptc.Program
}

// program compiles the program of a run, unless it has it.
func (c *cache) program(ctx context.Context, run *store.Run, o ptc.Options) (*ptc.Program, error) {
	o, err := optionsOf(run, o)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %q", run.Name, run.Source, o.Limits, o.DataNames))
	if p := c.get(sum); p != nil {
		return p, nil
	}
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	p, err := ptc.Compile(ctx, run.Name, run.Source, o)
	<-c.compiling
	if err == nil && len(run.Source) <= maxKeptSource {
		c.put(sum, p)
	}
	return p, err
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

func (c *cache) get(sum [sha256.Size]byte) *ptc.Program {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.by[sum]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(compiled).prog
}

func (c *cache) put(sum [sha256.Size]byte, p *ptc.Program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[sum] != nil {
		return
	}
	if c.by == nil {
		c.by = make(map[[sha256.Size]byte]*list.Element)
	}
	c.by[sum] = c.order.PushFront(compiled{sum, p})
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
