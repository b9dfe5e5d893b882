// This file defines the part of this node in a run.

package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// part implements serve.Replica.
type part struct {
	share   *Share
	e       serve.Evaluation
	session *member.Session // of the node when it began

	mu    sync.Mutex
	log   *runlog.Log
	node  *dist.Node // of the present evaluation; nil between two
	leads bool
	led   chan struct{} // closed when it leads
	work  []store.Units // of the last evaluation

	// Of tend, which alone uses them.
	free, nothing time.Time // since when there are free units, and nothing to do
	waits         float64   // the part of the evaluations that wait, over some looks

	busy     sync.Mutex // of the fields below; held by a declaration or an offer under way
	offering bool
	offered  bool // the offer may be there: perhaps it was made, although the commit has failed
	declared map[death]bool
	unplaced map[string]time.Time // since when nodes have no place in the run
}

// errNoSession is the error of a run while this node is no member.
var errNoSession = errors.New("share: this node is not a member of the cluster at the moment")

// Run implements serve.Replica.
func (p *part) Run(ctx context.Context, evaluate func(context.Context, *journal.Journal) error) error {
	if p.session == nil {
		return errNoSession
	}
	log, err := p.share.opts.Logs.Log(p.e.Run)
	if err != nil {
		return err
	}
	defer log.Close()
	p.mu.Lock()
	p.log = log
	p.mu.Unlock()
	// The others consider a node without a session dead. Its lead has ended too, and it leaves the runs that it follows.
	defer context.AfterFunc(p.session.Context(), p.e.Leave)()
	for {
		again, err := p.once(ctx, log, evaluate)
		if !again {
			return err
		}
	}
}

// once takes part until the run has ended or was halted. again reports that the run continues after a halt.
func (p *part) once(ctx context.Context, log *runlog.Log,
	evaluate func(context.Context, *journal.Journal) error) (again bool, err error) {
	st := dist.NewState()
	err = lasting(ctx, func() error {
		st = dist.NewState()
		return read(ctx, log, st)
	})
	if err == nil && !st.Begun() {
		err = dist.Create(ctx, log, p.e.Header, p.share.platform(), p.policy())
	}
	switch {
	case err != nil:
		return false, err
	case st.Final():
		return false, journal.ErrFinished
	}
	defer p.share.enter(p)()
	p.mu.Lock()
	follow := !p.leads
	p.mu.Unlock()
	var own error
	err = dist.Run(ctx, dist.Options{Log: log, Node: p.share.self, Key: p.share.opts.Key,
		Platform: p.share.platform(), Session: st.Session(), Follow: follow, Settle: p.e.Settled,
		Grace: p.share.opts.Grace, Idle: p.e.Idle, ParkAlone: true},
		p.name(), p.begun, func(ctx context.Context, j *journal.Journal) error {
			own = evaluate(ctx, j)
			return own
		})
	p.over()
	if errors.Is(err, dist.ErrPlatform) { // a node of another release leads the run
		return p.comesToLead(ctx), err
	}
	var halted *dist.Halted
	if !errors.As(err, &halted) || ctx.Err() != nil {
		return false, err
	}
	bound, derr := diag.Decode(halted.Failure, nil)
	unknown := derr != nil || bound == nil
	if unknown || parks(bound.Code) && !parks(codeOf(own)) {
		// Another leader has halted the run, which continues later. That leader may have lost the lead: then this
		// node handles the pending effects itself.
		return p.comesToLead(ctx), err
	}
	return false, bound
}

// comesToLead leaves the run, and reports whether this node becomes its leader before it has left, which
// ends ctx. After that it can't become the leader of the run.
func (p *part) comesToLead(ctx context.Context) bool {
	p.e.Leave()
	select {
	case <-p.led:
		return true
	case <-ctx.Done():
		return false
	}
}

// readRetry is the time between attempts to read a value that the engine can't return at the moment.
const readRetry = 200 * time.Millisecond

// lasting repeats a read until it succeeds, can't ever, or ctx ends.
func lasting(ctx context.Context, read func() error) error {
	for {
		err := read()
		if err == nil || errors.Is(err, dist.ErrBroken) {
			return err
		}
		select {
		case <-time.After(readRetry):
		case <-ctx.Done():
			return err
		}
	}
}

func parks(c diag.Code) bool { return c == diag.Parked || c == diag.InDoubt }

func codeOf(err error) diag.Code {
	if e := (*diag.Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// policy returns which operations of the run are shared. A program that reaches no tool has elements that only compute:
// sharing them would make them slower.
func (p *part) policy() dist.Policy {
	if p.e.Nodes == 1 || !p.e.Calls {
		return dist.Policy{}
	}
	return dist.Policy{Elements: p.share.opts.From, Unit: p.share.opts.Unit}
}

// platform returns the properties in which the nodes that evaluate a run together must agree.
func (s *Share) platform() string {
	v := s.opts.Members.Self().Versions
	return strings.Join([]string{v.PTC, v.Go, v.Arch}, " ")
}

// name returns the name of this node for the log of a run: with its session and its process.
func (p *part) name() string {
	return fmt.Sprintf("%s@%d@%s", p.share.self, p.session.Incarnation, p.share.opts.Members.Self().Process)
}

// parsed returns the parts of a name.
func parsed(incarnation string) (node string, session int64, process string) {
	words := strings.Split(dist.NodeOf(incarnation), "@")
	if len(words) != 3 {
		return incarnation, 0, ""
	}
	_, _ = fmt.Sscan(words[1], &session)
	return words[0], session, words[2]
}

// begun is called with each evaluation.
func (p *part) begun(n *dist.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.node; before != nil {
		p.share.log.Debug("the evaluation of a run begins again", "run", p.e.Run, "because", before.Why())
	}
	p.node = n
	if p.leads {
		n.Lead()
	}
}

// over keeps the counts of the last evaluation.
func (p *part) over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.node != nil {
		p.node.See(func(st *dist.State) { p.work = unitsOf(st) })
		p.share.log.Debug("the part of this node in a run has ended", "run", p.e.Run, "stats", p.node.Stats())
		p.node = nil
	}
}

// now returns the node of the present evaluation; nil between two.
func (p *part) now() *dist.Node {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.node
}

// Lead implements serve.Replica.
func (p *part) Lead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.leads {
		p.leads = true
		close(p.led)
	}
	if p.node != nil {
		p.node.Lead()
	}
	p.share.wake()
}

// Others implements serve.Replica.
func (p *part) Others() (held, free int) {
	n := p.now()
	if n == nil {
		return 0, 0
	}
	n.See(func(st *dist.State) { held = st.Held(n.Name()) })
	r := n.Remaining()
	return held, r.Free + r.Left
}

// Pending implements serve.Replica.
func (p *part) Pending() []effect.Pending {
	if n := p.now(); n != nil {
		return n.Pending()
	}
	return nil
}

// Units implements serve.Replica.
func (p *part) Units() (all []store.Units) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.node == nil {
		return p.work
	}
	p.node.See(func(st *dist.State) { all = unitsOf(st) })
	return all
}

// unitsOf returns the units that each node has run, by name. Incarnations of the same node count together.
func unitsOf(st *dist.State) []store.Units {
	of := make(map[string]store.Units)
	for name, w := range st.Work() {
		node, _, _ := parsed(name)
		u := of[node]
		of[node] = store.Units{Node: node, Units: u.Units + w.Units, Elements: u.Elements + w.Elements}
	}
	return slices.SortedFunc(maps.Values(of), func(a, b store.Units) int { return cmp.Compare(a.Node, b.Node) })
}

// enter makes a part one that is tended, until leave is called.
func (s *Share) enter(p *part) (leave func()) {
	s.mu.Lock()
	s.parts[p.e.Run] = p
	s.mu.Unlock()
	s.wake()
	return func() {
		s.mu.Lock()
		if s.parts[p.e.Run] == p {
			delete(s.parts, p.e.Run)
		}
		s.mu.Unlock()
		p.busy.Lock() // work under way uses the log
		defer p.busy.Unlock()
		p.withdraw()
	}
}
