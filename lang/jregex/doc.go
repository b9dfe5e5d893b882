// Package jregex runs Java regular expressions, as Clojure programs write them,
// on Go's regexp (RE2), in time linear in the text.
//
//   - parse.go, parse_group.go, escape.go, class.go, property.go: Java's syntax, to a tree
//   - set.go: sets of code points, with union, intersection, complement
//   - emit.go: the tree as RE2 syntax; size.go: its size before it is compiled
//   - regexp.go, find.go: Parse, Compile, Find, FullMatch, Scanner
//   - split.go, template.go: String.split and the syntax of replacements
//
// # What is not supported
//
// Backreferences, lookahead, lookbehind, atomic groups, possessive quantifiers,
// \G, \X, \b{g}, \N{name} and counts above 1000 give an *Error that names the
// construct: no linear-time engine has them.
//
// # What differs from Java
//
//   - \b and \B look at ASCII words, as in JDK 19 and later (JDK 17: Unicode)
//   - (?m)^ takes only \n for a line end; $ and \Z inside of a repetition or
//     before more of the pattern take only the end of the text ((?m)$ also \n)
//   - in texts that mix \n and \r\n, a greedy repetition before $ that takes the
//     \r of \r\n does not give it back
//   - a group that repeats over an empty match keeps its last other match:
//     (a*)* on "a" has "a" in group 1, not ""
//   - case-insensitive matching follows Java's rules: ASCII unless (?u)
//   - Unicode tables are Go's; of the blocks (\p{In…}) only the usual are known
//   - indices are bytes of UTF-8, not UTF-16 units; empty matches step by code
//     point
package jregex
