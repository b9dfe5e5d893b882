// Package tool implements the tools of a host. A Tool is a function with a name, a schema and
// declarations. A Registry holds the tools that a program may call. A Run makes the calls of one
// run of a program.
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
//	  - A recorded outcome (see package journal) replaces all further steps.
//	  - Then the host's own function is called, if there is one: see RunOptions.Around. All later
//	    steps happen in its next, each time that next makes the call.
//	  - The policies of the operator (rates and quotas) come next, since they refuse immediately
//	    and never wait.
//	  - Then the guards of the tool's hint are taken: the global guard, then the host.
//	  - Then the call waits in the queue of its action for one of its places.
//	  - A token of the rate comes last, just before the call.
//	  - The journal is written before the function of a write begins, and after it ended. It has
//	    the outcome that the program sees: the result of Around.
//
// The order is fixed to prevent deadlocks. Package guard finds a cycle of waits for locks before it
// closes, including locks that a program takes around its calls. It does not see queues. So a call that has
// left its queue must wait only for time. If the queue came before the locks, an evaluation that has a host
// and waits in the queue could wait for one that has left the queue and waits for the host.
//
// # Tools that do not behave
//
// A panic of a tool becomes a failure of that call, like a result that is too large or does not match the
// schema. A tool that does not return soon after its context has ended is abandoned: the run continues,
// with the failure "timeout" or "cancelled", and counts it. The call keeps its locks, and stays an
// execution of its action, until the tool returns, because it may still be at work. An evaluation that
// wants those locks meanwhile gets the failure guard-busy, which may be retried. A run that has abandoned
// 32 calls makes no more.
//
// A call whose context ends before its function was called never happens: it releases its guards and its
// place, and if its evaluation has ended too, the journal withdraws it.
//
// # Guards that are lost
//
// Guards shared by several machines can be lost while they are held. The context of the call then
// ends, and a call that fails because of that has the failure "guard-lost". Fence returns a number
// for systems that refuse the writes of an earlier holder.
package tool
