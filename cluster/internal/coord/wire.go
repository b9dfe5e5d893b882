// This file defines the messages between the nodes and the coordinator. They are JSON, and API between the nodes of one
// version.

package coord

import (
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// The methods that each node answers. Those of a node that is not the coordinator fail with codeNotCoordinator.
const (
	methodHello = "coord/hello" // begins a session
	methodOps   = "coord/ops"   // a batch of operations of a session
	methodPoll  = "coord/poll"  // waits for events of a session
	methodBye   = "coord/bye"   // ends a session
	methodList  = "coord/list"  // lists holders and waiters
	methodLocal = "coord/local" // lists the executions that wait for the bounds of tools on one node; each node answers it
)

// The codes of the refusals.
const (
	codeNotCoordinator = "not-coordinator"
	codeNoSession      = "no-session"
	codeBadRequest     = "bad-request"
)

// hello begins a session of a node, which ends the previous one of the same incarnation.
type hello struct {
	Term        uint64 `json:"term"`
	Session     string `json:"session"`
	Incarnation string `json:"incarnation"`
	// Clock is the least that the clock of the cluster can show now; 0 if the node does not know.
	Clock time.Duration `json:"clock,omitempty"`
}

// welcome is the answer to a hello.
type welcome struct {
	Lease time.Duration `json:"lease"`
	Clock time.Duration `json:"clock"` // of the cluster, now
	// Over reports whether the time is over in which guards can be asserted again: all that an earlier session of the
	// node has held is lost.
	Over bool `json:"over,omitempty"`
}

// batch is operations of a session. Batches are numbered from 1, and one that was handled before is not handled again.
type batch struct {
	Term    uint64 `json:"term"`
	Session string `json:"session"`
	Number  uint64 `json:"number"` // 0 in a poll, which has no operations
	Ack     uint64 `json:"ack"`    // the last event that the node has seen
	Ops     []op   `json:"ops,omitempty"`
}

// maxBatch is the number of operations of a batch, which keeps it below peer.MaxMessage: names have up to 1,024 bytes
// and paths up to 4,096, most of them far below that.
const maxBatch = 128

// maxBatchBytes bounds the names in a batch and the events in an answer, both of which have at least one.
const maxBatchBytes = 1 << 20

// opKind is the kind of an operation.
type opKind string

// The kinds of operations.
const (
	opAcquire  opKind = "acquire"  // take guards
	opHold     opKind = "hold"     // assert guards again that are held
	opRelease  opKind = "release"  // release guards, or leave the queue
	opAbandon  opKind = "abandon"  // the owner no longer waits for the call that holds guards
	opPause    opKind = "pause"    // stop a rate limit
	opSlow     opKind = "slow"     // slow a rate limit
	opAdmit    opKind = "admit"    // count a call for the policies
	opStart    opKind = "start"    // wait in a queue
	opActive   opKind = "active"   // assert an execution again that is under way
	opLeave    opKind = "leave"    // end an execution
	opIdle     opKind = "idle"     // how long the run of an execution has been idle since it began to wait
	opAsserted opKind = "asserted" // all that was held or waited for in the session before is asserted
)

// op is an operation. Its fields depend on the kind.
type op struct {
	Kind   opKind `json:"op"`
	ID     uint64 `json:"id,omitempty"`     // of the request, chosen by the node
	Number uint64 `json:"number,omitempty"` // of its arrival, if an earlier coordinator has given one

	Hint   effect.Hint   `json:"hint,omitzero"`
	Host   string        `json:"host,omitempty"`
	Owner  []link        `json:"owner,omitempty"` // with those above it, the outermost first
	Tool   string        `json:"tool,omitempty"`
	Effect string        `json:"effect,omitempty"`
	Rests  bool          `json:"rests,omitempty"` // the node wants events when it rests and wakes
	Left   time.Duration `json:"left,omitempty"`  // until the deadline; 0 for none
	Fence  uint64        `json:"fence,omitempty"`
	Call   string        `json:"call,omitempty"` // the name of an abandoned call

	Key       string        `json:"key,omitempty"`
	For       time.Duration `json:"for,omitempty"`
	PerSecond float64       `json:"per_second,omitempty"`

	Action    string            `json:"action,omitempty"`
	Execution *effect.Execution `json:"execution,omitempty"`
	How       effect.Ending     `json:"how,omitempty"`
}

// size returns about how many bytes an operation takes.
func (o *op) size() int {
	n := 200 + len(o.Hint.Key) + len(o.Host) + len(o.Tool) + len(o.Effect) + len(o.Call) + len(o.Key) + len(o.Action)
	for _, l := range o.Owner {
		n += 40 + len(l.Run) + len(l.Path)
	}
	if e := o.Execution; e != nil {
		n += len(e.Name) + len(e.Run) + len(e.ID) + len(e.Host)
	}
	return n
}

// link is an evaluation in the chain of an owner.
type link struct {
	ID   uint64 `json:"id"` // unique on its node
	Run  string `json:"run,omitempty"`
	Path string `json:"path"`
}

// eventKind is the kind of an event.
type eventKind string

// The kinds of events.
const (
	eventWaits   eventKind = "waits"   // a request has begun to wait
	eventGranted eventKind = "granted" // it is over, with success
	eventRefused eventKind = "refused" // it is over, with an error
	eventLost    eventKind = "lost"    // guards that were asserted again are not held
	eventRest    eventKind = "rest"    // the evaluation waits for another one of its run
	eventWake    eventKind = "wake"    // it no longer does
)

// event is a change of the state of a request.
type event struct {
	Kind   eventKind       `json:"event"`
	ID     uint64          `json:"id"`
	Number uint64          `json:"number,omitempty"` // of the request's arrival
	Fence  uint64          `json:"fence,omitempty"`
	Wait   effect.WaitKind `json:"wait,omitempty"`
	Key    string          `json:"key,omitempty"`
	Ahead  int             `json:"ahead,omitempty"`
	Holder string          `json:"holder,omitempty"`
	Error  *fault          `json:"error,omitempty"`
}

// size returns about how many bytes an event takes.
func (e *event) size() int {
	n := 150 + len(e.Key) + len(e.Holder)
	if e.Error != nil {
		n += len(e.Error.Body)
	}
	return n
}

// events are the events of a session after the one that the node has seen.
type events struct {
	First  uint64        `json:"first"` // the number of the first one
	Events []event       `json:"events,omitempty"`
	Clock  time.Duration `json:"clock"`
}

// listing asks for the holders and the waiters: the coordinator, or one node for its own queues.
type listing struct {
	Most   int    `json:"most"`
	Action string `json:"action,omitempty"` // whose executions; "" for the guards and all queues
	After  string `json:"after,omitempty"`
	// Cancel and Clear cancel a waiting execution of the action, or all.
	Cancel string `json:"cancel,omitempty"`
	Clear  bool   `json:"clear,omitempty"`
}

// listed is the answer to a listing.
type listed struct {
	Guards    *guard.Stats    `json:"guards,omitempty"`
	Queues    []queue.Stats   `json:"queues,omitempty"`
	Waiters   []effect.Waiter `json:"waiters,omitempty"` // of the queues
	Page      *queue.Page     `json:"page,omitempty"`
	Cancelled int             `json:"cancelled,omitempty"`
	Nodes     []NodeState     `json:"nodes,omitempty"`
}
