// Package dist runs one program on several nodes: each is a replica that evaluates the whole program, and the log of
// the run decides which node performs which effect and which element of a parallel operation.
//
//   - Log: the log of a run, an ordered list of records. Memory is one for tests, with delays and lost
//     acknowledgements. Package cluster/internal/runlog has the one of a cluster.
//   - Record: an entry of the log.
//   - State: the meaning of a prefix of the log. It is computed from the records alone, so all nodes agree on it.
//   - Node: the part of one node in a run. Its Journal is that of the run's evaluation there.
//   - Run: takes part in a run until it has ended, and begins again from the log where that is needed.
//
// # Names
//
// A node has a new name for each evaluation that it begins, because another node may have declared the former one dead:
// an incarnation. The leader is the node that decides for the main evaluation. The holder of a unit decides for the
// elements of the unit. The owner of a path is the node that decides for the evaluation there: the holder of the
// innermost unit that it is in, or the leader.
//
// # The log is a state machine
//
// A node appends a request, and reads whether it holds: every node applies the same rules to the same records in the
// same order. There is no second source of truth. spec/cluster.md lists the records and the rules.
//
// The rules that protect the world:
//
//   - A write begins when its owner has read its own beginning back from the log, and is still the owner.
//   - A record of a node that was declared dead does not count, except the end of a write that it had begun:
//     the write has happened, whichever node decides now.
//   - A write without an end is in doubt when its node is dead. It is settled, and never simply done again.
package dist
