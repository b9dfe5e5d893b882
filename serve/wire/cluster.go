// This file defines the status of a cluster, and the requests that change it.

package wire

import "time"

// Cluster is the state of a cluster, as one of its nodes knows it.
type Cluster struct {
	ID      string          `json:"id"`
	Node    string          `json:"node" doc:"The node that answers."`
	Reach   string          `json:"reach" enum:"majority,minority,isolated" doc:"How many of the voters it reaches."`
	Members []ClusterMember `json:"members"`
	Engine  ClusterEngine   `json:"engine"`
	Duties  []ClusterDuty   `json:"duties"`
	Waiting int             `json:"waiting" doc:"Runs that wait for a node."`
	// Warnings are problems that need an operator, each in one sentence or two.
	Warnings []string `json:"warnings,omitempty" doc:"What an operator should do something about."`
}

// ClusterMember is a node of a cluster.
type ClusterMember struct {
	Name   string `json:"name"`
	Role   string `json:"role" enum:"voter,witness,worker"`
	Region string `json:"region,omitempty"`
	// State is joining until the node is seen, and suspect while it lives and its heartbeats fail.
	State string `json:"state" enum:"joining,alive,suspect,dead,left" doc:"suspect: its heartbeats fail."`
	// Engine is the state of its member of the engine: it votes, copies (it has all data, and no vote), joins
	// (it copies the data, and votes then), is down (it does not answer), or there is none.
	Engine   string `json:"engine" enum:"votes,copies,joins,down,none" doc:"What its member of the engine does."`
	Draining bool   `json:"draining,omitempty" doc:"It takes no runs, and hands over those that it leads."`
	Admits   bool   `json:"admits,omitempty" doc:"It has the key of the authority: nodes join through it."`
	Address  string `json:"address" doc:"For the other nodes, and for nodes that join."`
	API      string `json:"api,omitempty" doc:"For clients."`
	PTC      string `json:"ptc,omitempty" doc:"Its version of PTC."`
	Go       string `json:"go,omitempty"`
	Arch     string `json:"arch,omitempty"`
	// Problem is why it and the node that answers can't run replicas of one run.
	Problem string `json:"problem,omitempty" doc:"Why it and the node that answers can't run replicas of one run."`
	Runs    int    `json:"runs" doc:"Runs that it leads."`
	Waiting int    `json:"waiting" doc:"Runs that wait and prefer it."`
	Missed  int    `json:"missed,omitempty" doc:"Heartbeats in a row that have failed."`

	Load        float64 `json:"load" doc:"Its score, 0 to 1."`
	CPU         float64 `json:"cpu" doc:"0 to 1 of its processors."`
	Memory      float64 `json:"memory" doc:"0 to 1 of its memory."`
	Connections int     `json:"connections" doc:"Calls to hosts under way."`
	Capacity    int     `json:"capacity,omitempty" doc:"The most connections that it should have."`
}

// ClusterEngine is the engine of a cluster, which keeps its data.
type ClusterEngine struct {
	Leader   string         `json:"leader,omitempty" doc:"The node whose member leads; none while there is no majority."`
	Term     uint64         `json:"term"`
	Revision int64          `json:"revision"`
	Bytes    int64          `json:"bytes" doc:"The size of the database."`
	Quota    int64          `json:"quota" doc:"The size at which it takes no further writes."`
	Votes    int            `json:"votes" doc:"Members that vote."`
	Running  int            `json:"running" doc:"Members that vote and answer."`
	Alarms   []ClusterAlarm `json:"alarms,omitempty"`
}

// ClusterAlarm is a state of the engine in which it takes no writes.
type ClusterAlarm struct {
	Alarm  string `json:"alarm" doc:"Such as corrupt on node2."`
	Repair string `json:"repair" doc:"What to do."`
}

// ClusterDuty is a task that one node does for all.
type ClusterDuty struct {
	Duty string `json:"duty"`
	Node string `json:"node,omitempty" doc:"The node that has it; none during an election."`
	Does string `json:"does"`
}

// NewJoin is a node that is to join a cluster.
type NewJoin struct {
	Node     string   `json:"node" doc:"Its name." example:"node4"`
	Role     string   `json:"role,omitempty" enum:"voter,witness,worker" doc:"worker by default."`
	Hosts    []string `json:"hosts,omitempty" maxItems:"20" doc:"Of its certificate; 127.0.0.1 and localhost by default."`
	Replaces bool     `json:"replaces,omitempty" doc:"It takes the place of the node of its name, which is dead."`
	Lifetime string   `json:"lifetime,omitempty" example:"2h" doc:"Of the token; 1h by default, at most 168h."`
}

// Join is a token with which a node joins, once.
type Join struct {
	Node  string    `json:"node"`
	Role  string    `json:"role"`
	Token string    `json:"token" doc:"Who has it can join: keep it secret."`
	Ends  time.Time `json:"ends"`
	At    []string  `json:"at" doc:"The addresses at which it can be used."`
}

// StepDown names a duty.
type StepDown struct {
	Duty string `json:"duty" doc:"One of the duties of the cluster." example:"engine"`
}

// Drained has whether a node drains.
type Drained struct {
	Draining bool `json:"draining"`
}

// Rebalanced is the answer when queued runs were moved.
type Rebalanced struct {
	Moved int `json:"moved" doc:"Queued runs that prefer another node now."`
}
