// This file defines the keys of the section.

package config

import (
	"math"
)

// Key is one key of the section, for readers of the documentation.
type Key struct {
	Name    string // with the names of the sections that it is in, such as raft.heartbeat_interval_ms
	Value   string // the form of its value
	Initial string // its default; "" for none
	Text    string
	to      target
}

// Required is the Initial of a key that must be there.
const Required = "required"

// Keys returns the keys of the section, except those of controllers.
func Keys() []Key { return new(Config).keys() }

// ControllerKeys returns the keys of each item of controllers.
func ControllerKeys() []Key { return new(Controller).keys() }

// Default returns the settings of an empty section.
func Default() *Config {
	c := new(Config)
	reset(c.keys())
	return c
}

// reset enters the defaults.
func reset(keys []Key) {
	for _, k := range keys {
		if k.Initial == "" || k.Initial == Required {
			continue
		}
		if err := k.to.set(k.Initial); err != nil {
			panic("the default of " + k.Name + ": " + err.Error())
		}
	}
}

func (c *Config) keys() []Key {
	var all []Key
	for _, group := range [][]Key{c.nodeKeys(), c.timeKeys(), c.workKeys(), c.syncKeys(), c.regionKeys(), c.securityKeys(),
		c.hostKeys()} {
		all = append(all, group...)
	}
	return all
}

func (c *Config) nodeKeys() []Key {
	return []Key{
		{"enabled", "true or false", "true", "false: the node is a standalone service, and the section is only checked",
			toggle{&c.Enabled}},
		{"cluster_id", "NAME", Required, "name of the cluster; all certificates contain it", name{&c.ClusterID, "cluster"}},
		{"node", "NAME", Required, "name of this node, one of controllers", name{&c.Node, "node"}},
		{"join", "true or false", "false", "true: the node has joined a running cluster, and begins with a copy of its " +
			"data; ptcd cluster join writes it", toggle{&c.Join}},
		{"dir", "DIR", "", "directory of the engine and its data; by default the directory cluster in the directory " +
			"of the service", word{&c.Dir}},
		{"topology", "WORD", ActiveActive, "active-active: all nodes take runs, those of their region first; " +
			"active-passive: one elected node takes runs; hierarchical: runs stay in their region, a coordinator moves them",
			choice{&c.Topology, []string{ActiveActive, ActivePassive, Hierarchical}}},
		{"region", "NAME", "", "region of this node; by default that of its controller", word{&c.Region}},
		{"listen", "HOST:PORT", "", "where this node listens for the others; by default the address of its controller",
			address{&c.Listen, true}},
		{"listen_engine", "HOST:PORT", "", "where its engine listens; by default the engine_address of its controller",
			address{&c.ListenEngine, true}},
		{"capacity", "N", "1000", "maximum number of connections to hosts that this node should have; its load is " +
			"relative to it",
			number{&c.Capacity, 1, math.MaxInt32}},
		{"capabilities", "[WORD, …]", "", "what this node can do, besides the tools that it grants: a run with the label " +
			"needs runs only on nodes that have them", list{&c.Capabilities}},
	}
}

func (k *Controller) keys() []Key {
	return []Key{
		{"name", "NAME", Required, "name of the node; its certificate contains it", name{&k.Name, "node"}},
		{"address", "HOST:PORT", Required, "where the other nodes reach it", address{&k.Address, false}},
		{"engine_address", "HOST:PORT", Required, "where the other engines reach its engine",
			address{&k.EngineAddress, false}},
		{"api_address", "HOST:PORT", "", "where clients reach it; other nodes name it in answers",
			address{&k.APIAddress, false}},
		{"region", "NAME", "", "region of the node; runs with the label region go there first", word{&k.Region}},
		{"role", "WORD", Voter, "voter: it votes, and takes runs; witness: it votes only; worker: it takes runs, and has " +
			"no vote", choice{&k.Role, []string{Voter, Witness, Worker}}},
		{"labels", "[WORD, …]", "", "labels by which runs choose nodes: NAME=VALUE, or NAME for " +
			"NAME=true", list{&k.Labels}},
	}
}

func (c *Config) timeKeys() []Key {
	return []Key{
		{"raft.election_timeout_min_ms", "N", "150", "minimum election timeout. It is only checked: the engine uses " +
			"the maximum, the next key", millis{&c.Raft.ElectionMin, 10, 50_000}},
		{"raft.election_timeout_max_ms", "N", "300", "time without a heartbeat after which a voter begins an election; " +
			"each voter waits a random time, up to twice as long", millis{&c.Raft.ElectionMax, 50, 50_000}},
		{"raft.heartbeat_interval_ms", "N", "50", "time between two heartbeats of the leader of the engine",
			millis{&c.Raft.Heartbeat, 5, 10_000}},
		{"membership.heartbeat_interval_ms", "N", "1000", "time between two heartbeats of nodes, which carry their load",
			millis{&c.Membership.Heartbeat, 10, 60_000}},
		{"membership.lease_ms", "N", "3000", "time without renewal after which a node is dead and its runs go elsewhere; " +
			"whole seconds", millis{&c.Membership.Lease, 1000, 600_000}},
		{"membership.partition_threshold", "N", "3", "number of failed heartbeats in a row after which a node counts " +
			"as unreachable",
			number{&c.Membership.PartitionThreshold, 1, 1000}},
		{"membership.grace_ms", "N", "120000", "time after the death of a node for which its calls may still be in " +
			"progress: a write in doubt is shown after it, or when the node is back; at least the longest timeout of a tool",
			millis{&c.Membership.Grace, 1000, 86_400_000}},
		{"network.connect_timeout_ms", "N", "5000", "time for a connection to another node, with its handshake",
			millis{&c.Network.Connect, 10, 600_000}},
		{"network.silence_ms", "N", "5000", "time after which a silent connection is tested; it is closed if the test is " +
			"not answered in the same time", millis{&c.Network.Silence, 10, 600_000}},
	}
}

func (c *Config) workKeys() []Key {
	w, b := &c.Work, &c.Balance
	return []Key{
		{"work_distribution.strategy", "WORD", "adaptive", "which node a run prefers: round-robin: each in turn; " +
			"capacity: the " +
			"one with the least load; affinity: the one of its labels; adaptive: affinity, unless that node is loaded. " +
			"Others take the run after the head start", choice{&w.Strategy, []string{"round-robin", "capacity", "affinity",
			"adaptive"}}},
		{"work_distribution.work_unit_size", "N", "50", "elements of a shared operation that a node takes at once",
			number{&w.UnitSize, 1, 1_000_000}},
		{"work_distribution.checkpoint_interval_ms", "N", "5000", "time between two reports of the progress of a run. " +
			"Effects are recorded one by one, immediately, and need no checkpoint", millis{&w.Checkpoint, 100, 3_600_000}},
		{"work_distribution.share_from", "N", "100", "minimum number of elements of an operation that is shared " +
			"among nodes",
			number{&w.ShareFrom, 2, math.MaxInt32}},
		{"work_distribution.share_waiting", "N", "0.5", "minimum fraction of its elements' time spent waiting for " +
			"tools in an operation that is shared: 0 to 1", fraction{&w.ShareWaiting}},
		{"work_distribution.head_start_ms", "N", "500", "time for which only the preferred node may take a run",
			millis{&w.HeadStart, 0, 3_600_000}},
		{"work_distribution.region_start_ms", "N", "10000", "time for which only nodes of its region may take a run",
			millis{&w.RegionStart, 0, 3_600_000}},
		{"work_distribution.max_crashes", "N", "3", "number of crashes of nodes during a run, with no effect between " +
			"them, after which it is not tried again", number{&w.MaxCrashes, 1, 1000}},
		{"load_balancing.check_interval_ms", "N", "5000", "time between two checks of the loads of all nodes",
			millis{&b.CheckInterval, 100, 3_600_000}},
		{"load_balancing.imbalance_threshold", "N", "0.2", "difference of two loads above which queued runs move: 0 to 1",
			fraction{&b.ImbalanceThreshold}},
		{"load_balancing.min_migration_batch", "N", "5", "minimum number of runs that move together; fewer are not moved",
			number{&b.MinMigrationBatch, 1, 100_000}},
		{"load_balancing.cpu_threshold", "N", "80", "processor use in percent above which a node takes no further runs",
			number{&b.CPU, 1, 100}},
		{"load_balancing.memory_threshold", "N", "85", "memory use in percent above which a node hands queued runs back",
			number{&b.Memory, 1, 100}},
		{"load_balancing.queue_threshold", "N", "50", "number of queued runs that prefer a node, above which the " +
			"node hands them back",
			number{&b.Queue, 1, 1_000_000}},
	}
}

func (c *Config) syncKeys() []Key {
	s := &c.Sync
	return []Key{
		{"state_sync.full_sync_interval_ms", "N", "300000", "time between two comparisons of the facts that this node has " +
			"in memory with those of the cluster", millis{&s.FullInterval, 1000, 86_400_000}},
		{"state_sync.delta_sync_enabled", "true or false", "true", "whether changes of facts by other nodes reach this " +
			"one immediately, and not only with the comparisons", toggle{&s.Delta}},
		{"state_sync.default_consistency", "WORD", "session", "level of reads of facts that name none: eventual, " +
			"session, strong or quorum", choice{&s.Consistency, []string{"eventual", "session", "strong", "quorum"}}},
		{"state_sync.session_freshness_ms", "N", "5000", "age up to which a local fact is fresh for the level session",
			millis{&s.Freshness, 0, 3_600_000}},
	}
}

func (c *Config) regionKeys() []Key {
	g := &c.Regions
	return []Key{
		{"regions.name", "NAME", "", "common name of the regions that exchange facts, each of which is a cluster of its " +
			"own; their certificates, which ptcd cluster regions makes, contain it. Without it there are no regions",
			name{&g.Name, "cluster"}},
		{"regions.listen", "HOST:PORT", "", "where this node listens for the nodes of other regions",
			address{&g.Listen, true}},
		{"regions.ca_cert", "FILE", "", "certificate of the authority of the regions, PEM", word{&g.CACert}},
		{"regions.cert", "FILE", "", "certificate of this node for the regions, PEM", word{&g.Cert}},
		{"regions.key", "FILE", "", "its key, PEM, of mode 0600", word{&g.Key}},
		{"regions.peers", "[CLUSTER/NODE=HOST:PORT, …]", "", "nodes of the other regions; those of one region are tried " +
			"in this order. Other nodes can't connect", peers{&g.Peers}},
	}
}

func (c *Config) securityKeys() []Key {
	m, e := &c.MTLS, &c.Encryption
	return []Key{
		{"security.mtls.enabled", "true", "true", "nodes have certificates; this can't be switched off", toggle{&m.Enabled}},
		{"security.mtls.ca_cert", "FILE", Required, "certificates of the authorities of the cluster, PEM", word{&m.CACert}},
		{"security.mtls.cert", "FILE", Required, "certificate of this node, PEM; it is read again when it changes",
			word{&m.Cert}},
		{"security.mtls.key", "FILE", Required, "its key, PEM, of mode 0600", word{&m.Key}},
		{"security.mtls.ca_key", "FILE", "", "key of the authority; a node that has it admits new nodes", word{&m.CAKey}},
		{"security.mtls.allowed_identities", "[NAME, …]", "", "nodes that may connect: names, ptc://CLUSTER/node/NAME, " +
			"or * for each node with a certificate of the cluster; by default the nodes that the cluster has now",
			list{&m.AllowedIdentities}},
		{"security.mtls.certificate_days", "N", "365", "days for which the certificate of a new node is valid",
			number{&m.Days, 1, 3650}},
		{"security.encryption.enabled", "true or false", "true", "whether the records of runs and facts are encrypted at " +
			"rest",
			toggle{&e.Enabled}},
		{"security.encryption.key_rotation_hours", "N", "24", "hours after which the keys of new data change; old data " +
			"stays readable", hours{&e.KeyRotation, 1, 87_600}},
		{"security.encryption.master_key", "FILE", "", "file with the master key, of mode 0600", word{&e.MasterKey}},
		{"security.encryption.master_key_command", "[WORD, …]", "", "command that prints the master key, in place of the " +
			"file",
			list{&e.MasterKeyCommand}},
		{"security.encryption.old_master_keys", "[FILE, …]", "", "files with earlier master keys, to read old data",
			list{&e.OldMasterKeys}},
	}
}

func (c *Config) hostKeys() []Key {
	n, f, s := &c.Connections, &c.Failures, &c.Storage
	return []Key{
		{"connections.max", "N", "1000", "connections over SSH of all runs of this node; the one that has been unused " +
			"for longest is closed for a new one", number{&n.Max, 1, 1_000_000}},
		{"connections.max_per_host", "N", "10", "connections over SSH to one host, of all runs of this node",
			number{&n.MaxPerHost, 1, 1_000_000}},
		{"connections.idle_ms", "N", "60000", "time after which an unused connection is closed", millis{&n.Idle, 0,
			86_400_000}},
		{"failures.connection_retries", "N", "3", "further attempts to connect over SSH to a host, within 15 s; " +
			"nothing has been run there yet", number{&f.ConnectionRetries, 0, 1000}},
		{"storage.replicas", "N", "2", "nodes that keep a copy of each large value and finished journal",
			number{&s.Replicas, 1, 100}},
		{"storage.database_mb", "N", "4096", "size of the engine's database in megabytes at which it takes no further writes",
			number{&s.DatabaseMB, 64, 8192}},
		{"storage.compaction_interval_ms", "N", "300000", "time for which the engine keeps old revisions; twice that at most",
			millis{&s.Compaction, 1000, 86_400_000}},
		{"storage.retention_hours", "N", "720", "hours for which a run is kept after its end; keep-age can shorten them",
			hours{&s.Retention, 1, 876_000}},
	}
}
