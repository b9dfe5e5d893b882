// Package jregex runs Java regular expressions, as Clojure programs write them, on Go's regexp
// (RE2), in time linear in the length of the string.
//
//   - parse.go, parse_group.go, escape.go, class.go, property.go: Java's syntax, to a tree
//   - set.go: sets of code points, with union, intersection, complement
//   - emit.go: the tree as RE2 syntax; size.go: its size before it is compiled
//   - regexp.go, find.go: Parse, Compile, Find, FullMatch, Scanner
//   - onepass.go: simple patterns, matched without a program
//   - split.go, template.go: String.split and the syntax of replacements
//
// # What is not supported
//
// Backreferences, lookahead, lookbehind, atomic groups, possessive quantifiers, \G, \X, \b{g},
// \N{name} and counts above 1000 return an *Error that names the construct. No linear-time engine
// supports them.
//
// # Differences from Java
//
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
