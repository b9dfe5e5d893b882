package jregex

// This file defines limits, and computes the size of a compiled pattern before it is compiled.

import (
	"math"
	"regexp/syntax"
	"strings"
)

// Limits bound patterns. The zero value rejects every pattern.
type Limits struct {
	PatternBytes int // maximum length of a pattern in bytes
	Instructions int // maximum size of its program, as Regexp.Instructions counts
}

// DefaultLimits are the default limits. Without them, a pattern of 1.1 KB could make a million
// instructions, with 45 MB alive and 222 MB of garbage.
var DefaultLimits = Limits{PatternBytes: 16 << 10, Instructions: 20_000}

// Memory in bytes, measured by TestCompileBytes. The constants for compiling and holding cover the
// five programs that a pattern may need.
const (
	parsePerPattern  = 16 << 10
	parsePerByte     = 1 << 10
	parsePerProperty = 200 << 10 // \p{Print} of Unicode consists of eight tables
	parsePerSpan     = 200       // of Limits.Instructions×4 spans, if all are used

	compilePerPattern     = 24 << 10
	compilePerByte        = 768 // of the pattern
	compilePerInstruction = 1800

	heldPerPattern     = 8 << 10
	heldPerByte        = 160
	heldPerInstruction = 600

	// spansPerInstruction is the number of ranges of a character class that count as one
	// instruction.
	spansPerInstruction = 4
)

// ParseBytes bounds the bytes that Parse allocates.
func ParseBytes(pattern string, limits Limits) int64 {
	if len(pattern) > limits.PatternBytes {
		return 512
	}
	properties := strings.Count(pattern, `\p`) + strings.Count(pattern, `\P`)
	if strings.Contains(pattern, "U") { // perhaps (?U), in which \w is a property too
		properties = strings.Count(pattern, `\`)
	}
	most := int64(parsePerSpan*spansPerInstruction)*int64(limits.Instructions) + parsePerProperty
	return parsePerPattern + parsePerByte*int64(len(pattern)) + min(most, parsePerProperty*int64(properties))
}

// CompileBytes bounds the bytes that Pattern.Compile allocates. The part above Regexp.HeldBytes can
// be credited afterwards.
func (p *Pattern) CompileBytes() int64 { return compileBytes(len(p.text), p.instructions) }

func compileBytes(patternBytes, instructions int) int64 {
	return compilePerPattern + compilePerByte*int64(patternBytes) + compilePerInstruction*int64(instructions)
}

// CompileBytes bounds the bytes that Compile allocates for a pattern of patternBytes bytes and
// Limits of the given instructions, whether it is accepted or not. A caller that uses Parse first
// knows the size and can charge less.
func CompileBytes(patternBytes, instructions int) int64 {
	const perInstruction = parsePerSpan * spansPerInstruction
	return parsePerPattern + parsePerProperty + parsePerByte*int64(patternBytes) + perInstruction*int64(instructions) +
		compileBytes(patternBytes, instructions)
}

// HeldBytes bounds the memory of a compiled pattern, in bytes.
func (re *Regexp) HeldBytes() int64 {
	return heldPerPattern + heldPerByte*int64(len(re.pattern)) + heldPerInstruction*int64(re.instructions)
}

// programSize bounds the instructions that a tree compiles to. Counted repetitions are written out,
// so nested ones multiply.
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
