package jregex

// This file defines limits, and the size of a compiled pattern, which is known
// before it is compiled.

import (
	"math"
	"regexp/syntax"
	"strings"
)

// Limits bounds patterns. The zero value refuses everything.
type Limits struct {
	PatternBytes int // length of a pattern in bytes
	Instructions int // size of its program, as Regexp.Instructions counts
}

// DefaultLimits are the limits that MEMORY.md found: a pattern of 1.1 KB could
// make a million instructions, 45 MB alive and 222 MB of garbage.
var DefaultLimits = Limits{PatternBytes: 1 << 10, Instructions: 10_000}

// Memory in bytes, measured by TestCompileBytes. What is compiled and held covers
// the five programs that a pattern can come to need.
const (
	parsePerPattern  = 16 << 10
	parsePerByte     = 1 << 10
	parsePerProperty = 200 << 10 // \p{Print} of Unicode is made of eight tables
	parsePerSpan     = 200       // of Limits.Instructions×4 spans, when they are used up

	compilePerPattern     = 24 << 10
	compilePerByte        = 768 // of the pattern
	compilePerInstruction = 1800

	heldPerPattern     = 8 << 10
	heldPerByte        = 160
	heldPerInstruction = 600

	// spansPerInstruction says how many ranges of a character class weigh as
	// much as an instruction.
	spansPerInstruction = 4
)

// ParseBytes bounds what Parse allocates, in bytes.
func ParseBytes(pattern string, limits Limits) int64 {
	if len(pattern) > limits.PatternBytes {
		return 512
	}
	properties := strings.Count(pattern, `\p`) + strings.Count(pattern, `\P`)
	if strings.Contains(pattern, "U") { // maybe (?U), in which \w is one too
		properties = strings.Count(pattern, `\`)
	}
	most := int64(parsePerSpan*spansPerInstruction)*int64(limits.Instructions) + parsePerProperty
	return parsePerPattern + parsePerByte*int64(len(pattern)) + min(most, parsePerProperty*int64(properties))
}

// CompileBytes bounds what Pattern.Compile allocates, in bytes. What is above
// Regexp.HeldBytes can be credited afterwards.
func (p *Pattern) CompileBytes() int64 { return compileBytes(len(p.text), p.instructions) }

func compileBytes(patternBytes, instructions int) int64 {
	return compilePerPattern + compilePerByte*int64(patternBytes) + compilePerInstruction*int64(instructions)
}

// CompileBytes bounds what Compile allocates, in bytes, for a pattern of so many
// bytes and Limits of so many instructions, whether it is accepted or not. With
// Parse, which tells the size, less has to be charged.
func CompileBytes(patternBytes, instructions int) int64 {
	const perInstruction = parsePerSpan * spansPerInstruction
	return parsePerPattern + parsePerProperty + parsePerByte*int64(patternBytes) + perInstruction*int64(instructions) +
		compileBytes(patternBytes, instructions)
}

// HeldBytes bounds what a compiled pattern keeps in memory, in bytes.
func (re *Regexp) HeldBytes() int64 {
	return heldPerPattern + heldPerByte*int64(len(re.pattern)) + heldPerInstruction*int64(re.instructions)
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
