package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

const platform = "test"

var key = journal.Key("0123456789abcdef0123456789abcdef")

// cluster is a run on several nodes in this process.
type cluster struct {
	t      *testing.T
	log    *dist.Memory
	source string
	opts   func(p *process) ptc.Options
	data   map[string]any
	grace  time.Duration
	world  *world
	decide func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error)

	mu       sync.Mutex
	live     map[string]*dist.Node // by the names of nodes
	killed   map[string]bool
	over     bool
	kills    int // and nodes that were held for dead
	restarts []string
	stats    dist.Stats
	ended    []ended
	work     sync.WaitGroup
}

// ended is how a node has ended.
type ended struct {
	node, text string
	err        error
}

// errKilled ends a node as a crash does.
var errKilled = errors.New("killed")

func newCluster(t *testing.T, source string, opts func(p *process) ptc.Options, p dist.Policy, f dist.Faults,
	w *world) *cluster {
	c := &cluster{t: t, log: dist.NewMemory(f), source: source, opts: opts, world: w, grace: time.Hour,
		live:   map[string]*dist.Node{},
		killed: map[string]bool{}}
	h := journal.Header{Run: "RUN", Program: "p.ptc", Source: source, Seed: 7}
	for err := errors.New("first"); err != nil; {
		err = dist.Create(context.Background(), c.log, h, platform, p)
	}
	return c
}

// begin has a node take part.
func (c *cluster) begin(name string) {
	c.work.Go(func() {
		text, err := c.node(name)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.live, name)
		c.ended = append(c.ended, ended{name, text, err})
		c.over = c.over || err == nil || errors.Is(err, dist.ErrHalted)
	})
}

func (c *cluster) node(name string) (text string, err error) {
	var last *dist.Node
	own := &process{}
	o := dist.Options{Log: c.log, Key: key, Platform: platform, Grace: c.grace, Lease: time.Hour,
		Idle: func(context.Context) error {
			c.world.end(own)
			own = &process{} // the next evaluation is like a new one
			return nil
		}}
	err = dist.Run(context.Background(), o, name, func(n *dist.Node) {
		c.mu.Lock()
		defer c.mu.Unlock()
		last = n
		if c.killed[name] {
			n.End(errKilled)
		}
		c.live[name] = n
	}, func(ctx context.Context, j *journal.Journal) error {
		var prints strings.Builder
		prog, err := ptc.Compile(ctx, "p.ptc", c.source, c.opts(own))
		if err != nil {
			return err
		}
		res, err := prog.Run(ctx, ptc.RunOptions{Journal: j, Data: c.data, OnPending: c.decide,
			Output: func(p ptc.Print) { prints.WriteString(p.Text) }})
		text = prints.String() + outcome(res, err)
		c.mu.Lock()
		defer c.mu.Unlock()
		s := last.Stats()
		c.stats.Ran, c.stats.Taken = c.stats.Ran+s.Ran, c.stats.Taken+s.Taken
		c.stats.Repeated, c.stats.Followed = c.stats.Repeated+s.Repeated, c.stats.Followed+s.Followed
		c.stats.Claims, c.stats.Lost = c.stats.Claims+s.Claims, c.stats.Lost+s.Lost
		if errors.Is(last.Over(), dist.ErrRestart) {
			c.restarts = append(c.restarts, name+": "+last.Why()+fmt.Sprint(" ", err))
		}
		return err
	})
	if errors.Is(err, errKilled) { // its process is known to be gone
		c.world.end(own)
		for dist.Declare(context.Background(), c.log, last.Name(), true) != nil {
			continue
		}
	}
	return text, err
}

// outcome returns the end of a run as one string, without the number of elements that had been completed
// when one failed.
func outcome(res *ptc.Result, err error) string {
	text := ptctest.Outcome(res, err)
	var e *ptc.Error
	if errors.As(err, &e) {
		text += fmt.Sprintf("\n%v %s", e.Span, e.Hint)
		for _, el := range e.Elements {
			text += fmt.Sprintf("\n%s at %v: element %d, %s, of %d", el.Operation, el.Span, el.Index, el.Text, el.Of)
		}
	}
	return text
}

// chaos kills nodes, or has them declared dead, and starts others, until the run is over.
func (c *cluster) chaos(rng *rand.Rand, kills int, mean time.Duration) {
	for k := range kills {
		time.Sleep(time.Duration(rng.Int64N(int64(2 * mean))))
		c.mu.Lock()
		var names []string
		for name := range c.live {
			names = append(names, name)
		}
		if c.over || len(names) == 0 {
			c.mu.Unlock()
			return
		}
		slices.Sort(names)
		name := names[rng.IntN(len(names))]
		n, mistake := c.live[name], rng.IntN(3) == 0
		c.kills++
		if !mistake {
			c.killed[name] = true
			n.End(errKilled)
		}
		c.mu.Unlock()
		if !mistake {
			c.begin(fmt.Sprint("late", k))
		}
		c.work.Go(func() {
			time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond) // until it is missed
			for dist.Declare(context.Background(), c.log, n.Name(), false) != nil {
				continue
			}
		})
	}
}

// play has nodes execute the run to its end, and returns the outcome, which is the same on all of them.
func (c *cluster) play(name string, nodes int, chaos func()) string {
	c.t.Helper()
	for i := range nodes {
		c.begin(fmt.Sprint("n", i))
	}
	if chaos != nil {
		chaos()
	}
	done := make(chan struct{})
	go func() { defer close(done); c.work.Wait() }()
	select {
	case <-done:
	case <-time.After(*stuck):
		stacks := make([]byte, 1<<22)
		c.t.Logf("%s", stacks[:runtime.Stack(stacks, true)])
		c.mu.Lock()
		for _, n := range c.live {
			c.t.Log(n.Describe())
		}
		c.t.Fatalf("%s: stuck\n%s\n%s\n%s", name, c.source, strings.Join(c.restarts, "\n"), c.log.Describe())
	}
	text, found := "", false
	for _, e := range c.ended {
		switch {
		case errors.Is(e.err, errKilled):
		case e.err != nil && !errors.Is(e.err, dist.ErrHalted):
			c.t.Fatalf("%s: node %s: %v\n%s\n%s\n%s", name, e.node, e.err, c.source, strings.Join(c.restarts, "\n"), c.log.Describe())
		case e.err != nil:
			e.text = "halted: " + e.err.Error()
			fallthrough
		default:
			if found && e.text != text {
				c.t.Fatalf("%s: node %s ends with\n%s\nanother with\n%s\n%s", name, e.node, e.text, text, c.source)
			}
			text, found = e.text, true
		}
	}
	if !found { // all were killed: one more continues
		c.ended = nil
		return c.play(name+", again", 1, nil)
	}
	return text
}

// world counts the writes that really happened, by the keys of calls.
type world struct {
	mu     sync.Mutex
	times  map[string]int
	result map[string]json.RawMessage
	pause  func() time.Duration
}

func newWorld(pause func() time.Duration) *world {
	return &world{times: map[string]int{}, result: map[string]json.RawMessage{}, pause: pause}
}

// process is a process that makes calls.
type process struct{ gone bool }

// end ends a process: a call that has not changed the world changes it no more.
func (w *world) end(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.gone = true
}

type order struct {
	Order  int    `json:"order"`
	Region string `json:"region"`
}

func (w *world) tools(t *testing.T, p *process) *tool.Registry {
	call := func(ctx context.Context, write bool, out int) (int, error) {
		time.Sleep(w.pause()) // the world does not heed a context
		text := json.RawMessage(strconv.Itoa(out))
		if write {
			w.mu.Lock()
			if !p.gone {
				w.times[tool.CallID(ctx)]++
				w.result[tool.CallID(ctx)] = text
			}
			w.mu.Unlock()
			time.Sleep(w.pause())
		}
		return out, nil
	}
	pay := func(ctx context.Context, in order) (int, error) {
		if in.Order == 13 {
			return 0, &tool.Error{Code: "unlucky", Message: "thirteen"}
		}
		return call(ctx, true, in.Order*2)
	}
	reg, err := tool.NewRegistry(
		tool.New("pay", "Pays.", pay),
		tool.New("look", "Looks.", func(ctx context.Context, in order) (int, error) {
			return call(ctx, false, in.Order+1)
		}, tool.ReadOnly()),
		tool.New("gate", "Pays, with approval.", pay, tool.NeedsApproval(nil)))
	require.NoError(t, err)
	return reg
}

// settle settles by the state of the world.
func (w *world) settle(ctx context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
	for _, p := range all {
		s := effect.Settlement{ID: p.ID, As: effect.Approve}
		switch p.Kind {
		case effect.PendingQuestion:
			s.As, s.Result = effect.Done, json.RawMessage(`"yes"`)
		case effect.PendingDoubt:
			w.mu.Lock()
			if s.As = effect.Retry; w.times["RUN/"+p.ID] > 0 {
				s.As, s.Result = effect.Done, w.result["RUN/"+p.ID]
			}
			w.mu.Unlock()
		}
		settle = append(settle, s)
	}
	return settle, nil
}
