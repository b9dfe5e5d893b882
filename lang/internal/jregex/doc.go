// Package jregex runs Java regular expressions, as Clojure programs write them, on Go's regexp
// (RE2), in time linear in the length of the string. Only patterns that need backtracking run on an
// engine of this package, which counts each step and the memory of its alternatives.
//
//   - parse.go, parse_group.go, escape.go, class.go, property.go: Java's syntax, to a tree
//   - set.go: sets of code points, with union, intersection, complement
//   - emit.go: the tree as RE2 syntax; size.go: its size before it is compiled
//   - regexp.go, find.go: Parse, Compile, Find, FullMatch, Scanner
//   - onepass.go: simple patterns, matched without a program
//   - backtrack.go, loop.go, study.go: the program of a pattern that needs backtracking
//   - machine.go, frames.go, assert.go: running it
//   - split.go, template.go: String.split and the syntax of replacements
//
// # What is not supported
//
// \G, \X, \b{g}, \N{name} and (?c) return an *Error that names the construct.
//
// # Differences from Java
//
// Those of line ends and of empty groups do not concern the backtracking engine.
//
//   - In a lookbehind, Java adds the lengths of repetitions without limit in 32 bits, and may refuse
//     some that this package takes, or the other way round.
//   - A group in a repetition inside another one, (?:x(a)*)*, has its last match. In Java it has that
//     of an earlier iteration of the outer repetition.
//   - \b and \B test for ASCII words, as in JDK 19 and later (JDK 17: Unicode).
//   - (?m)^ accepts only \n as a line end. $ and \Z inside a repetition, or before more of the
//     pattern, match only at the end of the string ((?m)$ also at \n).
//   - In strings that mix \n and \r\n, a greedy repetition before $ that has matched the \r of \r\n
//     does not backtrack from it.
//   - A group that repeats over an empty match keeps its last non-empty match: (a*)* on "a" has "a"
//     in group 1, not "".
//   - Case-insensitive matching follows Java's rules: ASCII unless (?u).
//   - Unicode tables are Go's. Only the common blocks (\p{In…}) are known.
//   - Indices are bytes of UTF-8, not UTF-16 code units. After an empty match, the search advances
//     by a code point.
package jregex
