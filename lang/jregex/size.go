package jregex

// This file defines limits, and the size of a compiled pattern, which is known
// before it is compiled.

import (
	"math"
	"regexp/syntax"
)

// Limits bounds patterns. The zero value refuses everything.
type Limits struct {
	PatternBytes int // length of a pattern in bytes
	Instructions int // size of its program, as Regexp.Instructions counts
}

// DefaultLimits are the limits that MEMORY.md found: a pattern of 1.1 KB could
// make a million instructions, 45 MB alive and 222 MB of garbage.
var DefaultLimits = Limits{PatternBytes: 1 << 10, Instructions: 10_000}

// Memory of a Regexp, in bytes.
const (
	bytesPerInstruction = 750 // 250 for each of the three programs it may need
	bytesPerPattern     = 16 << 10
	// spansPerInstruction says how many ranges of a character class weigh as
	// much as an instruction.
	spansPerInstruction = 4
)

// CompileBytes bounds what a compiled pattern holds in memory, and what
// compiling it allocates beside, in bytes. Charge it for Limits.Instructions
// before Compile, and credit the difference to that of Regexp.Instructions after.
func CompileBytes(instructions int) int64 {
	return bytesPerPattern + bytesPerInstruction*int64(instructions)
}

// programSize bounds the instructions that a tree compiles to. Counted
// repetitions are written out, so nested ones multiply.
func programSize(re *syntax.Regexp) int64 {
	var kids int64
	for _, k := range re.Sub {
		kids = addSize(kids, programSize(k))
	}
	switch re.Op {
	case syntax.OpLiteral:
		return int64(len(re.Rune))
	case syntax.OpCharClass:
		return 1 + int64(len(re.Rune)/2/spansPerInstruction)
	case syntax.OpCapture:
		return addSize(kids, 2)
	case syntax.OpRepeat:
		times := int64(re.Max)
		if re.Max < 0 {
			times = int64(re.Min) + 1
		}
		if kids+1 > math.MaxInt32/max(times, 1) {
			return math.MaxInt32
		}
		return max(1, times*(kids+1))
	case syntax.OpAlternate:
		return addSize(kids, int64(len(re.Sub)))
	}
	return addSize(kids, 1)
}

func addSize(a, b int64) int64 { return min(a+b, math.MaxInt32) }
