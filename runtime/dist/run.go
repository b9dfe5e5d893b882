// This file defines how a process takes part in a run until it has ended.

package dist

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/journal"
)

// Create begins the log of a run. The log is empty, or has the same run.
func Create(ctx context.Context, log Log, h journal.Header, platform string, p Policy) error {
	line, err := journal.HeaderRecord(&h, nil)
	if err != nil {
		return err
	}
	r := &Record{Kind: Begun, Text: platform, Line: line, Elements: max(p.Elements, 0), Size: max(p.Unit, 0),
		Computing: p.Computing}
	return repeated(ctx, log, []Item{{ID: "begun", Data: r.Encode()}})
}

// Declare records that an incarnation is dead. gone reports that no call of it is under way any more.
func Declare(ctx context.Context, log Log, name string, gone bool) error {
	r := &Record{Kind: Dead, Node: name, Gone: gone}
	return repeated(ctx, log, []Item{{ID: fmt.Sprintf("dead-%s-%t", name, gone), Data: r.Encode()}})
}

// repeated appends items until that has succeeded, or ctx ends.
func repeated(ctx context.Context, log Log, items []Item) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		_, err := log.Append(ctx, items)
		if err == nil || errors.Is(err, ErrBroken) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// Halted is the error of a run that a bound has ended, or that was stopped. It may be continued with the next session.
type Halted struct {
	Failure []byte // the error, as JSON; nil if it was stopped
}

func (h *Halted) Error() string { return "dist: the run was halted: " + string(h.Failure) }

// Unwrap returns ErrHalted.
func (h *Halted) Unwrap() error { return ErrHalted }

// maxRestarts is the number of evaluations after which a node stops trying. Restarts are rare; this many are a defect.
const maxRestarts = 500

// maxFailures is the number of evaluations in a row that may end by something which the log knows nothing of, before a
// node stops trying. A follower that comes to a bound before the leader has such an end, and a node that can't evaluate
// the program has no other.
const maxFailures = 10

// errHere is the cause of a restart after such an end.
var errHere = errors.New("the evaluation ended here")

// Run takes part in a run as the node with a name, until the run has ended or ctx does. evaluate runs the program with
// the journal of one incarnation: it is called again when the evaluation has to begin again. started is optional: it is
// called with each incarnation before it evaluates. Run returns nil if the run has ended and evaluate has seen its end;
// then the last call of evaluate has its outcome. The error is a *Halted if the run was halted.
func Run(ctx context.Context, o Options, node string, started func(*Node),
	evaluate func(ctx context.Context, j *journal.Journal) error) error {
	failures := 0
	for tries := 0; ; tries++ {
		o.Name = node + "/" + rand.Text()[:8]
		again, err := once(ctx, &o, started, evaluate)
		if !again {
			return err
		}
		if failures++; !errors.Is(err, errHere) {
			failures = 0
		}
		if tries >= maxRestarts || failures >= maxFailures {
			return fmt.Errorf("dist: node %s has begun its evaluation of the run %d times, the last time because %w", node,
				tries+1, err)
		}
	}
}

// once evaluates the program once. again reports that the evaluation has to begin again, for the reason err. Then
// the next incarnation replaces this one if o has it.
func once(ctx context.Context, o *Options, started func(*Node),
	evaluate func(ctx context.Context, j *journal.Journal) error) (again bool, err error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	n, err := Join(ctx, *o, cancel)
	if err != nil {
		names := []string{o.replaces}
		if ctx.Err() != nil || errors.Is(err, ErrPlatform) { // perhaps it has joined
			names = append(names, o.Name)
		}
		leave(ctx, *o, names...)
		return false, err
	}
	defer n.Close()
	idle(ctx, *o, o.replaces)
	o.replaces = ""
	if started != nil {
		started(n)
	}
	j, err := n.Journal()
	if err != nil {
		leave(ctx, *o, o.Name)
		return false, err
	}
	failed := evaluate(inner, j)
	n.mu.Lock()
	over, why, finished, failure := n.over, n.why, n.finished, n.st.failure
	n.mu.Unlock()
	switch {
	case finished:
		return false, nil
	case errors.Is(over, ErrHalted):
		return false, &Halted{[]byte(failure)}
	case errors.Is(over, ErrPlatform):
		leave(ctx, *o, o.Name)
		return false, over
	case over != nil && !errors.Is(over, ErrRestart):
		return false, over
	}
	if over != nil && ctx.Err() == nil {
		n.written(ctx)
		o.replaces = o.Name
		return true, fmt.Errorf("%w: %s", ErrRestart, why)
	}
	leave(ctx, *o, o.Name)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	// The evaluation has ended here by a bound or a failure of this node. The deciding node finds out what
	// that means for the run.
	if err := n.verdict(ctx); err != nil {
		return false, err
	}
	return true, fmt.Errorf("%w: %w: %w", ErrRestart, errHere, failed)
}

// The times that a node has which leaves. Without its records the others find its death out.
const (
	declareTime = 3 * time.Second  // for the records
	leaveTime   = 10 * time.Second // for its calls to end
)

// leave declares incarnations of this process dead, so that their units are free, and then that their calls have ended.
// The name "" is none.
func leave(ctx context.Context, o Options, names ...string) {
	if declare(ctx, o, false, names...) == nil {
		idle(ctx, o, names...)
	}
}

// declare is Declare for incarnations of this process, although its context may have ended.
func declare(ctx context.Context, o Options, gone bool, names ...string) error {
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), declareTime)
	defer cancel()
	for _, name := range names {
		if name == "" {
			continue
		}
		if err := Declare(out, o.Log, name, gone); err != nil {
			return err
		}
	}
	return nil
}

// idle waits until no call of incarnations of this process that are dead is under way, and records that.
func idle(ctx context.Context, o Options, names ...string) {
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if strings.Join(names, "") != "" && o.Idle != nil && o.Idle(out) == nil {
		_ = declare(ctx, o, true, names...)
	}
}

// written waits until the records of the evaluation are in the log: the ends of its writes are true.
func (n *Node) written(ctx context.Context) {
	out, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.queue) > 0 && n.wait(out) == nil {
		continue
	}
}

// verdict waits until the run has ended, was halted, or has nobody who decides for it.
func (n *Node) verdict(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.st.final == nil {
		if n.st.halts > n.opts.Session {
			return &Halted{[]byte(n.st.failure)}
		}
		if n.st.leader == "" {
			return nil
		}
		if err := n.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}
