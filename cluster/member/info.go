// This file defines the descriptions of nodes, and their states as others know them.

package member

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/load"
)

// Info is a node's description of itself. It does not change during an incarnation.
type Info struct {
	Name    string            `json:"name"`
	Address string            `json:"address,omitempty"` // of its API, for people and for the other nodes
	Region  string            `json:"region,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	// Tools are its capabilities: the names of the tools that it grants, sorted.
	Tools []string `json:"tools,omitempty"`
	// Reaches are digests of the systems that the tools reach, by their names: nodes with different ones grant other
	// things under one name. A tool without one reaches the same everywhere.
	Reaches map[string]string `json:"reaches,omitempty"`
	// Capacity is the maximum number of connections that it should have, and Memory the maximum number of
	// bytes of all its runs.
	Capacity int   `json:"capacity,omitempty"`
	Memory   int64 `json:"memory,omitempty"`
	// Process names the process of the node: all calls of another one have ended.
	Process string `json:"process,omitempty"`
	// Witness is a node that only votes: it runs nothing and has no duties.
	Witness bool `json:"witness,omitempty"`
	// Worker is a node without a vote: it runs runs, and does not count for a majority.
	Worker bool `json:"worker,omitempty"`
	// Keys are the names of the master keys with which it can read data.
	Keys []string `json:"keys,omitempty"`
	// Admits is set if nodes join through this one.
	Admits   bool     `json:"admits,omitempty"`
	Versions Versions `json:"versions"`
}

// Versions must be equal for two nodes to run replicas of one run: sizes of objects follow Go's allocator, and
// floating point the architecture.
type Versions struct {
	PTC      string `json:"ptc"`
	Go       string `json:"go"`
	Arch     string `json:"arch"`     // GOARCH
	Protocol int    `json:"protocol"` // between nodes
}

// Differs returns why two nodes can't run replicas of one run, in words; "" if they can.
func (v Versions) Differs(o Versions) string {
	var all []string
	for _, f := range []struct{ name, own, other string }{{"PTC", v.PTC, o.PTC}, {"Go", v.Go, o.Go},
		{"architecture", v.Arch, o.Arch}, {"protocol", fmt.Sprint(v.Protocol), fmt.Sprint(o.Protocol)}} {
		if f.own != f.other {
			all = append(all, fmt.Sprintf("%s %.50q instead of %.50q", f.name, f.other, f.own))
		}
	}
	return strings.Join(all, ", ")
}

// State is the state of a node as the others see it.
type State string

// The states of a node.
const (
	Alive   State = "alive"
	Suspect State = "suspect" // its lease is held, and its heartbeats fail
	Dead    State = "dead"    // its last incarnation has ended
	Left    State = "left"    // it has left in order, and is no member any more
)

// Node is the state of a member as a node knows it.
type Node struct {
	Info
	// Incarnation is a number that grows with each session of the node; 0 while it has none.
	Incarnation engine.Revision `json:"incarnation,omitempty"`
	State       State           `json:"state"`
	Draining    bool            `json:"draining,omitempty"`
	Self        bool            `json:"self,omitempty"` // it is the node that says so
	Missed      int             `json:"missed,omitempty"`
	Load        load.Load       `json:"load"`
	// Problem is the reason why this node and the member can't run replicas of each other's runs; "" if they can.
	Problem string `json:"problem,omitempty"`
}

// Usable reports whether the node may be given work.
func (n *Node) Usable() bool { return n.State == Alive && !n.Draining && !n.Witness }

// Missing returns the tools of a list that the node does not grant.
func (n *Info) Missing(tools []string) []string {
	var missing []string
	for _, name := range tools {
		if _, ok := slices.BinarySearch(n.Tools, name); !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

// Differing returns the tools of a list that reach something else on another node.
func (n *Info) Differing(tools []string, reaches map[string]string) (differing []string) {
	for _, name := range tools {
		if n.Reaches[name] != reaches[name] {
			differing = append(differing, name)
		}
	}
	return differing
}

// Replicas returns the nodes that can run replicas of the runs of this one, and for each other one that lives why not.
func (c *Cluster) Replicas() (can []Node, refused map[string]string) {
	refused = make(map[string]string)
	for _, n := range c.Nodes() {
		switch {
		case n.Self || n.State == Dead || n.State == Left:
		case n.Witness:
			refused[n.Name] = "it is a witness"
		case n.Problem != "":
			refused[n.Name] = "it has " + n.Problem
		default:
			can = append(can, n)
		}
	}
	return can, refused
}

// The keys of the members.
const (
	prefix    = "node/"
	keyInfo   = prefix + "info/"   // NAME: its record
	keyAlive  = prefix + "alive/"  // NAME, bound to the lease of its session: its Info
	keyDrain  = prefix + "drain/"  // NAME: it is draining
	keyDuty   = prefix + "duty/"   // DUTY, bound to the lease of its holder: a Holder
	keyResign = prefix + "resign/" // DUTY: the fence of a holder that is to give it back
)

// record is the stored state of a member.
type record struct {
	Info
	Left bool `json:"left,omitempty"`
}

// encode returns the JSON of a value that has one.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("member: %T has no JSON: %v", v, err))
	}
	return b
}
