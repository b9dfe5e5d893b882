// Package ptc runs task programs: short programs in a sandboxed Clojure that reduce
// data to a compact answer.
//
// Compile makes an immutable Program of source text; Run evaluates it over some
// input and gives a Result. A Program may be run by any number of goroutines at
// once. A Session keeps definitions between evaluations.
//
// Every run is bounded in time, steps, memory, depth and output. The zero Options
// are safe: no bound can be switched off.
package ptc
