// Package serve runs programs for others: an Engine takes submissions, keeps them in a store, admits as
// many as fit into the memory together, and brings each one to its end, even across crashes of the process.
//
//	e, err := serve.New(ctx, serve.Options{Store: st, Run: ptc.Options{Tools: tools}})
//	run, created, err := e.Submit(ctx, store.Submission{Source: "(+ 1 2)"}, access.Who{Tenant: "default", Name: "ann"})
//	run, err = e.Wait(ctx, run.ID)
//	err = e.Drain(ctx)
//
// The package has no HTTP; serve/api has.
//
// # Durability
//
// Each state of a run is in the store before anybody sees it, and before the step that it announces: a run is running
// in the store before its first instruction, and it has its result before its state is final. The effects of a run
// are in its journal. So a process may end at any moment. The next engine on the store finds the runs that were
// running, and resumes them from their journals: no write is made twice, and a write whose outcome is unknown makes
// the run in-doubt.
//
// A run that was running when the process ended has one crash more. The new number is durable before the run is started
// again, in the same change that takes it out of the state running; with the third crash between which no effect of it
// has ended, or the thirtieth in all, that change makes it poisoned. A crash while a run waited for people
// does not count, and a run that stops in an orderly way, parked or drained, counts from zero again. Runs
// that one more crash would poison are started one at a time.
//
// # Admission
//
// The bound of a run is the memory of its main evaluation and of all its workers. An engine admits a run if the bounds
// of all admitted runs fit into Options.Memory. Others wait in the queue, in the store. The first in the queue waits
// until it fits, and the others wait behind it, so that a large run is not overtaken forever; a run whose tenant has
// used up its share is overtaken. Three lanes, by the priority of runs, share the starts 16 : 4 : 1.
//
// # Several engines on one store
//
// With Options.Placement an engine starts no run on its own. It adds queued runs to the Placement, which calls Take of
// the engine that is to run one. The right to run it is a Lead: when that is lost, the engine stops the program and
// leaves the state of the run to its next leader, for which the run counts as crashed once more. A drained
// run is returned to the Placement immediately.
package serve
