// Package tool holds the tools of a host: Tool is a function with a name, a schema and a
// declaration of what it does, Registry is those that a program may call, and Run is the
// calls that one run of a program makes.
//
// # The path of a call
//
// There is one path to a tool, for the main evaluation of a run and for every parallel
// worker:
//
//		schema -> recall -> Around( policy -> locks -> queue -> rate -> journal -> function ) -> journal
//
//	  - The arguments are checked against the schema: an invalid call uses
//	    nothing up.
//	  - A recorded outcome (see package journal) takes the place of all that follows.
//	  - Then the host's own function is called, if there is one: see RunOptions.Around. All that
//	    follows happens in its next, each time that next makes the call.
//	  - The policies of the operator (rates and quotas) come next, since they refuse at once
//	    and never wait.
//	  - Then the guards of the tool's hint are taken: the global guard, then the host.
//	  - Then the call waits in the queue of its action for one of its places.
//	  - A token of the rate comes last, when the call is really about to happen.
//	  - The journal is written before the function of a write begins, and after it ended. It has
//	    the outcome that the program sees: that of Around.
//
// The order is fixed so that nothing can deadlock. Locks are watched: package guard finds
// a cycle of waits before it closes, also one with locks that a program takes around its calls.
// A place in a queue is not a lock, and is not watched. So a call that has one must wait for
// nothing but time. Were it taken before the host, an evaluation that has the host and waits for
// the place could wait for one that has the place and waits for the host.
//
// # Tools that do not behave
//
// A panic of a tool is the failure of that call. So is a result that is too large, or does not
// match the schema. A tool that does not return soon after its context has ended is abandoned: the
// run goes on, with the failure "timeout" or "cancelled", and counts it. The call keeps its locks
// and its place in the queue until the tool returns, since it may still be at work. An evaluation
// that wants those locks meanwhile gets the failure guard-busy, which may be retried. A run that
// has abandoned 32 calls makes no more.
//
// A call whose context ends before its function was called never happens: it releases what it has
// taken, and if its evaluation has ended too, the journal withdraws it.
//
// # Guards that are lost
//
// Guards shared by several machines can be lost while they are held. The context of the call then
// ends, and a call that fails because of that has the failure "guard-lost". Fence returns a number
// for systems that refuse the writes of an earlier holder.
package tool
