// Package load measures the load of a node of a cluster, and decides how the node reacts to it.
//
//   - Load: the load of a node, with its score. Nodes send it to each other with their heartbeats.
//   - Meter: the processor and the memory that this process, or its control group, takes over a window of time.
//   - Gate: whether the node takes further runs, and whether it hands queued ones back.
package load

import (
	"fmt"
	"time"
)

// Load is the load of a node, as the node reports it.
type Load struct {
	Runs        int           `json:"runs"`              // that it leads
	Connections int           `json:"connections"`       // calls and sessions to hosts under way
	Capacity    int           `json:"capacity"`          // the most connections that it should have
	CPU         float64       `json:"cpu"`               // 0 to 1 of the processors that it may use
	Memory      float64       `json:"memory"`            // 0 to 1 of the memory that it may use
	Queue       int           `json:"queue"`             // runs that wait and prefer this node
	Latency     time.Duration `json:"latency,omitempty"` // of a call, on average
}

// The weights of the parts of a score, and the length of a queue that counts as full.
const (
	weightConnections = 0.4
	weightCPU         = 0.2
	weightMemory      = 0.2
	weightQueue       = 0.2
	fullQueue         = 100
)

// Score returns the load as a number from 0 to 1: 0.4 of the connections, and 0.2 each of the processor, the memory and
// the queue. A node without capacity counts as full of connections.
func (l Load) Score() float64 {
	connections := 1.0
	if l.Capacity > 0 {
		connections = part(float64(l.Connections) / float64(l.Capacity))
	}
	return connections*weightConnections + part(l.CPU)*weightCPU + part(l.Memory)*weightMemory +
		part(float64(l.Queue)/fullQueue)*weightQueue
}

// part returns a number as a part of 1. A number that is none, as of a hostile node, counts as 1.
func part(x float64) float64 {
	if x < 0 {
		return 0
	}
	if x <= 1 {
		return x
	}
	return 1
}

// Thresholds are the loads above which a node takes no further runs, or hands queued ones back. A field of 0 is the
// default.
type Thresholds struct {
	CPU    float64 // of Load.CPU: no further runs; 0.8
	Memory float64 // of Load.Memory: queued runs are handed back; 0.85
	Queue  int     // of Load.Queue: queued runs are handed back; 50
}

// The defaults of Thresholds.
const (
	DefaultCPU    = 0.8
	DefaultMemory = 0.85
	DefaultQueue  = 50
)

// slack is the fraction of a threshold by which a load must fall below it before the gate opens again. A
// load that swings around a threshold would otherwise open and close the gate with each heartbeat.
const slack = 0.1

// Gate decides from the loads of a node, one after the other. It is not safe for concurrent use.
type Gate struct {
	Thresholds          Thresholds
	cpu, memory, queued bool // over their thresholds
}

// Decision is the reaction of a node to its load.
type Decision struct {
	Pull     bool   // it takes further runs
	HandBack bool   // the queued runs that prefer it are given to others
	Why      string // the thresholds that are exceeded; "" if none is
}

// Decide returns the decision for the latest load.
func (g *Gate) Decide(l Load) Decision {
	cpu, memory, queue := or(g.Thresholds.CPU, DefaultCPU), or(g.Thresholds.Memory, DefaultMemory),
		or(float64(g.Thresholds.Queue), DefaultQueue)
	g.cpu = over(g.cpu, l.CPU, cpu)
	g.memory = over(g.memory, l.Memory, memory)
	g.queued = over(g.queued, float64(l.Queue), queue)
	var why string
	add := func(is bool, format string, args ...any) {
		if !is {
			return
		}
		if why != "" {
			why += ", "
		}
		why += fmt.Sprintf(format, args...)
	}
	add(g.cpu, "processor %.0f %%, want below %.0f %%", 100*l.CPU, 100*cpu)
	add(g.memory, "memory %.0f %%, want below %.0f %%", 100*l.Memory, 100*memory)
	add(g.queued, "%d runs wait, want fewer than %.0f", l.Queue, queue)
	return Decision{Pull: !g.cpu && !g.memory, HandBack: g.memory || g.queued, Why: why}
}

// over reports whether a load is over a threshold, or was and has not fallen enough.
func over(was bool, l, threshold float64) bool {
	if was {
		return !(l < threshold*(1-slack))
	}
	return l > threshold
}

func or(x, otherwise float64) float64 {
	if x > 0 {
		return x
	}
	return otherwise
}
