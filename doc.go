// Package ptc runs task programs: short programs in a sandboxed Clojure that reduce
// data to a compact answer.
//
//   - Compile makes an immutable Program of source text; Program.Run evaluates it over some
//     data and returns a Result. Any number of goroutines may run one Program at
//     once. Run does both for a source without data.
//   - Options are what a Program and all of its runs share: limits, tools, guards, queues.
//     RunOptions are what one run is given: data, output, seed, journal.
//   - Check and Fix find and fix mistakes without running a program.
//   - A Session keeps definitions between evaluations.
//   - Program.Record, Resume and Replay run with a journal in a file, for runs that survive
//     their process.
//
// Every run, and every compilation, is bounded in time, steps, memory, depth and output, and ends with its context. The
// zero Options are safe: no bound can be switched off.
//
// Parallel operations of a program (pmap, pcalls) run on workers, each with a memory cap of
// its own; Limits.Workers bounds how many are alive, at every depth of nesting. So
// what is live in a run is at most Memory + Workers x WorkerMemory. Garbage comes on
// top until Go collects it. A process that sets its soft limit (debug.SetMemoryLimit)
// to 1.3 times the sum over the runs it allows at once keeps that small too, and Go's
// heap below four times the sum, whatever a program does to scatter what it keeps. No goroutine
// outlives its run, but for calls of tools that do not heed their context.
//
// The API is this package and the packages that docs/embedding.md lists; any other may change at any time.
package ptc
