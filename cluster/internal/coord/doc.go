// Package coord shares guards, queues and policies among the nodes of a cluster.
//
//   - Node: the part of a node in it. New makes it.
//   - Guards, Queues: the effect.Guards and effect.Queues of the runs of a node.
//   - NodeState: a node as the coordinator sees it.
//
// One node is elected as the coordinator: its record in the engine is bound to a lease, and each election has the
// number of a term. The coordinator has the guard.Set and the queue.Enforcer that a single process has too, and the
// other nodes use them through requests. So waiters are ordered and cycles are found as in one process,
// over all nodes and runs.
//
// # Sessions
//
// A node has a session with the coordinator. Its operations (acquire, release, start, leave) go in batches, each
// handled once and in order, with one batch under way at a time; a request that waits takes no connection. The answer
// to a batch has the events that came of it, and a poll of the node brings later ones. A guard that is free costs one
// request and its answer, and a release none if another operation is about to be sent. Nothing waits for a release.
//
// # Lost guards
//
// Each message of a node renews its lease. The coordinator counts the lease from the arrival of the message; the node
// counts it from before it sent the message, and an eighth less. When the lease ends, the node loses its guards: the
// context of effect.Held.Lost ends, with effect.ErrGuardLost as its cause, so the contexts of the calls end too. Then,
// and never before, the coordinator grants them to others. This holds if the clocks of both machines run at speeds
// that differ by less than an eighth, and if the process of the node runs in time. A process that was stopped may
// continue for a moment when it is resumed: the fence is for this case. Fences grow from holder to holder, over all
// nodes and coordinators, and a resource that refuses a lower fence than it has seen is safe.
//
// While a node can't reach the coordinator, its requests wait until their contexts end; the errors say that the
// coordinator can't be reached, and since when. An execution that is under way then continues, and its place in the
// queue is given to another one: a policy's bound on concurrent executions is exceeded by the executions of
// nodes that are cut off.
//
// # Another coordinator
//
// When the coordinator dies, another node is elected when its lease in the engine has ended. For one lease it grants
// nothing, while the nodes assert what they hold: a guard that is asserted keeps its fence. It grants
// earlier if all sessions of the last term that the engine knows have asserted. Guards that were not
// asserted by then are lost at their nodes. Requests that wait keep the number of their arrival, and wait
// in this order again. One order is not carried over to the next term: the order of the priority lanes in
// the queues.
//
// # Rates, quotas and the clock
//
// The rate limits of guards are exact over all nodes, because there is one bucket. After a change of the
// coordinator all buckets start empty at its election, so no window has more calls than the rate allows,
// and at most one burst of tokens is lost. The rates and quotas of policies are counted in the engine, in
// reserved blocks, as a queue.Ledger describes: each change is conditional on the record of the
// coordinator.
//
// The time of the cluster, by which they are counted, does not depend on the clocks of machines. Each answer of the
// coordinator has it, and each node advances it by its monotonic clock. A new coordinator continues with the latest
// time that a node knows. If none does, after an outage of all nodes, it begins with the clock of the machine.
package coord
