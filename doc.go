// Package ptc runs task programs: short programs in a sandboxed Clojure that reduce
// data to a compact answer.
//
//   - Compile returns an immutable Program; Program.Run evaluates it with some data and returns a
//     Result. Any number of goroutines may run one Program at once. Run does both for a source
//     without data.
//   - Options are shared by a Program and all of its runs: limits, tools, guards, queues.
//     RunOptions belong to one run: data, output, seed, journal.
//   - Check and Fix find and fix mistakes without running a program.
//   - A Session keeps definitions between evaluations.
//   - Program.Record, Resume and Replay run with a journal in a file, for runs that survive
//     their process.
//
// Every run, and every compilation, is bounded in time, steps, memory, depth and output, and ends with its context. The
// zero Options are safe: no limit can be switched off.
//
// Parallel operations of a program (pmap, pcalls) run on workers. Each worker has its own memory limit,
// and Limits.Workers bounds the workers alive at every depth of nesting. So the live memory of a run
// is at most Memory + Workers x WorkerMemory. Garbage is added until Go collects it. If a process sets
// its soft limit (debug.SetMemoryLimit) to 1.3 times the sum of its concurrent runs, garbage stays
// small, and the heap stays below four times the sum even if a program fragments it. Memory that a tool's
// function allocates belongs to the host and is not counted: only the arguments and the result of a call
// are counted, and up to Limits.Workers calls are under way at once, unless tool.Concurrency or a policy
// allows fewer. No goroutine outlives its run, except for tool calls that ignore their context.
//
// # Nil, zero and out of range
//
// No function or method of the API panics because of its arguments, and none reports a bad argument as a bug of PTC:
//
//   - The zero value of a type is ready for use. If only a function can make a useful one, such as Compile for a
//     Program, the methods of the zero value return an error, or nothing if they return no error.
//   - A nil pointer to a type of this package is its zero value; Session.Eval returns an error, since it could keep
//     nothing. A nil pointer in a field of an option is like no value. As everywhere in Go, other methods cannot be
//     called on a nil pointer.
//   - A nil context, writer or function that is required, and a value out of range, are an error of code
//     illegal-argument, before anything happens.
//   - A context that has ended is an error of code cancelled or timeout, before anything happens.
//   - A panic of a function of the host is an error: of the call for a tool and Around, of code wrong-type for a method
//     of data, of code host-failed for Output, a writer, a guard, a queue, a rate, or a method of the variable of
//     Decode. A panic of the handler of a log is dropped. One in the release of a guard, in Abandon or in Pause is
//     logged.
//
// The API is this package and the packages that docs/embedding.md lists; any other may change at any time.
package ptc
