// Package config reads the section cluster of the file of settings of a node.
//
//   - Config: the settings, with their defaults. Read enters a section, and returns all Problems.
//   - Keys, ControllerKeys: the allowed keys, with documentation, as data. docs/cluster-config.md lists them.
//
// The names and units of the keys follow the conventions of similar clusters: times are in milliseconds
// if the name ends in _ms.
package config

import (
	"slices"
	"time"
)

// Config is the settings of a node, and of its cluster. They are the same for all nodes of a cluster,
// except Node and the settings that are documented as belonging to one node.
type Config struct {
	Enabled      bool
	ClusterID    string
	Node         string // the name of this node
	Join         bool   // this node was added to a cluster that ran
	Dir          string // "": a folder of the directory of the service
	Topology     string // ActiveActive, ActivePassive or Hierarchical
	Region       string // "": the region of the controller
	Listen       string // "": the address of the controller
	ListenEngine string // "": its engine address
	Capacity     int    // connections
	Capabilities []string
	Controllers  []Controller

	Raft        Raft
	Membership  Membership
	Network     Network
	Work        Work
	Balance     Balance
	Sync        Sync
	Regions     Regions
	MTLS        MTLS
	Encryption  Encryption
	Connections Connections
	Failures    Failures
	Storage     Storage
}

// Controller is a node of the cluster as the others know it.
type Controller struct {
	Name          string
	Address       string // HOST:PORT for the other nodes
	EngineAddress string // HOST:PORT for the engines of the other nodes
	APIAddress    string // HOST:PORT for clients; "" if unknown
	Region        string
	Role          string // Voter, Witness or Worker
	Labels        []string
}

// Welcome is the configuration that a node gets when it joins a cluster, beside its certificate.
type Welcome struct {
	Controllers []Controller `json:"controllers"` // of the cluster, this node too
}

// The roles of controllers.
const (
	Voter   = "voter"   // it votes, and takes runs
	Witness = "witness" // it votes, and takes no runs
	Worker  = "worker"  // it takes runs, and has no vote
)

// The topologies.
const (
	ActiveActive  = "active-active"
	ActivePassive = "active-passive"
	Hierarchical  = "hierarchical"
)

// Raft has the times of the engine.
type Raft struct {
	ElectionMin, ElectionMax, Heartbeat time.Duration
}

// Membership has the times after which nodes are missed.
type Membership struct {
	Heartbeat          time.Duration
	Lease              time.Duration // whole seconds
	PartitionThreshold int           // heartbeats
	Grace              time.Duration
}

// Network has the times of connections between nodes.
type Network struct {
	Connect, Silence time.Duration
}

// Work is how runs and elements go to nodes.
type Work struct {
	Strategy     string // round-robin, capacity, affinity or adaptive
	UnitSize     int    // elements
	Checkpoint   time.Duration
	ShareFrom    int     // elements
	ShareWaiting float64 // 0 to 1
	HeadStart    time.Duration
	RegionStart  time.Duration
	MaxCrashes   int
}

// Balance is when nodes take no further runs, and when queued runs move.
type Balance struct {
	CheckInterval      time.Duration
	ImbalanceThreshold float64 // 0 to 1
	MinMigrationBatch  int
	CPU, Memory        int // percent
	Queue              int // runs
}

// Sync is how facts reach other nodes.
type Sync struct {
	FullInterval time.Duration
	Delta        bool
	Consistency  string // eventual, session, strong or quorum
	Freshness    time.Duration
}

// Regions are other clusters, with which this one exchanges facts. Without a Name there are none.
type Regions struct {
	Name              string // of all of them together, in their certificates
	Listen            string
	CACert, Cert, Key string
	Peers             []RegionPeer
}

// RegionPeer is a node of another cluster.
type RegionPeer struct {
	Cluster, Node, Address string
}

// RegionName returns the name of a node among those of several clusters.
func RegionName(cluster, node string) string { return cluster + "-" + node }

// MTLS has the certificates of the node.
type MTLS struct {
	Enabled           bool
	CACert, Cert, Key string
	CAKey             string   // "": this node admits no new ones
	AllowedIdentities []string // nil: the controllers
	Days              int      // that a certificate of a new node is valid
}

// Encryption is how the data of runs and hosts is encrypted at rest.
type Encryption struct {
	Enabled          bool
	KeyRotation      time.Duration
	MasterKey        string   // file
	MasterKeyCommand []string // that prints it, in place of the file
	OldMasterKeys    []string // files
}

// Connections bound those to hosts.
type Connections struct {
	Max, MaxPerHost int
	Idle            time.Duration
}

// Failures are the rules for hosts that fail.
type Failures struct {
	ConnectionRetries int
}

// Storage is how much is kept, and where.
type Storage struct {
	Replicas   int
	DatabaseMB int
	Compaction time.Duration
	Retention  time.Duration
}

// Self returns the controller of this node.
func (c *Config) Self() Controller {
	i := slices.IndexFunc(c.Controllers, func(k Controller) bool { return k.Name == c.Node })
	if i < 0 {
		return Controller{}
	}
	return c.Controllers[i]
}

// Identities returns the nodes that may connect: those of allowed_identities, or the controllers.
func (c *Config) Identities() []string {
	if len(c.MTLS.AllowedIdentities) > 0 {
		return c.MTLS.AllowedIdentities
	}
	var all []string
	for _, k := range c.Controllers {
		all = append(all, k.Name)
	}
	return all
}

// Votes returns how many controllers vote.
func (c *Config) Votes() (n int) {
	for _, k := range c.Controllers {
		if k.Role != Worker {
			n++
		}
	}
	return n
}
