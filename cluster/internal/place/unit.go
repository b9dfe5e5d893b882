// This file defines the runs of the queue, and how they are added and removed.

package place

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Job is a run as placement sees it.
type Job struct {
	Run      string          `json:"run"` // its id
	Tenant   string          `json:"tenant,omitempty"`
	By       string          `json:"by,omitempty"` // who submitted it
	Priority effect.Priority `json:"priority,omitzero"`
	Memory   int64           `json:"memory,omitempty"` // the bound of all that it may hold, in bytes
	// Tools are the tools that it may call, and other capabilities that it needs. Only nodes with all of them take it.
	Tools []string `json:"tools,omitempty"`
	// Region is where it prefers to run. If Strict is set, only nodes of the region take it.
	Region string `json:"region,omitempty"`
	Strict bool   `json:"strict,omitempty"`
	// Affinity names something that is better used by one node, such as a host with connections: runs with the same
	// affinity prefer the same node.
	Affinity string `json:"affinity,omitempty"`
	// Labels are the labels that a node must have.
	Labels map[string]string `json:"labels,omitempty"`
	// Deadline is the time in which it must have ended; 0 for none. Delay is the time before which it does not start.
	Deadline time.Duration `json:"-"`
	Delay    time.Duration `json:"-"`
}

// together reports whether two jobs have the same submitter and lane: such runs share turns.
func (j *Job) together(o *Job) bool {
	return j.By == o.By && j.Tenant == o.Tenant && j.Priority == o.Priority
}

// Unit is a job in the queue, as the engine has it.
type Unit struct {
	Job
	Turn   int64  `json:"turn"`             // of its submitter
	Prefer string `json:"prefer,omitempty"` // a node
	Within string `json:"within,omitempty"` // the region whose nodes may take it, with the topology Hierarchical
	// Until and From are the deadline and the end of the delay as times of the clock of the cluster; 0 for none.
	Until time.Duration `json:"until,omitempty"`
	From  time.Duration `json:"from,omitempty"`
	// Leader is the node that leads it, and Incarnation that of its session; "" if it has waited since it was added.
	Leader      string          `json:"leader,omitempty"`
	Incarnation engine.Revision `json:"incarnation,omitempty"`
	Attempts    int             `json:"attempts,omitempty"` // times that it was taken
	// Reason is why it waits again.
	Reason string `json:"reason,omitempty"`
}

// unit is a Unit with the observations of this node. Only seen is ever changed.
type unit struct {
	Unit
	created, modified engine.Revision
	seen              time.Time // of its preference, by the monotonic clock of this node
}

// The keys of a queue.
const (
	prefix   = "place/"
	keyUnit  = prefix + "run/"  // RUN: a Unit
	keyClock = prefix + "clock" // the clock of the cluster, in milliseconds
	// keyTenant, with a tenant whose runs are bounded, has the node that has started the last one.
	keyTenant = prefix + "tenant/"
	keyLead   = "lead/" // RUN, bound to the lease of its leader: the name of the node
)

// Leading is the condition that the leadership of a run with a fence has not ended.
func Leading(run string, fence engine.Revision) engine.Condition {
	return engine.CreatedAt(keyLead+run, fence)
}

// encode returns the JSON of a unit.
func encode(u *Unit) []byte {
	b, err := json.Marshal(u)
	if err != nil { // it has JSON
		panic(fmt.Sprintf("place: a unit has no JSON: %v", err))
	}
	return b
}

// Add adds a run, which is durable when Add returns. A run that is already in the queue stays unchanged,
// except that a j without a delay ends its delay. If the error leaves open whether it was added, Add may be
// called again.
func (q *Queue) Add(ctx context.Context, j Job) error {
	if j.Run == "" || !j.Priority.Valid() || j.Deadline < 0 || j.Delay < 0 {
		return fmt.Errorf("place: got the run %.100q with the priority %d, the deadline %s and the delay %s: want an id, "+
			"one of %v, and no negative times", j.Run, j.Priority, j.Deadline, j.Delay, effect.Priorities)
	}
	select {
	case <-q.ready:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	u := q.unit(j)
	q.mu.Lock()
	q.adding[u.Prefer]++
	q.mu.Unlock()
	res, err := q.apply(ctx, []engine.Condition{engine.Absent(keyUnit + j.Run)}, engine.Put(keyUnit+j.Run, encode(&u)))
	if err == nil && !res.Done && j.Delay == 0 {
		err = q.wake(ctx, j.Run, res.Found[0])
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.adding[u.Prefer]--; q.adding[u.Prefer] == 0 {
		delete(q.adding, u.Prefer)
	}
	if err == nil && res.Done {
		q.stats.Added++
		if res.Revision > q.revision {
			come := &unit{Unit: u, modified: res.Revision}
			q.coming[j.Run] = come
			q.use(come, 1)
		}
	}
	return err
}

// wake ends the delay of a run that waits.
func (q *Queue) wake(ctx context.Context, run string, e engine.Entry) error {
	for {
		var u Unit
		if err := json.Unmarshal(e.Value, &u); err != nil {
			return fmt.Errorf("place: the run %s can't be read: %w", run, err)
		}
		if u.From == 0 || u.Leader != "" {
			return nil
		}
		u.From = 0
		res, err := q.apply(ctx, []engine.Condition{engine.At(keyUnit+run, e.Modified)}, engine.Put(keyUnit+run, encode(&u)))
		if err != nil || res.Done || res.Found[0].Created == 0 {
			return err
		}
		e = res.Found[0]
	}
}

// unit returns the unit of a job.
func (q *Queue) unit(j Job) Unit {
	nodes := q.members.Nodes()
	q.mu.Lock()
	defer q.mu.Unlock()
	u := Unit{Job: j, Turn: q.turn(&j)}
	if j.Deadline > 0 {
		u.Until = q.clock + j.Deadline + clockTick // the clock may be about to be raised
	}
	if j.Delay > 0 {
		u.From = q.clock + j.Delay
	}
	q.assign(&u, nodes)
	return u
}

// turn returns the turn of a further run of a submitter: the turn after its last one, but not before the
// turns that are taken now. The caller holds the lock.
func (q *Queue) turn(j *Job) int64 {
	turn := q.served
	for _, u := range q.units {
		if u.Leader == "" && u.together(j) {
			turn = max(turn, u.Turn+1)
		}
	}
	return turn
}

// Remove removes a run that waits, and reports whether it did. The error is ErrLed for a run that a node leads.
func (q *Queue) Remove(ctx context.Context, run string) (bool, error) {
	for {
		e, ok, err := q.engine.Get(ctx, keyUnit+run)
		if err != nil || !ok {
			return false, err
		}
		res, err := q.apply(ctx, []engine.Condition{engine.Absent(keyLead + run), engine.At(keyUnit+run, e.Modified)},
			engine.Delete(keyUnit+run))
		if err != nil || res.Done {
			return err == nil, err
		}
		if lead := res.Found[0]; lead.Created != 0 {
			return false, fmt.Errorf("%w: %s, by %.100q", ErrLed, run, lead.Value)
		}
	}
}

// Leader returns the node that leads a run, and false if none does or the run is not in the queue.
func (q *Queue) Leader(run string) (node string, ok bool) {
	q.mu.Lock()
	u := q.units[run]
	q.mu.Unlock()
	if u == nil || !q.isLed(u) {
		return "", false
	}
	return u.Leader, true
}

// Units returns the runs of the queue, in no order.
func (q *Queue) Units() []Unit {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]Unit, 0, len(q.units))
	for _, u := range q.units {
		all = append(all, u.Unit)
	}
	return all
}

// isLed reports whether a node leads a unit. A leader whose session has ended does not.
func (q *Queue) isLed(u *unit) bool {
	return u.Leader != "" && !q.members.Ended(u.Leader, u.Incarnation)
}
