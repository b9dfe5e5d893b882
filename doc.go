// Package ptc runs task programs: short programs in a sandboxed Clojure that reduce
// data to a compact answer.
//
// Compile makes an immutable Program of source text; Run evaluates it over some
// input and gives a Result. A Program may be run by any number of goroutines at
// once. A Session keeps definitions between evaluations.
//
// Every run is bounded in time, steps, memory, depth and output. The zero Options
// are safe: no bound can be switched off.
//
// Parallel operations of a program (pmap, pcalls) run on workers with a memory cap of
// each its own; Limits.Workers bounds how many are alive, at every depth of nesting. So
// what is live in a run is at most Memory + Workers x WorkerMemory. Garbage comes on
// top until Go collects it: a process that sets its soft limit (debug.SetMemoryLimit)
// to 1.3 times the sum over the runs it allows at once keeps that small too, and Go's
// heap below four times the sum whatever a program does to scatter what it keeps. A run
// leaves no goroutine behind.
package ptc
