package etcd

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/enginetest"
)

// inProcess is a cluster whose members are in the process of the test.
type inProcess struct {
	*network
	t       testing.TB
	options []Options
	mu      sync.Mutex
	running []*Engine
}

// openInProcess starts a new cluster, and waits until all members are ready.
func openInProcess(t testing.TB, members int, change func(*Options)) *inProcess {
	t.Helper()
	c := &inProcess{network: newNetwork(t, members), t: t, running: make([]*Engine, members)}
	dir := t.TempDir()
	for i := range members {
		o := c.network.options(i, filepath.Join(dir, nodeName(i)))
		o.Timeout = time.Minute // nothing is to fail because the machine is busy
		change(&o)
		c.options = append(c.options, o)
	}
	var starts sync.WaitGroup
	for i := range members {
		starts.Go(func() { c.Start(i) })
	}
	starts.Wait()
	t.Cleanup(func() {
		c.Heal()
		var ends sync.WaitGroup
		for i := range members {
			ends.Go(func() { c.Stop(i) })
		}
		ends.Wait()
	})
	for _, e := range c.running {
		ready(t, e)
	}
	return c
}

// ready waits until a member is ready. An election takes longer on a busy machine.
func ready(t testing.TB, e *Engine) {
	t.Helper()
	err := e.Ready(t.Context())
	for errors.Is(err, engine.ErrUnavailable) {
		err = e.Ready(t.Context())
	}
	require.NoError(t, err)
}

func (c *inProcess) Member(i int) engine.Engine { return c.engine(i) }

func (c *inProcess) engine(i int) *Engine {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running[i]
}

func (c *inProcess) Stop(i int) {
	if e := c.engine(i); e != nil {
		require.NoError(c.t, e.Close())
	}
}

func (c *inProcess) Start(i int) {
	e, err := Open(c.t.Context(), c.options[i])
	require.NoError(c.t, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[i] = e
}

func TestContract(t *testing.T) {
	enginetest.Run(t, enginetest.Harness{Lifetime: 2 * time.Second,
		Open: func(t *testing.T, o enginetest.Options) enginetest.Cluster {
			return openInProcess(t, o.Members, func(options *Options) {
				options.Quota = o.Quota
				if o.Members > 1 { // one reaches itself
					options.Timeout = 3 * time.Second
				}
			})
		}})
}
