package peer

// LimitCalls sets the MaxCalls of a node.
func LimitCalls(n *Node, calls int) { n.maxCalls = calls }

// LimitMemoryCalls sets the MaxCalls of a node in memory.
func LimitMemoryCalls(n *MemoryNode, calls int) { n.maxCalls = calls }
