// Package tool holds the tools of a host: Tool is a function with a name, a schema and a
// declaration of what it does, Registry is those that a program may call, and Run is the
// calls that one run of a program makes.
//
// # The path of a call
//
// There is one path to a tool, for the main evaluation of a run and for every parallel
// worker:
//
//		schema -> policy -> locks -> queue -> rate -> journal -> function -> journal
//
//	  - The arguments are checked against the schema, and counted: a call that cannot be
//	    right costs nobody anything.
//	  - The policies of the operator (rates and quotas) come next, since they refuse at once
//	    and never wait.
//	  - Then what the tool's hint excludes is taken: the global guard, then the host.
//	  - Then the call waits in the queue of its action for one of its places.
//	  - A token of the rate comes last, when the call is really about to happen.
//	  - The journal is written before the function of a write begins, and after it ended.
//
// The order is fixed so that nothing can deadlock. Locks are watched: package guard finds
// a circle of waits before it closes, those that a program takes around its calls
// included. A place in a queue is not a lock, and nobody watches it: so whoever has one
// must wait for nothing but time. Were it taken before the host, an evaluation that has
// the host and waits for the place could wait for one that has the place and waits for the
// host.
//
// A recorded outcome (see package journal) takes the place of all behind the schema.
//
// # Tools that do not behave
//
// A panic of a tool is the failure of that call. A result that is too large, or not what
// the schema says, is one too. A tool that does not return soon after its context has
// ended is left behind: the run goes on, with the failure "timeout" or "cancelled", and
// counts it. It keeps its locks and its place in the queue until it does return, since it
// may still be at work: an evaluation that wants those locks meanwhile gets the failure
// guard-busy, which may be retried. A run that has left 32 calls behind makes no more.
package tool
