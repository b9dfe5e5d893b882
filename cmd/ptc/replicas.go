// This file defines ptc run --replicas: one run that several replicas in this process execute.

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// maxReplicas is the most replicas of a run: each evaluates the whole program.
const maxReplicas = 16

// replicas are those of a run. The first one is the one whose output is shown.
type replicas struct {
	log    *dist.Memory
	key    journal.Key
	file   *os.File // of the journal; nil without one
	nodes  []replica
	asking sync.Mutex // held while the person at the terminal is asked
}

// replica is one of the replicas of a run. Its goroutine has it until it has ended.
type replica struct {
	stats dist.Stats
	begun int // evaluations
	res   *ptc.Result
	err   error // of the last evaluation
	ended error // how its part in the run has ended
}

// checkReplicas refuses flags that do not go together.
func (f *execution) checkReplicas() error {
	switch {
	case f.replicas == 0:
	case f.dryRun:
		return errors.New("--replicas and --dry-run exclude each other: a dry run has no log that replicas could share")
	case f.profile != "":
		return errors.New("--replicas and --profile exclude each other: a profile has the elements of one evaluation")
	}
	return nil
}

// replicate prepares the log that the replicas of a run share.
func (f *execution) replicate(ctx context.Context, name, source string, data map[string]any) (r *replicas, err error) {
	h := journal.Header{Run: rand.Text(), Program: name, Source: source, Seed: f.seed}
	for h.Seed == 0 {
		h.Seed = mathrand.Uint64()
	}
	if h.Data, err = json.Marshal(data); err != nil {
		return nil, fmt.Errorf("the input can't be written to the log: %w", err)
	}
	if h.Options, err = json.Marshal(f.recorded(name)); err != nil {
		return nil, err
	}
	r = &replicas{log: dist.NewMemory(dist.Faults{}), nodes: make([]replica, f.replicas),
		key: make(journal.Key, journal.KeyBytes)}
	rand.Read(r.key)
	if f.journalFile != "" {
		if r.key, err = f.makeKey(); err != nil {
			return nil, err
		}
		// Before the run, whose journal would be lost for a wrong path.
		r.file, err = os.OpenFile(f.journalFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, existing(f.journalFile, err)
		}
	}
	return r, dist.Create(ctx, r.log, h, platform(), dist.Policy{Elements: dist.DefaultElements})
}

// platform returns the properties that the replicas of a run must share; here they are one process.
func platform() string { return runtime.Version() + " " + runtime.GOARCH }

// share has the replicas use the same guards and queues.
func (r *replicas) share(opts *ptc.Options) error {
	opts.Guards = guard.NewSet(guard.Options{})
	if opts.Queue != nil {
		return nil
	}
	q, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
	opts.Queue = q
	return err
}

// run runs a program, and returns the outcome that all replicas have.
func (r *replicas) run(ctx context.Context, prog *ptc.Program, given ptc.RunOptions) (*ptc.Result, error) {
	if decide := given.OnPending; decide != nil {
		given.OnPending = func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
			r.asking.Lock()
			defer r.asking.Unlock()
			if ctx.Err() != nil { // it was settled in the meantime
				return nil, nil
			}
			return decide(ctx, all)
		}
	}
	var work sync.WaitGroup
	for i := range r.nodes {
		own := given
		if i > 0 {
			own.Output, own.Progress, own.Pending, own.Observer = func(ptc.Print) {}, nil, nil, nil
		}
		if given.Log != nil {
			own.Log = given.Log.With("replica", i+1)
		}
		work.Go(func() { r.nodes[i].run(ctx, r, strconv.Itoa(i+1), prog, own) })
	}
	work.Wait()
	return r.outcome()
}

// run is the part of a replica in the run.
func (n *replica) run(ctx context.Context, r *replicas, name string, prog *ptc.Program, given ptc.RunOptions) {
	var nodes []*dist.Node
	o := dist.Options{Log: r.log, Node: "replica " + name, Key: r.key, Platform: platform(),
		Lease: time.Hour} // nobody is held for dead by mistake
	out, shown := given.Output, 0
	n.ended = dist.Run(ctx, o, name, func(node *dist.Node) { nodes = append(nodes, node) },
		func(ctx context.Context, j *journal.Journal) error {
			given := given
			given.Journal = j
			if out != nil { // an evaluation that begins again prints the same
				before := shown
				given.Output = func(p ptc.Print) {
					whole := len(p.Text)
					if skip := min(before, whole); skip > 0 {
						before, p.Text = before-skip, p.Text[skip:]
					}
					if p.Text != "" {
						shown += len(p.Text)
						out(p)
					}
				}
			}
			n.begun++
			n.res, n.err = prog.Run(ctx, given)
			return n.err
		})
	for _, node := range nodes {
		n.stats.Add(node.Stats())
	}
}

// outcome returns how the run has ended. After its end by a bound that is how it has ended for the replica that decided
// for it: the others have stopped.
func (r *replicas) outcome() (*ptc.Result, error) {
	first := &r.nodes[0]
	var halted *dist.Halted
	bound := errors.As(first.ended, &halted)
	switch {
	case first.ended == nil, !bound && first.res != nil && first.err != nil:
		return first.res, first.err
	case !bound:
		return &ptc.Result{}, first.ended
	}
	stopped := func(n replica) bool {
		var e *ptc.Error
		return errors.As(n.err, &e) && e.Code != diag.Cancelled && e.Code != diag.JournalFailed
	}
	if i := slices.IndexFunc(r.nodes, stopped); i >= 0 {
		return r.nodes[i].res, r.nodes[i].err
	}
	e, err := diag.Decode(halted.Failure, nil)
	if err != nil || e == nil {
		return &ptc.Result{}, halted
	}
	return &ptc.Result{}, e
}

// record writes the journal of the run, and closes it.
func (r *replicas) record() error {
	if r.file == nil {
		return nil
	}
	err := errors.Join(dist.Export(r.file, r.log.Records(), r.key), r.file.Sync(), r.file.Close())
	if err == nil {
		return nil
	}
	return effect.RunError(fmt.Errorf("the journal %s can't be written: %w", r.file.Name(), files.Plain(err)))
}

// tellStats writes the counts of each replica.
func (r *replicas) tellStats(w io.Writer) {
	for i := range r.nodes {
		s := &r.nodes[i].stats
		fmt.Fprintf(w, "replica %d: units %d, elements run %d, taken from others %d, run again %d, followed %d, records %d, "+
			"evaluations %d\n", i+1, s.Claims-s.Lost, s.Ran, s.Taken, s.Repeated, s.Followed, s.Records, r.nodes[i].begun)
	}
	fmt.Fprintf(w, "log: records %d, %s\n", r.log.Len(), diag.Counted(r.log.Bytes(), "byte"))
}
